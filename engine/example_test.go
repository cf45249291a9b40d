package engine_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// must makes a retrier on a virtual clock, so that an example takes no time, with every jitter at its longest.
func must(policy string, opts ...engine.Option) *engine.Retrier {
	p, err := engine.ParsePolicy(policy, engine.Default())
	if err != nil {
		panic(err)
	}
	r, err := engine.New(p, append([]engine.Option{engine.WithClock(engine.NewVirtual(time.Unix(0, 0))), engine.WithDraw(1)}, opts...)...)
	if err != nil {
		panic(err)
	}
	return r
}

var errDown = errors.New("the server is down")

// A PLAIN ERROR IS SENT ONCE. The engine cannot know that an error it has never seen may heal. Mark it with
// engine.Transient (or RetryAfter, or return a StatusError, or give the retrier a WithWhen) and it is tried again.
func Example() {
	retrier, err := engine.New(engine.Default(), engine.WithClock(engine.NewVirtual(time.Now())))
	if err != nil {
		fmt.Println(err)
		return
	}
	calls := 0
	_, err = engine.Do(context.Background(), retrier, func(context.Context) (string, error) {
		calls++
		return "", errDown // plain
	})
	fmt.Println("plain:", calls, "call,", err)

	calls = 0
	_, err = engine.Do(context.Background(), retrier, func(context.Context) (string, error) {
		calls++
		return "", engine.Transient(errDown) // may heal
	})
	fmt.Println("transient:", calls, "calls,", err)
	// Output:
	// plain: 1 call, the server is down (not-retryable after 1 attempt)
	// transient: 4 calls, the server is down (attempts-exhausted after 4 attempts)
}

func ExampleDo() {
	r := must("attempts=5 base=1s")
	calls := 0
	v, err := engine.Do(context.Background(), r, func(context.Context) (string, error) {
		if calls++; calls < 3 {
			return "", &engine.StatusError{Status: 503, Text: "Service Unavailable"}
		}
		return "hello", nil
	})
	fmt.Println(v, err, "after", calls, "calls and", r.Clock().Now())
	// Output: hello <nil> after 3 calls and 3s
}

func ExampleDoUntil() {
	r := must("attempts=5 base=1s jitter=none")
	polls := 0
	state, err := engine.DoUntil(context.Background(), r,
		func(state string) bool { return state == "ready" },
		func(context.Context) (string, error) {
			if polls++; polls < 3 {
				return "pending", nil
			}
			return "ready", nil
		})
	fmt.Println(state, err, "after", polls, "polls")

	state, err = engine.DoUntil(context.Background(), r,
		func(string) bool { return false },
		func(context.Context) (string, error) { return "pending", nil })
	fmt.Println("never accepted:", state, err)
	// Output:
	// ready <nil> after 3 polls
	// never accepted: pending <nil>
}

func ExampleDoInline() {
	calls := 0
	f := func() (int, error) {
		calls++
		return calls, nil
	}
	// Nothing could hold an operation without a context to the timeout of an attempt, so it is refused.
	_, err := engine.DoInline(context.Background(), must("attempt-timeout=10s"), f)
	fmt.Println(errors.Is(err, engine.ErrInlineTimeout), calls)

	v, err := engine.DoInline(context.Background(), must("attempt-timeout=none"), f)
	fmt.Println(v, err)
	// Output:
	// true 0
	// 1 <nil>
}

func ExampleDoDetached() {
	p := engine.Default()
	p.AttemptTimeout, p.Attempts = 10*time.Millisecond, 1
	r, err := engine.New(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	free := make(chan struct{})
	_, err = engine.DoDetached(context.Background(), r, func() (string, error) {
		<-free // a call that knows no context
		return "late", nil
	})
	close(free) // it goes on behind, and its result is dropped
	fmt.Println(err)
	// Output: context deadline exceeded (attempts-exhausted after 1 attempt)
}

func ExampleRun() {
	r := must("base=1s jitter=none")
	v, report, err := engine.Run(context.Background(), r, engine.Operation[string]{
		Method: "POST", // not idempotent, and no idempotency key: sent once
		Run: func(context.Context, int) (string, error) {
			return "an answer", &engine.StatusError{Status: 503}
		},
	})
	fmt.Println(v, err)
	fmt.Println(report.Result, report.Reason, report.Attempts)
	// Output:
	// an answer status 503 (not-idempotent after 1 attempt)
	// failed not-idempotent 1
}

func ExampleTransient() {
	fmt.Println(engine.ClassifyError(errDown).Say == engine.SayNothing)
	fmt.Println(engine.ClassifyError(engine.Transient(errDown)).Say == engine.SayRetry)
	fmt.Println(engine.Transient(nil) == nil, errors.Is(engine.Transient(errDown), errDown))
	// Output:
	// true
	// true
	// true true
}

func ExamplePermanent() {
	r := must("retry-on=unknown") // every error is retried
	calls := 0
	_, err := engine.Do(context.Background(), r, func(context.Context) (int, error) {
		calls++
		return 0, engine.Permanent(errDown) // but not this one
	})
	fmt.Println(calls, err)
	// Output: 1 the server is down (not-retryable after 1 attempt)
}

func ExampleRetryAfter() {
	r := must("attempts=2 base=1s ceiling=30s")
	_, err := engine.Do(context.Background(), r, func(context.Context) (int, error) {
		return 0, engine.RetryAfter(errDown, 7*time.Second)
	})
	fmt.Println(err, "after", r.Clock().Now())

	_, err = engine.Do(context.Background(), r, func(context.Context) (int, error) {
		return 0, engine.RetryAfter(errDown, time.Hour) // longer than the ceiling: not shortened, but given up
	})
	fmt.Println(err)
	// Output:
	// the server is down (attempts-exhausted after 2 attempts) after 7s
	// the server is down (deferred: server asked 1h, ceiling 30s)
}

func ExampleClassifyError() {
	for _, err := range []error{nil, errDown, &engine.StatusError{Status: 503}, context.DeadlineExceeded, fmt.Errorf("sending: %w", context.Canceled)} {
		o := engine.ClassifyError(err)
		fmt.Println(o.Kind, o.Status)
	}
	// Output:
	// success 0
	// unknown 0
	// status 503
	// timeout 0
	// cancelled 0
}

func ExampleFailedError() {
	calls := 0
	_, err := engine.Do(context.Background(), must(""), func(context.Context) (int, error) {
		if calls++; calls < 3 {
			return 0, &engine.StatusError{Status: 503}
		}
		return 0, &engine.StatusError{Status: 401}
	})
	var failed *engine.FailedError
	var status *engine.StatusError
	if errors.As(err, &failed) && errors.As(err, &status) {
		fmt.Println(failed.Reason, "after", failed.Attempts, "attempts:", status.Status, "and before it", failed.History)
	}
	// Output: not-retryable after 3 attempts: 401 and before it [status 503 status 503]
}

func ExampleTimeoutError() {
	r := must("base=10s jitter=none timeout=5s")
	_, err := engine.Do(context.Background(), r, func(context.Context) (int, error) { return 0, engine.Transient(errDown) })
	var timeout *engine.TimeoutError
	if errors.As(err, &timeout) {
		fmt.Println(timeout.Timeout, "would pass in a wait of", timeout.Wait, "so it ends at", r.Clock().Now())
	}
	fmt.Println(errors.Is(err, engine.ErrTimeout), errors.Is(err, errDown))
	// Output:
	// 5s would pass in a wait of 10s so it ends at 0s
	// true true
}

func ExampleInterruptedError() {
	clock := engine.NewVirtual(time.Unix(0, 0))
	ctx, cancel := context.WithCancelCause(context.Background())
	clock.At(5*time.Second, engine.RankCancel, func() { cancel(errors.New("user pressed q")) })
	_, err := engine.Do(ctx, must("base=10s jitter=none", engine.WithClock(clock)), func(context.Context) (int, error) {
		return 0, engine.Transient(errDown)
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, context.Canceled), errors.Is(err, errDown), "at", clock.Now())
	// Output:
	// context canceled: user pressed q (last failure: the server is down)
	// true true at 5s
}

func ExampleDeferredError() {
	_, err := engine.Do(context.Background(), must("ceiling=30s"), func(context.Context) (int, error) {
		return 0, engine.RetryAfter(errDown, time.Minute)
	})
	var deferred *engine.DeferredError
	if errors.As(err, &deferred) {
		fmt.Println("come back in", deferred.Asked, errors.Is(err, engine.ErrDeferred))
	}
	// Output: come back in 1m0s true
}
