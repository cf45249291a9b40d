package trace

import (
	"errors"
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// maxBroken bounds the words kept of broken checks.
const maxBroken = 8

// broken notes that a check does not hold.
func (r *Recorder) broken(check *bool, format string, args ...any) {
	*check = false
	if len(r.trace.Broken) < maxBroken {
		r.trace.Broken = append(r.trace.Broken, fmt.Sprintf(format, args...))
	}
}

// The checks are made from the times and facts of the events, and not from what the policy said of them: what they are
// to catch is a loop that does otherwise.

// checkAttempt looks at a send before it is recorded: everything a send must not be.
func (r *Recorder) checkAttempt(e *engine.Event) {
	t := &r.trace
	prev := t.Last()
	n := 0
	if prev != nil {
		n = prev.N
	}
	if e.Attempt != n+1 {
		r.broken(&t.Checks.WithinLimits, "within_limits: attempt %d follows attempt %d", e.Attempt, n)
	}
	if e.Attempt > e.Policy.Attempts {
		r.broken(&t.Checks.WithinLimits, "within_limits: attempt %d of %d", e.Attempt, e.Policy.Attempts)
	}
	if e.Policy.Timeout > 0 && e.At >= e.Policy.Timeout {
		r.broken(&t.Checks.WithinLimits, "within_limits: attempt %d at %v, timeout %v", e.Attempt, e.At, e.Policy.Timeout)
	}
	if prev == nil {
		return
	}
	r.checkLimits(prev, e)
	r.checkEarly(prev, e)
	if prev.interrupted() {
		r.broken(&t.Checks.CancelIsNotFailure, "cancel_is_not_failure: attempt %d was sent after a cancel or sign-out", e.Attempt)
	}
	if prev.Decided && !prev.Outcome.NotSent && r.unrepeatable(prev) {
		r.broken(&t.Checks.NothingUnreplayed, "nothing_unreplayable: attempt %d repeats what is not safe to repeat", e.Attempt)
	}
}

func (r *Recorder) checkLimits(prev *Attempt, e *engine.Event) {
	ok := &r.trace.Checks.WithinLimits
	if !prev.Decided {
		return
	}
	f := &prev.Facts
	if f.Deadline > 0 && e.At >= f.Deadline {
		r.broken(ok, "within_limits: attempt %d at %v, the caller's deadline is %v", e.Attempt, e.At, f.Deadline)
	}
	if f.Allowance == 0 {
		r.broken(ok, "within_limits: attempt %d was sent with no allowance left", e.Attempt)
	}
	if f.Sends == 0 {
		r.broken(ok, "within_limits: attempt %d was sent with no send left for the session", e.Attempt)
	}
}

func (r *Recorder) checkEarly(prev *Attempt, e *engine.Event) {
	ok := &r.trace.Checks.NoEarlyRetry
	w := &prev.Wait
	switch {
	case !prev.Decided || prev.Decision.Verdict != engine.Retry:
		r.broken(ok, "no_early_retry: attempt %d was sent without a decision to retry", e.Attempt)
	case !w.Begun || !w.Ended || w.Cut:
		r.broken(ok, "no_early_retry: attempt %d was sent before the wait after attempt %d was over", e.Attempt, prev.N)
	case e.At < after(w.Start, w.For):
		r.broken(ok, "no_early_retry: attempt %d was sent at %v, its wait ends at %v", e.Attempt, e.At, after(w.Start, w.For))
	}
}

// unrepeatable judges from the request and from the facts of the decision alike: each can only add a reason.
func (r *Recorder) unrepeatable(a *Attempt) bool {
	h := &r.trace.Head
	safety := a.Policy.Safety(h.Method, h.Keyed)
	return !safety.Repeatable() || !a.Facts.Safety.Repeatable() || h.Body == engine.BodyOnce || a.Facts.Body == engine.BodyOnce
}

// interrupted tells whether the operation was cancelled or signed out by the time the attempt was decided on, or in the
// wait after it.
func (a *Attempt) interrupted() bool {
	failed := a.Ended && a.Outcome.Failure()
	return a.Wait.Cut || a.Decided && (failed && a.Facts.Cancelled || a.Facts.Stale) || a.Outcome.Kind == engine.KindCancelled
}

func (r *Recorder) checkDecision(a *Attempt) {
	d := &a.Decision
	if d.Verdict == engine.Retry && a.interrupted() {
		r.broken(&r.trace.Checks.CancelIsNotFailure, "cancel_is_not_failure: attempt %d is to be tried again after a cancel or sign-out", a.N)
	}
}

func (r *Recorder) checkWait(a *Attempt) {
	w := &a.Wait
	if !a.Decided || a.Decision.Verdict != engine.Retry {
		r.broken(&r.trace.Checks.WithinLimits, "within_limits: a wait after attempt %d that nobody decided on", a.N)
		return
	}
	asked, must := mustWait(a)
	if must && w.For < asked {
		r.broken(&r.trace.Checks.NoEarlyRetry, "no_early_retry: the wait after attempt %d is %v, the server asked for %v", a.N, w.For, asked)
	}
}

// mustWait is the wait a server asked for, where the policy is bound to it: as far as the ceiling where it cuts there, and
// not at all where it keeps to its own wait or near it.
func mustWait(a *Attempt) (asked time.Duration, must bool) {
	switch a.Policy.RetryAfter.Mode {
	case engine.RetryAfterAtLeast, engine.RetryAfterReplace, engine.RetryAfterClamp, engine.RetryAfterRequired:
		p, h := &a.Policy, a.Outcome.Hint
		if over := h.State == engine.HintTooLong || h.Wait > p.Ceiling; over && p.OverCeiling != engine.OverDefer {
			return p.Ceiling, p.OverCeiling == engine.OverCut && p.Hears(&a.Outcome)
		}
		return h.Wait, p.Hears(&a.Outcome)
	case engine.RetryAfterBounded, engine.RetryAfterIgnore:
	}
	return 0, false
}

func (r *Recorder) checkWaitEnd(a *Attempt) {
	w := &a.Wait
	if !w.Begun {
		r.broken(&r.trace.Checks.WithinLimits, "within_limits: the end of a wait after attempt %d that did not begin", a.N)
		return
	}
	if !w.Cut && w.End < after(w.Start, w.For) {
		r.broken(&r.trace.Checks.NoEarlyRetry, "no_early_retry: the wait after attempt %d was over at %v, %v too soon", a.N, w.End, after(w.Start, w.For)-w.End)
	}
}

func (r *Recorder) checkDone(e *engine.Event) {
	t := &r.trace
	n := 0
	if a := t.Last(); a != nil {
		n = a.N
	}
	if e.Report.Attempts != n {
		r.broken(&t.Checks.WithinLimits, "within_limits: %d attempts reported, %d seen", e.Report.Attempts, n)
	}
	r.checkEnd(e)
}

// checkEnd holds the result against the interruptions that were seen: a cancel is a cancel and nothing else.
func (r *Recorder) checkEnd(e *engine.Event) {
	t := &r.trace
	ok := &t.Checks.CancelIsNotFailure
	rep := &e.Report
	var in *engine.InterruptedError
	if errors.As(e.Err, &in) {
		signedOut := errors.Is(in.Err, engine.ErrStaleGeneration)
		if !signedOut && rep.Result == engine.ResultFailed {
			r.broken(ok, "cancel_is_not_failure: the caller ended it, the result is %v", rep.Result)
		}
	}
	if (rep.Result == engine.ResultCancelled) != (rep.Reason == engine.ReasonCancelled) {
		r.broken(ok, "cancel_is_not_failure: result %v with reason %v", rep.Result, rep.Reason)
	}
	a := t.Last()
	if a == nil || !a.Wait.Cut && (!a.Decided || !a.interrupted() || a.Outcome.Kind == engine.KindCancelled && !a.Facts.Cancelled) {
		return
	}
	switch rep.Result {
	case engine.ResultCancelled, engine.ResultTimedOut:
	case engine.ResultFailed:
		if rep.Reason != engine.ReasonStaleGeneration {
			r.broken(ok, "cancel_is_not_failure: it was cancelled or signed out, and failed as %v", rep.Reason)
		}
	case engine.ResultEndless:
		// A wait that would end beyond every duration is given up on, and nobody cancelled it.
		if !a.Wait.Cut || after(a.Wait.Start, a.Wait.For) != engine.Forever {
			r.broken(ok, "cancel_is_not_failure: it was cancelled or signed out, the result is %v", rep.Result)
		}
	case engine.ResultSucceeded, engine.ResultDeferred:
		r.broken(ok, "cancel_is_not_failure: it was cancelled or signed out, the result is %v", rep.Result)
	}
}

// after adds a wait to a time, saturating.
func after(t, d time.Duration) time.Duration {
	if s := t + d; s >= t {
		return s
	}
	return engine.Forever
}
