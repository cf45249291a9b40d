package main_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineInline: an operation that takes no context, on the caller's goroutine.
func TestEngineInline(t *testing.T) {
	clock := engine.WithClock(engine.NewVirtual(wall))
	calls := 0
	f := func() (int, error) {
		if calls++; calls < 3 {
			return 0, engine.Transient(errFlaky)
		}
		return calls, nil
	}
	if v, err := engine.DoInline(t.Context(), mustNew(t, "attempt-timeout=none", clock), f); v != 3 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	// With a timeout it is refused before the first call: nothing could enforce it.
	for _, policy := range []string{"", "timeout=1s attempt-timeout=none", "timeout=1s"} {
		calls = 0
		if _, err := engine.DoInline(t.Context(), mustNew(t, policy, clock), f); !errors.Is(err, engine.ErrInlineTimeout) || calls != 0 {
			t.Errorf("%q: %v after %d calls", policy, err, calls)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	_, err := engine.DoInline(ctx, mustNew(t, "attempt-timeout=none", clock), func() (int, error) { calls++; cancel(); return 0, engine.Transient(errFlaky) })
	if calls != 1 || !errors.Is(err, context.Canceled) || !errors.Is(err, errFlaky) {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestEngineDetached: the loop stops waiting at the timeout, and the work goes on behind.
func TestEngineDetached(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  string
		hangs   int // calls that last ten minutes
		cancel  bool
		calls   int32
		elapsed time.Duration
		want    error
	}{
		{"no timeout at all", "attempt-timeout=none", 1, false, 1, 10 * time.Minute, nil},
		{"an attempt's timeout, then an answer", "attempt-timeout=1s base=1s jitter=none", 1, false, 2, 2 * sec, nil},
		{"every attempt's", "attempts=3 attempt-timeout=1s base=1s curve=constant jitter=none", 9, false, 3, 5 * sec, context.DeadlineExceeded},
		{"the operation's", "timeout=3s attempt-timeout=none", 9, false, 1, 3 * sec, engine.ErrTimeout},
		{"a cancel", "attempt-timeout=none", 9, true, 1, 2500 * ms, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.cancel {
					time.AfterFunc(2500*ms, cancel)
				}
				var calls, ended atomic.Int32
				began := time.Now()
				v, err := engine.DoDetached(ctx, mustNew(t, c.policy), func() (int32, error) {
					n := calls.Add(1)
					if int(n) <= c.hangs {
						<-time.After(10 * time.Minute)
					}
					ended.Add(1)
					return n, nil
				})
				if took := time.Since(began); took != c.elapsed || calls.Load() != c.calls {
					t.Errorf("%d calls in %v, want %d in %v", calls.Load(), took, c.calls, c.elapsed)
				}
				if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || err == nil && v != c.calls {
					t.Errorf("%d, %v, want %v", v, err, c.want)
				}
				// The work behind comes to its end.
				<-time.After(20 * time.Minute)
				if ended.Load() != calls.Load() {
					t.Errorf("%d of %d calls ended", ended.Load(), calls.Load())
				}
			})
		})
	}
}

// TestEngineDetachedNeedsTheRealClock, which alone goes on while work is done beside it.
func TestEngineDetachedNeedsTheRealClock(t *testing.T) {
	for _, c := range []engine.Clock{engine.NewVirtual(wall), engine.NewHold(wall)} {
		_, err := engine.DoDetached(t.Context(), mustNew(t, "", engine.WithClock(c)), func() (int, error) { t.Error("called"); return 0, nil })
		if !errors.Is(err, engine.ErrDetachedClock) {
			t.Error(err)
		}
	}
}

// TestEngineDetachedPanic: it becomes the panic of the caller who is waiting, with the operation's own stack.
func TestEngineDetachedPanic(t *testing.T) {
	for _, value := range []any{"out of order", errFlaky} {
		func() {
			defer func() {
				p, ok := recover().(*engine.PanicError)
				if !ok || p.Value != value || !strings.Contains(string(p.Stack), "TestEngineDetachedPanic") || !strings.Contains(p.Error(), "the operation panicked") {
					t.Errorf("recovered %v", p)
				}
				if _, isErr := value.(error); isErr != errors.Is(p, errFlaky) {
					t.Errorf("%v and the error inside do not agree", p)
				}
			}()
			_, err := engine.DoDetached(t.Context(), mustNew(t, ""), func() (int, error) { panic(value) })
			t.Errorf("no panic, %v", err)
		}()
	}
}

// TestEngineDetachedPanicNobodyWaitsFor is dropped, as its result would be: there is nobody to hand it to.
func TestEngineDetachedPanicNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := engine.DoDetached(t.Context(), mustNew(t, "attempts=1 attempt-timeout=1s"), func() (int, error) {
			<-time.After(time.Minute)
			panic("late")
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		<-time.After(time.Hour)
	})
}

// TestEngineDetachedGoexit: an operation that ends its goroutine fails, and nobody hangs.
func TestEngineDetachedGoexit(t *testing.T) {
	calls := 0
	_, err := engine.DoDetached(t.Context(), mustNew(t, ""), func() (int, error) { calls++; runtime.Goexit(); return 0, nil })
	if !errors.Is(err, engine.ErrGoexit) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
