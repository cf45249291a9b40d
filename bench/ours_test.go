package bench

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// shortPolicy is what every contestant is set to: four attempts and 1 ns between them. There is no timeout, which the
// others have none of either.
const shortPolicy = "attempts=4 base=1ns curve=constant jitter=none attempt-timeout=none"

// errDownTransient is errDown in the form the engine needs to see before it tries again.
var errDownTransient = engine.Transient(errDown)

//go:noinline
func attemptTransient(context.Context) (int, error) {
	n, err := attempt()
	if err != nil {
		err = errDownTransient
	}
	return n, err
}

// policy reads a policy over the default one.
func policy(b *testing.B, text string) engine.Policy {
	b.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// retrier makes a retrier for shortPolicy.
func retrier(b *testing.B, opts ...engine.Option) *engine.Retrier {
	b.Helper()
	r, err := engine.New(policy(b, shortPolicy), opts...)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// ours is the engine: as it is, and sharing an allowance with the layers inside.
func ours(b *testing.B) []contestant {
	b.Helper()
	plain, shared := retrier(b), retrier(b, engine.Share())
	return []contestant{
		{"ours", func(ctx context.Context) (int, error) { return engine.Do(ctx, plain, attemptTransient) }},
		{"ours-shared", func(ctx context.Context) (int, error) { return engine.Do(ctx, shared, attemptTransient) }},
	}
}

// oursHTTP is an http.Client on our Transport under shortPolicy with another timeout for an attempt, 0 for none.
func oursHTTP(b *testing.B, base http.RoundTripper, attempt time.Duration) *http.Client {
	b.Helper()
	p := policy(b, shortPolicy)
	p.AttemptTimeout = attempt
	transport, err := httpretry.New(base, p)
	if err != nil {
		b.Fatal(err)
	}
	return &http.Client{Transport: transport}
}
