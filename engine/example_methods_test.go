package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// A policy is its text in every encoding that asks for text.
func ExamplePolicy_MarshalText() {
	type config struct{ Retry engine.Policy }
	var c config
	if err := json.Unmarshal([]byte(`{"Retry": "attempts=2 base=1s"}`), &c); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.Retry.Short("default", engine.Default()))
	text, err := c.Retry.MarshalText()
	fmt.Println(string(text) == c.Retry.String(), err)
	// Output:
	// default attempts=2 base=1s
	// true <nil>
}

// A server may ask for more than the own waits come to.
func ExamplePolicy_LongestWait() {
	p := engine.Default()
	fmt.Println(p.Listens(), p.LongestWait(1))
	p.RetryAfter.Mode = engine.RetryAfterIgnore
	fmt.Println(p.Listens(), p.LongestWait(1))
	// Output:
	// true 30s
	// false 200ms
}

func ExamplePolicy_Hears() {
	p := engine.Default()
	if err := p.Set("retry-after-on", "429"); err != nil {
		fmt.Println(err)
	}
	for _, status := range []int{429, 503} {
		asks := engine.Hint{State: engine.HintWait, Wait: time.Second}
		fmt.Println(status, p.Hears(&engine.Outcome{Kind: engine.KindStatus, Status: status, Hint: asks}))
	}
	// Output:
	// 429 true
	// 503 false
}

// Which statuses, kinds and causes a policy retries can be changed one by one.
func ExampleRetryOn() {
	p := engine.Default()
	on := &p.RetryOn
	on.SetKind(engine.KindTimeout, false)
	on.SetCause(engine.CauseReset, -1)
	on.SetCause(engine.CauseDNS, 1)
	fmt.Println(on.HasKind(engine.KindTimeout), on.LacksCause(engine.CauseReset), on.HasCause(engine.CauseDNS))
	fmt.Println(on)
	// Output:
	// false true true
	// transport,invalid-response,dns,-reset,429,5xx,-501,-505,-511
}

func ExampleStatusSet() {
	var s engine.StatusSet
	s.AddRange(500, 599)
	s.RemoveRange(505, 511)
	s.Add(429)
	s.Remove(501)
	fmt.Println(s.Has(429), s.Has(501), s.Has(503), s.Has(507))
	// Output: true false true false
}

func ExampleReads() {
	p := engine.Default()
	fmt.Println(p.Reads.Has(engine.FormDate), p.Reads.Has(engine.FormFraction), p.Reads.Header())
	// Output: true false true
}

func ExampleHintHeader_Name() {
	for _, h := range engine.HintHeaders()[:2] {
		fmt.Println(h.Name(), h)
	}
	// Output:
	// Retry-After-Ms retry-after-ms
	// X-Ms-Retry-After-Ms x-ms-retry-after-ms
}

// What came of a POST that timed out, nobody knows: the server may have done the work.
func ExampleOutcome_Ambiguous() {
	p := engine.Default()
	for _, o := range []engine.Outcome{
		{Kind: engine.KindTimeout},
		{Kind: engine.KindTransport, Cause: engine.CauseRefused, NotSent: true},
		{Kind: engine.KindSuccess, Status: 200},
	} {
		fmt.Println(o.Words(), o.Failure(), o.Ambiguous(p.Safety("POST", false)), o.Ambiguous(p.Safety("GET", false)))
	}
	// Output:
	// timeout true true false
	// refused true false false
	// 200 false false false
}

func ExampleSafety() {
	p := engine.Default()
	if err := p.Set("methods", "any"); err != nil {
		fmt.Println(err)
	}
	post := p.Safety("POST", false)
	fmt.Println(post.Repeatable(), post.Idempotent()) // it is sent again although it may do its work twice
	// Output: true false
}

// Each decision says which gates were open, in order, up to the first that was not.
func ExampleGates_At() {
	p := engine.Default()
	o := engine.Outcome{Kind: engine.KindStatus, Status: 404}
	f := engine.Facts{Safety: p.Safety("GET", false), Allowance: engine.NoLimit, Sends: engine.NoLimit}
	_, d := p.Next(engine.State{}, &o, &f, 1)
	for _, g := range []engine.Gate{engine.GateIdempotent, engine.GateRetryable, engine.GateAttempts} {
		switch d.Gates.At(g) {
		case engine.Open:
			fmt.Println(g, "is open")
		case engine.Shut:
			fmt.Println(g, "is shut")
		case engine.NotAsked:
			fmt.Println(g, "was not asked")
		}
	}
	// Output:
	// idempotent is open
	// retryable is shut
	// attempts was not asked
}

// Waits are pure functions of the retry, what the draw before left to remember, and a draw.
func ExampleBackoff_Step() {
	p, err := engine.ParsePolicy("base=1s cap=10s jitter=decorrelated throttle-base=5s", engine.Default())
	if err != nil {
		fmt.Println(err)
	}
	b, prev := p.Backoff, time.Duration(0)
	for retry := 1; retry <= 3; retry++ {
		lo, hi := b.Window(retry, prev)
		var own time.Duration
		own, prev = b.Step(retry, prev, 0.5)
		fmt.Println(retry, own, "of", lo, "to", hi)
	}
	throttled := b.After(&engine.Outcome{Kind: engine.KindStatus, Status: 429})
	fmt.Println("after a 429:", throttled.Base)
	// Output:
	// 1 2s of 1s to 3s
	// 2 3.5s of 1s to 6s
	// 3 5.75s of 1s to 10s
	// after a 429: 5s
}

// A budget that counts a retry after a 429 for less than another, and gives back what healed.
func ExampleBudget() {
	b := engine.NewBudget(engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: 20, Cost: 10, Credit: 1, ThrottleCost: 5})
	b.Request(0)
	throttled := &engine.Outcome{Kind: engine.KindStatus, Status: 429}
	fmt.Println(b.TakeAfter(0, throttled), b.Left(0))
	fmt.Println(b.Take(0), b.Take(0), b.Left(0))
	b.SettleAfter(true, throttled) // the retry succeeded
	fmt.Println(b.Left(0))
	b.Settle(false) // another call succeeded at once
	fmt.Println(b.Left(0))
	// Output:
	// true 15
	// true false 5
	// 10
	// 11
}

// The cheapest retry, of those that cost differently: below that a budget allows none at all.
func ExampleBudgetRule_Least() {
	rule := engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: 500, Cost: 14, Credit: 1, ThrottleCost: 5}
	fmt.Println(rule, rule.Least())
	// Output: tokens:500/14/1 5
}

func ExampleRetrier() {
	r := must("attempts=3 hints=retry-after-ms", engine.WithSends(engine.NewSends(100)))
	hints, reads := r.Reading()
	fmt.Println(r.Policy().Attempts, hints, reads, r.Sends().Limit(), r.Clock().Now())
	// Output: 3 retry-after-ms seconds,zero,date,old-date 100 0s
}

// A send that the loop does not make counts in the same session all the same.
func ExampleSends_Take() {
	sends := engine.NewSends(2)
	fmt.Println(sends.Take()) // for a probe of the caller's own
	_, err := engine.Do(context.Background(), must("", engine.WithSends(sends)), down)
	fmt.Println(err)
	fmt.Println(sends.Take(), sends.Used())
	// Output:
	// true
	// the server is down (max-sends after 1 attempt)
	// false 2
}

// An operation begun before a sign-out sends nothing more; one begun after it does.
func ExampleSession_SignOut() {
	session := engine.NewSession()
	r := must("", engine.WithSession(session))
	call := func(context.Context) (string, error) { return "data", nil }
	_, err := engine.Do(context.Background(), r, func(context.Context) (string, error) {
		session.SignOut()
		return "", engine.Transient(errDown)
	})
	fmt.Println(err, session.Generation())
	fmt.Println(engine.Do(context.Background(), r, call))
	// Output:
	// the session was signed out (last failure: the server is down) 1
	// data <nil>
}

// A released wait ends as if its time were over, by a clock that shows so.
func ExampleHeld_Release() {
	clock := engine.NewHold(time.Unix(0, 0))
	done := make(chan error)
	go func() { done <- clock.Wait(context.Background(), time.Minute) }()
	wait := <-clock.Waits()
	wait.Release()
	fmt.Println(<-done, clock.Now())
	// Output: <nil> 1m0s
}

// A wait that is not released lasts until its context ends.
func ExampleHold_Wait() {
	clock := engine.NewHold(time.Unix(0, 0))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- clock.Wait(ctx, time.Minute) }()
	fmt.Println("waiting for", (<-clock.Waits()).For)
	cancel()
	fmt.Println(<-done, clock.Now())
	// Output:
	// waiting for 1m0s
	// context canceled 0s
}

// What falls on one instant of a virtual clock comes in the order of its rank, and a wait jumps there.
func ExampleVirtual() {
	clock := engine.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	clock.At(0, engine.RankDeadline, func() { fmt.Println("at once") })
	remove := clock.At(0, engine.RankCancel, func() { fmt.Println("never") })
	remove()
	clock.Settle()
	ctx, cancel := clock.WithTimeout(context.Background(), time.Second)
	defer cancel()
	clock.StepWall(time.Hour) // a time server: nothing that is measured notices
	fmt.Println(clock.Wait(ctx, time.Minute), clock.Now(), clock.Wall().Format(time.TimeOnly))
	// Output:
	// at once
	// context deadline exceeded 1s 01:00:01
}
