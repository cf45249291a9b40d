package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// DoInline is Do for an operation that takes no context: it runs on the caller's goroutine, and nothing can cut it
// short. A policy with a timeout or an attempt-timeout (Default has one) is refused with ErrInlineTimeout before the
// first call, since nothing could enforce it: set both to none, or use DoDetached. A cancel, a sign-out and the caller's
// own deadline count before each call and end a wait at once. Other errors are those of Do.
func DoInline[T any](ctx context.Context, r *Retrier, f func() (T, error)) (T, error) {
	var zero T
	if r == nil || f == nil {
		return zero, ErrNoRetrier
	}
	if p := r.policy.Load(); p.Timeout > 0 || p.AttemptTimeout > 0 {
		return zero, ErrInlineTimeout
	}
	return Do(ctx, r, func(context.Context) (T, error) { return f() })
}

// DoDetached is Do for an operation that takes no context and must still be held to a timeout: each call of f runs on a
// goroutine of its own, and the loop stops waiting for it at the attempt's timeout, the operation's, a cancel or the
// caller's deadline. The work itself goes on behind, its result is dropped, and after a timeout the next call of f may
// begin while the one before is still running: f must be safe for that. A success that came in the same moment stands.
//
// A panic of f is a panic of the waiting caller, with a *PanicError that holds the value and f's own stack; once nobody
// waits any more it is dropped with the result. An f that ends its goroutine (runtime.Goexit) fails with ErrGoexit.
//
// It needs the real clock, and is refused with ErrDetachedClock on any other. Other errors are those of Do.
func DoDetached[T any](ctx context.Context, r *Retrier, f func() (T, error)) (T, error) {
	var zero T
	switch {
	case r == nil || f == nil:
		return zero, ErrNoRetrier
	case !r.real:
		return zero, ErrDetachedClock
	}
	return Do(ctx, r, func(ctx context.Context) (T, error) { return detach(ctx, f) })
}

// PanicError is what the panic of a detached operation becomes in the caller who is still waiting for it.
type PanicError struct {
	// Value is what f panicked with, Stack the stack of its goroutine.
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("the operation panicked: %v\n\n%s", e.Value, e.Stack)
}

// Unwrap is the value f panicked with, where it is an error.
func (e *PanicError) Unwrap() error {
	err, ok := e.Value.(error)
	if !ok {
		return nil
	}
	return err
}

// ErrGoexit says that a detached operation ended its goroutine without returning.
var ErrGoexit = errors.New("engine: the operation ended its goroutine without returning")

// answer is what became of one call of a detached operation.
type answer[T any] struct {
	v     T
	err   error
	panic *PanicError
}

func detach[T any](ctx context.Context, f func() (T, error)) (T, error) {
	back := make(chan answer[T], 1) // room for one, so that work nobody waits for can end
	go func() {
		a := answer[T]{err: ErrGoexit}
		defer func() {
			if v := recover(); v != nil {
				a.panic = &PanicError{Value: v, Stack: debug.Stack()}
			}
			back <- a
		}()
		a.v, a.err = f()
	}()
	select {
	case a := <-back:
		return a.result()
	case <-ctx.Done():
		select { // what is in hand stands
		case a := <-back:
			return a.result()
		default:
			var zero T
			return zero, ended(ctx)
		}
	}
}

func (a *answer[T]) result() (T, error) {
	if a.panic != nil {
		panic(a.panic)
	}
	return a.v, a.err
}
