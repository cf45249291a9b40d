// A retry policy for Go, sethvargo/go-retry, written by retryscope.
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

	"github.com/sethvargo/go-retry"
)

// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	c := newCall(client, req)
	waits := retry.BackoffFunc(func() (time.Duration, bool) { return c.wait, false })
	_ = retry.Do(req.Context(), waits, func(context.Context) error { return retry.RetryableError(c.send()) })
	return c.result()
}

// errAgain tells the library that there is to be another attempt.
var errAgain = errors.New("again")

// call is one request under the policy.
type call struct {
	req    *http.Request
	client http.Client
	retry  int
	resp   *http.Response
	err    error
	wait   time.Duration
}

func newCall(client *http.Client, req *http.Request) *call {
	return &call{req: req, client: *client}
}

// send makes one attempt; errAgain where the policy has another follow after wait. A request whose body has no GetBody is
// sent once.
func (c *call) send() error {
	if c.resp != nil {
		_ = c.resp.Body.Close()
	}
	send := c.req.Clone(c.req.Context())
	if c.req.GetBody != nil {
		send.Body, _ = c.req.GetBody()
	}
	c.resp, c.err = c.client.Do(send)
	resp, err := c.resp, c.err
	c.retry++
	retry := c.retry
	status := 0
	if err == nil {
		status = resp.StatusCode
	}
	x := float64(time.Second) * math.Pow(2, float64(retry)-1)
	wait := time.Duration(min(x, 9e18))
	c.wait = wait
	if retry == 5 || !again(c.req, status, err) {
		return nil
	}
	return errAgain
}

// result is what the last attempt came back with.
func (c *call) result() (*http.Response, error) {
	if err := c.req.Context().Err(); err != nil {
		return nil, err
	}
	return c.resp, c.err
}

func again(req *http.Request, status int, err error) bool {
	host, cert := new(*net.DNSError), new(*tls.CertificateVerificationError)
	safe := (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
	heals := status == 429 || status == 500 || status >= 502 && status <= 504 || err != nil && !(errors.As(err, host) && (*host).IsNotFound) && !errors.As(err, cert)
	return safe && heals && req.Context().Err() == nil
}
