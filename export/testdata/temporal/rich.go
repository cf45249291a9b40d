// A retry policy for a Temporal activity, in Go, written by retryscope.
// NOT CARRIED: decorrelated jitter: written as no jitter
// NOT CARRIED: retry-after=clamp:5s: written as ignore (an activity may set NextRetryDelay)
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: retry-on: written as well: decoding,unknown,dns,tls,proxy,redirect-loop,bad-request,400-428,430-499,501,505,511 (every failure is retried but a non-retryable one: return that for what does not heal)
// NOT CARRIED: methods=GET,POST: written as any
// NOT CARRIED: budget=ratio:20%/10: written as none
package retry

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Options are those of an activity, for workflow.WithActivityOptions.
func Options() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		ScheduleToCloseTimeout: 30 * time.Second,
		StartToCloseTimeout:    10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    100 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    5 * time.Second,
			MaximumAttempts:    6,
		},
	}
}
