package httpretry

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/retryscope/retryscope/engine"
)

// Transport obeys a policy around another http.RoundTripper. It is safe for use by many goroutines if that one and its
// clock are.
//
// Each attempt is sent as a request of its own, made from the caller's, which is never written to. The body is made
// again by the request's GetBody, which is asked once a retry is decided on and before its wait: where it fails, there is
// no retry, the answer in hand is the final one, and ErrorOf tells of both. A body that has no GetBody is sent once, and
// again only where nothing of it was read. Failed answers are drained, within bounds, and closed, so that their connection
// can be used again. The final answer is handed over with its body, whatever its status: an error comes only where there
// is no answer. The policy's timeouts end with that: they do not bound how long the caller takes to read.
//
// All sends of one operation count against one allowance, through every retrying layer inside. Under an http.Client each
// hop of a redirect is an operation of its own, and all hops share one allowance: a hop is always sent once.
type Transport struct {
	base    http.RoundTripper
	options options
	retrier *engine.Retrier
	// rule is the policy's budget rule, budget what counts by it, for every policy with the same rule.
	rule   engine.BudgetRule
	budget *engine.Budget
	// others are the retriers of policies given by WithPolicy, by policy: what they share has to outlive a request.
	others     sync.Map
	otherCount atomic.Int64
	watch      watch
}

// options are what an Option sets.
type options struct {
	engine  []engine.Option
	read    int64
	inspect func(*http.Response, []byte) error
	hook    func(Info)
	newKey  func() string
}

// maxOthers bounds the retriers kept for policies of single requests.
const maxOthers = 64

// New is a Transport around base; where base is nil, around a copy of http.DefaultTransport that tells a proxy's refusal
// from an answer of the origin (see CheckProxy). A policy that is not valid is refused with every bad field named.
func New(base http.RoundTripper, policy engine.Policy, opts ...Option) (*Transport, error) {
	t := &Transport{base: base, rule: policy.Budget, budget: engine.NewBudget(policy.Budget)}
	for _, o := range opts {
		o(&t.options)
	}
	if t.base == nil {
		t.base = defaultBase()
	}
	var err error
	t.retrier, err = t.newRetrier(policy)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Transport) newRetrier(p engine.Policy) (*engine.Retrier, error) {
	opts := make([]engine.Option, 0, len(t.options.engine)+2)
	opts = append(opts, engine.Share())
	if p.Budget == t.rule {
		opts = append(opts, engine.WithBudget(t.budget))
	}
	return engine.New(p, append(opts, t.options.engine...)...)
}

// defaultBase is a copy of http.DefaultTransport, unless a program has put something else in its place.
func defaultBase() http.RoundTripper {
	std, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	base := std.Clone()
	if base.OnProxyConnectResponse == nil {
		base.OnProxyConnectResponse = CheckProxy
	}
	return base
}

// Policy is the policy in force.
func (t *Transport) Policy() engine.Policy { return t.retrier.Policy() }

// SetPolicy puts another policy in force. It counts from the next decision of operations under way.
func (t *Transport) SetPolicy(p engine.Policy) error { return t.retrier.SetPolicy(p) }

// CloseIdleConnections does so for the transport below, if it can.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

type policyKey struct{}

// WithPolicy is a context whose requests are sent under another policy. One that is not valid fails the request before
// anything is sent. One with the budget rule of the Transport's own policy shares its budget.
func WithPolicy(ctx context.Context, p engine.Policy) context.Context {
	return context.WithValue(ctx, policyKey{}, &p)
}

// retrierFor is the retrier for one request.
func (t *Transport) retrierFor(ctx context.Context) (*engine.Retrier, error) {
	p, ok := ctx.Value(policyKey{}).(*engine.Policy)
	if !ok {
		return t.retrier, nil
	}
	if r, ok := t.others.Load(*p); ok {
		return r.(*engine.Retrier), nil
	}
	r, err := t.newRetrier(*p)
	if err != nil {
		return nil, err
	}
	if t.otherCount.Add(1) > maxOthers {
		return r, nil
	}
	kept, _ := t.others.LoadOrStore(*p, r)
	return kept.(*engine.Retrier), nil
}

// RoundTrip sends the request under the policy. Errors: *Error, where there is no answer; a policy of WithPolicy that is
// not valid.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	retrier, err := t.retrierFor(ctx)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	c := &call{t: t, retrier: retrier, req: req, ctx: withHop(ctx, req), err: check(req)}
	keyed := c.key(t.options.newKey)
	kind, again := engine.BodyNone, (func() error)(nil)
	if req.Body != nil && req.Body != http.NoBody {
		c.upload = newUpload(req)
		kind, again = c.upload.kind, c.upload.again
	}
	x, report, err := engine.Run(c.ctx, retrier, engine.Operation[*exchange]{
		Run: c.attempt, Classify: outcomeOf, Discard: discard, Keep: keep, Again: again,
		Method: req.Method, Keyed: keyed, Body: kind,
	})
	if c.upload != nil {
		c.upload.end()
	}
	c.report, c.err = report, err
	if x != nil && x.resp != nil {
		return x.resp, nil
	}
	return nil, &Error{Report: report, Err: err}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // nothing was read of it, and the request fails for another reason
	}
}

// withHop lets a request that follows a redirect count against the allowance of the one before. A hop is no retry, so
// its first send is always allowed, even of a policy with one attempt.
func withHop(ctx context.Context, req *http.Request) context.Context {
	if req.Response == nil || req.Response.Request == nil {
		return ctx
	}
	if _, ok := engine.AllowanceLeft(ctx); ok {
		return ctx // the caller's own goes through all hops already
	}
	left, ok := engine.AllowanceLeft(req.Response.Request.Context())
	if !ok {
		return ctx
	}
	return engine.WithAllowance(ctx, max(left, 1))
}

type callKey struct{}

// callOf is the operation an answer of this package came from.
func callOf(resp *http.Response) (*call, bool) {
	if resp == nil || resp.Request == nil {
		return nil, false
	}
	c, ok := resp.Request.Context().Value(callKey{}).(*call)
	return c, ok
}

// ReportOf is the report on the operation that ended with resp, as it came from RoundTrip or from the Client around it.
func ReportOf(resp *http.Response) (engine.Report, bool) {
	c, ok := callOf(resp)
	if !ok {
		return engine.Report{}, false
	}
	return c.report, true
}

// ErrorOf says why the operation that ended with resp did not succeed: the engine's error, with the last real one inside
// (an *engine.StatusError for a status, or what WithInspect returned). It is nil after a success.
func ErrorOf(resp *http.Response) error {
	c, ok := callOf(resp)
	if !ok {
		return nil
	}
	return c.err
}
