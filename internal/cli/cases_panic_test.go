//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/retryscope/retryscope/engine"
)

// faulty is a screen that panics in one of the places where it can.
type faulty struct{ where string }

type goOn struct{}

func boom() { panic("boom") }

func (f faulty) at(where string) {
	if f.where == where {
		boom()
	}
}

func (f faulty) Init() tea.Cmd {
	f.at("Init")
	return func() tea.Msg {
		f.at("the first command")
		return goOn{}
	}
}

func (f faulty) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(goOn); !ok {
		return f, nil
	}
	f.at("Update")
	many := func() tea.Msg {
		f.at("one of many commands")
		return nil
	}
	return f, tea.Batch(many, many)
}

func (f faulty) View() tea.View {
	f.at("View")
	v := tea.NewView("a screen")
	v.AltScreen = true
	return v
}

// output is all that was written to a terminal.
type output struct {
	mu    sync.Mutex
	b     bytes.Buffer
	wrote chan struct{}
}

// Write keeps what is written.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.wrote <- struct{}{}:
	default:
	}
	return o.b.Write(p)
}

// String is what was written so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// TU-06, TU-08: a panic anywhere, also before the first frame, ends the program at once, with the terminal as it was, an
// exit code that is not 0, and a stack that names the place.
func TestCasePanicsRestoreTheTerminal(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"Init", "View", "the first command", "Update", "one of many commands"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			master, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			// Neither end is closed: after a panic the library still reads.
			written := &output{wrote: make(chan struct{}, 1)}
			go func() { _, _ = io.Copy(written, master) }()
			before, err := term.GetState(tty.Fd())
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancelCause(t.Context())
			done := make(chan error, 1)
			from := time.Now()
			go func() {
				done <- show(ctx, newGuard(faulty{where}, stop, 0), &keyboard{tty, stop}, tty, colorprofile.TrueColor)
			}()
			select {
			case err = <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("it hangs")
			}
			if d := time.Since(from); d > 5*time.Second {
				t.Errorf("it took %v to end", d)
			}
			stop(nil)
			after, serr := term.GetState(tty.Fd())
			if serr != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("the modes of the terminal are other ones: %+v, before %+v, %v", after, before, serr)
			}
			const end = "<the end>"
			if _, err := tty.WriteString(end); err != nil {
				t.Fatal(err)
			}
			for !strings.Contains(written.String(), end) {
				<-written.wrote
			}
			var panicked *engine.PanicError
			if !errors.As(err, &panicked) {
				t.Fatalf("it ended with %v", err)
			}
			var said strings.Builder
			if code := exitCode(&said, err); code != ExitFailed || !strings.Contains(said.String(), "boom") || !strings.Contains(said.String(), "cases_panic_test.go") {
				t.Errorf("exit %d, saying %q", code, said.String())
			}
			for _, pair := range [][2]string{{"\x1b[?1049h", "\x1b[?1049l"}, {"\x1b[?25l", "\x1b[?25h"}, {"\x1b[?2004h", "\x1b[?2004l"}} {
				all := written.String()
				if i := strings.LastIndex(all, pair[0]); i >= 0 && !strings.Contains(all[i:], pair[1]) {
					t.Errorf("%q was not taken back: %q", pair[0], all)
				}
			}
			if strings.Contains(written.String(), "goroutine ") {
				t.Errorf("a stack is on the screen: %q", written.String())
			}
		})
	}
}
