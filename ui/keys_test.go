package ui

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// Each command of the table is reached by each of its keys and from the list, and does something that can be seen: the
// frame or the model differs, or there is a command.
func TestEveryCommandDoesSomething(t *testing.T) {
	t.Parallel()
	// A screen on which every command has something to do, and the keys that lead there.
	prepare := func() *Model {
		m := newScreen(t, 80, 24, func(o *Options) {
			o.Copy = func(string) (string, error) { return "/f", nil }
			o.Save = func(string, engine.Policy, bool) (string, error) { return "/f", nil }
			o.Open = func(string) (engine.Policy, error) { return engine.Default(), nil }
		})
		press(m, "right", "right", "u", "j", "j", "j")
		m.View()
		return m
	}
	before := map[string][]string{
		"left": {"g"}, "right": {"g"}, "far-left": {"g"}, "far-right": {"g"}, "put-back": {"x"},
		"next-event": {"1", "g"}, "zoom-out": {"+"}, "fit": {"+"}, "view-policy": {"1"}, "esc": {"z"},
		"type": {"g"},
	}
	unreachable := map[string]bool{"send": true, "replay": true} // live only: in live_test.go
	for i := range commandTable {
		c := &commandTable[i]
		ways := append([]string{""}, c.keys...)
		for _, key := range ways {
			m := prepare()
			press(m, before[c.id]...)
			was := picture(m)
			var cmd tea.Cmd
			if key == "" {
				// From the list: by its own title.
				press(m, "?")
				typeText(m, c.title)
				f, ok := m.dialog().(*finder)
				if !ok || !slices.Contains(f.shown, i) {
					t.Errorf("%s is not found by its title", c.id)
					continue
				}
				f.list.at = slices.Index(f.shown, i)
				cmd = press(m, "enter")
			} else {
				cmd = press(m, key)
			}
			if unreachable[c.id] {
				continue
			}
			if cmd == nil && picture(m) == was {
				t.Errorf("%s by %q does nothing", c.id, key)
			}
		}
	}
}

// picture is what can be seen of a screen, styles included.
func picture(m *Model) string {
	v := m.View()
	return v.Content + m.note.text + strings.Repeat("m", int(v.MouseMode))
}

func TestKeyTable(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	ids := map[string]bool{}
	for i := range commandTable {
		c := &commandTable[i]
		if ids[c.id] || c.title == "" || !strings.HasSuffix(c.about, ".") || c.do == nil {
			t.Errorf("%s is not in order", c.id)
		}
		ids[c.id] = true
		for _, k := range c.keys {
			if was, twice := seen[k]; twice {
				t.Errorf("%s is the key of %s and of %s", k, was, c.id)
			}
			seen[k] = c.id
			if got := keyOf(k).String(); got != k {
				t.Errorf("a terminal calls the key %s of %s %s", k, c.id, got)
			}
		}
	}
	// The keys of the design, each with one meaning.
	for _, k := range strings.Fields("? : / tab shift+tab 1 2 3 4 5 up down left right h j k l H L shift+left shift+right enter = esc " +
		"g G home end space . , < > S x r n e i c p u ctrl+r f y w o E P I A + - 0 z ctrl+c ctrl+z q") {
		if seen[k] == "" {
			t.Errorf("no command has the key %s", k)
		}
	}
	// What the foot line offers is in the table.
	m := newScreen(t, 80, 24)
	for p := range numPanes {
		for _, k := range []footKey{{}, {live: true}, {live: true, sent: true}, {live: true, sent: true, running: true}} {
			for _, h := range hints(p, &k) {
				for id := range strings.FieldsSeq(h.ids) {
					if !ids[id] {
						t.Errorf("the foot line offers %s", id)
					}
				}
				if m.hintKeys(h, Unicode()) == "" {
					t.Errorf("%s has no key", h.ids)
				}
				if h.ids == "replay" && !k.sent {
					t.Error("the foot line offers to replay what was not sent")
				}
			}
		}
	}
}

// Nothing is scheduled while nothing moves, whatever the key.
func TestIdle(t *testing.T) {
	t.Parallel()
	for i := range commandTable {
		c := &commandTable[i]
		for _, k := range c.keys {
			m := newScreen(t, 80, 24)
			press(m, k)
			moves := m.cursor.playing || m.live.running
			if m.cursor.ticking != moves {
				t.Errorf("%s: something moves: %v, a tick is on its way: %v", c.id, moves, m.cursor.ticking)
			}
			if _, cmd := m.Update(tea.WindowSizeMsg{Width: 90, Height: 30}); cmd != nil && !moves {
				t.Errorf("%s: a resize asks for something", c.id)
			}
		}
	}
	m := newScreen(t, 80, 24)
	frame := m.View()
	for _, msg := range []tea.Msg{tea.FocusMsg{}, tea.KeyReleaseMsg{Code: 'q'}, tea.MouseClickMsg{X: 3, Y: 3}, nil} {
		if _, cmd := m.Update(msg); cmd != nil || !reflect.DeepEqual(m.View(), frame) {
			t.Errorf("%T changes something", msg)
		}
	}
}

// In ASCII no rune of a frame is beyond ASCII, but in what somebody else wrote.
func TestASCII(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}} {
		m := newScreen(t, size[0], size[1], func(o *Options) {
			o.ASCII = true
			o.Policy.Timeout, o.Policy.Attempts = 6e9, 6
		})
		for _, keys := range [][]string{{}, {"1", "left"}, {"3"}, {"4"}, {"5"}, {"x"}, {"u", "p"}, {"esc", "i"}, {"esc", "c"}, {"esc", "e"}, {"esc", "?"}, {"esc", "2", "="}, {"esc", "E"}, {"tab"}, {"esc", "P"}, {"tab", "end"}, {"esc", "I"}} {
			press(m, keys...)
			for _, r := range screen(t, m) {
				if r > 0x7e {
					t.Errorf("%q after %v in\n%s", r, keys, m.paint.grid.Plain())
					break
				}
			}
		}
	}
}

// Without styles there is no escape byte.
func TestPlainProfile(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.Profile = ProfilePlain })
	if strings.ContainsRune(m.View().Content, '\x1b') {
		t.Error("an escape byte")
	}
}

func TestThemes(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	run := func(title string) {
		press(m, "/")
		typeText(m, title)
		press(m, "enter")
	}
	before := m.View().Content
	run("theme")
	if m.View().Content == before {
		t.Error("the light theme looks like the dark one")
	}
	run("mouse")
	if m.View().MouseMode == tea.MouseModeNone {
		t.Error("no mouse")
	}
	run("mouse")
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("a mouse")
	}
	m = newScreen(t, 80, 24, func(o *Options) { o.Theme = ThemeAuto })
	before = m.View().Content
	m.Update(tea.BackgroundColorMsg{Color: white{}})
	if m.View().Content == before {
		t.Error("a light terminal changes nothing")
	}
}

type white struct{}

func (white) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }
