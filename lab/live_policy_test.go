package lab_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
)

// To a real server a method that is not idempotent is sent once unless it carries a key, whatever the policy's methods say,
// and also where they are changed on the way.
func TestLiveSendsWhatIsNotIdempotentOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, key, header, methods string
		attempts                     int
		held                         bool
	}{
		{"", "", "", "any", 3, false},
		{"get", "", "", "any", 3, false},
		{"PUT", "", "", "any", 3, false},
		{"POST", "", "", "idempotent", 1, false},
		{"POST", "", "", "any", 1, true},
		{"post", "", "", "any", 1, true},
		{"POST", "", "", "POST,GET", 1, true},
		{"POST", "", "", "GET", 1, false},
		{"PATCH", "", "", "any", 1, true},
		{"PURGE", "", "", "any", 1, true},
		{"POST", "k", "", "any", 3, false},
		{"POST", "", "k", "any", 3, false},
		{"POST", "", "k", "POST", 3, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked lab.LiveConfig
			l := live(t, "503, 503, 200", "jitter=none methods="+tc.methods, func(c *lab.LiveConfig) {
				c.Request.Method, c.Request.Key = tc.method, tc.key
				if tc.header != "" {
					c.Request.Header = http.Header{"Idempotency-Key": {tc.header}}
				}
				asked = *c
			})
			p, held := lab.LivePolicy(asked.Policy, &asked.Request)
			if held != tc.held || (p == asked.Policy) == held {
				t.Errorf("%+v: held is %v, %s", tc, held, p.String())
			}
			if err := l.SetPolicy(asked.Policy); err != nil {
				t.Fatal(err)
			}
			tr := started(t.Context(), t, l)()
			if len(tr.Attempts) != tc.attempts || tr.Head.Policy != p {
				t.Errorf("%+v: %d attempts under %s", tc, len(tr.Attempts), tr.Head.Policy.String())
			}
			if tc.attempts == 1 && tr.Done.Reason != engine.ReasonNotIdempotent {
				t.Errorf("%+v: %v", tc, tr.Done.Reason)
			}
		})
	}
}
