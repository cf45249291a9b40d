package export_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// proofs are policies in milliseconds and the scripts they are run against.
var proofs = []struct{ name, policy, script, method string }{
	{"full", "attempts=4 base=20ms cap=60ms", "503 x9", "GET"},
	{"heals", "attempts=6 base=5ms jitter=equal curve=linear shift=1", "503 x2, 200", "GET"},
	{"final", "attempts=6 base=5ms jitter=none", "503, 404, 200", "GET"},
	{"decorrelated", "attempts=5 base=10ms cap=40ms jitter=decorrelated first=unjittered", "500 x9", "PUT"},
	{"scale", "attempts=5 base=10ms cap=30ms cap-stage=both jitter=scale:0.5..1.5 curve=fibonacci least=12ms", "500 x9", "GET"},
	{"additive", "attempts=4 base=10ms jitter=additive:15ms curve=quadratic first=immediate", "429 x9", "GET"},
	{"unsafe", "attempts=4 base=10ms", "503 x2, 200", "POST"},
	{"listed", "attempts=4 base=10ms methods=GET,POST jitter=none", "503 x2, 200", "POST"},
	{"server", "attempts=4 base=10ms retry-after=replace", "503 after=0, 503 after=1, 200", "GET"},
	{"longer", "attempts=4 base=10ms retry-after=at-least ceiling=1s jitter=none", "503 after=0, 503 after=2, 200", "GET"},
	{"required", "attempts=4 base=10ms retry-after=required", "503 after=0, 503, 200", "GET"},
	{"dropped", "attempts=4 base=10ms jitter=none timeout=60s", "reset, eof, 200", "GET"},
	{"slow", "attempts=3 base=10ms attempt-timeout=100ms jitter=none", "hang, 200", "GET"},
	{"late", "attempts=9 base=200ms jitter=none curve=constant timeout=700ms", "503 x9", "GET"},
}

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
	for i, p := range proofs {
		for _, id := range proofIDs(i) {
			name := strings.ReplaceAll(id, "-", "") + fmt.Sprint(i)
			put(name+"/retry.go", exported(t, id, p.policy).Text)
			fmt.Fprintf(&imports, "\t%s %q\n", name, "proof/"+name)
			if id == "go-std" {
				fmt.Fprintf(&table, "\t%q: func(r *http.Request) (*http.Response, error) { return %s.Do(http.DefaultClient, r) },\n", id+"/"+p.name, name)
				continue
			}
			fmt.Fprintf(&table, "\t%q: func(r *http.Request) (*http.Response, error) {\n\t\tc, err := %s.NewClient()\n\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\treturn c.Do(r)\n\t},\n", id+"/"+p.name, name)
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

// recorded is a server that plays a script and keeps the gaps between the requests.
func recorded(t *testing.T, text string) (url string, gaps func() []time.Duration) {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []time.Duration
	srv := httptest.NewServer(script.NewHandler(s, 1, script.Options{OnRequest: func(r script.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r.Gap)
	}}))
	t.Cleanup(srv.Close)
	return srv.URL, func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return append([]time.Duration(nil), all...)
	}
}

// agree compares what a server saw with our own runs of the policy, at the lowest and the highest draw.
func agree(t *testing.T, p *engine.Policy, text, method string, gaps []time.Duration) {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	cfg := lab.Config{Policy: *p, Script: s, Request: lab.Request{Method: method, URL: "http://test.test/"}, CancelAt: -1, SignOutAt: -1}
	low := lab.Scripted(cfg)
	cfg.Draw = 1
	high := lab.Scripted(cfg)
	if len(gaps) != len(low.Attempts) || len(low.Attempts) != len(high.Attempts) {
		t.Fatalf("%d requests, our own run makes %d", len(gaps), len(low.Attempts))
	}
	const early, late = 3 * time.Millisecond, 400 * time.Millisecond // of a request on its way, and a busy machine
	for i := 1; i < len(gaps); i++ {
		lo := low.Attempts[i].Start - low.Attempts[i-1].Start
		hi := high.Attempts[i].Start - high.Attempts[i-1].Start
		if gaps[i] < lo-early || gaps[i] > hi+late {
			t.Errorf("before attempt %d: %v, our own run waits %v to %v", i+1, gaps[i], lo, hi)
		}
	}
}

func TestGoExportsRun(t *testing.T) {
	t.Parallel()
	program := buildProofs(t)
	for i, p := range proofs {
		for _, id := range proofIDs(i) {
			t.Run(id+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				r := exported(t, id, p.policy)
				if len(r.Lost) > 0 {
					t.Errorf("lost: %q", r.Lost)
				}
				url, gaps := recorded(t, p.script)
				if out, err := exec.CommandContext(t.Context(), program, id+"/"+p.name, p.method, url).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				agree(t, &r.Carried, p.script, p.method, gaps())
			})
		}
	}
}

// A person can read the standard library's version in one look, and it needs nothing else.
func TestGoStdIsShortAndAlone(t *testing.T) {
	t.Parallel()
	for _, p := range proofs {
		text := exported(t, "go-std", p.policy).Text
		lines := 0
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
		if lines >= 60 {
			t.Errorf("%s: %d lines of code", p.name, lines)
		}
		f, err := parser.ParseFile(token.NewFileSet(), "retry.go", text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, ".") {
				t.Errorf("%s: imports %s", p.name, i.Path.Value)
			}
		}
	}
}
