// A retry policy for a Temporal activity, in Go, written by retryscope.
// NOT CARRIED: cap=none: written as 24h
// NOT CARRIED: attempt-timeout=none: written as 24h
// NOT CARRIED: retry-on: written as well: invalid-response,decoding,unknown,dns,tls,proxy,redirect-loop,bad-request,400-428,430-499,501,505-599 (every failure is retried but a non-retryable one: return that for what does not heal)
package retry

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Options are those of an activity, for workflow.WithActivityOptions.
func Options() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: 24 * time.Hour,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    24 * time.Hour,
			MaximumAttempts:    5,
		},
	}
}
