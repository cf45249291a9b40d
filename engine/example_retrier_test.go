package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

func down(context.Context) (int, error) { return 0, engine.Transient(errDown) }

func ExampleNew() {
	r, err := engine.New(engine.Default(), engine.WithSeed(1))
	fmt.Println(r.Policy().Attempts, err)
	_, err = engine.New(engine.Policy{})
	first, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Println(first)
	// Output:
	// 4 <nil>
	// attempts=0: 1 or more (a billion at most), counting the first send, or unlimited
}

func ExampleRetrier_SetPolicy() {
	r := must("attempts=4 base=1s")
	_, err := engine.Do(context.Background(), r, func(context.Context) (int, error) {
		p := r.Policy()
		p.Attempts = 2 // counts from the next decision
		if err := r.SetPolicy(p); err != nil {
			return 0, err
		}
		return 0, engine.Transient(errDown)
	})
	fmt.Println(err)
	// Output: the server is down (attempts-exhausted after 2 attempts)
}

func ExampleWithWhen() {
	r := must("", engine.WithWhen(func(err error) bool { return errors.Is(err, errDown) }))
	calls := 0
	_, err := engine.Do(context.Background(), r, func(context.Context) (int, error) {
		calls++
		return 0, fmt.Errorf("asking: %w", errDown)
	})
	fmt.Println(calls, err)
	// Output: 4 asking: the server is down (attempts-exhausted after 4 attempts)
}

func ExampleWithObserver() {
	r := must("attempts=2 base=1s", engine.WithObserver(func(e *engine.Event) {
		switch e.Kind {
		case engine.EventAttempt:
			fmt.Println(e.At, "attempt", e.Attempt)
		case engine.EventWait:
			fmt.Println(e.At, "wait", e.Decision.Wait)
		case engine.EventDone:
			fmt.Println(e.At, e.Report.Result, e.Report.Reason)
		case engine.EventStart, engine.EventOutcome, engine.EventDecision, engine.EventWaitEnd:
		}
	}))
	_, err := engine.Do(context.Background(), r, down)
	fmt.Println(err)
	// Output:
	// 0s attempt 1
	// 0s wait 1s
	// 1s attempt 2
	// 1s failed attempts-exhausted
	// the server is down (attempts-exhausted after 2 attempts)
}

func ExampleWithSeed() {
	waits := func(seed uint64) time.Duration {
		clock := engine.NewVirtual(time.Unix(0, 0))
		r, err := engine.New(engine.Default(), engine.WithClock(clock), engine.WithSeed(seed))
		if err != nil {
			fmt.Println(err)
		}
		if _, err := engine.Do(context.Background(), r, down); err == nil {
			fmt.Println("no error")
		}
		return clock.Now()
	}
	first := waits(1)
	fmt.Println(first == waits(1), first == waits(2))
	// Output: true false
}

func ExampleWithDraw() {
	for _, u := range []float64{0, 0.5, 1} {
		clock := engine.NewVirtual(time.Unix(0, 0))
		r := must("base=1s", engine.WithClock(clock), engine.WithDraw(u))
		_, err := engine.Do(context.Background(), r, down)
		fmt.Println(err != nil, clock.Now())
	}
	// Output:
	// true 0s
	// true 3.5s
	// true 7s
}

func ExampleWithClock() {
	clock := engine.NewVirtual(time.Unix(0, 0))
	r := must("attempts=100 base=1h cap=24h jitter=none", engine.WithClock(clock))
	_, err := engine.Do(context.Background(), r, down) // hundred attempts in no time
	fmt.Println(err, "after", clock.Now())
	// Output: the server is down (attempts-exhausted after 100 attempts) after 2287h0m0s
}

func ExampleReal() {
	clock := engine.Real()
	before := clock.Now()
	err := clock.Wait(context.Background(), time.Millisecond)
	fmt.Println(err, clock.Now()-before >= time.Millisecond)
	// Output: <nil> true
}

func ExampleNewVirtual() {
	clock := engine.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	clock.At(time.Hour, engine.RankDeadline, func() { fmt.Println("an hour is over") })
	err := clock.Wait(context.Background(), 2*time.Hour)
	fmt.Println(err, clock.Now(), clock.Wall().Format(time.TimeOnly))
	// Output:
	// an hour is over
	// <nil> 2h0m0s 02:00:00
}

// A Hold announces each wait, for a test that wants to step in.
func ExampleNewHold() {
	clock := engine.NewHold(time.Unix(0, 0))
	r := must("base=1s", engine.WithClock(clock))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := engine.Do(ctx, r, down)
		done <- err
	}()
	wait := <-clock.Waits()
	fmt.Println("first wait", wait.For)
	wait.Release()
	wait = <-clock.Waits()
	fmt.Println("second wait", wait.For)
	cancel()
	fmt.Println(<-done)
	// Output:
	// first wait 1s
	// second wait 2s
	// context canceled (last failure: the server is down)
}

func ExampleNewSession() {
	session := engine.NewSession()
	r := must("", engine.WithSession(session))
	v, err := engine.Do(context.Background(), r, func(context.Context) (string, error) {
		session.SignOut() // while the answer is on its way
		return "somebody's data", nil
	})
	fmt.Printf("%q %v\n", v, err)
	// Output: "" the session was signed out
}

func ExampleWithSession() {
	session := engine.NewSession()
	clock := engine.NewVirtual(time.Unix(0, 0))
	clock.At(5*time.Second, engine.RankSignOut, session.SignOut)
	r := must("base=10s jitter=none", engine.WithSession(session), engine.WithClock(clock))
	_, err := engine.Do(context.Background(), r, down)
	fmt.Println(err, "at", clock.Now())
	// Output: the session was signed out (last failure: the server is down) at 5s
}

func ExampleNewSends() {
	sends := engine.NewSends(5) // for the whole session
	r := must("base=1s", engine.WithSends(sends))
	for range 2 {
		_, err := engine.Do(context.Background(), r, down)
		fmt.Println(err)
	}
	fmt.Println(sends.Used(), "of", sends.Limit())
	// Output:
	// the server is down (attempts-exhausted after 4 attempts)
	// the server is down (max-sends after 1 attempt)
	// 5 of 5
}

func ExampleWithSends() {
	r := must("", engine.WithSends(engine.NewSends(0)))
	_, err := engine.Do(context.Background(), r, down)
	fmt.Println(err)
	// Output: no send is left for this operation (max-sends after 0 attempts)
}

func ExampleNewBudget() {
	b := engine.NewBudget(engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: 10, Cost: 5, Credit: 1})
	fmt.Println(b.Take(0), b.Take(0), b.Take(0), b.Left(0))
	b.Settle(false) // a success that needed no retry
	fmt.Println(b.Left(0))
	// Output:
	// true true false 0
	// 1
}

func ExampleWithBudget() {
	const policy = "base=1s budget=tokens:10/5/1"
	p, err := engine.ParsePolicy(policy, engine.Default())
	if err != nil {
		fmt.Println(err)
	}
	shared := engine.NewBudget(p.Budget)
	a, b := must(policy, engine.WithBudget(shared)), must(policy, engine.WithBudget(shared))
	for _, r := range []*engine.Retrier{a, b} {
		_, err := engine.Do(context.Background(), r, down)
		fmt.Println(err)
	}
	// Output:
	// the server is down (budget-exhausted after 3 attempts)
	// the server is down (budget-exhausted after 1 attempt)
}

// Three attempts inside three attempts are three sends, not nine.
func ExampleShare() {
	sends := 0
	inner := must("attempts=3")
	call := func(ctx context.Context) (int, error) {
		return engine.Do(ctx, inner, func(context.Context) (int, error) {
			sends++
			return 0, engine.Transient(errDown)
		})
	}
	_, err := engine.Do(context.Background(), must("attempts=3"), call)
	fmt.Println(sends, "sends:", err)

	sends = 0
	_, err = engine.Do(context.Background(), must("attempts=3", engine.Share()), call)
	fmt.Println(sends, "sends:", err)
	// Output:
	// 9 sends: the server is down (attempts-exhausted after 3 attempts) (attempts-exhausted after 3 attempts)
	// 3 sends: the server is down (attempts-exhausted after 3 attempts) (attempts-exhausted after 1 attempt)
}

func ExampleWithAllowance() {
	ctx := engine.WithAllowance(context.Background(), 2)
	_, err := engine.Do(ctx, must("attempts=10"), down)
	fmt.Println(err)
	// Output: the server is down (attempts-exhausted after 2 attempts)
}

func ExampleAllowanceLeft() {
	ctx := engine.WithAllowance(context.Background(), 5)
	_, err := engine.Do(ctx, must(""), down)
	left, ok := engine.AllowanceLeft(ctx)
	fmt.Println(err != nil, left, ok)
	// Output: true 1 true
}
