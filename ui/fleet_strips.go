package ui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// words are the verdict of a lane and its figures, beside its band.
func (d *fleetPicture) words(lane *FleetLane, r Rect) {
	x := d.chart.X + d.chart.W
	w := d.g.W - x - 1
	for y := range r.H {
		d.g.Set(x, r.Y+y, d.gl.V, Rule)
	}
	if w < 10 {
		return
	}
	s := lane.Run
	text, style := FleetVerdict(s, d.gl)
	if lane.Small {
		text += " ?"
	}
	if more := " " + d.figure(s); r.H == 1 && TextWidth(text+more) <= w {
		text += more
	} else if sign, _, ok := strings.Cut(text, " "); r.H == 1 && ok && hidden(s) > 0 {
		text = sign + more // the sign says the verdict
	}
	d.g.TextCut(x+1, r.Y, w, style, text, d.gl.Ellipsis)
	for i, line := range d.figures(s, w) {
		if i+1 < r.H {
			d.g.TextCut(x+1, r.Y+1+i, w, Dim, line, d.gl.Ellipsis)
		}
	}
}

// figures are those of a lane, the most important first, in w columns.
func (d *fleetPicture) figures(s *sim.Summary, w int) []string {
	load, ok := fmt.Sprintf("load %.1f%s", s.Amplification.Mean, d.gl.Times), fleetPercent(s.Success.Mean)+" ok"
	lines := []string{load + "  " + ok}
	if n := hidden(s); n > 0 { // a share of the calls that ended says nothing of these
		left := fleetNumber(float64(n)) + " pending"
		lines = []string{ok + ", " + left, load}
		if TextWidth(lines[0]) > w {
			lines = []string{left, load + "  " + ok}
		}
	}
	peak := "peak " + fleetNumber(s.Peak.Mean) + "/s"
	if d.rate > 0 {
		peak += fmt.Sprintf(" %.1f%s", s.Peak.Mean/d.rate, d.gl.Times)
	}
	lines = append(lines, peak)
	if n := pending(s); n > 0 && hidden(s) == 0 {
		lines = append(lines, fleetNumber(float64(n))+" pending")
	}
	if s.Wasted.Mean > 0.0005 {
		lines = append(lines, "wasted "+fleetPercent(s.Wasted.Mean))
	}
	if s.First.Total.Denied > 0 {
		lines = append(lines, fleetNumber(float64(s.First.Total.Denied))+" denied")
	}
	return lines
}

// hidden is how many calls are pending of a run whose verdict does not tell that there are any.
func hidden(s *sim.Summary) int64 {
	if s.Verdict == sim.Stuck {
		return 0
	}
	return pending(s)
}

// figure is the most important figure of a lane, short.
func (d *fleetPicture) figure(s *sim.Summary) string {
	if n := hidden(s); n > 0 {
		return fleetNumber(float64(n)) + " pending"
	}
	return fleetPercent(s.Success.Mean)
}

// FleetVerdict is a verdict in a word or two, with its sign, and how it looks.
func FleetVerdict(s *sim.Summary, gl *Glyphs) (string, Style) {
	after := ""
	if s.Recover.N > 0 {
		after = " " + afterWords(s)
	}
	switch {
	case s.Seeds == 0 && s.First != nil:
		return "simulating", Dim
	case s.Seeds == 0:
		return "not run", Dim
	}
	switch s.Verdict {
	case sim.Stuck:
		return string(gl.Final) + " stuck", FinalBold
	case sim.GivesUp:
		return string(gl.Warn) + " gives up", RetryBold
	case sim.Vulnerable:
		return string(gl.Warn) + " vulnerable" + after, RetryBold
	case sim.Recovers:
		return string(gl.OK) + " recovers" + after, OKBold
	case sim.Unknown:
	}
	return "? unknown", RetryBold
}

// times writes the ticks of an axis.
func (d *fleetPicture) times(axis *Axis, y int) {
	line := d.g.sub(d.chart.X, y, d.chart.W, 1)
	next := 0
	axis.eachTick(func(t time.Duration) {
		at := axis.Col(t)
		text := string(axis.appendTick(nil, t))
		if at < next || at+TextWidth(text) > line.W {
			return
		}
		line.Text(at, 0, Dim, text)
		next = at + TextWidth(text) + 1
	})
}

// strips are the times to success, a line a lane, on an axis of their own.
func (d *fleetPicture) strips(y int) {
	low, high, succeeds := math.Inf(1), 0.0, false
	for i := range d.in.Lanes {
		s := d.in.Lanes[i].Run
		if s == nil || s.Seeds == 0 {
			continue
		}
		for j := range s.Times {
			if t := s.Times[j]; t.N > 0 {
				succeeds = true
				low, high = min(low, t.Mean), max(high, t.Mean)
			}
		}
	}
	if high == 0 {
		text := "time to success: no call succeeds"
		if succeeds {
			text = "time to success: at once, each of them"
		}
		d.g.Text(0, y, Dim, text)
		return
	}
	kind := ScaleLinear
	if high > 30*low {
		kind = ScaleLog
	}
	axis := NewAxis(AxisInput{Kind: kind, W: d.chart.W, End: time.Duration(high * float64(time.Second)), Room: 1})
	d.g.Text(0, y, Dim, "time to success")
	key := "p5" + strings.Repeat(string(d.gl.H), 2) + "p25" + strings.Repeat(string(d.gl.Fixed), 2) + string(d.gl.Bar) + strings.Repeat(string(d.gl.Fixed), 2) +
		"p75" + strings.Repeat(string(d.gl.H), 2) + "p95  p99.9 " + dotOf(d.gl)
	d.g.Text(d.chart.X+8, y, Dim, key)
	for i := range d.in.Lanes {
		d.strip(i, y+1+i, &axis)
	}
	d.times(&axis, y+1+len(d.in.Lanes))
}

func (d *fleetPicture) strip(i, y int, axis *Axis) {
	lane := &d.in.Lanes[i]
	d.g.Set(1, y, rune(fleetLetters[i%len(fleetLetters)]), Bold)
	d.g.TextCut(3, y, d.chart.X-4, Dim, lane.Name, d.gl.Ellipsis)
	d.g.Set(d.chart.X-1, y, d.gl.V, Rule)
	x := d.chart.X + d.chart.W
	d.g.Set(x, y, d.gl.V, Rule)
	s := lane.Run
	if s == nil || s.Seeds == 0 || len(s.Times) == 0 || s.Times[0].N == 0 {
		d.g.Text(d.chart.X+1, y, Dim, "none succeeds")
		return
	}
	at := func(q float64) int {
		t := s.Times[slices.Index(sim.Quantiles(), q)].Mean
		return min(max(axis.Col(time.Duration(t*float64(time.Second))), 0), d.chart.W-1)
	}
	line := d.g.sub(d.chart.X, y, d.chart.W, 1)
	line.Fill(at(.05), 0, at(.95)-at(.05)+1, d.gl.H, OK)
	line.Fill(at(.25), 0, at(.75)-at(.25)+1, d.gl.Fixed, OK)
	line.Text(at(.999), 0, OK, dotOf(d.gl))
	line.Set(at(.5), 0, d.gl.Bar, OKBold)
	mean := func(q float64) float64 { return s.Times[slices.Index(sim.Quantiles(), q)].Mean }
	d.g.TextCut(x+1, y, d.g.W-x-1, Plain, "p50 "+FleetTime(mean(.5))+" p99 "+FleetTime(mean(.99)), "")
}

// FleetTime is a time, given in seconds, in three digits: 42.7s.
func FleetTime(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 100*time.Second:
		d = d.Round(time.Second)
	case d >= 10*time.Second:
		d = d.Round(100 * time.Millisecond)
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	default:
		d = d.Round(time.Millisecond)
	}
	return engine.FormatDuration(d)
}

// fleetPercent is a share in whole percent; only 0 and 1 are said to be 0% and 100%.
func fleetPercent(x float64) string {
	switch p := math.Round(x * 100); {
	case p == 100 && x < 1:
		return ">99%"
	case p == 0 && x > 0:
		return "<1%"
	default:
		return fmt.Sprintf("%.0f%%", p)
	}
}

// fleetNumber is a count in at most five characters.
func fleetNumber(x float64) string {
	switch {
	case x >= 1e7:
		return fmt.Sprintf("%.0fM", x/1e6)
	case x >= 1e6:
		return fmt.Sprintf("%.1fM", x/1e6)
	case x >= 1e5:
		return fmt.Sprintf("%.0fk", x/1e3)
	case x >= 1e4:
		return fmt.Sprintf("%.1fk", x/1e3)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// dotOf is the mark of what is far out: a point, and not the line that stands between two words of ASCII.
func dotOf(gl *Glyphs) string {
	if gl.ASCII {
		return "."
	}
	return gl.Dot
}
