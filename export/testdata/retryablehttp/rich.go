// A retry policy for Go, hashicorp/go-retryablehttp, written by retryscope.
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: budget=ratio:20%/10: written as none
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
	end := time.Now().Add(30 * time.Second)
	try.Timeout = max(min(10*time.Second, time.Until(end)), 1)
	prev := 0.0
	retry := 0
	next := time.Duration(0)
	c := &retryablehttp.Client{HTTPClient: &try, RetryMax: math.MaxInt32, ErrorHandler: retryablehttp.PassthroughErrorHandler}
	c.CheckRetry = func(_ context.Context, resp *http.Response, err error) (bool, error) {
		retry++
		status, server, asked := read(resp)
		x := float64(100*time.Millisecond) + rand.Float64()*(3*max(float64(100*time.Millisecond), prev)-float64(100*time.Millisecond))
		wait := time.Duration(min(x, float64(5*time.Second)))
		prev = float64(wait)
		if there := server + time.Duration(rand.Float64()*float64(time.Second)); asked {
			wait = min(max(wait, there), there+5*time.Second)
		}
		next = wait
		try.Timeout = max(min(10*time.Second, time.Until(end)), 1)
		return !(retry == 6 || asked && server > 30*time.Second || time.Until(end) <= wait || !again(req, status, err)), nil
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
	safe := (slices.Contains([]string{"GET", "POST", ""}, req.Method) || req.Header.Get("Idempotency-Key") != "" || errors.As(err, dial) && (*dial).Op == "dial") && (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
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
