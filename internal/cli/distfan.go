package cli

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// mostFanLines is how many retries of a lane are drawn; of more, as many are picked out.
const mostFanLines = 20

// The places of quantiles in sim.DistShares.
const (
	atP5 = iota
	atP25
	atP50
	atP75
	atP90
	atP95
	atP99
	atP999
)

// logAxis is a range of times on a logarithmic scale of columns.
type logAxis struct {
	lo, hi  float64
	columns int
}

// at is the column of a time; what is before the axis is at its edge.
func (a *logAxis) at(d time.Duration) int {
	t := min(max(float64(d), a.lo), a.hi)
	return int(math.Round(math.Log(t/a.lo) / math.Log(a.hi/a.lo) * float64(a.columns-1)))
}

// fans draws when each retry is sent, a line a retry, all lanes on one axis.
func (d *distText) fans(r *sim.DistResult, lanes []*sim.DistLane) {
	const labels, figures = 10, 17
	axis := logAxis{lo: math.Inf(1), columns: max(d.width-labels-figures-2, 10)}
	for _, l := range lanes {
		for i := range l.Retries {
			q := &l.Retries[i].At.Q
			if q[atP5] > 0 {
				axis.lo = min(axis.lo, float64(q[atP5]))
			}
			axis.hi = max(axis.hi, float64(q[atP99]))
		}
	}
	if axis.hi == 0 || math.IsInf(axis.lo, 1) {
		return
	}
	if r.Deadline > 0 {
		axis.hi = max(axis.hi, min(float64(r.Deadline)*1.05, axis.hi*10))
	}
	axis.lo = max(axis.lo, axis.hi/1e6)
	axis.hi = max(axis.hi, axis.lo*1.5)
	for i, l := range lanes {
		if len(l.Retries) == 0 {
			continue
		}
		title := "WHEN EACH RETRY IS SENT"
		if name := lanesLabel(lanes, i); name != "" {
			title += ": " + name
		}
		d.b.WriteString("\n")
		d.line(fmt.Sprintf("%s  log time  %s", title, d.legend(r.Deadline)))
		for _, n := range picked(len(l.Retries), mostFanLines) {
			d.fan(&l.Retries[n], &axis, r.Deadline)
		}
		d.line(pad(strings.Repeat(" ", labels)+" "+ticks(&axis), labels+axis.columns+2) + " sent   p50   p99")
	}
}

func (d *distText) legend(deadline time.Duration) string {
	text := "─p5-95 ━p25-75 █p50 ·p99"
	if d.ascii {
		text = "-p5-95 =p25-75 #p50 .p99"
	}
	if deadline > 0 {
		text += " ┊deadline"
	}
	return text
}

func (d *distText) fan(r *sim.DistRetry, axis *logAxis, deadline time.Duration) {
	thin, thick, median, dot := '─', '━', '█', '·'
	if d.ascii {
		thin, thick, median, dot = '-', '=', '#', '.'
	}
	cells := []rune(strings.Repeat(" ", axis.columns))
	q := &r.At.Q
	fill := func(from, to time.Duration, mark rune) {
		for i := axis.at(from); i <= axis.at(to); i++ {
			cells[i] = mark
		}
	}
	if deadline > 0 && float64(deadline) >= axis.lo && float64(deadline) <= axis.hi {
		cells[axis.at(deadline)] = '┊'
	}
	fill(q[atP95], q[atP99], dot)
	fill(q[atP5], q[atP95], thin)
	fill(q[atP25], q[atP75], thick)
	fill(q[atP50], q[atP50], median)
	d.line(fmt.Sprintf("retry %-3d │%s│ %4s %5s %5s", r.Number, string(cells), whole(r.Sent.Value), brief(q[atP50]), brief(q[atP99])))
}

// whole is a share in whole percent.
func whole(x float64) string {
	switch {
	case x > 0 && x < 0.005:
		return "<1%"
	case x < 1 && x >= 0.995:
		return ">99%"
	}
	return fmt.Sprintf("%.0f%%", x*100)
}

// picked is up to most of n places, the first and the last among them.
func picked(n, most int) []int {
	var out []int
	for i := range min(n, most) {
		out = append(out, i*max(n-1, 1)/max(min(n, most)-1, 1))
	}
	return out
}

// ticks names the powers of ten of an axis where there is room.
func ticks(a *logAxis) string {
	line := []rune(strings.Repeat(" ", a.columns+6))
	free := 0
	for exp := math.Ceil(math.Log10(a.lo) - 1e-9); exp <= math.Log10(a.hi)+1e-9; exp++ {
		t := time.Duration(math.Round(math.Pow(10, exp)))
		text := []rune(brief(t))
		if at := a.at(t); at >= free && at+len(text) <= a.columns+1 {
			copy(line[at:], text)
			free = at + len(text) + 1
		}
	}
	if free == 0 { // less than a decade: its ends
		copy(line, []rune(brief(time.Duration(a.lo))))
		text := []rune(brief(time.Duration(a.hi)))
		copy(line[max(a.columns-len(text), 7):], text)
	}
	return string(line[:a.columns+1])
}

// histogram draws the total wait, lanes side by side, with marks at the quantiles and the deadline.
func (d *distText) histogram(r *sim.DistResult, lanes []*sim.DistLane) {
	lo, hi := time.Duration(math.MaxInt64), time.Duration(0)
	for _, l := range lanes {
		if l.Wait.None {
			return
		}
		lo, hi = min(lo, l.Wait.Min), max(hi, l.Wait.Q[atP999])
	}
	if hi == lo || hi >= engine.Forever/2 {
		return
	}
	step := niceStep(hi - lo)
	first := lo / step * step
	bins := max(int((hi-first+step-1)/step), 1)
	shares := make([][]float64, len(lanes))
	top := 0.0
	for i, l := range lanes {
		for b := range bins {
			from := first + time.Duration(b)*step
			share := l.Wait.CDF(from + step)
			if b > 0 { // the first has what is at its edge
				share -= l.Wait.CDF(from)
			}
			shares[i] = append(shares[i], share)
			top = max(top, share)
		}
	}
	d.b.WriteString("\nTOTAL WAIT OF A CALL  share of calls\n")
	const label, after = 15, 16
	bar := max((d.width-label)/len(lanes)-after, 5)
	for b := range bins {
		from := first + time.Duration(b)*step
		text := fmt.Sprintf("%13s ", edge(from)+"-"+edge(from+step))
		for i, l := range lanes {
			cell := "│" + d.bar(shares[i][b]/top, bar) + fmt.Sprintf(" %6s", fixed(shares[i][b])) + marks(l, r.Deadline, from, from+step, b == 0)
			text += pad(cell, bar+after-1) + " "
		}
		d.line(text)
	}
}

// edge is a time without zeros at its end.
func edge(d time.Duration) string {
	text := brief(d)
	digits := strings.TrimRight(text, "nµmshd")
	if !strings.Contains(digits, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(digits, "0"), ".") + text[len(digits):]
}

// fixed is a share with one decimal, for a column.
func fixed(x float64) string {
	if x > 0 && x < 0.0005 {
		return "<0.1%"
	}
	return fmt.Sprintf("%.1f%%", x*100)
}

// marks are the quantiles in a bin, and the deadline.
func marks(l *sim.DistLane, deadline, from, to time.Duration, first bool) string {
	in := func(t time.Duration) bool { return t > from && t <= to || first && t == from }
	var out []string
	for _, m := range []struct {
		name string
		at   time.Duration
	}{{"p50", l.Wait.Q[atP50]}, {"p90", l.Wait.Q[atP90]}, {"p99", l.Wait.Q[atP99]}} {
		if in(m.at) {
			out = append(out, m.name)
		}
	}
	text := ""
	if deadline > 0 && in(deadline) {
		text = "┊"
	}
	switch {
	case len(out) > 1:
		return text + "◀" + out[0] + "-" + out[len(out)-1][1:]
	case len(out) == 1:
		return text + "◀" + out[0]
	}
	return text
}

// bar is a share of a width, in eighths of a column.
func (d *distText) bar(x float64, width int) string {
	eighths := int(math.Round(min(max(x, 0), 1) * float64(width) * 8))
	if d.ascii {
		return pad(strings.Repeat("#", (eighths+4)/8), width)
	}
	out := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		out += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return pad(out, width)
}

// niceStep is the width of some 8 to 16 bins.
func niceStep(span time.Duration) time.Duration {
	step := math.Pow(10, math.Floor(math.Log10(float64(span)/8)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if float64(span)/(m*step) <= 16 {
			return max(time.Duration(math.Round(m*step)), 1)
		}
	}
	return max(time.Duration(math.Round(10*step)), 1)
}
