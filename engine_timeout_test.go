package main_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineTimeouts: two limits with names of their own, one for an attempt and one for all of them.
func TestEngineTimeouts(t *testing.T) {
	const own = "base=1s jitter=none curve=constant "
	down := []reply{status(503)}
	playAll(t, []row{
		// The attempt's own.
		{name: "an attempt that hangs is a timeout, and retried", game: game{policy: own + "attempt-timeout=2s", replies: []reply{hang(), good()}}, calls: 2, waits: []time.Duration{sec}, result: engine.ResultSucceeded},
		{name: "each attempt has one of its own", game: game{policy: own + "attempt-timeout=2s retries=3", replies: []reply{hang()}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "slow once, then fast", game: game{policy: own + "attempt-timeout=100ms", replies: []reply{good().slow(time.Second), good().slow(99 * ms)}}, calls: 2, result: engine.ResultSucceeded},
		{name: "an answer at the very instant is too late", game: game{policy: own + "attempt-timeout=100ms attempts=1", replies: []reply{good().slow(100 * ms)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a timeout that is not named is final", game: game{policy: own + "attempt-timeout=2s retry-on=5xx", replies: []reply{hang()}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "none: a hanging attempt never ends", game: game{policy: own + "attempt-timeout=none", replies: []reply{hang()}}, calls: 1, result: engine.ResultEndless, reason: engine.ReasonNeverAnswers},
		{name: "none: nor does the second one", game: game{policy: own + "attempt-timeout=none", replies: []reply{status(503), hang()}}, calls: 2, result: engine.ResultEndless, reason: engine.ReasonNeverAnswers},

		// The operation's.
		{name: "a wait that ends after the timeout is not begun", game: game{policy: "base=10s jitter=none timeout=5s", replies: down}, calls: 1, waits: []time.Duration{}, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "nor one that ends at it", game: game{policy: "base=5s jitter=none timeout=5s", replies: down}, calls: 1, waits: []time.Duration{}, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "one that ends just before it is", game: game{policy: "base=5s jitter=none timeout=5000000001ns", replies: []reply{status(503), good()}}, calls: 2, result: engine.ResultSucceeded},
		{name: "waits of 1 s within 3 s", game: game{policy: own + "attempts=10 timeout=3s", replies: down}, calls: 3, waits: []time.Duration{sec, sec}, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "the attempts count as well", game: game{policy: own + "attempts=10 timeout=5s", replies: []reply{status(503).slow(time.Second)}}, calls: 3, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "a first attempt that took it all", game: game{policy: own + "timeout=1s attempt-timeout=none", replies: []reply{transport(engine.CauseReset).slow(2 * sec)}}, calls: 1, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "it cuts the attempt under way", game: game{policy: own + "timeout=3s attempt-timeout=none", replies: []reply{status(503), hang()}}, calls: 2, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "of a POST, too", game: game{policy: own + "timeout=3s attempt-timeout=none", method: "POST", replies: []reply{hang()}}, calls: 1, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "the shorter of the two ends an attempt", game: game{policy: own + "timeout=3s attempt-timeout=2500ms", replies: []reply{hang()}}, calls: 1, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "both at one instant are the operation's", game: game{policy: own + "timeout=2s attempt-timeout=2s", replies: []reply{hang()}}, calls: 1, waits: []time.Duration{}, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "a server wait beyond it", game: game{policy: own + "timeout=10s", replies: []reply{status(429).after(20 * sec)}}, calls: 1, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "over the ceiling comes first", game: game{policy: own + "timeout=10s", replies: []reply{status(429).after(40 * sec)}}, calls: 1, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{name: "0 is none, not expired", game: game{policy: own + "timeout=0 attempt-timeout=0", replies: down}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a success that came before it stands", game: game{policy: own + "timeout=2s", replies: []reply{good().slow(2*sec - 1)}}, calls: 1, result: engine.ResultSucceeded},

		// The caller's deadline.
		{name: "a wait that ends after the caller's deadline is not begun", game: game{policy: "base=10s jitter=none", replies: down, deadline: 5 * sec}, calls: 1, waits: []time.Duration{}, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "nor one that ends at it", game: game{policy: "base=5s jitter=none", replies: down, deadline: 5 * sec}, calls: 1, waits: []time.Duration{}, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "it cuts the attempt under way", game: game{policy: own + "attempt-timeout=none", replies: []reply{status(503), hang()}, deadline: 3 * sec}, calls: 2, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{name: "an attempt's own timeout is not the caller's deadline", game: game{policy: own + "attempt-timeout=1s", replies: []reply{hang()}, deadline: time.Hour}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
	})
}

// TestEngineTimeoutErrors: whose time ran out, and what had failed before it did.
func TestEngineTimeoutErrors(t *testing.T) {
	const own = "base=1s jitter=none curve=constant attempt-timeout=none "
	for _, c := range []struct {
		name string
		game
		ours bool // the operation's own timeout; else the caller's deadline
		last int  // the status of the last failure, 0 where there was none
		text string
	}{
		{"before a wait", game{policy: own + "timeout=1s", replies: []reply{status(503)}}, true, 503, "reply 503 (timeout 1s: the next attempt would begin after it, in 1s)"},
		{"in the second attempt", game{policy: own + "timeout=3s", replies: []reply{status(503), hang()}}, true, 503, "reply 503 (timeout 3s passed in attempt 2)"},
		{"in the first attempt", game{policy: own + "timeout=3s", replies: []reply{hang()}}, true, 0, "context deadline exceeded (timeout 3s passed in attempt 1)"},
		{"the caller's, before a wait", game{policy: own, replies: []reply{status(503)}, deadline: sec}, false, 503, "context deadline exceeded: the next attempt would begin after the caller's deadline (last failure: reply 503)"},
		{"the caller's, in the second attempt", game{policy: own, replies: []reply{status(503), hang()}, deadline: 3 * sec}, false, 503, "context deadline exceeded (last failure: reply 503)"},
		{"the caller's, in the first attempt", game{policy: own, replies: []reply{hang()}, deadline: 3 * sec}, false, 0, "context deadline exceeded"},
		{"both, the caller's first", game{policy: own + "timeout=3s", replies: []reply{hang()}, deadline: 2 * sec}, false, 0, "context deadline exceeded"},
		{"both, ours first", game{policy: own + "timeout=2s", replies: []reply{status(503), hang()}, deadline: 3 * sec}, true, 503, "reply 503 (timeout 2s passed in attempt 2)"},
		{"both ahead, the caller's first", game{policy: own + "timeout=900ms", replies: []reply{status(503)}, deadline: 800 * ms}, false, 503, "context deadline exceeded: the next attempt would begin after the caller's deadline (last failure: reply 503)"},
		{"both ahead, ours first", game{policy: own + "timeout=800ms", replies: []reply{status(503)}, deadline: 900 * ms}, true, 503, "reply 503 (timeout 800ms: the next attempt would begin after it, in 1s)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.game)
			ours, isOurs := errors.AsType[*engine.TimeoutError](p.err)
			theirs, isTheirs := errors.AsType[*engine.InterruptedError](p.err)
			if isOurs != c.ours || isTheirs == c.ours || errors.Is(p.err, engine.ErrTimeout) != c.ours {
				t.Fatalf("%T %v", p.err, p.err)
			}
			if isOurs && (ours.Timeout != p.policy.Timeout || ours.Attempts != p.calls) {
				t.Errorf("timeout %v after %d attempts, want %v after %d", ours.Timeout, ours.Attempts, p.policy.Timeout, p.calls)
			}
			if isTheirs && (!errors.Is(p.err, context.DeadlineExceeded) || errors.Is(p.err, context.Canceled) || theirs.Attempts != p.calls) {
				t.Errorf("%+v", theirs)
			}
			if r, ok := errors.AsType[*reply](p.err); ok != (c.last != 0) || ok && r.out.Status != c.last {
				t.Errorf("the last failure is %v, want %d", r, c.last)
			}
			if p.err.Error() != c.text {
				t.Errorf("%q, want %q", p.err, c.text)
			}
		})
	}
}

// TestEngineTimeoutKeepsTheLastAnswer: where no attempt was cut, what came back last is handed over beside the error.
func TestEngineTimeoutKeepsTheLastAnswer(t *testing.T) {
	p := play(t, game{policy: "base=1s jitter=none curve=constant timeout=3s", replies: []reply{status(503)}})
	if p.value != "answer 3" || p.err == nil {
		t.Errorf("%q, %v", p.value, p.err)
	}
}

// TestEngineTimeoutThatTheErrorHides: a driver that makes an error of its own of the end of its context was cut by the
// timeout all the same, and a real failure that came late counts as late; what is marked keeps its word.
func TestEngineTimeoutThatTheErrorHides(t *testing.T) {
	opaque := errors.New("canceling statement due to user request")
	for _, c := range []struct {
		name  string
		err   error
		kind  engine.Kind
		calls int
	}{
		{"an error of the driver's own", opaque, engine.KindTimeout, 3},
		{"a cancel", context.Canceled, engine.KindTimeout, 3},
		{"one marked permanent", engine.Permanent(opaque), engine.KindTimeout, 1},
		{"a status", &engine.StatusError{Status: 404}, engine.KindStatus, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := engine.NewVirtual(wall)
			r := mustNew(t, "attempts=3 attempt-timeout=1s", engine.WithClock(clock))
			_, rep, err := engine.Run(t.Context(), r, engine.Operation[int]{Run: func(ctx context.Context, _ int) (int, error) {
				if clock.Wait(ctx, engine.Forever) == nil {
					t.Error("the attempt was not cut")
				}
				return 0, c.err
			}})
			if rep.Last.Kind != c.kind || rep.Attempts != c.calls || !errors.Is(err, c.err) {
				t.Errorf("%v after %d attempts, want %v after %d: %v", rep.Last.Kind, rep.Attempts, c.kind, c.calls, err)
			}
		})
	}
}

// TestEngineTimeoutOfContextsDerivedInside: a context that the operation itself derived, with the standard library, says
// "canceled" when a virtual deadline passes. It is a timeout, and the caller's where it was the caller's.
func TestEngineTimeoutOfContextsDerivedInside(t *testing.T) {
	clock := engine.NewVirtual(wall)
	r := mustNew(t, "attempts=2 attempt-timeout=1s", engine.WithClock(clock))
	derived := engine.Operation[int]{Run: func(ctx context.Context, _ int) (int, error) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		if clock.Wait(inner, engine.Forever) == nil || inner.Err() == nil {
			t.Error("the attempt was not cut")
		}
		return 0, inner.Err()
	}}
	_, rep, err := engine.Run(t.Context(), r, derived)
	if rep.Attempts != 2 || rep.Last.Kind != engine.KindTimeout || rep.Reason != engine.ReasonAttempts {
		t.Errorf("%+v, %v", rep, err)
	}
	// The caller's deadline, which the caller derived from again.
	outer, free := clock.WithTimeout(t.Context(), 500*ms)
	defer free()
	outer, cancel := context.WithCancel(outer)
	defer cancel()
	_, rep, err = engine.Run(outer, r, derived)
	if rep.Result != engine.ResultTimedOut || rep.Attempts != 1 || rep.Last.Kind != engine.KindTimeout || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestEngineDeadlineIsOnTheOperationsClock: stepping the wall clock, before or during the run, moves no deadline.
func TestEngineDeadlineIsOnTheOperationsClock(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, -time.Second, time.Second, time.Hour} {
		clock := engine.NewVirtual(wall)
		ctx, free := clock.WithTimeout(t.Context(), 10*sec)
		clock.StepWall(step)
		clock.At(3*sec, engine.RankCancel, func() { clock.StepWall(step) })
		var at []time.Duration
		r := mustNew(t, "attempts=unlimited base=4s curve=constant jitter=none", engine.WithClock(clock))
		_, rep, err := engine.Run(ctx, r, engine.Operation[int]{Run: func(context.Context, int) (int, error) {
			at = append(at, clock.Now())
			return 0, engine.Transient(errFlaky)
		}})
		if len(at) != 3 || at[2] != 8*sec || rep.Result != engine.ResultTimedOut || rep.Elapsed != 8*sec {
			t.Errorf("a step of %v: sent at %v, %+v, %v", step, at, rep, err)
		}
		free()
	}
}

// TestEngineDeadlineIsTheEarliestOfThoseAround: where deadlines are nested, stepping the wall clock hides none of them.
func TestEngineDeadlineIsTheEarliestOfThoseAround(t *testing.T) {
	for _, nested := range [][]time.Duration{{5 * sec, time.Hour}, {time.Hour, 5 * sec}, {time.Hour, 5 * sec, time.Hour}} {
		clock := engine.NewVirtual(wall)
		ctx := t.Context()
		for _, d := range nested {
			var free context.CancelFunc
			ctx, free = clock.WithTimeout(ctx, d)
			defer free()
		}
		clock.StepWall(-time.Minute)
		calls := 0
		_, err := engine.Do(ctx, mustNew(t, "attempts=unlimited base=2s curve=constant jitter=none", engine.WithClock(clock)), func(context.Context) (int, error) {
			calls++
			return 0, engine.Transient(errFlaky)
		})
		if calls != 3 || clock.Now() != 4*sec || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("within %v: %d calls, ended at %v, %v", nested, calls, clock.Now(), err)
		}
	}
}

// sluggish is a clock whose waits last longer than they were asked to, as those of a busy machine do.
type sluggish struct{ *engine.Virtual }

func (c sluggish) Wait(ctx context.Context, d time.Duration) error { return c.Virtual.Wait(ctx, 2*d) }

// TestEngineWaitThatLastedTooLong: where a wait ended after the timeout against all plans, nothing more is sent.
func TestEngineWaitThatLastedTooLong(t *testing.T) {
	clock := sluggish{engine.NewVirtual(wall)}
	r := mustNew(t, "base=2s jitter=none timeout=3s", engine.WithClock(clock))
	_, rep, err := engine.Run(t.Context(), r, engine.Operation[int]{Run: func(context.Context, int) (int, error) { return 0, engine.Transient(errFlaky) }})
	if rep.Attempts != 1 || rep.Result != engine.ResultTimedOut || !errors.Is(err, engine.ErrTimeout) || !errors.Is(err, errFlaky) {
		t.Errorf("%+v, %v", rep, err)
	}
}

// ticking is a clock that goes on while it is looked at, as a real one does.
type ticking struct {
	*engine.Virtual
	looks *time.Duration
}

func (c ticking) Now() time.Duration {
	*c.looks++
	return c.Virtual.Now() + *c.looks
}

// TestEngineAttemptBeginsWhenItWasAllowedTo: the time an attempt's event carries is the one it was allowed at, so that it
// never lies past a timeout or deadline that had not passed then.
func TestEngineAttemptBeginsWhenItWasAllowedTo(t *testing.T) {
	for limit := range time.Duration(40) {
		limit++
		for _, text := range []string{"timeout", "deadline"} {
			clock := ticking{engine.NewVirtual(wall), new(time.Duration)}
			p := mustParse(t, "base=0 attempts=20")
			ctx := t.Context()
			if text == "timeout" {
				p.Timeout = limit
			} else {
				var cancel context.CancelFunc
				ctx, cancel = clock.WithTimeout(ctx, limit)
				defer cancel()
			}
			r, err := engine.New(p, engine.WithClock(clock), engine.WithObserver(func(e *engine.Event) {
				if e.Kind == engine.EventAttempt && e.At >= limit {
					t.Errorf("%s %v: attempt %d began at %v", text, limit, e.Attempt, e.At)
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			_, rep, err := engine.Run(ctx, r, engine.Operation[int]{Run: func(context.Context, int) (int, error) { return 0, engine.Transient(errFlaky) }})
			if rep.Result != engine.ResultTimedOut || rep.Attempts > 0 && !errors.Is(err, errFlaky) {
				t.Errorf("%s %v: %+v, %v", text, limit, rep, err)
			}
			if text == "deadline" && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s %v: %v", text, limit, err)
			}
		}
	}
}

// TestEngineTimeoutThatPassesAsItIsAsked: however little time is left, an attempt under a timeout has a deadline.
func TestEngineTimeoutThatPassesAsItIsAsked(t *testing.T) {
	sent := 0
	for left := range time.Duration(8) {
		for _, attempt := range []time.Duration{0, 5} {
			p := mustParse(t, "base=0")
			p.Timeout, p.AttemptTimeout = left+1, attempt
			r, err := engine.New(p, engine.WithClock(ticking{engine.NewVirtual(wall), new(time.Duration)}))
			if err != nil {
				t.Fatal(err)
			}
			_, err = engine.Do(t.Context(), r, func(ctx context.Context) (int, error) {
				sent++
				if _, ok := ctx.Deadline(); !ok {
					t.Errorf("with a timeout of %v an attempt has no deadline", p.Timeout)
				}
				return 0, engine.Transient(errFlaky)
			})
			if !errors.Is(err, engine.ErrTimeout) {
				t.Errorf("with a timeout of %v: %v", p.Timeout, err)
			}
		}
	}
	if sent == 0 {
		t.Error("nothing was sent")
	}
}
