package httpretry_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

func dialError(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

func wrapped(err error) error {
	return &url.Error{Op: "Get", URL: "http://x.test/?q=unsupported+protocol+scheme", Err: fmt.Errorf("outer: %w", err)}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "late" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

const (
	notSent   = 1 << iota
	permanent // does not heal
)

// What a type alone tells, wrapped as net/http wraps it or not.
func TestClassifyByType(t *testing.T) {
	sys := func(e syscall.Errno) error {
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", e)}
	}
	for _, c := range []struct {
		name  string
		err   error
		kind  engine.Kind
		cause engine.Cause
		flags int
	}{
		{"CL-03 refused", dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED)), engine.KindTransport, engine.CauseRefused, notSent},
		{"refused by a proxy", &net.OpError{Op: "proxyconnect", Net: "tcp", Err: dialError(syscall.ECONNREFUSED)}, engine.KindTransport, engine.CauseRefused, notSent},
		{"CL-05 no such host", dialError(&net.DNSError{Err: "no such host", IsNotFound: true}), engine.KindTransport, engine.CauseDNS, notSent | permanent},
		{"CL-05 no such host.", dialError(&net.DNSError{Err: "no such host.", IsNotFound: true}), engine.KindTransport, engine.CauseDNS, notSent | permanent},
		{"dns timeout", dialError(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), engine.KindTransport, engine.CauseDNS, notSent},
		{"dns server failure", dialError(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), engine.KindTransport, engine.CauseDNS, notSent},
		{"no route to host", dialError(syscall.EHOSTUNREACH), engine.KindTransport, engine.CauseUnreachable, notSent},
		{"no route to network", dialError(syscall.ENETUNREACH), engine.KindTransport, engine.CauseUnreachable, notSent},
		{"unreachable while reading", sys(syscall.EHOSTUNREACH), engine.KindTransport, engine.CauseUnreachable, 0},
		{"dial timeout", dialError(os.ErrDeadlineExceeded), engine.KindTimeout, engine.CauseNone, notSent},
		{"kernel timeout", dialError(syscall.ETIMEDOUT), engine.KindTimeout, engine.CauseNone, notSent},
		{"any dial", dialError(errors.New("odd")), engine.KindTransport, engine.CauseNone, notSent},
		{"CL-15 reset", sys(syscall.ECONNRESET), engine.KindTransport, engine.CauseReset, 0},
		{"aborted", sys(syscall.ECONNABORTED), engine.KindTransport, engine.CauseReset, 0},
		{"CL-30 broken pipe", sys(syscall.EPIPE), engine.KindTransport, engine.CauseReset, 0},
		{"CL-30 use of closed connection", &net.OpError{Op: "write", Net: "tcp", Err: net.ErrClosed}, engine.KindTransport, engine.CauseClosed, 0},
		{"CL-15 empty reply", io.EOF, engine.KindTransport, engine.CauseClosed, 0},
		{"HT-01 cut", io.ErrUnexpectedEOF, engine.KindInvalidResponse, engine.CauseCut, 0},
		{"CL-01 verification", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, engine.KindTransport, engine.CauseTLS, notSent | permanent},
		{"CL-01 authority", x509.UnknownAuthorityError{}, engine.KindTransport, engine.CauseTLS, notSent | permanent},
		{"CL-01 wrong host", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}, engine.KindTransport, engine.CauseTLS, notSent | permanent},
		{"CL-01 expired", x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired}, engine.KindTransport, engine.CauseTLS, notSent | permanent},
		{"no TLS spoken", tls.RecordHeaderError{Msg: "x"}, engine.KindTransport, engine.CauseTLS, notSent | permanent},
		{"HTTP on the TLS port", http.ErrSchemeMismatch, engine.KindTransport, engine.CauseTLS, notSent | permanent},
		{"alert", &net.OpError{Op: "remote error", Err: tls.AlertError(80)}, engine.KindTransport, engine.CauseTLS, 0},
		{"our own alert", &net.OpError{Op: "local error", Err: errors.New("tls: x")}, engine.KindTransport, engine.CauseTLS, 0},
		{"proxy 407", &httpretry.ProxyError{Proxy: "p:1", Status: 407}, engine.KindTransport, engine.CauseProxy, notSent | permanent},
		{"proxy 429", &httpretry.ProxyError{Proxy: "p:1", Status: 429}, engine.KindTransport, engine.CauseProxy, notSent},
		{"proxy 501", &httpretry.ProxyError{Proxy: "p:1", Status: 501}, engine.KindTransport, engine.CauseProxy, notSent | permanent},
		{"proxy 503", &httpretry.ProxyError{Proxy: "p:1", Status: 503}, engine.KindTransport, engine.CauseProxy, notSent},
		{"deadline", context.DeadlineExceeded, engine.KindTimeout, engine.CauseNone, 0},
		{"net timeout", timeoutError{}, engine.KindTimeout, engine.CauseNone, 0},
		{"canceled", context.Canceled, engine.KindCancelled, engine.CauseNone, 0},
		{"redirect to nowhere", &httpretry.RedirectError{Text: "no host"}, engine.KindInvalidResponse, engine.CauseMalformed, permanent},
		{"status 000", &httpretry.AnswerError{}, engine.KindInvalidResponse, engine.CauseMalformed, 0},
		{"CL-25 redirect loop", &httpretry.RedirectLoopError{Hops: 10, Status: 302}, engine.KindInvalidResponse, engine.CauseRedirectLoop, permanent},
		{"malformed request", &httpretry.RequestError{Part: "scheme"}, engine.KindTransport, engine.CauseRequest, notSent | permanent},
		{"CL-28 body", &httpretry.BodyError{Err: errors.New("disk")}, engine.KindTransport, engine.CauseBody, permanent},
		{"CL-28 body, whatever it says", &httpretry.BodyError{Err: io.ErrUnexpectedEOF}, engine.KindTransport, engine.CauseBody, permanent},
		{"no type", errors.New("odd"), engine.KindUnknown, engine.CauseNone, 0},
		{"no answer", httpretry.ErrNoAnswer, engine.KindUnknown, engine.CauseNone, 0},
	} {
		for _, err := range []error{c.err, wrapped(c.err)} {
			t.Run(c.name, func(t *testing.T) {
				want := engine.Outcome{
					Kind: c.kind, Cause: c.cause,
					NotSent: c.flags&notSent != 0, Permanent: c.flags&permanent != 0,
				}
				if got := httpretry.Classify(nil, err, nil); got != want {
					t.Errorf("%T: %+v, want %+v", err, got, want)
				}
			})
		}
	}
}

func TestClassifyMarks(t *testing.T) {
	odd := errors.New("odd")
	ok := response(200, strings.NewReader(""), 0, "Retry-After: 7")
	for _, c := range []struct {
		name string
		resp *http.Response
		err  error
		want engine.Outcome
	}{
		{"nothing wrong", nil, nil, engine.Outcome{}},
		{"transient", nil, engine.Transient(odd), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"permanent", nil, engine.Permanent(io.EOF), engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed, Say: engine.SayStop}},
		{"retry after", nil, engine.RetryAfter(odd, 5), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry, Hint: waits(5)}},
		{"success", ok, nil, engine.Outcome{Kind: engine.KindSuccess, Status: 200}},
		{"undecodable", ok, odd, engine.Outcome{Kind: engine.KindDecoding, Status: 200, Hint: waits(7e9)}},
		{"undecodable, transient", ok, engine.Transient(odd), engine.Outcome{Kind: engine.KindDecoding, Status: 200, Say: engine.SayRetry, Hint: waits(7e9)}},
		{"a status inside", ok, &engine.StatusError{Status: 503}, engine.Outcome{Kind: engine.KindStatus, Status: 503, Hint: waits(7e9)}},
		{"inspection too late", ok, context.DeadlineExceeded, engine.Outcome{Kind: engine.KindTimeout, Status: 200, Hint: waits(7e9)}},
		{"inspection canceled", ok, context.Canceled, engine.Outcome{Kind: engine.KindCancelled, Status: 200, Hint: waits(7e9)}},
		{"status", response(503, nil, 0), nil, engine.Outcome{Kind: engine.KindStatus, Status: 503}},
		{"redirect", response(302, nil, 0), nil, engine.Outcome{Kind: engine.KindStatus, Status: 302}},
		{"RA-15 blank hint", response(429, nil, 0, "Retry-After:  "), nil, engine.Outcome{Kind: engine.KindStatus, Status: 429, Hint: engine.Hint{State: engine.HintUnreadable}}},
		{"RA-16 padded hint", response(429, nil, 0, "Retry-After:    7  "), nil, engine.Outcome{Kind: engine.KindStatus, Status: 429, Hint: waits(7e9)}},
		{"RA-06 negative hint", response(429, nil, 0, "Retry-After: -1"), nil, engine.Outcome{Kind: engine.KindStatus, Status: 429, Hint: unreadable}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := httpretry.Classify(c.resp, c.err, nil); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// What real failures over loopback are.
func TestClassifyReal(t *testing.T) {
	closedPort := func(t *testing.T) string {
		s := serve(t, nil)
		addr := s.Addr().String()
		_ = s.Close()
		return addr
	}
	quiet := func(h http.Handler) *httptest.Server {
		s := httptest.NewUnstartedServer(h)
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		return s
	}
	raw := func(f func(int, *net.TCPConn, *bufio.Reader)) func(*testing.T, *http.Transport) string {
		return func(t *testing.T, _ *http.Transport) string { return serve(t, f).url() }
	}
	abort := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_, _ = io.WriteString(w, "begun")
			_ = http.NewResponseController(w).Flush()
		}
		panic(http.ErrAbortHandler)
	})
	http2 := func(path string) func(*testing.T, *http.Transport) string {
		return func(t *testing.T, base *http.Transport) string {
			s := quiet(abort)
			s.EnableHTTP2 = true
			s.StartTLS()
			t.Cleanup(s.Close)
			pool := x509.NewCertPool()
			pool.AddCert(s.Certificate())
			base.TLSClientConfig.RootCAs, base.ForceAttemptHTTP2 = pool, true
			return s.URL + path
		}
	}
	for _, c := range []struct {
		name   string
		method string
		start  func(*testing.T, *http.Transport) string
		want   engine.Outcome
	}{
		{
			"CL-03 refused, with words of an error in the URL", "GET",
			func(t *testing.T, _ *http.Transport) string {
				return "http://" + closedPort(t) + "/?q=unsupported+protocol+scheme"
			},
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseRefused, NotSent: true},
		},
		{
			"CL-01 self-signed", "GET",
			func(t *testing.T, _ *http.Transport) string {
				s := quiet(abort)
				s.StartTLS()
				t.Cleanup(s.Close)
				return s.URL
			},
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseTLS, NotSent: true, Permanent: true},
		},
		{
			"no TLS spoken", "GET",
			func(t *testing.T, _ *http.Transport) string {
				s := serve(t, func(_ int, c *net.TCPConn, r *bufio.Reader) {
					_, _ = r.ReadByte()
					_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
				})
				return "https://" + s.Addr().String() + "/"
			},
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseTLS, NotSent: true, Permanent: true},
		},
		{
			"no TLS version in common", "GET",
			func(t *testing.T, base *http.Transport) string {
				s := quiet(abort)
				s.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
				s.StartTLS()
				t.Cleanup(s.Close)
				base.TLSClientConfig.MaxVersion = tls.VersionTLS12
				return s.URL
			},
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseTLS, NotSent: true},
		},
		{
			"the handshake is cut", "GET",
			func(t *testing.T, _ *http.Transport) string {
				s := serve(t, func(_ int, c *net.TCPConn, r *bufio.Reader) {
					_, _ = r.ReadByte()
					reset(c)
				})
				return "https://" + s.Addr().String() + "/"
			},
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseReset, NotSent: true},
		},
		{
			"CL-15 empty reply", "GET", raw(answerWith("")),
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed},
		},
		{
			// The reader of net/http takes the reset for an end here.
			"CL-15 reset in the headers", "GET",
			raw(func(_ int, c *net.TCPConn, r *bufio.Reader) {
				readRequest(r)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Y: z\r\n")
				reset(c)
			}),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseCut},
		},
		{
			"reset before an answer", "GET",
			raw(func(_ int, c *net.TCPConn, r *bufio.Reader) {
				readRequest(r)
				reset(c)
			}),
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseReset},
		},
		{
			"the headers end early", "GET", raw(answerWith("HTTP/1.1 200 OK\r\nX-Y: ")),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseCut},
		},
		{
			"no HTTP", "GET", raw(answerWith("SSH-2.0-OpenSSH_9.2\r\n")),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseMalformed},
		},
		{
			"a bad length", "GET", raw(answerWith("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n")),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseMalformed},
		},
		{
			"HT-01 the body ends early", "GET", raw(answerWith("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseCut, Status: 200},
		},
		{
			"HT-01 cut in a chunk", "GET", raw(answerWith("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc")),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseCut, Status: 200},
		},
		{
			"HT-01 no last chunk", "GET", raw(answerWith("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseCut, Status: 200},
		},
		{
			"a bad chunk", "GET", raw(answerWith("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n")),
			engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseMalformed, Status: 200},
		},
		{
			"HT-03 reset in the body", "GET",
			raw(func(_ int, c *net.TCPConn, r *bufio.Reader) {
				readRequest(r)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
				reset(c)
			}),
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseReset, Status: 0},
		},
		{
			"HT-05 HEAD with an encoding", "HEAD",
			raw(answerWith("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n")),
			engine.Outcome{Kind: engine.KindSuccess, Status: 200},
		},
		{
			"CL-16 stream reset", "GET", http2("/"),
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseHTTP2},
		},
		{
			"CL-16 stream reset, POST", "POST", http2("/"),
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseHTTP2},
		},
		{
			"CL-16 stream reset in the body", "GET", http2("/body"),
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseHTTP2},
		},
		{
			"DNS by a resolver of its own", "GET",
			func(_ *testing.T, base *http.Transport) string {
				base.DialContext = func(context.Context, string, string) (net.Conn, error) {
					return nil, dialError(&net.DNSError{Err: "no such host", Name: "nowhere.test", IsNotFound: true})
				}
				return "http://nowhere.test/"
			},
			engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseDNS, NotSent: true, Permanent: true},
		},
		{
			"a dialer's own error", "GET",
			func(_ *testing.T, base *http.Transport) string {
				base.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("odd") }
				return "http://nowhere.test/"
			},
			engine.Outcome{Kind: engine.KindTransport, NotSent: true},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := plainBase(t)
			url := c.start(t, base)
			rt := transport(t, base, "attempts=1", httpretry.WithRead(1<<10))
			status, report, err := roundTrip(t, rt, request(t, c.method, url, http.NoBody))
			if report.Last != c.want {
				t.Errorf("%d %v: %+v, want %+v", status, err, report.Last, c.want)
			}
			if (err == nil) != (c.want.Kind == engine.KindSuccess) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// CL-18: a proxy's refusal is its own, and names it.
func TestClassifyProxy(t *testing.T) {
	for _, c := range []struct {
		status, sends int
		headers       string
		hint          engine.Hint
		bare          bool // the transport below does not tell
	}{
		{status: 407, sends: 1},
		{status: 403, sends: 1},
		{status: 502, sends: 3},
		{status: 503, sends: 3},
		{status: 503, sends: 3, headers: "Retry-After: 0\r\n", hint: waits(0)},
		{status: 503, sends: 1, bare: true},
	} {
		t.Run(fmt.Sprintf("%d bare=%v", c.status, c.bare), func(t *testing.T) {
			proxy := serve(t, answerWith(fmt.Sprintf("HTTP/1.1 %d Some Words\r\n%sContent-Length: 0\r\n\r\n", c.status, c.headers)))
			base := plainBase(t)
			proxyURL, err := url.Parse("http://user:s3cret@" + proxy.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			base.Proxy = http.ProxyURL(proxyURL)
			if c.bare {
				base.OnProxyConnectResponse = nil
			}
			rt := transport(t, base, "attempts=3")
			_, report, err := roundTrip(t, rt, request(t, "POST", "https://origin.test/", once()))
			want := engine.Outcome{
				Kind: engine.KindTransport, Cause: engine.CauseProxy, NotSent: true, Permanent: c.sends == 1, Hint: c.hint,
			}
			if report.Last != want {
				t.Errorf("%+v, want %+v", report.Last, want)
			}
			if report.Attempts != c.sends || int(proxy.conns.Load()) != c.sends {
				t.Errorf("%d attempts, %d at the proxy, want %d", report.Attempts, proxy.conns.Load(), c.sends)
			}
			if c.bare {
				return
			}
			var refusal *httpretry.ProxyError
			if !errors.As(err, &refusal) || refusal.Proxy != proxy.Addr().String() || refusal.Status != c.status || !errors.Is(err, httpretry.ErrProxy) {
				t.Errorf("%v does not name the proxy", err)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v gives the password away", err)
			}
		})
	}
}

// What has no type is told apart by how far the attempt got.
func TestClassifyByPlace(t *testing.T) {
	odd := errors.New("odd")
	oddNet := &net.OpError{Op: "read", Err: odd}
	type hooks = *httptrace.ClientTrace
	ask := func(h hooks) { h.GetConn("peer.test:443") }
	connect := func(h hooks) { h.ConnectDone("tcp", "peer.test:443", nil) }
	insecure := func(h hooks) { h.TLSHandshakeDone(tls.ConnectionState{}, odd) }
	got := func(h hooks) { h.GotConn(httptrace.GotConnInfo{}) }
	answer := func(h hooks) { h.GotFirstResponseByte() }
	for _, c := range []struct {
		name string
		err  error
		path []func(hooks)
		want engine.Outcome
	}{
		{"nowhere", odd, nil, engine.Outcome{Kind: engine.KindUnknown}},
		{"nowhere, some network error", oddNet, nil, engine.Outcome{Kind: engine.KindTransport}},
		{"no connection", odd, []func(hooks){ask}, engine.Outcome{Kind: engine.KindTransport, NotSent: true}},
		{"behind a connection", odd, []func(hooks){ask, connect}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseProxy, NotSent: true, Permanent: true}},
		{"behind a connection, some network error", oddNet, []func(hooks){ask, connect}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseProxy, NotSent: true}},
		{"in the handshake", odd, []func(hooks){ask, connect, insecure}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseTLS, NotSent: true}},
		{"in the handshake, an end", io.EOF, []func(hooks){ask, connect, insecure}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed, NotSent: true}},
		{"sent", odd, []func(hooks){ask, connect, got}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed}},
		{"sent, an end too soon", io.ErrUnexpectedEOF, []func(hooks){ask, connect, got}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed}},
		{"answered", odd, []func(hooks){ask, got, answer}, engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseMalformed}},
		{"answered, some network error", oddNet, []func(hooks){ask, got, answer}, engine.Outcome{Kind: engine.KindTransport}},
		{"answered, an end too soon", io.ErrUnexpectedEOF, []func(hooks){ask, got, answer}, engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseCut}},
		{"a second request refused", dialError(syscall.ECONNREFUSED), []func(hooks){ask, got, ask}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseRefused}},
		{"a hop without a connection", odd, []func(hooks){ask, got, answer, ask}, engine.Outcome{Kind: engine.KindTransport}},
		{"a joined timeout", errors.Join(odd, timeoutError{}), []func(hooks){ask, got}, engine.Outcome{Kind: engine.KindTimeout}},
		{"joined without one", errors.Join(odd, odd), []func(hooks){ask, got}, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := roundTripper(func(req *http.Request) (*http.Response, error) {
				for _, hook := range c.path {
					hook(httptrace.ContextClientTrace(req.Context()))
				}
				return nil, c.err
			})
			_, report, _ := roundTrip(t, transport(t, base, "attempts=1"), request(t, "GET", "https://peer.test/", nil))
			if report.Last != c.want {
				t.Errorf("%+v, want %+v", report.Last, c.want)
			}
		})
	}
}
