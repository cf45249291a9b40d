// A retry policy for Go, retryscope's own engine, written by retryscope.
package retry

import (
	"net/http"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// Policy is what the client obeys: the text that "retryscope --policy" reads too.
const Policy = "attempts=4 base=200ms cap=10s curve=exponential factor=2 jitter=full retry-after=at-least ceiling=30s timeout=none attempt-timeout=10s retry-on=transport,timeout,invalid-response,429,5xx,-501,-505,-511 methods=idempotent"

// NewClient is an HTTP client that obeys the policy.
func NewClient() (*http.Client, error) {
	p, err := engine.ParsePolicy(Policy, engine.Default())
	if err != nil {
		return nil, err
	}
	t, err := httpretry.New(nil, p)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: t}, nil
}
