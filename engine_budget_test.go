package main_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineBudgetOfTokens walks through a bucket of ten: a retry costs five, a success credits one, and a retry that
// came to a success gives back its cost.
func TestEngineBudgetOfTokens(t *testing.T) {
	const policy = "attempts=3 base=1s budget=tokens:10/5/1"
	b := engine.NewBudget(mustParse(t, policy).Budget)
	for i, c := range []struct {
		replies []reply
		calls   int
		reason  engine.Reason
		left    int
	}{
		{[]reply{good()}, 1, engine.ReasonNone, 10},
		{[]reply{status(503), good()}, 2, engine.ReasonNone, 10},
		{[]reply{status(503)}, 3, engine.ReasonAttempts, 0},
		{[]reply{status(503)}, 1, engine.ReasonBudget, 0},
		{[]reply{good()}, 1, engine.ReasonNone, 1},
		{[]reply{status(404)}, 1, engine.ReasonNotRetryable, 2},
		{[]reply{status(501)}, 1, engine.ReasonNotRetryable, 2},
		{[]reply{good()}, 1, engine.ReasonNone, 3},
		{[]reply{good()}, 1, engine.ReasonNone, 4},
		{[]reply{status(503), good()}, 1, engine.ReasonBudget, 4},
		{[]reply{good()}, 1, engine.ReasonNone, 5},
		{[]reply{status(503), good()}, 2, engine.ReasonNone, 5},
	} {
		p := play(t, game{policy: policy, replies: c.replies, opts: []engine.Option{engine.WithBudget(b)}})
		if left := b.Left(0); p.calls != c.calls || p.report.Reason != c.reason || left != c.left {
			t.Errorf("operation %d: %d calls (%v), %d left, want %d (%v), %d", i+1, p.calls, p.report.Reason, left, c.calls, c.reason, c.left)
		}
	}
}

// TestEngineBudgetTakesForRetriesOnly: nothing is taken where another gate is shut.
func TestEngineBudgetTakesForRetriesOnly(t *testing.T) {
	const policy = "attempts=2 base=10s jitter=none budget=tokens:10/5/0 "
	for _, g := range []game{
		{replies: []reply{status(401)}},
		{replies: []reply{status(503)}, method: "POST"},
		{policy: "timeout=1s", replies: []reply{status(503)}},
		{replies: []reply{status(429).after(time.Hour)}},
		{replies: []reply{hang()}, cancelAt: sec},
		{policy: "attempts=1", replies: []reply{status(503)}},
	} {
		text := policy
		if g.policy == "attempts=1" {
			text = "base=10s budget=tokens:10/5/0 "
		}
		g.policy = text + g.policy
		b := engine.NewBudget(mustParse(t, g.policy).Budget)
		g.opts = []engine.Option{engine.WithBudget(b)}
		if p := play(t, g); b.Left(0) != 10 {
			t.Errorf("%v (%v): %d left of 10", p.report.Result, p.report.Reason, b.Left(0))
		}
	}
}

// TestEngineBudgetByRatio: a share of the requests of the last ten seconds, and some a second for free.
func TestEngineBudgetByRatio(t *testing.T) {
	b := engine.NewBudget(mustParse(t, "budget=ratio:20%/0").Budget)
	if b.Left(0) != 0 || b.Take(0) {
		t.Error("retries for no requests at all")
	}
	for range 10 {
		b.Request(0)
	}
	if b.Left(0) != 2 || !b.Take(0) || !b.Take(0) || b.Take(0) {
		t.Error("not two retries for ten requests")
	}
	if b.Left(9*sec) != 0 {
		t.Errorf("%d left after 9 s", b.Left(9*sec))
	}
	for range 5 {
		b.Request(9 * sec)
	}
	if b.Left(9*sec) != 1 {
		t.Errorf("%d left for 15 requests and 2 retries", b.Left(9*sec))
	}
	if b.Left(10*sec) != 1 { // the first second has left the window, with its requests and its retries
		t.Errorf("%d left once the first second is over", b.Left(10*sec))
	}
	if b.Left(100*sec) != 0 {
		t.Errorf("%d left long after", b.Left(100*sec))
	}
	unused := engine.NewBudget(mustParse(t, "budget=ratio:20%/0").Budget)
	for range 10 {
		unused.Request(500 * ms)
	}
	if unused.Left(10*sec-1) != 2 || unused.Left(10*sec) != 0 {
		t.Errorf("%d left in the tenth second, %d after it", unused.Left(10*sec-1), unused.Left(10*sec))
	}
	free := engine.NewBudget(mustParse(t, "budget=ratio:0%/10").Budget)
	n := 0
	for free.Take(0) {
		n++
	}
	if n != 100 {
		t.Errorf("%d retries at 10 a second over 10 seconds", n)
	}
	if engine.NewBudget(engine.BudgetRule{}) != nil {
		t.Error("a budget by no rule")
	}
}

// TestEngineBudgetIsShared: many operations at once never take more than there is.
func TestEngineBudgetIsShared(t *testing.T) {
	const policy = "attempts=unlimited base=0 budget=tokens:60/3/1"
	p := mustParse(t, policy)
	b := engine.NewBudget(p.Budget)
	var sends atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		r := mustNew(t, policy, engine.WithBudget(b))
		wg.Go(func() {
			_, err := engine.DoInline(t.Context(), noTimeouts(t, r), func() (int, error) { sends.Add(1); return 0, engine.Transient(errFlaky) })
			if e, ok := errors.AsType[*engine.FailedError](err); !ok || e.Reason != engine.ReasonBudget {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := sends.Load(); n != 4+20 {
		t.Errorf("%d sends of 4 operations with 20 retries in the budget", n)
	}
}

func noTimeouts(t *testing.T, r *engine.Retrier) *engine.Retrier {
	p := r.Policy()
	p.Timeout, p.AttemptTimeout = 0, 0
	if err := r.SetPolicy(p); err != nil {
		t.Error(err)
	}
	return r
}

// TestEngineBudgetOfItsOwn: a retrier has one where its policy says so, for all its operations, and a policy that counts
// otherwise starts a new one; a shared one must count by the policy's rule.
func TestEngineBudgetOfItsOwn(t *testing.T) {
	r := mustNew(t, "attempts=2 base=0 budget=tokens:1/1/0", engine.WithClock(engine.NewVirtual(wall)))
	do := func() engine.Reason {
		_, err := engine.Do(t.Context(), r, failing)
		e, ok := errors.AsType[*engine.FailedError](err)
		if !ok {
			t.Fatal(err)
		}
		return e.Reason
	}
	if a, b := do(), do(); a != engine.ReasonAttempts || b != engine.ReasonBudget {
		t.Errorf("%v, then %v", a, b)
	}
	p := r.Policy()
	p.Base = 1
	if err := r.SetPolicy(p); err != nil || do() != engine.ReasonBudget {
		t.Errorf("another knob refilled the budget: %v", err)
	}
	p.Budget.Capacity = 2
	if err := r.SetPolicy(p); err != nil || do() != engine.ReasonAttempts {
		t.Errorf("another rule did not start another budget: %v", err)
	}
	if _, err := engine.New(engine.Default(), engine.WithBudget(engine.NewBudget(p.Budget))); err == nil {
		t.Error("a budget that counts by another rule was taken")
	} else if f, ok := errors.AsType[*engine.FieldError](err); !ok || f.Field != "budget" {
		t.Error(err)
	}
}
