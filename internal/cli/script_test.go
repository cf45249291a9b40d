package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts asks the built program what the command line promises. A script may use
//
//	rs CODE ARG…             run the program; its exit code has to be CODE
//	ev NAME[:N] KEY=VALUE…   the Nth event of that name (the first) has these values; KEY may be a.b
//	count NAME N             there are N events of that name
//	waits MS…                the waits, in milliseconds
//	gate N GATE VALUE        what the Nth decision's gate said: true, false or null
//	sound                    the events hang together, and all four checks are true
//	plain FILE…              text alone: no control byte but line breaks and tabs
//	serve SCRIPT [ARG…]      a server with that script; its address is $URL
//	unserve [FILE]           ends it and keeps what it printed
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
				e.Setenv(name, filepath.Join(e.WorkDir, ".home", name))
			}
			e.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("LANG", "C.UTF-8")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"rs": cmdRun, "ev": cmdEvent, "count": cmdCount, "waits": cmdWaits, "gate": cmdGate, "sound": cmdSound,
			"plain": cmdPlain, "serve": cmdServe, "unserve": cmdUnserve,
		},
	})
}

func cmdRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: rs CODE ARG…")
	}
	err := ts.Exec(program, args[1:]...)
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("retryscope: %v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit %d, want %s\n%s", code, args[0], ts.ReadFile("stderr"))
	}
}

// servers are the ones that run, by script.
var servers sync.Map

// event is one line of run --json.
type event map[string]any

func (e event) name() string { return fmt.Sprint(e["event"]) }

// value is the text of a key, which may be a path.
func (e event) value(path string) string {
	var v any = map[string]any(e)
	for key := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return "absent"
		}
		if v, ok = m[key]; !ok {
			return "absent"
		}
	}
	if v == nil {
		return "null"
	}
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func parseEvents(text string) ([]event, error) {
	var out []event
	for line := range strings.Lines(text) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func eventsOf(ts *testscript.TestScript, name string) []event {
	all, err := parseEvents(ts.ReadFile("stdout"))
	ts.Check(err)
	if name == "" {
		return all
	}
	return named(all, name)
}

func named(all []event, name string) []event {
	return slices.DeleteFunc(slices.Clone(all), func(e event) bool { return e.name() != name })
}

// nth finds the event that NAME or NAME:N means.
func nth(ts *testscript.TestScript, spec string) event {
	name, number, ok := strings.Cut(spec, ":")
	n := 1
	if ok {
		var err error
		n, err = strconv.Atoi(number)
		ts.Check(err)
	}
	list := eventsOf(ts, name)
	if n > len(list) {
		ts.Fatalf("there are %d events %s", len(list), name)
	}
	return list[n-1]
}

func cmdEvent(ts *testscript.TestScript, neg bool, args []string) {
	e := nth(ts, args[0])
	for _, pair := range args[1:] {
		key, want, ok := strings.Cut(pair, "=")
		if !ok {
			ts.Fatalf("write KEY=VALUE, not %q", pair)
		}
		if got := e.value(key); got == want == neg {
			ts.Fatalf("%s: %s is %s, want %s (neg %v) in %v", args[0], key, got, want, neg, e)
		}
	}
}

func cmdCount(ts *testscript.TestScript, _ bool, args []string) {
	if got := strconv.Itoa(len(eventsOf(ts, args[0]))); got != args[1] {
		ts.Fatalf("%s events %s, want %s", got, args[0], args[1])
	}
}

func cmdWaits(ts *testscript.TestScript, _ bool, args []string) {
	got := []string{}
	for _, e := range eventsOf(ts, "wait") {
		got = append(got, e.value("wait_ms"))
	}
	if !slices.Equal(got, args) {
		ts.Fatalf("waits %v, want %v", got, args)
	}
}

func cmdGate(ts *testscript.TestScript, _ bool, args []string) {
	for _, g := range nth(ts, "decision:"+args[0])["gates"].([]any) {
		if gate := event(g.(map[string]any)); gate.value("gate") == args[1] {
			if got := gate.value("ok"); got != args[2] {
				ts.Fatalf("gate %s: %s, want %s", args[1], got, args[2])
			}
			return
		}
	}
	ts.Fatalf("no gate %s", args[1])
}

func cmdSound(ts *testscript.TestScript, _ bool, _ []string) {
	if err := soundRun(eventsOf(ts, "")); err != nil {
		ts.Fatalf("%v", err)
	}
}

var gateNames = []string{"cancelled", "generation", "outcome", "idempotent", "replayable", "retryable", "attempts", "budget", "ceiling", "deadline"}

// soundRun checks what holds for the events of every run.
func soundRun(all []event) error {
	switch {
	case len(all) < 2 || all[0].name() != "start":
		return errors.New("it does not begin with start")
	case all[len(all)-1].name() != "done" || len(named(all, "done")) != 1:
		return errors.New("it does not end with the only done")
	case len(named(all, "wait")) != len(named(all, "wait-end")):
		return errors.New("a wait without its end")
	case all[len(all)-1].value("attempts") != strconv.Itoa(len(named(all, "attempt"))):
		return errors.New("done counts other attempts than there are")
	}
	last, due := 0.0, 0.0
	for _, e := range all[1:] {
		t, ok := e["t_ms"].(float64)
		if !ok || t < last {
			return fmt.Errorf("time goes back: %v", e)
		}
		last = t
		switch e.name() {
		case "attempt":
			if t < due-0.0005 { // half a microsecond for the sum of floats
				return fmt.Errorf("before the wait was over: %v", e)
			}
		case "wait":
			due = math.Round((t+e["wait_ms"].(float64))*1e3) / 1e3 // whole microseconds: a sum of floats may be a hair above
		case "decision":
			var names []string
			for _, g := range e["gates"].([]any) {
				names = append(names, event(g.(map[string]any)).value("gate"))
			}
			if !slices.Equal(names, gateNames) {
				return fmt.Errorf("gates %v", names)
			}
		}
	}
	for _, check := range []string{"no_early_retry", "within_limits", "cancel_is_not_failure", "nothing_unreplayable"} {
		if all[len(all)-1].value("checks."+check) != "true" {
			return fmt.Errorf("the check %s failed", check)
		}
	}
	return nil
}

func cmdPlain(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		if err := plainText(ts.ReadFile(name)); err != nil {
			ts.Fatalf("%s: %v", name, err)
		}
	}
}

// plainText tells what could steer a terminal in a text.
func plainText(s string) error {
	for _, r := range s {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar) {
			return fmt.Errorf("%U in %q", r, s)
		}
	}
	return nil
}

// server is a running serve --json.
type server struct {
	cmd  *exec.Cmd
	log  strings.Builder
	done chan struct{}
}

func cmdServe(ts *testscript.TestScript, _ bool, args []string) {
	s := &server{done: make(chan struct{})}
	s.cmd = exec.Command(program, append([]string{"serve", "--json", "--script"}, args...)...)
	out, err := s.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(s.cmd.Start())
	ts.Defer(func() { _ = s.cmd.Process.Kill() })
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	ts.Check(err)
	first, err := parseEvents(line)
	ts.Check(err)
	if first[0].name() != "listening" {
		ts.Fatalf("serve: %s", line)
	}
	s.log.WriteString(line)
	go func() {
		defer close(s.done)
		_, _ = io.Copy(&s.log, r)
	}()
	ts.Setenv("URL", first[0].value("url"))
	servers.Store(ts, s)
}

func cmdUnserve(ts *testscript.TestScript, _ bool, args []string) {
	v, ok := servers.LoadAndDelete(ts)
	if !ok {
		ts.Fatalf("no server is running")
	}
	s := v.(*server)
	ts.Check(s.cmd.Process.Signal(syscall.SIGTERM))
	<-s.done
	var exit *exec.ExitError
	if err := s.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 143 {
		ts.Fatalf("serve ended with %v, want exit 143", err)
	}
	if len(args) > 0 {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(s.log.String()), 0o600))
	}
}
