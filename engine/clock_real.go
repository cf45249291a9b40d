package engine

import (
	"context"
	"sync"
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

// timers are reused from wait to wait: since Go 1.23 a stopped or expired timer may be reset without draining it.
var timers = sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}

func (realClock) Wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if d <= 0 {
		return nil
	}
	if d == Forever {
		<-ctx.Done()
		return ended(ctx)
	}
	t, ok := timers.Get().(*time.Timer)
	if !ok {
		t = time.NewTimer(d)
	} else {
		t.Reset(d)
	}
	defer timers.Put(t)
	select {
	case <-t.C:
		// Both may have come at once: the context's end is asked first, always.
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return nil
	case <-ctx.Done():
		t.Stop()
		return ended(ctx)
	}
}

func (realClock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// freshSeed seeds a retrier that was given none: two processes must not draw the same jitter.
func freshSeed() uint64 { return uint64(time.Now().UnixNano()) }
