package httpretry_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// The request's body: what each attempt carries, and that the caller's is closed exactly once.
func TestRequestBody(t *testing.T) {
	disk := errors.New("disk on fire")
	for _, c := range []struct {
		id       string
		policy   string
		body     func() io.Reader
		remake   func() (io.ReadCloser, error) // GetBody
		length   int64
		steps    []step
		bodies   []string
		status   int
		reason   engine.Reason
		err      error
		attempts int
	}{
		{
			id: "BD-01 remade", body: func() io.Reader { return strings.NewReader("hello") },
			remake: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("hello")), nil }, length: 5,
			steps: []step{status(503, ""), status(503, ""), status(200, "")}, bodies: []string{"hello", "hello", "hello"}, status: 200,
		},
		{
			id: "BD-01 one shot", body: func() io.Reader { return strings.NewReader("hello") }, length: 5,
			steps: []step{status(503, ""), status(200, "")}, bodies: []string{"hello"}, status: 503, reason: engine.ReasonNotReplayable,
		},
		{
			id: "BD-03 one shot, first try", body: func() io.Reader { return once() },
			steps: []step{status(200, "")}, bodies: []string{"hello"}, status: 200,
		},
		{
			id: "BD-03 one shot, 503", body: func() io.Reader { return once() },
			steps: []step{status(503, "")}, bodies: []string{"hello"}, status: 503, reason: engine.ReasonNotReplayable,
		},
		{
			id: "BD-03 whatever the methods", policy: "methods=any", body: func() io.Reader { return once() },
			steps: []step{fails(errReset)}, bodies: []string{"hello"}, reason: engine.ReasonNotReplayable, err: syscall.ECONNRESET,
		},
		{
			id: "CL-28 a body that breaks", body: func() io.Reader { return io.MultiReader(strings.NewReader("0123456789"), broken{disk}) },
			remake: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("0123456789")), nil },
			steps:  []step{status(200, "")}, bodies: []string{"0123456789"}, reason: engine.ReasonNotRetryable, err: disk,
		},
		{
			id: "CL-28 a one-shot body that breaks", body: func() io.Reader { return io.MultiReader(strings.NewReader("0123456789"), broken{disk}) },
			steps: []step{status(200, "")}, bodies: []string{"0123456789"}, reason: engine.ReasonNotReplayable, err: disk,
		},
		{
			id: "CL-28 a body that cannot be remade", body: func() io.Reader { return strings.NewReader("hello") },
			remake: func() (io.ReadCloser, error) { return nil, disk }, length: 5,
			steps: []step{status(503, "")}, bodies: []string{"hello"}, status: 503, reason: engine.ReasonNotReplayable,
		},
		{
			id: "a remade body that breaks", body: func() io.Reader { return strings.NewReader("hello") },
			remake: func() (io.ReadCloser, error) { return io.NopCloser(broken{disk}), nil }, length: 5,
			steps: []step{status(503, ""), status(200, "")}, bodies: []string{"hello", ""}, reason: engine.ReasonNotRetryable, err: disk,
		},
	} {
		t.Run(c.id, func(t *testing.T) {
			_, loop := virtual(t)
			p := newPeer(c.steps...)
			rt := transport(t, p, c.policy, loop)
			body := &watched{Reader: c.body()}
			req := request(t, "PUT", target, body)
			req.GetBody, req.ContentLength = c.remake, c.length
			code, report, err := roundTrip(t, rt, req)
			if c.attempts == 0 {
				c.attempts = len(c.bodies)
			}
			if code != c.status || report.Reason != c.reason || report.Attempts != c.attempts || !errors.Is(err, c.err) {
				t.Errorf("%d %v after %d: %v", code, report.Reason, report.Attempts, err)
			}
			if c.err == disk && !errors.Is(err, httpretry.ErrBody) { //nolint:errorlint // the table's own value
				t.Errorf("%v is not about the body", err)
			}
			if p.count() != len(c.bodies) {
				t.Fatalf("%d sends, want %d", p.count(), len(c.bodies))
			}
			for i, want := range c.bodies {
				if got := p.sent[i].body; got != want {
					t.Errorf("attempt %d carried %q, want %q", i+1, got, want)
				}
			}
			if body.closed.Load() != 1 {
				t.Errorf("the caller's body was closed %d times", body.closed.Load())
			}
		})
	}
}

// broken is a reader that fails.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// A one-shot body of which nothing was read goes out with the next attempt, and a transport left over from the one
// before cannot read it any more.
func TestOneShotBodyUnsent(t *testing.T) {
	var left io.ReadCloser
	n := 0
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		if n++; n == 1 {
			left = req.Body
			return dialFails(syscall.ECONNREFUSED).RoundTrip(req)
		}
		if got, err := left.Read(make([]byte, 1)); got != 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("the first attempt read on: %d %v", got, err)
		}
		text, err := io.ReadAll(req.Body)
		if err != nil || string(text) != "hello" {
			t.Errorf("the second attempt carried %q, %v", text, err)
		}
		return response(201, strings.NewReader(""), 0), errors.Join(req.Body.Close(), left.Close())
	})
	body := &watched{Reader: once()}
	rt := transport(t, base, "")
	code, report, err := roundTrip(t, rt, request(t, "POST", target, body))
	if code != 201 || report.Attempts != 2 || body.closed.Load() != 1 {
		t.Errorf("%d after %d, closed %d times: %v", code, report.Attempts, body.closed.Load(), err)
	}

	// Begun, then a dial that fails behind it (a redirect followed below): it is used up.
	begun := roundTripper(func(req *http.Request) (*http.Response, error) {
		_, _ = req.Body.Read(make([]byte, 1))
		return dialFails(syscall.ECONNREFUSED).RoundTrip(req)
	})
	body = &watched{Reader: once()}
	_, report, _ = roundTrip(t, transport(t, begun, "methods=any"), request(t, "POST", target, body))
	if report.Attempts != 1 || report.Reason != engine.ReasonNotReplayable || report.Last.NotSent || body.closed.Load() != 1 {
		t.Errorf("begun: %+v, closed %d times", report, body.closed.Load())
	}

	// Never attempted.
	body = &watched{Reader: once()}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, report, err = roundTrip(t, rt, request(t, "POST", target, body).WithContext(ctx))
	if !errors.Is(err, context.Canceled) || report.Attempts != 0 || body.closed.Load() != 1 {
		t.Errorf("canceled before: %v, closed %d times", err, body.closed.Load())
	}

	// Still being read when the answer came: closed when the transport is done with it, not before.
	body = &watched{Reader: once()}
	rt = transport(t, roundTripper(func(req *http.Request) (*http.Response, error) {
		left = req.Body
		return response(200, strings.NewReader(""), 0), nil
	}), "")
	_, _, _ = roundTrip(t, rt, request(t, "POST", target, body))
	text, err := io.ReadAll(left)
	if body.closed.Load() != 0 || string(text) != "hello" || err != nil {
		t.Errorf("closed %d times under the reading: %q %v", body.closed.Load(), text, err)
	}
	if err := left.Close(); err != nil || body.closed.Load() != 1 {
		t.Errorf("closed %d times: %v", body.closed.Load(), err)
	}
}

// BD-01: a body that is shorter or longer than its request says is the caller's fault, not the network's.
func TestRequestBodyLength(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer s.Close()
	for _, length := range []int64{5, 20} {
		rt := transport(t, plainBase(t), "")
		req := request(t, "PUT", s.URL, bytes.NewReader([]byte("0123456789")))
		req.ContentLength = length
		_, report, err := roundTrip(t, rt, req)
		var wrong *httpretry.LengthError
		if length < 10 && err == nil && report.Attempts == 1 {
			continue // the answer was there before the transport saw that there is more
		}
		if report.Attempts != 1 || !errors.As(err, &wrong) || wrong.Want != length || wrong.Got != 10 {
			t.Errorf("%d: %v after %d", length, err, report.Attempts)
		}
	}
}

// CL-26: no body is a body that can be sent again, whatever the length says.
func TestNoBody(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"nil":               func(r *http.Request) { r.Body = nil },
		"NoBody":            func(r *http.Request) { r.Body = http.NoBody },
		"Content-Length: 0": func(r *http.Request) { r.Header.Set("Content-Length", "0") },
		"an empty remakeable": func(r *http.Request) {
			r.Body = http.NoBody
			r.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(n int, c *net.TCPConn, r *bufio.Reader) {
				if readRequest(r) && n > 0 {
					_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
				}
			})
			req := request(t, "DELETE", s.url(), nil)
			change(req)
			code, report, err := roundTrip(t, transport(t, plainBase(t), ""), req)
			if code != 204 || report.Attempts != 2 {
				t.Errorf("%d after %d: %v", code, report.Attempts, err)
			}
		})
	}
}

// BD-08: a big body, a server that answers early and reads on, and the next attempt beside it.
func TestEarlyAnswer(t *testing.T) {
	payload := bytes.Repeat([]byte("x"), 4<<20)
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		if n.Add(1) < 3 {
			w.WriteHeader(503)
			_ = http.NewResponseController(w).Flush()
			_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
			return
		}
		got, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Equal(got, payload) {
			w.WriteHeader(400)
		}
	}))
	defer s.Close()
	rt := transport(t, plainBase(t), "attempts=9")
	code, report, err := roundTrip(t, rt, request(t, "PUT", s.URL, bytes.NewReader(payload)))
	if code != 200 || report.Attempts < 3 { // more, where a server hangs up on what it did not read
		t.Errorf("%d after %d: %v", code, report.Attempts, err)
	}
}

// CL-30: a big PUT to a server that hangs up is retried, and arrives whole.
func TestBrokenPipe(t *testing.T) {
	payload := bytes.Repeat([]byte("x"), 8<<20)
	s := serve(t, func(n int, c *net.TCPConn, r *bufio.Reader) {
		if n == 0 {
			_, _ = io.CopyN(io.Discard, r, 1<<16)
			reset(c)
			return
		}
		if readRequest(r) {
			_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	})
	code, report, err := roundTrip(t, transport(t, plainBase(t), ""), request(t, "PUT", s.url(), bytes.NewReader(payload)))
	if code != 204 || report.Attempts != 2 {
		t.Errorf("%d after %d: %v", code, report.Attempts, err)
	}
}

// BD-05, BD-06: failed answers are drained within bounds and closed once; the last is the caller's.
func TestDrain(t *testing.T) {
	const most = 64 << 10
	endless := endlessReader{}
	for _, c := range []struct {
		id     string
		body   io.Reader
		length int64
		least  int64
		most   int64
	}{
		{"small", strings.NewReader("db down"), 7, 7, 7},
		{"no length", strings.NewReader("db down"), -1, 7, 7},
		{"BD-06 endless", endless, -1, 1, most},
		{"BD-06 1 GB", endless, 1 << 30, 0, most},
		{"broken", broken{errReset}, -1, 0, 0},
		{"idle", idleReader{}, -1, 0, 0},
	} {
		t.Run(c.id, func(t *testing.T) {
			var bodies []*watched
			answer := func(*http.Request) (*http.Response, error) {
				b := &watched{Reader: c.body}
				bodies = append(bodies, b)
				if s, ok := c.body.(*strings.Reader); ok {
					_, _ = s.Seek(0, io.SeekStart)
				}
				return response(503, b, c.length), nil
			}
			resp, err := transport(t, roundTripper(answer), "attempts=3").RoundTrip(request(t, "GET", target, nil))
			if err != nil || len(bodies) != 3 {
				t.Fatalf("%d answers, %v", len(bodies), err)
			}
			for i, b := range bodies[:2] {
				if got := b.read.Load(); got < c.least || got > c.most || b.closed.Load() != 1 {
					t.Errorf("answer %d: read %d, closed %d times", i+1, got, b.closed.Load())
				}
			}
			last := bodies[2]
			if last.read.Load() != 0 || last.closed.Load() != 0 {
				t.Errorf("the last: read %d, closed %d times", last.read.Load(), last.closed.Load())
			}
			_ = resp.Body.Close()
			_ = resp.Body.Close()
			if last.closed.Load() != 1 {
				t.Errorf("the last was closed %d times", last.closed.Load())
			}
		})
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) { return len(p), nil }

// idleReader gives nothing, without an end.
type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

// BD-06: a body that stalls holds the next attempt for a moment only.
func TestDrainStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed time.Duration
		begun := time.Now()
		n := 0
		base := roundTripper(func(*http.Request) (*http.Response, error) {
			if n++; n > 1 {
				return response(200, strings.NewReader("ok"), 2), nil
			}
			r, w := io.Pipe()
			return response(503, &stalled{PipeReader: r, closed: func() { closed = time.Since(begun) }, w: w}, -1), nil
		})
		code, _, err := roundTrip(t, transport(t, base, "attempt-timeout=none"), request(t, "GET", target, nil))
		if code != 200 || closed != 50*time.Millisecond {
			t.Errorf("%d %v, closed after %v", code, err, closed)
		}
	})
}

// Bodies that stall beside each other are each held for that moment, among others that do not.
func TestDrainStallsBesideEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var n atomic.Int32
		var held sync.Map
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			_, again := held.LoadOrStore(req.URL.Path, time.Duration(-1))
			switch {
			case again:
				return response(200, strings.NewReader("ok"), 2), nil
			case req.URL.Path == "/quick":
				return response(503, strings.NewReader("down"), 4), nil
			}
			r, w := io.Pipe()
			at := time.Since(begun)
			return response(503, &stalled{PipeReader: r, w: w, closed: func() { held.Store(req.URL.Path, time.Since(begun)-at) }}, -1), nil
		})
		rt := transport(t, base, "attempt-timeout=none")
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				<-time.After(time.Duration(i) * 7 * time.Millisecond)
				for _, path := range []string{"/quick", fmt.Sprint("/", i)} {
					if code, _, err := roundTrip(t, rt, request(t, "GET", "http://x.test"+path, nil)); code == 200 && err == nil {
						n.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if n.Load() != 40 {
			t.Errorf("%d of 40 succeeded", n.Load())
		}
		held.Range(func(path, held any) bool {
			if path != "/quick" && held != 50*time.Millisecond {
				t.Errorf("%v was held for %v", path, held)
			}
			return true
		})
	})
}

type stalled struct {
	*io.PipeReader
	w      *io.PipeWriter
	closed func()
}

func (s *stalled) Close() error {
	s.closed()
	return s.PipeReader.Close()
}

// A drained answer leaves its connection to the next attempt, and a stalled one does not.
func TestConnectionsAreReused(t *testing.T) {
	for _, c := range []struct {
		id    string
		text  string
		conns int32
	}{
		{"drained", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 7\r\n\r\ndb down", 1},
		{"chunked", "HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n7\r\ndb down\r\n0\r\n\r\n", 1},
		{"stalled", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 8\r\n\r\ndb down", 2},
	} {
		t.Run(c.id, func(t *testing.T) {
			var served atomic.Int32
			s := serve(t, func(_ int, w *net.TCPConn, r *bufio.Reader) {
				for readRequest(r) {
					if served.Add(1) == 1 {
						_, _ = io.WriteString(w, c.text)
					} else {
						_, _ = io.WriteString(w, "HTTP/1.1 204 No Content\r\n\r\n")
					}
				}
			})
			var infos []httpretry.Info
			rt := transport(t, plainBase(t), "", httpretry.WithAttemptHook(func(i httpretry.Info) { infos = append(infos, i) }))
			code, _, err := roundTrip(t, rt, request(t, "GET", s.url(), nil))
			if code != 204 || s.conns.Load() != c.conns {
				t.Errorf("%d over %d connections: %v", code, s.conns.Load(), err)
			}
			if len(infos) != 2 || infos[0].Reused || infos[1].Reused != (c.conns == 1) {
				t.Errorf("%+v", infos)
			}
			rt.CloseIdleConnections()
		})
	}
}

// BD-13: the winning body can be read in full, also long after the policy's timeouts; each context ends when it is closed.
func TestWinningBody(t *testing.T) {
	for _, text := range []string{
		"attempt-timeout=none", "attempt-timeout=10s", "attempt-timeout=10s timeout=1m", "timeout=20s attempt-timeout=none",
	} {
		for _, deadline := range []time.Duration{0, time.Hour, 24 * time.Hour} {
			t.Run(text+" "+deadline.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := 0
					var ctx context.Context
					base := roundTripper(func(req *http.Request) (*http.Response, error) {
						if n++; n == 1 {
							return response(500, strings.NewReader(""), 0), nil
						}
						ctx = req.Context()
						r, w := io.Pipe()
						go func() {
							defer func() { _ = w.Close() }()
							for range 3 {
								select {
								case <-ctx.Done():
									_ = w.CloseWithError(context.Cause(ctx))
									return
								case <-time.After(10 * time.Minute):
									_, _ = io.WriteString(w, "half ")
								}
							}
						}()
						return response(200, r, -1), nil
					})
					callers := t.Context()
					if deadline > 0 {
						var cancel context.CancelFunc
						callers, cancel = context.WithTimeout(callers, deadline)
						defer cancel()
					}
					resp, err := transport(t, base, text).RoundTrip(request(t, "GET", target, nil).WithContext(callers))
					if err != nil {
						t.Fatal(err)
					}
					if left, ok := ctx.Deadline(); ok != (deadline > 0) || ok && time.Until(left) != deadline {
						t.Errorf("the body has a deadline in %v", time.Until(left))
					}
					text, err := io.ReadAll(resp.Body)
					if string(text) != "half half half " || err != nil || ctx.Err() != nil {
						t.Errorf("%q, %v, %v", text, err, ctx.Err())
					}
					_ = resp.Body.Close()
				})
			})
		}
	}
}

// After the answer is handed over its caller's cancel still ends the reading.
func TestWinningBodyCanBeCanceled(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	for _, text := range []string{"", "attempt-timeout=none"} {
		why := errors.New("user pressed q")
		ctx, cancel := context.WithCancelCause(t.Context())
		resp, err := transport(t, plainBase(t), text).RoundTrip(request(t, "GET", s.URL, nil).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		cancel(why)
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, why) {
			t.Errorf("%q: %v", text, err)
		}
		_ = resp.Body.Close()
	}
}

// HT-01, HT-03, BD-10, BD-11: a body read inside the attempt is that of one answer, whole, or the attempt failed.
func TestRead(t *testing.T) {
	const good = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nHello World"
	for _, c := range []struct {
		id, first string
		reset     bool
		method    string
		attempts  int
		want      string
	}{
		{id: "whole", first: good, attempts: 1, want: "Hello World"},
		{id: "BD-10 cut", first: "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nETag: a\r\n\r\nH", attempts: 2, want: "Hello World"},
		{id: "HT-01 chunk cut", first: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nHel", attempts: 2, want: "Hello World"},
		{id: "HT-01 no last chunk", first: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n", attempts: 2, want: "Hello World"},
		{id: "HT-03 reset", first: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n", reset: true, attempts: 2, want: "Hello World"},
		{id: "POST", first: "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nH", method: "POST", attempts: 1},
	} {
		t.Run(c.id, func(t *testing.T) {
			var ranged atomic.Bool
			s := serve(t, func(n int, w *net.TCPConn, r *bufio.Reader) {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				if req.Header.Get("Range") != "" {
					ranged.Store(true)
				}
				if n > 0 {
					_, _ = io.WriteString(w, good)
					return
				}
				_, _ = io.WriteString(w, c.first)
				if c.reset {
					reset(w)
				}
			})
			if c.method == "" {
				c.method = "GET"
			}
			rt := transport(t, plainBase(t), "", httpretry.WithRead(1<<20))
			resp, err := rt.RoundTrip(request(t, c.method, s.url(), nil))
			if err != nil {
				var ours *httpretry.Error
				if c.want != "" || !errors.As(err, &ours) || ours.Report.Attempts != c.attempts || !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatal(err)
				}
				return
			}
			if got := readAll(t, resp); got != c.want || ranged.Load() {
				t.Errorf("%q, Range sent: %v", got, ranged.Load())
			}
			if report, _ := httpretry.ReportOf(resp); report.Attempts != c.attempts {
				t.Errorf("%d attempts", report.Attempts)
			}
		})
	}
}

// Without WithRead a body that breaks is the caller's to see.
func TestUnreadBody(t *testing.T) {
	s := serve(t, answerWith("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nH"))
	resp, err := transport(t, plainBase(t), "").RoundTrip(request(t, "GET", s.url(), nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	_ = resp.Body.Close()
}

// However much is read inside, the caller reads it all.
func TestReadBounds(t *testing.T) {
	const text = "0123456789"
	for _, known := range []bool{true, false} {
		for n := int64(-1); n < 13; n++ {
			var seen string
			var info httpretry.Info
			body := &watched{Reader: strings.NewReader(text)}
			rt := transport(t, roundTripper(func(*http.Request) (*http.Response, error) {
				length := int64(-1)
				if known {
					length = int64(len(text))
				}
				return response(200, body, length), nil
			}), "", httpretry.WithRead(n), httpretry.WithAttemptHook(func(i httpretry.Info) { info = i }),
				httpretry.WithInspect(func(_ *http.Response, b []byte) error { seen = string(b); return nil }))
			resp, err := rt.RoundTrip(request(t, "GET", target, nil))
			if err != nil {
				t.Fatal(err)
			}
			want := text[:max(min(n, 10), 0)]
			if seen != want || info.BodyBytes != int64(len(want)) || info.BodyCut != (n > 0 && n < 10) {
				t.Errorf("n=%d: inspected %q, info %d %v", n, seen, info.BodyBytes, info.BodyCut)
			}
			if got := readAll(t, resp); got != text || body.closed.Load() != 1 {
				t.Errorf("n=%d: read %q, closed %d times", n, got, body.closed.Load())
			}
		}
	}
}

// An inspection is the last word on an answer that looks good, and does not take it away.
func TestInspect(t *testing.T) {
	odd := errors.New("no JSON")
	for _, c := range []struct {
		id     string
		err    error
		sends  int
		reason engine.Reason
		kind   engine.Kind
		status int
	}{
		{"good", nil, 1, engine.ReasonNone, engine.KindSuccess, 200},
		{"decoding", odd, 1, engine.ReasonNotRetryable, engine.KindDecoding, 200},
		{"transient", engine.Transient(odd), 3, engine.ReasonAttempts, engine.KindDecoding, 200},
		{"a status inside", &engine.StatusError{Status: 503}, 3, engine.ReasonAttempts, engine.KindStatus, 503},
		{"a status inside that is final", &engine.StatusError{Status: 404}, 1, engine.ReasonNotRetryable, engine.KindStatus, 404},
		{"later", engine.RetryAfter(odd, time.Hour), 1, engine.ReasonCeiling, engine.KindDecoding, 200},
	} {
		t.Run(c.id, func(t *testing.T) {
			_, loop := virtual(t)
			p := newPeer(status(200, "half"))
			rt := transport(t, p, "attempts=3", loop, httpretry.WithRead(100),
				httpretry.WithInspect(func(_ *http.Response, b []byte) error {
					if string(b) != "half" {
						t.Errorf("inspected %q", b)
					}
					return c.err
				}))
			resp, err := rt.RoundTrip(request(t, "GET", target, nil))
			if err != nil {
				t.Fatal(err)
			}
			report, _ := httpretry.ReportOf(resp)
			if p.count() != c.sends || report.Reason != c.reason || report.Last.Kind != c.kind || report.Last.Status != c.status {
				t.Errorf("%d sends, %+v", p.count(), report)
			}
			if why := httpretry.ErrorOf(resp); !errors.Is(why, c.err) || (why == nil) != (c.err == nil) {
				t.Errorf("why: %v", why)
			}
			if got := readAll(t, resp); got != "half" {
				t.Errorf("handed over %q", got)
			}
		})
	}
	rt := transport(t, newPeer(status(404, "")), "", httpretry.WithInspect(func(*http.Response, []byte) error {
		t.Error("a 404 was inspected")
		return nil
	}))
	_, _, _ = roundTrip(t, rt, request(t, "GET", target, nil))
}

// HT-05: an answer without a body has nothing to read.
func TestReadNothing(t *testing.T) {
	s := serve(t, answerWith("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n"))
	code, report, err := roundTrip(t, transport(t, plainBase(t), "", httpretry.WithRead(100)), request(t, "HEAD", s.url(), nil))
	if code != 200 || report.Attempts != 1 {
		t.Errorf("%d after %d: %v", code, report.Attempts, err)
	}
}

// After a switch of protocols the body is the connection itself: it is not read, and can be written to.
func TestSwitchingProtocols(t *testing.T) {
	s := serve(t, func(_ int, c *net.TCPConn, r *bufio.Reader) {
		readRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := r.ReadString('\n')
		_, _ = io.WriteString(c, line)
	})
	for _, text := range []string{"", "attempt-timeout=none"} {
		rt := transport(t, plainBase(t), text, httpretry.WithRead(100))
		resp, err := rt.RoundTrip(request(t, "GET", s.url(), nil, "Connection: Upgrade", "Upgrade: echo"))
		if err != nil {
			t.Fatal(err)
		}
		w, ok := resp.Body.(io.ReadWriteCloser)
		if !ok || resp.StatusCode != 101 {
			t.Fatalf("%d %T", resp.StatusCode, resp.Body)
		}
		if _, err := io.WriteString(w, "hello\n"); err != nil {
			t.Error(err)
		}
		if got := readAll(t, resp); got != "hello\n" {
			t.Errorf("%q", got)
		}
	}
}
