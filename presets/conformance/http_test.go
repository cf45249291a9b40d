package conformance

import (
	"context"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	resty2 "github.com/go-resty/resty/v2"
	"github.com/gojek/heimdall/v7"
	"github.com/gojek/heimdall/v7/httpclient"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/imroc/req/v3"
	resty3 "resty.dev/v3"
)

// httpClients are general clients of HTTP.
func httpClients() []client {
	return []client{
		{
			preset: "failsafe-go-http", module: "github.com/failsafe-go/failsafe-go", methods: anyMethod(),
			named: map[string]string{
				"Retry-After: 999999999999": "is waited for",
			},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				rt := failsafehttp.NewRoundTripper(w, failsafehttp.NewRetryPolicyBuilder().Build())
				return answered((&http.Client{Transport: rt}).Do(newRequest(ctx, method)))
			},
		},
		{
			preset: "go-retryablehttp", module: "github.com/hashicorp/go-retryablehttp", methods: anyMethod(),
			named: map[string]string{
				"end":                       "The last failed answer is lost",
				"Retry-After: 999999999999": "of a century",
			},
			send: retryable(retryablehttp.DefaultBackoff),
		},
		{
			preset: "go-retryablehttp-linear", module: "github.com/hashicorp/go-retryablehttp", methods: anyMethod(),
			named: map[string]string{
				"end": "The last failed answer is lost",
			},
			send: retryable(retryablehttp.LinearJitterBackoff),
		},
		{
			preset: "heimdall", module: "github.com/gojek/heimdall/v7", methods: anyMethod(),
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				backoff := heimdall.NewExponentialBackoff(2*time.Millisecond, 9*time.Millisecond, 2, 2*time.Millisecond)
				c := httpclient.NewClient(httpclient.WithHTTPClient(&http.Client{Transport: w}),
					httpclient.WithRetrier(heimdall.NewRetrier(backoff)), httpclient.WithRetryCount(4))
				return answered(c.Do(newRequest(ctx, method)))
			},
		},
		{
			preset: "imroc-req", module: "github.com/imroc/req/v3", methods: anyMethod(), fail: reset(),
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				c := req.C().SetCommonRetryCount(3).SetLogger(nil)
				c.GetTransport().WrapRoundTripFunc(func(http.RoundTripper) req.HttpRoundTripFunc { return w.RoundTrip })
				r := c.R().SetContext(ctx)
				if hasBody(method) {
					r.SetBodyString("{}")
				}
				resp, err := r.Send(method, target)
				if resp == nil || resp.Response == nil {
					return 0, err
				}
				return resp.StatusCode, err
			},
		},
		{
			preset: "resty-v2", module: "github.com/go-resty/resty/v2", methods: anyMethod(), fail: reset(),
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				r := resty2.New().SetLogger(quiet{}).SetTransport(w).SetRetryCount(3).R().SetContext(ctx)
				if hasBody(method) {
					r.SetBody("{}")
				}
				resp, err := r.Execute(method, target)
				return resp.StatusCode(), err
			},
		},
		{
			preset: "resty-v3", module: "resty.dev/v3", methods: anyMethod(),
			named: map[string]string{
				"Retry-After: 999999999999": "is waited for",
			},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				c := resty3.New().SetLogger(quiet{}).SetTransport(w).SetRetryCount(3).
					AddRetryConditions(resty3.RetryConditionStatusTooManyRequests, resty3.RetryConditionStatus5XX)
				defer c.Close()
				r := c.R().SetContext(ctx)
				if hasBody(method) {
					r.SetBody("{}")
				}
				resp, err := r.Execute(method, target)
				if resp == nil {
					return 0, err
				}
				return resp.StatusCode(), err
			},
		},
	}
}

func retryable(backoff retryablehttp.Backoff) func(context.Context, *wire, string) (int, error) {
	return func(ctx context.Context, w *wire, method string) (int, error) {
		c := retryablehttp.NewClient()
		c.HTTPClient, c.Backoff, c.Logger = &http.Client{Transport: w}, backoff, nil
		r, err := retryablehttp.FromRequest(newRequest(ctx, method))
		if err != nil {
			return 0, err
		}
		return answered(c.Do(r))
	}
}

// quiet is a logger that says nothing.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Debugf(string, ...any) {}
