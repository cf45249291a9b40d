package main_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineVirtualClock: time stands still but in a wait, which jumps.
func TestEngineVirtualClock(t *testing.T) {
	c := engine.NewVirtual(wall)
	ctx := t.Context()
	if c.Now() != 0 || !c.Wall().Equal(wall) {
		t.Errorf("%v, %v", c.Now(), c.Wall())
	}
	for _, d := range []time.Duration{time.Hour, 0, -time.Hour} {
		if err := c.Wait(ctx, d); err != nil {
			t.Errorf("a wait of %v: %v", d, err)
		}
	}
	if c.Now() != time.Hour || !c.Wall().Equal(wall.Add(time.Hour)) {
		t.Errorf("%v, %v", c.Now(), c.Wall())
	}
	c.StepWall(-2 * time.Hour)
	if c.Now() != time.Hour || !c.Wall().Equal(wall.Add(-time.Hour)) {
		t.Errorf("%v, %v", c.Now(), c.Wall())
	}
	// A wait that would end beyond what a clock can show never ends: to cut it there would be to end it too soon.
	for _, d := range []time.Duration{engine.Forever, engine.Forever - 1, engine.Forever - time.Hour} {
		if err := c.Wait(ctx, d); !errors.Is(err, engine.ErrNeverEnds) || c.Now() != time.Hour {
			t.Errorf("a wait of %v: %v at %v", d, err, c.Now())
		}
	}
	if err := c.Wait(ctx, engine.Forever-time.Hour-1); err != nil || c.Now() != engine.Forever-1 {
		t.Errorf("up to the end of time: %v at %v", err, c.Now())
	}
}

// TestEngineVirtualEvents run in their order: by time, by rank, by when they were scheduled.
func TestEngineVirtualEvents(t *testing.T) {
	c := engine.NewVirtual(wall)
	var ran []string
	at := func(d time.Duration, r engine.Rank, name string) func() {
		return c.At(d, r, func() { ran = append(ran, name+"@"+c.Now().String()) })
	}
	at(2*sec, engine.RankDeadline, "c")
	at(2*sec, engine.RankSignOut, "b")
	at(2*sec, engine.RankCancel, "a1")
	at(2*sec, engine.RankCancel, "a2")
	at(1*sec, engine.RankDeadline, "first")
	gone := at(1*sec, engine.RankCancel, "taken back")
	at(3*sec, engine.RankCancel, "later")
	c.At(1500*ms, engine.RankCancel, func() { at(1700*ms, engine.RankCancel, "by an event"); at(0, engine.RankCancel, "overdue") })
	gone()
	gone()
	if err := c.Wait(t.Context(), 2*sec); err != nil {
		t.Error(err)
	}
	want := []string{"first@1s", "overdue@1.5s", "by an event@1.7s", "a1@2s", "a2@2s", "b@2s", "c@2s"}
	if !slices.Equal(ran, want) || c.Now() != 2*sec {
		t.Errorf("%v at %v, want %v", ran, c.Now(), want)
	}
}

// TestEngineVirtualSettle runs what is due now, and nothing later.
func TestEngineVirtualSettle(t *testing.T) {
	c := engine.NewVirtual(wall)
	var ran []int
	c.At(0, engine.RankDeadline, func() { ran = append(ran, 2) })
	c.At(0, engine.RankCancel, func() { ran = append(ran, 1); c.At(0, engine.RankDeadline, func() { ran = append(ran, 3) }) })
	c.At(1, engine.RankCancel, func() { ran = append(ran, 4) })
	c.Settle()
	if !slices.Equal(ran, []int{1, 2, 3}) || c.Now() != 0 {
		t.Errorf("%v at %v", ran, c.Now())
	}
}

// TestEngineVirtualWaitEndsWithItsContext, at the instant of it, and with the cause.
func TestEngineVirtualWaitEndsWithItsContext(t *testing.T) {
	c := engine.NewVirtual(wall)
	ctx, cancel := context.WithCancelCause(t.Context())
	c.At(3*sec, engine.RankCancel, func() { cancel(errPressedQ) })
	for _, d := range []time.Duration{3 * sec, 10 * sec, engine.Forever, 0} { // the later ones find it ended
		if err := c.Wait(ctx, d); !errors.Is(err, errPressedQ) || c.Now() != 3*sec {
			t.Errorf("a wait of %v: %v at %v", d, err, c.Now())
		}
	}
}

// TestEngineVirtualContexts end in virtual time, and say why.
func TestEngineVirtualContexts(t *testing.T) {
	type key struct{}
	background := context.WithValue(t.Context(), key{}, "value")
	start := func() (*engine.Virtual, context.Context, context.CancelFunc) {
		c := engine.NewVirtual(wall)
		ctx, cancel := c.WithTimeout(background, 5*sec)
		t.Cleanup(cancel)
		return c, ctx, cancel
	}
	wait := func(c *engine.Virtual, d time.Duration) {
		t.Helper()
		if err := c.Wait(background, d); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("the deadline", func(t *testing.T) {
		c, ctx, cancel := start()
		if at, ok := ctx.Deadline(); !ok || !at.Equal(wall.Add(5*sec)) || ctx.Value(key{}) != "value" {
			t.Errorf("%v, %v", at, ok)
		}
		wait(c, 5*sec-1)
		if ctx.Err() != nil {
			t.Error("too early")
		}
		wait(c, 1)
		cancel()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Errorf("%v, %v", ctx.Err(), context.Cause(ctx))
		}
		select {
		case <-ctx.Done():
		default:
			t.Error("ended, and not done")
		}
	})
	t.Run("a cancel", func(t *testing.T) {
		c, ctx, cancel := start()
		cancel()
		wait(c, time.Hour)
		if !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Errorf("%v, %v", ctx.Err(), context.Cause(ctx))
		}
	})
	t.Run("a parent that is cancelled", func(t *testing.T) {
		c, _, _ := start()
		parent, cancel := context.WithCancelCause(background)
		ctx, free := c.WithTimeout(parent, 5*sec)
		defer free()
		cancel(errPressedQ)
		if !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(context.Cause(ctx), errPressedQ) {
			t.Errorf("%v, %v", ctx.Err(), context.Cause(ctx))
		}
		wait(c, time.Hour)
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("changed its mind: %v", ctx.Err())
		}
	})
	t.Run("a parent whose deadline comes first", func(t *testing.T) {
		c, parent, _ := start()
		ctx, free := c.WithTimeout(parent, time.Hour)
		defer free()
		if at, _ := ctx.Deadline(); !at.Equal(wall.Add(5 * sec)) {
			t.Errorf("deadline %v", at)
		}
		wait(c, 5*sec)
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%v", ctx.Err())
		}
	})
	t.Run("cancelled, then the parent's deadline", func(t *testing.T) {
		c, parent, _ := start()
		ctx, free := c.WithTimeout(parent, time.Hour)
		free()
		wait(c, 5*sec)
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("changed its mind: %v", ctx.Err())
		}
	})
	t.Run("no time at all", func(t *testing.T) {
		c, _, _ := start()
		for _, d := range []time.Duration{0, -sec} {
			ctx, free := c.WithTimeout(background, d)
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("%v: %v", d, ctx.Err())
			}
			free()
		}
	})
	t.Run("derived by the standard library", func(t *testing.T) {
		c, ctx, _ := start()
		plain := context.WithValue(ctx, key{}, "other")
		derived, cancel := context.WithCancel(ctx)
		defer cancel()
		wait(c, 5*sec)
		if !errors.Is(plain.Err(), context.DeadlineExceeded) {
			t.Errorf("with a value: %v", plain.Err())
		}
		if derived.Err() == nil || !errors.Is(context.Cause(derived), context.DeadlineExceeded) {
			t.Errorf("with a cancel: %v, %v", derived.Err(), context.Cause(derived))
		}
		late, cancel := context.WithCancel(ctx)
		defer cancel()
		if late.Err() == nil {
			t.Error("derived from what has ended, and alive")
		}
	})
}

// TestEngineWallClockSteps: a wait once begun is measured on the monotonic clock, whatever a time server does.
func TestEngineWallClockSteps(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		p := play(t, game{
			policy: "base=10s jitter=none", replies: []reply{status(503).after(10 * sec), good()},
			observe: func(e *engine.Event, tb *table) {
				if e.Kind == engine.EventWait {
					tb.clock.At(5*sec, engine.RankDeadline, func() { tb.clock.StepWall(step) })
				}
			},
		})
		if p.sent[1] != 10*sec || p.err != nil {
			t.Errorf("a step of %v: sent at %v, %v", step, p.sent, p.err)
		}
	}
}

// TestEngineHoldClock steps in during a wait, with the loop on a goroutine of its own.
func TestEngineHoldClock(t *testing.T) {
	clock := engine.NewHold(wall)
	r := mustNew(t, "attempts=3 base=1s jitter=none timeout=1h", engine.WithClock(clock))
	type end struct {
		calls int
		err   error
	}
	run := func(ctx context.Context) <-chan end {
		out := make(chan end, 1)
		go func() {
			calls := 0
			_, err := engine.Do(ctx, r, func(context.Context) (int, error) { calls++; return 0, engine.Transient(errFlaky) })
			out <- end{calls, err}
		}()
		return out
	}
	// Each wait is announced, and lasts until it is released.
	done := run(t.Context())
	for i, want := range []time.Duration{sec, 2 * sec} {
		held := <-clock.Waits()
		if held.For != want {
			t.Errorf("wait %d is one of %v, want %v", i+1, held.For, want)
		}
		held.Release()
		held.Release()
	}
	if e := <-done; e.calls != 3 || !errors.Is(e.err, errFlaky) || clock.Now() != 3*sec {
		t.Errorf("%d calls, %v at %v", e.calls, e.err, clock.Now())
	}
	// Cancelled during a wait: the cancel comes out at once.
	ctx, cancel := context.WithCancelCause(t.Context())
	done = run(ctx)
	<-clock.Waits()
	cancel(errPressedQ)
	if e := <-done; e.calls != 1 || !errors.Is(e.err, context.Canceled) || !errors.Is(e.err, errPressedQ) || !errors.Is(e.err, errFlaky) {
		t.Errorf("%d calls, %v", e.calls, e.err)
	}
	// Signed out during a wait.
	s := engine.NewSession()
	r = mustNew(t, "base=1s", engine.WithClock(clock), engine.WithSession(s))
	done = run(t.Context())
	<-clock.Waits()
	s.SignOut()
	if e := <-done; e.calls != 1 || !errors.Is(e.err, engine.ErrStaleGeneration) || !errors.Is(e.err, errFlaky) {
		t.Errorf("%d calls, %v", e.calls, e.err)
	}
	// A context that has ended announces nothing.
	if err := clock.Wait(ctx, sec); !errors.Is(err, errPressedQ) {
		t.Error(err)
	}
}

// TestEngineRunsTheSameEachTime: the same seed, the same events, to the nanosecond.
func TestEngineRunsTheSameEachTime(t *testing.T) {
	run := func() *played {
		return play(t, game{
			policy: "attempts=8 jitter=decorrelated timeout=1m spread=1s", draw: 0.3,
			replies: []reply{status(503), hang(), transport(engine.CauseReset).slow(70 * ms), status(429).after(4 * sec)},
		})
	}
	a, b := run(), run()
	if len(a.events) != len(b.events) {
		t.Fatalf("%d events, then %d", len(a.events), len(b.events))
	}
	for i := range a.events {
		x, y := a.events[i], b.events[i]
		x.Policy, y.Policy, x.Err, y.Err = nil, nil, nil, nil
		if x != y {
			t.Errorf("event %d: %+v, then %+v", i, x, y)
		}
	}
}
