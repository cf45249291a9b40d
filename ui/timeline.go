package ui

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// TimelineInput is all that the timeline is drawn from.
type TimelineInput struct {
	// Trace is the run; nil is one that has not begun.
	Trace *trace.Trace
	// Policy is the one in force: it makes the rows of attempts that were not made.
	Policy engine.Policy
	// Now is the cursor, since the start of the run: what comes after it is drawn as not yet. AtEnd shows all of a run
	// and no cursor. For a live run Now is the time of the latest tick.
	Now   time.Duration
	AtEnd bool
	// Live says that the run may still grow.
	Live bool
	// Selected is the attempt that is marked and kept in sight; 0 for none. Focused says that its mark is the focus.
	Selected int
	Focused  bool
	// Scroll is the first row wanted, from 0. What is possible comes back in the layout.
	Scroll int
	// Scale, Zoom (times doubled) and From (the left edge where Zoom is above 0) make the axis.
	Scale ScaleKind
	Zoom  int
	From  time.Duration
	// Glyphs are the signs; nil is Unicode.
	Glyphs *Glyphs

	mostAhead int // rows ahead at the most, 0 for as many as there can be
}

// TimelineLayout is where everything was drawn, in cells of the grid that was drawn into.
type TimelineLayout struct {
	// Axis is the scale; column 0 of it is at PlotX.
	Axis  Axis
	PlotX int
	// Rows are the visible rows from the top.
	Rows []TimelineRow
	// First is the first visible row of Total, which does not count more than so many rows ahead.
	First, Total int
	// Strip is where the overview strip is, a line that shows all attempts; W is 0 where there is none.
	Strip Rect
	// Name is the axis in words, for the heading: "linear 0–7s".
	Name string
}

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Has tells whether a cell is in it.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// TimelineRow is one visible row.
type TimelineRow struct {
	Y int
	// Attempt is its number, 0 for a row that stands for attempts left out.
	Attempt int
	// Made says that the attempt was sent before the cursor.
	Made bool
}

// TimeAt is the time of a cell, false outside of the plot.
func (l *TimelineLayout) TimeAt(x int) (time.Duration, bool) {
	if x < l.PlotX || x >= l.PlotX+l.Axis.W {
		return 0, false
	}
	return l.Axis.Time(x - l.PlotX), true
}

// AttemptAt is the attempt of a line, 0 for none.
func (l *TimelineLayout) AttemptAt(y int) int {
	for _, r := range l.Rows {
		if r.Y == y {
			return r.Attempt
		}
	}
	return 0
}

// timeline is one drawing under way.
type timeline struct {
	g     *Grid
	in    *TimelineInput
	glyph *Glyphs
	t     *trace.Trace
	axis  Axis
	cols  columns
	run   runView
	ahead []aheadRow
	late  Rect // the timeout's column; W is 0 where it is outside of the plot
	buf   []byte
}

// DrawTimeline draws the run into the grid: the axis on the first line, a row an attempt below, those not made included,
// and on the last line a strip of all of them where they do not fit. It draws only what can be seen, never outside of
// the grid, at any size; the grid is taken to be blank.
func DrawTimeline(g *Grid, in *TimelineInput) TimelineLayout {
	d := timeline{g: g, in: in, glyph: in.Glyphs, t: in.Trace}
	if d.glyph == nil {
		d.glyph = Unicode()
	}
	if d.t == nil {
		d.t = &trace.Trace{}
	}
	whole := viewRun(d.t, in, true)
	d.run = whole
	if !in.AtEnd {
		d.run = viewRun(d.t, in, false)
	}
	d.cols = newColumns(g.W, d.lastNumber(), longestWord(d.t))
	l := TimelineLayout{PlotX: d.cols.plot}
	d.place(&l)
	d.axis = d.newAxis(&whole, &l)
	d.ahead = d.lookAhead(&d.run, l.First+g.H)
	l.Axis, l.Name = d.axis, d.axis.Name(d.glyph)
	d.draw(&l)
	return l
}

// lastNumber is the highest number of a row, which makes the width of their column.
func (d *timeline) lastNumber() int { return max(d.run.made(), d.run.sent+d.run.rowsAhead, 1) }

// place decides which rows are seen and where.
func (d *timeline) place(l *TimelineLayout) {
	l.Total = d.run.rows()
	top := 1
	if d.g.H < 2 {
		top = 0
	}
	room := d.g.H - top
	if l.Total > room && room >= 3 {
		room--
		l.Strip = Rect{X: 0, Y: d.g.H - 1, W: d.g.W, H: 1}
	}
	l.First = d.in.Scroll
	if row := d.run.rowOf(d.in.Selected); row >= 0 {
		l.First = min(max(l.First, row-room+1), row)
	}
	l.First = max(min(l.First, l.Total-room), 0)
	n := max(min(l.Total-l.First, room), 0)
	l.Rows = make([]TimelineRow, n)
	for i := range l.Rows {
		number, made := d.run.numberOf(l.First + i)
		l.Rows[i] = TimelineRow{Y: top + i, Attempt: number, Made: made}
	}
}

func (d *timeline) newAxis(whole *runView, l *TimelineLayout) Axis {
	in := AxisInput{Kind: d.in.Scale, W: d.g.W - d.cols.plot, Zoom: d.in.Zoom, From: d.in.From}
	in.Room = min(in.W/7, 12)
	in.End = d.span(whole)
	if t := d.in.Policy.Timeout; t > 0 && in.End >= t && in.W >= 2*lateRoom {
		in.Room = max(in.Room, lateRoom)
	}
	if in.Kind != ScaleLog && whole.givenUp() && whole.kept > offEdge {
		in.Start, in.End = whole.stretch(l.First, len(l.Rows), in.End)
	}
	in.Longest, _ = longestWait(d.t)
	axis := NewAxis(in)
	if room := d.endRoom(whole, &axis); room > in.Room {
		in.Room = room
		return NewAxis(in)
	}
	return axis
}

// lateRoom is what the share of a window that comes too late needs right of the timeout.
const lateRoom = len(">99% late") + 1

// span is the latest time the axis has to show: all of the run, whatever the cursor, so that only the cursor moves, and
// of what may follow as much as leaves the run to be seen.
func (d *timeline) span(whole *runView) time.Duration {
	end := whole.end
	ahead := d.bounds(whole)
	if len(ahead) > 0 {
		want := ahead[len(ahead)-1].hi
		if end > 0 {
			// Two and a half times the run leaves enough of it to be seen.
			run := whole.lastTime()
			most := later(times(run, 2), run/2)
			if whole.kept < 2 {
				most = max(most, ahead[0].hi, time.Second) // there is no wait yet to compare with
			}
			want = min(want, most)
		}
		if t := d.in.Policy.Timeout; t > 0 {
			want = min(want, t)
		}
		end = max(end, want)
	}
	timedOut := whole.done != nil && whole.done.Result == engine.ResultTimedOut
	if t := d.in.Policy.Timeout; t > 0 && (timedOut || t-end <= end/5*3) {
		end = max(end, t)
	}
	return end
}

func (d *timeline) draw(l *TimelineLayout) {
	now := -1
	if !d.in.AtEnd {
		now = d.axis.Col(d.in.Now)
	}
	d.late.X = -1
	if t := d.in.Policy.Timeout; t > 0 {
		if c := d.axis.Col(t); c >= 0 && c < d.axis.W {
			d.late = Rect{X: d.cols.plot + c, W: 1}
		}
	}
	for i := range l.Rows {
		d.drawRow(l.First+i, &l.Rows[i])
	}
	if len(l.Rows) > 0 {
		top, n := l.Rows[0].Y, len(l.Rows)
		d.overlay(d.late.X, top, n, d.glyph.Timeout, Final, false)
		if now >= 0 && now < d.axis.W {
			d.overlay(d.cols.plot+now, top, n, d.glyph.Now, Now, true)
		}
	}
	if d.g.H >= 2 {
		d.drawAxis(now)
	}
	if l.Strip.W > 0 {
		strip := d.g.sub(l.Strip.X, l.Strip.Y, l.Strip.W, 1)
		d.drawStrip(&strip, l)
	}
}

// overlay puts a line through the rows: over blanks and windows, and over waits too where it says so; marks, bars and
// labels stay.
func (d *timeline) overlay(x, y, h int, r rune, s Style, waits bool) {
	if x < d.cols.plot {
		return
	}
	for i := y; i < y+h; i++ {
		c, style := d.g.At(x, i)
		over := c == ' ' && style == Plain || c == d.glyph.Window && (style == Window || style == Ahead)
		if waits && !over && (style == Retried || style == Server || style == Final) {
			over = c == d.glyph.Fixed || c == d.glyph.Drawn || c == d.glyph.Server || c == d.glyph.Cut
		}
		if over {
			d.g.Set(x, i, r, s)
		}
	}
}
