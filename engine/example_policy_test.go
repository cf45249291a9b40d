package engine_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

func ExampleDefault() {
	for word := range strings.FieldsSeq(engine.Default().String()) {
		fmt.Println(word)
	}
	// Output:
	// attempts=4
	// base=200ms
	// cap=10s
	// curve=exponential
	// factor=2
	// jitter=full
	// retry-after=at-least
	// ceiling=30s
	// timeout=none
	// attempt-timeout=10s
	// retry-on=transport,timeout,invalid-response,429,5xx,-501,-505,-511
	// methods=idempotent
}

func ExampleParsePolicy() {
	p, err := engine.ParsePolicy("retries=5 base=1s jitter=equal", engine.Default())
	fmt.Println(p.Attempts, p.Base, p.Jitter, err)

	// All that is wrong is named at once, and nothing is half applied.
	_, err = engine.ParsePolicy("attempts=0 base=5 maxRetries=3", engine.Default())
	fmt.Println(err)
	// Output:
	// 6 1s equal <nil>
	// attempts=0: 1 or more (a billion at most), counting the first send, or unlimited
	// base=5: a number with a unit: 200ms, 1.5s, 2m, 1h
	// maxRetries: here attempts, which counts the first send too
}

func ExamplePolicy_Short() {
	p := engine.Default()
	p.Attempts = 6
	fmt.Println(p.Short("default", engine.Default()))
	// Output: default attempts=6
}

func ExamplePolicy_Set() {
	p := engine.Default()
	fmt.Println(p.Set("cap", "none"), p.Set("cap", "soon"))
	value, ok := p.Get("cap")
	fmt.Println(value, ok)
	// Output:
	// <nil> cap=soon: above 0 with a unit (10s), or none
	// none true
}

func ExamplePolicy_Validate() {
	p := engine.Default()
	p.Attempts, p.Factor = 0, 0.5
	fmt.Println(p.Validate())
	// Output:
	// attempts=0: 1 or more (a billion at most), counting the first send, or unlimited
	// factor=0.5: 1 or more, finite
}

func ExamplePolicy_WithRetries() {
	fmt.Println(engine.Default().WithRetries(3).Attempts, engine.Default().WithRetries(-1).Attempts)
	// Output: 4 1
}

func ExamplePolicy_Safety() {
	p := engine.Default()
	get, post, keyed := p.Safety("GET", false), p.Safety("POST", false), p.Safety("POST", true)
	fmt.Println(get.Repeatable(), post.Repeatable(), keyed.Repeatable())
	// Output: true false true
}

// Next is the whole decision, as a function of values: the state, what came back, what is known, and a draw.
func ExamplePolicy_Next() {
	p := engine.Default()
	outcome := engine.Outcome{Kind: engine.KindStatus, Status: 503}
	facts := engine.Facts{Allowance: engine.NoLimit, Sends: engine.NoLimit}
	var state engine.State
	for {
		var d engine.Decision
		state, d = p.Next(state, &outcome, &facts, 0.5)
		if d.Verdict != engine.Retry {
			fmt.Println(d.Attempt, d.Verdict, d.Reason)
			break
		}
		fmt.Println(d.Attempt, d.Verdict, d.Wait)
	}
	// Output:
	// 1 retry 100ms
	// 2 retry 200ms
	// 3 retry 400ms
	// 4 stop attempts-exhausted
}

func ExamplePolicy_Why() {
	p := engine.Default()
	outcome := engine.Outcome{Kind: engine.KindTimeout}
	facts := engine.Facts{Allowance: engine.NoLimit, Sends: engine.NoLimit, Method: "POST", Safety: p.Safety("POST", false)}
	_, d := p.Next(engine.State{}, &outcome, &facts, 0.5)
	for gate := engine.GateCancelled; gate <= engine.GateRetryable; gate++ {
		fmt.Printf("%v: %s\n", gate, p.Why(gate, &d, &outcome, &facts))
	}
	// Output:
	// cancelled: not cancelled
	// generation: same session
	// outcome: a failure: timeout
	// idempotent: POST is not idempotent and has no idempotency key
	// replayable: not asked
	// retryable: not asked
}

func ExampleBackoff_Delay() {
	b := engine.Default().Backoff
	b.Base, b.Cap, b.Jitter = time.Second, 5*time.Second, engine.Jitter{Kind: engine.JitterEqual}
	for retry := 1; retry <= 4; retry++ {
		fmt.Println(b.Delay(retry, 0, 0), b.Delay(retry, 0, 0.5), b.Delay(retry, 0, 1))
	}
	// Output:
	// 500ms 750ms 1s
	// 1s 1.5s 2s
	// 2s 3s 4s
	// 2.5s 3.75s 5s
}

func ExampleBackoff_Bounds() {
	b := engine.Default().Backoff
	b.Base, b.Cap, b.Jitter = 100*time.Millisecond, 30*time.Second, engine.Jitter{Kind: engine.JitterDecorrelated}
	lo, hi := b.Bounds(3)
	fmt.Println("over every history:", lo, hi)
	lo, hi = b.Window(3, 200*time.Millisecond)
	fmt.Println("after a draw of 200ms:", lo, hi)
	// Output:
	// over every history: 100ms 2.7s
	// after a draw of 200ms: 100ms 600ms
}

func ExampleFields() {
	p := engine.Default()
	for _, name := range engine.Fields()[:3] {
		value, _ := p.Get(name)
		fmt.Println(name, value)
	}
	// Output:
	// attempts 4
	// base 200ms
	// throttle-base 0s
}

func ExampleHintHeaders() {
	p, err := engine.ParsePolicy("hints=retry-after-ms,x-ratelimit-reset", engine.Default())
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Hints, p.Hints[0].Name())
	for _, header := range engine.HintHeaders() {
		fmt.Println(header)
	}
	// Output:
	// retry-after-ms,x-ratelimit-reset Retry-After-Ms
	// retry-after-ms
	// x-ms-retry-after-ms
	// x-amz-retry-after
	// ratelimit-reset
	// x-ratelimit-reset
}

func ExampleReadsOf() {
	p := engine.Default()
	p.Reads = engine.ReadsOf(engine.FormSeconds, engine.FormFraction)
	text, _ := p.Get("reads")
	fmt.Println(text, p.Reads.Has(engine.FormDate))
	// Output: seconds,fraction false
}

func ExampleForms() {
	for _, form := range engine.Forms() {
		fmt.Println(form, engine.Default().Reads.Has(form))
	}
	// Output:
	// seconds true
	// fraction false
	// negative false
	// zero true
	// date true
	// old-date true
}

func ExampleCauses() {
	for _, cause := range engine.Causes()[:4] {
		fmt.Println(cause)
	}
	// Output:
	// dns
	// refused
	// tls
	// reset
}

func ExampleRetryKinds() {
	for _, kind := range engine.RetryKinds() {
		fmt.Println(kind)
	}
	// Output:
	// transport
	// timeout
	// invalid-response
	// decoding
	// unknown
}

func ExampleFormatDuration() {
	for _, d := range []time.Duration{200 * time.Millisecond, 90 * time.Second, time.Hour, engine.Forever} {
		fmt.Println(engine.FormatDuration(d))
	}
	// Output:
	// 200ms
	// 1m30s
	// 1h
	// none
}

// The same four always give the same draw, in whatever order they are asked for.
func ExampleDraw() {
	a, b := engine.Draw(1, engine.PurposeJitter, 7, 1), engine.Draw(1, engine.PurposeJitter, 7, 2)
	fmt.Println(a == engine.Draw(1, engine.PurposeJitter, 7, 1), a == b, a >= 0 && a < 1)
	// Output: true false true
}

func ExampleBits() {
	first := engine.Bits(1, engine.PurposeID, 1, 0)
	fmt.Println(first == engine.Bits(1, engine.PurposeID, 1, 0), first == engine.Bits(1, engine.PurposeID, 2, 0))
	// Output: true false
}

func ExampleParseDuration() {
	for _, s := range []string{"1.5s", "0s", "0.1ns"} {
		d, err := engine.ParseDuration(s)
		fmt.Println(engine.FormatDuration(d), err)
	}
	// Output:
	// 1.5s <nil>
	// 0s <nil>
	// 0s a duration below 1ns that is not 0
}
