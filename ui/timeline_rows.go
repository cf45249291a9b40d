package ui

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// mostAhead is how many attempts ahead have a row at the most.
const mostAhead = 100

// runView is a run as it stands at the cursor: how far it has come, and what may follow.
type runView struct {
	t   *trace.Trace
	now time.Duration // engine.Forever where all of it is shown
	// kept is how many of the trace's attempts were sent by now, sent the number of the last of them.
	kept, sent int
	// gap is the row that stands for attempts that were not kept, -1 for none.
	gap int
	// done is the end, where it has come.
	done *trace.Done
	// rowsAhead is how many rows follow for attempts not made.
	rowsAhead int
	// end is the latest time anything happened or is due.
	end time.Duration
}

// viewRun looks at a run up to the cursor; whole looks at all of it.
func viewRun(t *trace.Trace, in *TimelineInput, whole bool) runView {
	v := runView{t: t, now: max(in.Now, 0), gap: -1}
	if whole && (!in.Live || t.Done != nil) {
		v.now = engine.Forever
	}
	for v.kept < len(t.Attempts) && t.Attempts[v.kept].Start <= v.now {
		v.kept++
	}
	if v.kept > 0 {
		v.sent = t.Attempts[v.kept-1].N
	}
	if t.Dropped > 0 {
		for i := 1; i < v.kept; i++ {
			if t.Attempts[i].N > t.Attempts[i-1].N+1 {
				v.gap = i
				break
			}
		}
	}
	if t.Done != nil && t.Done.At <= v.now {
		v.done = t.Done
	}
	v.rowsAhead = min(max(in.Policy.Attempts-v.sent, 0), mostAhead)
	if in.mostAhead > 0 {
		v.rowsAhead = min(v.rowsAhead, in.mostAhead)
	}
	switch {
	case v.over(in.Policy.Attempts):
		v.rowsAhead = 0
	case v.kept == 0 && onceOnly(&in.Policy, &t.Head):
		v.rowsAhead = min(v.rowsAhead, 1) // the one attempt there will be
	}
	v.end = v.lastTime()
	v.end = max(v.end, min(v.lastWindow(), times(v.end, 2)))
	v.runOff()
	return v
}

// over tells whether no row follows: attempts ran out, or there is no number of those that were not sent.
func (v *runView) over(attempts int) bool {
	return v.done != nil && (v.done.Reason == engine.ReasonAttempts || v.done.Result != engine.ResultSucceeded && attempts == engine.Unlimited)
}

// offEdge is how many attempts a run without end has at the least for its axis to show only the rows that are seen.
const offEdge = 12

// endless tells whether it was found to have no end.
func (v *runView) endless() bool { return v.done != nil && v.done.Result == engine.ResultEndless }

// givenUp tells whether it might have gone on for ever, attempt after attempt.
func (v *runView) givenUp() bool {
	return v.endless() && v.done.Reason == engine.ReasonNoLimit && v.endlessWait() == nil
}

// endlessWait is the attempt after which a wait does not end, nil for none. A wait that takes up nearly all the time
// there is leaves none for the attempt after it: then that never answers.
func (v *runView) endlessWait() *trace.Attempt {
	a := v.last()
	if a == nil || !v.endless() {
		return nil
	}
	if !a.Ended && v.kept > 1 && a.Start > engine.Forever/2 {
		a = &v.t.Attempts[v.kept-2]
	}
	if !a.Wait.Begun {
		return nil
	}
	return a
}

// runOff makes a run that never ends run off the right edge.
func (v *runView) runOff() {
	if v.endless() && !v.givenUp() {
		v.end = later(v.end, v.end/2)
	}
}

// stretch is the time from the first to the last of some rows, from 0 to end where none of them is an attempt.
func (v *runView) stretch(first, n int, end time.Duration) (from, to time.Duration) {
	var a, b *trace.Attempt
	for row := first; row < first+n; row++ {
		if made := v.attempt(row); made != nil {
			if a == nil {
				a = made
			}
			b = made
		}
	}
	if a == nil {
		return 0, end
	}
	to = b.End
	if b.Wait.Begun {
		to = later(b.Wait.Start, b.Wait.For)
	}
	if first == 0 {
		return 0, to
	}
	return a.Start, to
}

// lastWindow is the latest end of a window that a wait was drawn from: all of it is shown where that leaves room.
func (v *runView) lastWindow() time.Duration {
	var end time.Duration
	for i := max(v.kept-latestWindows, 0); i < v.kept; i++ {
		if a := &v.t.Attempts[i]; v.decided(a) && a.Wait.Begun && a.Decision.Source == engine.SourceOwn && !a.Wait.Cut {
			end = max(end, later(a.Wait.Start, a.Decision.Hi))
		}
	}
	return end
}

// latestWindows is how many of the latest waits may widen the axis.
const latestWindows = 16

// lastTime is the latest time of what is shown, waits that are under way counted to their planned end.
func (v *runView) lastTime() time.Duration {
	var end time.Duration
	if v.done != nil {
		end = v.done.At
	}
	if v.now != engine.Forever {
		end = max(end, v.now)
	}
	// Times grow with the attempts: the last one has the latest.
	if v.kept > 0 {
		a := &v.t.Attempts[v.kept-1]
		end = max(end, a.Start)
		if a.Ended {
			end = max(end, a.End)
		}
		if a.Wait.Begun && (!a.Wait.Ended || !a.Wait.Cut || v.done == nil) {
			end = max(end, later(a.Wait.Start, a.Wait.For))
		}
	}
	return max(end, 0)
}

// made is how many rows stand for attempts sent, a gap included.
func (v *runView) made() int {
	if v.gap >= 0 {
		return v.kept + 1
	}
	return v.kept
}

func (v *runView) rows() int { return v.made() + v.rowsAhead }

// attempt is the attempt of a row; nil for the gap and for rows ahead.
func (v *runView) attempt(row int) *trace.Attempt {
	if v.gap >= 0 && row >= v.gap {
		if row == v.gap {
			return nil
		}
		row--
	}
	if row < 0 || row >= v.kept {
		return nil
	}
	return &v.t.Attempts[row]
}

// numberOf is the number of a row's attempt, 0 for the gap.
func (v *runView) numberOf(row int) (n int, made bool) {
	if a := v.attempt(row); a != nil {
		return a.N, true
	}
	if row == v.gap {
		return 0, false
	}
	return v.sent + 1 + row - v.made(), false
}

// rowOf is the row of an attempt, -1 where it has none.
func (v *runView) rowOf(number int) int {
	if number <= 0 {
		return -1
	}
	if number > v.sent {
		if i := number - v.sent - 1; i < v.rowsAhead {
			return v.made() + i
		}
		return -1
	}
	lo, hi := 0, v.kept
	for lo < hi {
		if mid := (lo + hi) / 2; v.t.Attempts[mid].N < number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == v.kept || v.t.Attempts[lo].N != number {
		return -1
	}
	if v.gap >= 0 && lo >= v.gap {
		lo++
	}
	return lo
}

// ended is when an attempt came back, false where it had not by now.
func (v *runView) ended(a *trace.Attempt) bool { return a.Ended && a.End <= v.now }

// decided tells whether the policy had spoken by now.
func (v *runView) decided(a *trace.Attempt) bool { return a.Decided && v.ended(a) }

// waiting tells whether the wait after an attempt was under way now.
func (v *runView) waiting(a *trace.Attempt) bool {
	return a.Wait.Begun && a.Wait.Start <= v.now && (!a.Wait.Ended || a.Wait.End > v.now)
}

// last is the latest attempt sent, nil before the first.
func (v *runView) last() *trace.Attempt {
	if v.kept == 0 {
		return nil
	}
	return &v.t.Attempts[v.kept-1]
}
