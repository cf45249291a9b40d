package httpretry_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// policy reads a policy over the default one, without waits unless it says so.
func policy(t testing.TB, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy("base=0 "+text, engine.Default())
	if err != nil {
		p, err = engine.ParsePolicy(text, engine.Default())
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// transport is a Transport under a policy.
func transport(t testing.TB, base http.RoundTripper, text string, opts ...httpretry.Option) *httpretry.Transport {
	t.Helper()
	rt, err := httpretry.New(base, policy(t, text), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rt.CloseIdleConnections)
	return rt
}

// virtual makes the loop run in virtual time.
func virtual(t testing.TB) (*engine.Virtual, httpretry.Option) {
	clock := engine.NewVirtual(utc(t, noon))
	return clock, httpretry.WithEngine(engine.WithClock(clock))
}

// peer is a transport below that answers in memory, one step an attempt, the last again and again.
type peer struct {
	steps []step
	mu    sync.Mutex
	sent  []sent
}

type step func(*http.Request) (*http.Response, error)

// sent is a request as it arrived.
type sent struct {
	req    *http.Request
	body   string
	header http.Header
}

func newPeer(steps ...step) *peer { return &peer{steps: steps} }

func (p *peer) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	n := len(p.sent)
	p.sent = append(p.sent, sent{req: req, header: req.Header.Clone()})
	p.mu.Unlock()
	resp, err := p.steps[min(n, len(p.steps)-1)](req)
	if req.Body != nil {
		text, rerr := io.ReadAll(req.Body)
		if err == nil {
			err = rerr
		}
		_ = req.Body.Close()
		p.mu.Lock()
		p.sent[n].body = string(text)
		p.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	resp.Request = req
	return resp, nil
}

func (p *peer) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sent)
}

// status answers with a status, a body that can be watched, and headers as "Name: value".
func status(code int, body string, headers ...string) step {
	return func(*http.Request) (*http.Response, error) {
		return response(code, strings.NewReader(body), int64(len(body)), headers...), nil
	}
}

func response(code int, body io.Reader, length int64, headers ...string) *http.Response {
	h := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	rc, ok := body.(io.ReadCloser)
	if !ok {
		rc = &watched{Reader: body}
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: rc, ContentLength: length,
	}
}

func fails(err error) step {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// dialFails is what a failed dial looks like: the body is closed and nothing of it was read.
func dialFails(err error) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// watched is a body that counts how it is used.
type watched struct {
	io.Reader
	read   atomic.Int64
	closed atomic.Int32
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.read.Add(int64(n))
	return n, err
}

func (w *watched) Close() error {
	w.closed.Add(1)
	return nil
}

// request makes one; a nil body is none.
func request(t testing.TB, method, url string, body io.Reader, headers ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Add(name, value)
	}
	return req
}

// once is a "hello" of which nobody knows how to make it again.
func once() io.Reader { return io.MultiReader(strings.NewReader("hello")) }

// readAll reads and closes an answer.
func readAll(t testing.TB, resp *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("reading the answer: %v", err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Errorf("closing the answer: %v", err)
	}
	return string(text)
}

// roundTrip sends and closes; it is for tests that look at the report.
func roundTrip(t testing.TB, rt http.RoundTripper, req *http.Request) (status int, report engine.Report, err error) {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		if resp != nil {
			t.Errorf("an answer beside an error")
		}
		var e *httpretry.Error
		if !errors.As(err, &e) {
			t.Fatalf("%T (%v) is no *Error", err, err)
		}
		return 0, e.Report, err
	}
	report, ok := httpretry.ReportOf(resp)
	if !ok {
		t.Errorf("no report")
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, report, nil
}

// server is a raw server on loopback: serve gets each connection with its number, from 0.
type server struct {
	net.Listener
	conns atomic.Int32
	wg    sync.WaitGroup
}

func serve(t testing.TB, f func(n int, c *net.TCPConn, r *bufio.Reader)) *server {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Listener: l}
	s.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n := int(s.conns.Add(1)) - 1
			s.wg.Go(func() {
				defer func() { _ = c.Close() }()
				tcp, _ := c.(*net.TCPConn)
				f(n, tcp, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		s.wg.Wait()
	})
	return s
}

func (s *server) url() string { return "http://" + s.Addr().String() + "/" }

// readRequest reads one request with its body; false at the end of the connection.
func readRequest(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}

// answerWith is a server that writes text in answer to each request, then ends the connection.
func answerWith(text string) func(int, *net.TCPConn, *bufio.Reader) {
	return func(_ int, c *net.TCPConn, r *bufio.Reader) {
		if readRequest(r) {
			_, _ = io.WriteString(c, text)
		}
	}
}

// reset ends a connection with RST.
func reset(c *net.TCPConn) { _ = c.SetLinger(0) }

// plainBase is a transport of its own for a test, without a proxy.
func plainBase(t testing.TB) *http.Transport {
	base := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, OnProxyConnectResponse: httpretry.CheckProxy}
	t.Cleanup(base.CloseIdleConnections)
	return base
}

// at is the time a virtual clock shows, for durations asserted with ==.
func at(clock engine.Clock) time.Duration { return clock.Now() }
