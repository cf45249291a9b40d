package httpretry_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
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

// hangs waits in virtual time until the request's context ends.
func hangs(clock engine.Clock) step { return takes(clock, engine.Forever, nil) }

// takes answers after a while of the clock.
func takes(clock engine.Clock, d time.Duration, then step) step {
	return func(req *http.Request) (*http.Response, error) {
		if err := clock.Wait(req.Context(), d); err != nil {
			return nil, err
		}
		return then(req)
	}
}

// Time running out, in virtual time.
func TestTimeouts(t *testing.T) {
	clock := func() *engine.Virtual { return engine.NewVirtual(utc(t, noon)) }
	for _, c := range []struct {
		id      string
		policy  string
		method  string
		steps   func(*engine.Virtual) []step
		within  time.Duration // the caller's deadline
		sends   int
		elapsed time.Duration
		status  int
		result  engine.Result
		reason  engine.Reason
		kind    engine.Kind
		err     error
	}{
		{
			id: "CN-05 slow once, then fast", policy: "attempt-timeout=100ms base=0",
			steps: func(v *engine.Virtual) []step { return []step{hangs(v), status(200, "")} },
			sends: 2, elapsed: 100 * time.Millisecond, status: 200,
		},
		{
			id: "TO-03 its own timeout is no end", policy: "attempt-timeout=1s retries=3 base=0",
			steps: func(v *engine.Virtual) []step { return []step{hangs(v)} },
			sends: 4, elapsed: 4 * time.Second, result: engine.ResultFailed, reason: engine.ReasonAttempts, kind: engine.KindTimeout, err: context.DeadlineExceeded,
		},
		{
			id: "CL-20 POST", policy: "attempt-timeout=1s base=0", method: "POST",
			steps: func(v *engine.Virtual) []step { return []step{hangs(v)} },
			sends: 1, elapsed: time.Second, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent, kind: engine.KindTimeout, err: context.DeadlineExceeded,
		},
		{
			id: "TO-05 never above overall", policy: "attempt-timeout=4s timeout=10s retries=5 base=0",
			steps: func(v *engine.Virtual) []step { return []step{hangs(v)} },
			sends: 3, elapsed: 10 * time.Second, result: engine.ResultTimedOut, reason: engine.ReasonDeadline, kind: engine.KindTimeout, err: engine.ErrTimeout,
		},
		{
			id: "TO-06 timeout=none is none", policy: "attempt-timeout=none timeout=none base=0",
			steps: func(v *engine.Virtual) []step { return []step{takes(v, time.Hour, status(200, ""))} },
			sends: 1, elapsed: time.Hour, status: 200,
		},
		{
			id: "TO-08 the limit ends the schedule", policy: "retries=10 timeout=10s base=1s jitter=none attempt-timeout=none",
			steps: func(*engine.Virtual) []step { return []step{status(503, "")} },
			sends: 4, elapsed: 7 * time.Second, status: 503, result: engine.ResultTimedOut, reason: engine.ReasonDeadline, kind: engine.KindStatus,
		},
		{
			id: "the caller's deadline, ahead", policy: "base=10s jitter=none", within: 5 * time.Second,
			steps: func(*engine.Virtual) []step { return []step{status(503, "")} },
			sends: 1, status: 503, result: engine.ResultTimedOut, reason: engine.ReasonDeadline, kind: engine.KindStatus,
		},
		{
			id: "the caller's deadline, passed", policy: "base=0", within: 5 * time.Second,
			steps: func(v *engine.Virtual) []step { return []step{fails(errReset), hangs(v)} },
			sends: 2, elapsed: 5 * time.Second, result: engine.ResultTimedOut, reason: engine.ReasonDeadline, kind: engine.KindTimeout, err: syscall.ECONNRESET,
		},
		{
			id: "nothing can end it", policy: "attempt-timeout=none base=0",
			steps: func(v *engine.Virtual) []step { return []step{hangs(v)} },
			sends: 1, result: engine.ResultEndless, reason: engine.ReasonNeverAnswers, err: engine.ErrNeverEnds,
		},
		{
			id: "a dial that times out", policy: "base=0 attempts=2", method: "POST",
			steps: func(*engine.Virtual) []step {
				return []step{fails(&net.OpError{Op: "dial", Err: timeoutError{}}), status(201, "")}
			},
			sends: 2, status: 201,
		},
	} {
		t.Run(c.id, func(t *testing.T) {
			clock := clock()
			p := newPeer(c.steps(clock)...)
			rt := transport(t, p, c.policy, httpretry.WithEngine(engine.WithClock(clock)))
			if c.method == "" {
				c.method = "GET"
			}
			ctx := t.Context()
			if c.within > 0 {
				var cancel context.CancelFunc
				ctx, cancel = clock.WithTimeout(ctx, c.within)
				defer cancel()
			}
			code, report, err := roundTrip(t, rt, request(t, c.method, target, nil).WithContext(ctx))
			if code != c.status || p.count() != c.sends || at(clock) != c.elapsed {
				t.Errorf("%d, %d sends, %v; want %d, %d, %v", code, p.count(), at(clock), c.status, c.sends, c.elapsed)
			}
			if report.Result != c.result || report.Reason != c.reason || report.Last.Kind != c.kind {
				t.Errorf("%v %v %v, want %v %v %v", report.Result, report.Reason, report.Last.Kind, c.result, c.reason, c.kind)
			}
			if !errors.Is(err, c.err) {
				t.Errorf("%v, want %v", err, c.err)
			}
			var timeout interface{ Timeout() bool }
			if err != nil && (!errors.As(err, &timeout) || timeout.Timeout() != (c.kind == engine.KindTimeout || c.result == engine.ResultTimedOut)) {
				t.Errorf("Timeout() of %v", err)
			}
		})
	}
}

// A cancel before, during and just after a wait, and during an attempt.
func TestCancel(t *testing.T) {
	for _, c := range []struct {
		id     string
		at     time.Duration
		first  time.Duration // how long an attempt takes
		sends  int
		last   bool // a failure came before
		waited time.Duration
	}{
		{"before", 0, 0, 0, false, 0},
		{"CN-01 in the wait", 100 * time.Millisecond, 0, 1, true, 100 * time.Millisecond},
		{"just after it", 30 * time.Second, 0, 1, true, 30 * time.Second},
		{"CN-03 in the attempt", time.Second, time.Hour, 1, false, 0},
	} {
		t.Run(c.id, func(t *testing.T) {
			clock := engine.NewVirtual(utc(t, noon))
			p := newPeer(takes(clock, c.first, status(503, "")))
			var events []engine.Event
			rt := transport(t, p, "base=30s cap=30s jitter=none attempt-timeout=none", httpretry.WithEngine(
				engine.WithClock(clock), engine.WithObserver(func(e *engine.Event) { events = append(events, *e) })))
			why := errors.New("user pressed q")
			ctx, cancel := context.WithCancelCause(t.Context())
			clock.At(c.at, engine.RankCancel, func() { cancel(why) })
			_, report, err := roundTrip(t, rt, request(t, "GET", target, nil).WithContext(ctx))
			if !errors.Is(err, context.Canceled) || !errors.Is(err, why) { // CL-13, ER-03, ER-08
				t.Errorf("%v is no cancel, or hides why", err)
			}
			var code *engine.StatusError
			if errors.As(err, &code) != c.last {
				t.Errorf("the last failure: %v in %v", code, err)
			}
			if report.Result != engine.ResultCancelled || report.Reason != engine.ReasonCancelled || report.Attempts != c.sends || report.Waited != c.waited {
				t.Errorf("%+v", report)
			}
			if p.count() != c.sends || at(clock) != c.at {
				t.Errorf("%d sends, at %v", p.count(), at(clock))
			}
			waits := 0
			for i, e := range events { // CT-08, CN-06
				if e.Kind == engine.EventWait {
					waits++
				}
				if e.Kind == engine.EventWaitEnd && !e.Cut && c.id != "just after it" {
					t.Errorf("event %d: the wait was not cut", i)
				}
			}
			if waits > 1 || events[len(events)-1].Kind != engine.EventDone {
				t.Errorf("%d waits, and %v at the end", waits, events[len(events)-1].Kind)
			}
		})
	}
}

// CN-06: a cancel in the middle of a body that is read inside the attempt.
func TestCancelInBody(t *testing.T) {
	for _, text := range []string{"", "attempt-timeout=none"} {
		ctx, cancel := context.WithCancel(t.Context())
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "begun")
			_ = http.NewResponseController(w).Flush()
			cancel()
			<-r.Context().Done()
		}))
		_, report, err := roundTrip(t, transport(t, plainBase(t), text, httpretry.WithRead(100)), request(t, "GET", s.URL, nil).WithContext(ctx))
		s.Close()
		if !errors.Is(err, context.Canceled) || report.Result != engine.ResultCancelled || report.Attempts != 1 {
			t.Errorf("%q: %v %+v", text, err, report)
		}
	}
}

// BD-15: a timed-out attempt that goes on behind shares nothing with the next one; run it with -race.
func TestAttemptsShareNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		n := 0
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			n++
			late := n < 4
			trace := httptrace.ContextClientTrace(req.Context())
			wg.Go(func() { // as the dialing goroutine of net/http
				for range 20 {
					trace.GetConn("x")
					trace.ConnectStart("tcp", "x")
					trace.ConnectDone("tcp", "x", nil)
					trace.GotConn(httptrace.GotConnInfo{})
					trace.WroteHeaders()
					trace.GotFirstResponseByte()
					time.Sleep(7 * time.Millisecond)
				}
				req.Header.Set("X-Late", "yes")
				req.URL.Path = "/late"
				text, _ := io.ReadAll(req.Body)
				if string(text) != "hello" {
					t.Errorf("attempt %d read %q", n, text)
				}
				_ = req.Body.Close()
			})
			if !late {
				return response(200, strings.NewReader("ok"), 2), nil
			}
			<-req.Context().Done()
			return nil, context.Cause(req.Context())
		})
		var infos []httpretry.Info
		rt := transport(t, base, "attempt-timeout=50ms", httpretry.WithAttemptHook(func(i httpretry.Info) { infos = append(infos, i) }))
		code, report, err := roundTrip(t, rt, request(t, "PUT", target, strings.NewReader("hello")))
		if code != 200 || report.Attempts != 4 || len(infos) != 4 {
			t.Errorf("%d after %d: %v", code, report.Attempts, err)
		}
		wg.Wait()
	})
}

// TO-05, CL-20, TO-10: real time running out, over loopback.
func TestRealTimeout(t *testing.T) {
	var n atomic.Int32
	hold := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(hold)
	for method, want := range map[string]int32{"GET": 3, "POST": 1} {
		n.Store(0)
		rt := transport(t, plainBase(t), "attempt-timeout=20ms attempts=3")
		_, report, err := roundTrip(t, rt, request(t, method, s.URL, strings.NewReader("hello")))
		if report.Last.Kind != engine.KindTimeout || report.Last.NotSent || n.Load() != want || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %d sends, %+v, %v", method, n.Load(), report, err)
		}
	}
	var results []engine.Result
	client := &http.Client{Timeout: 5 * time.Millisecond, Transport: transport(t, plainBase(t), "attempt-timeout=none",
		httpretry.WithEngine(engine.WithObserver(func(e *engine.Event) {
			if e.Kind == engine.EventDone {
				results = append(results, e.Report.Result)
			}
		})))}
	for range 20 {
		_, err := client.Do(request(t, "GET", s.URL, nil))
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() || results[len(results)-1] != engine.ResultTimedOut {
			t.Fatalf("%v %v", results, err)
		}
	}
}

// CL-21: a server that is just closing its connection. net/http sends a GET again by itself, which is counted; a POST is
// told apart as closed.
func TestClosingConnection(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		var posts atomic.Int32
		s := serve(t, func(n int, c *net.TCPConn, r *bufio.Reader) {
			if !readRequest(r) {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			if readRequest(r) {
				posts.Add(1)
				if n > 0 {
					_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			}
		})
		var infos []httpretry.Info
		rt := transport(t, plainBase(t), "", httpretry.WithAttemptHook(func(i httpretry.Info) { infos = append(infos, i) }))
		_, _, _ = roundTrip(t, rt, request(t, "GET", s.url(), nil))
		code, report, err := roundTrip(t, rt, request(t, method, s.url(), nil))
		if method == "GET" {
			if code != 200 || report.Attempts != 1 || infos[1].Resent != 1 {
				t.Errorf("GET: %d after %d, %d hidden: %v", code, report.Attempts, infos[1].Resent, err)
			}
		} else {
			want := engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed}
			if report.Last != want || report.Reason != engine.ReasonNotIdempotent || posts.Load() != 1 || !infos[1].Reused {
				t.Errorf("POST: %+v, %d at the server", report, posts.Load())
			}
		}
		rt.CloseIdleConnections()
	}
}

// CL-16, CT-13: a stream that is refused did no work, so that a POST may be sent again; net/http does so by itself, and
// the policy's limit holds above that.
func TestRefusedStream(t *testing.T) {
	const headers, rst, settings = 1, 3, 4
	frame := func(kind, flags byte, stream uint32, payload ...byte) []byte {
		n := len(payload)
		head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags, byte(stream >> 24), byte(stream >> 16), byte(stream >> 8), byte(stream)}
		return append(head, payload...)
	}
	for _, c := range []struct {
		code     byte
		attempts int
		want     engine.Outcome
	}{
		{7, 2, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseHTTP2, NotSent: true}},
		{2, 1, engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseHTTP2}},
	} {
		synctest.Test(t, func(t *testing.T) {
			serveH2 := func(c net.Conn, code byte) {
				defer func() { _ = c.Close() }()
				r := bufio.NewReader(c)
				if _, err := io.CopyN(io.Discard, r, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
					return
				}
				write := make(chan []byte, 100)
				defer close(write)
				go func() { // a pipe has no buffer
					for b := range write {
						_, _ = c.Write(b)
					}
				}()
				write <- frame(settings, 0, 0)
				for {
					var head [9]byte
					if _, err := io.ReadFull(r, head[:]); err != nil {
						return
					}
					n := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
					_, _ = io.CopyN(io.Discard, r, n)
					if head[3] == headers {
						write <- frame(rst, 0, uint32(head[7])<<8|uint32(head[8]), 0, 0, 0, code)
					}
				}
			}
			base := &http.Transport{
				Protocols: new(http.Protocols),
				DialContext: func(context.Context, string, string) (net.Conn, error) {
					a, b := net.Pipe()
					go serveH2(b, c.code)
					return a, nil
				},
			}
			base.Protocols.SetUnencryptedHTTP2(true)
			var infos []httpretry.Info
			rt := transport(t, base, "attempts=2 attempt-timeout=none", httpretry.WithAttemptHook(func(i httpretry.Info) { infos = append(infos, i) }))
			_, report, err := roundTrip(t, rt, request(t, "POST", target, nil))
			if report.Last != c.want || report.Attempts != c.attempts {
				t.Errorf("code %d: %+v, %v", c.code, report, err)
			}
			if hidden := infos[0].Resent; (hidden > 0) != (c.code == 7) {
				t.Errorf("code %d: %d hidden re-sends", c.code, hidden)
			}
			base.CloseIdleConnections()
		})
	}
}

// The phases of an attempt, alone and with the caller's own hooks beside ours.
func TestInfo(t *testing.T) {
	t.Run("alone", func(t *testing.T) { testInfo(t, t.Context()) })
	got, connected := 0, 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn:     func(httptrace.GotConnInfo) { got++ },
		ConnectDone: func(string, string, error) { connected++ },
	})
	t.Run("beside others", func(t *testing.T) { testInfo(t, ctx) })
	if got != 2 || connected != 1 {
		t.Errorf("the caller's hooks were called %d and %d times", got, connected)
	}
}

func testInfo(t *testing.T, ctx context.Context) { //nolint:revive // the test comes first
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(503)
	}))
	defer s.Close()
	var infos []httpretry.Info
	var order []string
	base := s.Client().Transport
	rt := transport(t, base, "attempts=2",
		httpretry.WithAttemptHook(func(i httpretry.Info) {
			infos = append(infos, i)
			order = append(order, "hook")
		}),
		httpretry.WithEngine(engine.WithObserver(func(e *engine.Event) {
			if e.Kind == engine.EventOutcome {
				order = append(order, "outcome")
			}
		})))
	code, report, err := roundTrip(t, rt, request(t, "GET", s.URL, nil).WithContext(ctx))
	if code != 503 || report.Attempts != 2 {
		t.Fatalf("%d after %d: %v", code, report.Attempts, err)
	}
	if strings.Join(order, " ") != "hook outcome hook outcome" {
		t.Errorf("order: %v", order)
	}
	for n, i := range infos {
		if i.Attempt != n+1 || i.Status != 503 || i.Reason != "Service Unavailable" || i.Proto != "HTTP/1.1" || i.RetryAfter != "0" ||
			!i.HasRetryAfter || i.Header.Get("Date") == "" || i.Resent != 0 || i.Reused != (n > 0) || i.Wall.IsZero() || i.Wait <= 0 {
			t.Errorf("%+v", i)
		}
		var code *engine.StatusError
		if !errors.As(i.Err, &code) || code.Status != 503 {
			t.Errorf("error %v", i.Err)
		}
		if first := n == 0; (i.Connect > 0) != first || (i.TLS > 0) != first || i.DNS != 0 {
			t.Errorf("attempt %d: connect %v, TLS %v, DNS %v", n+1, i.Connect, i.TLS, i.DNS)
		}
	}
}

// Redirects followed by the transport below are no hidden re-sends, and a dial that fails behind one does not mean that
// nothing was sent.
func TestHopsBelow(t *testing.T) {
	dead := serve(t, nil)
	_ = dead.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a":
			http.Redirect(w, r, "/b", http.StatusTemporaryRedirect)
		case "/dead":
			http.Redirect(w, r, dead.url(), http.StatusTemporaryRedirect)
		}
	}))
	defer s.Close()
	client := &http.Client{Transport: plainBase(t)}
	follow := roundTripper(func(req *http.Request) (*http.Response, error) {
		req.RequestURI = ""
		return client.Do(req) //nolint:gosec // a server of this test
	})
	var info httpretry.Info
	rt := transport(t, follow, "attempts=1", httpretry.WithAttemptHook(func(i httpretry.Info) { info = i }))
	code, _, err := roundTrip(t, rt, request(t, "POST", s.URL+"/a", strings.NewReader("x")))
	if code != 200 || info.Resent != 0 {
		t.Errorf("%d, %d re-sends: %v", code, info.Resent, err)
	}
	_, report, _ := roundTrip(t, rt, request(t, "POST", s.URL+"/dead", strings.NewReader("x")))
	if report.Last.Cause != engine.CauseRefused || report.Last.NotSent {
		t.Errorf("%+v", report.Last)
	}
}

// Under an http.Client each hop is an operation of its own, and all of them share one allowance.
func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		policy string
		path   string
		sends  int
		status int
	}{
		{"attempts=3", "/hop/1", 3, 503}, // a hop, and two sends of what it leads to
		{"attempts=3", "/hop/5", 6, 503}, // each hop is sent once, whatever is left
		{"attempts=1", "/hop/1", 2, 503},
		{"attempts=4", "/flaky", 3, 200}, // 503, a hop, 200
	} {
		var sends, flaky int
		p := roundTripper(func(r *http.Request) (*http.Response, error) {
			sends++
			switch {
			case r.URL.Path == "/flaky" && flaky == 0:
				flaky++
				return response(503, strings.NewReader(""), 0), nil
			case r.URL.Path == "/flaky":
				return response(302, strings.NewReader(""), 0, "Location: /ok"), nil
			case r.URL.Path == "/ok":
				return response(200, strings.NewReader(""), 0), nil
			case r.URL.Path > "/hop/0":
				return response(302, strings.NewReader(""), 0, "Location: /hop/"+string(r.URL.Path[5]-1)), nil
			default:
				return response(503, strings.NewReader(""), 0), nil
			}
		})
		resp, err := (&http.Client{Transport: transport(t, p, c.policy)}).Do(request(t, "GET", "http://peer.test"+c.path, nil))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || sends != c.sends {
			t.Errorf("%s %s: %d after %d sends", c.policy, c.path, resp.StatusCode, sends)
		}
	}
}

// CL-25, HT-06, HT-08: redirects stay those of http.Client.
func TestRedirectsOfTheClient(t *testing.T) {
	var loops atomic.Int32
	var seen atomic.Pointer[http.Request]
	var body atomic.Pointer[string]
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got := string(text)
		body.Store(&got)
		seen.Store(r)
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			loops.Add(1)
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/keep":
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		}
	}))
	defer s.Close()
	client := &http.Client{Transport: transport(t, plainBase(t), "attempts=3", httpretry.WithGeneratedKey(nil))}
	resp, err := client.Do(request(t, "GET", s.URL+"/loop", nil))
	if err == nil || resp == nil || loops.Load() != 10 {
		t.Errorf("a loop: %d sends, %v", loops.Load(), err)
	}
	req := request(t, "POST", s.URL+"/keep", bytes.NewReader([]byte("hello")), "Authorization: Bearer s3cret")
	resp, err = client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	got := seen.Load()
	if got.Method != "POST" || *body.Load() != "hello" || got.Header.Get("Authorization") != "" || got.Header.Get("Idempotency-Key") == "" {
		t.Errorf("%s %q %v", got.Method, *body.Load(), got.Header)
	}
	// One key for the whole of it.
	prev := resp.Request.Response
	if prev == nil || prev.Request.Header.Get("Idempotency-Key") != got.Header.Get("Idempotency-Key") {
		t.Error("the hop has another key")
	}
}

// The transport that is made where none is given tells a proxy's refusal apart.
func TestDefaultBase(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	code, _, err := roundTrip(t, transport(t, nil, ""), request(t, "GET", s.URL, nil))
	if code != 200 {
		t.Errorf("%d %v", code, err)
	}
	old := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = old })
	p := newPeer(status(200, ""))
	http.DefaultTransport = p
	if code, _, _ := roundTrip(t, transport(t, nil, ""), request(t, "GET", target, nil)); code != 200 || p.count() != 1 {
		t.Errorf("another default: %d", code)
	}
}

// One Transport serves many goroutines.
func TestConcurrent(t *testing.T) {
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if n.Add(1)%3 == 0 {
			w.WriteHeader(503)
		}
		_, _ = w.Write(text)
	}))
	defer s.Close()
	rt := transport(t, plainBase(t), "attempts=unlimited", httpretry.WithRead(1<<10), httpretry.WithAttemptHook(func(httpretry.Info) {}))
	client := &http.Client{Transport: rt}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 10 {
				want := strings.Repeat("x", i*10+j)
				resp, err := client.Do(request(t, "PUT", s.URL, strings.NewReader(want)))
				if err != nil {
					t.Error(err)
					return
				}
				text, err := io.ReadAll(resp.Body)
				if err != nil || string(text) != want || resp.StatusCode != 200 {
					t.Errorf("%d %q %v", resp.StatusCode, text, err)
				}
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
}

// A discarded attempt's context has ended before the next attempt begins, and not at some time after.
func TestDiscardedAttemptIsOver(t *testing.T) {
	for name, answer := range map[string]step{"answer": status(503, "down"), "failure": fails(errReset)} {
		t.Run(name, func(t *testing.T) {
			var before context.Context
			n := 0
			base := roundTripper(func(req *http.Request) (*http.Response, error) {
				if before != nil {
					select {
					case <-before.Done():
					default:
						t.Errorf("attempt %d: the one before goes on", n)
					}
				}
				n++
				before = req.Context()
				return answer(req)
			})
			_, _, _ = roundTrip(t, transport(t, base, "attempts=50 attempt-timeout=1h jitter=none"), request(t, "GET", target, nil))
			if n != 50 || before.Err() == nil && name == "failure" {
				t.Errorf("%d attempts, the last %v", n, before.Err())
			}
		})
	}
}
