package ui

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// ScaleKind is how time becomes columns.
type ScaleKind uint8

// The scales. ScaleAuto is linear, with one long wait left out where it would leave no room for the rest.
const (
	ScaleAuto ScaleKind = iota
	ScaleLinear
	ScaleLog
)

var scaleWords = [...]string{"auto", "linear", "log"}

// String is the scale's word.
func (k ScaleKind) String() string { return scaleWords[min(int(k), len(scaleWords)-1)] }

// Next is the scale after k, as the key goes through them.
func (k ScaleKind) Next() ScaleKind { return (k + 1) % ScaleKind(len(scaleWords)) }

// Axis maps the time since the start of an operation to columns of the plot, from 0. Make it with NewAxis; the zero Axis
// puts everything into column 0.
type Axis struct {
	// Kind is ScaleLinear, ScaleLog, or ScaleAuto where a long wait is left out.
	Kind ScaleKind
	// W is the width of the plot in columns.
	W int
	// From is the time at the left edge, Step the time between two ticks of a linear axis.
	From, Step time.Duration
	// Broken is the wait that is left out, where Kind is ScaleAuto.
	Broken Span

	perCell float64 // nanoseconds of a column of the linear parts
	breakW  float64 // columns of the part left out
	unit    float64 // nanoseconds, of the log axis: what is below it is linear
	top     float64 // nanoseconds at the right edge of the log axis
}

// Span is a piece of time.
type Span struct{ From, To time.Duration }

// Len is how long it is.
func (s Span) Len() time.Duration { return s.To - s.From }

// AxisInput is what an axis has to show.
type AxisInput struct {
	Kind ScaleKind
	W    int
	// End is the latest time that matters, Room the columns to keep free after it for labels.
	End  time.Duration
	Room int
	// Longest is the longest wait, which ScaleAuto may leave out.
	Longest Span
	// Start is the left edge of a linear axis that is not zoomed: above 0 for the later part of a long run.
	Start time.Duration
	// Zoom is how many times the scale is doubled, From the left edge then.
	Zoom int
	From time.Duration
}

const (
	minTick   = 8 // columns between two ticks
	maxZoom   = 20
	breakFrom = 30              // the least width of a plot that leaves out a wait
	breakWait = 5 * time.Second // the shortest wait that is left out
)

// NewAxis makes the axis that shows all of the input. Its scale changes in steps, so that turning a knob moves what is
// drawn and not the scale. A time that is negative or without end, and a width of 0, are all right.
func NewAxis(in AxisInput) Axis {
	a := Axis{Kind: in.Kind, W: max(in.W, 1)}
	start := max(in.Start, 0)
	if in.Kind == ScaleLog {
		start = 0
	}
	end := float64(in.End - start)
	if in.End <= start {
		end = float64(time.Second)
	}
	zoom := math.Exp2(float64(min(max(in.Zoom, 0), maxZoom)))
	if a.From = start; in.Zoom > 0 {
		a.From = max(in.From, 0)
	}
	avail := float64(max(a.W-in.Room, (a.W+1)/2))
	if in.Kind == ScaleLog {
		a.logarithmic(end, avail, zoom)
		return a
	}
	if in.Kind == ScaleAuto && a.leavesOut(&in, end) {
		a.Broken = in.Longest
		end -= float64(in.Longest.Len())
		a.breakW = float64(min(max(a.W/6, 12), 16))
		avail -= a.breakW
		end = max(end, 1)
	} else {
		a.Kind = ScaleLinear
	}
	a.linear(end, avail*zoom)
	return a
}

// leavesOut is the rule of the broken axis: a long wait, over 40 % of the span and over 5 times the rest, the windows that
// are drawn counted in. Where one is, nothing else can be seen beside it. Where there is no rest to speak of, as with
// answers that take no time, the wait stays.
func (a *Axis) leavesOut(in *AxisInput, end float64) bool {
	w := float64(in.Longest.Len())
	rest := end - w
	return a.W >= breakFrom && in.Start <= 0 && in.Longest.Len() >= breakWait && w > 0.4*end && w > 5*rest && rest >= float64(100*time.Microsecond) && float64(in.Longest.To) <= end
}

// linear takes the finest step whose ticks fit, at a whole number of columns a tick.
func (a *Axis) linear(end, avail float64) {
	least := float64(minTick)
	if a.W < 40 {
		least = 5
	}
	for i := 0; ; i++ {
		step := tickStep(i)
		cells := math.Floor(avail * float64(step) / end)
		if cells >= least || step >= maxStep {
			a.Step = step
			a.perCell = max(float64(step)/max(cells, 1), end/avail)
			return
		}
	}
}

func (a *Axis) logarithmic(end, avail, zoom float64) {
	a.unit = math.Max(end/2000, 1000)
	// The end falls on the last column that is free of labels.
	a.top = a.unit * math.Expm1(math.Log1p(end/a.unit)*float64(a.W)/avail/zoom)
	a.top = math.Min(a.top, 1e30)
}

// X is the column of a time, with its fraction. It is finite, grows with t, and may lie outside of [0, W).
func (a *Axis) X(t time.Duration) float64 { return a.at(float64(t)) - a.at(float64(a.From)) }

func (a *Axis) at(t float64) float64 {
	if a.Kind == ScaleLog {
		if a.top <= 0 {
			return 0
		}
		return math.Log1p(math.Max(t, 0)/a.unit) / math.Log1p(a.top/a.unit) * float64(a.W)
	}
	if a.perCell <= 0 {
		return 0
	}
	from, to := float64(a.Broken.From), float64(a.Broken.To)
	switch {
	case a.breakW == 0 || t <= from:
		return t / a.perCell
	case t >= to:
		return from/a.perCell + a.breakW + (t-to)/a.perCell
	default:
		return from/a.perCell + a.breakW*(t-from)/(to-from)
	}
}

// Col is the column of a time, from -1 (left of the plot) to W (right of it).
func (a *Axis) Col(t time.Duration) int { return a.clamp(a.X(t)) }

func (a *Axis) clamp(x float64) int {
	// A time that stands on a column is in it, though its fraction may come out a hair below.
	return int(math.Floor(min(max(x+1e-6, -1), float64(a.W))))
}

// Time is the earliest time in a column, for a click or a step of the cursor; 0 at the least.
func (a *Axis) Time(col int) time.Duration {
	x := float64(col) + a.at(float64(a.From))
	if x <= 0 {
		return 0
	}
	var t float64
	switch {
	case a.Kind == ScaleLog:
		t = a.unit * math.Expm1(x/float64(a.W)*math.Log1p(a.top/a.unit))
	case a.breakW == 0 || x*a.perCell <= float64(a.Broken.From):
		t = x * a.perCell
	default:
		x -= float64(a.Broken.From) / a.perCell
		if x < a.breakW {
			t = float64(a.Broken.From) + x/a.breakW*float64(a.Broken.Len())
		} else {
			t = float64(a.Broken.To) + (x-a.breakW)*a.perCell
		}
	}
	if t = math.Ceil(t); t >= math.MaxInt64 {
		return engine.Forever
	}
	return time.Duration(t)
}

// To is the time at the right edge.
func (a *Axis) To() time.Duration { return a.Time(a.W) }

// longestWait is the longest wait of a run, planned or made; false where there is none.
func longestWait(t *trace.Trace) (Span, bool) {
	var s Span
	for i := range t.Attempts {
		w := &t.Attempts[i].Wait
		if !w.Begun {
			continue
		}
		to := later(w.Start, w.For)
		if w.Ended {
			to = w.End
		}
		if to-w.Start > s.Len() {
			s = Span{w.Start, to}
		}
	}
	return s, s.Len() > 0
}
