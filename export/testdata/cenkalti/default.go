// A retry policy for Go, cenkalti/backoff v5, written by retryscope.
package retry

import (
	"crypto/tls"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Do sends req until the policy says stop.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	c := newCall(client, req)
	_, _ = backoff.Retry(req.Context(), func() (struct{}, error) { return struct{}{}, c.send() },
		backoff.WithBackOff(waits{c}), backoff.WithMaxElapsedTime(0))
	return c.result()
}

// waits is the policy as a backoff.BackOff.
type waits struct{ *call }

func (w waits) NextBackOff() time.Duration { return w.wait }
func (w waits) Reset()                     {}

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
	c.client.Timeout = 10 * time.Second
	send := c.req.Clone(c.req.Context())
	if c.req.GetBody != nil {
		send.Body, _ = c.req.GetBody()
	}
	c.resp, c.err = c.client.Do(send)
	resp, err := c.resp, c.err
	c.retry++
	retry := c.retry
	status, server, asked := read(resp)
	x := min(float64(200*time.Millisecond)*math.Pow(2, float64(retry)-1), float64(10*time.Second))
	wait := time.Duration(x * rand.Float64())
	wait = max(wait, server)
	c.wait = wait
	if retry == 4 || asked && server > 30*time.Second || !again(c.req, status, err) {
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
