package ui

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/lint"
)

// read is all that a dialog has to show, paged through to its end, a word after the other.
func readOn(t *testing.T, m *Model) string {
	t.Helper()
	var all []string
	for range 200 {
		frame := screen(t, m)
		all = append(all, inBox(frame[strings.Index(frame, "┌─"):], 2, m.paint.w-2))
		if !strings.Contains(frame, "↓ more") {
			break
		}
		press(m, "pgdown")
	}
	return strings.Join(strings.Fields(strings.Join(all, " ")), " ")
}

// Every format is reached with the arrows; what it cannot carry can be read at the smallest sizes, all of it, and stands
// above what would be saved.
func TestExportIsShown(t *testing.T) {
	t.Parallel()
	p := parsePolicy(t, "attempts=7 jitter=decorrelated timeout=45s spread=1s retry-on=503,decoding")
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}} {
		m := newScreen(t, size[0], size[1], func(o *Options) { o.Policy = p })
		before := screen(t, m)
		press(m, "E")
		for i, f := range export.Formats() {
			if i > 0 {
				press(m, "down")
			}
			r, err := f.Export(p)
			if err != nil {
				t.Fatal(err)
			}
			says := "✓ carries all of it: "
			if n := len(r.Lost); n == 1 {
				says = "! 1 thing is not carried: "
			} else if n > 1 {
				says = fmt.Sprintf("! %d things are not carried: ", n)
			}
			wants(t, m, "▸ "+f.ID, says)
			press(m, "tab")
			got := readOn(t, m)
			for _, lost := range r.Lost {
				for word := range strings.FieldsSeq(lost) {
					if len(word) < size[0]-8 && !strings.Contains(got, word) {
						t.Errorf("%dx%d, %s: no %q of %q", size[0], size[1], f.ID, word, lost)
					}
				}
			}
			if f.Comment != "" && strings.Contains(got, "NOT CARRIED") {
				t.Errorf("%s: what is lost is said twice", f.ID)
			}
			press(m, "tab")
		}
		press(m, "down")
		wants(t, m, "▸ page", "a page for a review")
		press(m, "esc")
		if after := screen(t, m); after != before {
			t.Errorf("esc leaves another screen:\n%s", after)
		}
	}
}

// A long line of code is read by going sideways.
func TestExportGoesSideways(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "E", "down", "down")
	wants(t, m, "▸ go-retryscope", "const Policy =", "…")
	wantsNot(t, m, "methods=idempotent")
	press(m, "tab")
	line := engine.Default()
	text := line.String()
	tail := text[len(text)-20:]
	for range 60 {
		press(m, "right")
	}
	wantsNot(t, m, "attempts=4")
	for range 60 {
		if strings.Contains(screen(t, m), tail) {
			return
		}
		press(m, "left")
	}
	t.Errorf("never %q in\n%s", tail, screen(t, m))
}

// The policy's own line stands there whole, in the list and on the page, broken as the room has it.
func TestExportLineIsWhole(t *testing.T) {
	t.Parallel()
	text := engine.Default().String()
	for _, c := range []struct {
		key, want string
		w, h      int
	}{
		{"E", text, 60, 15},
		{"E", text, 80, 24},
		{"E", text, 120, 40},
		{"P", text, 80, 24},
		{"P", "retryscope run --policy '" + text + "' --draw 1 --script hang", 120, 40},
	} {
		m := newScreen(t, c.w, c.h)
		press(m, c.key, "tab")
		if got := readOn(t, m); !strings.Contains(strings.ReplaceAll(got, " ", ""), strings.ReplaceAll(c.want, " ", "")) {
			t.Errorf("%s at %dx%d: no %q in %q", c.key, c.w, c.h, c.want, got)
		}
	}
}

// What is copied and what is saved is what the format writes, to the byte; a file is replaced only by somebody who said so.
func TestExportIsCopiedAndSaved(t *testing.T) {
	t.Parallel()
	var copied, saved, at string
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Copy = func(text string) (string, error) {
			copied = text
			return "/c", nil
		}
		o.SaveText = func(path, text string, over bool) (string, error) {
			switch {
			case path == "full":
				return "", errTest
			case path == "there.go" && !over:
				return "", fmt.Errorf("/home/there.go: %w", fs.ErrExist)
			}
			saved, at = text, path
			return "/home/" + path, nil
		}
	})
	f, _ := export.Get("go-std")
	want, err := f.Export(m.doc.policy)
	if err != nil {
		t.Fatal(err)
	}
	press(m, "E", "down", "down", "down")
	settle(m, press(m, "y"))
	wants(t, m, "go-std: copied to the clipboard (if the terminal allows) and to /c")
	wantsNot(t, m, "┌─")
	if copied != want.Text {
		t.Errorf("copied %q", copied)
	}
	press(m, "E", "down", "down", "down", "w")
	wants(t, m, "Save: "+f.Name, "path "+f.File, "enter saves  esc back to the list")
	press(m, "esc")
	wants(t, m, "▸ go-std") // back in the list
	press(m, "enter", "ctrl+u")
	settle(m, press(m, "enter"))
	wants(t, m, "a name is needed")
	typeText(m, "full")
	settle(m, press(m, "enter"))
	wants(t, m, "the disk is full", "path full")
	press(m, "ctrl+u")
	typeText(m, "there.go")
	settle(m, press(m, "enter"))
	wants(t, m, "Replace it?", "/home/there.go")
	press(m, "n")
	if saved != "" {
		t.Fatal("saved after a no")
	}
	settle(m, press(m, "enter"))
	settle(m, press(m, "y"))
	wants(t, m, "saved to /home/there.go")
	wantsNot(t, m, "┌─")
	if saved != want.Text || at != "there.go" {
		t.Errorf("saved at %s: %q", at, saved)
	}
	if len(m.hist.past) != 0 || m.doc.label() != "default" {
		t.Errorf("an export changes %s", m.doc.label())
	}
}

// Without the functions it says so, and nothing is lost.
func TestExportThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Copy = func(string) (string, error) { return "", errTest }
	})
	press(m, "E", "w")
	settle(m, press(m, "enter"))
	wants(t, m, "not possible here", "Save: ")
	press(m, "esc")
	settle(m, press(m, "y"))
	wants(t, m, "sent to the clipboard, but not written: the disk is", "full  ", "▸ line")
	press(m, "down")
	press(m, "tab", "esc")
	wantsNot(t, m, "┌─")
}

// A file that comes to an end after its dialog was left does not touch the one that is open now.
func TestFilesOfADialogThatIsGone(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) {
		o.SaveText = func(path, _ string, over bool) (string, error) {
			if !over {
				return "", fmt.Errorf("%s: %w", path, fs.ErrExist)
			}
			return path, nil
		}
	})
	press(m, "E", "w")
	late := press(m, "enter")
	press(m, "esc", "esc", "e")
	settle(m, late)
	wants(t, m, "┌─ Script")
	wantsNot(t, m, "Replace it?")
}

// The page is the one that explain prints, with what was changed where something was.
func TestPage(t *testing.T) {
	t.Parallel()
	var copied string
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Copy = func(text string) (string, error) {
			copied = text
			return "/f", nil
		}
	})
	press(m, "P")
	wants(t, m, "▸ page", "# Retry policy: default", "a page for a review")
	settle(m, press(m, "y"))
	about := lint.Subject{Name: "default", Policy: engine.Default(), Preset: "default"}
	if want := lint.Page(about, nil, lint.Context{}); copied != want {
		t.Errorf("copied %q", copied)
	}
	press(m, "p")
	typeText(m, "carom")
	press(m, "enter", "g", "right", "P")
	settle(m, press(m, "y"))
	old := lint.Subject{Name: "carom", Policy: m.doc.base, Preset: "carom"}
	about = lint.Subject{Name: "carom attempts=5", Policy: m.doc.policy, Preset: "carom"}
	if want := lint.Page(about, &old, lint.Context{}); copied != want {
		t.Errorf("copied %q, want %q", copied, want)
	}
	press(m, "?")
	typeText(m, "page for a review")
	press(m, "enter", "w")
	wants(t, m, "Save: a page for a review", "path retry-policy.md")
}

// No size breaks a law of a frame with a dialog on top.
func TestDialogsAtEverySize(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"E", "end", "up"}, {"E", "tab", "right", "pgdown"}, {"P"}, {"P", "tab", "end"}, {"E", "w"}, {"I"}} {
		m := newScreen(t, 80, 24, func(o *Options) { o.Policy = parsePolicy(t, "jitter=decorrelated budget=ratio:20%/10") })
		press(m, keys...)
		if keys[0] == "I" {
			typeText(m, "curl --retry 5 --compressed -H 'a: b' https://a.test/")
		}
		for _, w := range []int{0, 1, 20, 59, 60, 73, 74, 79, 80, 103, 104, 120, 200, 300} {
			for _, h := range []int{0, 1, 5, 14, 15, 16, 23, 24, 33, 34, 60, 100} {
				for _, full := range []bool{false, true} {
					m.full = full
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					screen(t, m)
				}
			}
		}
	}
}
