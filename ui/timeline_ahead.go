package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// aheadKind is what a row ahead says.
type aheadKind uint8

const (
	aheadIf   aheadKind = iota // it would be made if the one before it fails
	aheadNext                  // it is due
	aheadNot                   // it is never made
)

// aheadRow is an attempt that was not made.
type aheadRow struct {
	kind aheadKind
	n    int
	// lo and hi are the earliest and the latest time it may begin, ownLo and ownHi the window of the wait before it.
	lo, hi, ownLo, ownHi time.Duration
	// late is the share of cases in which it, or one before it, would begin at the timeout or later.
	late float64
}

// horizon is what the rows ahead start from.
type horizon struct {
	at   time.Duration // when the latest attempt ends
	prev time.Duration // what the own draw before it left to remember
	dur  time.Duration // how long an attempt is taken to last
	due  bool          // a wait is under way: at is when the next attempt begins
}

// look finds the horizon of a run as it stands.
func (v *runView) look() horizon {
	var h horizon
	for i := v.kept - 1; i >= 0; i-- {
		if a := &v.t.Attempts[i]; v.ended(a) {
			h.dur = max(a.End-a.Start, 0)
			break
		}
	}
	a := v.last()
	if a == nil {
		h.due = true // the first attempt is due at once
		return h
	}
	for i := v.kept - 1; i >= 0; i-- {
		if p := &v.t.Attempts[i]; v.decided(p) && p.Decision.Verdict == engine.Retry {
			h.prev = p.Decision.Memory
			break
		}
	}
	switch {
	case v.decided(a) && a.Wait.Begun && v.done == nil:
		h.due, h.at = true, later(a.Wait.Start, a.Wait.For)
	case v.ended(a):
		h.at = a.End
	case a.Ended: // scrubbed: its end is known, and the picture stands still
		h.at, h.dur = a.End, max(a.End-a.Start, 0)
	default:
		h.at = later(a.Start, h.dur)
		if v.now != engine.Forever {
			h.at = max(h.at, v.now)
		}
	}
	return h
}

// hopeless tells whether no attempt ahead can ever be made, whatever the next answer is.
func (d *timeline) hopeless(v *runView) bool {
	if v.done != nil && v.done.Result != engine.ResultSucceeded {
		return true
	}
	return onceOnly(&d.in.Policy, &d.t.Head)
}

// bounds are the rows ahead without their shares, for as many rows as there are.
func (d *timeline) bounds(v *runView) []aheadRow { return d.reckon(v, v.rowsAhead, false) }

// lookAhead are the rows ahead up to a row of the timeline.
func (d *timeline) lookAhead(v *runView, upTo int) []aheadRow {
	return d.reckon(v, min(v.rowsAhead, max(upTo-v.made(), 0)), true)
}

// reckon reckons n rows ahead: the window of the next wait given the last own draw, and the bounds over every history
// of those after it.
func (d *timeline) reckon(v *runView, n int, shares bool) []aheadRow {
	if n <= 0 {
		return nil
	}
	h := v.look()
	rows := make([]aheadRow, n)
	never := d.hopeless(v)
	lo, hi := h.at, h.at
	b := &d.in.Policy.Backoff
	for i := range rows {
		r := &rows[i]
		r.n = v.sent + 1 + i
		switch {
		case i == 0 && h.due && v.done == nil:
			r.kind, r.lo, r.hi = aheadNext, h.at, h.at
			continue
		case never:
			r.kind = aheadNot
			continue
		case i == 0:
			r.ownLo, r.ownHi = b.Window(r.n-1, h.prev)
		case i == 1 && h.due:
			r.ownLo, r.ownHi = b.Window(r.n-1, h.prev)
		default:
			r.ownLo, r.ownHi = b.Bounds(r.n - 1)
		}
		if i > 0 {
			lo, hi = later(lo, h.dur), later(hi, h.dur)
		}
		lo, hi = later(lo, r.ownLo), later(hi, r.ownHi)
		r.lo, r.hi = lo, hi
	}
	if shares && !never && d.in.Policy.Timeout > 0 && rows[n-1].hi >= d.in.Policy.Timeout {
		d.share(rows, &h)
	}
	return rows
}

// share fills in how often each row would come too late.
func (d *timeline) share(rows []aheadRow, h *horizon) {
	at := h.at
	if h.due {
		at = later(at, h.dur)
	}
	f := newForecast(&d.in.Policy.Backoff, d.in.Policy.Timeout, at, h.prev, samplesFor(len(rows)))
	for i := range rows {
		if r := &rows[i]; r.kind == aheadIf {
			if r.late = 1; len(f.at) > 0 {
				r.late = f.step(r.n-1, h.dur)
			}
		}
	}
}

// drawAhead draws the row of an attempt that was not made.
func (d *timeline) drawAhead(r *aheadRow, y int) {
	p := d.plotRow(y)
	lo, hi := d.axis.Col(r.lo), d.axis.Col(r.hi)
	switch r.kind {
	case aheadNot:
		d.aheadWord(y, r.n, "not sent", d.axis.W)
		return
	case aheadNext:
		d.aheadWord(y, r.n, "next", lo)
		p.set(lo, d.glyph.Edge, RetryBold)
		d.buf = append(d.buf[:0], "in "...)
		d.buf = appendClock(d.buf, max(r.lo-max(d.in.Now, 0), 0))
		if d.run.now != engine.Forever {
			p.label(Dim, string(d.buf), string(d.buf[3:]))
		}
		return
	case aheadIf:
	}
	p.least = d.aheadWord(y, r.n, "", lo) - d.cols.plot + 1
	stop, late := hi+1, p.late >= 0 && hi >= p.late && r.late > 0
	if late {
		stop = p.late
	}
	p.fill(max(lo, 0), stop, d.glyph.Window, Ahead)
	if !late || lo < p.late {
		p.set(lo, d.glyph.Edge, Ahead)
	}
	if stop > p.w {
		p.set(p.w-1, p.moreSymbol, Ahead)
	}
	d.labelAhead(&p, r, late)
}

func (d *timeline) labelAhead(p *plotRow, r *aheadRow, late bool) {
	if late {
		d.buf = append(appendPercent(d.buf[:0], r.late), " late"...)
		text := string(d.buf)
		if r.late >= 1 {
			text = "too late"
		}
		// The window is always whole: the share stands on either side of it, or has no room.
		for _, text := range []string{text, strings.TrimSuffix(text, " late")} {
			w := TextWidth(text)
			if at := p.late + 1; at+w <= p.w {
				p.write(at, Final, text)
				return
			}
			if left := p.from - 1 - w; left >= p.least && p.to > 0 {
				p.write(left, Final, text)
				return
			}
		}
		return
	}
	d.buf = append(d.buf[:0], "in "...)
	d.buf = d.appendRange(d.buf, r.ownLo, r.ownHi)
	text := string(d.buf)
	if r.n == d.in.Policy.Attempts {
		p.label(Dim, text+", last", text, text[3:])
		return
	}
	p.label(Dim, text, text[3:])
}

// aheadWord writes what the row stands for, as long as it does not reach the column where the window begins, and returns
// the x after it.
func (d *timeline) aheadWord(y, n int, word string, lo int) int {
	x, room := d.cols.word, d.cols.plot+max(lo, 0)-d.cols.word-1
	if d.cols.wordW == 0 {
		return x
	}
	if d.cols.wordW < 5 {
		room = d.cols.plot - x // too narrow to reach into the plot
		if word == "not sent" {
			word = d.glyph.Dash
		}
	}
	if word == "" {
		d.buf = append(strconv.AppendInt(append(d.buf[:0], "if "...), int64(n-1), 10), " fails"...)
		switch word = string(d.buf); {
		case TextWidth(word) <= room:
		case TextWidth(word)-4 <= room:
			word = string(append(d.buf[:len(d.buf)-5], string(d.glyph.Final)...))
		default:
			word = "if"
		}
	}
	return d.g.TextCut(x, y, max(room, 0), Neutral, word, "")
}
