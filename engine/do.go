package engine

import "context"

// Do calls op until it succeeds or the policy says stop, and returns its result.
//
// A plain error of op is unknown to the engine and so sent ONCE under the default policy: mark it with Transient,
// Permanent or RetryAfter, return a StatusError, or give the retrier a WithWhen. op is taken to be safe to repeat.
//
// Errors: *FailedError (the last real error inside), *DeferredError, *TimeoutError, *InterruptedError; ErrNoRetrier
// where r or op is nil.
func Do[T any](ctx context.Context, r *Retrier, op func(context.Context) (T, error)) (T, error) {
	if r == nil || op == nil {
		var zero T
		return zero, ErrNoRetrier
	}
	if r.plain.Load() && ctx.Err() == nil && ctx.Value(allowanceKey{}) == nil {
		v, err := op(ctx)
		if err == nil {
			return v, nil
		}
		return do(ctx, r, op, v, err)
	}
	var zero T
	return do(ctx, r, op, zero, nil)
}

// do is the loop, from the start or after a first try that failed before anything was set up for it. It is apart from Do
// to keep the frame of a first try small.
func do[T any](ctx context.Context, r *Retrier, op func(context.Context) (T, error), v T, err error) (T, error) {
	l := loop[T]{r: r, plain: op, parent: ctx, first: err != nil, v: v, err: err}
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
	l := loop[T]{r: r, plain: op, parent: ctx}
	l.op.Classify = func(v T, err error) Outcome {
		if err == nil && !accept(v) {
			return Outcome{Kind: KindUnknown, Say: SayRetry}
		}
		return ClassifyError(err)
	}
	v, _, err := l.run()
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
	// Again gets ready what a further attempt needs, once it is decided on and before the wait. An error makes it one that
	// cannot be made: the operation ends as not-replayable, with that error as the cause and the latest result still in
	// hand.
	Again func() error
	// ID is the operation's id; drawn from the seed where it is 0.
	ID uint64
	// Method and Keyed say whether a second send is safe (an empty method is GET); Body whether it can be made.
	Method string
	Keyed  bool
	Body   Body
}

// Run is Do for an operation with everything said of it: the one loop, under Do and under httpretry alike. The Report
// is filled in however it ends. Errors are those of Do.
func Run[T any](ctx context.Context, r *Retrier, op Operation[T]) (T, Report, error) {
	if r == nil || op.Run == nil {
		var zero T
		return zero, Report{Result: ResultFailed}, ErrNoRetrier
	}
	l := loop[T]{r: r, op: op, parent: ctx, reports: true}
	return l.run()
}
