package k6

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/internal/prove"
)

// tries is how often a run may be disturbed by a busy machine.
const tries = 5

// Scripts for k6 make the attempts that our own run of the policy makes, and their gaps lie in its windows.
func TestK6(t *testing.T) {
	k6, serve := programs(t)
	f, _ := export.Get("k6")
	for _, c := range slices.Concat(prove.GoStd(), prove.More()) {
		p, err := engine.ParsePolicy(c.Policy, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Export(p)
		if err != nil {
			t.Fatal(err)
		}
		j := &prove.Job{Name: c.Name, Policy: r.Carried, Script: c.Script, Method: c.Method}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), f.File)
			if err := os.WriteFile(file, []byte(r.Text), 0o600); err != nil {
				t.Fatal(err)
			}
			for try := 1; ; try++ {
				j.Saw(watched(t, k6, serve, file, &c))
				wrong, isTime, err := prove.Differs(j)
				if err != nil {
					t.Fatal(err)
				}
				if wrong == "" {
					return
				}
				if !isTime || try == tries {
					t.Fatalf("%s\ncarried: %s\n%s", wrong, &j.Policy, r.Text)
				}
				t.Logf("disturbed? %s", wrong)
			}
		})
	}
}

// programs builds both, or takes them from where the go command keeps what it built.
func programs(t *testing.T) (k6, serve string) {
	t.Helper()
	serve = filepath.Join(t.TempDir(), "retryscope")
	goCommand(t, "build", "-C", "../../..", "-buildvcs=false", "-o", serve, ".")
	return goCommand(t, "tool", "-n", "k6"), serve
}

func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", args[0], err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// event is a line of what serve prints.
type event struct {
	Event string  `json:"event"`
	URL   string  `json:"url"`
	GapMS float64 `json:"gap_ms"`
}

// watched runs a script of k6 once, against a server that plays the case's, and gives the gaps the server saw.
func watched(t *testing.T, k6, serve, file string, c *prove.Case) []time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := exec.CommandContext(ctx, serve, "serve", "--json", "--script", c.Script)
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	hello, err := read(lines)
	if err != nil || hello.URL == "" {
		t.Fatalf("serve says %+v, %v", hello, err)
	}
	client := exec.CommandContext(ctx, k6, "run", "--quiet", "--address", "", "--no-usage-report", "-e", "URL="+hello.URL, "-e", "METHOD="+c.Method, file)
	client.Env = append(os.Environ(), "HOME="+filepath.Dir(file), "NO_COLOR=1")
	if said, err := client.CombinedOutput(); err != nil || strings.Contains(string(said), "level=error") {
		t.Fatalf("k6: %v\n%s", err, said)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var gaps []time.Duration
	for {
		e, err := read(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Event == "request" {
			gaps = append(gaps, time.Duration(e.GapMS*float64(time.Millisecond)))
		}
	}
	if err := server.Wait(); err != nil {
		t.Logf("serve: %v", err)
	}
	return gaps
}

func read(lines *bufio.Scanner) (e event, err error) {
	if !lines.Scan() {
		if err := lines.Err(); err != nil {
			return e, fmt.Errorf("reading what serve says: %w", err)
		}
		return e, io.EOF
	}
	err = json.Unmarshal(lines.Bytes(), &e)
	return e, err
}
