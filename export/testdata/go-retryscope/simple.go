// A retry policy for Go, retryscope's own engine, written by retryscope.
package retry

import (
	"net/http"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// Policy is what the client obeys: the text that "retryscope --policy" reads too.
const Policy = "attempts=5 base=1s cap=none curve=exponential factor=2 jitter=none retry-after=ignore ceiling=30s timeout=none attempt-timeout=none retry-on=transport,timeout,429,500,502-504 methods=any"

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
