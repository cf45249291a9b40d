package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/trace"
)

// painter keeps what is drawn with, and what was made of the run to be drawn: it is made again only when the run or the
// policy changed, not at every frame.
type painter struct {
	w, h   int
	stale  bool // the frame no longer shows the model
	frame  string
	cur    place
	grid   Grid
	lay    layout
	theme  *Theme
	glyphs *Glyphs
	line   TimelineLayout

	want     wanted // what the panes of a trace under so many attempts have to show
	trace    *trace.Trace
	attempts int

	made  bool
	knobs []knobRow
	cost  Cost
	costs costLines
	costW int
	// events are made only where they show: there may be tens of thousands.
	events   []eventRow
	eventsOf *trace.Trace // what they were made of
	warns    []forms
	found    foundLine // what lint finds
	source   string
	short    string

	foot    []footPiece
	footKey footKey

	whyKey     whyKey
	why        whyText
	answer     []string
	wrapped    []string // the answer in lines of wrappedW
	wrappedW   int
	whyRows    int
	answerRows int
	eventRows  int
}

// whyKey is what the why and answer panes depend on besides the run.
type whyKey struct {
	attempt int
	state   attemptState
	ok      bool
}

// attemptState is how far an attempt has come at the cursor.
type attemptState uint8

const (
	stateAhead attemptState = iota
	stateOpen
	stateEnded
)

// forget drops what was made of the run.
func (p *painter) forget() {
	p.made = false
	p.whyKey.ok = false
	p.stale = true
}

// setTheme makes the theme and the signs of the look.
func (m *Model) setTheme() {
	m.paint.theme = NewTheme(m.look.theme, m.look.light, m.opts.Profile)
	m.paint.glyphs = Unicode()
	if m.look.ascii {
		m.paint.glyphs = ASCII()
	}
	m.paint.forget()
}

// layout is that of the size and the focus.
func (m *Model) layout() layout {
	if m.stage != stageCall {
		return m.stageLayout()
	}
	return layoutFor(m.paint.w, m.paint.h, m.focus, m.full, m.wants())
}

// wants is what the panes of the run that is kept have to show: they stand still while something is tried out.
func (m *Model) wants() wanted {
	p := &m.paint
	if m.trying || p.trace == m.trace() && p.attempts == m.doc.policy.Attempts {
		return p.want
	}
	t := m.trace()
	p.trace, p.attempts = t, m.doc.policy.Attempts
	made, rows := 0, len(t.Attempts)
	if a := t.Last(); a != nil {
		made = a.N
	}
	if ahead := p.attempts - made; ahead > 0 {
		rows += min(ahead, mostAhead)
	}
	const around = 3 // the axis, a blank, and the crowd below
	p.want = wanted{line: rows + around, events: 2 + len(t.Notes)}
	for i := range t.Attempts {
		p.want.events += 3
		if t.Attempts[i].Wait.Begun {
			p.want.events += 2
		}
	}
	return p.want
}

// prepare makes what the frame needs from the run.
func (m *Model) prepare() {
	p := &m.paint
	d := m.shownDoc()
	if !p.made {
		p.made = true
		p.knobs = knobRows(&d.policy, &d.base, &d.request, trace.RedactURL(d.request.URL))
		if p.glyphs.ASCII {
			for i := range p.knobs {
				p.knobs[i].value = inSet(p.knobs[i].value, p.glyphs)
			}
		}
		p.cost = CostOf(&d.policy, safetyOf(&d.policy, &d.request), bodyOf(&d.request))
		p.costW = -1
		p.warns = m.warnings(d)
		p.found = findingNote(findings(d))
		p.source, p.short = sourceText(d), shortSource(d)
	}
	if t := m.trace(); t != p.eventsOf && p.lay.panes[paneEvents].W > 0 {
		p.eventsOf, p.events = t, eventRows(t)
	}
	n := m.chosen()
	now, atEnd := m.now()
	key := whyKey{attempt: n, state: stateEnded, ok: true}
	switch a := m.trace().Attempt(n); {
	case a == nil || !atEnd && a.Start > now:
		key.state = stateAhead
	case !a.Ended || !atEnd && a.End > now:
		key.state = stateOpen
	}
	if key != p.whyKey {
		p.whyKey = key
		p.why = whyOf(m.trace(), &d.policy, n, now, atEnd, p.glyphs)
		p.answer = answerLines(m.trace(), n, now, atEnd)
		p.wrappedW = -1
	}
}

// View is the frame. It is drawn only when something changed since the last.
func (m *Model) View() tea.View {
	p := &m.paint
	if p.stale || p.grid.W != max(p.w, 0) || p.grid.H != max(p.h, 0) {
		p.stale = false
		m.draw()
		p.frame = p.grid.String(p.theme)
	}
	v := tea.NewView(p.frame)
	v.AltScreen = true
	if m.look.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if p.cur.shown {
		v.Cursor = tea.NewCursor(p.cur.x, p.cur.y)
	}
	return v
}

// draw draws the whole frame into the grid.
func (m *Model) draw() {
	p := &m.paint
	p.grid.Reset(p.w, p.h)
	p.cur = place{}
	p.lay = m.layout()
	if p.lay.small {
		m.drawSmall()
		return
	}
	if m.stage != stageCall {
		m.drawStage()
		return
	}
	m.prepare()
	if p.lay.single && m.noteIsBlank() {
		r := &p.lay.panes[m.focus]
		r.H = p.lay.foot - r.Y // nothing stands below the pane
	}
	m.drawHeader()
	m.drawRules()
	m.drawTimeline()
	m.drawResult()
	m.drawPanes()
	m.drawCosts()
	m.drawNote()
	m.drawFoot()
	m.drawDialog()
}

// drawSmall names the size that is needed.
func (m *Model) drawSmall() {
	g := &m.paint.grid
	text := ""
	for _, text = range []string{"retryscope needs 60x15, this is " + sizeText(g.W, g.H), "needs 60x15", "60x15"} {
		if TextWidth(text) <= g.W {
			break
		}
	}
	g.TextCut(0, g.H/2, g.W, Plain, text, "")
}

func (m *Model) drawPanes() {
	p := &m.paint
	now, atEnd := m.now()
	if r := p.lay.panes[panePolicy]; r.W > 0 {
		g := p.grid.sub(r.X, r.Y, r.W, r.H)
		m.knobs.draw(&g, p.knobs, p.glyphs, m.focus == panePolicy)
	}
	if r := p.lay.panes[paneWhy]; r.W > 0 {
		g := p.grid.sub(r.X, r.Y, r.W, r.H)
		m.why.keep(p.whyRows, r.H)
		p.whyRows = drawWhy(&g, &p.why, m.why.top, p.glyphs)
		m.drawMore(&g, m.why.top, p.whyRows)
	}
	if r := p.lay.panes[paneAnswer]; r.W > 0 {
		g := p.grid.sub(r.X, r.Y, r.W, r.H)
		if p.wrappedW != g.W-2 {
			p.wrappedW = g.W - 2
			p.wrapped = wrapAll(p.answer, p.wrappedW)
		}
		p.answerRows = len(p.wrapped)
		m.answers.keep(p.answerRows, r.H)
		for y := 0; y < g.H && m.answers.top+y < len(p.wrapped); y++ {
			g.Text(1, y, Plain, p.wrapped[m.answers.top+y])
		}
		m.drawMore(&g, m.answers.top, p.answerRows)
	}
	if r := p.lay.panes[paneEvents]; r.W > 0 {
		g := p.grid.sub(r.X, r.Y, r.W, r.H)
		p.eventRows = len(p.events)
		top := m.eventTop(r.H, now, atEnd)
		t := m.trace()
		drawEvents(&g, p.events, top, now, atEnd, t.Head.Wall, t.Head.Live, p.glyphs)
		m.drawMore(&g, top, p.eventRows)
	}
}

// eventTop is the first event that shows.
func (m *Model) eventTop(rows int, now time.Duration, atEnd bool) int {
	if m.log.free {
		m.log.keep(m.paint.eventRows, rows)
		return m.log.top
	}
	last := len(m.paint.events)
	for !atEnd && last > 0 && m.paint.events[last-1].at > now {
		last--
	}
	m.log.top = max(last-rows, 0)
	return m.log.top
}

// drawMore shows that a text goes on above or below.
func (m *Model) drawMore(g *Grid, top, n int) {
	if top > 0 {
		g.Set(g.W-1, 0, m.paint.glyphs.MoreUp, Dim)
	}
	if top+g.H < n {
		g.Set(g.W-1, g.H-1, m.paint.glyphs.MoreDown, Dim)
	}
}
