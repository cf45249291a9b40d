package engine

import (
	"context"
	"time"
)

// Real is the machine's clock: monotonic where it measures, the wall clock where it reads dates. It is safe for use by
// many goroutines. This file is the only one of the package that touches the time of the machine.
func Real() Clock { return realClock{} }

type realClock struct{}

// epoch makes Now small and monotonic: time.Since uses the monotonic reading.
var epoch = time.Now()

func (realClock) Now() time.Duration { return time.Since(epoch) }

func (realClock) Wall() time.Time { return time.Now() }

func (realClock) Wait(ctx context.Context, d time.Duration) error {
	var w waiter
	return w.wait(ctx, d)
}

// waiter waits with one timer again and again: since Go 1.23 a stopped or expired one may be reset without draining it.
// Its timer is not shared with other operations: one made inside a testing/synctest bubble must never leave it.
type waiter struct{ timer *time.Timer }

func (w *waiter) wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if d <= 0 {
		return nil
	}
	gone := ctx.Done()
	switch {
	case d == Forever:
		<-gone
		return ended(ctx)
	case w.timer == nil:
		w.timer = time.NewTimer(d)
	default:
		w.timer.Reset(d)
	}
	if gone == nil { // nothing but time can end the wait, and a plain receive is cheaper than a choice
		<-w.timer.C
		return nil
	}
	select {
	case <-w.timer.C:
		// Both may have come at once: the context's end is asked first, always.
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return nil
	case <-gone:
		w.timer.Stop()
		return ended(ctx)
	}
}

func (realClock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// freshSeed seeds a retrier that was given none: two processes must not draw the same jitter.
func freshSeed() uint64 { return uint64(time.Now().UnixNano()) }
