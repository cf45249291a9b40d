package ui

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// heatPicture is a heat map under way.
type heatPicture struct {
	fleetPicture

	lane   *FleetLane
	run    *sim.Summary
	group  int // buckets of a span
	labels int // columns of the labels
}

// DrawHeat draws when the calls of the chosen lane succeed and how long that took them: time to the right, the time to
// success up on a log scale, and under it the work that was of use and the work for nobody.
func DrawHeat(g *Grid, in *FleetInput) FleetLayout {
	if len(in.Lanes) == 0 || g.W < 30 || g.H < 5 {
		return FleetLayout{}
	}
	lane := &in.Lanes[max(min(in.Chosen, len(in.Lanes)-1), 0)]
	h := heatPicture{fleetPicture: fleetPicture{g: g, in: in, gl: in.Glyphs}, lane: lane, run: lane.Run, labels: 11}
	h.chart = Rect{h.labels + 1, 1, g.W - h.labels - 1 - 14, 0}
	if h.run == nil || h.run.First == nil {
		g.Text(1, 0, Dim, "not run yet")
		return FleetLayout{}
	}
	h.scale()
	h.group = max(int(h.span/h.run.First.Width), 1)
	below := 3 // useful, not useful, the axis
	if g.H > 20 {
		below = 7
	}
	low, high := heatReach(h.run.First)
	rows := min(high-low+1, g.H-1-below)
	h.head()
	h.g.Text(0, 0, Dim, "time to ok")
	h.map2d(low, high, rows)
	each := max(min((g.H-2-rows)/2, 6), 1) // what is left over, too
	h.work(1+rows, each)
	h.times(&h.axis, 1+rows+2*each)
	h.chart.H = rows + 2*each
	area := g.sub(h.chart.X, 1, h.chart.W, h.chart.H)
	h.cursor(&area)
	return FleetLayout{Chart: h.chart, Axis: h.axis}
}

// heatReach are the lowest and the highest row with anything in it.
func heatReach(r *sim.Result) (low, high int) {
	low, high = sim.HeatRows-1, 0
	for i := range r.Heat {
		for row, n := range r.Heat[i] {
			if n > 0 {
				low, high = min(low, row), max(high, row)
			}
		}
	}
	if low > high {
		return 0, sim.HeatRows - 1
	}
	return low, high
}

// map2d draws the rows of latency, the longest on top. Where there is no room for all, those in the middle of nothing are
// the lowest ones: long times matter.
func (h *heatPicture) map2d(low, high, rows int) {
	most := h.most()
	for y := range rows {
		row := high - y
		text := "up to " + engine.FormatDuration(sim.HeatLimit(row))
		if row == sim.HeatRows-1 {
			text = "above " + engine.FormatDuration(sim.HeatLimit(row-1))
		}
		h.g.TextRight(h.labels, 1+y, Dim, text)
		h.g.Set(h.chart.X-1, 1+y, h.gl.V, Rule)
		h.g.Set(h.chart.X+h.chart.W, 1+y, h.gl.V, Rule)
		all := int64(0)
		for x := range h.chart.W {
			from, to := h.axis.Time(x), h.axis.Time(x+1)
			n := h.count(from, to, row, y == rows-1, low)
			if n > 0 {
				level := min(int(4*float64(n)/most), 3)
				h.g.Set(h.chart.X+x, 1+y, h.heat(level), heatStyle(row))
			}
		}
		for i := range h.run.First.Heat {
			all += int64(h.run.First.Heat[i][row])
		}
		h.g.TextRight(h.g.W-1, 1+y, Dim, fleetPercent(float64(all)/max(float64(h.run.First.Times.Count()), 1)))
	}
}

// heatStyle tells times that a caller waits for from those it does not.
func heatStyle(row int) Style {
	switch limit := sim.HeatLimit(row); {
	case limit <= 300*time.Millisecond:
		return OK
	case limit <= 3*time.Second:
		return Retried
	default:
		return Final
	}
}

// most is the most successes of one span in one row.
func (h *heatPicture) most() float64 {
	most := int64(1)
	heat := h.run.First.Heat
	for i := 0; i < len(heat); i += h.group {
		var sum [sim.HeatRows]int64
		for j := i; j < min(i+h.group, len(heat)); j++ {
			for row, n := range heat[j] {
				sum[row] += int64(n)
			}
		}
		for _, n := range sum {
			most = max(most, n)
		}
	}
	return float64(most)
}

// count is the most successes of a span that begins in a column; the last row that shows has those below it too.
func (h *heatPicture) count(from, to time.Duration, row int, last bool, low int) int64 {
	heat := h.run.First.Heat
	most := int64(0)
	for i := int(from/h.span) * h.group; i < len(heat) && time.Duration(i)*h.run.First.Width < to; i += h.group {
		n := int64(0)
		for j := i; j < min(i+h.group, len(heat)); j++ {
			n += int64(heat[j][row])
			for r := low; last && r < row; r++ {
				n += int64(heat[j][r])
			}
		}
		most = max(most, n)
	}
	return most
}

// heat is a cell of four degrees.
func (h *heatPicture) heat(level int) rune {
	if h.gl.ASCII {
		return []rune(".:+#")[level]
	}
	return []rune("░▒▓█")[level]
}

// work draws bars of what the server did that was of use, and what it did for nobody.
func (h *heatPicture) work(y, each int) {
	spans := h.spans(h.lane)
	top := 1.0
	for i := range spans {
		top = max(top, float64(spans[i].Useful), float64(wasted(&spans[i])))
	}
	for k, name := range []string{"useful", "for nobody"} {
		h.g.TextRight(h.labels, y+k*each, Dim, name)
		total := int64(0)
		for i := range spans {
			total += workOf(&spans[i], k)
		}
		h.g.TextRight(h.g.W-1, y+k*each, Dim, fleetNumber(float64(total))+" calls")
		for r := range each {
			h.g.Set(h.chart.X-1, y+k*each+r, h.gl.V, Rule)
			h.g.Set(h.chart.X+h.chart.W, y+k*each+r, h.gl.V, Rule)
		}
		for x := range h.chart.W {
			from, to := h.axis.Time(x), h.axis.Time(x+1)
			n := int64(0)
			for i := int(from / h.span); i < len(spans) && time.Duration(i)*h.span < to; i++ {
				n = max(n, workOf(&spans[i], k))
			}
			h.column(x, y+k*each, each, float64(n)/top, [...]Style{OK, Final}[k])
		}
	}
}

func workOf(b *sim.Bucket, k int) int64 {
	if k == 0 {
		return b.Useful
	}
	return wasted(b)
}

// wasted is work for a client that had given up.
func wasted(b *sim.Bucket) int64 { return b.Late }

// column draws a share of a height from the bottom up.
func (h *heatPicture) column(x, y, height int, share float64, s Style) {
	eighths := int(share*float64(8*height) + 0.5)
	if share > 0 {
		eighths = max(eighths, 1)
	}
	for r := range height {
		if n := min(max(eighths-8*r, 0), 8); n > 0 {
			h.g.Set(h.chart.X+x, y+height-1-r, h.level(n), s)
		}
	}
}
