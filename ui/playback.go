package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/trace"
)

// Frames a second: while the cursor plays, and while only a live run counts on.
const (
	playRate = 30
	liveRate = 10
)

var (
	speeds     = [...]float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	speedWords = [...]string{
		"0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50", "100", "200", "500", "1000",
	}
)

const realTime = 6 // the index of speed 1

// playback is the cursor over a run, and the one chain of ticks.
type playback struct {
	at      time.Duration
	atEnd   bool // the whole run shows, without a cursor
	playing bool
	speed   int

	last    time.Time // of the frame before; zero for none
	ticking bool      // a tick is on its way
	gen     int       // ticks of another generation are dropped
}

func newPlayback() playback { return playback{atEnd: true, speed: realTime} }

// frameMsg is a tick.
type frameMsg struct {
	gen  int
	at   time.Time
	live *liveState // nil where nothing is sent
}

// restart drops the tick that may be on its way: after the program slept, it may never come.
func (p *playback) restart() {
	p.gen++
	p.ticking, p.last = false, time.Time{}
}

// keep holds the cursor within a run that has changed.
func (p *playback) keep(t *trace.Trace) {
	if p.at >= endOf(t) && !p.playing {
		p.atEnd = true
	}
	if p.atEnd {
		p.at = endOf(t)
	}
}

// toStart moves the cursor to where the first attempt is sent.
func (p *playback) toStart(t *trace.Trace) {
	p.at, p.atEnd = startOf(t), endOf(t) <= 0
}

// startOf is when the first attempt of a run was sent: of a live one that is a moment after its start.
func startOf(t *trace.Trace) time.Duration {
	if len(t.Attempts) == 0 {
		return 0
	}
	return t.Attempts[0].Start
}

// seek moves the cursor to a time, to the end where it lies behind it.
func (p *playback) seek(to time.Duration, t *trace.Trace) {
	end := endOf(t)
	p.at = max(min(to, end), 0)
	p.atEnd = p.at >= end
	p.playing = p.playing && !p.atEnd
}

// advance moves the playing cursor by what has passed since the frame before.
func (p *playback) advance(now time.Time, t *trace.Trace) {
	passed := time.Second / playRate
	if !p.last.IsZero() {
		passed = now.Sub(p.last)
	}
	p.last = now
	p.seek(later(p.at, time.Duration(float64(passed)*speeds[p.speed])), t)
	if !p.playing {
		p.last = time.Time{}
	}
}

// endOf is the end of a run: of an unfinished one, its latest moment.
func endOf(t *trace.Trace) time.Duration {
	if t.Done != nil {
		return t.Done.At
	}
	a := t.Last()
	switch {
	case a == nil:
		return 0
	case a.Wait.Begun:
		return later(a.Wait.Start, a.Wait.For)
	case a.Ended:
		return a.End
	default:
		return a.Start
	}
}

// moments are the times of all events, each once, in order.
func moments(t *trace.Trace) []time.Duration {
	var out []time.Duration
	for e := range t.Events() {
		out = append(out, e.At)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rate is how many frames a second are wanted now; 0 for none at all.
func (m *Model) rate() int {
	switch {
	case m.cursor.playing, m.fleet.cursor.playing:
		return playRate
	case m.live.running:
		return liveRate
	default:
		return 0
	}
}

// arm asks for the next tick, where something moves and none is on its way.
func (m *Model) arm() tea.Cmd {
	rate := m.rate()
	if rate == 0 || m.cursor.ticking {
		return nil
	}
	m.cursor.ticking = true
	gen := m.cursor.gen
	var live Live
	if m.live.running {
		live = m.opts.Live
	}
	return tea.Tick(time.Second/time.Duration(rate), func(t time.Time) tea.Msg {
		f := frameMsg{gen: gen, at: t}
		if live != nil {
			f.live = glance(live)
		}
		return f
	})
}

// frame takes a tick; false where it came from another time.
func (m *Model) frame(f frameMsg) bool {
	if f.gen != m.cursor.gen {
		return false
	}
	m.cursor.ticking = false
	if f.live != nil {
		m.live.take(f.live)
		m.paint.forget()
		if !m.live.running {
			m.cursor.atEnd = true
			m.cursor.keep(m.trace())
		}
	}
	if m.cursor.playing {
		m.cursor.advance(f.at, m.trace())
	}
	if m.fleet.cursor.playing {
		m.advanceFleet(f.at)
	}
	return true
}

// now is the time of the cursor; atEnd tells that the whole run shows.
func (m *Model) now() (at time.Duration, atEnd bool) {
	if m.shownDoc().live && m.live.running {
		return m.live.elapsed, false
	}
	return m.cursor.at, m.cursor.atEnd
}

// resume takes up the ticks again after a while in the shell.
func (m *Model) resume() {
	m.cursor.restart()
	if m.live.running {
		m.say("back: the run went on meanwhile")
	}
}
