package ui

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// waitCols are the columns of a wait: all of them right of the attempt's bar.
type waitCols struct {
	from         int // the first column
	lo, hi       int // the own window, both included
	own          int // the own draw
	end          int // the wait as it is planned
	server       int // the end of what the server asked for
	now, stopped int // the cursor, and where it was cut; beyond everything where there is none
}

func (d *timeline) waitCols(a *trace.Attempt, bar int) waitCols {
	w := &a.Decision
	start := a.End
	if a.Wait.Begun {
		start = a.Wait.Start
	}
	col := func(t time.Duration) int { return max(d.axis.Col(later(start, t)), bar+1) }
	const beyond = 1 << 30
	c := waitCols{
		from: bar + 1, lo: col(w.Lo), hi: col(w.Hi), own: col(w.Own), end: col(w.Wait), server: col(w.Server),
		now: beyond, stopped: beyond,
	}
	if d.run.now != engine.Forever {
		c.now = d.axis.Col(d.run.now)
	}
	if d.wasCut(a) {
		c.stopped = max(d.axis.Col(a.Wait.End), bar+1)
	}
	return c
}

// drawDecision draws what followed an attempt.
func (d *timeline) drawDecision(p *plotRow, a *trace.Attempt, bar int) {
	switch a.Decision.Verdict {
	case engine.Retry:
		d.drawWait(p, a, bar)
	case engine.Defer:
		d.drawDeferral(p, a, bar)
	case engine.Stop:
		if a.Decision.Reason == engine.ReasonDeadline && a.Decision.Drawn {
			d.drawForbidden(p, a, bar)
			return
		}
		d.labelEnd(p, a)
	case engine.Succeed:
		d.labelEnd(p, a)
	}
}

func (d *timeline) drawWait(p *plotRow, a *trace.Attempt, bar int) {
	c := d.waitCols(a, bar)
	cut := c.stopped < c.end || d.wasCut(a)
	// The window is always whole, whatever was drawn from it.
	d.drawWindow(p, &c)
	if a.Decision.Source == engine.SourceServer {
		d.drawServerWait(p, &c)
	} else {
		d.drawOwnWait(p, a, &c)
	}
	d.drawBreak(p, a, &c)
	if cut {
		p.fill(c.stopped, c.end+1, d.glyph.Cut, Final)
		p.set(c.stopped, d.glyph.Cancelled, Final)
		d.labelCut(p, a, &c)
		return
	}
	d.labelWait(p, a, &c)
	if late := d.lateOf(a); late > 0 && late < 1 {
		d.buf = append(appendPercent(d.buf[:0], late), " late"...)
		p.also(FinalText, string(d.buf))
	}
	for i := range d.t.Notes {
		if n := &d.t.Notes[i]; n.After == a.N {
			p.also(RetriedText, n.Text)
			break
		}
	}
}

func (d *timeline) drawWindow(p *plotRow, c *waitCols) {
	p.fill(c.lo, c.hi+1, d.glyph.Window, Window)
	if c.hi >= p.w && c.lo < p.w {
		p.set(p.w-1, p.moreSymbol, Window)
	}
}

func (d *timeline) drawOwnWait(p *plotRow, a *trace.Attempt, c *waitCols) {
	fixed, glyph, style := c.lo, d.glyph.Fixed, Retried
	if a.Decision.Asked && c.server > c.from && a.Decision.Server > 0 {
		fixed, glyph, style = min(c.server, c.own), d.glyph.Server, Server
	}
	p.fill(c.from, fixed, glyph, style)
	p.fill(max(fixed, c.from), c.own, d.glyph.Drawn, Retried)
	mark := d.glyph.Mark
	if d.run.waiting(a) {
		mark = d.glyph.Due
	}
	p.set(c.own, mark, RetryBold)
}

// drawServerWait draws a wait that the server asked for, with the own draw it overrode.
func (d *timeline) drawServerWait(p *plotRow, c *waitCols) {
	p.fill(c.from, min(c.server, c.end), d.glyph.Server, Server)
	p.fill(max(min(c.server, c.end), c.from), c.end, d.glyph.Drawn, Server) // the spread
	p.set(c.end, d.glyph.ServerEnd, Server)
	if c.own != c.end {
		p.set(c.own, d.glyph.Due, Neutral)
	}
}

// drawBreak marks a wait that the axis leaves out, and says how long it was.
func (d *timeline) drawBreak(p *plotRow, a *trace.Attempt, c *waitCols) {
	b := d.axis.Broken
	if d.axis.breakW == 0 || a.Wait.Start != b.From {
		return
	}
	from := max(d.axis.Col(b.From), c.from)
	if c.own < from+3 {
		from = c.own
	}
	end := min(d.axis.Col(b.To), c.end)
	for _, gap := range []string{" ", ""} {
		text := d.glyph.Break + gap + FormatTime(b.Len()) + gap + d.glyph.Break
		w := TextWidth(text)
		if at := from + 1 + max((end-from-w)/2, 0); at+w <= end {
			p.g.Text(p.x+at, p.y, Dim, text)
			return
		}
	}
}

// lateOf is the share of a wait's window that ends at the timeout or later: it might have come so, and did not.
func (d *timeline) lateOf(a *trace.Attempt) float64 {
	w := &a.Decision
	if a.Policy.Timeout <= 0 || w.Source != engine.SourceOwn || later(a.Facts.Elapsed, w.Hi) < a.Policy.Timeout {
		return 0
	}
	row := d.run.rowOf(a.N - 1)
	var prev time.Duration
	if b := d.run.attempt(row); row >= 0 && b != nil && b.Decided && b.Decision.Verdict == engine.Retry {
		prev = b.Decision.Memory
	}
	after := a.Policy.After(&a.Outcome)
	f := newForecast(&after, a.Policy.Timeout, a.Facts.Elapsed, prev, mostSamples)
	return f.step(a.N, 0)
}

// labelWait writes how long a wait is, and what the server asked for within it where there is no room beside it.
func (d *timeline) labelWait(p *plotRow, a *trace.Attempt, c *waitCols) {
	w := &a.Decision
	if d.run.waiting(a) && d.in.Live {
		left := later(a.Wait.Start, a.Wait.For) - d.run.now
		d.buf = appendClock(d.buf[:0], max(left, 0))
		due := string(d.buf)
		if w.Source == engine.SourceServer {
			p.label(Server, "Retry-After "+d.text(w.Server)+" (own draw "+d.text(w.Own)+")", "Retry-After "+d.text(w.Server), due)
			return
		}
		p.label(Retried, d.text(w.Wait), due)
		return
	}
	switch {
	case d.run.endless() && a == d.run.endlessWait():
		wait := d.text(w.Wait)
		p.label(Final, wait+": does not end", "does not end", wait)
	case w.Source == engine.SourceServer:
		server, own := d.text(w.Server), d.text(w.Own)
		switch {
		case w.Wait > w.Server:
			server += " + " + d.text(w.Wait-w.Server)
		case w.Wait < w.Server: // the ceiling stood above it
			cut := d.text(w.Wait)
			p.label(Server, "Retry-After "+server+", cut to "+cut+" (own "+own+")", "Retry-After "+server+", cut to "+cut, server+" cut to "+cut, cut)
			return
		}
		if p.label(Server, "Retry-After "+server+" (own "+own+")", "Retry-After "+server, server) > 1 && d.axis.breakW == 0 {
			d.insideWait(p, c, min(c.end, p.w), a)
		}
	case w.Asked && w.Server > 0:
		p.label(Retried, d.text(w.Wait)+" (server asked "+d.text(w.Server)+")", d.text(w.Wait))
	default:
		p.label(Retried, d.text(w.Wait))
	}
}

// appendTime prints a time in the unit of the ticks: waits that differ a hundredfold stand below each other.
func (d *timeline) appendTime(b []byte, t time.Duration) []byte {
	if d.axis.Step > 0 && d.axis.Step < time.Millisecond && t < time.Second {
		return appendInMillis(b, t)
	}
	return appendInSeconds(b, t)
}

func (d *timeline) text(t time.Duration) string {
	d.buf = d.appendTime(d.buf[:0], t)
	return string(d.buf)
}

// appendRange is a range in the unit of the ticks.
func (d *timeline) appendRange(b []byte, lo, hi time.Duration) []byte {
	switch {
	case hi == engine.Forever || hi >= 10*time.Millisecond && inSeconds(lo):
		return appendRange(b, lo, hi, d.glyph.To)
	case lo == hi:
		return d.appendTime(b, hi)
	case lo == 0:
		return d.appendTime(append(append(b, '0'), d.glyph.To...), hi)
	}
	return d.appendTime(append(d.appendTime(b, lo), d.glyph.To...), hi)
}
