package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// retryAfterValues are what a first answer says; a bubble begins at midnight, so that dates are whole seconds away.
func retryAfterValues() []struct{ name, value string } {
	soon := time.Now().Add(3 * time.Second).UTC()
	return []struct{ name, value string }{
		{"0", "0"},
		{"2", "2"},
		{"1.5", "1.5"},
		{"-5", "-5"},
		{"999999999999", "999999999999"},
		{"empty", ""},
		{"soon", "soon"},
		{"a date in 3s", soon.Format(http.TimeFormat)},
		{"a date of RFC 850", soon.Format("Monday, 02-Jan-06 15:04:05 GMT")},
		{"a date gone by", soon.Add(-time.Hour).Format(http.TimeFormat)},
	}
}

func (k *checker) retryAfter() {
	if !k.p.RetryOn.Statuses.Has(k.c.hint) {
		return
	}
	outcome := engine.Outcome{Kind: engine.KindStatus, Status: k.c.hint}
	b := k.p.Backoff.After(&outcome)
	lo, hi := b.Bounds(1)
	for i := range 10 {
		name := ""
		if len(k.c.hints) > 0 && !slices.Contains(k.c.hints, retryAfterValues()[i].name) {
			continue
		}
		mine, theirs := k.both(func(send sender) string {
			if k.c.later > 0 {
				<-time.After(k.c.later)
			}
			name = retryAfterValues()[i].name
			seen := map[string]bool{}
			for range 5 {
				v := retryAfterValues()[i]
				a := answer{status: k.c.hint, header: http.Header{"Retry-After": {v.value}}}
				w, _, _ := run(send, k.method, 1, a)
				seen[k.heard(w, lo, hi)] = true
			}
			if seen["own wait"] {
				delete(seen, "at once") // a draw near zero
			}
			var all []string
			for s := range seen {
				all = append(all, s)
			}
			return either(all)
		})
		k.compare("Retry-After: "+name, mine, theirs)
	}
}

// either lists what was heard in several runs; waits that all differ are a range.
func either(all []string) string {
	var waits []time.Duration
	for _, s := range all {
		if d, err := time.ParseDuration(s); err == nil {
			waits = append(waits, d)
		}
	}
	if len(all) > 1 && len(waits) == len(all) {
		return slices.Min(waits).String() + "–" + slices.Max(waits).String()
	}
	slices.Sort(all)
	return strings.Join(all, " or ")
}

// heard says what became of the wait before the second send.
func (k *checker) heard(w *wire, lo, hi time.Duration) string {
	gaps := w.gaps()
	if len(gaps) == 0 {
		if time.Since(w.at[0]) >= patient {
			return "still waiting after a month"
		}
		return "not retried"
	}
	switch gap := gaps[0]; {
	case gap >= lo && gap <= hi:
		return "own wait"
	case k.p.RetryAfter.Mode == engine.RetryAfterBounded && gap >= lo+k.p.RetryAfter.Range && gap <= hi+k.p.RetryAfter.Range:
		return fmt.Sprintf("own wait and %v", k.p.RetryAfter.Range)
	case gap < time.Microsecond:
		return "at once"
	default:
		return gap.Round(time.Millisecond).String()
	}
}
