package engine

import (
	"context"
	"errors"
)

// finish ends an operation on a decision.
func (l *loop[T]) finish(f *Facts) (T, Report, error) {
	d := &l.decision
	if l.r.budget != nil && l.healthy() {
		l.r.budget.Settle(l.retried)
	}
	switch d.Verdict {
	case Succeed:
		return l.handOver(ResultSucceeded, nil)
	case Defer:
		return l.handOver(ResultDeferred, &DeferredError{Asked: d.Server, Ceiling: l.policy.Ceiling, Attempts: l.attempt, Last: l.err})
	case Stop, Retry:
	}
	switch d.Reason {
	case ReasonCancelled, ReasonStaleGeneration:
		return l.interrupted(d.Reason)
	case ReasonDeadline:
		if l.parent.Err() != nil {
			return l.interrupted(d.Reason)
		}
		return l.handOver(ResultTimedOut, l.late(f))
	case ReasonNone, ReasonNeverAnswers, ReasonNotIdempotent, ReasonNotReplayable, ReasonNotRetryable, ReasonAttempts, ReasonBudget,
		ReasonCeiling, ReasonMaxSends, ReasonNoLimit:
	}
	return l.handOver(ResultFailed, l.failed(d.Reason))
}

// healthy tells whether the operation ended without a sign of overload: a success, or a plain answer that is no reason
// to retry.
func (l *loop[T]) healthy() bool {
	return l.decision.Verdict == Succeed ||
		l.outcome.Kind == KindStatus && l.decision.Reason == ReasonNotRetryable && l.outcome.Status < 500
}

func (l *loop[T]) failed(r Reason) error {
	return &FailedError{Reason: r, Attempts: l.attempt, Last: l.err, History: l.past()}
}

// late is the error of an operation whose time ran out in an attempt (Expired) or would run out in a wait: the policy's
// own timeout, or the caller's deadline.
func (l *loop[T]) late(f *Facts) error {
	p := l.policy
	e := &TimeoutError{Timeout: p.Timeout, Attempts: l.attempt, Last: l.err}
	if f.Expired {
		return e
	}
	e.Wait = l.decision.Wait
	if p.Timeout == 0 || addTime(f.Elapsed, e.Wait) < p.Timeout {
		return &InterruptedError{Err: context.DeadlineExceeded, Cause: errDeadlineAhead, Attempts: l.attempt, Last: l.err}
	}
	return e
}

var errDeadlineAhead = errors.New("the next attempt would begin after the caller's deadline")

// handOver ends the operation with its latest result in hand. A result that is an answer is handed over whatever the
// verdict, its error beside it; where an attempt itself had no error, a failure of the result alone is no error.
func (l *loop[T]) handOver(res Result, err error) (T, Report, error) {
	if l.err == nil && (res == ResultSucceeded || res == ResultFailed) {
		err = nil
	}
	if l.op.Keep != nil {
		release, cancel := l.release, l.cancel
		l.release, l.cancel = nil, nil
		l.v = l.op.Keep(l.v, func() {
			if release != nil {
				release()
			}
			if cancel != nil {
				cancel()
			}
		})
	}
	return l.v, l.done(res, l.decision.Reason, err), err
}

// interrupted ends the operation because the caller is gone, the session is another one, time is up, or no send is
// left. What is in hand is not handed over.
func (l *loop[T]) interrupted(reason Reason) (T, Report, error) {
	var zero T
	res := ResultFailed
	var err error
	perr := l.parent.Err()
	last := l.lastFailure()
	switch {
	case reason == ReasonAttempts || reason == ReasonMaxSends:
		if last == nil {
			last = ErrNoAttempt
		}
		err = &FailedError{Reason: reason, Attempts: l.attempt, Last: last, History: l.past()}
	case perr != nil && errors.Is(perr, context.DeadlineExceeded):
		res, reason = ResultTimedOut, ReasonDeadline
		err = &InterruptedError{Err: perr, Cause: cause(l.parent, perr), Attempts: l.attempt, Last: last}
	case perr != nil:
		res, reason = ResultCancelled, ReasonCancelled
		err = &InterruptedError{Err: perr, Cause: cause(l.parent, perr), Attempts: l.attempt, Last: last}
	case l.stale():
		reason = ReasonStaleGeneration
		err = &InterruptedError{Err: ErrStaleGeneration, Attempts: l.attempt, Last: last}
	default:
		res, reason = ResultTimedOut, ReasonDeadline
		err = &TimeoutError{Timeout: l.policy.Timeout, Attempts: l.attempt, Last: last}
	}
	if l.decision.Verdict != Retry && l.attempt > 0 && l.op.Discard != nil {
		l.op.Discard(l.v)
	}
	return zero, l.done(res, reason, err), err
}

// lastFailure is the latest error that is a failure of the operation, not the echo of its own interruption.
func (l *loop[T]) lastFailure() error {
	if l.err != nil && l.outcome.Kind != KindCancelled {
		return l.err
	}
	if l.failures > 0 {
		return l.history[(l.failures-1)%historyLimit]
	}
	return nil
}

// past is the history, oldest first.
func (l *loop[T]) past() []error {
	if l.failures == 0 {
		return nil
	}
	n := min(l.failures, historyLimit)
	out := make([]error, 0, n)
	for i := l.failures - n; i < l.failures; i++ {
		out = append(out, l.history[i%historyLimit])
	}
	return out
}

// endless ends an operation that a virtual clock knows can never end: a real caller would hang in this attempt.
func (l *loop[T]) endless() (T, Report, error) {
	var zero T
	last := l.lastFailure()
	if last == nil || errors.Is(last, ErrNeverEnds) {
		last = ErrNeverEnds
	}
	err := &FailedError{Reason: ReasonNeverAnswers, Attempts: l.attempt, Last: last, History: l.past()}
	return zero, l.done(ResultEndless, ReasonNeverAnswers, err), err
}

func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil && c != err { //nolint:errorlint // the very same value says nothing new
		return c
	}
	return nil
}

func (l *loop[T]) done(res Result, reason Reason, err error) Report {
	rep := Report{Result: res, Reason: reason, Attempts: l.attempt, Waited: l.waited, Last: l.outcome}
	if l.r.observer != nil {
		rep.Elapsed = l.r.clock.Now() - l.start
		l.tell(&Event{Kind: EventDone, Err: err, Report: rep})
	}
	return rep
}
