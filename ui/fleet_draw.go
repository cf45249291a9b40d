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

// FleetLane is one policy of a fleet and what it came to.
type FleetLane struct {
	// Name is what the policy is called, Run what became of it; nil where there is nothing yet.
	Name string
	Run  *sim.Summary
	// Small says that Run is of a smaller fleet, which stands in until the whole one is there.
	Small bool
}

// FleetInput is what the picture of a fleet is drawn from.
type FleetInput struct {
	Lanes []FleetLane
	// Chosen is the lane in focus; below 0 for none.
	Chosen int
	// Now is the cursor, below 0 for none.
	Now    time.Duration
	Glyphs *Glyphs
}

// FleetLayout is where things are in the picture of a fleet.
type FleetLayout struct {
	// Chart is the area of the bands; Axis its time axis.
	Chart Rect
	Axis  Axis
	// Lanes are the rows of each lane's band.
	Lanes []Rect
}

// The columns of a fleet's picture.
const (
	fleetNameW   = 11
	fleetWordsW  = 20
	fleetLetters = "ABCDEFGH"
)

// fleetPicture is a picture under way.
type fleetPicture struct {
	g     *Grid
	in    *FleetInput
	gl    *Glyphs
	chart Rect
	axis  Axis
	span  time.Duration // of a bar's count: fixed, whatever the width
	top   float64       // attempts a second at the top of a band
	rate  float64       // the server's capacity a second, 0 for none
}

// DrawFleet draws bands of load over time, one a lane on one scale, and under them strips of the time to success. It
// makes do with the lines that there are: bands of one line at least, strips where there is room.
func DrawFleet(g *Grid, in *FleetInput) FleetLayout {
	d := fleetPicture{g: g, in: in, gl: in.Glyphs}
	n := len(in.Lanes)
	if n == 0 || g.W < 30 || g.H < 2 {
		return FleetLayout{}
	}
	words := fleetWordsW
	if g.W < 60 {
		words = 0
	}
	name := fleetNameW
	if g.W < 45 {
		name = 2
	}
	d.chart = Rect{name + 1, 1, g.W - name - words - 2, 0}
	strips := n + 2 // a heading, a line each, an axis
	band := (g.H - 2 - strips) / n
	if band < 2 {
		strips, band = 0, max((g.H-2)/n, 1)
	}
	band = min(band, 6)
	d.scale()
	d.chart.H = min(band*n, g.H-2)
	l := FleetLayout{Chart: d.chart, Axis: d.axis}
	d.head()
	for i := range in.Lanes {
		r := Rect{0, 1 + i*band, g.W, band}
		if r.Y+r.H > g.H-1 {
			break
		}
		l.Lanes = append(l.Lanes, r)
		d.band(i, r)
	}
	d.times(&d.axis, 1+band*n)
	if words > 0 {
		x := d.chart.X + d.chart.W + 1
		x = g.Text(x, 1+band*n, OK, string(d.gl.Bar))
		x = g.Text(x, 1+band*n, Dim, " useful ")
		x = g.Text(x, 1+band*n, Retried, string(d.shade()))
		g.Text(x, 1+band*n, Dim, " not")
	}
	if strips > 0 {
		d.strips(2 + band*n)
	}
	return l
}

// scale finds the one time and load scale of all lanes.
func (d *fleetPicture) scale() {
	end := time.Duration(0)
	peak := 0.0
	for i := range d.in.Lanes {
		if r := d.in.Lanes[i].Run; r != nil && r.First != nil {
			end = max(end, fleetEnd(r))
		}
	}
	d.span = FleetSpan(end)
	for i := range d.in.Lanes {
		r := d.in.Lanes[i].Run
		if r == nil || r.First == nil {
			continue
		}
		d.rate = max(d.rate, r.Config.Server.Capacity())
		for _, b := range d.spans(r) {
			peak = max(peak, float64(b.Sent())/d.span.Seconds())
		}
	}
	d.axis = NewAxis(AxisInput{Kind: ScaleLinear, W: d.chart.W, End: end})
	d.top = peak
	if d.rate > 0 { // a few times the capacity is where it matters: what is above is cut, and its figure stands beside it
		d.top = min(max(peak, 1.25*d.rate), 5*d.rate)
	}
	d.top = max(d.top, 1)
}

// fleetEnd is the time until which there is something to see.
func fleetEnd(s *sim.Summary) time.Duration {
	if s.Config.Load.Kind == sim.Herd && s.First.Unfinished == 0 {
		return s.First.Last
	}
	return s.First.End
}

// FleetSpan is the width of the fixed spans in which a run's attempts are counted for its picture.
func FleetSpan(end time.Duration) time.Duration {
	for _, span := range []time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute} {
		if end <= span*200 {
			return span
		}
	}
	return time.Hour
}

// spans are a run's buckets in fixed spans.
func (d *fleetPicture) spans(s *sim.Summary) []sim.Bucket {
	return sim.Join(s.First.Buckets, max(int(d.span/s.First.Width), 1))
}

func (d *fleetPicture) head() {
	text := "sent/s"
	if d.chart.X < 8 {
		text = ""
	}
	d.g.Text(0, 0, Dim, text)
	var faults []sim.Fault
	for i := range d.in.Lanes {
		if r := d.in.Lanes[i].Run; r != nil {
			faults = r.Config.Faults
		}
	}
	line := d.g.sub(d.chart.X, 0, d.chart.W, 1)
	for i := range faults {
		f := &faults[i]
		from, to := d.axis.Col(f.From), d.axis.Col(f.To)
		line.Fill(from, 0, to-from+1, d.gl.Window, Window)
		word := " " + faultWord(f) + " "
		if TextWidth(word) <= to-from-1 {
			line.Text(from+1, 0, FinalText, word)
		}
	}
	if d.rate > 0 {
		text := " capacity " + fleetNumber(d.rate) + "/s"
		if x := d.g.W - TextWidth(text); x > d.chart.X+d.chart.W {
			d.g.Text(x, 0, Dim, text)
		}
	}
}

func faultWord(f *sim.Fault) string {
	switch f.Kind {
	case sim.Down:
		return "down"
	case sim.BlackHole:
		return "no answers"
	case sim.Brownout:
		return fmt.Sprintf("%.0f%% fail", f.Amount*100)
	case sim.SlowDown:
		return fmt.Sprintf("%g times slower", f.Amount)
	}
	return ""
}

// band is the load of one lane over time, its name before it and its verdict behind it.
func (d *fleetPicture) band(i int, r Rect) {
	lane := &d.in.Lanes[i]
	style := Plain
	if i == d.in.Chosen {
		style = Focus
		d.g.Set(0, r.Y, d.gl.Pointer, style)
	}
	d.g.Set(1, r.Y, rune(fleetLetters[i%len(fleetLetters)]), Bold)
	d.wrapName(lane.Name, r, style)
	for y := range r.H {
		d.g.Set(d.chart.X-1, r.Y+y, d.gl.V, Rule)
	}
	if lane.Run == nil || lane.Run.First == nil {
		d.g.Text(d.chart.X+1, r.Y, Dim, "not run yet")
		return
	}
	d.bars(lane.Run, d.g.sub(d.chart.X, r.Y, d.chart.W, r.H))
	d.words(lane, r)
}

// wrapName writes a name over the lines of its band.
func (d *fleetPicture) wrapName(name string, r Rect, style Style) {
	w := d.chart.X - 4
	if w < 3 {
		return
	}
	rest := name
	for y := 0; y < r.H && rest != ""; y++ {
		line := rest
		if TextWidth(line) > w {
			line = string([]rune(line)[:w])
			if cut := strings.LastIndexByte(line, ' '); cut > 0 && y < r.H-1 {
				line = line[:cut]
			}
		}
		rest = strings.TrimLeft(rest[len(line):], " ")
		if y == r.H-1 && rest != "" {
			d.g.TextCut(3, r.Y+y, w, style, line+" "+rest, d.gl.Ellipsis)
			return
		}
		d.g.Text(3, r.Y+y, style, line)
	}
}

// bars draws the attempts of each fixed span; a column that covers several shows the most of them.
func (d *fleetPicture) bars(s *sim.Summary, g Grid) {
	spans := d.spans(s)
	ruleRow, hasRule := d.ruleRow(g.H)
	for x := range g.W {
		from, to := d.axis.Time(x), d.axis.Time(x+1)
		if hasRule && from <= fleetEnd(s) {
			g.Set(x, ruleRow, d.gl.Cut, Neutral)
		}
		most, useful := int64(0), int64(0)
		for i := int(from / d.span); i < len(spans) && time.Duration(i)*d.span < to; i++ {
			if sent := spans[i].Sent(); sent > most {
				most, useful = sent, spans[i].Useful
			}
		}
		d.bar(&g, x, float64(most)/d.span.Seconds(), float64(useful)/d.span.Seconds())
	}
	if d.in.Now >= 0 {
		if x := d.axis.Col(d.in.Now); x >= 0 && x < g.W {
			for y := range g.H {
				if r, _ := g.At(x, y); r == ' ' || r == d.gl.Cut {
					g.Set(x, y, d.gl.Now, Now)
				} else {
					g.Restyle(x, y, 1, Reverse)
				}
			}
		}
	}
}

// ruleRow is the line of a band in which the capacity lies.
func (d *fleetPicture) ruleRow(h int) (row int, ok bool) {
	if d.rate == 0 || d.rate > d.top {
		return 0, false
	}
	return max(h-1-int(d.rate/d.top*float64(h)), 0), true
}

// bar draws one column from the bottom up: solid as far as calls succeed meanwhile, shaded above; what is beyond the
// capacity is in another color too.
func (d *fleetPicture) bar(g *Grid, x int, rate, useful float64) {
	scale := float64(g.H*8) / d.top
	eighths := int(math.Round(rate * scale))
	if rate > 0 {
		eighths = max(eighths, 1)
	}
	good, limit := int(math.Round(useful*scale)), g.H*8
	if d.rate > 0 {
		limit = int(math.Round(d.rate * scale))
	}
	for y := range g.H {
		n := min(max(eighths-8*y, 0), 8)
		if n == 0 {
			return
		}
		cell, style := d.level(n), OK
		if 8*y+n > good+4 {
			style = Retried
			if n == 8 {
				cell = d.shade()
			}
		}
		if 8*y >= limit && d.rate > 0 {
			style = Final
		}
		g.Set(x, g.H-1-y, cell, style)
	}
	if eighths > g.H*8 {
		g.Set(x, 0, d.gl.Up, FinalBold)
	}
}

// shade is a cell of attempts that come to nothing.
func (d *fleetPicture) shade() rune {
	if d.gl.ASCII {
		return '%'
	}
	return '▒'
}

// level is a cell filled from below by n eighths.
func (d *fleetPicture) level(n int) rune {
	if d.gl.ASCII {
		return []rune(".:-=+*##")[n-1]
	}
	return []rune("▁▂▃▄▅▆▇█")[n-1]
}

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
	d.g.TextCut(x+1, r.Y, w, style, text, d.gl.Ellipsis)
	lines := []string{
		fmt.Sprintf("load %.1f%s  %s ok", s.Amplification.Mean, d.gl.Times, fleetPercent(s.Success.Mean)),
		"peak " + fleetNumber(s.Peak.Mean) + "/s",
	}
	if d.rate > 0 {
		lines[1] += fmt.Sprintf(" %.1f%s", s.Peak.Mean/d.rate, d.gl.Times)
	}
	if s.Wasted.Mean > 0.0005 {
		lines = append(lines, "wasted "+fleetPercent(s.Wasted.Mean))
	}
	if s.First.Total.Denied > 0 {
		lines = append(lines, fleetNumber(float64(s.First.Total.Denied))+" denied")
	}
	for i, line := range lines {
		if i+1 < r.H {
			d.g.TextCut(x+1, r.Y+1+i, w, Dim, line, d.gl.Ellipsis)
		}
	}
}

// FleetVerdict is a verdict in a word or two, with its sign, and how it looks.
func FleetVerdict(s *sim.Summary, gl *Glyphs) (string, Style) {
	switch {
	case s.Seeds == 0:
		return "not run", Dim
	case s.Verdict == sim.Stuck:
		return string(gl.Final) + " stuck", FinalBold
	case s.Verdict == sim.Vulnerable:
		return string(gl.Warn) + " vulnerable " + fleetTime(s.Recover.Mean), RetryBold
	default:
		return string(gl.OK) + " recovers " + fleetTime(s.Recover.Mean), OKBold
	}
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
		"p75" + strings.Repeat(string(d.gl.H), 2) + "p95  p99.9 " + d.gl.Dot
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
	line.Text(at(.999), 0, OK, d.gl.Dot)
	line.Set(at(.5), 0, d.gl.Bar, OKBold)
	mean := func(q float64) float64 { return s.Times[slices.Index(sim.Quantiles(), q)].Mean }
	d.g.TextCut(x+1, y, d.g.W-x-1, Plain, "p50 "+fleetTime(mean(.5))+" p99 "+fleetTime(mean(.99)), "")
}

// fleetTime is a time in seconds in three digits.
func fleetTime(seconds float64) string {
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

// FleetText is the picture of a fleet as plain text, in lines of at most width cells (40 at the least).
func FleetText(in *FleetInput, width int) string {
	width = max(width, 40)
	n := len(in.Lanes)
	g := NewGrid(width, 3*n+2+n+2)
	DrawFleet(g, in)
	lines := strings.Split(g.Plain(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}
