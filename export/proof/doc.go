// Package proof builds what is exported with the clients it is written for, runs it, and holds it against our own run of
// the policy that the export says it carries. It is a module of its own, so that the root needs none of them.
package proof

import (
	// What exported programs are built with.
	_ "github.com/avast/retry-go/v5"
	_ "github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	_ "github.com/aws/aws-sdk-go-v2/aws/retry"
	_ "github.com/aws/aws-sdk-go-v2/service/sts"
	_ "github.com/cenkalti/backoff/v5"
	_ "github.com/failsafe-go/failsafe-go/retrypolicy"
	_ "github.com/hashicorp/go-retryablehttp"
	_ "github.com/sethvargo/go-retry"
)
