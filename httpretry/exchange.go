package httpretry

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// exchange is one attempt, and the context of its request. Nothing of it is shared with another attempt, and none is used
// again: what a transport left behind still works on it after the attempt is over. What few attempts need is behind a
// pointer: there may be many attempts.
type exchange struct {
	c *call
	// attempt is the engine's context for the attempt, with its timeouts; leash is set where it has any.
	attempt context.Context
	leash   *leash
	// probe is set once the transport below asks for hooks.
	probe atomic.Pointer[probe]
	// resp is the answer; nil where there is none, or none whole.
	resp   *http.Response
	inside *inside
	req    http.Request
	url    url.URL
}

// leash is a context below the caller's own. It ends with the attempt's context until the answer is handed over; after
// that only with the caller's, or when the body is closed.
type leash struct {
	context.Context
	cancel context.CancelCauseFunc
	unbind func() bool
	loose  atomic.Bool
}

// inside is what was read of an answer's body inside the attempt.
type inside struct {
	head []byte
	more bool // the body goes on behind head
	took time.Duration
}

// bind sets up the context for the transport below.
func (x *exchange) bind(attempt context.Context) {
	x.attempt = attempt
	if !x.c.limited() && !outlived(attempt, x.c.ctx) {
		return
	}
	l := &leash{}
	l.Context, l.cancel = context.WithCancelCause(x.c.ctx)
	l.unbind = context.AfterFunc(attempt, func() { l.cancel(context.Cause(attempt)) })
	x.leash = l
}

// outlived tells whether an attempt has a deadline that comes before its caller's own: else there is nothing that the
// reading of its answer is to be freed from.
func outlived(attempt, caller context.Context) bool {
	own, bounded := attempt.Deadline()
	if !bounded {
		return false
	}
	callers, ok := caller.Deadline()
	return !ok || own.Before(callers)
}

// free ends the context: left to the end of the attempt's, that would take a goroutine.
func (x *exchange) free() {
	if x != nil && x.leash != nil {
		x.leash.unbind()
		x.leash.cancel(context.Canceled)
	}
}

// Deadline implements context.Context.
func (x *exchange) Deadline() (time.Time, bool) {
	if x.leash != nil && x.leash.loose.Load() {
		return x.leash.Deadline()
	}
	return x.attempt.Deadline()
}

// Done implements context.Context.
func (x *exchange) Done() <-chan struct{} {
	if x.leash != nil {
		return x.leash.Done()
	}
	return x.attempt.Done()
}

// Err implements context.Context. It asks the attempt's context itself: on a virtual clock the end of a context must be
// seen in the very instant it falls on, and AfterFunc would need another goroutine to run first.
func (x *exchange) Err() error {
	l := x.leash
	if l == nil {
		return x.attempt.Err()
	}
	if !l.loose.Load() {
		if err := x.attempt.Err(); err != nil {
			l.cancel(context.Cause(x.attempt))
			return err
		}
	}
	return l.Err()
}

// Value implements context.Context.
func (x *exchange) Value(key any) any {
	if key == (callKey{}) {
		return x.c
	}
	p := x.probe.Load()
	if p == nil && key == traceKey {
		p = x.startProbe()
	}
	if p != nil {
		if v := p.value(key); v != nil {
			return v
		}
	}
	if x.leash != nil {
		if v := x.leash.Value(key); v != nil {
			return v
		}
	}
	return x.attempt.Value(key)
}

// startProbe makes the hooks, on top of those of the caller's own.
func (x *exchange) startProbe() *probe {
	under := x.attempt
	if x.leash != nil {
		under = x.leash.Context
	}
	p := newProbe(under, x.c.clock(), x.c.t.options.hook != nil, x.c.retrier.Sends())
	if x.leash != nil {
		p.stop = func() { x.leash.cancel(ErrNoSend) }
	}
	if !x.probe.CompareAndSwap(nil, p) {
		return x.probe.Load()
	}
	return p
}

// send makes the attempt's request and sends it. The answer is in resp where there is no error.
func (x *exchange) send(n int) error {
	body := x.prepare(n)
	x.last()
	resp, err := x.c.t.base.RoundTrip(&x.req)
	if err != nil {
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close() // an answer beside an error is none, whoever gives both
		}
		return x.blame(body, err)
	}
	if resp == nil {
		return ErrNoAnswer
	}
	if resp.StatusCode < http.StatusContinue {
		if resp.Body != nil {
			_ = resp.Body.Close() // of what is no answer
		}
		return &AnswerError{Status: resp.StatusCode}
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	if resp.Request != &x.req {
		if c, ok := callOf(resp); !ok || c != x.c {
			resp.Request = &x.req
		}
	}
	x.resp, x.c.status = resp, resp.StatusCode
	return nil
}

// last sees to the last send there may be. What net/http repeats by itself was lost on a connection in use before, so it
// gets a new one: what becomes of it is seen then, too.
func (x *exchange) last() {
	if s := x.c.retrier.Sends(); s != nil && s.Used() >= s.Limit() {
		x.c.t.CloseIdleConnections()
	}
}

// blame says whose failure an error of the transport below is.
func (x *exchange) blame(body *sending, err error) error {
	if body != nil {
		if own := body.fault(); own != nil {
			return &BodyError{Err: own}
		}
	}
	if x.probe.Load().heldBack() {
		return &ResendError{Err: err}
	}
	return err
}

// prepare copies what a transport or a layer above it might write to: the request, its URL, its header. It returns the
// attempt's body, nil where there is none.
func (x *exchange) prepare(n int) *sending {
	src := x.c.req
	x.req = *src.WithContext(x)
	x.url = *src.URL
	x.req.URL = &x.url
	if len(src.Header) > 0 {
		x.req.Header = src.Header.Clone() // one slice for all values
	} else {
		x.req.Header = make(http.Header)
	}
	if x.c.newKey != "" {
		x.req.Header[keyHeader] = []string{x.c.newKey}
	}
	if x.c.upload == nil {
		return nil
	}
	return x.c.upload.attach(&x.req, n)
}

// describe fills in what is known of the attempt.
func (x *exchange) describe(info *Info) {
	if p := x.probe.Load(); p != nil {
		p.describe(info)
	}
	w := &info.where
	if err := x.attempt.Err(); err != nil {
		w.ended, w.late = true, errors.Is(err, context.DeadlineExceeded)
	}
	w.answered = w.answered || x.c.status != 0
	w.bodyRead = x.c.upload != nil && x.c.upload.begun()
	info.Status = x.c.status
	if in := x.inside; in != nil {
		info.Body, info.BodyBytes, info.BodyCut = in.took, int64(len(in.head)), in.more
	}
	if x.resp == nil {
		return
	}
	info.Reason, info.Proto, info.Header = reason(x.resp), x.resp.Proto, x.resp.Header
	asked, lines := field(x.resp.Header, "Retry-After")
	info.RetryAfter, info.HasRetryAfter = asked, lines > 0
}

// reason is the phrase behind the code in "503 Service Unavailable".
func reason(resp *http.Response) string {
	const digits = len("503 ")
	if len(resp.Status) > digits {
		return resp.Status[digits:]
	}
	return ""
}
