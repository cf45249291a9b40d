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
	{"slow", "attempts=3 base=10ms attempt-timeout=300ms jitter=none", "hang, 200", "GET"},
	{"late", "attempts=9 base=400ms jitter=none curve=constant timeout=1100ms", "503 x9", "GET"},
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

// agree has a policy run by somebody else and compares what the server saw with our own runs of it. A busy machine may disturb one
// run, hardly three: what time can cause is a failure when no run agrees, anything else at once.
func agree(t *testing.T, p *engine.Policy, text, method string, theirs func(url string)) {
	t.Helper()
	var wrong string
	for range 3 {
		url, gaps := recorded(t, text)
		theirs(url)
		var isTime bool
		if wrong, isTime = differs(t, p, text, method, gaps()); wrong == "" {
			return
		}
		if !isTime {
			break
		}
		t.Logf("disturbed? %s", wrong)
	}
	t.Error(wrong)
}

// differs says where the gaps a server saw are not those of our own runs, at the lowest and the highest draw, and if time can be the cause.
func differs(t *testing.T, p *engine.Policy, text, method string, gaps []time.Duration) (wrong string, isTime bool) {
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
		return fmt.Sprintf("%d requests, our own run makes %d", len(gaps), len(low.Attempts)), p.Timeout > 0 || p.AttemptTimeout > 0
	}
	for i := 1; i < len(gaps); i++ {
		lo := low.Attempts[i].Start - low.Attempts[i-1].Start
		hi := high.Attempts[i].Start - high.Attempts[i-1].Start
		// A request that was long on its way makes the gap after it shorter: a limit on the attempt counts from its start, not from its arrival.
		early, late := 3*time.Millisecond+lo/10, 400*time.Millisecond
		if gaps[i] < lo-early || gaps[i] > hi+late {
			return fmt.Sprintf("before attempt %d: %v, our own run waits %v to %v", i+1, gaps[i], lo, hi), true
		}
	}
	return "", false
}

// What is to fail does: waits that are too short or too long, and one request too many.
func TestDiffers(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		policy         string
		gaps           []time.Duration
		differs, timed bool
	}{
		{"", []time.Duration{0, 1000 * ms, 2000 * ms}, false, false},
		{"", []time.Duration{0, 905 * ms, 2350 * ms}, false, false},
		{"", []time.Duration{0, 500 * ms, 2000 * ms}, true, true},
		{"", []time.Duration{0, 1000 * ms, 2500 * ms}, true, true},
		{"", []time.Duration{0, 1000 * ms}, true, false},
		{" timeout=1m", []time.Duration{0, 1000 * ms, 2000 * ms, 1 * ms}, true, true},
	} {
		p := policyOf(t, "attempts=3 base=1s jitter=none attempt-timeout=none"+tt.policy)
		if wrong, isTime := differs(t, &p, "503 x9", "GET", tt.gaps); (wrong != "") != tt.differs || isTime != tt.timed {
			t.Errorf("%v: %q, time %v", tt.gaps, wrong, isTime)
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
				agree(t, &r.Carried, p.script, p.method, func(url string) {
					if out, err := exec.CommandContext(t.Context(), program, id+"/"+p.name, p.method, url).CombinedOutput(); err != nil {
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
