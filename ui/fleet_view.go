package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// fleetView is the view of a fleet: pictures of all lanes, the policy of the chosen one, and the fleet's settings.
type fleetView struct {
	runs   fleetRuns
	focus  stagePart
	lane   int // the chosen one, kept within the lanes when it is asked for
	policy knobs
	fields list
	cursor playback
	scale  ScaleKind
	zoom   int
	from   time.Duration
	chart  FleetLayout

	// What was made of the runs and the chosen lane.
	words  fleetWords
	rowsOf rowsKey
	rows   []knobRow // of the policy
	others []knobRow // of the fleet
}

// rowsKey is what the rows of the knobs depend on.
type rowsKey struct {
	policy, base engine.Policy
	config       *sim.Config
	dist         *distDoc
	ofDist       bool
	ascii        bool
}

// fleetSpeed is the index of the speed of a fleet at first: ten times real time.
const fleetSpeed = realTime + 3

func newFleetView() fleetView {
	return fleetView{focus: partPolicy, scale: ScaleLinear, cursor: playback{atEnd: true, speed: fleetSpeed}}
}

// chosen is the lane in focus.
func (f *fleetView) chosen(d *doc) int {
	f.lane = max(min(f.lane, d.numLanes()-1), 0)
	return f.lane
}

// end is the latest time that any picture shows.
func (f *fleetView) end() time.Duration {
	end := time.Duration(0)
	for i := range f.runs.lanes {
		if s := f.runs.lanes[i].sum; s != nil && s.First != nil {
			end = max(end, fleetUntil(s))
		}
	}
	return end
}

// seek moves the cursor to a time.
func (f *fleetView) seek(at time.Duration) {
	c := &f.cursor
	end := f.end()
	c.at = max(min(at, end), 0)
	c.atEnd = c.at >= end
	c.playing = c.playing && !c.atEnd
}

// span is the width of what one step of the cursor moves on.
func (f *fleetView) span() time.Duration { return FleetSpan(f.end()) }

// syncStage has the view in front show what is to be seen, and ends what others were at.
func (m *Model) syncStage() tea.Cmd {
	if m.leaving {
		return nil
	}
	switch m.stage {
	case stageFleet, stageHeat:
		m.dist.runs.stop()
		m.crowd.stop()
		f := &m.fleet
		d := m.shownDoc()
		if f.runs.matches(d) && f.runs.cancel != nil {
			return nil
		}
		if len(f.runs.lanes) > 0 && f.runs.lanes[0].key.config != d.inFleet().config {
			f.zoom, f.from = 0, 0 // another course of time
		}
		cmd := f.runs.sync(d, f.chosen(d))
		f.words.stale = true
		if !f.cursor.playing {
			f.cursor.atEnd = f.cursor.atEnd || f.cursor.at >= f.end()
		}
		return cmd
	case stageDist:
		m.fleet.runs.stop()
		m.crowd.stop()
		return m.dist.runs.sync(m.shownDoc(), m.opts.Wall)
	case stageCall, numStages:
		m.fleet.runs.stop()
		m.dist.runs.stop()
		return m.crowd.sync(m.shownDoc(), m.opts.Wall, m.paint.w >= wholeW && m.paint.h >= wholeH)
	}
	return nil
}

// stopRuns ends all that is simulated in the back.
func (m *Model) stopRuns() {
	m.fleet.runs.stop()
	m.dist.runs.stop()
	m.crowd.stop()
	m.leaving = true
}

// takeLane takes a whole run.
func (m *Model) takeLane(msg laneMsg) (tea.Cmd, bool) {
	f := &m.fleet
	cmd, known := f.runs.take(msg, f.lane)
	f.words.stale = f.words.stale || known
	return cmd, known
}

// fleetInput is what the pictures are drawn from.
func (m *Model) fleetInput() FleetInput {
	f := &m.fleet
	in := FleetInput{Chosen: f.chosen(m.shownDoc()), Now: -1, Glyphs: m.paint.glyphs, Scale: f.scale, Zoom: f.zoom, From: f.from}
	if !f.cursor.atEnd {
		in.Now = f.cursor.at
	}
	for i := range f.runs.lanes {
		l := &f.runs.lanes[i]
		in.Lanes = append(in.Lanes, FleetLane{Name: f.runs.names[i], Run: l.sum, Small: l.small, joined: l.joined, width: l.width})
	}
	return in
}

func (m *Model) drawFleetChart() {
	p := &m.paint
	r := p.lay.parts[partChart]
	if r.W == 0 {
		return
	}
	in := m.fleetInput()
	g := p.grid.sub(r.X, r.Y, r.W, r.H)
	if m.stage == stageHeat {
		m.fleet.chart = DrawHeat(&g, &in)
	} else {
		m.fleet.chart = DrawFleet(&g, &in)
	}
	for i := range in.Lanes {
		l := &m.fleet.runs.lanes[i]
		l.joined, l.width = in.Lanes[i].joined, in.Lanes[i].width
	}
}

func (m *Model) prepareFleet() {
	f, d := &m.fleet, m.shownDoc()
	if len(f.runs.lanes) != d.numLanes() { // a frame before the first message
		_ = f.runs.sync(d, f.chosen(d))
		f.runs.stop()
	}
	if f.words.stale || f.words.seed != d.seed || f.words.ascii != m.paint.glyphs.ASCII {
		f.words = fleetWordsOf(d, &f.runs, m.paint.glyphs)
	}
}

// drawReading says how things stand in the chosen lane at the cursor.
func (m *Model) drawReading() {
	p, f := &m.paint, &m.fleet
	if f.chosen(m.shownDoc()) >= len(f.runs.lanes) {
		return
	}
	l := &f.runs.lanes[f.lane]
	g := p.grid.sub(1, p.lay.read, p.grid.W-2, 1)
	if l.wrong != "" {
		g.TextCut(0, 0, g.W, Err, laneLetter(f.lane)+" "+l.wrong, p.glyphs.Ellipsis)
		return
	}
	if l.sum == nil || l.sum.First == nil {
		return
	}
	pieces, at := readingOf(l.sum, &f.cursor, f.span())
	x := g.Text(0, 0, Bold, laneLetter(f.lane)+" "+at) + 2
	for _, piece := range pieces {
		if x+len(piece.name)+1+len(piece.value) > g.W {
			break
		}
		x = g.Text(x, 0, Dim, piece.name) + 1
		x = g.Text(x, 0, piece.style, piece.value) + 2
	}
}

// reading is a figure with its name.
type reading struct {
	name, value string
	style       Style
}

// readingOf is what happens in a run at the cursor, or in all of it.
func readingOf(s *sim.Summary, c *playback, span time.Duration) (out []reading, at string) {
	r := s.First
	b, per := r.Total, ""
	at = "whole run"
	rate := 1.0
	if !c.atEnd {
		n := max(int(span/r.Width), 1)
		i := int(c.at/span) * n
		if i >= len(r.Buckets) {
			return []reading{{"", "nothing any more", Dim}}, "at " + clockText(c.at)
		}
		b = sim.Join(r.Buckets[i:min(i+n, len(r.Buckets))], n)[0]
		rate, per, at = span.Seconds(), "/s", "at "+clockText(c.at)
	}
	flow := func(name string, n int64, style Style) {
		out = append(out, reading{name, fleetNumber(float64(n)/rate) + per, style})
	}
	flow("first", b.First, Plain)
	flow("retries", b.Retries, RetriedText)
	flow("useful", b.Useful, OKText)
	flow("refused", b.Refused+b.Dropped, Plain)
	flow("late", b.Late, FinalText)
	out = append(out, reading{"queue", fleetNumber(float64(b.Queue)), Plain}, reading{"in backoff", fleetNumber(float64(b.Waiting)), Plain})
	flow("failed", b.Failed, Plain)
	flow("timed out", b.TimedOut, Plain)
	flow("denied", b.Denied, Plain)
	return out, at
}
