package engine

import (
	"context"
	"errors"
	"time"
)

// loop is one run of one operation. It lives on the caller's stack: no pointer to it, nor to anything else that should
// stay on a stack, may be kept in it or handed out.
type loop[T any] struct {
	r      *Retrier
	op     Operation[T]
	plain  func(context.Context) (T, error) // in place of op.Run: it saves a closure
	policy *Policy
	budget *Budget
	// parent is the caller's context, ctx the operation's, with its allowance in it, attemptCtx the latest attempt's.
	parent, ctx, attemptCtx context.Context
	release                 context.CancelFunc // of the latest attempt
	parentErr               error              // what the caller's context said at the latest decision
	allow                   *allowance
	generation              uint64
	signedOut, waitCtx      context.Context // waitCtx is ctx, and ends with the session as well
	unbind                  context.CancelFunc
	timer                   waiter
	event                   *Event
	start, deadline, waited time.Duration // deadline is the caller's, since the start; 0 for none
	at                      time.Duration // when the latest attempt was allowed to begin: the very time its event carries
	id                      uint64
	safety                  Safety
	state                   State
	decision                Decision
	outcome                 Outcome
	attempt, failures       int
	paid                    int   // what the latest retry cost of the budget
	lost                    error // why a further attempt could not be made ready
	retried                 bool
	first                   bool // v and err are those of a first attempt already made
	echo                    bool // err only says that the caller, or the timeout, ended the attempt
	reports                 bool // somebody will read the Report
	v                       T
	err                     error
	history                 [historyLimit]error // the latest, as a ring
}

func (l *loop[T]) run() (v T, rep Report, err error) {
	l.begin()
	defer l.end()
	l.emit(EventStart, nil)
	for {
		if !l.first {
			if reason := l.mayBegin(); reason != ReasonNone {
				rep, err = l.interrupted(reason)
				return v, rep, err
			}
			l.send()
		}
		if l.endlessly(l.err) {
			l.echo = true
			rep, err = l.endless(ReasonNeverAnswers)
			return v, rep, err
		}
		l.judge()
		l.first = false
		if l.decision.Verdict != Retry {
			return l.finish()
		}
		l.retried = true
		l.discard()
		if cut := l.wait(); cut != nil {
			if l.endlessly(cut) {
				rep, err = l.endless(ReasonNoLimit)
			} else {
				rep, err = l.interrupted(l.cut(cut))
			}
			return v, rep, err
		}
	}
}

// begin sets up what lasts for the whole operation, and only what the policy asks for: a plain operation allocates nothing.
func (l *loop[T]) begin() {
	r := l.r
	l.obey(r.policy.Load())
	l.start = r.clock.Now()
	l.ctx, l.attemptCtx = l.parent, l.parent
	l.deadline = l.callerDeadline()
	if r.session != nil {
		l.generation, l.signedOut = r.session.current()
	}
	if outer := allowanceOf(l.parent); outer != nil {
		l.allow = newLayer(l.parent, outer)
		l.ctx = l.allow
	} else if r.share {
		l.allow = newAllowance(l.parent, l.policy.Attempts)
		l.ctx = l.allow
	}
	l.id = l.op.ID
	if r.observer != nil {
		l.identify()
	}
	if l.budget != nil {
		l.budget.Request(l.start)
	}
}

// identify gives the operation an id of its own, unless it has one: only what is drawn or told of needs it.
func (l *loop[T]) identify() {
	if l.id == 0 {
		l.id = Bits(l.r.seed, PurposeID, l.r.ops.Add(1), 0)
	}
}

// obey puts a policy in force for this operation.
func (l *loop[T]) obey(p *Policy) {
	if p != l.policy {
		if l.policy != nil {
			l.allow.follow(p.Attempts - l.policy.Attempts)
		}
		l.policy, l.budget = p, l.r.budget.Load()
		l.safety = p.Safety(l.op.Method, l.op.Keyed)
	}
}

// deadliner is a clock that knows the deadlines of its own contexts in its own time: the wall clock may have been
// stepped since they were made.
type deadliner interface {
	deadlineOf(ctx context.Context) (at time.Duration, ok bool)
}

// callerDeadline is the caller's deadline since the start, at least 1; 0 where there is none.
func (l *loop[T]) callerDeadline() time.Duration {
	wall, ok := l.parent.Deadline()
	if !ok {
		return 0
	}
	if c, ok := l.r.clock.(deadliner); ok {
		if at, ok := c.deadlineOf(l.parent); ok {
			return max(at-l.start, 1)
		}
	}
	return max(wall.Sub(l.r.clock.Wall()), 1)
}

// end frees what is left to free: Keep has taken over what it needs.
func (l *loop[T]) end() {
	if l.release != nil {
		l.release()
	}
	if l.unbind != nil {
		l.unbind()
	}
}

// settler is a clock that may hold events due this very instant: they come before an attempt.
type settler interface{ Settle() }

// mayBegin asks, at the start of each attempt, whether it may be sent at all, and gives the reason if not.
func (l *loop[T]) mayBegin() Reason {
	if !l.r.real {
		if c, ok := l.r.clock.(settler); ok {
			c.Settle()
		}
	}
	if reason := l.gone(); reason != ReasonNone {
		return reason
	}
	if !l.allow.take() {
		return ReasonAttempts
	}
	if !l.r.sends.Take() {
		return ReasonMaxSends
	}
	return ReasonNone
}

// gone asks whether the caller is gone, the session is another one or time is up, in this order. What the clock shows is
// kept: looked at again, it could show that an attempt allowed in time began too late.
func (l *loop[T]) gone() Reason {
	l.parentErr = l.parentState()
	if l.policy.Timeout > 0 || l.deadline > 0 || l.r.observer != nil {
		l.at = l.elapsed()
	}
	switch {
	case l.parentErr != nil && !expired(l.parentErr):
		return ReasonCancelled
	case l.stale():
		return ReasonStaleGeneration
	case l.parentErr == nil && l.deadline > 0 && l.at >= l.deadline: // the context's own timer is late
		l.parentErr = context.DeadlineExceeded
		return ReasonDeadline
	case l.parentErr != nil, l.policy.Timeout > 0 && l.at >= l.policy.Timeout:
		return ReasonDeadline
	default:
		return ReasonNone
	}
}

// cut is why a wait ended early. A clock of the caller's own may end one for a reason nobody else knows: that is a cancel.
func (l *loop[T]) cut(err error) Reason {
	if reason := l.gone(); reason != ReasonNone {
		return reason
	}
	l.parentErr = errors.Join(context.Canceled, err)
	return ReasonCancelled
}

// parentState is why the caller's context ended. Of a context that the standard library derived from one of a virtual
// clock only the cause tells that it was a deadline.
func (l *loop[T]) parentState() error {
	err := l.parent.Err()
	if err != nil && !l.r.real && expired(context.Cause(l.parent)) {
		return context.DeadlineExceeded
	}
	return err
}

func expired(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

func (l *loop[T]) elapsed() time.Duration { return l.r.clock.Now() - l.start }

func (l *loop[T]) stale() bool {
	return l.r.session != nil && l.r.session.Generation() != l.generation
}

// send makes one attempt under its own timeout, or what is left of the operation's.
func (l *loop[T]) send() {
	l.attempt++
	if l.err != nil {
		l.remember(l.err)
	}
	l.emit(EventAttempt, nil)
	l.attemptCtx = l.ctx
	limit := l.policy.AttemptTimeout
	if l.policy.Timeout > 0 {
		if left := l.policy.Timeout - l.at; limit == 0 || left < limit { // above 0, or it had not been allowed
			limit = left
		}
	}
	if limit > 0 {
		l.attemptCtx, l.release = l.r.clock.WithTimeout(l.ctx, limit)
	}
	if l.plain != nil {
		l.v, l.err = l.plain(l.attemptCtx)
	} else {
		l.v, l.err = l.op.Run(l.attemptCtx, l.attempt)
	}
	l.allow.done()
}

// remember keeps the latest errors, no more: 1e6 retries must not fill the memory.
func (l *loop[T]) remember(err error) {
	l.history[l.failures%historyLimit] = err
	l.failures++
}

// judge asks the policy, and pays for a retry. Where another operation took the last token meanwhile, it asks again.
func (l *loop[T]) judge() {
	if l.first { // made before the loop was set up
		l.attempt = 1
	}
	l.obey(l.r.policy.Load())
	l.classify()
	l.emit(EventOutcome, l.err)
	var f Facts
	l.facts(&f)
	l.echo = l.outcome.Kind == KindCancelled || l.outcome.Kind == KindTimeout && f.Expired
	u := l.r.draw
	if u < 0 && l.outcome.Failure() && l.policy.drawn() {
		l.identify()
		u = Draw(l.r.seed, PurposeJitter, l.id, uint64(l.state.Sent+1))
	}
	before := l.state
	l.policy.next(&l.state, &l.outcome, &f, u, &l.decision)
	if l.decision.Verdict == Retry && l.op.Again != nil {
		if l.lost = l.op.Again(); l.lost != nil {
			f.Body, l.state = BodyLost, before
			l.policy.next(&l.state, &l.outcome, &f, u, &l.decision)
		}
	}
	if l.decision.Verdict == Retry && l.budget != nil && !l.budget.TakeAfter(l.r.clock.Now(), &l.outcome) {
		f.Tokens, l.state = 0, before
		l.policy.next(&l.state, &l.outcome, &f, u, &l.decision)
	}
	if l.decision.Verdict == Retry && l.budget != nil {
		l.paid = l.budget.rule.cost(&l.outcome)
	}
	if l.r.observer != nil {
		l.tell(Event{Kind: EventDecision, Facts: f})
	}
}

// facts gathers what Next has to know, and asks the clock only where something depends on it.
func (l *loop[T]) facts(f *Facts) {
	p := l.policy
	f.Deadline, f.Allowance, f.Sends, f.Stale = l.deadline, l.allow.remaining(), l.r.sends.remaining(), l.stale()
	f.Safety, f.Body, f.Method = l.safety, l.op.Body, l.op.Method
	if p.Timeout > 0 || l.deadline > 0 || l.r.observer != nil {
		f.Elapsed = l.elapsed()
	}
	if l.budget != nil {
		f.Tokens = l.budget.Left(l.r.clock.Now())
	}
	f.Expired = p.Timeout > 0 && f.Elapsed >= p.Timeout
	if l.parentErr = l.parentState(); l.parentErr != nil {
		f.Expired = expired(l.parentErr)
		f.Cancelled = !f.Expired
	}
}

// wait pauses until the next attempt; an error where it was cut.
func (l *loop[T]) wait() error {
	l.emit(EventWait, nil)
	begun, counted := time.Duration(0), l.reports || l.r.observer != nil
	if counted {
		begun = l.r.clock.Now()
	}
	err := l.pause(l.decision.Wait)
	if counted {
		l.waited += l.r.clock.Now() - begun
	}
	if l.r.observer != nil {
		l.tell(Event{Kind: EventWaitEnd, Cut: err != nil})
	}
	return err
}

func (l *loop[T]) pause(d time.Duration) error {
	if l.waitCtx == nil {
		l.waitCtx = l.ctx
		if l.signedOut != nil {
			l.waitCtx, l.unbind = bind(l.ctx, l.signedOut)
		}
	}
	if l.r.real {
		return l.timer.wait(l.waitCtx, d)
	}
	return l.r.clock.Wait(l.waitCtx, d)
}

func (l *loop[T]) discard() {
	if l.op.Discard != nil {
		l.op.Discard(l.v)
	}
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

// emit tells the observer, if there is one. Events are made only for somebody to see.
func (l *loop[T]) emit(kind EventKind, err error) {
	if l.r.observer != nil {
		l.tell(Event{Kind: kind, Err: err})
	}
}

// tell fills in what every event carries. One event serves the whole operation: it is valid only during the call.
func (l *loop[T]) tell(e Event) {
	e.Operation, e.Attempt, e.Policy = l.id, l.attempt, l.policy
	if e.Kind == EventAttempt {
		e.At = l.at
	} else {
		e.At = l.elapsed()
	}
	if e.Kind >= EventOutcome {
		e.Outcome = l.outcome
	}
	if e.Kind >= EventDecision {
		e.Decision = l.decision
	}
	if l.event == nil {
		l.event = new(Event)
	}
	*l.event = e
	l.r.observer(l.event)
}
