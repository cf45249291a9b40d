package ui

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
)

// terminal is an emulator that a program writes to.
type terminal struct {
	mu sync.Mutex
	vt *vt.Emulator
}

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// A terminal that is not in raw mode brings the cursor back at a line break.
	if _, err := t.vt.Write(bytes.ReplaceAll(bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// text is what stands on the screen, without the blanks at the ends of lines.
func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for y := range t.vt.Height() {
		var line strings.Builder
		for x := range t.vt.Width() {
			if c := t.vt.CellAt(x, y); c != nil && c.Content != "" {
				line.WriteString(c.Content)
			} else {
				line.WriteByte(' ')
			}
		}
		if y > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
	}
	return b.String()
}

func (t *terminal) resize(w, h int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.vt.Resize(w, h)
}

// What the library's diffs leave on a terminal is the frame, whatever was there before: through keys, dialogs, playing
// and sizes, back to a shell as it was.
func TestOnATerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term := &terminal{vt: vt.NewEmulator(80, 24)}
		if _, err := term.Write([]byte("$ retryscope\n")); err != nil {
			t.Fatal(err)
		}
		m := newScreen(t, 80, 24)
		p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(term), tea.WithoutSignalHandler(), tea.WithFPS(30),
			tea.WithWindowSize(80, 24), tea.WithContext(t.Context()), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		done := make(chan error, 1)
		go func() {
			_, err := p.Run()
			done <- err
		}()
		settle := func(what string) {
			t.Helper()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if got, want := term.text(), m.paint.grid.Plain(); got != want {
				t.Fatalf("%s: on the terminal stands\n%s\nand not\n%s", what, got, want)
			}
		}
		settle("at the start")
		for _, keys := range []string{"right", "down right", "p down", "down", "enter", "u", "i p", "enter", "x", "u u", "? t h e m e enter", "space", "E down down", "tab right pgdown", "tab w esc esc", "P", "esc", "I c u r l", "esc", "1 left left", "z", "z", "x"} {
			for key := range strings.FieldsSeq(keys) {
				p.Send(keyOf(key))
			}
			settle(keys)
		}
		for _, size := range [][2]int{{79, 24}, {80, 24}, {60, 15}, {20, 5}, {1, 1}, {120, 40}, {200, 60}, {80, 24}} {
			term.resize(size[0], size[1])
			p.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			settle(sizeText(size[0], size[1]))
		}
		p.Send(keyOf("q"))
		if err := <-done; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second) // longer than the last tick
		if term.vt.IsAltScreen() || term.vt.CursorHidden() || !strings.HasPrefix(term.text(), "$") {
			t.Errorf("the terminal is not as it was:\n%s", term.text())
		}
	})
}
