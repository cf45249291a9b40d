package ui

import (
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/trace"
)

// drawNote is what the latest key came to, else what there is to think about.
func (m *Model) drawNote() {
	p := &m.paint
	g := &p.grid
	switch {
	case m.note.text != "":
		text := inSet(append(forms{m.note.text}, m.note.shorter...).in(g.W-2), p.glyphs)
		cutMiddle(g, 1, p.lay.note, g.W-2, m.note.style, trace.Clean(text), p.glyphs.Ellipsis)
	case m.shownDoc().live && len(m.trace().Notes) > 0:
		notes := m.trace().Notes
		all := changeForms(trace.Clean(notes[len(notes)-1].Text))
		end := m.drawLeft(p.lay.note, 0, false, all)
		text := all.in(end - 1)
		// From where it counts says more than the last of what changed.
		at := max(strings.LastIndex(text, ": "), 0)
		x := g.TextCut(1, p.lay.note, max(end-1-TextWidth(text[at:]), 0), Changed, text[:at], p.glyphs.Ellipsis)
		g.TextCut(x, p.lay.note, end-x, Changed, text[at:], p.glyphs.Ellipsis)
	case len(p.warns) == 0 && p.found.n > 0:
		x := m.drawLeft(p.lay.note, 0, true, p.found.text)
		g.Set(1, p.lay.note, p.glyphs.Warn, Warn)
		g.TextCut(3, p.lay.note, x-3, Warn, inSet(p.found.text.in(x-3), p.glyphs), p.glyphs.Ellipsis)
	default:
		m.drawWarns()
	}
}

// noteIsBlank tells whether there is nothing to say below a pane that fills the screen.
func (m *Model) noteIsBlank() bool {
	p := &m.paint
	live := m.shownDoc().live && len(m.trace().Notes) > 0
	return p.lay.costH == 0 && m.note.text == "" && !live && len(p.warns) == 0 && p.found.n == 0
}

// changeForms are what is said of a policy that was changed while it was in force, shorter and shorter.
func changeForms(text string) forms {
	after := strings.Replace(text, ": counts from the decision after ", ": counts after ", 1)
	plain := strings.ReplaceAll(after, " changed ", " ")
	out := forms{text, after, plain}
	at := strings.LastIndex(plain, ": ")
	if at < 0 {
		return out
	}
	if when := strings.LastIndex(plain[:at], " at "); when >= 0 {
		at = when
	}
	knobs := strings.Split(plain[:at], ", ")
	for n := len(knobs) - 1; n > 0; n-- {
		out = append(out, strings.Join(knobs[:n], ", ")+", "+strconv.Itoa(len(knobs)-n)+" more"+plain[at:])
	}
	return out
}

// drawWarns is what there is to think about in a run; at the end of the last line what is left of it, and how many
// findings there are.
func (m *Model) drawWarns() {
	p := &m.paint
	g := &p.grid
	n := min(len(p.warns), p.lay.noteH)
	for i := range n {
		x, y := g.W-1, p.lay.note+i
		if i == n-1 {
			x = m.drawLeft(y, len(p.warns)-n, false, p.warns[i])
		}
		g.Set(1, y, p.glyphs.Warn, Warn)
		g.TextCut(3, y, x-3, Warn, p.warns[i].in(x-3), p.glyphs.Ellipsis)
	}
}

// drawLeft says at the end of a line how many warnings find no room, and how many findings there are besides, each with
// the key that shows them: in full where the line is whole beside it, else in short. shown says that the line is the first
// finding. It returns where the line ends for everything else.
func (m *Model) drawLeft(y, rest int, shown bool, line forms) int {
	p := &m.paint
	long, short := findingKey(p.found.n, shown)
	if rest > 0 {
		more := strconv.Itoa(rest) + " more"
		if long != "" {
			long, short = ", "+long, ", "+short
		}
		long, short = "press 2 z: "+more+long, "2 z: "+more+short
	}
	if long == "" {
		return p.grid.W - 1
	}
	const before = 3 + 2 + 1 // the sign, a gap, and the last column
	if len(line) > 0 && before+TextWidth(line[0])+TextWidth(long) > p.grid.W {
		long = short
	}
	return p.grid.TextRight(p.grid.W-1, y, Dim, long) - 2
}
