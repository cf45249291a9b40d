package httpretry

import (
	"context"
	"net/http"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// call is one RoundTrip: one operation.
type call struct {
	t       *Transport
	retrier *engine.Retrier
	// req is the caller's, never written to; ctx its context, with an allowance shared between hops.
	req *http.Request
	ctx context.Context
	// newKey is the idempotency key made for the operation, "" where it has its own or none.
	newKey string
	// upload is nil where there is no body.
	upload *upload
	// status is that of the latest attempt's answer, also of one that is not whole; 0 where there is none.
	status int
	// report and err are how the operation ended. Before that, report.Last is the latest outcome, and err is what makes
	// the request unfit to send.
	report engine.Report
	err    error
	// failed is the error of the latest failed answer: an outage gives the same status again and again.
	failed *engine.StatusError
	// first is the first attempt, in one piece with the call: most operations have no other.
	first exchange
}

func (c *call) clock() engine.Clock { return c.retrier.Clock() }

// limited tells whether a hidden re-send may have to be stopped. On any other clock than the machine's there is nobody
// below who makes one.
func (c *call) limited() bool { return c.retrier.Sends() != nil && c.clock() == engine.Real() }

// key tells whether the operation carries an idempotency key, and makes one where that is asked for.
func (c *call) key(newKey func() string) bool {
	if first(c.req.Header, keyHeader) != "" {
		return true
	}
	if newKey == nil || isIdempotent(c.req.Method) || c.err != nil {
		return false
	}
	if prev := c.req.Response; prev != nil && prev.Request != nil {
		c.newKey = first(prev.Request.Header, keyHeader) // a hop of the same redirect keeps the key
	}
	if c.newKey == "" {
		c.newKey = newKey()
	}
	return c.newKey != ""
}

// isIdempotent tells whether a method is one that RFC 9110, section 9.2.2, calls so; an empty one is GET.
func isIdempotent(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	default:
		return false
	}
}

// attempt makes one attempt: the engine's Run.
func (c *call) attempt(ctx context.Context, n int) (*exchange, error) {
	x := &c.first
	if n > 1 {
		x = new(exchange)
	}
	x.c, c.status = c, 0
	x.bind(ctx)
	err := c.err
	if err == nil {
		err = x.send(n)
	}
	o := &c.t.options
	if err == nil && x.resp.StatusCode/100 == 2 {
		if o.read > 0 {
			err = x.read(o.read)
		}
		if err == nil && o.inspect != nil {
			err = o.inspect(x.resp, x.body())
		}
	} else if err == nil {
		err = c.failure(x.resp.StatusCode)
	}
	x.judge(n, err)
	return x, err
}

func (c *call) failure(status int) error {
	if c.failed == nil || c.failed.Status != status {
		c.failed = &engine.StatusError{Status: status, Text: http.StatusText(status)}
	}
	return c.failed
}

// body is what was read of the answer's body.
func (x *exchange) body() []byte {
	if x.inside == nil {
		return nil
	}
	return x.inside.head
}

// judge says what the attempt came back with, and tells the hook. What it finds is kept: the engine asks later.
func (x *exchange) judge(n int, err error) {
	hook := x.c.t.options.hook
	if hook == nil && x.resp != nil {
		if err == nil { // a success asks for no wait
			x.c.report.Last = engine.Outcome{Kind: engine.KindSuccess, Status: x.resp.StatusCode}
			return
		}
		x.c.report.Last = answerOutcome(x.resp, err, x.reading())
		return
	}
	hints, reads := x.c.retrier.Reading()
	info := Info{Attempt: n, Err: err, Wall: x.wall(), Hints: hints, Reads: reads}
	x.describe(&info)
	x.c.report.Last = Classify(x.resp, err, &info)
	if hook != nil {
		hook(info)
	}
}

func (x *exchange) reading() *reading {
	hints, reads := x.c.retrier.Reading()
	return &reading{hints, reads, x.wall}
}

func (x *exchange) wall() time.Time { return x.c.clock().Wall() }

func outcomeOf(x *exchange, _ error) engine.Outcome { return x.c.report.Last }
