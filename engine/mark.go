package engine

import (
	"context"
	"errors"
	"time"
)

// marked is an error with a caller's word on it.
type marked struct {
	error
	say  Say
	hint Hint
}

func (m *marked) Unwrap() error { return m.error }

// Transient marks an error as one that may heal: it is retried whatever the policy's RetryOn says, and whatever it is. A
// context.Canceled that is marked so is that of somebody below: whether the caller is gone is asked of the caller's own
// context, and no mark outranks that. Transient(nil) is nil.
func Transient(err error) error { return mark(err, SayRetry, Hint{}) }

// Permanent marks an error as one that does not heal. Permanent(nil) is nil.
func Permanent(err error) error { return mark(err, SayStop, Hint{}) }

// RetryAfter marks an error as transient, with a wait the server asked for; a negative one is 0. RetryAfter(nil, d) is nil.
func RetryAfter(err error, d time.Duration) error {
	return mark(err, SayRetry, Hint{State: HintWait, Wait: max(d, 0)})
}

func mark(err error, say Say, hint Hint) error {
	if err == nil {
		return nil
	}
	return &marked{error: err, say: say, hint: hint}
}

// ClassifyError is the outcome of an error in Go code, by type: nil is a success, a marker says what it says, a context
// error is a timeout or, unless it is marked transient, a cancel; anything else is unknown and so permanent under the
// default policy.
//
// Of what an operation inside came to, its own timeout and a deadline around it are a timeout, a signed-out session is
// permanent, and a FailedError or DeferredError counts as the last error inside.
func ClassifyError(err error) Outcome {
	if err == nil {
		return Outcome{Kind: KindSuccess}
	}
	var r reading
	r.walk(err)
	o := Outcome{Kind: KindUnknown}
	switch {
	case r.cancelled && (r.mark == nil || r.mark.say != SayRetry):
		o.Kind = KindCancelled
	case r.timeout:
		o.Kind = KindTimeout
	case r.status != nil:
		o.Kind, o.Status = KindStatus, r.status.Status
	}
	switch {
	case r.mark != nil:
		o.Say, o.Hint = r.mark.say, r.mark.hint
	case r.stale:
		o.Say = SayStop
	}
	return o
}

// reading is what a tree of errors says, in the order errors.As would find it. It is gathered in one walk that allocates
// nothing: a classifier is asked after every attempt.
type reading struct {
	mark                      *marked
	status                    *StatusError
	cancelled, timeout, stale bool
}

//nolint:errorlint // this is the walk itself
func (r *reading) walk(err error) {
	for err != nil {
		switch e := err.(type) {
		case *marked:
			if r.mark == nil {
				r.mark = e
			}
			err = e.error
		case *StatusError:
			if r.status == nil {
				r.status = e
			}
			return
		case *TimeoutError: // what is inside ended an attempt of another operation, not this one
			r.timeout = true
			return
		case *InterruptedError:
			r.interrupted(e)
			return
		case interface{ Is(error) bool }, interface{ As(any) bool }:
			r.word(err)
			err = r.inside(err)
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			r.walkAll(e.Unwrap())
			return
		default:
			r.cancelled = r.cancelled || err == context.Canceled
			r.timeout = r.timeout || err == context.DeadlineExceeded
			return
		}
	}
}

func (r *reading) walkAll(errs []error) {
	for _, err := range errs {
		r.walk(err)
	}
}

// inside is what an error wraps. Where that is several it walks them itself, and there is nothing left to do.
//
//nolint:errorlint // a part of the walk
func (r *reading) inside(err error) error {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return e.Unwrap()
	case interface{ Unwrap() []error }:
		r.walkAll(e.Unwrap())
	}
	return nil
}

func (r *reading) interrupted(e *InterruptedError) {
	switch {
	case errors.Is(e.Err, ErrStaleGeneration):
		r.stale = true
	case errors.Is(e.Err, context.DeadlineExceeded):
		r.timeout = true
	default:
		r.cancelled = true
	}
}

// word asks an error that speaks for itself what it is.
func (r *reading) word(err error) {
	if e, ok := err.(interface{ Is(error) bool }); ok {
		r.cancelled = r.cancelled || e.Is(context.Canceled)
		r.timeout = r.timeout || e.Is(context.DeadlineExceeded)
	}
	if e, ok := err.(interface{ As(any) bool }); ok && r.status == nil {
		var st *StatusError // on the heap, and so only here
		if e.As(&st) {
			r.status = st
		}
	}
}
