package script

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Transport answers requests from a script, on a clock. Its errors are of the
// types net/http gives for the same thing, and it calls the hooks of
// [net/http/httptrace] that a request gets to. It may be used by many
// goroutines at once if its clock may.
type Transport struct {
	script *Script
	clock  engine.Clock
	seed   uint64
	start  time.Duration
	sent   atomic.Int64
}

// NewTransport makes a transport whose run starts now. The draws of a script
// by chance come from the seed and the number of the request.
func NewTransport(s *Script, clock engine.Clock, seed uint64) *Transport {
	return &Transport{script: s, clock: clock, seed: seed, start: clock.Now()}
}

// Requests says how many requests have arrived.
func (t *Transport) Requests() int { return int(t.sent.Load()) }

// errNoURL is for a request nothing could be sent to.
var errNoURL = errors.New("the request has no URL")

// RoundTrip answers one request by the step that is its turn. A request whose
// context has ended before is not counted: it never left.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	switch {
	case req.URL == nil:
		closeBody(req)
		return nil, errNoURL
	case ctx.Err() != nil:
		closeBody(req)
		return nil, context.Cause(ctx)
	}
	n := t.sent.Add(1)
	_, step := t.script.StepFor(int(n), t.clock.Now()-t.start, draw(t.seed, n))
	call := &exchange{ctx: ctx, req: req, clock: t.clock, step: step, trace: httptrace.ContextClientTrace(ctx)}
	if call.trace == nil {
		call.trace = &httptrace.ClientTrace{}
	}
	return call.do()
}

// draw is the chance of the request with number n.
func draw(seed uint64, n int64) float64 {
	return engine.Draw(seed, engine.PurposeScript, 0, uint64(n))
}

// exchange is one request and its answer.
type exchange struct {
	ctx   context.Context
	req   *http.Request
	clock engine.Clock
	step  Step
	trace *httptrace.ClientTrace
}

func (x *exchange) do() (*http.Response, error) {
	if err := x.connect(); err != nil {
		closeBody(x.req) // unread: nothing was ever sent
		return nil, err
	}
	if err := x.send(); err != nil {
		return nil, err
	}
	if err := x.clock.Wait(x.ctx, x.step.Latency); err != nil {
		return nil, err
	}
	switch x.step.Kind {
	case Hang:
		return nil, x.hang()
	case Reset:
		return nil, x.opError("read", &os.SyscallError{Syscall: "read", Err: syscall.ECONNRESET})
	case EOF:
		return nil, io.EOF
	case Garbage:
		call(x.trace.GotFirstResponseByte)
		return nil, x.garbage()
	case Status, Cut, BadJSON:
	case Refused, DNS, TLS: // ended in connect
	}
	call(x.trace.GotFirstResponseByte)
	return x.response(), nil
}

// connect goes as far as a connection; the latency of a step that ends here
// passes here.
func (x *exchange) connect() error {
	addr := x.addr()
	if x.trace.GetConn != nil {
		x.trace.GetConn(addr.String())
	}
	if x.step.Kind == DNS {
		return x.resolve()
	}
	if x.trace.ConnectStart != nil {
		x.trace.ConnectStart("tcp", addr.String())
	}
	var err error
	if x.step.Kind == Refused {
		err = x.after(x.opError("dial", &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}))
	}
	if x.trace.ConnectDone != nil {
		x.trace.ConnectDone("tcp", addr.String(), err)
	}
	if err == nil && x.step.Kind == TLS {
		err = x.handshake()
	}
	if err == nil && x.trace.GotConn != nil {
		x.trace.GotConn(httptrace.GotConnInfo{Conn: conn{addr}})
	}
	return err
}

func (x *exchange) resolve() error {
	host := x.req.URL.Hostname()
	if x.trace.DNSStart != nil {
		x.trace.DNSStart(httptrace.DNSStartInfo{Host: host})
	}
	cause := &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	err := x.after(&net.OpError{Op: "dial", Net: "tcp", Err: cause})
	if x.trace.DNSDone != nil {
		x.trace.DNSDone(httptrace.DNSDoneInfo{Err: err})
	}
	return err
}

func (x *exchange) handshake() error {
	call(x.trace.TLSHandshakeStart)
	err := x.after(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}})
	if x.trace.TLSHandshakeDone != nil {
		x.trace.TLSHandshakeDone(tls.ConnectionState{}, err)
	}
	return err
}

// after gives the error once the step's latency is over, or why that was cut.
func (x *exchange) after(err error) error {
	if ended := x.clock.Wait(x.ctx, x.step.Latency); ended != nil {
		return ended
	}
	return err
}

// send reads the request's body as a connection would, and closes it.
func (x *exchange) send() error {
	call(x.trace.WroteHeaders)
	err := readBody(x.req)
	if x.trace.WroteRequest != nil {
		x.trace.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
	return err
}

// readBody reads up to maxRequestBytes and holds the length against what the
// request says, as net/http does: a body that was used up before shows here.
func readBody(req *http.Request) error {
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(req.Body, maxRequestBytes))
	closed := req.Body.Close()
	switch {
	case err != nil:
		return err
	case closed != nil:
		return closed
	case req.ContentLength > 0 && n != min(req.ContentLength, maxRequestBytes):
		return fmt.Errorf("ContentLength=%d with Body length %d", req.ContentLength, n)
	}
	return nil
}

// closeBody closes a body nobody will read. What closing says is of no use to
// a request that has failed already.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// hang waits until the context ends, or says that nothing can end it.
func (x *exchange) hang() error {
	if err := x.clock.Wait(x.ctx, engine.Forever); err != nil {
		return err
	}
	return engine.ErrNeverEnds
}

// garbage is the error net/http has for an answer that is no HTTP, made by its
// own reader.
func (x *exchange) garbage() error {
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(garbageBytes)), x.req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return fmt.Errorf("connection broken: %w", err)
}

func (x *exchange) response() *http.Response {
	a := x.step.answer(x.req.Method)
	resp := &http.Response{
		Status:     fmt.Sprintf("%d %s", a.status, a.reason),
		StatusCode: a.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        a.header(),
		Body:          http.NoBody,
		ContentLength: int64(a.length()),
		Request:       x.req,
	}
	if a.noBody {
		resp.ContentLength = 0
	}
	if x.req.Method != http.MethodHead && a.length() > 0 {
		resp.Body = newBody(x.ctx, a)
	}
	return resp
}

func (x *exchange) opError(op string, err error) *net.OpError {
	return &net.OpError{Op: op, Net: "tcp", Addr: x.addr(), Err: err}
}

// addr is the host and port of the request.
func (x *exchange) addr() addr {
	port := x.req.URL.Port()
	switch {
	case port != "":
	case strings.EqualFold(x.req.URL.Scheme, "https"):
		port = "443"
	default:
		port = "80"
	}
	return addr(net.JoinHostPort(x.req.URL.Hostname(), port))
}

// call runs a hook, if there is one.
func call(hook func()) {
	if hook != nil {
		hook()
	}
}
