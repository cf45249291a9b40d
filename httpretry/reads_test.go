package httpretry_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// TestReads: what each form is read as where it is read, and that it is unreadable where it is not.
func TestReads(t *testing.T) {
	t.Parallel()
	const (
		date   = "Thu, 01 Jan 2026 12:00:03 GMT"
		old    = "Thursday, 01-Jan-26 12:00:03 GMT"
		oldest = "Thu Jan  1 12:00:03 2026"
		past   = "Thu, 01 Jan 2026 11:00:00 GMT"
		all    = "seconds,fraction,negative,zero,date,old-date"
	)
	for _, c := range []struct {
		reads, value string
		want         engine.Hint
	}{
		{"seconds", "2", waits(2 * time.Second)},
		{"seconds", " 2\t", waits(2 * time.Second)},
		{"date", "2", unreadable},
		{"seconds", date, unreadable},
		{"date", date, waits(3 * time.Second)},
		{"date", old, unreadable},
		{"date", oldest, unreadable},
		{"old-date", old, waits(3 * time.Second)},
		{"old-date", oldest, waits(3 * time.Second)},
		{"old-date", date, unreadable},
		{"seconds", "0", unreadable},
		{"seconds,zero", "0", waits(0)},
		{"seconds,zero", "000", waits(0)},
		{"date", past, unreadable},
		{"date,zero", past, waits(0)},
		{"seconds", "1.5", unreadable},
		{"seconds,fraction", "1.5", waits(1500 * time.Millisecond)},
		{"fraction", "1.5", waits(1500 * time.Millisecond)},
		{"fraction", "2", unreadable},
		{"seconds,fraction", ".25", waits(250 * time.Millisecond)},
		{"seconds,fraction", "3.", waits(3 * time.Second)},
		{"seconds,fraction", ".", unreadable},
		{"seconds,fraction", "1.5.5", unreadable},
		{"seconds,fraction", "1.5s", unreadable},
		{"seconds,fraction", "0.0", unreadable},
		{"seconds,fraction,zero", "0.0", waits(0)},
		{"seconds,fraction", "99999999999999999999.5", tooLong},
		{"seconds,fraction", "0.00000000001", unreadable},
		{"seconds", "-5", unreadable},
		{"seconds,negative", "-5", waits(0)},
		{"seconds,negative", "-0", waits(0)},
		{"seconds,negative", "-", unreadable},
		{"seconds,negative", "-1.5", unreadable},
		{"seconds,negative,fraction", "-1.5", waits(0)},
		{"seconds,negative", "--5", unreadable},
		{"seconds,negative", "-soon", unreadable},
		{"seconds,negative", "-99999999999999999999", waits(0)},
		{all, "+5", unreadable},
		{all, "1e3", unreadable},
		{all, "0x10", unreadable},
		{all, "", unreadable},
		{all, "soon", unreadable},
		{all, "999999999999", tooLong},
		{"none", "2", none},
		{"none", "soon", none},
	} {
		p := policy(t, "reads="+c.reads)
		info := &httpretry.Info{Wall: utc(t, noon), Hints: p.Hints, Reads: p.Reads}
		o := httpretry.Classify(response(http.StatusServiceUnavailable, http.NoBody, 0, "Retry-After: "+c.value), nil, info)
		if o.Hint != c.want {
			t.Errorf("reads=%s, %q: %+v, want %+v", c.reads, c.value, o.Hint, c.want)
		}
		if got := httpretry.ReadRetryAfter(p.Reads, c.value, true, time.Time{}, false, utc(t, noon)); p.Reads.Header() && got != c.want {
			t.Errorf("reads=%s, %q: read as %+v, want %+v", c.reads, c.value, got, c.want)
		}
	}
}

// TestReadsHints: fractions, what is below 0 and 0 itself are so in every header.
func TestReadsHints(t *testing.T) {
	t.Parallel()
	const ms, reset = engine.HeaderRetryAfterMS, engine.HeaderRateLimitReset
	for _, c := range []struct {
		policy  string
		headers []string
		want    engine.Hint
	}{
		{"hints=retry-after-ms reads=none", []string{"Retry-After-Ms: 1500", "Retry-After: 7"}, by(ms, waits(1500*time.Millisecond))},
		{"hints=retry-after-ms reads=none", []string{"Retry-After: 7"}, none},
		{"hints=retry-after-ms reads=fraction", []string{"Retry-After-Ms: 0.5"}, by(ms, waits(500*time.Microsecond))},
		{"hints=ratelimit-reset reads=fraction", []string{"Ratelimit-Reset: 1.5"}, by(reset, waits(1500*time.Millisecond))},
		{"hints=retry-after-ms reads=negative", []string{"Retry-After-Ms: -5"}, by(ms, waits(0))},
		{"hints=retry-after-ms reads=seconds", []string{"Retry-After-Ms: 0", "Retry-After: 7"}, waits(7 * time.Second)},
		{"hints=retry-after-ms reads=seconds", []string{"Retry-After-Ms: 0"}, by(ms, unreadable)},
	} {
		p := policy(t, c.policy)
		info := &httpretry.Info{Wall: utc(t, noon), Hints: p.Hints, Reads: p.Reads}
		if o := httpretry.Classify(response(http.StatusServiceUnavailable, http.NoBody, 0, c.headers...), nil, info); o.Hint != c.want {
			t.Errorf("%s, %v: %+v, want %+v", c.policy, c.headers, o.Hint, c.want)
		}
	}
}
