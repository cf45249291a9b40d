package ui

import (
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// endTexts says on the row of an attempt how it ended the operation, or how its wait was ended: the same in shorter and
// shorter words, each of which says who or what did it. There is none for an attempt that did not.
func (v *runView) endTexts(a *trace.Attempt) []string {
	if v.cutShort(a) {
		return v.cutTexts(a)
	}
	w := &a.Decision
	at := clockText(a.End)
	if v.done != nil && a == v.last() {
		at = clockText(v.done.At) // as in the headline
	}
	switch {
	case !a.Decided && a.Outcome.Failure(), a.Decided && w.Verdict == engine.Retry:
		return nil
	case w.Verdict == engine.Succeed:
		return []string{"done " + at, at}
	case w.Verdict == engine.Defer:
		return deferredTexts(a)
	case w.Reason == engine.ReasonCancelled:
		return interruptedTexts("cancelled by the caller", at)
	case w.Reason == engine.ReasonStaleGeneration:
		return []string{"signed out before " + at, "sign-out by " + at}
	case w.Reason == engine.ReasonDeadline && w.Drawn:
		return forbiddenTexts(a)
	case w.Reason == engine.ReasonDeadline:
		return []string{"timed out at " + at, "timed out"}
	case w.Reason == engine.ReasonNoLimit:
		return []string{"given up at " + at, "given up"}
	default:
		return []string{"failed: " + reasonWords(w.Reason) + ", " + at, reasonWords(w.Reason), "failed " + at, "failed"}
	}
}

// cutShort tells whether somebody had ended the wait after an attempt by now. A wait that a run was given up on for is
// one that never ends.
func (v *runView) cutShort(a *trace.Attempt) bool {
	return a.Wait.Ended && a.Wait.Cut && a.Wait.End <= v.now && !v.endless()
}

// cutTexts say who ended a wait, and when.
func (v *runView) cutTexts(a *trace.Attempt) []string {
	who := "cut"
	if v.done != nil {
		who = endedBy(v.done, &a.Policy)
	}
	return interruptedTexts(who, clockText(a.Wait.End))
}

// interruptedTexts say who ended something, and when, however short.
func interruptedTexts(who, at string) []string {
	out := []string{who + " at " + at}
	switch who {
	case "cancelled by the caller":
		return append(out, "by the caller at "+at, "caller "+at)
	case "signed out":
		return append(out, "sign-out "+at)
	case "the caller's deadline":
		return append(out, "deadline "+at)
	}
	return append(out, who+" "+at)
}

// endedBy says who ended an operation from outside.
func endedBy(done *trace.Done, p *engine.Policy) string {
	switch {
	case done.Reason == engine.ReasonStaleGeneration:
		return "signed out"
	case done.Result == engine.ResultTimedOut && p.Timeout > 0 && done.At >= p.Timeout:
		return "timeout"
	case done.Result == engine.ResultTimedOut:
		return "the caller's deadline"
	case done.Result == engine.ResultCancelled:
		return "cancelled by the caller"
	default:
		return "ended"
	}
}

// deferredTexts name what was asked for and the rule that forbade it.
func deferredTexts(a *trace.Attempt) []string {
	out := []string{"deferred: server " + deferredWords(a), "deferred: " + deferredWords(a)}
	asked := askedText(a)
	if a.Outcome.Hint.State == engine.HintTooLong {
		asked = "for ever"
	}
	if a.Policy.Ceiling == engine.NoCeiling {
		return append(out, "deferred: asked "+asked, "deferred")
	}
	over := asked + " > " + FormatTime(a.Policy.Ceiling)
	return append(out, "deferred: "+over+" ceiling", over+" ceiling", over)
}

// forbiddenTexts name the wait that was not begun, and the limit that it would have passed.
func forbiddenTexts(a *trace.Attempt) []string {
	wait := FormatTime(a.Decision.Wait)
	limit := "timeout " + FormatTime(a.Policy.Timeout)
	if a.Policy.Timeout == 0 || later(a.Facts.Elapsed, a.Decision.Wait) < a.Policy.Timeout {
		limit = "the deadline"
	}
	long := wait
	if a.Decision.Source == engine.SourceServer {
		long = "Retry-After " + wait
	}
	out := []string{"not begun: " + long + " would pass " + limit, long + " passes " + limit, wait + " passes " + limit, wait + " > " + limit}
	if at, ok := strings.CutPrefix(limit, "timeout "); ok {
		out = append(out, wait+" > "+at)
	}
	return append(out, "timed out")
}

// endRoom is how many columns an axis has to keep free for the words on how the run ended; 0 where it ended well, and
// where they find room left of the last attempt.
func (d *timeline) endRoom(whole *runView, axis *Axis) int {
	a := whole.last()
	if a == nil || whole.done == nil || whole.done.Result == engine.ResultSucceeded {
		return 0
	}
	const narrow = 24 // there is no room for words in less
	texts := whole.endTexts(a)
	if axis.W < narrow || len(texts) == 0 {
		return 0
	}
	for _, text := range texts[:max(len(texts)-1, 1)] { // the last of them says too little
		if axis.Col(a.Start)-1 >= TextWidth(text) {
			return 0
		}
	}
	const mark = 4 // a mark, a column of what was cut, and blanks
	most := axis.W * 2 / 5
	if whole.kept == 1 {
		most = axis.W / 2 // one attempt over the whole width would leave no room to say why there is no other
	}
	need := 0
	for _, text := range texts {
		if need = TextWidth(text) + mark; need <= most {
			break
		}
	}
	return min(need, axis.W/2)
}

// labelEnd says how an attempt ended the operation.
func (d *timeline) labelEnd(p *plotRow, a *trace.Attempt) {
	style := Final
	if a.Decided && a.Decision.Verdict == engine.Succeed || !a.Outcome.Failure() {
		style = OK
	}
	p.label(style, d.run.endTexts(a)...)
}

// drawDeferral draws a wait that was asked for and not taken.
func (d *timeline) drawDeferral(p *plotRow, a *trace.Attempt, bar int) {
	p.fill(bar+1, bar+3, d.glyph.Server, Server)
	p.set(bar+3, d.glyph.Deferred, Final)
	d.labelEnd(p, a)
}

// drawForbidden draws the wait that was not begun because it would have ended too late: as far as there was time for it,
// and the mark where it would have ended.
func (d *timeline) drawForbidden(p *plotRow, a *trace.Attempt, bar int) {
	c := d.waitCols(a, bar)
	d.drawWindow(p, &c)
	if a.Decision.Source == engine.SourceServer {
		until := c.end
		if p.late >= 0 {
			until = min(until, p.late)
		}
		p.fill(c.from, until, d.glyph.Server, Server)
		if c.own != c.end {
			p.set(c.own, d.glyph.Due, Neutral)
		}
	}
	p.set(c.end, d.glyph.Due, Final)
	d.labelEnd(p, a)
}

// labelCut says who ended a wait, and when: right of it, over what was cut off, or left of it. What the server had asked
// for stands within the wait where there is room.
func (d *timeline) labelCut(p *plotRow, a *trace.Attempt, c *waitCols) {
	d.placeCut(p, c, d.run.cutTexts(a))
	if a.Decision.Source != engine.SourceServer {
		return
	}
	d.insideWait(p, c, min(c.stopped, p.w), a)
}

// insideWait writes what the server asked for into its wait, where there is room for it up to a column.
func (d *timeline) insideWait(p *plotRow, c *waitCols, to int, a *trace.Attempt) {
	text := " Retry-After " + FormatTime(a.Decision.Server) + " "
	from := max(c.from, 0)
	if c.own < to-to/2 {
		from = max(from, c.own+1)
	}
	if w := TextWidth(text); to-from >= w+4 {
		p.g.Text(p.x+from+(to-from-w)/2, p.y, ServerText, text)
	}
}

func (d *timeline) placeCut(p *plotRow, c *waitCols, texts []string) {
	free := func(at, w int, over bool) bool {
		return at+w <= p.w && (over || p.late < at-1 || p.late > at+w)
	}
	for _, over := range []bool{false, true} {
		for _, text := range texts {
			w := TextWidth(text)
			for _, at := range []int{p.to + 1, c.stopped + 3, c.stopped + 2} {
				if at > c.stopped && free(at, w, over) {
					p.fill(at-1, at+w+1, ' ', Plain)
					p.write(at, Final, text)
					return
				}
			}
			if left := p.from - 1 - w; left >= 0 && p.to > 0 {
				p.write(left, Final, text)
				return
			}
		}
	}
}

// wasCut tells whether somebody had ended the wait by now.
func (d *timeline) wasCut(a *trace.Attempt) bool { return d.run.cutShort(a) }
