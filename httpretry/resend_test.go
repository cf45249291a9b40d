package httpretry_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// counting is a server on loopback that answers the nth request, over all connections, with the nth status; 0 is a reset.
// The last goes on for ever. total waits for the ends of its connections, and gives all requests that ever came.
func counting(t *testing.T, base *http.Transport, answers ...int) (url string, total func() int) {
	t.Helper()
	requests := new(atomic.Int32)
	s := serve(t, func(_ int, c *net.TCPConn, r *bufio.Reader) {
		for readRequest(r) {
			n := int(requests.Add(1))
			code := answers[min(n, len(answers))-1]
			if code == 0 {
				reset(c)
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 "+strconv.Itoa(code)+" Said\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	return s.url(), func() int {
		base.CloseIdleConnections()
		_ = s.Close()
		s.wg.Wait()
		return int(requests.Load())
	}
}

// What net/http sends again by itself counts against the limit on sends as any other send, and is not sent where none is
// left.
func TestHiddenResendsCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limit   int
		answers []int
		want    engine.Report
		code    int
		held    bool // the transport below cannot be told to take a new connection
	}{
		{name: "none lost", limit: 2, answers: []int{503}, code: 503, want: engine.Report{Attempts: 2, Reason: engine.ReasonMaxSends}},
		{name: "enough left", limit: 9, answers: []int{503, 0, 200}, code: 200, want: engine.Report{Attempts: 2}},
		{name: "just enough left", limit: 3, answers: []int{503, 0, 200}, code: 200, want: engine.Report{Attempts: 2}},
		{name: "the last is on a new connection", limit: 2, answers: []int{503, 0, 200}, want: engine.Report{Attempts: 2, Reason: engine.ReasonMaxSends}},
		{name: "the re-send was the last", limit: 3, answers: []int{503, 0, 503, 200}, code: 503, want: engine.Report{Attempts: 2, Reason: engine.ReasonMaxSends}},
		{name: "held back", limit: 2, answers: []int{503, 0, 200}, want: engine.Report{Attempts: 2, Reason: engine.ReasonMaxSends}, held: true},
	}
	for _, tt := range tests {
		for _, timeout := range []string{"none", "10s"} {
			t.Run(tt.name+", attempt-timeout "+timeout, func(t *testing.T) {
				t.Parallel()
				plain := plainBase(t)
				url, total := counting(t, plain, tt.answers...)
				base := http.RoundTripper(plain)
				if tt.held {
					base = roundTripper(plain.RoundTrip)
				}
				sends := engine.NewSends(tt.limit)
				resent := 0
				rt := transport(t, base, "attempts=9 attempt-timeout="+timeout, httpretry.WithEngine(engine.WithSends(sends)),
					httpretry.WithAttemptHook(func(i httpretry.Info) { resent += i.Resent }))
				code, report, err := roundTrip(t, rt, request(t, "GET", url, nil))
				if code != tt.code || report.Attempts != tt.want.Attempts || report.Reason != tt.want.Reason {
					t.Errorf("%d, %+v, %v", code, report, err)
				}
				if n := total(); n > tt.limit || n != sends.Used() || n != report.Attempts+resent {
					t.Errorf("%d requests at the server, %d of %d used, %d attempts and %d hidden", n, sends.Used(), tt.limit, report.Attempts, resent)
				}
				if code != 0 {
					return
				}
				cause := engine.CauseReset
				if tt.held {
					cause = engine.CauseClosed
				}
				if report.Last != (engine.Outcome{Kind: engine.KindTransport, Cause: cause}) || errors.Is(err, httpretry.ErrNoSend) != tt.held {
					t.Errorf("%+v, %v", report.Last, err)
				}
				if _, _, err := roundTrip(t, rt, request(t, "GET", url, nil)); !errors.Is(err, engine.ErrNoAttempt) {
					t.Errorf("no send is left: %v", err)
				}
			})
		}
	}
}

// Without hooks for anybody, hidden re-sends count as well; of a Transport without a limit they cost nothing.
func TestHiddenResendsCountUnwatched(t *testing.T) {
	t.Parallel()
	base := plainBase(t)
	url, total := counting(t, base, 200, 0, 200)
	sends := engine.NewSends(9)
	rt := transport(t, base, "", httpretry.WithEngine(engine.WithSends(sends)))
	for range 2 {
		if code, _, err := roundTrip(t, rt, request(t, "GET", url, nil)); code != 200 {
			t.Errorf("%d, %v", code, err)
		}
	}
	if n := total(); sends.Used() != 3 || n != 3 {
		t.Errorf("%d used, %d at the server", sends.Used(), n)
	}
}

// HTTP/2 repeats what the server refused on the same connection: nothing more is written to it, and it is not closed,
// for others may be using it.
func TestHiddenResendsOfHTTP2(t *testing.T) {
	t.Parallel()
	for _, timeout := range []string{"none", "10s"} {
		url, roots, requests, gone := refusing(t)
		base := plainBase(t)
		base.TLSClientConfig.RootCAs, base.ForceAttemptHTTP2 = roots.RootCAs, true
		var conn net.Conn
		base.DialContext = func(ctx context.Context, network, addr string) (c net.Conn, err error) {
			conn, err = new(net.Dialer).DialContext(ctx, network, addr)
			return conn, err
		}
		sends := engine.NewSends(1)
		rt := transport(t, base, "attempts=9 attempt-timeout="+timeout, httpretry.WithEngine(engine.WithSends(sends)))
		_, report, err := roundTrip(t, rt, request(t, "GET", url, nil))
		if !errors.Is(err, httpretry.ErrNoSend) || report.Reason != engine.ReasonMaxSends || report.Attempts != 1 || sends.Used() != 1 {
			t.Errorf("%+v, %v", report, err)
		}
		select {
		case <-gone:
			t.Error("the connection was closed")
		default:
		}
		_ = conn.Close()
		<-gone // whatever was written before has been read
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests at the server", n)
		}
	}
}

// refusing is an HTTP/2 server that refuses each stream (RFC 9113, section 8.7). gone is closed with its connection.
func refusing(t *testing.T) (url string, config *tls.Config, requests *atomic.Int32, gone chan struct{}) {
	t.Helper()
	const headers, rst, settings = 1, 3, 4
	certs := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(certs.Close)
	client, _ := certs.Client().Transport.(*http.Transport)
	server := &tls.Config{Certificates: certs.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12}
	requests, gone = new(atomic.Int32), make(chan struct{})
	s := serve(t, func(n int, plain *net.TCPConn, _ *bufio.Reader) {
		if n == 0 {
			defer close(gone)
		}
		c := tls.Server(plain, server)
		if c.HandshakeContext(context.Background()) != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, c, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
			return
		}
		_, _ = c.Write([]byte{0, 0, 0, settings, 0, 0, 0, 0, 0})
		for {
			var head [9]byte
			if _, err := io.ReadFull(c, head[:]); err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, c, int64(head[0])<<16|int64(head[1])<<8|int64(head[2]))
			if head[3] == headers {
				requests.Add(1)
				_, _ = c.Write([]byte{0, 0, 4, rst, 0, head[5], head[6], head[7], head[8], 0, 0, 0, 7})
			}
		}
	})
	return "https://" + s.Addr().String() + "/", client.TLSClientConfig, requests, gone
}

// handed is a connection that counts how often it is closed.
type handed struct {
	net.Conn
	closed atomic.Int32
}

func (h *handed) Close() error {
	h.closed.Add(1)
	return nil
}

// To a connection that is got for a re-send too many nothing can be written any more, whatever net/http looks at first.
func TestHiddenResendIsHeldBack(t *testing.T) {
	t.Parallel()
	conns := [3]handed{}
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		hooks := httptrace.ContextClientTrace(req.Context())
		for i := range conns {
			hooks.GetConn("server.test:80")
			hooks.GotConn(httptrace.GotConnInfo{Conn: &conns[i], Reused: i == 0})
			if conns[i].closed.Load() > 0 {
				return nil, net.ErrClosed
			}
			hooks.WroteHeaders()
		}
		return nil, io.EOF
	})
	rt := transport(t, base, "", httpretry.WithEngine(engine.WithSends(engine.NewSends(2))))
	_, report, err := roundTrip(t, rt, request(t, "GET", target, nil))
	if !errors.Is(err, httpretry.ErrNoSend) || !errors.Is(err, net.ErrClosed) || report.Last != (engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed}) {
		t.Errorf("%+v, %v", report, err)
	}
	if conns[0].closed.Load() != 0 || conns[1].closed.Load() != 0 || conns[2].closed.Load() != 1 {
		t.Errorf("closed %d, %d, %d times", conns[0].closed.Load(), conns[1].closed.Load(), conns[2].closed.Load())
	}
}
