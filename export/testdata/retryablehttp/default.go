// A retry policy for Go, hashicorp/go-retryablehttp, written by retryscope.
package retry

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	try := *client
	try.Timeout = 10 * time.Second
	retry := 0
	next := time.Duration(0)
	c := &retryablehttp.Client{HTTPClient: &try, RetryMax: math.MaxInt32, ErrorHandler: retryablehttp.PassthroughErrorHandler}
	c.CheckRetry = func(_ context.Context, resp *http.Response, err error) (bool, error) {
		retry++
		status, server, asked := read(resp)
		x := min(float64(200*time.Millisecond)*math.Pow(2, float64(retry)-1), float64(10*time.Second))
		wait := time.Duration(x * rand.Float64())
		wait = max(wait, server)
		next = wait
		return !(retry == 4 || asked && server > 30*time.Second || !again(req, status, err)), nil
	}
	c.Backoff = func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return next }
	r, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	return c.Do(r)
}

func again(req *http.Request, status int, err error) bool {
	dial, host, cert := new(*net.OpError), new(*net.DNSError), new(*tls.CertificateVerificationError)
	safe := (slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", ""}, req.Method) || req.Header.Get("Idempotency-Key") != "" || errors.As(err, dial) && (*dial).Op == "dial") && (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
	heals := status == 429 || status >= 500 && status <= 599 && status != 501 && status != 505 && status != 511 || err != nil && !(errors.As(err, host) && (*host).IsNotFound) && !errors.As(err, cert)
	return safe && heals && req.Context().Err() == nil
}

func read(resp *http.Response) (status int, server time.Duration, asked bool) {
	if resp == nil {
		return 0, 0, false
	}
	if at, err := http.ParseTime(resp.Header.Get("Retry-After")); err == nil {
		if sent, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			return resp.StatusCode, max(at.Sub(sent), 0), true
		}
		return resp.StatusCode, max(time.Until(at), 0), true
	}
	n, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 64)
	return resp.StatusCode, time.Duration(min(n, 9e9)) * time.Second, err == nil || errors.Is(err, strconv.ErrRange)
}
