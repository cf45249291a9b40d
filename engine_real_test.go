package main_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/retryscope/retryscope/engine"
)

// The real clock, inside a bubble where its time costs nothing: timers, contexts and goroutines are the true ones.

// TestEngineRealClock: an operation of the virtual clock takes the same on the real one.
func TestEngineRealClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := engine.Real()
		r := mustNew(t, "attempts=5 base=1s jitter=none attempt-timeout=2s", engine.WithSeed(1))
		began := clock.Now()
		var at []time.Duration
		v, rep, err := engine.Run(t.Context(), r, engine.Operation[int]{Run: func(ctx context.Context, n int) (int, error) {
			at = append(at, clock.Now()-began)
			switch n {
			case 1:
				return 0, &engine.StatusError{Status: 503}
			case 2:
				<-ctx.Done()
				return 0, ctx.Err()
			case 3:
				return 0, engine.RetryAfter(errFlaky, 10*sec)
			default:
				return n, nil
			}
		}})
		want := []time.Duration{0, sec, 5 * sec, 15 * sec}
		if v != 4 || err != nil || len(at) != 4 || at[1] != want[1] || at[2] != want[2] || at[3] != want[3] {
			t.Errorf("%d, %v, sent at %v, want %v", v, err, at, want)
		}
		if rep.Waited != 13*sec || rep.Elapsed != 15*sec || rep.Attempts != 4 {
			t.Errorf("%+v", rep)
		}
	})
}

// TestEngineRealClockIsInterrupted: a cancel, a sign-out and a deadline end a wait at once.
func TestEngineRealClockIsInterrupted(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy string
		do     func(s *engine.Session, cancel context.CancelCauseFunc)
		within time.Duration // the caller's deadline
		want   error
		took   time.Duration
		calls  int
	}{
		{name: "a cancel in the wait", policy: "base=30s jitter=none cap=1h", do: func(_ *engine.Session, cancel context.CancelCauseFunc) { cancel(errPressedQ) }, want: errPressedQ, took: 5 * sec, calls: 1},
		{name: "a sign-out in the wait", policy: "base=30s jitter=none cap=1h", do: func(s *engine.Session, _ context.CancelCauseFunc) { s.SignOut() }, want: engine.ErrStaleGeneration, took: 5 * sec, calls: 1},
		{name: "a cancel in an endless wait", policy: "base=2562047h curve=exponential factor=2 jitter=none cap=none shift=1", do: func(_ *engine.Session, cancel context.CancelCauseFunc) { cancel(errPressedQ) }, want: context.Canceled, took: 5 * sec, calls: 1},
		{name: "a cancel in a later wait", policy: "base=2s curve=constant jitter=none", do: func(_ *engine.Session, cancel context.CancelCauseFunc) { cancel(errPressedQ) }, want: context.Canceled, took: 5 * sec, calls: 3},
		{name: "the caller's deadline ahead", policy: "base=30s jitter=none cap=1h", within: 10 * sec, want: context.DeadlineExceeded, calls: 1},
		{name: "the timeout ahead", policy: "base=30s jitter=none timeout=10s cap=1h", want: engine.ErrTimeout, calls: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				s := engine.NewSession()
				if c.do != nil {
					time.AfterFunc(5*sec, func() { c.do(s, cancel) })
				}
				if c.within > 0 {
					var free context.CancelFunc
					ctx, free = context.WithTimeout(ctx, c.within)
					defer free()
				}
				calls := 0
				began := time.Now()
				_, err := engine.Do(ctx, mustNew(t, c.policy, engine.WithSession(s)), func(context.Context) (int, error) {
					calls++
					return 0, engine.Transient(errFlaky)
				})
				if took := time.Since(began); took != c.took || calls != c.calls || !errors.Is(err, c.want) || !errors.Is(err, errFlaky) {
					t.Errorf("%d calls in %v, %v, want %d in %v", calls, took, err, c.calls, c.took)
				}
			})
		})
	}
}

// TestEngineRealWaits: a context that has ended is asked before any wait, even one of no time.
func TestEngineRealWaits(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	for _, d := range []time.Duration{0, -sec, time.Nanosecond} {
		if err := engine.Real().Wait(ctx, d); err != nil {
			t.Errorf("a wait of %v: %v", d, err)
		}
	}
	cancel(errPressedQ)
	for _, d := range []time.Duration{0, -sec, time.Nanosecond, time.Hour, engine.Forever} {
		if err := engine.Real().Wait(ctx, d); !errors.Is(err, errPressedQ) {
			t.Errorf("a wait of %v: %v", d, err)
		}
	}
}

// TestEngineTimersStayInTheirBubble: a timer made inside a bubble must not come back outside of it, nor in another one;
// a program's tests would die of that.
func TestEngineTimersStayInTheirBubble(t *testing.T) {
	r := mustNew(t, "attempts=3 base=1us jitter=none")
	do := func(t *testing.T) {
		if _, err := engine.Do(t.Context(), r, failing); !errors.Is(err, errFlaky) {
			t.Error(err)
		}
	}
	do(t)
	for range 3 {
		synctest.Test(t, do)
		do(t)
	}
}

// TestEngineLeavesNothingBehind: no goroutine and no timer outlives an operation, however it ended.
func TestEngineLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := engine.NewSession()
	for _, policy := range []string{"base=1us", "base=1us timeout=1h", "base=1h timeout=1s", "attempts=unlimited base=1ms jitter=none"} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, err := engine.Do(ctx, mustNew(t, policy, engine.WithSession(s), engine.Share()), func(context.Context) (int, error) {
			if calls++; calls == 7 {
				cancel()
			}
			return 0, engine.Transient(errFlaky)
		})
		if !errors.Is(err, errFlaky) {
			t.Error(err)
		}
		cancel()
	}
	s.SignOut()
}

// TestEngineIsSafeForManyAtOnce: one retrier, many operations, a policy that changes and a person who signs out.
func TestEngineIsSafeForManyAtOnce(t *testing.T) {
	s := engine.NewSession()
	r := mustNew(t, "attempts=3 base=1us budget=ratio:100%/1000", engine.WithSession(s), engine.WithSends(engine.NewSends(10000)), engine.Share(),
		engine.WithObserver(func(e *engine.Event) { _ = e.Policy.String() }))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				_, err := engine.Do(t.Context(), r, func(context.Context) (int, error) {
					if n%3 == 0 {
						return 1, nil
					}
					return 0, engine.Transient(errFlaky)
				})
				if err != nil && !errors.Is(err, errFlaky) && !errors.Is(err, engine.ErrStaleGeneration) {
					t.Error(err)
				}
				switch {
				case i == 0 && n%10 == 0:
					s.SignOut()
				case i == 1:
					p := mustParse(t, "attempts=2 base=1us budget=tokens:500/1/1")
					p.Attempts += n % 3
					if err := r.SetPolicy(p); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}
