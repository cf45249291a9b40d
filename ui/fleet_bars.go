package ui

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// The height of a bar is the attempts sent in a span of time. Its blocks (█▄) are the share of those that was useful, its
// shades (▒░) the share that came to nothing, and ▚ some of both: by what became of the attempts that ended in that span. An
// attempt that waits in a queue has not ended and counts for neither.

// usefulShares is, of the attempts sent in each of some spans, the share that was useful: as much as of those that ended
// meanwhile, and at most what the server did not swallow. Where none ended it is as in the next span in which one did;
// nothing comes of those after which none ends any more.
func usefulShares(spans []sim.Bucket) []float64 {
	out := make([]float64, len(spans))
	next := 0.0
	for i := len(spans) - 1; i >= 0; i-- {
		b := &spans[i]
		open := b.Calls - b.Waiting // attempts without an outcome
		if i > 0 {
			open -= spans[i-1].Calls - spans[i-1].Waiting
		}
		ended := max(b.Sent()-open, b.Useful) // a small fleet grown up is rounded
		if ended > 0 {
			next = float64(b.Useful) / float64(ended)
		}
		out[i] = next
		if sent := b.Sent(); sent > 0 {
			out[i] = min(next, 1-float64(min(b.Dropped, sent))/float64(sent))
		}
	}
	return out
}

// bars draws the attempts of each fixed span. A column that covers several is as high as the most of them, and has the
// share of all of them.
func (d *fleetPicture) bars(lane *FleetLane, g Grid) {
	s, spans := lane.Run, d.spans(lane)
	ruleRow, hasRule := d.ruleRow(g.H)
	for x := range g.W {
		from, to := d.axis.Time(x), d.axis.Time(x+1)
		if hasRule && from <= fleetEnd(s) {
			g.Set(x, ruleRow, d.gl.Cut, Neutral)
		}
		most, all, useful := int64(0), 0.0, 0.0
		for i := int(from / d.span); i < len(spans) && time.Duration(i)*d.span < to; i++ {
			sent := spans[i].Sent()
			most = max(most, sent)
			all += float64(sent)
			useful += float64(sent) * lane.shares[i]
		}
		if most > 0 {
			rate := float64(most) / d.span.Seconds()
			d.bar(&g, x, rate, rate*useful/all)
		}
	}
	d.cursor(&g)
}

// ruleRow is the line of a band in which the capacity lies.
func (d *fleetPicture) ruleRow(h int) (row int, ok bool) {
	if d.rate == 0 || d.rate > d.top {
		return 0, false
	}
	return max(h-1-int(d.rate/d.top*float64(h)), 0), true
}

// bar draws one column from the bottom up, what is useful first. A cell is what three quarters of it are, else mixed.
func (d *fleetPicture) bar(g *Grid, x int, rate, useful float64) {
	scale := float64(g.H*8) / d.top
	eighths, good := max(int(math.Round(rate*scale)), 1), useful*scale
	for y := range g.H {
		n := min(max(eighths-8*y, 0), 8)
		if n == 0 {
			return
		}
		all, part := min(rate*scale-float64(8*y), 8), good-float64(8*y)
		switch {
		case part >= all*3/4:
			g.Set(x, g.H-1-y, d.level(n), OK)
		case part > all/4:
			g.Set(x, g.H-1-y, d.mixed(), RetriedText)
		default:
			g.Set(x, g.H-1-y, d.shade(n), Retried)
		}
	}
	if eighths > g.H*8 {
		g.Set(x, 0, d.gl.Up, FinalBold)
	}
}

// shade is a cell filled by n eighths with attempts that come to nothing.
func (d *fleetPicture) shade(n int) rune {
	switch {
	case d.gl.ASCII && n > 4:
		return 'X'
	case d.gl.ASCII:
		return 'x'
	case n > 4:
		return '▒'
	default:
		return '░'
	}
}

// mixed is a cell of attempts of which many are useful and many are not.
func (d *fleetPicture) mixed() rune {
	if d.gl.ASCII {
		return '%'
	}
	return '▚'
}

// level is a cell filled from below by n eighths.
func (d *fleetPicture) level(n int) rune {
	if d.gl.ASCII {
		return []rune(".,-=+*##")[n-1]
	}
	return []rune("▁▂▃▄▅▆▇█")[n-1]
}

// legend names the kinds of cells.
func (d *fleetPicture) legend(x, y int) {
	for _, kind := range []struct {
		cell  rune
		style Style
		word  string
	}{{d.level(8), OK, " ok "}, {d.mixed(), RetriedText, " mixed "}, {d.shade(8), Retried, " fail"}} {
		d.g.Set(x, y, kind.cell, kind.style)
		x = d.g.Text(x+1, y, Dim, kind.word)
	}
}
