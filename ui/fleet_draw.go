package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// FleetLane is one policy of a fleet and what it came to.
type FleetLane struct {
	// Name is what the policy is called, Run what became of it; nil where there is nothing yet.
	Name string
	Run  *sim.Summary
	// Small says that Run is of a smaller fleet, which stands in until the whole one is there.
	Small bool

	joined []sim.Bucket // the run's buckets in spans of width
	shares []float64    // of each of them (see usefulShares)
	width  time.Duration
}

// FleetInput is what the picture of a fleet is drawn from.
type FleetInput struct {
	Lanes []FleetLane
	// Chosen is the lane in focus; below 0 for none.
	Chosen int
	// Now is the cursor, below 0 for none.
	Now time.Duration
	// Scale, Zoom (times doubled) and From (the left edge where Zoom is above 0) make the time axis.
	Scale  ScaleKind
	Zoom   int
	From   time.Duration
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
	band, strips := fleetRows(n, g.H)
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
		d.legend(d.chart.X+d.chart.W+1, 1+band*n)
	}
	if strips > 0 {
		d.strips(2 + band*n)
	}
	return l
}

// fleetRows is how many lines a band has and how many the strips under them, of h in all.
func fleetRows(n, h int) (band, strips int) {
	strips = n + 2 // a heading, a line each, an axis
	band = (h - 2 - strips) / n
	if band < 2 {
		strips, band = 0, max((h-2)/n, 1)
	}
	return min(band, 6), strips
}

// scale finds the one time and load scale of all lanes.
func (d *fleetPicture) scale() {
	end := time.Duration(0)
	peak := 0.0
	for i := range d.in.Lanes {
		if r := d.in.Lanes[i].Run; r != nil && r.First != nil {
			end = max(end, fleetUntil(r))
		}
	}
	d.span = FleetSpan(end)
	for i := range d.in.Lanes {
		r := d.in.Lanes[i].Run
		if r == nil || r.First == nil {
			continue
		}
		d.rate = max(d.rate, r.Config.Server.Capacity())
		spans := d.spans(&d.in.Lanes[i])
		for j := range spans {
			peak = max(peak, float64(spans[j].Sent())/d.span.Seconds())
		}
	}
	kind := ScaleLinear
	if d.in.Scale == ScaleLog {
		kind = ScaleLog
	}
	d.axis = NewAxis(AxisInput{Kind: kind, W: d.chart.W, End: end, Zoom: d.in.Zoom, From: d.in.From})
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

// spans are a run's buckets in fixed spans, made once a run.
func (d *fleetPicture) spans(lane *FleetLane) []sim.Bucket {
	if lane.width != d.span {
		lane.width, lane.joined = d.span, sim.Join(lane.Run.First.Buckets, max(int(d.span/lane.Run.First.Width), 1))
		lane.shares = nil
	}
	if lane.shares == nil {
		lane.shares = usefulShares(lane.joined)
	}
	return lane.joined
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
		from, to := max(d.axis.Col(f.From), 0), d.axis.Col(f.To)
		line.Fill(from, 0, to-from+1, d.hatch(), Window)
		until := line.W
		for k := range faults {
			if at := d.axis.Col(faults[k].From); at > from {
				until = min(until, at)
			}
		}
		d.nameFault(&line, f, from, to, until)
	}
	if d.rate > 0 {
		text := " capacity " + fleetNumber(d.rate) + "/s"
		if x := d.g.W - TextWidth(text); x > d.chart.X+d.chart.W {
			d.g.Text(x, 0, Dim, text)
		}
	}
}

// hatch shades the time of a fault, above the bands: unlike the shades of what failed there.
func (d *fleetPicture) hatch() rune {
	if d.gl.ASCII {
		return '/'
	}
	return '╱'
}

// nameFault writes what is wrong into the shade of a fault or, where there is no room, behind it, up to a column.
func (d *fleetPicture) nameFault(line *Grid, f *sim.Fault, from, to, until int) {
	words := []string{faultWord(f), [...]string{"down", "hole", "fails", "slow"}[f.Kind]}
	for _, word := range words {
		if word = " " + word + " "; TextWidth(word) <= min(to, line.W)-from-1 {
			line.Text(from+1, 0, FinalText, word)
			return
		}
	}
	for _, word := range words {
		if to+1+TextWidth(word)+1 <= until {
			line.Text(to+2, 0, FinalText, word)
			return
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
	d.bars(lane, d.g.sub(d.chart.X, r.Y, d.chart.W, r.H))
	d.words(lane, r)
	if row, ok := d.ruleRow(r.H); ok { // the bars may hide the rule: its ends show where it is
		d.g.Set(d.chart.X-1, r.Y+row, d.gl.TeeRight, Rule)
		if d.chart.X+d.chart.W < d.g.W-1 {
			d.g.Set(d.chart.X+d.chart.W, r.Y+row, d.gl.TeeLeft, Rule)
		}
	}
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
			all := []rune(line)
			line = string(all[:w])
			if cut := strings.LastIndexByte(line, ' '); cut > 0 && y < r.H-1 && all[w] != ' ' {
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

// cursor draws the line of the cursor.
func (d *fleetPicture) cursor(g *Grid) {
	x := d.axis.Col(d.in.Now)
	if d.in.Now < 0 || x < 0 || x >= g.W {
		return
	}
	for y := range g.H {
		if r, _ := g.At(x, y); r == ' ' || r == d.gl.Cut {
			g.Set(x, y, d.gl.Now, Now)
		} else {
			g.Restyle(x, y, 1, Reverse)
		}
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
