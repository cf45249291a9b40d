package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

const builtInScript = "503 latency=120ms, 429 after=2 latency=90ms, reset latency=40ms, 200 latency=80ms"

var errTest = errors.New("the disk is full")

// newScreen is a screen of the built-in script with a fixed seed, in w by h cells.
func newScreen(t testing.TB, w, h int, change ...func(*Options)) *Model {
	t.Helper()
	o := Options{
		Script: builtInScript, Policy: engine.Default(), PolicyName: "default", Base: engine.Default(), Seed: 42, Draw: -1,
		CancelAt: never, SignOutAt: never, Theme: ThemeDark, Profile: ProfileTrue,
	}
	for _, c := range change {
		c(&o)
	}
	m, ok := New(o).(*Model)
	if !ok {
		t.Fatal("New gives another model")
	}
	m.Init()
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}

// keyOf is the message of a key by its name: "x", "G", "ctrl+r", "shift+tab", "up".
func keyOf(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "enter": tea.KeyEnter, "esc": tea.KeyEscape,
		"tab": tea.KeyTab, "space": tea.KeySpace, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	}
	k := tea.Key{}
	rest := name
	for {
		mod, after, ok := strings.Cut(rest, "+")
		if !ok || after == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "shift":
			k.Mod |= tea.ModShift
		case "alt":
			k.Mod |= tea.ModAlt
		}
		rest = after
	}
	if code, ok := special[rest]; ok {
		k.Code = code
		if rest == "space" {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	r := []rune(rest)
	k.Code = r[0]
	if k.Mod == 0 {
		k.Text = rest
		if lower := []rune(strings.ToLower(rest)); lower[0] != r[0] {
			k.Code, k.Mod = lower[0], tea.ModShift
		}
	}
	return tea.KeyPressMsg(k)
}

// press sends keys one after the other and gives the command of the last.
func press(m *Model, keys ...string) tea.Cmd {
	var cmd tea.Cmd
	for _, k := range keys {
		_, cmd = m.Update(keyOf(k))
	}
	return cmd
}

// typeText sends a text key by key.
func typeText(m *Model, text string) {
	for _, r := range text {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// settle runs what a command gives, and what that gives, until there is nothing more.
func settle(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			settle(m, c)
		}
	default:
		_, next := m.Update(msg)
		settle(m, next)
	}
}

// screen is the frame as plain text; it fails where the frame breaks a law.
func screen(t testing.TB, m *Model) string {
	t.Helper()
	frame := m.View().Content
	if err := lawful(frame, m.paint.w, m.paint.h); err != nil {
		t.Fatalf("%v in\n%s", err, m.paint.grid.Plain())
	}
	return m.paint.grid.Plain()
}

// lawful checks a frame: as many lines as the screen, each as wide, and no control byte but those of the styles.
func lawful(frame string, w, h int) error {
	lines := strings.Split(frame, "\n")
	if len(lines) != max(h, 1) {
		return errors.New("the number of lines is not the height")
	}
	for _, line := range lines {
		n := 0
		for i, part := range strings.Split(line, "\x1b[") {
			if i > 0 {
				_, after, ok := strings.Cut(part, "m")
				if !ok {
					return errors.New("an escape sequence that is no style")
				}
				part = after
			}
			for _, r := range part {
				if r < ' ' || r >= 0x7f && r < 0xa0 {
					return errors.New("a control character")
				}
				n++
			}
		}
		if h > 0 && n != max(w, 0) {
			return errors.New("a line is not as wide as the screen")
		}
	}
	return nil
}

// keepScreen compares a frame with a file of testdata, or writes it where UPDATE_PICTURES is set.
func keepScreen(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "screen", name+".txt")
	got += "\n"
	if os.Getenv("UPDATE_PICTURES") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file) //nolint:gosec // a picture of this test
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", name, got, want)
	}
}

func wants(t *testing.T, m *Model, texts ...string) {
	t.Helper()
	got := screen(t, m)
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("no %q in\n%s", text, got)
		}
	}
}

func wantsNot(t *testing.T, m *Model, texts ...string) {
	t.Helper()
	got := screen(t, m)
	for _, text := range texts {
		if strings.Contains(got, text) {
			t.Errorf("%q in\n%s", text, got)
		}
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}, {200, 60}, {20, 5}} {
		m := newScreen(t, size[0], size[1])
		keepScreen(t, sizeText(size[0], size[1]), screen(t, m))
	}
}

// The dialogs and views at the smallest sizes.
func TestDialogScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"request": {"i", "p"}, "classifier": {"c"}, "script": {"e", "x"}, "presets": {"p", "down"}, "list": {"?"}, "type": {"=", "x", "enter"},
		"export": {"E", "end", "up"}, "import": {"I"},
		"why": {"3"}, "answer": {"4"}, "events": {"5"}, "timeline": {"1", "left", "left"},
	} {
		for _, size := range [][2]int{{60, 15}, {80, 24}} {
			m := newScreen(t, size[0], size[1])
			if name == "import" {
				press(m, keys[0])
				typeText(m, "carom attempts=6")
			} else {
				press(m, keys...)
			}
			keepScreen(t, name+"-"+sizeText(size[0], size[1]), screen(t, m))
		}
	}
}

// No size breaks a law, and the thing in focus is always in sight.
func TestEverySize(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 0, 0)
	for _, w := range []int{-1, 0, 1, 2, 3, 10, 20, 59, 60, 61, 79, 80, 81, 109, 110, 119, 120, 200, 300} {
		for _, h := range []int{-1, 0, 1, 2, 5, 14, 15, 16, 23, 24, 25, 33, 34, 35, 60, 100} {
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			for _, full := range []bool{false, true} {
				m.full = full
				for p := range numPanes {
					m.focus = p
					m.paint.stale = true
					screen(t, m)
				}
			}
			m.focus, m.knobs.at = panePolicy, int(knobFirst)
			m.paint.stale = true
			if w >= leastW && h >= leastH {
				wants(t, m, "▸ first")
			} else if w >= 11 && h >= 1 {
				wants(t, m, "needs 60x15")
			}
		}
	}
}
