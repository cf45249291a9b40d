package conformance

import (
	"context"
	"errors"
	"net/http"
	"time"

	avast4 "github.com/avast/retry-go/v4"
	avast5 "github.com/avast/retry-go/v5"
	cenkalti4 "github.com/cenkalti/backoff/v4"
	cenkalti5 "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	sethvargo "github.com/sethvargo/go-retry"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kretry "k8s.io/client-go/util/retry"
)

// conflicting is a call whose 409 is the conflict that client-go means.
func conflicting(w *wire) func() error {
	return func() error {
		err := w.call()
		var e *statusError
		if errors.As(err, &e) && e.status == http.StatusConflict {
			return apierrors.NewConflict(schema.GroupResource{}, "thing", err)
		}
		return err
	}
}

// functionClients repeat a function and know no HTTP.
func functionClients() []client {
	return []client{
		{
			preset: "avast-retry-go-v4", module: "github.com/avast/retry-go/v4",
			send: func(ctx context.Context, w *wire, _ string) (int, error) {
				return 0, avast4.Do(w.call, avast4.Context(ctx))
			},
			mark: func(ctx context.Context, w *wire) error {
				return avast4.Do(func() error { return avast4.Unrecoverable(w.call()) }, avast4.Context(ctx))
			},
		},
		{
			preset: "avast-retry-go-v5", module: "github.com/avast/retry-go/v5",
			send: func(ctx context.Context, w *wire, _ string) (int, error) {
				return 0, avast5.New(avast5.Context(ctx)).Do(w.call)
			},
			mark: func(ctx context.Context, w *wire) error {
				return avast5.New(avast5.Context(ctx)).Do(func() error { return avast5.Unrecoverable(w.call()) })
			},
		},
		{
			preset: "cenkalti-backoff-v4", module: "github.com/cenkalti/backoff/v4",
			send: func(ctx context.Context, w *wire, _ string) (int, error) {
				return 0, cenkalti4.Retry(w.call, cenkalti4.WithContext(cenkalti4.NewExponentialBackOff(), ctx))
			},
			mark: func(ctx context.Context, w *wire) error {
				b := cenkalti4.WithContext(cenkalti4.NewExponentialBackOff(), ctx)
				return cenkalti4.Retry(func() error { return cenkalti4.Permanent(w.call()) }, b)
			},
		},
		{
			preset: "cenkalti-backoff-v5", module: "github.com/cenkalti/backoff/v5",
			send: func(ctx context.Context, w *wire, _ string) (int, error) {
				return cenkalti5.Retry(ctx, func() (int, error) { return 0, w.call() })
			},
			mark: func(ctx context.Context, w *wire) error {
				_, err := cenkalti5.Retry(ctx, func() (int, error) { return 0, cenkalti5.Permanent(w.call()) })
				return err
			},
		},
		{
			preset: "failsafe-go-retrypolicy", module: "github.com/failsafe-go/failsafe-go",
			send: func(ctx context.Context, w *wire, _ string) (int, error) {
				return 0, failsafe.With(retrypolicy.NewWithDefaults[any]()).WithContext(ctx).Run(w.call)
			},
		},
		{
			preset: "k8s-default-backoff", module: "k8s.io/client-go",
			send: func(_ context.Context, w *wire, _ string) (int, error) {
				return 0, kretry.RetryOnConflict(kretry.DefaultBackoff, conflicting(w))
			},
			fail: status(409),
		},
		{
			preset: "k8s-default-retry", module: "k8s.io/client-go",
			send: func(_ context.Context, w *wire, _ string) (int, error) {
				return 0, kretry.RetryOnConflict(kretry.DefaultRetry, conflicting(w))
			},
			fail: status(409),
		},
		{
			preset: "sethvargo-go-retry", module: "github.com/sethvargo/go-retry",
			send: func(ctx context.Context, w *wire, _ string) (int, error) {
				return 0, sethvargo.Do(ctx, sethvargo.NewExponential(time.Second), func(context.Context) error {
					return sethvargo.RetryableError(w.call())
				})
			},
			mark: func(ctx context.Context, w *wire) error {
				return sethvargo.Do(ctx, sethvargo.NewExponential(time.Second), func(context.Context) error { return w.call() })
			},
		},
	}
}
