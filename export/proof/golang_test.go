package proof

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// goMain runs operations side by side, a few at a time, and prints what came out of each.
const goMain = `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

%s)

var clients = map[string]func(*http.Request) (*http.Response, error){
%s}

func main() {
	go func() { // it ends with the test that began it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	slots := make(chan struct{}, 24)
	var wait sync.WaitGroup
	for a := os.Args[1:]; len(a) > 0; a = a[3:] {
		slots <- struct{}{}
		wait.Go(func() {
			fmt.Println(a[0], ended(a[0], a[1], a[2]))
			<-slots
		})
	}
	wait.Wait()
}

func ended(key, method, url string) string {
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		panic(err)
	}
	resp, err := clients[key](req)
	if err != nil {
		return "error"
	}
	return fmt.Sprint(resp.StatusCode)
}
`

// goAmazon makes a call of a service of AWS with a retryer, and takes the answer's status from where it stands.
const goAmazon = `package amazon

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

func Do(req *http.Request, retryer aws.Retryer) (*http.Response, error) {
	c := sts.New(sts.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String(req.URL.String()), Retryer: retryer, HTTPClient: &http.Client{},
		Credentials: aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	})
	_, err := c.GetCallerIdentity(req.Context(), &sts.GetCallerIdentityInput{})
	if e := (*awshttp.ResponseError)(nil); errors.As(err, &e) && e.HTTPStatusCode() > 0 {
		return e.Response.Response, nil
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK}, nil
}
`

// What these libraries are given differs in a few lines around the same code: each case is built for one of them.
var goAlike = []string{"cenkalti", "avast", "sethvargo", "failsafe"}

// What is exported for each of Go's libraries, and for none, passes go vet, is built into one program and run.
func TestGoLibraries(t *testing.T) {
	var jobs []*job
	for _, id := range []string{"go-std", "retryablehttp", "aws"} {
		jobs = append(jobs, jobsOf(t, id)...)
	}
	for i, id := range goAlike {
		for k, j := range jobsOf(t, id) {
			if k%len(goAlike) == i {
				jobs = append(jobs, j)
			}
		}
	}
	program := buildGo(t, jobs)
	proveAll(t, jobs, func(ctx context.Context, args []string) *exec.Cmd { return exec.CommandContext(ctx, program, args...) })
}

// buildGo compiles jobs into one program, in a module that exists nowhere but there.
func buildGo(t *testing.T, jobs []*job) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	put := func(file, text string) {
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ours := strings.Replace(string(text), "module github.com/retryscope/retryscope/export/proof", "module proof", 1)
		put(name, strings.Replace(ours, "=> ../..", "=> "+strconv.Quote(root), 1))
	}
	put("amazon/amazon.go", goAmazon)
	imports, table := "\t\"proof/amazon\"\n", ""
	for i, j := range jobs {
		name := fmt.Sprintf("%s%d", strings.ReplaceAll(j.format.ID, "-", ""), i)
		j.write(t, dir, name+"/retry.go")
		imports += fmt.Sprintf("\t%s %q\n", name, "proof/"+name)
		call := name + ".Do(http.DefaultClient, r)"
		if j.format.ID == "aws" {
			call = "amazon.Do(r, " + name + ".NewRetryer())"
			j.Method = "POST" // its calls all are
		}
		table += fmt.Sprintf("\t%q: func(r *http.Request) (*http.Response, error) { return %s },\n", fmt.Sprint(i), call)
	}
	put("main.go", fmt.Sprintf(goMain, imports, table))
	program := filepath.Join(dir, "program")
	for _, args := range [][]string{{"vet", "./..."}, {"build", "-trimpath", "-o", program, "."}} {
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
	}
	return program
}
