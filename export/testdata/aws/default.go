// A retry policy for Go, AWS SDK v2 1.48, written by retryscope.
// NOT CARRIED: retry-after=at-least: written as ignore
// NOT CARRIED: attempt-timeout=10s: written as none
// NOT CARRIED: retry-on: written as well: tls,proxy,redirect-loop,bad-request
// NOT CARRIED: methods=idempotent: written as any
// NOT CARRIED: retry-after: where AWS asks for a wait by x-amz-retry-after, the SDK obeys it
package retry

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// NewRetryer is for config.WithRetryer.
func NewRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 4
		o.Backoff = retry.BackoffDelayerFunc(own)
		o.Retryables = []retry.IsErrorRetryable{
			retry.NoRetryCanceledError{},
			retry.RetryableConnectionError{},
			retry.RetryableHTTPStatusCode{Codes: map[int]struct{}{429: {}, 500: {}, 502: {}, 503: {}, 504: {}, 506: {}, 507: {}, 508: {}, 509: {}, 510: {}, 512: {}, 513: {}, 514: {}, 515: {}, 516: {}, 517: {}, 518: {}, 519: {}, 520: {}, 521: {}, 522: {}, 523: {}, 524: {}, 525: {}, 526: {}, 527: {}, 528: {}, 529: {}, 530: {}, 531: {}, 532: {}, 533: {}, 534: {}, 535: {}, 536: {}, 537: {}, 538: {}, 539: {}, 540: {}, 541: {}, 542: {}, 543: {}, 544: {}, 545: {}, 546: {}, 547: {}, 548: {}, 549: {}, 550: {}, 551: {}, 552: {}, 553: {}, 554: {}, 555: {}, 556: {}, 557: {}, 558: {}, 559: {}, 560: {}, 561: {}, 562: {}, 563: {}, 564: {}, 565: {}, 566: {}, 567: {}, 568: {}, 569: {}, 570: {}, 571: {}, 572: {}, 573: {}, 574: {}, 575: {}, 576: {}, 577: {}, 578: {}, 579: {}, 580: {}, 581: {}, 582: {}, 583: {}, 584: {}, 585: {}, 586: {}, 587: {}, 588: {}, 589: {}, 590: {}, 591: {}, 592: {}, 593: {}, 594: {}, 595: {}, 596: {}, 597: {}, 598: {}, 599: {}}},
		}
		o.RateLimiter = ratelimit.None
	})
}

// own is the wait after an attempt, counted from 1.
func own(retry int, _ error) (time.Duration, error) {
	x := min(float64(200*time.Millisecond)*math.Pow(2, float64(retry)-1), float64(10*time.Second))
	wait := time.Duration(x * rand.Float64())
	return wait, nil
}
