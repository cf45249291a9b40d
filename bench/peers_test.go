package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	avast "github.com/avast/retry-go/v5"
	cenkalti "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/googleapis/gax-go/v2"
	sethvargo "github.com/sethvargo/go-retry"
)

// Every contestant may make four attempts and waits one nanosecond between them, so that what is measured is the
// library and not the wait.
const (
	maxAttempts = 4
	shortWait   = time.Nanosecond
)

// errDown is made once: what a failure costs to build is the caller's, not the library's.
var errDown = errors.New("the server is down")

// errDownMarked is errDown in the form go-retry needs to see before it tries again.
var errDownMarked = sethvargo.RetryableError(errDown)

// work is the operation all contestants repeat. Its state is a package variable, so no contestant pays for a
// closure the others do not need.
var work struct {
	fails int // failures before each success
	left  int // failures left in this operation
	calls int
}

// begin sets how many times the work fails before each success.
func begin(fails int) {
	work.fails, work.left = fails, fails
}

//go:noinline
func attempt() (int, error) {
	work.calls++
	if work.left > 0 {
		work.left--
		return 0, errDown
	}
	work.left = work.fails
	return work.calls, nil
}

//go:noinline
func attemptContext(context.Context) (int, error) { return attempt() }

//go:noinline
func attemptMarked(context.Context) (int, error) {
	n, err := attempt()
	if err != nil {
		err = errDownMarked
	}
	return n, err
}

//go:noinline
func attemptGax(context.Context, gax.CallSettings) error {
	_, err := attempt()
	return err
}

// contestant is one way to repeat the work; do runs one operation.
type contestant struct {
	name string
	do   func(context.Context) (int, error)
}

// peers are the libraries, each used the way its own documentation shows.
func peers() []contestant {
	return append(peersOneRetrier(), peersPerCall()...)
}

// peersOneRetrier are those that set up once and run many operations.
func peersOneRetrier() []contestant {
	// avast ties the context to the retrier, so a reused one cannot follow the context of each request.
	reused := avast.NewWithData[int](avastOptions(context.Background())...)
	executor := failsafe.With[int](retrypolicy.NewBuilder[int]().
		WithMaxAttempts(maxAttempts).
		WithDelay(shortWait).
		ReturnLastFailure().
		Build())
	return []contestant{
		{"avast-reused", func(context.Context) (int, error) { return reused.Do(attempt) }},
		{"failsafe", func(ctx context.Context) (int, error) { return executor.WithContext(ctx).Get(attempt) }},
	}
}

// peersPerCall are those whose backoff carries state and so is made for each operation.
func peersPerCall() []contestant {
	retryAlways := func(error) bool { return true }
	retryer := func() gax.Retryer {
		return gax.OnErrorFunc(gax.Backoff{Initial: shortWait, Max: shortWait, Multiplier: 1}, retryAlways)
	}
	return []contestant{
		{"avast-per-call", func(ctx context.Context) (int, error) {
			return avast.NewWithData[int](avastOptions(ctx)...).Do(attempt)
		}},
		{"cenkalti", func(ctx context.Context) (int, error) {
			return cenkalti.Retry(ctx, attempt,
				cenkalti.WithBackOff(cenkalti.NewConstantBackOff(shortWait)),
				cenkalti.WithMaxTries(maxAttempts))
		}},
		{"sethvargo", func(ctx context.Context) (int, error) {
			backoff := sethvargo.WithMaxRetries(maxAttempts-1, sethvargo.NewConstant(shortWait))
			return sethvargo.DoValue(ctx, backoff, attemptMarked)
		}},
		{"gax", func(ctx context.Context) (int, error) {
			err := gax.Invoke(ctx, attemptGax, gax.WithRetry(retryer))
			return work.calls, err
		}},
	}
}

func avastOptions(ctx context.Context) []avast.Option {
	return []avast.Option{
		avast.Context(ctx),
		avast.Attempts(maxAttempts),
		avast.Delay(shortWait),
		avast.DelayType(avast.FixedDelay),
		avast.LastErrorOnly(true),
	}
}

// floors are loops written by hand: the least anyone can pay.
func floors() []contestant {
	return []contestant{
		{"floor", floorNewTimers},
		{"floor-one-timer", floorOneTimer},
	}
}

// floorNewTimers makes a timer for each wait, as most loops do.
func floorNewTimers(ctx context.Context) (int, error) {
	for left := maxAttempts; ; left-- {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := attemptContext(ctx)
		if err == nil || left == 1 {
			return n, err
		}
		timer := time.NewTimer(shortWait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return 0, context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// floorOneTimer makes one timer at the first wait and resets it for the others.
func floorOneTimer(ctx context.Context) (int, error) {
	var timer *time.Timer
	for left := maxAttempts; ; left-- {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := attemptContext(ctx)
		if err == nil || left == 1 {
			return n, err
		}
		if timer == nil {
			timer = time.NewTimer(shortWait)
		} else {
			timer.Reset(shortWait)
		}
		select {
		case <-ctx.Done():
			timer.Stop()
			return 0, context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// race runs each contestant on the same work. The name of a benchmark tells who did it, as benchstat's -col /by wants.
func race(b *testing.B, fails int, all []contestant) {
	ctx := context.Background()
	for _, c := range all {
		b.Run("by="+c.name, func(b *testing.B) {
			begin(fails)
			before := work.calls
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.do(ctx); err != nil {
					b.Fatal(err)
				}
			}
			if got, want := work.calls-before, b.N*(fails+1); got != want {
				b.Fatalf("%d calls in %d operations, want %d: not the same work", got, b.N, want)
			}
		})
	}
}
