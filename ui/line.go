package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// linePane is the timeline as a part: which attempt is chosen, and what of the time shows.
type linePane struct {
	sel    int // the chosen attempt; 0 lets the cursor choose
	scroll int
	scale  ScaleKind
	zoom   int
	from   time.Duration
}

const (
	coarseScrub = 10 // columns
	mostZoom    = 16
)

// move chooses attempts up and down and scrubs sideways.
func (l *linePane) move(m motion) intent {
	if by, coarse := m.sideways(); by != 0 {
		return scrub{by, coarse}
	}
	switch m {
	case moveUp:
		return pickNext{-1}
	case moveDown:
		return pickNext{1}
	case movePageUp:
		return pickNext{-coarseScrub}
	case movePageDown:
		return pickNext{coarseScrub}
	case moveFirst:
		return toEdge{}
	case moveLast:
		return toEdge{end: true}
	case moveLeft, moveRight, moveFarLeft, moveFarRight:
	}
	return nil
}

// chosen is the attempt that the other panes speak of: the one that was chosen, else the one whose decision is the
// latest before the cursor. At the end of a success that is the last that was retried: there is more to say of it.
func (m *Model) chosen() int {
	if m.line.sel > 0 {
		return m.line.sel
	}
	t := m.trace()
	now, atEnd := m.now()
	best := 0
	for i := range t.Attempts {
		a := &t.Attempts[i]
		if atEnd || a.Start <= now && (best == 0 || a.Ended && a.End <= now) {
			if atEnd && best > 0 && a.Decided && a.Decision.Verdict == engine.Succeed {
				continue
			}
			best = a.N
		}
	}
	return max(best, 1)
}

// pick chooses an attempt.
func (m *Model) pick(n int) {
	m.line.sel = max(n, 0)
	m.why.top, m.answers.top = 0, 0
	m.paint.stale = true
}

// pickNext chooses the attempt so many rows on, those not made included.
func (m *Model) pickNext(by int) {
	t := m.trace()
	n, made := m.chosen(), 0
	if a := t.Last(); a != nil {
		made = a.N
	}
	last := max(made, min(m.shownDoc().policy.Attempts, made+m.paint.line.Total), 1)
	n = min(max(n+by, 1), last)
	// Of a very long run the middle is not kept.
	for n < made && n > 1 && t.Attempt(n) == nil {
		n += max(min(by, 1), -1)
	}
	m.pick(n)
}

// scrub moves the cursor by columns.
func (m *Model) scrub(s scrub) {
	if m.doc.live && m.live.running {
		m.say("a live run goes on by itself: x stops it")
		return
	}
	t := m.trace()
	by := s.by
	if s.coarse {
		by *= coarseScrub
	}
	c := &m.cursor
	c.playing = false
	m.line.sel = 0
	axis := m.axis()
	at, _ := m.now()
	col := axis.Col(at) + by
	to := axis.Time(max(col, 0))
	switch {
	case col < 0:
		to = max(axis.From-(axis.To()-axis.From)/4, 0)
	case by > 0 && to <= at:
		to = axis.Time(col + 1)
	case by < 0 && to >= at:
		to = axis.Time(max(col-1, 0))
	}
	if by < 0 && to >= at {
		to = at / 2
	}
	c.seek(to, t)
	if by < 0 && c.at < endOf(t) {
		c.atEnd = false
	}
	m.follow()
}

// toEdge moves the cursor to the start or the end of the run.
func (m *Model) toEdge(end bool) {
	t := m.trace()
	m.line.sel = 0
	m.cursor.playing = false
	if end {
		m.cursor.seek(endOf(t), t)
	} else {
		m.cursor.toStart(t)
	}
	m.follow()
}

// axis is that of the frame last drawn, else of one drawn now.
func (m *Model) axis() *Axis {
	if m.paint.line.Axis.W == 0 {
		m.View()
	}
	return &m.paint.line.Axis
}

// follow keeps the cursor in sight of a timeline that is zoomed in.
func (m *Model) follow() {
	if m.line.zoom == 0 {
		return
	}
	axis := m.axis()
	span := axis.To() - axis.From
	switch at := m.cursor.at; {
	case at < axis.From:
		m.line.from = max(at-span/4, 0)
	case at > axis.To():
		m.line.from = max(at-span*3/4, 0)
	}
}

func (m *Model) nextAxis() tea.Cmd {
	m.line.scale = m.line.scale.Next()
	m.say("axis " + m.line.scale.String())
	return nil
}

// zoomBy halves or doubles what shows of the time, around the cursor.
func (m *Model) zoomBy(by int) tea.Cmd {
	axis := m.axis()
	span := axis.To() - axis.From
	was := m.line.zoom
	m.line.zoom = min(max(was+by, 0), mostZoom)
	if m.line.zoom == was {
		m.say("as far as it goes")
		return nil
	}
	at, _ := m.now()
	if by > 0 {
		m.line.from = max(at-span/4, 0)
	} else {
		m.line.from = max(at-span, 0)
	}
	if m.line.zoom == 0 {
		m.line.from = 0
	}
	return nil
}

func (m *Model) fit() tea.Cmd {
	m.line.zoom, m.line.from = 0, 0
	return nil
}

// replay makes a script of the recorded answers of a live run.
func (m *Model) replay() tea.Cmd {
	s, inexact := recorded(m.live.trace)
	if s == nil {
		m.say("there are no answers")
		return nil
	}
	cut, where := interrupted(m.live.trace)
	m.commit(replayEdit{scriptEdit{s.String(), s}, cut})
	if where != "" {
		m.say("a script, " + where + " too: 'neither' in the list (?) lets it go on")
		return nil
	}
	if len(inexact) > 0 {
		m.say("a script, but " + inexact[0] + more(len(inexact)-1))
	} else {
		m.say("a script now: e edits it, u goes back to the live source")
	}
	return nil
}

// more says how many there are besides.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return " (+" + strconv.Itoa(n) + ")"
}

// interrupted is when a run was ended from outside, and in words how; never and "" for one that was not.
func interrupted(t *trace.Trace) (cut interruption, where string) {
	cut = interruption{never, never}
	d := t.Done
	switch {
	case d == nil:
	case d.Result == engine.ResultCancelled:
		cut.cancel, where = d.At, "cancelled at "+FormatTime(d.At)
	case d.Reason == engine.ReasonStaleGeneration:
		cut.signOut, where = d.At, "signed out at "+FormatTime(d.At)
	}
	return cut, where
}

// goLive makes the request's URL the source.
func (m *Model) goLive() tea.Cmd {
	if err := m.doc.request.Check(); err != nil {
		m.fail(err)
		return nil
	}
	m.commit(requestEdit{m.doc.request, true})
	m.say("live: S sends, nothing else does; u goes back")
	return nil
}

func (m *Model) canReplay() string {
	switch {
	case !m.doc.live:
		return "the answers come from a script already"
	case m.live.running:
		return "the run is still under way"
	case m.live.trace == nil || len(m.live.trace.Attempts) == 0:
		return "nothing was sent yet"
	}
	return ""
}
