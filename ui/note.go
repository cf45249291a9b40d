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
		cutMiddle(g, 1, p.lay.note, g.W-2, m.note.style, trace.Clean(m.note.text), p.glyphs.Ellipsis)
	case m.shownDoc().live && len(m.trace().Notes) > 0:
		notes := m.trace().Notes
		text := trace.Clean(notes[len(notes)-1].Text)
		// From where it counts says more than the last of what changed.
		at := max(strings.LastIndex(text, ": "), 0)
		end := m.drawLeft(p.lay.note, 0, g.W-4-TextWidth(text))
		x := g.TextCut(1, p.lay.note, max(end-1-TextWidth(text[at:]), 0), Changed, text[:at], p.glyphs.Ellipsis)
		g.TextCut(x, p.lay.note, end-x, Changed, text[at:], p.glyphs.Ellipsis)
	case len(p.warns) == 0 && p.found.text != "":
		x := m.drawLeft(p.lay.note, 0, g.W-6-TextWidth(p.found.text))
		g.Set(1, p.lay.note, p.glyphs.Warn, Warn)
		g.TextCut(3, p.lay.note, x-3, Warn, inSet(p.found.text, p.glyphs), p.glyphs.Ellipsis)
	default:
		m.drawWarns()
	}
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
			x = m.drawLeft(y, len(p.warns)-n, g.W-6-TextWidth(p.warns[i]))
		}
		g.Set(1, y, p.glyphs.Warn, Warn)
		g.TextCut(3, y, x-3, Warn, p.warns[i], p.glyphs.Ellipsis)
	}
}

// drawLeft says at the end of a line how many warnings find no room, and how many findings there are besides: in full
// where that takes no more than room cells, else in short. It returns where the line ends for everything else.
func (m *Model) drawLeft(y, rest, room int) int {
	p := &m.paint
	count := strconv.Itoa(rest)
	long, short := "", ""
	switch {
	case rest > 0 && p.found.reads != "":
		long, short = count+" more: press 2 z, "+p.found.reads, count+" more: 2 z, "+p.found.short
	case rest > 0:
		long, short = count+" more: press 2 z", count+" more: 2 z"
	case p.found.reads != "":
		long, short = p.found.reads, p.found.short
	default:
		return p.grid.W - 1
	}
	if TextWidth(long) > room {
		long = short
	}
	return p.grid.TextRight(p.grid.W-1, y, Dim, long) - 2
}
