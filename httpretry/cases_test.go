package httpretry_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// Faults reported of other clients that the tables of this package do not hold already, by the numbers docs/CASES.md has
// them under.

// RA-35, RA-01, RA-03: a date is waited for, in each of its three forms and to the second, and then asked again.
func TestCaseDateIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, date := range []string{"Thu, 01 Jan 2026 12:01:30 GMT", "Thursday, 01-Jan-26 12:01:30 GMT", "Thu Jan  1 12:01:30 2026"} {
		clock, loop := virtual(t)
		p := newPeer(status(503, "", "Retry-After: "+date), status(200, "done"))
		rt := transport(t, p, "base=2s jitter=none ceiling=2m", loop)
		code, report, err := roundTrip(t, rt, request(t, "GET", target, nil))
		if code != 200 || p.count() != 2 || at(clock) != 90*time.Second || report.Waited != 90*time.Second {
			t.Errorf("%s: %d after %d sends, at %v: %v", date, code, p.count(), at(clock), err)
		}
	}
}

// CL-10: a 421 is no more than a status: it is tried again where it is named, and of a POST only where POST may be.
func TestCaseMisdirected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy, method string
		sends, status  int
	}{
		{"", "GET", 1, 421},
		{"", "POST", 1, 421},
		{"retry-on=421", "GET", 2, 200},
		{"retry-on=421", "POST", 1, 421},
		{"retry-on=421 methods=any", "POST", 2, 200},
	} {
		p := newPeer(status(421, ""), status(200, ""))
		code, _, err := roundTrip(t, transport(t, p, c.policy), request(t, c.method, target, nil))
		if code != c.status || p.count() != c.sends {
			t.Errorf("%s %s: %d after %d sends: %v", c.policy, c.method, code, p.count(), err)
		}
	}
}

// CL-13: net/http gives back the cause of a cancel and hides context.Canceled: it is a cancel all the same, is sent once,
// and both are in the error, whatever the policy tries again.
func TestCaseCancelWithACauseInAnAttempt(t *testing.T) {
	t.Parallel()
	why := errors.New("user pressed q")
	var cancel context.CancelCauseFunc
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(why)
		<-r.Context().Done()
	}))
	defer s.Close()
	var ctx context.Context
	ctx, cancel = context.WithCancelCause(t.Context())
	resp, err := plainBase(t).RoundTrip(request(t, "GET", s.URL, nil).WithContext(ctx))
	if err == nil {
		_ = resp.Body.Close()
	}
	if errors.Is(err, context.Canceled) || !errors.Is(err, why) {
		t.Errorf("net/http itself says %v now: the case is gone", err)
	}
	for _, text := range []string{"", "attempt-timeout=none", "retry-on=transport,timeout,invalid-response,unknown,5xx timeout=1h"} {
		ctx, cancel = context.WithCancelCause(t.Context())
		_, report, err := roundTrip(t, transport(t, plainBase(t), text), request(t, "GET", s.URL, nil).WithContext(ctx))
		if report.Result != engine.ResultCancelled || report.Attempts != 1 || report.Last.Kind != engine.KindCancelled {
			t.Errorf("%q: %+v", text, report)
		}
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%q: %v", text, err)
		}
	}
	cancel(nil)
}

// BD-11: what comes after a cut answer is an answer of its own: no byte of two is mixed, be the second an error page, a
// part that nobody asked for, or another version.
func TestCaseAnswersAreNotMixed(t *testing.T) {
	t.Parallel()
	const cut = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\nContent-Length: 11\r\n\r\nH"
	for _, c := range []struct {
		name, second string
		status       int
		body         string
	}{
		{"another version", "HTTP/1.1 200 OK\r\nETag: \"b\"\r\nContent-Length: 11\r\n\r\nHallo Welt!", 200, "Hallo Welt!"},
		{"an error page", "HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nno such", 404, "no such"},
		{"a part nobody asked for", "HTTP/1.1 206 Partial Content\r\nETag: \"b\"\r\nContent-Range: bytes 1-10/11\r\nContent-Length: 10\r\n\r\nello World", 206, "ello World"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var ranged sync.Map
			s := serve(t, func(n int, w *net.TCPConn, r *bufio.Reader) {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				if v := req.Header.Get("Range") + req.Header.Get("If-Range"); v != "" {
					ranged.Store(n, v)
				}
				if n == 0 {
					_, _ = io.WriteString(w, cut)
					return
				}
				_, _ = io.WriteString(w, c.second)
			})
			resp, err := transport(t, plainBase(t), "", httpretry.WithRead(1<<20)).RoundTrip(request(t, "GET", s.url(), nil))
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, resp); got != c.body || resp.StatusCode != c.status {
				t.Errorf("%d %q, want %d %q", resp.StatusCode, got, c.status, c.body)
			}
			ranged.Range(func(n, v any) bool {
				t.Errorf("attempt %d asked for a part: %v", n, v)
				return true
			})
		})
	}
}

// HT-10: an error's body that is compressed without saying so comes through as it is, for whoever asked: nothing decodes
// it, and it changes nothing of what is decided.
func TestCaseUndeclaredCompression(t *testing.T) {
	t.Parallel()
	const body = "\x1f\x8b\x08\x00\x00\x00\x00\x00"
	p := newPeer(status(503, body))
	resp, err := transport(t, p, "attempts=2").RoundTrip(request(t, "GET", target, nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, resp); got != body || p.count() != 2 {
		t.Errorf("%q after %d sends", got, p.count())
	}
	if why := httpretry.ErrorOf(resp); why == nil || strings.ContainsAny(why.Error(), body[:3]) {
		t.Errorf("%q", why)
	}
}

// CL-16: a server that goes away and says that it did not look at the stream did no work: what was asked of it is asked
// again on another connection, also a POST, and it is told that it was.
func TestCaseGoneAway(t *testing.T) {
	t.Parallel()
	var bodies []string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.Proto+" "+string(text))
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	var dials atomic.Int32
	base := &http.Transport{
		Protocols: new(http.Protocols),
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			if dials.Add(1) == 1 {
				client, server := net.Pipe()
				go goAway(server)
				return client, nil
			}
			var d net.Dialer
			return d.DialContext(ctx, network, s.Listener.Addr().String())
		},
	}
	base.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(base.CloseIdleConnections)
	var infos []httpretry.Info
	rt := transport(t, base, "attempts=2", httpretry.WithAttemptHook(func(i httpretry.Info) { infos = append(infos, i) }))
	code, report, err := roundTrip(t, rt, request(t, "POST", target, strings.NewReader("hello")))
	if code != 200 || dials.Load() != 2 || strings.Join(bodies, ", ") != "HTTP/2.0 hello" {
		t.Errorf("%d over %d connections: %v, served %q", code, dials.Load(), err, bodies)
	}
	again := 0
	for _, i := range infos {
		again += i.Resent
	}
	if sends := report.Attempts + again; sends != 2 {
		t.Errorf("%d attempts and %d hidden sends, want 2 in all", report.Attempts, again)
	}
}

// goAway is a server of HTTP/2 that takes the headers of a request and then says that it worked on no stream.
func goAway(c net.Conn) {
	defer func() { _ = c.Close() }()
	const headers, settings = 1, 4
	r := bufio.NewReader(c)
	if _, err := io.CopyN(io.Discard, r, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	write := make(chan string, 10)
	defer close(write)
	go func() { // a pipe has no buffer
		for b := range write {
			_, _ = io.WriteString(c, b)
		}
	}()
	write <- "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for {
		var head [9]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		n := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			return
		}
		switch head[3] {
		case settings:
			if head[4] == 0 {
				write <- "\x00\x00\x00\x04\x01\x00\x00\x00\x00"
			}
		case headers:
			write <- "\x00\x00\x08\x07\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"
		}
	}
}
