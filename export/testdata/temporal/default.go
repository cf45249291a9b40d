// A retry policy for a Temporal activity, in Go, written by retryscope.
// NOT CARRIED: full jitter: written as no jitter
// NOT CARRIED: retry-after=at-least: written as ignore (an activity may set NextRetryDelay)
// NOT CARRIED: retry-on: written as well: decoding,unknown,dns,tls,proxy,redirect-loop,bad-request,400-428,430-499,501,505,511 (every failure is retried but a non-retryable one: return that for what does not heal)
// NOT CARRIED: methods=idempotent: written as any
package retry

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Options are those of an activity, for workflow.WithActivityOptions.
func Options() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    200 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    10 * time.Second,
			MaximumAttempts:    4,
		},
	}
}
