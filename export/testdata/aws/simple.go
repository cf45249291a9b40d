// A retry policy for Go, AWS SDK v2 1.48, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,tls,proxy,redirect-loop,bad-request
// NOT CARRIED: retry-after: where AWS asks for a wait by x-amz-retry-after, the SDK obeys it
package retry

import (
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// NewRetryer is for config.WithRetryer.
func NewRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 5
		o.Backoff = retry.BackoffDelayerFunc(own)
		o.Retryables = []retry.IsErrorRetryable{
			retry.NoRetryCanceledError{},
			retry.RetryableConnectionError{},
			retry.RetryableHTTPStatusCode{Codes: map[int]struct{}{429: {}, 500: {}, 502: {}, 503: {}, 504: {}}},
		}
		o.RateLimiter = ratelimit.None
	})
}

// own is the wait after an attempt, counted from 1.
func own(retry int, _ error) (time.Duration, error) {
	x := float64(time.Second) * math.Pow(2, float64(retry)-1)
	wait := time.Duration(min(x, 9e18))
	return wait, nil
}
