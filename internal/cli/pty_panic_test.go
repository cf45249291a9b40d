//go:build unix

package cli_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/internal/cli"
	"github.com/retryscope/retryscope/sim"
)

// roundTripper is a function as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// readable tells whether a panic can be read once the screen is left.
func (c *console) readable(words ...string) {
	c.t.Helper()
	all := c.written()
	left := all[strings.LastIndex(all, "\x1b[?1049l")+1:]
	for _, w := range words {
		if !strings.Contains(left, w) {
			c.t.Errorf("%q is not in what was written after the screen: %q", w, left)
		}
	}
}

// A panic on the goroutine that sends ends the program; the terminal is restored, and the stack can be read.
func TestPtyEnginePanics(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 100, 30)
	c.startFunc(func(tty *os.File) int {
		return cli.Main(t.Context(), cli.Env{
			Args:  []string{"http://127.0.0.1:1/"},
			Stdin: tty, Stdout: tty, Stderr: tty, Getenv: os.Getenv,
			Transport: roundTripper(func(*http.Request) (*http.Response, error) { panic("the transport broke") }),
		})
	})
	c.see("LIVE", "not sent yet")
	c.keys("S").exits(1)
	c.readable("panic", "the transport broke", "pty_panic_test.go")
}

// The same without a screen: the error is told, and the events are whole.
func TestRunPanics(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	code := cli.Main(t.Context(), cli.Env{
		Args:  []string{"run", "--json", "http://127.0.0.1:1/"},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" },
		Transport: roundTripper(func(*http.Request) (*http.Response, error) { panic("the transport broke") }),
	})
	if code != 1 || !strings.Contains(errs.String(), "the transport broke") || !strings.Contains(errs.String(), "pty_panic_test.go") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	all, err := parseEvents(out.String())
	if err != nil {
		t.Fatal(err)
	}
	if last := all[len(all)-1]; last.value("result") != "failed" {
		t.Errorf("it ends with %v", last)
	}
}

// broken is a model that panics somewhere.
type broken struct{ where string }

func (b broken) panics(where string) {
	if b.where == where {
		panic("broken in " + where)
	}
}

func (b broken) Init() tea.Cmd {
	b.panics("Init")
	if b.where == "start" {
		return b.command
	}
	return nil
}

func (b broken) command() tea.Msg {
	if b.where == "runs" { // what a fleet simulates, in goroutines of its own
		_, err := sim.Runs(context.Background(), sim.DefaultFleet(), 2, sim.Options{Progress: func(float64) { panic("broken in " + b.where) }})
		panic(err)
	}
	panic("broken in " + b.where)
}

func (b broken) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); !ok {
		return b, nil
	}
	b.panics("Update")
	switch b.where {
	case "command", "runs":
		return b, b.command
	case "batch":
		return b, tea.Batch(b.command, func() tea.Msg { return nil })
	case "later":
		b.where = "View"
	}
	return b, nil
}

func (b broken) View() tea.View {
	b.panics("View")
	v := tea.NewView("a model that breaks")
	v.AltScreen = true
	return v
}

func TestPtyModelPanics(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"Init", "View", "start", "Update", "command", "batch", "later", "runs"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, 80, 24)
			c.startFunc(func(tty *os.File) int { return cli.Show(t.Context(), broken{where}, tty, tty, tty) })
			switch where {
			case "Init", "View", "start":
			default:
				c.see("a model that breaks")
				c.keys("k")
			}
			c.exits(1)
			c.readable("panic", "broken in ", "pty_panic_test.go")
		})
	}
}
