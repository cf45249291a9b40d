package ui

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/sim"
)

// crowdCalls is how many callers the row under the timeline stands for, and crowdSends how many attempts they may make
// together before fewer have to do.
const (
	crowdCalls = 1000
	crowdSends = 300_000
)

// crowd is when many callers with the policy and the script of the timeline would send, all beginning at once. It is drawn
// by a command, so that it delays no key; what is there meanwhile is what was drawn last.
type crowd struct {
	key    distKey
	asked  bool
	result *sim.DistResult
	gen    int
	cancel context.CancelFunc

	bins crowdBins
}

// crowdMsg is a crowd that was drawn; its result is nil where that cannot be.
type crowdMsg struct {
	gen    int
	result *sim.DistResult
}

func (c *crowd) stop() {
	c.gen++
	c.asked = false
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
}

// sync is the command that draws the crowd of a doc; nil where it is drawn, or being drawn, or nobody sees it.
func (c *crowd) sync(d *doc, wall time.Time, shown bool) tea.Cmd {
	if d.live || !shown {
		if c.asked {
			c.stop()
		}
		return nil
	}
	one := *d
	one.dist = &distDoc{kind: distScript}
	key := distKeyOf(&one)
	if c.asked && key == c.key {
		return nil
	}
	c.stop()
	ctx, cancel := context.WithCancel(context.Background())
	c.key, c.asked, c.cancel = key, true, cancel
	gen := c.gen
	return func() tea.Msg {
		defer cancel()
		return crowdMsg{gen, drawCrowd(ctx, &one, wall)}
	}
}

// drawCrowd draws the calls; nil where the script is none for many calls, or ctx ended.
func drawCrowd(ctx context.Context, d *doc, wall time.Time) *sim.DistResult {
	config, err := distConfig(d, wall)
	if err != nil {
		return nil
	}
	config.Draws = min(crowdCalls, crowdSends/mostSends(&d.policy))
	r, err := sim.Dist(ctx, config)
	if err != nil {
		return nil
	}
	return r
}

// take takes a crowd; false for one that nobody waits for.
func (c *crowd) take(msg crowdMsg) bool {
	if msg.gen != c.gen {
		return false
	}
	c.cancel = nil
	c.result = msg.result
	return true
}

// crowdBins are the sends of each column of the timeline's axis, made once an axis and crowd.
type crowdBins struct {
	of    *sim.DistResult
	axis  Axis
	sends []float64 // a caller
	top   float64
}

func (b *crowdBins) make(r *sim.DistResult, axis *Axis) {
	if b.of == r && b.axis == *axis {
		return
	}
	b.of, b.axis = r, *axis
	b.sends = append(b.sends[:0], make([]float64, axis.W)...)
	if axis.From == 0 {
		b.sends[0] = 1 // the first send of each
	}
	for i := range r.A.Retries {
		retry := &r.A.Retries[i]
		if retry.At.None || retry.At.Min > axis.To() || retry.At.Max < axis.From {
			continue
		}
		from, to := max(axis.Col(retry.At.Min), 0), min(axis.Col(retry.At.Max), axis.W-1)
		was := 0.0
		if from == 0 && axis.From > 0 {
			was = retry.At.CDF(axis.From - 1)
		}
		for x := from; x <= to; x++ {
			now := retry.At.CDF(axis.Time(x+1) - 1)
			b.sends[x] += (now - was) * retry.Sent.Value
			was = now
		}
	}
	one, two := 0.0, 0.0
	for _, n := range b.sends {
		one, two = max(one, n), max(two, min(one, n))
	}
	b.top = one
	if two > 0 && one > 4*two {
		b.top = 1.5 * two
	}
}

// draw draws the density into g, whose lines are one band; plot is the column where the axis begins.
func (c *crowd) draw(g *Grid, plot int, axis *Axis, gl *Glyphs) {
	if c.result == nil || axis.W < 1 {
		return
	}
	c.bins.make(c.result, axis)
	g.TextCut(1, g.H-1, plot-2, Dim, strconv.Itoa(crowdCalls)+" calls", "")
	f := fleetPicture{gl: gl}
	line := g.sub(plot, 0, axis.W, g.H)
	for x, n := range c.bins.sends {
		if n <= 0 || c.bins.top <= 0 {
			continue
		}
		if n*crowdCalls < 0.5 {
			continue // none of them
		}
		eighths := max(int(n/c.bins.top*float64(8*line.H)+0.5), 1)
		for y := range line.H {
			if k := min(max(eighths-8*y, 0), 8); k > 0 {
				line.Set(x, line.H-1-y, f.level(k), Retried)
			}
		}
		if eighths > 8*line.H+4 && line.H > 1 {
			line.Set(x, 0, gl.Up, RetryBold)
		}
	}
}

// crowdRows is how many lines there are for the crowd in a pane of so many: more where the timeline fills the screen.
func crowdRows(h int, full bool) int {
	if full && h >= 14 {
		return 5
	}
	return 0
}

// drawCrowd draws the crowd below the rows of the timeline, where there is room.
func (m *Model) drawCrowd(r Rect, kept int) {
	p := &m.paint
	if m.shownDoc().live || p.line.Strip.W > 0 && kept == 0 {
		return
	}
	used := 1
	for _, row := range p.line.Rows {
		used = max(used, row.Y+1)
	}
	if kept == 0 && used >= r.H {
		return
	}
	h := max(kept-1, 1)
	g := p.grid.sub(r.X, r.Y+r.H-h, r.W, h)
	m.crowd.draw(&g, p.line.PlotX, &p.line.Axis, p.glyphs)
	if kept > 0 {
		when := "when " + strconv.Itoa(crowdCalls) + " callers that begin at once would send"
		text := forms{when + ", with this policy and this script", when + ", by this policy and script", when}.in(r.W - 2)
		p.grid.TextCut(r.X+1, r.Y+r.H-kept, r.W-2, Dim, text, p.glyphs.Ellipsis)
	}
}
