package main_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// The same rules where most will meet them: under an http.Client, on the virtual clock, against answers made up here.

// wire is a server in memory: what it answers to the n-th request, and what it saw of them.
type wire struct {
	clock  *engine.Virtual
	answer func(n int) (*http.Response, error)
	at     []time.Duration
	keys   []string
	bodies []string
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.at = append(w.at, w.clock.Now())
	w.keys = append(w.keys, req.Header.Get("Idempotency-Key"))
	resp, err := w.answer(len(w.at))
	body := ""
	if req.Body != nil {
		if !errors.Is(err, errRefused) { // nobody there to read it
			b, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			body = string(b)
		}
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	w.bodies = append(w.bodies, body)
	if resp != nil {
		resp.Request = req
	}
	if errors.Is(err, errHang) {
		err = w.clock.Wait(req.Context(), engine.Forever)
	}
	return resp, err
}

var (
	errHang    = errors.New("hangs")
	errReset   = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
)

func answered(code int, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h[header[i]] = []string{header[i+1]}
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(strings.NewReader("")), ContentLength: 0,
	}
}

// client is an http.Client whose transport keeps the policy on a virtual clock that shows now.
func client(t *testing.T, policy string, now time.Time, answer func(n int) (*http.Response, error), opts ...httpretry.Option) (*http.Client, *wire) {
	t.Helper()
	w := &wire{clock: engine.NewVirtual(now), answer: answer}
	tr, err := httpretry.New(w, mustParse(t, policy), append([]httpretry.Option{httpretry.WithEngine(engine.WithClock(w.clock), engine.WithDraw(1))}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: tr}, w
}

// send sends one request and gives the final status, 0 where there is no answer.
func send(t *testing.T, c *http.Client, method, key string, body io.Reader) (int, engine.Report, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://origin.test/", body)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, engine.Report{}, err
	}
	rep, ok := httpretry.ReportOf(resp)
	if !ok {
		t.Error("an answer without a report")
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode, rep, nil
}

// TestEngineHTTPRequests: which requests are sent again, and which are not.
func TestEngineHTTPRequests(t *testing.T) {
	always := func(code int, err error) func(int) (*http.Response, error) {
		return func(int) (*http.Response, error) {
			if err != nil {
				return nil, err
			}
			return answered(code), nil
		}
	}
	// once is a body that nobody can make again.
	once := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }
	for _, c := range []struct {
		name, policy, method, key string
		body                      func() io.Reader
		answer                    func(int) (*http.Response, error)
		calls                     int
		status                    int
		reason                    engine.Reason
	}{
		{name: "GET 503", method: "GET", answer: always(503, nil), calls: 4, status: 503, reason: engine.ReasonAttempts},
		{name: "GET 401", method: "GET", answer: always(401, nil), calls: 1, status: 401, reason: engine.ReasonNotRetryable},
		{name: "GET 501", method: "GET", answer: always(501, nil), calls: 1, status: 501, reason: engine.ReasonNotRetryable},
		{name: "GET, an error nobody knows", method: "GET", answer: always(0, errFlaky), calls: 1},
		{name: "GET reset", method: "GET", answer: always(0, errReset), calls: 4},
		{name: "POST 503", method: "POST", answer: always(503, nil), calls: 1, status: 503, reason: engine.ReasonNotIdempotent},
		{name: "POST that hangs", method: "POST", answer: always(0, errHang), calls: 1},
		{name: "GET that hangs", method: "GET", answer: always(0, errHang), calls: 4},
		{name: "POST reset", method: "POST", answer: always(0, errReset), calls: 1},
		{name: "POST refused sent nothing", method: "POST", answer: always(0, errRefused), calls: 4},
		{name: "POST refused, with a body to read once", method: "POST", body: func() io.Reader { return once("x") }, answer: func(n int) (*http.Response, error) {
			if n == 1 {
				return nil, errRefused
			}
			return answered(200), nil
		}, calls: 2, status: 200},
		{name: "POST 503 with a key", method: "POST", key: "k", answer: always(503, nil), calls: 4, status: 503, reason: engine.ReasonAttempts},
		{name: "POST 503 with a key and a body", method: "POST", key: "k", body: func() io.Reader { return strings.NewReader("x") }, answer: always(503, nil), calls: 4, status: 503, reason: engine.ReasonAttempts},
		{name: "POST 503 with a key and a body to read once", method: "POST", key: "k", body: func() io.Reader { return once("x") }, answer: always(503, nil), calls: 1, status: 503, reason: engine.ReasonNotReplayable},
		{name: "PUT with a body to read once", method: "PUT", body: func() io.Reader { return once("x") }, answer: always(503, nil), calls: 1, status: 503, reason: engine.ReasonNotReplayable},
		{name: "DELETE without a body", method: "DELETE", answer: always(503, nil), calls: 4, status: 503, reason: engine.ReasonAttempts},
		{name: "POST under methods=any", policy: "methods=any", method: "POST", answer: always(503, nil), calls: 4, status: 503, reason: engine.ReasonAttempts},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl, w := client(t, c.policy, wall, c.answer)
			var body io.Reader
			if c.body != nil {
				body = c.body()
			}
			status, rep, err := send(t, cl, c.method, c.key, body)
			if len(w.at) != c.calls || status != c.status || rep.Reason != c.reason {
				t.Errorf("%d calls, status %d (%v), want %d, %d (%v): %v", len(w.at), status, rep.Reason, c.calls, c.status, c.reason, err)
			}
			for i, b := range w.bodies {
				if w.keys[i] != c.key || b != w.bodies[0] && w.bodies[0] != "" {
					t.Errorf("attempt %d carried the key %q and the body %q", i+1, w.keys[i], b)
				}
			}
		})
	}
}

// TestEngineHTTPGeneratedKey: made once an operation, the same on each attempt, another one the next time.
func TestEngineHTTPGeneratedKey(t *testing.T) {
	cl, w := client(t, "attempts=3", wall, func(int) (*http.Response, error) { return answered(503), nil }, httpretry.WithGeneratedKey(nil))
	for range 2 {
		if status, _, err := send(t, cl, "POST", "", nil); status != 503 || err != nil {
			t.Fatal(status, err)
		}
	}
	if len(w.keys) != 6 || w.keys[0] == "" || w.keys[0] != w.keys[1] || w.keys[1] != w.keys[2] || w.keys[2] == w.keys[3] || w.keys[3] != w.keys[5] {
		t.Errorf("keys %q", w.keys)
	}
}

// TestEngineHTTPRetryAfter: what a server writes, and how long is waited then. The own wait is 1 s. It holds whatever
// time zone the machine is in.
func TestEngineHTTPRetryAfter(t *testing.T) {
	const (
		own      = sec
		deferred = -1
	)
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	zones := []*time.Location{time.UTC, time.FixedZone("east", 5*3600+1800), time.FixedZone("west", -8*3600)}
	for _, c := range []struct {
		value  string // "" is one that is there and empty
		absent bool
		date   string // the answer's own Date
		wait   time.Duration
	}{
		{absent: true, wait: own},
		{value: "", wait: own},
		{value: "   ", wait: own},
		{value: "7", wait: 7 * sec},
		{value: "   7  ", wait: 7 * sec},
		{value: "\t7\t", wait: 7 * sec},
		{value: "007", wait: 7 * sec},
		{value: "0", wait: own},
		{value: "1", wait: own},
		{value: "29", wait: 29 * sec},
		{value: "30", wait: 30 * sec},
		{value: "31", wait: deferred},
		{value: "-5", wait: own},
		{value: "+5", wait: own},
		{value: "1.5", wait: own},
		{value: "0x10", wait: own},
		{value: "1e1", wait: own},
		{value: "10, 20", wait: own},
		{value: "10s", wait: own},
		{value: "nan", wait: own},
		{value: "inf", wait: own},
		{value: "٧", wait: own},
		{value: "9999999999", wait: deferred},
		{value: "99999999999999999999", wait: deferred},
		{value: strings.Repeat("9", 400), wait: deferred},
		{value: "Sun, 01 Mar 2026 12:00:20 GMT", wait: 20 * sec},
		{value: "Sunday, 01-Mar-26 12:00:20 GMT", wait: 20 * sec},
		{value: "Sun Mar  1 12:00:20 2026", wait: 20 * sec},
		{value: "Sun, 01 Mar 2026 12:00:00 GMT", wait: own},
		{value: "Sun, 01 Mar 2026 11:00:00 GMT", wait: own},
		{value: "Sun, 01 Mar 2026 13:00:00 GMT", wait: deferred},
		{value: "Fri, 31 Dec 9999 23:59:59 GMT", wait: deferred},
		{value: "Mon, 01 Mar 2026 12:00:20 GMT", wait: own}, // no Monday
		{value: "Sun, 01 Mar 2026 12:00:20 PST", wait: own},
		{value: "1 Jan 2099 00:00:00", wait: own},
		{value: "2026-03-01T12:00:20Z", wait: own},
		// From the answer's own Date, where it has one that can be read: the clocks of two machines differ.
		{value: "Sun, 01 Mar 2026 12:10:20 GMT", date: "Sun, 01 Mar 2026 12:10:00 GMT", wait: 20 * sec},
		{value: "Sun, 01 Mar 2026 11:50:20 GMT", date: "Sun, 01 Mar 2026 11:50:00 GMT", wait: 20 * sec},
		{value: "Sun, 01 Mar 2026 12:00:20 GMT", date: "yesterday", wait: 20 * sec},
	} {
		for _, zone := range zones {
			time.Local = zone
			cl, w := client(t, "attempts=2 base=1s jitter=none", now.In(zone), func(n int) (*http.Response, error) {
				if n > 1 {
					return answered(200), nil
				}
				var h []string
				if !c.absent {
					h = append(h, "Retry-After", c.value)
				}
				if c.date != "" {
					h = append(h, "Date", c.date)
				}
				return answered(429, h...), nil
			})
			status, _, err := send(t, cl, "GET", "", nil)
			switch {
			case c.wait == deferred:
				if len(w.at) != 1 || w.clock.Now() != 0 {
					t.Errorf("%q in %v: %d calls, status %d, %v at %v, want it deferred", c.value, zone, len(w.at), status, err, w.clock.Now())
				}
			case len(w.at) != 2 || w.at[1] != c.wait || status != 200:
				t.Errorf("%q in %v: sent at %v, status %d, %v, want a wait of %v", c.value, zone, w.at, status, err, c.wait)
			}
		}
	}
}

// TestEngineHTTPRetryAfterDateAndSteps: a date is turned into a wait once; then only the monotonic clock counts.
func TestEngineHTTPRetryAfterDateAndSteps(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		cl, w := client(t, "attempts=2 base=1s jitter=none", wall, func(n int) (*http.Response, error) {
			if n > 1 {
				return answered(200), nil
			}
			return answered(503, "Retry-After", "Sun, 01 Mar 2026 12:00:20 GMT"), nil
		})
		w.clock.At(5*sec, engine.RankDeadline, func() { w.clock.StepWall(step) })
		if status, _, err := send(t, cl, "GET", "", nil); status != 200 || err != nil || !slices.Equal(w.at, []time.Duration{0, 20 * sec}) {
			t.Errorf("a step of %v: sent at %v, status %d, %v", step, w.at, status, err)
		}
	}
}

// TestEngineHTTPNested: a transport counts against the operation around it.
func TestEngineHTTPNested(t *testing.T) {
	cl, w := client(t, "attempts=3 base=0", wall, func(int) (*http.Response, error) { return answered(503), nil })
	for _, c := range []struct {
		opts  []engine.Option
		calls int
	}{{nil, 9}, {[]engine.Option{engine.Share()}, 3}} {
		w.at = nil
		r := mustNew(t, "attempts=3 base=0", append(c.opts, engine.WithClock(w.clock))...)
		_, err := engine.Do(t.Context(), r, func(ctx context.Context) (int, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://origin.test/", http.NoBody)
			if err != nil {
				return 0, err
			}
			resp, err := cl.Do(req)
			if err != nil {
				return 0, err
			}
			return resp.StatusCode, errors.Join(resp.Body.Close(), &engine.StatusError{Status: resp.StatusCode})
		})
		if len(w.at) != c.calls || err == nil {
			t.Errorf("%d calls, want %d: %v", len(w.at), c.calls, err)
		}
	}
}
