package export

import "github.com/retryscope/retryscope/engine"

// goLoopText is what the libraries for Go are given: one request under the policy, its attempts and its waits. They keep
// the loop, the sleeping and the context.
const goLoopText = `
// errAgain tells the library that there is to be another attempt.
var errAgain = errors.New("again")

// call is one request under the policy.
type call struct {
	req *http.Request
	client http.Client
	{{- if .Timeout}}
	end time.Time
	{{- end}}
	{{- if .Counts}}
	retry int
	{{- end}}
	{{- if .Remembers}}
	prev float64
	{{- end}}
	resp *http.Response
	err error
	wait time.Duration
}

func newCall(client *http.Client, req *http.Request) *call {
	return &call{req: req, client: *client {{- if .Timeout}}, end: time.Now().Add({{go .Timeout}}){{end}}}
}

// send makes one attempt; errAgain where the policy has another follow after wait. A request whose body has no GetBody is
// sent once.
func (c *call) send() error {
	if c.resp != nil {
		_ = c.resp.Body.Close()
	}
	{{- if .Timeout}}
	end := c.end
	{{- end}}
	{{- if .GoLimit}}
	c.client.Timeout = {{.GoLimit}}
	{{- end}}
	send := c.req.Clone(c.req.Context())
	if c.req.GetBody != nil {
		send.Body, _ = c.req.GetBody()
	}
	c.resp, c.err = c.client.Do(send)
	resp, err := c.resp, c.err
	{{- if .Counts}}
	c.retry++
	retry := c.retry
	{{- end}}
	{{- if .Remembers}}
	prev := c.prev
	{{- end}}
	{{.GoRead}}
	{{.GoOwn}}
	{{- if .Asks}}
	{{.GoMeet}}
	{{- end}}
	c.wait = wait
	{{- if .Remembers}}
	c.prev = prev
	{{- end}}
	if {{.GoStops}}!again(c.req, status, err) {
		return nil
	}
	return errAgain
}

// result is what the last attempt came back with.
func (c *call) result() (*http.Response, error) {
	if err := c.req.Context().Err(); err != nil {
		return nil, err
	}
	return c.resp, c.err
}
`

// goLibrary is a format for Go around a library's loop.
func goLibrary(id, name, text string, imports ...string) Format {
	return Format{
		ID: id, Name: "Go, " + name, File: "retry.go", Comment: "//", fit: goStdFormat.fit,
		body: func(d *draft) string { return goFile(filled(text+goLoopText+goAgainText+goReadText, d), imports...) },
	}
}

var goLibraryFormats = []Format{
	goLibrary("cenkalti", "cenkalti/backoff v5", `
// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	c := newCall(client, req)
	_, _ = backoff.Retry(req.Context(), func() (struct{}, error) { return struct{}{}, c.send() },
		backoff.WithBackOff(waits{c}), backoff.WithMaxElapsedTime(0))
	return c.result()
}

// waits is the policy as a backoff.BackOff.
type waits struct{ *call }

func (w waits) NextBackOff() time.Duration { return w.wait }
func (w waits) Reset() {}
`, `"github.com/cenkalti/backoff/v5"`),
	goLibrary("avast", "avast/retry-go v5", `
// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	c := newCall(client, req)
	_ = retry.New(retry.Context(req.Context()), retry.UntilSucceeded(),
		retry.DelayType(func(uint, error, retry.DelayContext) time.Duration { return c.wait })).Do(c.send)
	return c.result()
}
`, `"github.com/avast/retry-go/v5"`),
	goLibrary("sethvargo", "sethvargo/go-retry", `
// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	c := newCall(client, req)
	waits := retry.BackoffFunc(func() (time.Duration, bool) { return c.wait, false })
	_ = retry.Do(req.Context(), waits, func(context.Context) error { return retry.RetryableError(c.send()) })
	return c.result()
}
`, `"github.com/sethvargo/go-retry"`),
	goLibrary("failsafe", "failsafe-go", `
// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	c := newCall(client, req)
	policy := retrypolicy.NewBuilder[any]().HandleErrors(errAgain).WithMaxRetries(-1).
		WithDelayFunc(func(failsafe.ExecutionAttempt[any]) time.Duration { return c.wait }).Build()
	_ = failsafe.With(policy).WithContext(req.Context()).Run(c.send)
	return c.result()
}
`, `"github.com/failsafe-go/failsafe-go"`, `"github.com/failsafe-go/failsafe-go/retrypolicy"`),
	retryablehttpFormat, awsFormat,
}

var retryablehttpFormat = Format{
	ID: "retryablehttp", Name: "Go, hashicorp/go-retryablehttp", File: "retry.go", Comment: "//", fit: goStdFormat.fit,
	body: func(d *draft) string {
		return goFile(filled(`
// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	try := *client
{{- if .Timeout}}
	end := time.Now().Add({{go .Timeout}})
{{- end}}
{{- if .GoLimit}}
	try.Timeout = {{.GoLimit}}
{{- end}}
{{- if .Remembers}}
	prev := 0.0
{{- end}}
	{{- if .Counts}}
	retry := 0
	{{- end}}
	next := time.Duration(0)
	c := &retryablehttp.Client{HTTPClient: &try, RetryMax: math.MaxInt32, ErrorHandler: retryablehttp.PassthroughErrorHandler}
	c.CheckRetry = func(_ context.Context, resp *http.Response, err error) (bool, error) {
		{{- if .Counts}}
		retry++
		{{- end}}
		{{.GoRead}}
		{{.GoOwn}}
		{{- if .Asks}}
		{{.GoMeet}}
		{{- end}}
		next = wait
		{{- if .Timeout}}
		try.Timeout = {{.GoLimit}}
		{{- end}}
		return !({{.GoStops}}!again(req, status, err)), nil
	}
	c.Backoff = func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return next }
	r, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	return c.Do(r)
}
`+goAgainText+goReadText, d), `"github.com/hashicorp/go-retryablehttp"`)
	},
}

var awsFormat = Format{
	ID: "aws", Name: "Go, AWS SDK v2 1.48", File: "retry.go", Comment: "//",
	fit: func(d *draft) {
		d.drop("throttle-base", "hints", "spread", "timeout", "attempt-timeout", "methods")
		d.jitters(engine.JitterNone, engine.JitterFull, engine.JitterEqual, engine.JitterScale, engine.JitterAdditive)
		d.retryAfters(engine.RetryAfterIgnore)
		if d.Budget.Kind == engine.BudgetRatio {
			d.Budget = engine.BudgetRule{}
		}
		if d.Errors() || d.Timeouts() {
			d.failures("transport,timeout,invalid-response,tls,proxy,redirect-loop,bad-request") // whatever Do fails with
		} else {
			d.failures("none")
		}
		if d.Attempts == 1 {
			d.Policy = plain(d.Policy)
			return
		}
		d.note("retry-after: where AWS asks for a wait by x-amz-retry-after, the SDK obeys it")
	},
	body: func(d *draft) string {
		return goFile(filled(`
// NewRetryer is for config.WithRetryer.
func NewRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = {{if .Endless}}math.MaxInt{{else}}{{.Attempts}}{{end}}
		o.Backoff = retry.BackoffDelayerFunc(own)
		o.Retryables = []retry.IsErrorRetryable{
			retry.NoRetryCanceledError{},
			{{- if .Errors}}
			retry.RetryableConnectionError{},
			{{- end}}
			retry.RetryableHTTPStatusCode{Codes: map[int]struct{}{ {{- range .Statuses}}{{.}}: {}, {{end -}} }},
		}
		{{- if .Budget.Capacity}}
		o.RateLimiter = ratelimit.NewTokenRateLimit({{.Budget.Capacity}})
		o.RetryCost, o.ThrottlingRetryCost, o.NoRetryIncrement = {{.Budget.Cost}}, {{.Budget.Cost}}, {{.Budget.Credit}}
		{{- else}}
		o.RateLimiter = ratelimit.None
		{{- end}}
	})
}

// own is the wait after an attempt, counted from 1.
func own(retry int, _ error) (time.Duration, error) {
	{{.GoOwn}}
	return wait, nil
}
`, d), `"github.com/aws/aws-sdk-go-v2/aws"`, `"github.com/aws/aws-sdk-go-v2/aws/ratelimit"`, `"github.com/aws/aws-sdk-go-v2/aws/retry"`)
	},
}

// Statuses are the statuses that are retried, rising.
func (d *draft) Statuses() []int { return d.statuses() }
