package export_test

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/internal/prove"
)

const proofMain = `package main

import (
	"fmt"
	"net/http"
	"os"
%s)

var clients = map[string]func(*http.Request) (*http.Response, error){
%s}

func main() {
	req, err := http.NewRequest(os.Args[2], os.Args[3], nil)
	if err != nil {
		panic(err)
	}
	resp, err := clients[os.Args[1]](req)
	if err != nil {
		fmt.Println("error")
		return
	}
	fmt.Println(resp.StatusCode)
}
`

// proofIDs are the formats a proof is built for: our own engine is tested elsewhere, and so here but now and then.
func proofIDs(i int) []string {
	if i%5 == 0 {
		return []string{"go-std", "go-retryscope"}
	}
	return []string{"go-std"}
}

// buildProofs compiles every proof's exports for Go into one program, as packages that exist nowhere but there.
func buildProofs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(inside, text string) {
		file := filepath.Join(dir, filepath.FromSlash(inside))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const ours = "github.com/retryscope/retryscope"
	put("go.mod", strings.Replace(string(mod), "module "+ours, "module proof", 1)+
		fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", ours, ours, strconv.Quote(root)))
	put("go.sum", string(sum))
	var imports, table strings.Builder
	for i, p := range prove.GoStd() {
		for _, id := range proofIDs(i) {
			name := strings.ReplaceAll(id, "-", "") + fmt.Sprint(i)
			put(name+"/retry.go", exported(t, id, p.Policy).Text)
			fmt.Fprintf(&imports, "\t%s %q\n", name, "proof/"+name)
			if id == "go-std" {
				fmt.Fprintf(&table, "\t%q: func(r *http.Request) (*http.Response, error) { return %s.Do(http.DefaultClient, r) },\n", id+"/"+p.Name, name)
				continue
			}
			fmt.Fprintf(&table, "\t%q: func(r *http.Request) (*http.Response, error) {\n\t\tc, err := %s.NewClient()\n\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\treturn c.Do(r)\n\t},\n", id+"/"+p.Name, name)
		}
	}
	put("main.go", fmt.Sprintf(proofMain, imports.String(), table.String()))
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

func policyOf(t *testing.T, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func exported(t *testing.T, id, policy string) export.Result {
	t.Helper()
	f, ok := export.Get(id)
	if !ok {
		t.Fatalf("no format %s", id)
	}
	r, err := f.Export(policyOf(t, policy))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// agree has a policy run by somebody else and compares what a server saw with our own runs of it.
func agree(t *testing.T, p *engine.Policy, text, method string, theirs func(url string)) {
	t.Helper()
	j := &prove.Job{Name: t.Name(), Policy: *p, Script: text, Method: method}
	err := prove.Agree(t.Context(), []*prove.Job{j}, t.Logf, func(context.Context, []*prove.Job) error {
		theirs(j.URL)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if j.Wrong != "" {
		t.Error(j.Wrong)
	}
}

func TestGoExportsRun(t *testing.T) {
	t.Parallel()
	program := buildProofs(t)
	for i, p := range prove.GoStd() {
		for _, id := range proofIDs(i) {
			t.Run(id+"/"+p.Name, func(t *testing.T) {
				t.Parallel()
				r := exported(t, id, p.Policy)
				if len(r.Lost) > 0 {
					t.Errorf("lost: %q", r.Lost)
				}
				agree(t, &r.Carried, p.Script, p.Method, func(url string) {
					if out, err := exec.CommandContext(t.Context(), program, id+"/"+p.Name, p.Method, url).CombinedOutput(); err != nil {
						t.Fatalf("%v\n%s", err, out)
					}
				})
			})
		}
	}
}

// A person can read the standard library's version in one look, and it needs nothing else.
func TestGoStdIsShortAndAlone(t *testing.T) {
	t.Parallel()
	for _, p := range prove.GoStd() {
		text := exported(t, "go-std", p.Policy).Text
		if lines := strings.Count(text, "\n"); lines >= 60 {
			t.Errorf("%s: %d lines", p.Name, lines)
		}
		f, err := parser.ParseFile(token.NewFileSet(), "retry.go", text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, ".") {
				t.Errorf("%s: imports %s", p.Name, i.Path.Value)
			}
		}
	}
}
