package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Retrier runs operations under a policy. It is safe for use by many goroutines, unless its clock is not.
type Retrier struct {
	policy   atomic.Pointer[Policy]
	clock    Clock
	seed     uint64
	draw     float64 // a fixed draw, or -1
	observer Observer
	when     func(error) bool
	session  *Session
	sends    *Sends
	budget   *Budget
	share    bool
	ops      atomic.Uint64
	// plain says that a first try needs nothing set up: no timeout, no observer, nothing shared.
	plain atomic.Bool
}

// Option changes a Retrier as it is made.
type Option func(*Retrier)

// WithClock runs the loop on another clock than the real one.
func WithClock(c Clock) Option { return func(r *Retrier) { r.clock = c } }

// WithSeed makes the draws repeatable; without it every retrier draws its own.
func WithSeed(seed uint64) Option { return func(r *Retrier) { r.seed = seed } }

// WithDraw makes every jitter draw u, from 0 to 1: for tests and for showing the ends of a window.
func WithDraw(u float64) Option { return func(r *Retrier) { r.draw = clampUnit(u) } }

// WithObserver has f told of every event.
func WithObserver(f Observer) Option { return func(r *Retrier) { r.observer = f } }

// WithWhen has f decide which errors may heal, in place of the policy's RetryOn. It is never asked about a cancel, and
// the other gates hold all the same.
func WithWhen(f func(error) bool) Option { return func(r *Retrier) { r.when = f } }

// WithSession ends operations whose session was signed out.
func WithSession(s *Session) Option { return func(r *Retrier) { r.session = s } }

// WithSends puts a hard stop on the sends of a whole session.
func WithSends(s *Sends) Option { return func(r *Retrier) { r.sends = s } }

// WithBudget shares a budget between retriers; without it a policy that has one gets a budget of this retrier's own.
func WithBudget(b *Budget) Option { return func(r *Retrier) { r.budget = b } }

// Share puts an allowance of the policy's attempts in the context of each operation, so that retriers inside it count
// against it: an outer 3 and an inner 3 send 3 times, not 9.
func Share() Option { return func(r *Retrier) { r.share = true } }

// New is a retrier for a policy. A policy that is not valid is refused with every bad field named.
func New(p Policy, opts ...Option) (*Retrier, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	r := &Retrier{clock: Real(), draw: -1, seed: freshSeed()}
	for _, o := range opts {
		o(r)
	}
	if r.budget == nil {
		r.budget = NewBudget(p.Budget)
	}
	r.set(&p)
	return r, nil
}

func (r *Retrier) set(p *Policy) {
	r.policy.Store(p)
	r.plain.Store(r.observer == nil && r.session == nil && r.sends == nil && r.budget == nil && !r.share &&
		p.Timeout == 0 && p.AttemptTimeout == 0)
}

// Policy is the policy in force.
func (r *Retrier) Policy() Policy { return *r.policy.Load() }

// SetPolicy puts another policy in force. It counts from the next decision of operations under way; their timeouts and
// budget stay as they were.
func (r *Retrier) SetPolicy(p Policy) error {
	if err := p.Validate(); err != nil {
		return err
	}
	r.set(&p)
	return nil
}

// Clock is the clock the loop runs on.
func (r *Retrier) Clock() Clock { return r.clock }

// Do calls op until it succeeds or the policy says stop, and returns its result.
//
// A plain error of op is unknown to the engine and so sent ONCE under the default policy: mark it with Transient,
// Permanent or RetryAfter, return a StatusError, or give the retrier a WithWhen. op is taken to be safe to repeat.
//
// Errors: *FailedError (the last real error inside), *DeferredError, *TimeoutError, *InterruptedError.
func Do[T any](ctx context.Context, r *Retrier, op func(context.Context) (T, error)) (T, error) {
	var zero T
	if r == nil || op == nil {
		return zero, ErrNoRetrier
	}
	if r.plain.Load() && ctx.Value(allowanceKey{}) == nil {
		if ctx.Err() == nil {
			v, err := op(ctx)
			if err == nil {
				return v, nil
			}
			return resume(ctx, r, op, v, err)
		}
	}
	v, _, err := Run(ctx, r, Operation[T]{Run: func(ctx context.Context, _ int) (T, error) { return op(ctx) }})
	return v, err
}

// resume goes on after a first try that failed before anything was set up for it.
func resume[T any](ctx context.Context, r *Retrier, op func(context.Context) (T, error), v T, err error) (T, error) {
	o := Operation[T]{Run: func(ctx context.Context, _ int) (T, error) { return op(ctx) }}
	l := loop[T]{r: r, op: &o, parent: ctx, policy: r.policy.Load(), first: true, v: v, err: err}
	v, _, err = l.run()
	return v, err
}

// DoUntil is Do with a predicate on results: one that accept refuses is tried again like a transient error, and when
// the attempts run out the last result comes back with no error.
func DoUntil[T any](ctx context.Context, r *Retrier, accept func(T) bool, op func(context.Context) (T, error)) (T, error) {
	if r == nil || op == nil || accept == nil {
		var zero T
		return zero, ErrNoRetrier
	}
	v, _, err := Run(ctx, r, Operation[T]{
		Run: func(ctx context.Context, _ int) (T, error) { return op(ctx) },
		Classify: func(v T, err error) Outcome {
			if err == nil && !accept(v) {
				return Outcome{Kind: KindUnknown, Say: SayRetry}
			}
			return ClassifyError(err)
		},
	})
	return v, err
}

// Operation is one logical request as the loop sees it. Only Run must be set.
type Operation[T any] struct {
	// Run makes one attempt, counted from 1.
	Run func(ctx context.Context, attempt int) (T, error)
	// Classify says what an attempt came back with; ClassifyError where it is nil.
	Classify func(v T, err error) Outcome
	// Discard is given each result that is not handed over.
	Discard func(v T)
	// Keep is given the result that is handed over and what frees its contexts: it must be called once the result is
	// used up. Without it they are freed at once.
	Keep func(v T, release func()) T
	// ID is the operation's id; drawn from the seed where it is 0.
	ID uint64
	// Method and Keyed say whether a second send is safe (an empty method is GET); Body whether it can be made.
	Method string
	Keyed  bool
	Body   Body
}

// Run is Do for an operation with everything said of it: the one loop, under Do and under httpretry alike.
func Run[T any](ctx context.Context, r *Retrier, op Operation[T]) (T, Report, error) {
	var zero T
	if r == nil || op.Run == nil {
		return zero, Report{Result: ResultFailed}, ErrNoRetrier
	}
	l := loop[T]{r: r, op: &op, parent: ctx, policy: r.policy.Load()}
	return l.run()
}

// loop is one run of one operation.
type loop[T any] struct {
	r      *Retrier
	op     *Operation[T]
	policy *Policy
	// parent is the caller's context, ctx the operation's, with its timeout and allowance in it.
	parent, ctx context.Context
	cancel      context.CancelFunc
	release     context.CancelFunc // of the latest attempt
	allow       *allowance
	generation  uint64
	signedOut   context.Context
	start       time.Duration
	deadline    time.Duration // the caller's, since the start
	id          uint64
	state       State
	decision    Decision
	outcome     Outcome
	waited      time.Duration
	attempt     int
	retried     bool
	first       bool // v and err are those of a first attempt already made
	v           T
	err         error
	history     [historyLimit]error // the latest, as a ring
	failures    int
}

func (l *loop[T]) run() (T, Report, error) {
	l.begin()
	defer l.end()
	l.emit(EventStart, nil)
	for {
		if !l.first {
			if stop, reason := l.mayBegin(); stop {
				return l.interrupted(reason)
			}
			l.send()
		}
		if l.err != nil && errors.Is(l.err, ErrNeverEnds) {
			return l.endless()
		}
		facts := l.judge()
		l.first = false
		if l.decision.Verdict != Retry {
			return l.finish(&facts)
		}
		l.retried = true
		l.discard()
		if !l.wait() {
			return l.interrupted(ReasonNone)
		}
	}
}

// begin sets up what lasts for the whole operation, and only what the policy asks for: a plain operation allocates nothing.
func (l *loop[T]) begin() {
	r, p := l.r, l.policy
	l.start = r.clock.Now()
	l.ctx = l.parent
	if d, ok := l.parent.Deadline(); ok {
		l.deadline = max(d.Sub(r.clock.Wall()), 1)
	}
	if r.session != nil {
		l.generation, l.signedOut = r.session.current()
	}
	l.allow = allowanceOf(l.parent)
	if l.allow == nil && r.share {
		l.allow = newAllowance(l.ctx, p.Attempts)
		l.ctx = l.allow
	}
	if p.Timeout > 0 {
		l.ctx, l.cancel = r.clock.WithTimeout(l.ctx, p.Timeout)
	}
	if l.id = l.op.ID; l.id == 0 {
		l.id = Bits(r.seed, PurposeID, r.ops.Add(1), 0)
	}
	if r.budget != nil {
		r.budget.Request(l.start)
	}
}

// end frees what is left to free: Keep has taken over what it needs.
func (l *loop[T]) end() {
	if l.release != nil {
		l.release()
	}
	if l.cancel != nil {
		l.cancel()
	}
}

// settler is a clock that may hold events due this very instant: they come before an attempt.
type settler interface{ Settle() }

// mayBegin asks, at the start of each attempt, whether it may be sent at all.
func (l *loop[T]) mayBegin() (stop bool, reason Reason) {
	if c, ok := l.r.clock.(settler); ok {
		c.Settle()
	}
	if l.parent.Err() != nil {
		return true, ReasonNone
	}
	if l.stale() {
		return true, ReasonNone
	}
	if l.ctx.Err() != nil {
		return true, ReasonNone
	}
	if !l.allow.take() {
		return true, ReasonAttempts
	}
	if !l.r.sends.take() {
		return true, ReasonMaxSends
	}
	return false, ReasonNone
}

func (l *loop[T]) stale() bool {
	return l.r.session != nil && l.r.session.Generation() != l.generation
}

// send makes one attempt under its own timeout.
func (l *loop[T]) send() {
	l.attempt++
	if l.err != nil {
		l.remember(l.err)
	}
	l.emit(EventAttempt, nil)
	ctx := l.ctx
	if d := l.policy.AttemptTimeout; d > 0 {
		ctx, l.release = l.r.clock.WithTimeout(ctx, d)
	}
	l.v, l.err = l.op.Run(ctx, l.attempt)
	l.allow.done()
	l.outcome = l.classify(ctx)
}

// remember keeps the latest errors, no more: 1e6 retries must not fill the memory.
func (l *loop[T]) remember(err error) {
	l.history[l.failures%historyLimit] = err
	l.failures++
}

// classify reads an attempt's outcome. What a context ended is told by asking the contexts, from the caller's inwards:
// the error's text and type hide it (a cancel cause takes the place of context.Canceled).
func (l *loop[T]) classify(attempt context.Context) Outcome {
	if l.err == nil {
		if l.op.Classify != nil {
			return l.op.Classify(l.v, nil)
		}
		return Outcome{}
	}
	if perr := l.parent.Err(); perr != nil && (errors.Is(l.err, perr) || errors.Is(l.err, context.Cause(l.parent))) {
		if errors.Is(perr, context.DeadlineExceeded) {
			return Outcome{Kind: KindTimeout}
		}
		return Outcome{Kind: KindCancelled}
	}
	var o Outcome
	if l.op.Classify != nil {
		o = l.op.Classify(l.v, l.err)
	} else {
		o = ClassifyError(l.err)
	}
	if attempt.Err() != nil && l.parent.Err() == nil && (o.Kind == KindUnknown || o.Kind == KindCancelled) {
		o.Kind = KindTimeout
	}
	if o.Say == SayNothing && l.r.when != nil && o.Kind != KindCancelled {
		o.Say = SayStop
		if l.r.when(l.err) {
			o.Say = SayRetry
		}
	}
	return o
}

// judge asks the policy, and pays for a retry. Where another operation took the last token meanwhile, it asks again.
func (l *loop[T]) judge() Facts {
	if l.first { // made before the loop was set up
		l.attempt = 1
		l.outcome = l.classify(l.ctx)
	}
	l.policy = l.r.policy.Load()
	l.emit(EventOutcome, l.err)
	f := l.facts()
	u := l.r.draw
	if u < 0 {
		u = Draw(l.r.seed, PurposeJitter, l.id, uint64(l.state.Sent+1))
	}
	state, d := l.policy.Next(l.state, &l.outcome, &f, u)
	if d.Verdict == Retry && l.r.budget != nil && l.policy.Budget.Kind != BudgetNone && !l.r.budget.Take(l.r.clock.Now()) {
		f.Tokens = 0
		state, d = l.policy.Next(l.state, &l.outcome, &f, u)
	}
	l.state, l.decision = state, d
	if l.r.observer != nil {
		l.tell(&Event{Kind: EventDecision, Facts: f})
	}
	return f
}

func (l *loop[T]) facts() Facts {
	f := Facts{
		Elapsed: l.r.clock.Now() - l.start, Deadline: l.deadline,
		Allowance: l.allow.remaining(), Sends: l.r.sends.remaining(),
		Stale:  l.stale(),
		Safety: l.policy.Safety(l.op.Method, l.op.Keyed), Body: l.op.Body, Method: l.op.Method,
	}
	if l.r.budget != nil {
		f.Tokens = l.r.budget.Left(l.r.clock.Now())
	}
	if err := l.parent.Err(); err != nil {
		f.Expired = errors.Is(err, context.DeadlineExceeded)
		f.Cancelled = !f.Expired
	} else if l.ctx.Err() != nil {
		f.Expired = true
	}
	return f
}

// wait pauses until the next attempt; false where it was cut.
func (l *loop[T]) wait() bool {
	l.emit(EventWait, nil)
	begun := l.r.clock.Now()
	ctx := l.ctx
	if l.signedOut != nil {
		var free context.CancelFunc
		ctx, free = bind(ctx, l.signedOut)
		defer free()
	}
	err := l.r.clock.Wait(ctx, l.decision.Wait)
	l.waited += l.r.clock.Now() - begun
	if l.r.observer != nil {
		l.tell(&Event{Kind: EventWaitEnd, Cut: err != nil})
	}
	return err == nil
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
		l.tell(&Event{Kind: kind, Err: err})
	}
}

// tell fills in what every event carries.
func (l *loop[T]) tell(e *Event) {
	e.Operation, e.At, e.Attempt, e.Policy = l.id, l.r.clock.Now()-l.start, l.attempt, l.policy
	if e.Kind >= EventOutcome {
		e.Outcome = l.outcome
	}
	if e.Kind >= EventDecision {
		e.Decision = l.decision
	}
	l.r.observer(e)
}
