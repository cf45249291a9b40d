package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program of somebody else's that uses both libraries. It waits on virtual clocks, so it ends at once.
const outsideProgram = `package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

type flaky struct{ calls int }

func (f *flaky) RoundTrip(req *http.Request) (*http.Response, error) {
	f.calls++
	status := http.StatusServiceUnavailable
	if f.calls == 3 {
		status = http.StatusOK
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

func virtual() engine.Option { return engine.WithClock(engine.NewVirtual(time.Unix(0, 0))) }

func run() error {
	retrier, err := engine.New(engine.Default(), virtual())
	if err != nil {
		return err
	}
	calls := 0
	got, err := engine.Do(context.Background(), retrier, func(context.Context) (string, error) {
		if calls++; calls < 2 {
			return "", engine.Transient(errors.New("not yet"))
		}
		return "done", nil
	})
	if err != nil {
		return err
	}
	fmt.Println(got, "after", calls, "calls")

	peer := &flaky{}
	transport, err := httpretry.New(peer, engine.Default(), httpretry.WithEngine(virtual()))
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: transport}).Get("http://peer.test/")
	if err != nil {
		return err
	}
	fmt.Println(resp.StatusCode, "after", peer.calls, "sends")
	return resp.Body.Close()
}

func main() {
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`

// The libraries are for programs outside this module: one that imports both builds without a network, runs, and
// compiles nothing but the standard library and the two packages.
func TestProgramOutsideTheModule(t *testing.T) {
	t.Parallel()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	own, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, goLine, _ := strings.Cut(string(own), "\ngo ")
	goLine, _, _ = strings.Cut(goLine, "\n")
	mod := strings.Join([]string{
		"module example.test/outside", "", "go " + goLine, "",
		"require github.com/retryscope/retryscope v0.0.0", "",
		"replace github.com/retryscope/retryscope => " + root, "",
	}, "\n")
	for name, text := range map[string]string{"go.mod": mod, "main.go": outsideProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	goTool := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
		}
		return string(out)
	}

	if got, want := goTool("run", "."), "done after 2 calls\n200 after 3 sends\n"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
	deps := strings.Fields(goTool("list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "."))
	want := []string{
		"github.com/retryscope/retryscope/engine",
		"github.com/retryscope/retryscope/httpretry",
		"example.test/outside",
	}
	if strings.Join(deps, " ") != strings.Join(want, " ") {
		t.Errorf("the program compiles %q, want %q", deps, want)
	}
}
