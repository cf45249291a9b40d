package engine

import (
	"context"
	"errors"
)

// classify reads an attempt's outcome. What a context ended is told by asking the contexts, from the caller's inwards:
// the error's text and type hide it (a cancel cause takes the place of context.Canceled). A failure that came back after
// the attempt's time had run out is a timeout, unless it says more itself.
func (l *loop[T]) classify() {
	l.outcome = Outcome{}
	switch {
	case l.err == nil:
		if l.op.Classify != nil {
			l.outcome = l.op.Classify(l.v, nil)
		}
		return
	case l.parentEnded():
		return
	case l.op.Classify != nil:
		l.outcome = l.op.Classify(l.v, l.err)
	default:
		l.outcome = ClassifyError(l.err)
	}
	o := &l.outcome
	if (o.Kind == KindUnknown || o.Kind == KindCancelled) && l.release != nil && l.attemptCtx.Err() != nil && l.parent.Err() == nil {
		o.Kind = KindTimeout
	}
	if l.r.when != nil && o.Say == SayNothing && o.Kind != KindCancelled {
		o.Say = SayStop
		if l.r.when(l.err) {
			o.Say = SayRetry
		}
	}
}

// parentEnded tells whether the error only says that the caller's context ended, and notes it as the outcome.
func (l *loop[T]) parentEnded() bool {
	perr := l.parentState()
	if perr == nil {
		return false
	}
	if !errors.Is(l.err, perr) && !errors.Is(l.err, l.parent.Err()) && !errors.Is(l.err, context.Cause(l.parent)) {
		// A context derived from a virtual one by the standard library ends as a cancel, whatever ended it.
		if l.r.real || !errors.Is(l.err, context.Canceled) {
			return false
		}
	}
	l.outcome.Kind = KindCancelled
	if expired(perr) {
		l.outcome.Kind = KindTimeout
	}
	return true
}

// finish ends an operation on a decision.
func (l *loop[T]) finish() (v T, rep Report, err error) {
	d := &l.decision
	if l.budget != nil && l.healthy() {
		l.budget.settle(l.retried, l.paid)
	}
	switch d.Verdict {
	case Succeed:
		return l.handOver(ResultSucceeded, nil)
	case Defer:
		return l.handOver(ResultDeferred, &DeferredError{
			Asked: d.Server, Ceiling: l.policy.Ceiling, Attempts: l.attempt, Last: l.err,
		})
	case Stop, Retry:
	}
	switch d.Reason {
	case ReasonCancelled, ReasonStaleGeneration:
		rep, err = l.interrupted(d.Reason)
		return v, rep, err
	case ReasonDeadline:
		if l.parentErr != nil {
			rep, err = l.interrupted(d.Reason)
			return v, rep, err
		}
		return l.handOver(ResultTimedOut, l.late())
	case ReasonNone, ReasonNeverAnswers, ReasonNotIdempotent, ReasonNotReplayable, ReasonNotRetryable, ReasonAttempts, ReasonBudget,
		ReasonCeiling, ReasonMaxSends, ReasonNoLimit:
	}
	return l.handOver(ResultFailed, l.failed(d.Reason, l.err))
}

// healthy tells whether the operation ended without a sign of overload: a success, or a plain answer that is no reason
// to retry.
func (l *loop[T]) healthy() bool {
	return l.decision.Verdict == Succeed ||
		l.outcome.Kind == KindStatus && l.decision.Reason == ReasonNotRetryable && l.outcome.Status < 500
}

func (l *loop[T]) failed(r Reason, last error) error {
	return &FailedError{Reason: r, Attempts: l.attempt, Last: last, Cause: l.lost, History: l.past()}
}

// late is the error of an operation whose time ran out in an attempt, or would run out in a wait: the policy's own
// timeout or the caller's deadline, whichever comes first.
func (l *loop[T]) late() error {
	if l.decision.Drawn {
		ahead := l.deadline > 0 && (l.policy.Timeout == 0 || l.deadline < l.policy.Timeout)
		if ahead {
			return &InterruptedError{Err: context.DeadlineExceeded, Cause: errDeadlineAhead, Attempts: l.attempt, Last: l.err}
		}
		return &TimeoutError{Timeout: l.policy.Timeout, Wait: l.decision.Wait, Attempts: l.attempt, Last: l.err}
	}
	return l.timedOut()
}

// timedOut is the error of an operation whose own timeout has passed. Its last failure is that of an earlier attempt
// where the latest was merely cut by the timeout.
func (l *loop[T]) timedOut() error {
	last := l.lastFailure()
	if last == nil {
		last = l.err
	}
	return &TimeoutError{Timeout: l.policy.Timeout, Attempts: l.attempt, Last: last}
}

var errDeadlineAhead = errors.New("the next attempt would begin after the caller's deadline")

// handOver ends the operation with its latest result in hand. A result that is an answer is handed over whatever the
// verdict, its error beside it; where an attempt itself had no error, a failure of the result alone is no error.
func (l *loop[T]) handOver(res Result, err error) (T, Report, error) {
	if l.err == nil && (res == ResultSucceeded || res == ResultFailed) {
		err = nil
	}
	if l.op.Keep != nil {
		release := l.release
		l.release = nil
		if release == nil {
			release = nothing
		}
		l.v = l.op.Keep(l.v, release)
	}
	return l.v, l.done(res, l.decision.Reason, err), err
}

func nothing() {} // declared, since a closure made in a generic function is allocated

// interrupted ends the operation because the caller is gone, the session is another one, time is up, or no send is
// left. What is in hand is not handed over.
func (l *loop[T]) interrupted(reason Reason) (Report, error) {
	res := ResultFailed
	last := l.lastFailure()
	var err error
	switch reason {
	case ReasonCancelled:
		res = ResultCancelled
		err = &InterruptedError{Err: l.parentErr, Cause: cause(l.parent, l.parentErr), Attempts: l.attempt, Last: last}
	case ReasonStaleGeneration:
		err = &InterruptedError{Err: ErrStaleGeneration, Attempts: l.attempt, Last: last}
	case ReasonDeadline:
		res = ResultTimedOut
		err = l.timedOut()
		if l.parentErr != nil {
			err = &InterruptedError{Err: l.parentErr, Cause: cause(l.parent, l.parentErr), Attempts: l.attempt, Last: last}
		}
	case ReasonNone, ReasonNeverAnswers, ReasonNotIdempotent, ReasonNotReplayable, ReasonNotRetryable, ReasonAttempts, ReasonBudget,
		ReasonCeiling, ReasonMaxSends, ReasonNoLimit:
		if last == nil {
			last = ErrNoAttempt
		}
		err = l.failed(reason, last)
	}
	// What is in hand is discarded, unless it was before a wait.
	if l.decision.Verdict != Retry && l.attempt > 0 && l.op.Discard != nil {
		l.op.Discard(l.v)
	}
	return l.done(res, reason, err), err
}

// lastFailure is the latest error that is a failure of the operation, not the echo of its own interruption.
func (l *loop[T]) lastFailure() error {
	if l.err != nil && !l.echo {
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

// endlessly tells whether an attempt or a wait is one that a virtual clock knows can never end.
func (l *loop[T]) endlessly(err error) bool {
	return err != nil && !l.r.real && errors.Is(err, ErrNeverEnds)
}

// endless ends an operation that can never end: a real caller would hang there, in an attempt without an answer or in a
// wait that no limit cuts short.
func (l *loop[T]) endless(reason Reason) (Report, error) {
	last := l.lastFailure()
	if last == nil {
		last = ErrNeverEnds
	}
	err := l.failed(reason, last)
	return l.done(ResultEndless, reason, err), err
}

func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil && c != err { //nolint:errorlint // the very same value says nothing new
		return c
	}
	return nil
}

func (l *loop[T]) done(res Result, reason Reason, err error) Report {
	rep := Report{Result: res, Reason: reason, Attempts: l.attempt, Waited: l.waited, Last: l.outcome}
	if l.reports || l.r.observer != nil {
		rep.Elapsed = l.elapsed()
	}
	if l.r.observer != nil {
		l.tell(Event{Kind: EventDone, Err: err, Report: rep})
	}
	return rep
}
