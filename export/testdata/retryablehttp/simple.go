// A retry policy for Go, hashicorp/go-retryablehttp, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response
package retry

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	try := *client
	retry := 0
	next := time.Duration(0)
	c := &retryablehttp.Client{HTTPClient: &try, RetryMax: math.MaxInt32, ErrorHandler: retryablehttp.PassthroughErrorHandler}
	c.CheckRetry = func(_ context.Context, resp *http.Response, err error) (bool, error) {
		retry++
		status := 0
		if err == nil {
			status = resp.StatusCode
		}
		x := float64(time.Second) * math.Pow(2, float64(retry)-1)
		wait := time.Duration(min(x, 9e18))
		next = wait
		return !(retry == 5 || !again(req, status, err)), nil
	}
	c.Backoff = func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return next }
	r, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	return c.Do(r)
}

func again(req *http.Request, status int, err error) bool {
	host, cert := new(*net.DNSError), new(*tls.CertificateVerificationError)
	safe := (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
	heals := status == 429 || status == 500 || status >= 502 && status <= 504 || err != nil && !(errors.As(err, host) && (*host).IsNotFound) && !errors.As(err, cert)
	return safe && heals && req.Context().Err() == nil
}
