package httpretry_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

const target = "http://peer.test/v1"

var (
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	errReset   = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
)

// What is sent, how long it waits and what comes out, for answers in memory and in virtual time.
func TestTransport(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		id      string
		policy  string
		method  string
		header  string
		steps   []step
		sends   int
		elapsed time.Duration
		status  int // 0 where there is an error
		result  engine.Result
		reason  engine.Reason
	}{
		{id: "first try", steps: []step{status(200, "ok")}, sends: 1, status: 200},
		{id: "204", steps: []step{status(204, "")}, sends: 1, status: 204},
		{id: "CT-01 attempts=3", policy: "attempts=3 base=0", steps: []step{status(503, "")}, sends: 3, status: 503, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{id: "CT-01 retries=3", policy: "retries=3 base=0", steps: []step{status(503, "")}, sends: 4, status: 503, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{id: "CT-03 one", policy: "attempts=1", steps: []step{status(503, "")}, sends: 1, status: 503, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{id: "CT-06 no wait after the last", policy: "attempts=3 base=1s jitter=none", steps: []step{status(503, "")}, sends: 3, elapsed: 3 * second, status: 503, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{id: "RA-20 over the ceiling", policy: "ceiling=60s", steps: []step{status(429, "", "Retry-After: 3600")}, sends: 1, status: 429, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{id: "RA-08 ten digits", policy: "ceiling=none", steps: []step{status(503, "", "Retry-After: 9999999999")}, sends: 1, status: 503, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{id: "RA-10 twenty nines", steps: []step{status(503, "", "Retry-After: 99999999999999999999")}, sends: 1, status: 503, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{id: "RA-25 own wait is longer", policy: "base=32s cap=32s jitter=none", steps: []step{status(429, "", "Retry-After: 1"), status(200, "")}, sends: 2, elapsed: 32 * second, status: 200},
		{id: "LG-05 the server's is longer", policy: "base=1s jitter=none ceiling=60s", steps: []step{status(429, "", "Retry-After: 60"), status(200, "")}, sends: 2, elapsed: 60 * second, status: 200},
		{id: "RA-16 padded", policy: "base=1s jitter=none", steps: []step{status(429, "", "Retry-After:    7  "), status(200, "")}, sends: 2, elapsed: 7 * second, status: 200},
		{id: "RA-15 blank", policy: "base=1s jitter=none", steps: []step{status(429, "", "Retry-After:    "), status(200, "")}, sends: 2, elapsed: second, status: 200},
		{id: "RA-06 negative", policy: "base=1s jitter=none", steps: []step{status(429, "", "Retry-After: -1"), status(200, "")}, sends: 2, elapsed: second, status: 200},
		{id: "RA-26 the answer's own date", policy: "base=1s jitter=none", steps: []step{
			status(429, "", "Retry-After: Thu, 01 Jan 2026 00:00:30 GMT", "Date: Thu, 01 Jan 2026 00:00:00 GMT"), status(200, ""),
		}, sends: 2, elapsed: 30 * second, status: 200},
		{id: "RA-26 an unreadable date", policy: "base=1s jitter=none ceiling=60s", steps: []step{
			status(429, "", "Retry-After: Thu, 01 Jan 2026 12:00:30 GMT", "Date: yesterday"), status(200, ""),
		}, sends: 2, elapsed: 30 * second, status: 200},
		{id: "RA-28 a reset stamp is not read", policy: "base=1s jitter=none", steps: []step{status(429, "", "X-Ratelimit-Reset: 1700000000"), status(200, "")}, sends: 2, elapsed: second, status: 200},
		{id: "RA-30 vendors' headers are not read", policy: "base=1s jitter=none", steps: []step{
			status(429, "", "Retry-After-Ms: 500", "Retry-After: 5", "X-Should-Retry: false"), status(400, "", "X-Should-Retry: true"),
		}, sends: 2, elapsed: 5 * second, status: 400, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "RA-31 on a success", steps: []step{status(200, "", "Retry-After: 60")}, sends: 1, status: 200},
		{id: "RA-31 on a redirect", steps: []step{status(301, "", "Retry-After: 60")}, sends: 1, status: 301, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "RA-31 on a 404", steps: []step{status(404, "", "Retry-After: 60")}, sends: 1, status: 404, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "RA-33 ignored, all along", policy: "base=1s jitter=none curve=constant retry-after=ignore", steps: []step{status(503, "", "Retry-After: 5")}, sends: 4, elapsed: 3 * second, status: 503, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{id: "CL-06 501", steps: []step{status(501, "")}, sends: 1, status: 501, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "CL-06 505", steps: []step{status(505, "")}, sends: 1, status: 505, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "CL-06 511", steps: []step{status(511, "")}, sends: 1, status: 511, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "CL-08 408 by default", steps: []step{status(408, "")}, sends: 1, status: 408, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "CL-08 408 where asked for", policy: "base=0 retry-on=408", steps: []step{status(408, ""), status(200, "")}, sends: 2, status: 200},
		{id: "CL-08 408 for ever", policy: "base=0 attempts=2 retry-on=408", steps: []step{status(408, "")}, sends: 2, status: 408, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{id: "CL-08 408 with a wait", policy: "base=0 retry-on=408", steps: []step{status(408, "", "Retry-After: 30"), status(200, "")}, sends: 2, elapsed: 30 * second, status: 200},
		{id: "CL-11 524", policy: "base=0", steps: []step{status(524, ""), status(529, ""), status(520, ""), status(200, "")}, sends: 4, status: 200},
		{id: "ER-06 the last word", policy: "base=0", steps: []step{status(503, ""), status(401, "")}, sends: 2, status: 401, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "POST is not repeated", method: "POST", steps: []step{status(503, "")}, sends: 1, status: 503, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{id: "POST is not repeated after a reset", method: "POST", steps: []step{fails(errReset)}, sends: 1, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{id: "POST with a key", policy: "base=0", method: "POST", header: "Idempotency-Key: k1", steps: []step{status(503, ""), fails(errReset), status(200, "")}, sends: 3, status: 200},
		{id: "POST with an empty key", method: "POST", header: "Idempotency-Key: ", steps: []step{status(503, "")}, sends: 1, status: 503, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{id: "POST that was not sent", policy: "base=0", method: "POST", steps: []step{fails(errRefused), status(201, "")}, sends: 2, status: 201},
		{id: "an unknown method", method: "FROB", steps: []step{status(503, "")}, sends: 1, status: 503, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{id: "reset, then good", policy: "base=0", steps: []step{fails(errReset), status(200, "")}, sends: 2, status: 200},
		{id: "CL-25 redirect loop", steps: []step{fails(&httpretry.RedirectLoopError{Hops: 10, Status: 302})}, sends: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{id: "TO-01 the next try would be late", policy: "base=10s jitter=none timeout=5s", steps: []step{status(503, "")}, sends: 1, status: 503, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{id: "TO-06 it stops in time", policy: "base=1s curve=constant jitter=none timeout=2500ms attempts=9", steps: []step{status(503, "")}, sends: 3, elapsed: 2 * second, status: 503, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{id: "CT-10 a server's wait beyond the timeout", policy: "base=0 ceiling=none timeout=15m", steps: []step{status(503, "", "Retry-After: 1800")}, sends: 1, status: 503, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		{id: "ST-03 the budget", policy: "base=0 attempts=9 budget=tokens:28/14/1", steps: []step{status(503, "")}, sends: 3, status: 503, result: engine.ResultFailed, reason: engine.ReasonBudget},
	} {
		t.Run(c.id, func(t *testing.T) {
			clock, loop := virtual(t)
			p := newPeer(c.steps...)
			rt := transport(t, p, c.policy, loop)
			if c.method == "" {
				c.method = "GET"
			}
			var headers []string
			if c.header != "" {
				headers = append(headers, c.header)
			}
			status, report, _ := roundTrip(t, rt, request(t, c.method, target, nil, headers...))
			if status != c.status || p.count() != c.sends || report.Attempts != c.sends || at(clock) != c.elapsed {
				t.Errorf("status %d, %d sends, %d attempts, %v; want %d, %d, %v", status, p.count(), report.Attempts, at(clock), c.status, c.sends, c.elapsed)
			}
			if report.Result != c.result || report.Reason != c.reason {
				t.Errorf("%v %v, want %v %v", report.Result, report.Reason, c.result, c.reason)
			}
		})
	}
}

// RA-21: jitter may only lengthen a server's wait.
func TestTransportNeverEarly(t *testing.T) {
	for seed := range uint64(200) {
		clock := engine.NewVirtual(utc(t, noon))
		rt := transport(t, newPeer(status(429, "", "Retry-After: 3"), status(200, "")), "base=2s spread=1s",
			httpretry.WithEngine(engine.WithClock(clock), engine.WithSeed(seed)))
		_, _, _ = roundTrip(t, rt, request(t, "GET", target, nil))
		if at(clock) < 3*time.Second || at(clock) > 4*time.Second {
			t.Fatalf("seed %d: waited %v", seed, at(clock))
		}
	}
}

// Malformed requests end before anything is sent.
func TestMalformedRequest(t *testing.T) {
	for _, c := range []struct {
		part   string
		change func(*http.Request)
	}{
		{"URL", func(r *http.Request) { r.URL = nil }},
		{"header", func(r *http.Request) { r.Header = nil }},
		{"scheme", func(r *http.Request) { r.URL.Scheme = "ftp" }},
		{"scheme", func(r *http.Request) { r.URL.Scheme = "" }},
		{"host", func(r *http.Request) { r.URL.Host = "" }},
		{"method", func(r *http.Request) { r.Method = "GET /" }},
		{"method", func(r *http.Request) { r.Method = "G\u00c4T" }},
		{"header", func(r *http.Request) { r.Header["X Y"] = []string{"1"} }},
		{"header", func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer s3cret\r\nX: y"} }},
		{"header", func(r *http.Request) { r.Header[""] = []string{"1"} }},
		{"trailer", func(r *http.Request) { r.Trailer = http.Header{"X:Y": {"1"}} }},
	} {
		t.Run(c.part, func(t *testing.T) {
			p := newPeer(status(200, ""))
			var hooked []httpretry.Info
			_, loop := virtual(t)
			rt := transport(t, p, "", loop, httpretry.WithAttemptHook(func(i httpretry.Info) { hooked = append(hooked, i) }))
			body := &watched{Reader: strings.NewReader("x")}
			req := request(t, "POST", "http://user:s3cret@peer.test/?token=s3cret", body)
			c.change(req)
			_, report, err := roundTrip(t, rt, req)
			var bad *httpretry.RequestError
			if !errors.As(err, &bad) || bad.Part != c.part || !errors.Is(err, httpretry.ErrRequest) {
				t.Errorf("%v, want one about the %s", err, c.part)
			}
			want := engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseRequest, NotSent: true, Permanent: true}
			if report.Last != want || report.Reason != engine.ReasonNotRetryable || p.count() != 0 || body.closed.Load() != 1 {
				t.Errorf("%+v, %d sends, closed %d times", report, p.count(), body.closed.Load())
			}
			if strings.Contains(err.Error(), "s3cret") || strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q says too much", err)
			}
			if len(hooked) != 1 || !errors.Is(hooked[0].Err, httpretry.ErrRequest) {
				t.Errorf("the hook heard %+v", hooked)
			}
		})
	}
}

// HT-11: what is checked, shown and dialed is what net/url says.
func TestOneURL(t *testing.T) {
	for raw, host := range map[string]string{
		"http://[::1]:8080/": "[::1]:8080", "HTTP://x/": "x", "http://a:b%40evil@127.0.0.1/": "127.0.0.1",
	} {
		p := newPeer(status(200, ""))
		rt := transport(t, p, "")
		if _, _, err := roundTrip(t, rt, request(t, "GET", raw, nil)); err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got := p.sent[0].req.URL.Host; got != host {
			t.Errorf("%s went to %q", raw, got)
		}
	}
}

// The caller's request is never written to, whatever a layer below does with its own.
func TestRequestIsTheCallers(t *testing.T) {
	spoil := func(next step) step {
		return func(r *http.Request) (*http.Response, error) {
			r.Header.Add("X-Signed", "yes")
			r.Header["Accept"][0] = "spoiled"
			r.URL.Path = "/spoiled"
			r.Method = "SPOILED"
			return next(r)
		}
	}
	p := newPeer(spoil(status(503, "")), spoil(status(503, "")), spoil(status(200, "")))
	rt := transport(t, p, "", httpretry.WithGeneratedKey(func() string { return "k" }))
	req := request(t, "POST", target, strings.NewReader("hello"), "Accept: all")
	if code, _, _ := roundTrip(t, rt, req); code != 200 {
		t.Fatal(code)
	}
	if req.Method != "POST" || req.URL.Path != "/v1" || len(req.Header) != 1 || req.Header.Get("Accept") != "all" {
		t.Errorf("the caller's request became %s %s %v", req.Method, req.URL, req.Header)
	}
	for i, s := range p.sent {
		if s.header.Get("Accept") != "all" || s.header.Values("X-Signed") != nil || s.header.Get("Idempotency-Key") != "k" || s.body != "hello" {
			t.Errorf("attempt %d arrived as %v %q", i+1, s.header, s.body)
		}
	}
}

// CL-23: one key an operation; the caller's own is kept.
func TestIdempotencyKey(t *testing.T) {
	made := 0
	newKey := func() string {
		made++
		return fmt.Sprintf("made-%d", made)
	}
	for _, c := range []struct {
		method, own string
		want        string
		sends       int
	}{
		{"POST", "k1", "k1", 3},
		{"POST", "", "made-1", 3},
		{"PATCH", "", "made-2", 3},
		{"GET", "", "", 3},
		{"GET", "mine", "mine", 3},
	} {
		p := newPeer(status(503, ""), status(503, ""), status(200, ""))
		rt := transport(t, p, "", httpretry.WithGeneratedKey(newKey))
		req := request(t, c.method, target, nil)
		if c.own != "" {
			req.Header.Set("Idempotency-Key", c.own)
		}
		_, _, _ = roundTrip(t, rt, req)
		if p.count() != c.sends {
			t.Errorf("%s %q: %d sends", c.method, c.own, p.count())
		}
		for _, s := range p.sent {
			if got := s.header.Get("Idempotency-Key"); got != c.want {
				t.Errorf("%s %q: sent %q, want %q", c.method, c.own, got, c.want)
			}
		}
	}
	p := newPeer(status(200, ""))
	rt := transport(t, p, "", httpretry.WithGeneratedKey(nil))
	_, _, _ = roundTrip(t, rt, request(t, "POST", target, nil))
	_, _, _ = roundTrip(t, rt, request(t, "POST", target, nil))
	a, b := p.sent[0].header.Get("Idempotency-Key"), p.sent[1].header.Get("Idempotency-Key")
	if len(a) != 36 || a[14] != '4' || strings.IndexByte("89ab", a[19]) < 0 || a == b {
		t.Errorf("random keys %q and %q", a, b)
	}
}

// Another policy for one request, and another one from now on.
func TestPolicies(t *testing.T) {
	p := newPeer(status(503, ""))
	rt := transport(t, p, "attempts=2")
	sends := func(ctx context.Context) int {
		before := p.count()
		_, _, _ = roundTrip(t, rt, request(t, "GET", target, nil).WithContext(ctx))
		return p.count() - before
	}
	ctx := t.Context()
	if n := sends(ctx); n != 2 {
		t.Errorf("its own policy: %d sends", n)
	}
	for range 2 {
		if n := sends(httpretry.WithPolicy(ctx, policy(t, "attempts=5"))); n != 5 {
			t.Errorf("another policy: %d sends", n)
		}
	}
	for attempts := range 80 { // more than are kept
		if n := sends(httpretry.WithPolicy(ctx, policy(t, fmt.Sprintf("attempts=%d", attempts+1)))); n != attempts+1 {
			t.Errorf("attempts=%d: %d sends", attempts+1, n)
		}
	}
	if err := rt.SetPolicy(policy(t, "attempts=3")); err != nil {
		t.Fatal(err)
	}
	if n := sends(ctx); n != 3 || rt.Policy().Attempts != 3 {
		t.Errorf("set: %d sends, %v", n, rt.Policy())
	}
	if err := rt.SetPolicy(engine.Policy{}); err == nil {
		t.Error("an empty policy was taken")
	}
	body := &watched{Reader: strings.NewReader("x")}
	resp, err := rt.RoundTrip(request(t, "PUT", target, body).WithContext(httpretry.WithPolicy(ctx, engine.Policy{})))
	var field *engine.FieldError
	if resp != nil || !errors.As(err, &field) || body.closed.Load() != 1 {
		t.Errorf("an empty policy: %v, closed %d times", err, body.closed.Load())
	}
	if _, err := httpretry.New(nil, engine.Policy{}); !errors.As(err, &field) {
		t.Errorf("New with an empty policy: %v", err)
	}
}

// A policy for one request draws on the budget of all, where the rule is the same.
func TestPoliciesShareTheBudget(t *testing.T) {
	p := newPeer(status(503, ""))
	rt := transport(t, p, "attempts=2 budget=tokens:28/14/1")
	_, _, _ = roundTrip(t, rt, request(t, "GET", target, nil))
	before := p.count()
	ctx := httpretry.WithPolicy(t.Context(), policy(t, "attempts=9 budget=tokens:28/14/1"))
	_, report, _ := roundTrip(t, rt, request(t, "GET", target, nil).WithContext(ctx))
	if p.count()-before != 2 || report.Reason != engine.ReasonBudget {
		t.Errorf("%d sends, %v", p.count()-before, report.Reason)
	}
}

// NE-01: layers inside each other share one allowance, and both counts are there to see.
func TestNested(t *testing.T) {
	p := newPeer(status(429, ""))
	inner := transport(t, p, "attempts=3")
	var reports []engine.Report
	watch := roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := inner.RoundTrip(r)
		if report, ok := httpretry.ReportOf(resp); ok {
			reports = append(reports, report)
		}
		return resp, err
	})
	outer := transport(t, watch, "attempts=4")
	code, report, err := roundTrip(t, outer, request(t, "GET", target, nil))
	if p.count() != 4 || code != 429 {
		t.Errorf("%d sends, %d %v", p.count(), code, err)
	}
	total := 0
	for _, r := range reports {
		total += r.Attempts
	}
	if total != 4 || report.Attempts != len(reports) {
		t.Errorf("inner %+v, outer %+v", reports, report)
	}
	retrier, err := engine.New(policy(t, "attempts=3 retry-on=unknown"), engine.Share())
	if err != nil {
		t.Fatal(err)
	}
	before := p.count()
	_, err = engine.Do(t.Context(), retrier, func(ctx context.Context) (int, error) {
		code, _, _ := roundTrip(t, inner, request(t, "GET", target, nil).WithContext(ctx))
		return code, errors.New("not 200")
	})
	if err == nil || p.count()-before != 3 {
		t.Errorf("under engine.Do: %d sends, %v", p.count()-before, err)
	}
}

// The limit on the sends of a session and its sign-out go through the engine.
func TestEngineOptions(t *testing.T) {
	sends, session := engine.NewSends(3), engine.NewSession()
	p := newPeer(status(503, ""))
	var events []engine.EventKind
	rt := transport(t, p, "attempts=9", httpretry.WithEngine(engine.WithSends(sends), engine.WithSession(session)),
		httpretry.WithEngine(engine.WithObserver(func(e *engine.Event) { events = append(events, e.Kind) })))
	_, report, _ := roundTrip(t, rt, request(t, "GET", target, nil))
	if p.count() != 3 || report.Reason != engine.ReasonMaxSends || events[len(events)-1] != engine.EventDone {
		t.Errorf("%d sends, %v, %v", p.count(), report.Reason, events)
	}
	if _, _, err := roundTrip(t, rt, request(t, "GET", target, nil)); !errors.Is(err, engine.ErrNoAttempt) {
		t.Errorf("no send left: %v", err)
	}

	body := &watched{Reader: strings.NewReader("late")}
	late := newPeer(func(*http.Request) (*http.Response, error) {
		session.SignOut()
		return response(200, body, 4), nil
	})
	rt = transport(t, late, "", httpretry.WithEngine(engine.WithSession(session)))
	if _, _, err := roundTrip(t, rt, request(t, "GET", target, nil)); !errors.Is(err, engine.ErrStaleGeneration) || body.closed.Load() != 1 {
		t.Errorf("a late success: %v, closed %d times", err, body.closed.Load())
	}
}

// ER-01, ER-05, ER-06: the answer comes out with its body, and the reason with its cause.
func TestFinalAnswer(t *testing.T) {
	rt := transport(t, newPeer(status(503, "first"), status(503, "db down")), "attempts=2")
	resp, err := (&http.Client{Transport: rt}).Do(request(t, "GET", target, nil))
	if err != nil {
		t.Fatal(err)
	}
	var failed *engine.FailedError
	var code *engine.StatusError
	why := httpretry.ErrorOf(resp)
	if !errors.As(why, &failed) || failed.Attempts != 2 || len(failed.History) != 1 || !errors.As(why, &code) || code.Status != 503 {
		t.Errorf("why: %v", why)
	}
	if report, ok := httpretry.ReportOf(resp); !ok || report.Result != engine.ResultFailed || report.Last.Status != 503 {
		t.Errorf("report: %+v", report)
	}
	if text := readAll(t, resp); text != "db down" {
		t.Errorf("body %q", text)
	}

	resp, err = rt.RoundTrip(request(t, "GET", target, nil))
	if err != nil {
		t.Fatal(err)
	}
	_ = readAll(t, resp)

	rt = transport(t, newPeer(status(200, "ok")), "")
	resp, err = rt.RoundTrip(request(t, "GET", target, nil))
	if err != nil || httpretry.ErrorOf(resp) != nil || readAll(t, resp) != "ok" {
		t.Errorf("a success: %v", err)
	}
	if _, ok := httpretry.ReportOf(&http.Response{}); ok {
		t.Error("a report on nothing")
	}
	if _, ok := httpretry.ReportOf(nil); ok || httpretry.ErrorOf(nil) != nil {
		t.Error("a report on nil")
	}

	_, _, err = roundTrip(t, transport(t, newPeer(fails(errReset)), "attempts=2"), request(t, "GET", target, nil))
	if !errors.Is(err, syscall.ECONNRESET) || !errors.As(err, &failed) || len(failed.History) != 1 {
		t.Errorf("a reset: %v", err)
	}
}

// A broken transport below must not break us.
func TestBrokenBase(t *testing.T) {
	both := &watched{Reader: strings.NewReader("x")}
	for name, base := range map[string]roundTripper{
		"neither": func(*http.Request) (*http.Response, error) { return nil, nil },
		"both":    func(*http.Request) (*http.Response, error) { return response(200, both, 1), httpretry.ErrNoAnswer },
	} {
		if _, _, err := roundTrip(t, transport(t, base, ""), request(t, "GET", target, nil)); !errors.Is(err, httpretry.ErrNoAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if both.closed.Load() != 1 {
		t.Errorf("an answer beside an error was closed %d times", both.closed.Load())
	}
	rt := transport(t, roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}}, nil
	}), "")
	resp, err := rt.RoundTrip(request(t, "GET", target, nil))
	if err != nil || resp.Body == nil || readAll(t, resp) != "" {
		t.Errorf("no body: %v", err)
	}
	if _, ok := httpretry.ReportOf(resp); !ok {
		t.Error("no request: no report")
	}
}

// LG-01: no error of ours holds a password.
func TestErrorsKeepSecrets(t *testing.T) {
	s := serve(t, nil)
	_ = s.Close()
	rt := transport(t, plainBase(t), "attempts=2")
	_, err := (&http.Client{Transport: rt}).Do(request(t, "GET", "http://user:s3cret@"+s.Addr().String()+"/", nil))
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
	var ours *httpretry.Error
	if !errors.As(err, &ours) || ours.Report.Attempts != 2 || ours.Timeout() {
		t.Errorf("%v", err)
	}
}

type closer struct {
	http.RoundTripper
	closed int
}

func (c *closer) CloseIdleConnections() { c.closed++ }

func TestCloseIdleConnections(t *testing.T) {
	c := &closer{RoundTripper: newPeer(status(200, ""))}
	rt := transport(t, c, "")
	(&http.Client{Transport: rt}).CloseIdleConnections()
	if c.closed != 1 {
		t.Errorf("closed %d times", c.closed)
	}
}
