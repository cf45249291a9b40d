package main_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineDoSendsAPlainErrorOnce, under Do itself and with the real clock: there is nothing to wait for.
func TestEngineDoSendsAPlainErrorOnce(t *testing.T) {
	for _, policy := range []string{"", "attempt-timeout=none"} {
		calls := 0
		_, err := engine.Do(t.Context(), mustNew(t, policy), func(context.Context) (int, error) {
			calls++
			return 0, errFlaky
		})
		if calls != 1 || !errors.Is(err, errFlaky) {
			t.Errorf("%s: %d calls, %v", policy, calls, err)
		}
	}
}

// TestEngineDoUntil: a predicate on results that never accepts has the last result come back, and no error.
func TestEngineDoUntil(t *testing.T) {
	r := mustNew(t, "", engine.WithClock(engine.NewVirtual(wall)))
	calls := 0
	count := func(context.Context) (int, error) { calls++; return calls, nil }
	v, err := engine.DoUntil(t.Context(), r, func(int) bool { return false }, count)
	if v != 4 || err != nil || calls != 4 {
		t.Errorf("%d, %v after %d calls", v, err, calls)
	}
	calls = 0
	v, err = engine.DoUntil(t.Context(), r, func(v int) bool { return v == 2 }, count)
	if v != 2 || err != nil || calls != 2 {
		t.Errorf("%d, %v after %d calls", v, err, calls)
	}
	// An error is still an error, and a plain one is sent once.
	calls = 0
	v, err = engine.DoUntil(t.Context(), r, func(int) bool { return false }, func(context.Context) (int, error) { calls++; return 7, errFlaky })
	if v != 7 || !errors.Is(err, errFlaky) || calls != 1 {
		t.Errorf("%d, %v after %d calls", v, err, calls)
	}
	// A result that was refused, then an error: the error comes out.
	calls = 0
	_, err = engine.DoUntil(t.Context(), r, func(int) bool { return false }, func(context.Context) (int, error) {
		if calls++; calls == 2 {
			return 0, errFlaky
		}
		return calls, nil
	})
	if !errors.Is(err, errFlaky) || calls != 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
	// Time that ran out, and a server that wants to be left alone, are errors even where the results are not.
	timed := mustNew(t, "base=10s jitter=none timeout=5s", engine.WithClock(engine.NewVirtual(wall)))
	v, err = engine.DoUntil(t.Context(), timed, func(int) bool { return false }, func(context.Context) (int, error) { return 7, nil })
	if v != 7 || !errors.Is(err, engine.ErrTimeout) {
		t.Errorf("%d, %v", v, err)
	}
	// A cancel is an error even where the result is only not yet accepted.
	ctx, cancel := context.WithCancel(t.Context())
	v, err = engine.DoUntil(ctx, r, func(int) bool { return false }, func(context.Context) (int, error) { cancel(); return 7, nil })
	if v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v", v, err)
	}
}

// TestEngineSuccessLeavesNoOldError: after failures, a success is a success.
func TestEngineSuccessLeavesNoOldError(t *testing.T) {
	p := play(t, game{policy: "base=1s", replies: []reply{status(503), transport(engine.CauseReset), good()}})
	if p.err != nil || p.value != "answer 3" || p.report.Last.Failure() {
		t.Errorf("%q, %v, %+v", p.value, p.err, p.report)
	}
}

// TestEngineFinalAnswerIsHandedOver: with its error, whatever ended the operation but an interruption.
func TestEngineFinalAnswerIsHandedOver(t *testing.T) {
	for _, c := range []struct {
		game
		want string
	}{
		{game{replies: []reply{status(503)}}, "answer 4"},
		{game{replies: []reply{status(503), status(401)}}, "answer 2"},
		{game{replies: []reply{status(429).after(time.Hour)}}, "answer 1"},
		{game{policy: "timeout=1s base=2s jitter=none", replies: []reply{status(503)}}, "answer 1"},
		{game{replies: []reply{status(503)}, method: "POST"}, "answer 1"},
		{game{policy: "base=2s jitter=none", replies: []reply{status(503)}, cancelAt: sec}, ""},
		{game{policy: "base=2s jitter=none", replies: []reply{status(503)}, signOutAt: sec}, ""},
	} {
		if p := play(t, c.game); p.value != c.want || p.err == nil {
			t.Errorf("%v (%v): %q, %v, want %q", p.report.Result, p.report.Reason, p.value, p.err, c.want)
		}
	}
}

// TestEngineDiscardAndKeep: each result is either discarded, once, or handed over, and the contexts of the one that is
// kept live until it is released.
func TestEngineDiscardAndKeep(t *testing.T) {
	for _, c := range []struct {
		name      string
		policy    string
		fails     int
		cancel    bool // in the wait after the first attempt
		discarded []int
		kept      int
	}{
		{"a success", "", 0, false, nil, 1},
		{"a success after two", "", 2, false, []int{1, 2}, 3},
		{"none at all", "", 9, false, []int{1, 2, 3}, 4},
		{"a cancel", "", 9, true, []int{1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := engine.NewVirtual(wall)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				clock.At(1, engine.RankCancel, cancel)
			}
			var discarded []int
			var release func()
			var attempts []context.Context
			r := mustNew(t, c.policy, engine.WithClock(clock), engine.WithDraw(1))
			v, _, _ := engine.Run(ctx, r, engine.Operation[int]{
				Run: func(ctx context.Context, n int) (int, error) {
					attempts = append(attempts, ctx)
					return n, nil
				},
				Classify: func(v int, _ error) engine.Outcome {
					if v <= c.fails {
						return status(503).out
					}
					return engine.Outcome{}
				},
				Discard: func(v int) { discarded = append(discarded, v) },
				Keep:    func(v int, f func()) int { release = f; return v },
			})
			if v != c.kept || !slices.Equal(discarded, c.discarded) {
				t.Errorf("kept %d, discarded %v, want %d and %v", v, discarded, c.kept, c.discarded)
			}
			for i, a := range attempts {
				kept := i == len(attempts)-1 && c.kept != 0
				if (a.Err() == nil) != kept {
					t.Errorf("the context of attempt %d: %v", i+1, a.Err())
				}
			}
			if (release != nil) != (c.kept != 0) {
				t.Fatal("kept without a way to release it, or the other way around")
			}
			if release != nil {
				release()
				release()
				if attempts[len(attempts)-1].Err() == nil {
					t.Error("released, and its context lives on")
				}
			}
		})
	}
}

// TestEngineContextOfAnAttemptEndsWithIt: without a Keep, nothing of the attempts is left behind.
func TestEngineContextOfAnAttemptEndsWithIt(t *testing.T) {
	var attempts []context.Context
	r := mustNew(t, "timeout=1h", engine.WithClock(engine.NewVirtual(wall)))
	_, err := engine.Do(t.Context(), r, func(ctx context.Context) (int, error) {
		for i, a := range attempts {
			if a.Err() == nil {
				t.Errorf("the context of attempt %d lives on in attempt %d", i+1, len(attempts)+1)
			}
		}
		if _, ok := ctx.Deadline(); !ok {
			t.Error("an attempt under a timeout has no deadline")
		}
		attempts = append(attempts, ctx)
		return 0, engine.Transient(errFlaky)
	})
	if err == nil || len(attempts) != 4 || attempts[3].Err() == nil {
		t.Errorf("%v, %d attempts", err, len(attempts))
	}
}

// TestEngineReading: what a wait is read with is that of the policy in force.
func TestEngineReading(t *testing.T) {
	r, err := engine.New(mustParse(t, "hints=retry-after-ms reads=seconds"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hints=retry-after-ms reads=seconds", "hints=ratelimit-reset reads=none"} {
		p := mustParse(t, text)
		if err := r.SetPolicy(p); err != nil {
			t.Fatal(err)
		}
		if hints, reads := r.Reading(); hints != p.Hints || reads != p.Reads || hints == (engine.Hints{}) {
			t.Errorf("%s: %v and %v", text, hints, reads)
		}
	}
}

// TestEngineSetPolicy: a knob turned mid-run counts from the next decision, a timeout then from the start.
func TestEngineSetPolicy(t *testing.T) {
	turn := func(kind engine.EventKind, attempt int, text string) func(*engine.Event, *table) {
		return func(e *engine.Event, tb *table) {
			if e.Kind == kind && e.Attempt == attempt {
				if err := tb.retrier.SetPolicy(mustParse(t, text)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	const own = "attempts=3 base=1s curve=constant jitter=none "
	for _, c := range []struct {
		name  string
		at    engine.EventKind
		to    string
		calls int
		waits []time.Duration
	}{
		{"in the first attempt: from its own decision", engine.EventAttempt, "attempts=3 base=5s curve=constant jitter=none", 3, []time.Duration{5 * sec, 5 * sec}},
		{"at the first decision: the wait under way stays", engine.EventDecision, "attempts=3 base=5s curve=constant jitter=none", 3, []time.Duration{1 * sec, 5 * sec}},
		{"in the first wait: it stays as well", engine.EventWait, "attempts=3 base=5s curve=constant jitter=none", 3, []time.Duration{1 * sec, 5 * sec}},
		{"fewer attempts", engine.EventWait, own + "attempts=1", 2, []time.Duration{1 * sec}},
		{"more attempts", engine.EventWait, own + "attempts=5", 5, []time.Duration{1 * sec, 1 * sec, 1 * sec, 1 * sec}},
		{"a timeout counts from the start", engine.EventWait, own + "timeout=1500ms", 2, []time.Duration{1 * sec}},
		{"a timeout that has passed already", engine.EventWait, own + "timeout=500ms", 2, []time.Duration{1 * sec}},
		{"a budget", engine.EventWait, own + "budget=tokens:5/5/0", 3, []time.Duration{1 * sec, 1 * sec}},
		{"a budget that is empty", engine.EventWait, own + "budget=tokens:4/5/0", 2, []time.Duration{1 * sec}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(c.to, own+"attempts", "base=1s curve=constant jitter=none attempts", 1)
			p := play(t, game{policy: own, replies: []reply{status(503)}, observe: turn(c.at, 1, text)})
			if p.calls != c.calls || !slices.Equal(p.waits, c.waits) {
				t.Errorf("%d calls, waits %v, want %d and %v (%v)", p.calls, p.waits, c.calls, c.waits, p.err)
			}
		})
	}
	// A timeout taken away, and one that is put off, in an attempt: the attempt keeps what it was sent with.
	p := play(t, game{policy: own + "timeout=3s attempt-timeout=none", replies: []reply{hang(), good()}, observe: turn(engine.EventAttempt, 1, own+"timeout=9s")})
	if p.calls != 2 || p.sent[1] != 4*sec || p.err != nil {
		t.Errorf("%d calls at %v, %v", p.calls, p.sent, p.err)
	}
}

// TestEngineObserverSeesItAll: the events of an operation in full, as a person would write them down.
func TestEngineObserverSeesItAll(t *testing.T) {
	p := play(t, game{policy: "base=1s jitter=none attempt-timeout=2s", replies: []reply{status(503).slow(100 * ms), hang(), good()}})
	var got []string
	for _, e := range p.events {
		line := fmt.Sprintf("%v #%d ", e.At, e.Attempt)
		switch e.Kind {
		case engine.EventStart:
			line += "start"
		case engine.EventAttempt:
			line += "attempt"
		case engine.EventOutcome:
			line += "outcome " + e.Outcome.Words()
		case engine.EventDecision:
			line += "decision " + e.Decision.Verdict.String()
		case engine.EventWait:
			line += "wait " + e.Decision.Wait.String()
		case engine.EventWaitEnd:
			line += "over"
		case engine.EventDone:
			line += "done " + e.Report.Result.String()
		}
		got = append(got, line)
	}
	want := []string{
		"0s #0 start",
		"0s #1 attempt", "100ms #1 outcome 503", "100ms #1 decision retry", "100ms #1 wait 1s", "1.1s #1 over",
		"1.1s #2 attempt", "3.1s #2 outcome timeout", "3.1s #2 decision retry", "3.1s #2 wait 2s", "5.1s #2 over",
		"5.1s #3 attempt", "5.1s #3 outcome success", "5.1s #3 decision succeed", "5.1s #3 done succeeded",
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

type numbered int

func (n numbered) Error() string { return fmt.Sprint("failure ", int(n)) }

// TestEngineMillionRetries keep a bounded history, in the errors and in the memory.
func TestEngineMillionRetries(t *testing.T) {
	n := 1_000_000
	if raceEnabled {
		n = 20_000 // the detector makes each step cost fifty
	}
	r := mustNew(t, fmt.Sprintf("attempts=%d base=1ns cap=1us", n), engine.WithClock(engine.NewVirtual(wall)), engine.WithSeed(1))
	calls := 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := engine.Do(t.Context(), r, func(context.Context) (int, error) {
		calls++
		return 0, engine.Transient(numbered(calls))
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	e, ok := errors.AsType[*engine.FailedError](err)
	if !ok || calls != n || e.Attempts != n {
		t.Fatalf("%d calls, %v", calls, err)
	}
	if len(e.History) != 16 || e.History[15].Error() != fmt.Sprint("failure ", n-1) || e.History[0].Error() != fmt.Sprint("failure ", n-16) || e.Last.Error() != fmt.Sprint("failure ", n) {
		t.Errorf("the history is %v, and then %v", e.History, e.Last)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// TestEngineLongWaitsDoNotOverflow: an own wait that is beyond every duration never ends, and is said not to.
func TestEngineLongWaitsDoNotOverflow(t *testing.T) {
	r := mustNew(t, "attempts=unlimited base=1h cap=none jitter=none", engine.WithClock(engine.NewVirtual(wall)))
	_, rep, err := engine.Run(t.Context(), r, engine.Operation[int]{Run: func(context.Context, int) (int, error) { return 0, engine.Transient(errFlaky) }})
	if rep.Result != engine.ResultEndless || rep.Reason != engine.ReasonNoLimit || !errors.Is(err, errFlaky) {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestEngineDoOnAVirtualClockAsksItFirst: a cancel at the very start comes before the first call of a plain Do, too.
func TestEngineDoOnAVirtualClockAsksItFirst(t *testing.T) {
	clock := engine.NewVirtual(wall)
	ctx, cancel := context.WithCancel(t.Context())
	clock.At(0, engine.RankCancel, cancel)
	_, err := engine.Do(ctx, mustNew(t, "attempt-timeout=none", engine.WithClock(clock)), func(context.Context) (int, error) {
		t.Error("called")
		return 0, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestEngineNothingToRun is refused, without a panic.
func TestEngineNothingToRun(t *testing.T) {
	r := mustNew(t, "")
	ctx := t.Context()
	ok := func(context.Context) (int, error) { return 0, nil }
	plain := func() (int, error) { return 0, nil }
	_, e1 := engine.Do(ctx, nil, ok)
	_, e2 := engine.Do[int](ctx, r, nil)
	_, e3 := engine.DoUntil(ctx, r, nil, ok)
	_, e4 := engine.DoUntil[int](ctx, nil, func(int) bool { return true }, ok)
	_, _, e5 := engine.Run(ctx, r, engine.Operation[int]{})
	_, _, e6 := engine.Run(ctx, nil, engine.Operation[int]{})
	_, e7 := engine.DoInline(ctx, nil, plain)
	_, e8 := engine.DoInline[int](ctx, r, nil)
	_, e9 := engine.DoDetached(ctx, nil, plain)
	_, e10 := engine.DoDetached[int](ctx, r, nil)
	for i, err := range []error{e1, e2, e3, e4, e5, e6, e7, e8, e9, e10} {
		if !errors.Is(err, engine.ErrNoRetrier) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	if _, err := engine.New(engine.Policy{}); err == nil {
		t.Error("the zero policy was taken")
	}
	if r, err := engine.New(engine.Default(), engine.WithClock(nil), engine.WithBudget(nil), engine.WithSession(nil), engine.WithSends(nil), engine.WithObserver(nil), engine.WithWhen(nil)); err != nil || r.Clock() != engine.Real() {
		t.Errorf("nil options: %v", err)
	}
	if r.Policy() != engine.Default() {
		t.Errorf("the policy in force is %v", r.Policy())
	}
}

// TestEnginePanicsAreTheCallers: a panic of the operation passes through, and leaves no timer behind.
func TestEnginePanicsAreTheCallers(t *testing.T) {
	r := mustNew(t, "timeout=1h")
	var ctx context.Context
	defer func() {
		if v := recover(); v != "out of order" {
			t.Errorf("recovered %v", v)
		}
		if ctx.Err() == nil {
			t.Error("the attempt's context lives on")
		}
	}()
	_, err := engine.Do(t.Context(), r, func(c context.Context) (int, error) { ctx = c; panic("out of order") })
	t.Errorf("no panic, %v", err)
}

// TestEngineAllocations: the first try is free, a shared allowance is one allocation, and three failures cost the timer.
func TestEngineAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	ctx := t.Context()
	const policy = "base=1ns curve=constant jitter=none attempt-timeout=none"
	plain, shared := mustNew(t, policy), mustNew(t, policy, engine.Share())
	ok := func(context.Context) (int, error) { return 1, nil }
	left := 0
	down := engine.Transient(errFlaky)
	fails := func(context.Context) (int, error) {
		if left--; left >= 0 {
			return 0, down
		}
		return 1, nil
	}
	for _, c := range []struct {
		name string
		most float64
		do   func() (int, error)
	}{
		{"first try", 0, func() (int, error) { return engine.Do(ctx, plain, ok) }},
		{"first try, shared", 1, func() (int, error) { return engine.Do(ctx, shared, ok) }},
		{"three failures", 3, func() (int, error) { left = 3; return engine.Do(ctx, plain, fails) }},
		{"three failures, shared", 4, func() (int, error) { left = 3; return engine.Do(ctx, shared, fails) }},
	} {
		if n := testing.AllocsPerRun(200, func() {
			if v, err := c.do(); v != 1 || err != nil {
				t.Error(v, err)
			}
		}); n > c.most {
			t.Errorf("%s: %v allocations, at most %v", c.name, n, c.most)
		}
	}
}
