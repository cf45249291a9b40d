package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/presets"
)

// inBox is what stands between two columns of a frame, line after line.
func inBox(frame string, from, to int) string {
	var b strings.Builder
	for line := range strings.SplitSeq(frame, "\n") {
		if r := []rune(line); len(r) >= from {
			b.WriteString(string(r[from:min(to, len(r))]) + "\n")
		}
	}
	return b.String()
}

func TestPresetsAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, at string }{
		{"", "default"},
		{"curl", "curl"},         // an id
		{"ky", "ky"},             // the id before those that begin with it
		{"POLLY v8", "polly-v8"}, // a name, in any case
		{"cenkalti/backoff v5", "cenkalti-backoff-v5"}, // library and version
		{"papers full", "aws-full"},                    // a group and a name
		{"de", "default"},                              // the one in focus stays where it fits as well as any
		{"j", "aws-js-v3"},                             // j and k and q are letters here
	} {
		m := newScreen(t, 80, 24)
		press(m, "p")
		typeText(m, c.typed)
		wants(t, m, "search", c.typed[max(len(c.typed)-17, 0):], "▸ "+c.at, c.at+"  ")
		if c.typed != "" && c.at != "default" {
			wants(t, m, "  "+c.at+"  ") // in the heading: it is tried out
		}
		press(m, "enter")
		if m.doc.name != c.at {
			t.Errorf("%q leads to %q", c.typed, m.doc.name)
		}
	}
	m := newScreen(t, 80, 24)
	before := screen(t, m)
	press(m, "p")
	typeText(m, "zzz")
	wants(t, m, "no preset of that name")
	press(m, "enter", "down", "tab")
	wants(t, m, "no preset of that name", "default  seed 42")
	press(m, "ctrl+u", "down", "down", "enter", "u")
	wantsNot(t, m, "┌─")
	press(m, "p")
	m.Update(tea.PasteMsg{Content: "got\n"})
	wants(t, m, "▸ got", "JavaScript")
	press(m, "esc")
	wants(t, m, strings.Split(before, "\n")[:8]...)
}

// Every preset is reached with the arrows, below the heading of its group, and paging ends at the last.
func TestPresetsAreGrouped(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}} {
		m := newScreen(t, size[0], size[1])
		press(m, "p")
		group := ""
		for i, p := range presets.All() {
			if i > 0 {
				press(m, "down")
			}
			wants(t, m, "▸ "+p.ID)
			if p.Ecosystem != group {
				group = p.Ecosystem
				wants(t, m, group)
			}
		}
		press(m, "down", "pgdown")
		all := presets.IDs()
		wants(t, m, "▸ "+all[len(all)-1])
		press(m, "home")
		wants(t, m, "▸ default", "│ retryscope  ")
		press(m, "pgdown", "pgup", "pgup")
		wants(t, m, "▸ default")
		press(m, "end")
		wants(t, m, "▸ "+all[len(all)-1])
		for range all {
			press(m, "up")
		}
		wants(t, m, "▸ default", "│ retryscope  ")
	}
}

// What is known of a preset can be read whole at the smallest sizes.
func TestPresetsAreRead(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}} {
		m := newScreen(t, size[0], size[1])
		for _, p := range presets.All() {
			press(m, "p")
			typeText(m, p.ID)
			press(m, "tab")
			wants(t, m, "Presets: "+p.ID)
			var read []string
			for range 60 {
				frame := screen(t, m)
				read = append(read, inBox(frame[strings.Index(frame, "┌─"):], 2, size[0]-2))
				if strings.Contains(frame, "│ the end  ") || !strings.Contains(frame, "↓ more") {
					break
				}
				press(m, "pgdown")
			}
			got := strings.Join(strings.Fields(strings.Join(read, " ")), " ")
			for _, text := range append(p.CannotSay, p.Name, p.Library+" "+p.Version+", "+p.Evidence(), p.Notes, p.Source) {
				for _, line := range wrap(text, size[0]-8) {
					for word := range strings.FieldsSeq(line) {
						if len(word) < size[0]-8 && !strings.Contains(got, word) {
							t.Errorf("%dx%d, %s: no %q", size[0], size[1], p.ID, word)
						}
					}
				}
			}
			press(m, "enter")
			if m.doc.name != p.ID {
				t.Fatalf("%s became %s", p.ID, m.doc.name)
			}
		}
	}
}

// A preset that is only tried out is given up early, so that going through the list stays quick under any script.
func TestPresetsMoveQuickly(t *testing.T) {
	for _, text := range []string{builtInScript, "503", "hang", "429 after=60"} {
		m := newScreen(t, 200, 60, func(o *Options) { o.Script = text })
		press(m, "p")
		for range len(presets.All()) - 1 {
			m.Update(keyOf("down"))
			m.View()
			if n := len(m.run.Attempts); n > tryGiveUp {
				t.Errorf("%s: %d attempts under %s", text, n, m.tried.name)
			}
		}
	}
}
