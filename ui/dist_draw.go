package ui

import (
	"math"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// DistInput is what the picture of a distribution is drawn from.
type DistInput struct {
	// Result is what was found; nil where there is nothing yet.
	Result *sim.DistResult
	// Chosen is the lane in focus, below 0 for none; Linear has the retries on a linear axis.
	Chosen int
	Linear bool
	Glyphs *Glyphs
}

// The columns of the picture.
const (
	distNameW    = 10
	distFiguresW = 18
	mostBins     = 400
)

// The places of quantiles in sim.DistShares.
const (
	distP5 = iota
	distP25
	distP50
	distP75
	distP90
	distP95
	distP99
	distP999
)

// distPicture is a picture under way.
type distPicture struct {
	g     *Grid
	in    *DistInput
	gl    *Glyphs
	lanes []*sim.DistLane
	bins  *distBins
}

// DrawDist draws when each retry is sent, a line a retry with the deadline as a rule, and a histogram of the total wait.
func DrawDist(g *Grid, in *DistInput) { drawDist(g, in, &distBins{}) }

func drawDist(g *Grid, in *DistInput, bins *distBins) {
	if in.Result == nil || g.W < 40 || g.H < 4 {
		return
	}
	d := distPicture{g: g, in: in, gl: in.Glyphs, bins: bins, lanes: distLanesOf(in.Result)}
	lines := 0
	for _, l := range d.lanes {
		lines += len(l.Retries)
	}
	fan := min(lines, max((g.H-5)/2, 2))
	if g.H >= 12 {
		fan = min(lines, g.H-3-5)
	}
	if lines == 0 {
		g.Text(1, 0, Dim, "no retry is ever sent")
	} else {
		fan = d.fans(Rect{0, 0, g.W, fan + 2})
	}
	if y := fan + 2; g.H-y >= 3 {
		sub := g.sub(0, y, g.W, min(g.H-y, 2+8*len(d.lanes)))
		d.histogram(&sub)
	}
}

func distLanesOf(r *sim.DistResult) []*sim.DistLane {
	if r.B != nil {
		return []*sim.DistLane{&r.A, r.B}
	}
	return []*sim.DistLane{&r.A}
}

// laneStyle tells two lanes apart, as their letters do.
func laneStyle(i int) Style { return [...]Style{OK, Retried}[i%2] }

// fanLine is a retry of a lane.
type fanLine struct {
	lane  int
	retry *sim.DistRetry
}

// fanLines picks the retries that find room: the same ones of every lane, the first and the last among them.
func (d *distPicture) fanLines(rows int) []fanLine {
	most := 0
	for _, l := range d.lanes {
		most = max(most, len(l.Retries))
	}
	var out []fanLine
	for n := min(most, rows); n > 0; n-- {
		out = out[:0]
		for i := range n {
			at := i * (most - 1) / max(n-1, 1)
			if len(d.lanes) > 1 && i < n-1 {
				at = i // the first ones are those that both have
			}
			for k, l := range d.lanes {
				if at < len(l.Retries) {
					out = append(out, fanLine{k, &l.Retries[at]})
				}
			}
		}
		if len(out) <= rows {
			return out
		}
	}
	return out[:min(len(out), rows)]
}

// fans draws the lines of the retries on one axis, and tells how many they are.
func (d *distPicture) fans(r Rect) int {
	lines := d.fanLines(r.H - 2)
	end := d.in.Result.Deadline
	for i := range lines {
		end = max(end, lines[i].retry.At.Q[distP99])
	}
	kind := ScaleLog
	if d.in.Linear {
		kind = ScaleLinear
	}
	w := r.W - distNameW - distFiguresW - 1
	axis := NewAxis(AxisInput{Kind: kind, W: w, End: end, Room: 1})
	if kind == ScaleLog { // what comes first decides where the decades begin
		axis = logFrom(lines, w, end)
	}
	d.g.Text(0, 0, Dim, "retry sent")
	x := d.g.Text(distNameW+1, 0, Dim, "p5"+string(d.gl.H)+string(d.gl.H)+"p25"+string(d.gl.Fixed)+string(d.gl.Fixed))
	x = d.g.Text(x, 0, OKBold, string(d.gl.Bar))
	d.g.Text(x, 0, Dim, string(d.gl.Fixed)+string(d.gl.Fixed)+"p75"+string(d.gl.H)+string(d.gl.H)+"p95  p99 "+dotOf(d.gl))
	d.g.TextRight(r.W, 0, Dim, " sent   p50   p99")
	d.deadlineWord(&axis, distNameW+1, 0)
	for i := range lines {
		d.fan(&lines[i], 1+i, &axis)
	}
	line := d.g.sub(distNameW+1, 1+len(lines), w, 1)
	axisTimes(&line, &axis)
	return len(lines)
}

// logFrom is a log axis that begins where the earliest line does.
func logFrom(lines []fanLine, w int, end time.Duration) Axis {
	first := end
	for i := range lines {
		if t := lines[i].retry.At.Q[distP5]; t > 0 {
			first = min(first, t)
		}
	}
	a := NewAxis(AxisInput{Kind: ScaleLog, W: w, End: end, Room: 1})
	a.unit = max(float64(first)/2, float64(end)/1e6, 1)
	a.top = a.unit * math.Expm1(math.Log1p(float64(max(end, 1))/a.unit)*float64(w)/float64(max(w-1, 1)))
	return a
}

// deadlineWord names the rule of the deadline above it, where there is room.
func (d *distPicture) deadlineWord(axis *Axis, x, y int) {
	limit := d.in.Result.Deadline
	if limit <= 0 {
		return
	}
	col := axis.Col(limit)
	text := "deadline " + engine.FormatDuration(limit)
	if from := x + col - TextWidth(text); col < axis.W && from > x+32 {
		d.g.Text(from, y, FinalText, text)
		d.g.Set(x+col, y, d.gl.Timeout, Final)
	}
}

func (d *distPicture) fan(f *fanLine, y int, axis *Axis) {
	name := "retry " + strconv.Itoa(f.retry.Number)
	if len(d.lanes) > 1 {
		name = laneLetter(f.lane) + " " + name
	}
	style := Dim
	if f.lane == d.in.Chosen && len(d.lanes) > 1 {
		style = Plain
	}
	d.g.TextCut(0, y, distNameW-1, style, name, "")
	d.g.Set(distNameW, y, d.gl.V, Rule)
	d.g.Set(distNameW+1+axis.W, y, d.gl.V, Rule)
	line := d.g.sub(distNameW+1, y, axis.W, 1)
	if limit := d.in.Result.Deadline; limit > 0 {
		line.Set(axis.Col(limit), 0, d.gl.Timeout, Final)
	}
	q := &f.retry.At.Q
	col := func(i int) int { return min(max(axis.Col(q[i]), 0), axis.W-1) }
	s := laneStyle(f.lane)
	line.Fill(col(distP5), 0, col(distP95)-col(distP5)+1, d.gl.H, s)
	line.Fill(col(distP25), 0, col(distP75)-col(distP25)+1, d.gl.Fixed, s)
	line.Text(col(distP99), 0, s, dotOf(d.gl))
	line.Set(col(distP50), 0, d.gl.Bar, s)
	x := d.g.W - distFiguresW + 1
	d.g.TextRight(x+4, y, Plain, fleetPercent(f.retry.Sent.Value))
	d.g.TextRight(x+10, y, Plain, shortTime(q[distP50]))
	d.g.TextRight(x+16, y, Plain, shortTime(q[distP99]))
}

// shortTime is a time in at most five cells where it is below a thousand seconds.
func shortTime(t time.Duration) string { return FleetTime(t.Seconds()) }

// axisTimes writes the ticks of an axis.
func axisTimes(line *Grid, axis *Axis) {
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

// distBins are the columns of a histogram, made once a picture.
type distBins struct {
	of    *sim.DistResult
	w     int
	axis  Axis
	share [2][mostBins]float64
	top   float64
}

// make counts the columns.
func (b *distBins) make(r *sim.DistResult, lanes []*sim.DistLane, w int) {
	if w = min(w, mostBins); b.of == r && b.w == w {
		return
	}
	*b = distBins{of: r, w: w}
	end := time.Duration(0)
	for _, l := range lanes {
		if !l.Wait.None {
			end = max(end, l.Wait.Q[distP999])
		}
	}
	if end >= engine.Forever/2 {
		end = r.Deadline
	}
	b.axis = NewAxis(AxisInput{Kind: ScaleLinear, W: w, End: max(end, time.Millisecond), Room: 1})
	for i, l := range lanes {
		was := 0.0
		for x := range w {
			now := l.Wait.CDF(b.axis.Time(x+1) - 1)
			b.share[i][x] = now - was
			was = now
		}
	}
	b.top = b.highest(len(lanes))
}

// highest is the share at the top of a band. One column that towers above all others, such as that of the calls that do not
// wait at all, is cut: else there would be nothing to see beside it.
func (b *distBins) highest(lanes int) float64 {
	first, second := 0.0, 0.0
	for i := range lanes {
		one, two := 0.0, 0.0 // each lane may have one that towers
		for _, share := range b.share[i][:b.w] {
			one, two = max(one, share), max(two, min(one, share))
		}
		first, second = max(first, one), max(second, two)
	}
	if second > 0 && first > 4*second {
		return 1.5 * second
	}
	return first
}

// histogram draws the total waits, a band a lane on one scale.
func (d *distPicture) histogram(g *Grid) {
	w := g.W - distNameW - distFiguresW - 1
	d.bins.make(d.in.Result, d.lanes, w)
	b := d.bins
	each := max(min((g.H-2)/len(d.lanes), 6), 1)
	g.Text(0, 0, Dim, "total wait of a call")
	rows := 0
	for i, l := range d.lanes {
		y := 1 + i*each
		if y+each > g.H-1 {
			break
		}
		rows += each
		d.band(g, i, l, Rect{distNameW + 1, y, b.w, each})
	}
	line := g.sub(distNameW+1, 1+rows, b.w, 1)
	axisTimes(&line, &b.axis)
	d.deadlineOn(g, rows)
}

// deadlineOn draws the deadline through the bands.
func (d *distPicture) deadlineOn(g *Grid, rows int) {
	limit := d.in.Result.Deadline
	x := d.bins.axis.Col(limit)
	if limit <= 0 || x >= d.bins.w {
		return
	}
	for y := range rows {
		if r, _ := g.At(distNameW+1+x, 1+y); r == ' ' {
			g.Set(distNameW+1+x, 1+y, d.gl.Timeout, Final)
		}
	}
}

// band is the histogram of one lane with marks at its quantiles, and its figures beside it.
func (d *distPicture) band(g *Grid, i int, l *sim.DistLane, r Rect) {
	for y := range r.H {
		g.Set(r.X-1, r.Y+y, d.gl.V, Rule)
		g.Set(r.X+r.W, r.Y+y, d.gl.V, Rule)
	}
	if len(d.lanes) > 1 {
		style := Bold
		if i == d.in.Chosen {
			style = Focus
			g.Set(0, r.Y, d.gl.Pointer, style)
		}
		g.Text(1, r.Y, style, laneLetter(i))
	}
	f := fleetPicture{gl: d.gl}
	for x := range r.W {
		share := d.bins.share[i][x]
		if share <= 0 || d.bins.top <= 0 {
			continue
		}
		eighths := max(int(share/d.bins.top*float64(8*r.H)+0.5), 1)
		for y := range r.H {
			if n := min(max(eighths-8*y, 0), 8); n > 0 {
				g.Set(r.X+x, r.Y+r.H-1-y, f.level(n), laneStyle(i))
			}
		}
		if eighths > 8*r.H {
			g.Set(r.X+x, r.Y, d.gl.Up, laneStyle(i))
		}
	}
	d.marks(g, l, r)
	texts := []string{fleetPercent(l.Success.Value) + " succeed", "p50 " + waitText(l, distP50), "p99 " + waitText(l, distP99)}
	for y, text := range texts {
		if y < r.H {
			g.TextCut(r.X+r.W+2, r.Y+y, g.W-r.X-r.W-2, Plain, text, d.gl.Ellipsis)
		}
	}
}

func waitText(l *sim.DistLane, q int) string {
	if l.Wait.None {
		return string('-')
	}
	return shortTime(l.Wait.Q[q])
}

// marks names the quantiles in the top line of a band, where nothing is in the way.
func (d *distPicture) marks(g *Grid, l *sim.DistLane, r Rect) {
	if l.Wait.None || r.H < 2 {
		return
	}
	next := 0
	for _, m := range []struct {
		name string
		at   int
	}{{"p50", distP50}, {"p90", distP90}, {"p99", distP99}} {
		x := d.bins.axis.Col(l.Wait.Q[m.at])
		if x < next || x >= r.W {
			continue
		}
		for y := range r.H {
			if c, _ := g.At(r.X+x, r.Y+y); c == ' ' {
				g.Set(r.X+x, r.Y+y, d.gl.V, Neutral)
			} else {
				g.Restyle(r.X+x, r.Y+y, 1, Reverse)
			}
		}
		next = x + 1
		if from := x + 1; from+len(m.name) < r.W {
			if c, _ := g.At(r.X+from, r.Y); c == ' ' {
				next = g.Text(r.X+from, r.Y, Dim, m.name) - r.X + 1
			}
		}
	}
}
