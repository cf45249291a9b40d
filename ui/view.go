package ui

import (
	"strconv"

	"github.com/retryscope/retryscope/trace"
)

func sizeText(w, h int) string { return strconv.Itoa(w) + "x" + strconv.Itoa(h) }

// replaying tells whether the cursor is in a live run that is over.
func (m *Model) replaying() bool {
	return m.shownDoc().live && !m.live.running && m.live.trace != nil && !m.cursor.atEnd
}

// cutMiddle writes a text in w cells; of one that is longer the middle is left out, for its end says as much.
func cutMiddle(g *Grid, x, y, w int, s Style, text, ellipsis string) {
	n := TextWidth(text)
	if n <= w {
		g.Text(x, y, s, text)
		return
	}
	keep := w - TextWidth(ellipsis)
	if keep < 4 {
		g.TextCut(x, y, w, s, text, "")
		return
	}
	tail := keep / 3
	v := g.sub(x, y, w, 1)
	v.Text(0, 0, s, text)
	v.Fill(keep-tail, 0, w-keep+tail, ' ', s)
	at := v.Text(keep-tail, 0, s, ellipsis)
	v.Text(at, 0, s, lastCells(text, tail))
}

func lastCells(text string, n int) string {
	r := []rune(trace.Clean(text))
	return string(r[max(len(r)-n, 0):])
}

// drawRules draws the lines between the panes, and their headings.
func (m *Model) drawRules() {
	p := &m.paint
	g, gl := &p.grid, p.glyphs
	for _, y := range p.lay.rules {
		g.Fill(0, y, g.W, gl.H, Rule)
	}
	for _, x := range p.lay.cols {
		from, to := p.lay.rules[1], p.lay.rules[2]
		for y := from + 1; y < to; y++ {
			g.Set(x, y, gl.V, Rule)
		}
		g.Set(x, from, gl.TeeDown, Rule)
		g.Set(x, to, gl.TeeUp, Rule)
	}
	if p.lay.single {
		m.drawTabs()
		return
	}
	for q := range numPanes {
		if r := p.lay.panes[q]; r.W > 0 {
			m.drawHead(q, r)
		}
	}
}

func (m *Model) drawHead(q pane, r Rect) {
	p := &m.paint
	style := Title
	if q == m.focus {
		style = TitleOn
	}
	text := q.title()
	switch q {
	case paneWhy:
		text += ": " + p.why.head
	case paneAnswer:
		text += " " + strconv.Itoa(p.whyKey.attempt)
	case paneTimeline, panePolicy, paneEvents, numPanes:
	}
	g := p.grid.sub(r.X, r.Y-1, r.W, 1)
	g.TextCut(2, 0, g.W-4, style, " "+strconv.Itoa(int(q)+1)+" "+text+" ", p.glyphs.Ellipsis)
	if q == m.focus {
		g.Set(1, 0, p.glyphs.Pointer, style) // a sign as well as a color
	}
	if q == paneEvents && m.log.free {
		g.TextRight(g.W-2, 0, Title, " end follows ")
	}
}

// drawTabs is the heading where one pane shows at a time: all of them by their digits.
func (m *Model) drawTabs() {
	p := &m.paint
	g := &p.grid
	room := g.W - 4
	if m.focus == paneTimeline {
		room -= scaleRoom
	}
	for _, short := range []bool{false, true} {
		x := 2
		for q := range numPanes {
			x += TextWidth(m.tab(q, short)) + 1
		}
		if x > room && !short {
			continue
		}
		x = 2
		for q := range numPanes {
			style := Title
			if q == m.focus {
				style = TitleOn
				g.Set(x-1, p.lay.rules[0], p.glyphs.Pointer, style)
			}
			x = g.Text(x, p.lay.rules[0], style, m.tab(q, short)) + 1
		}
		return
	}
}

// scaleRoom is what the name of the scale needs at the end of the timeline's heading.
const scaleRoom = 16

// tab is a pane in the heading; short is only its digit, but for the one in focus.
func (m *Model) tab(q pane, short bool) string {
	text := " " + strconv.Itoa(int(q)+1)
	switch {
	case q == paneWhy && q == m.focus:
		text += " Why: " + m.paint.why.head
	case q == m.focus || !short:
		text += " " + q.title()
	}
	return text + " "
}

// lineInput is what the timeline and the result line are drawn from.
func (m *Model) lineInput() TimelineInput {
	now, atEnd := m.now()
	d := m.shownDoc()
	return TimelineInput{
		Trace: m.trace(), Policy: *inWaits(&d.policy), Now: now, AtEnd: atEnd, Live: d.live && m.live.running,
		Selected: m.chosen(), Focused: m.focus == paneTimeline, Scroll: m.line.scroll,
		Scale: m.line.scale, Zoom: m.line.zoom, From: m.line.from, Glyphs: m.paint.glyphs,
	}
}

func (m *Model) drawTimeline() {
	p := &m.paint
	r := p.lay.panes[paneTimeline]
	if r.W == 0 {
		return
	}
	in := m.lineInput()
	kept := 0
	if !m.shownDoc().live && m.crowd.result != nil {
		kept = crowdRows(r.H, p.lay.single)
	}
	g := p.grid.sub(r.X, r.Y, r.W, r.H-kept)
	p.line = DrawTimeline(&g, &in)
	m.line.scroll = p.line.First
	m.drawCrowd(r, kept)
	name := " " + p.line.Name + " "
	head := p.grid.sub(r.X, r.Y-1, r.W, 1)
	head.TextRight(head.W-2, 0, Title, name)
}

func (m *Model) drawResult() {
	p := &m.paint
	in := m.lineInput()
	res := ResultLine(&in)
	w := p.grid.W - 2
	if m.live.running {
		const stops = "x stops it"
		p.grid.TextRight(p.grid.W-1, 1, Dim, stops)
		w -= len(stops) + 2
	} else if d := m.shownDoc(); m.replaying() {
		const what = "replay of what was sent"
		p.grid.TextRight(p.grid.W-1, 1, Dim, what)
		w -= len(what) + 2
	} else if d.live {
		const sends = "S sends"
		p.grid.TextRight(p.grid.W-1, 1, Dim, sends)
		w -= len(sends) + 2
	}
	res.Draw(&p.grid, 1, 1, w, p.glyphs)
}

// drawCosts is what the policy may cost one caller: the own waits, and the worst case.
func (m *Model) drawCosts() {
	p := &m.paint
	if p.lay.costH == 0 {
		return
	}
	one := p.lay.costH == 1
	if p.costW != p.grid.W {
		p.costW = p.grid.W
		p.costs = p.cost.lines(p.grid.W, one, p.glyphs)
	}
	p.costs.draw(&p.grid, p.lay.cost, one, p.glyphs)
}

// drawFoot offers the keys of the pane in focus; the list and quit always. A dialog has keys of its own.
func (m *Model) drawFoot() {
	p := &m.paint
	if m.dialog() != nil {
		return
	}
	key := footKey{m.focus, m.doc.live, m.live.running, m.live.trace != nil, p.glyphs.ASCII, p.grid.W}
	if p.footKey != key || len(p.foot) == 0 {
		p.footKey = key
		p.foot = m.footOf(p.foot[:0], key)
	}
	x := 1
	for _, f := range p.foot {
		x = p.grid.Text(x, p.lay.foot, Key, f.keys)
		x = p.grid.Text(x+1, p.lay.foot, Dim, f.word) + 2
	}
}

// footKey is what the foot line depends on.
type footKey struct {
	focus                      pane
	live, running, sent, ascii bool
	w                          int
}

// footPiece is one offer of the foot line.
type footPiece struct{ keys, word string }

func (f *footPiece) width() int { return TextWidth(f.keys) + 1 + TextWidth(f.word) }

// footOf takes the hints of the pane in focus.
func (m *Model) footOf(out []footPiece, k footKey) []footPiece {
	return m.fitHints(out, hints(k.focus, &k), k.w)
}

// fitHints takes the hints that find room, the most important first.
func (m *Model) fitHints(out []footPiece, of []hint, w int) []footPiece {
	piece := func(h hint) footPiece { return footPiece{m.hintKeys(h, m.paint.glyphs), h.word} }
	tail := []footPiece{piece(hint{"list", "keys"}), piece(hint{"quit", "quit"})}
	room := w - 2
	for i := range tail {
		room -= tail[i].width() + 2
	}
	for _, h := range of {
		if f := piece(h); f.width() <= room {
			out = append(out, f)
			room -= f.width() + 2
		}
	}
	return append(out, tail...)
}

// drawDialog draws the dialog on top, below the timeline that shows what it tries out.
func (m *Model) drawDialog() {
	d := m.dialog()
	if d == nil {
		return
	}
	p := &m.paint
	r := p.lay.modal
	h := min(max(d.rows(r.W-4)+2, 6), r.H)
	if _, tall := d.(tallDialog); tall {
		r = p.lay.tall
		h = r.H
	} else if h > p.lay.modalLow {
		h = r.H // it would cover half of what is said below
	}
	if p.lay.single && m.stage == stageCall {
		m.drawTriedWaits()
	}
	g := p.grid.sub(r.X, r.Y, r.W, h)
	inner := drawFrame(&g, d, p.glyphs)
	if cur := d.draw(inner, p.glyphs); cur.shown && cur.x < inner.W && cur.y < inner.H {
		p.cur = place{r.X + 2 + cur.x, r.Y + 1 + cur.y, true}
	}
}

// drawTriedWaits draws the own waits above a dialog that covers the timeline: with the result, they show what it tries out.
func (m *Model) drawTriedWaits() {
	p := &m.paint
	g := p.grid.sub(0, p.lay.rules[0], p.grid.W, 1)
	g.Fill(0, 0, g.W, ' ', Plain)
	l := p.cost.lines(g.W, false, p.glyphs)
	l.worst = nil
	l.draw(&g, 0, false, p.glyphs)
}
