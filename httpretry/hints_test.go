package httpretry_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// by is a hint read from another header than Retry-After.
func by(from engine.HintHeader, hint engine.Hint) engine.Hint {
	hint.From = from
	return hint
}

// differ is a hint that cannot be read because its lines do not say the same.
func differ(from engine.HintHeader, lines uint8) engine.Hint {
	return engine.Hint{State: engine.HintUnreadable, From: from, Lines: lines}
}

const allHints = "retry-after-ms,x-ms-retry-after-ms,x-amz-retry-after,ratelimit-reset,x-ratelimit-reset"

// TestHints: what each header of the policy's is read as, in the policy's order, before Retry-After. Noon of 2026-01-01 is
// 1767268800 in Unix seconds.
func TestHints(t *testing.T) {
	t.Parallel()
	const (
		ms, xms, amz = engine.HeaderRetryAfterMS, engine.HeaderXMSRetryAfterMS, engine.HeaderXAmzRetryAfter
		reset, unix  = engine.HeaderRateLimitReset, engine.HeaderXRateLimitReset
		date         = "Thu, 01 Jan 2026 12:00:00 GMT"
	)
	for _, c := range []struct {
		name, hints string
		headers     []string
		want        engine.Hint
	}{
		{"nothing asked, nothing read", "none", []string{"Retry-After-Ms: 1500"}, none},
		{"not asked for", "ratelimit-reset", []string{"Retry-After-Ms: 1500", "Retry-After: 7"}, waits(7 * time.Second)},
		{"nothing there", allHints, nil, none},
		{"milliseconds", "retry-after-ms", []string{"Retry-After-Ms: 1500"}, by(ms, waits(1500*time.Millisecond))},
		{"Azure's", "x-ms-retry-after-ms", []string{"X-Ms-Retry-After-Ms:  20 "}, by(xms, waits(20*time.Millisecond))},
		{"AWS's", "x-amz-retry-after", []string{"X-Amz-Retry-After: 0"}, by(amz, waits(0))},
		{"before Retry-After", "x-amz-retry-after", []string{"Retry-After: 7", "X-Amz-Retry-After: 250"}, by(amz, waits(250*time.Millisecond))},
		{"in the policy's order", "x-ms-retry-after-ms,retry-after-ms", []string{"Retry-After-Ms: 1", "X-Ms-Retry-After-Ms: 2"}, by(xms, waits(2*time.Millisecond))},
		{"in the other order", "retry-after-ms,x-ms-retry-after-ms", []string{"Retry-After-Ms: 1", "X-Ms-Retry-After-Ms: 2"}, by(ms, waits(time.Millisecond))},
		{"the largest", "retry-after-ms", []string{"Retry-After-Ms: 9223372036854"}, by(ms, waits(9223372036854*time.Millisecond))},
		{"beyond it", "retry-after-ms", []string{"Retry-After-Ms: 9223372036855"}, by(ms, tooLong)},
		{"beyond all", "retry-after-ms", []string{"Retry-After-Ms: 18446744073709551617000"}, by(ms, tooLong)},
		{"seconds from now", "ratelimit-reset", []string{"Ratelimit-Reset: 30"}, by(reset, waits(30*time.Second))},
		{"no date there", "ratelimit-reset", []string{"Ratelimit-Reset: " + date}, by(reset, unreadable)},
		{"Unix time, by the wall clock", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1767268845"}, by(unix, waits(45*time.Second))},
		{"Unix time, by the answer's Date", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1767268845", "Date: Thu, 01 Jan 2026 12:00:40 GMT"}, by(unix, waits(5*time.Second))},
		{"Unix time, an unreadable Date", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1767268845", "Date: now"}, by(unix, waits(45*time.Second))},
		{"Unix time that is now", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1767268800"}, none},
		{"Unix time that has passed", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1"}, none},
		{"passed, and then Retry-After", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1", "Retry-After: 7"}, waits(7 * time.Second)},
		{"Unix time beyond all", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 99999999999"}, by(unix, tooLong)},
		{"unreadable, and nothing else", "retry-after-ms", []string{"Retry-After-Ms: 1.5"}, by(ms, unreadable)},
		{"blank", "retry-after-ms", []string{"Retry-After-Ms:  "}, by(ms, unreadable)},
		{"negative", "x-amz-retry-after", []string{"X-Amz-Retry-After: -5"}, by(amz, unreadable)},
		{"unreadable, and then another", "retry-after-ms,ratelimit-reset", []string{"Retry-After-Ms: soon", "Ratelimit-Reset: 3"}, by(reset, waits(3*time.Second))},
		{"unreadable, and then Retry-After", "retry-after-ms", []string{"Retry-After-Ms: soon", "Retry-After: 7"}, waits(7 * time.Second)},
		{"a line that says the same again", "none", []string{"Retry-After: 7", "Retry-After:  7 ", "Retry-After: 7"}, waits(7 * time.Second)},
		{"a date again", "none", []string{"Retry-After: Thu, 01 Jan 2026 12:00:30 GMT", "Retry-After: Thu, 01 Jan 2026 12:00:30 GMT"}, waits(30 * time.Second)},
		{"lines that differ", "none", []string{"Retry-After: 1", "Retry-After: 20"}, differ(engine.HeaderRetryAfter, 2)},
		{"the longer one first", "none", []string{"Retry-After: 20", "Retry-After: 1"}, differ(engine.HeaderRetryAfter, 2)},
		{"the same in other words", "none", []string{"Retry-After: 20", "Retry-After: 020"}, differ(engine.HeaderRetryAfter, 2)},
		{"three, and two are the same", "none", []string{"Retry-After: 1", "Retry-After: 1", "Retry-After: 2"}, differ(engine.HeaderRetryAfter, 3)},
		{"seconds and a date", "none", []string{"Retry-After: 30", "Retry-After: Thu, 01 Jan 2026 12:00:30 GMT"}, differ(engine.HeaderRetryAfter, 2)},
		{"two dates", "none", []string{"Retry-After: Thu, 01 Jan 2026 12:00:30 GMT", "Retry-After: Thu, 01 Jan 2026 12:00:31 GMT"}, differ(engine.HeaderRetryAfter, 2)},
		{"a blank one", "none", []string{"Retry-After: ", "Retry-After: 5"}, differ(engine.HeaderRetryAfter, 2)},
		{"unreadable twice over", "none", []string{"Retry-After: soon", "Retry-After: soon"}, unreadable},
		{"a Date again", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1767268845", "Date: Thu, 01 Jan 2026 12:00:40 GMT", "Date: Thu, 01 Jan 2026 12:00:40 GMT"}, by(unix, waits(5*time.Second))},
		{"Dates that differ are none", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1767268845", "Date: Thu, 01 Jan 2026 12:00:40 GMT", "Date: Thu, 01 Jan 2026 12:00:41 GMT"}, by(unix, waits(45*time.Second))},
		{"and for a date in Retry-After", "none", []string{"Retry-After: Thu, 01 Jan 2026 12:00:45 GMT", "Date: Thu, 01 Jan 2026 12:00:40 GMT", "Date: Thu, 01 Jan 2026 12:00:41 GMT"}, waits(45 * time.Second)},
		{"a vendor's lines that differ", "retry-after-ms", []string{"Retry-After-Ms: 1", "Retry-After-Ms: 2"}, differ(ms, 2)},
		{"and then Retry-After", "retry-after-ms", []string{"Retry-After-Ms: 1", "Retry-After-Ms: 2", "Retry-After: 7"}, waits(7 * time.Second)},
		{"a vendor's line again", "retry-after-ms", []string{"Retry-After-Ms: 2", "Retry-After-Ms: 2"}, by(ms, waits(2*time.Millisecond))},
		{"a vendor's, before lines that differ", "retry-after-ms", []string{"Retry-After-Ms: 2", "Retry-After: 1", "Retry-After: 2"}, by(ms, waits(2*time.Millisecond))},
		{"a vendor's times that differ", "x-ratelimit-reset", []string{"X-Ratelimit-Reset: 1767268845", "X-Ratelimit-Reset: 1767268846"}, differ(unix, 2)},
		{"two unreadable: the first is told of", "retry-after-ms,ratelimit-reset", []string{"Retry-After-Ms: x", "Ratelimit-Reset: y"}, by(ms, unreadable)},
	} {
		info := &httpretry.Info{Wall: utc(t, noon), Hints: policy(t, "hints="+c.hints).Hints}
		for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			o := httpretry.Classify(response(code, http.NoBody, 0, c.headers...), nil, info)
			if o.Hint != c.want {
				t.Errorf("%s: %+v, want %+v", c.name, o.Hint, c.want)
			}
		}
		if o := httpretry.Classify(response(http.StatusOK, http.NoBody, 0, c.headers...), nil, info); o.Hint != none {
			t.Errorf("%s: a success asks for %+v", c.name, o.Hint)
		}
		refused := httpretry.Classify(response(http.StatusOK, http.NoBody, 0, c.headers...), engine.Transient(http.ErrBodyNotAllowed), info)
		if refused.Hint != c.want {
			t.Errorf("%s: a success that is none: %+v, want %+v", c.name, refused.Hint, c.want)
		}
	}
}

// TestHintsUnderThePolicyInForce: the headers that are read are those of the policy that decides, of the Transport, of one
// request, or one put in force meanwhile.
func TestHintsUnderThePolicyInForce(t *testing.T) {
	t.Parallel()
	const text = "attempts=2 base=0s jitter=none retry-after=replace"
	answers := []step{
		status(http.StatusTooManyRequests, "", "Retry-After: 2", "X-Amz-Retry-After: 1500"), status(http.StatusOK, ""),
	}
	with := policy(t, text+" hints=x-amz-retry-after")
	for name, c := range map[string]struct {
		text   string
		change func(*httpretry.Transport, *http.Request) *http.Request
		want   time.Duration
	}{
		"none":            {text, nil, 2 * time.Second},
		"the transport's": {with.String(), nil, 1500 * time.Millisecond},
		"the request's": {text, func(_ *httpretry.Transport, req *http.Request) *http.Request {
			return req.WithContext(httpretry.WithPolicy(req.Context(), with))
		}, 1500 * time.Millisecond},
		"put in force": {text, func(tr *httpretry.Transport, req *http.Request) *http.Request {
			if err := tr.SetPolicy(with); err != nil {
				t.Error(err)
			}
			return req
		}, 1500 * time.Millisecond},
	} {
		_, clock := virtual(t)
		tr := transport(t, newPeer(answers...), c.text, clock)
		req := request(t, http.MethodGet, "http://example.test/", nil)
		if c.change != nil {
			req = c.change(tr, req)
		}
		code, report, err := roundTrip(t, tr, req)
		if err != nil || code != http.StatusOK || report.Waited != c.want {
			t.Errorf("%s: %d after a wait of %v (%v), want %v", name, code, report.Waited, err, c.want)
		}
	}
}

// TestHintsOnTheWire: net/http spells the names as we ask for them.
func TestHintsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"retry-after-ms", "X-MS-RETRY-AFTER-MS", "x-amz-retry-after"} {
		var calls atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) == 1 {
				w.Header()[name] = []string{"7"}
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		tr := transport(t, plainBase(t), "base=0s jitter=none hints="+allHints)
		_, report, err := roundTrip(t, tr, request(t, http.MethodGet, srv.URL, nil))
		if err != nil || report.Attempts != 2 || report.Waited < 7*time.Millisecond {
			t.Errorf("%s: %d attempts, waited %v, %v", name, report.Attempts, report.Waited, err)
		}
		tr.CloseIdleConnections()
		srv.Close()
	}
}
