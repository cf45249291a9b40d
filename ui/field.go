package ui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// field is text somebody types: one line, or many. What is typed into it is never a command.
type field struct {
	text []rune
	at   int // the cursor, 0 to len(text)
	many bool
}

func newField(text string, many bool) field {
	f := field{many: many}
	f.insert(text)
	return f
}

func (f *field) String() string { return string(f.text) }

// cleanPaste is a paste as one edit: the new lines at its end are not meant, those within it are blanks where the field
// has one line, and nothing that is no text is kept.
func cleanPaste(s string, many bool) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(s)
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i := range lines {
		lines[i] = withoutControls(lines[i])
	}
	if many {
		return strings.Join(lines, "\n")
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}

// withoutControls is a text without the control sequences and characters in it: nobody meant to type them. A sequence that
// does not end loses its beginning only.
func withoutControls(s string) string {
	var b strings.Builder
	for s != "" {
		seq, width, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
		switch last := len(seq) - 1; {
		case n <= 0:
			return b.String()
		case width > 0 || last > 0 && seq[0] != ansi.ESC && seq[0] >= ' ':
			b.WriteString(seq)
		case last > 0 && seq[last] < '@' && seq[last] != ansi.BEL:
			n = 1 // it has no end
		}
		s = s[n:]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, b.String())
}

// insert puts text at the cursor.
func (f *field) insert(s string) {
	in := make([]rune, 0, len(s))
	for _, r := range s {
		if unicode.IsPrint(r) || f.many && r == '\n' {
			in = append(in, r)
		}
	}
	f.text = slices.Insert(f.text, f.at, in...)
	f.at += len(in)
}

// paste puts a cleaned paste at the cursor.
func (f *field) paste(s string) { f.insert(cleanPaste(s, f.many)) }

// key edits, and tells whether the key was one of an editor.
func (f *field) key(k tea.KeyPressMsg) bool {
	if f.move(k.Keystroke()) {
		return true
	}
	switch k.Keystroke() {
	case "backspace", "shift+backspace":
		f.cut(max(f.at-1, 0), f.at)
	case "delete", "ctrl+d":
		f.cut(f.at, min(f.at+1, len(f.text)))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		f.cut(f.wordLeft(), f.at)
	case "ctrl+u":
		f.cut(f.lineStart(), f.at)
	case "ctrl+k":
		f.cut(f.at, f.lineEnd())
	default:
		if k.Text == "" || k.Mod.Contains(tea.ModCtrl) || k.Mod.Contains(tea.ModAlt) {
			return false
		}
		f.insert(k.Text)
	}
	return true
}

// move moves the cursor.
func (f *field) move(key string) bool {
	switch key {
	case "left", "ctrl+b":
		f.at = max(f.at-1, 0)
	case "right", "ctrl+f":
		f.at = min(f.at+1, len(f.text))
	case "home", "ctrl+a":
		f.at = f.lineStart()
	case "end", "ctrl+e":
		f.at = f.lineEnd()
	case "ctrl+left", "alt+left", "alt+b":
		f.at = f.wordLeft()
	case "ctrl+right", "alt+right", "alt+f":
		f.at = f.wordRight()
	case "up", "down":
		if !f.many {
			return false
		}
		f.vertical(key == "down")
	default:
		return false
	}
	return true
}

func (f *field) cut(from, to int) {
	f.text = slices.Delete(f.text, from, to)
	f.at = from
}

func (f *field) lineStart() int {
	i := f.at
	for i > 0 && f.text[i-1] != '\n' {
		i--
	}
	return i
}

func (f *field) lineEnd() int {
	i := f.at
	for i < len(f.text) && f.text[i] != '\n' {
		i++
	}
	return i
}

func (f *field) wordLeft() int {
	i := f.at
	for i > 0 && !wordRune(f.text[i-1]) {
		i--
	}
	for i > 0 && wordRune(f.text[i-1]) {
		i--
	}
	return i
}

func (f *field) wordRight() int {
	i := f.at
	for i < len(f.text) && !wordRune(f.text[i]) {
		i++
	}
	for i < len(f.text) && wordRune(f.text[i]) {
		i++
	}
	return i
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// vertical moves a line up or down in the same column, or to the edge of the text.
func (f *field) vertical(down bool) {
	start := f.lineStart()
	col := f.at - start
	if down {
		f.at = f.lineEnd()
		if f.at < len(f.text) {
			f.at++
			f.at = min(f.at+col, f.lineEnd())
		}
		return
	}
	f.at = start
	if start > 0 {
		f.at = start - 1
		f.at = min(f.lineStart()+col, f.at)
	}
}

// window is what of one line shows in width cells: the part around the cursor.
func (f *field) window(width int) (text string, cursor int) {
	if width < 1 {
		return "", 0
	}
	from := max(f.at-width+1, 0)
	to := min(from+width, len(f.text))
	return string(f.text[from:to]), f.at - from
}
