// A retry policy for Go, the standard library alone, written by retryscope.
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
)

// Do sends req until the policy says stop. A request whose body has no GetBody is sent once.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	try, dial, host, cert := *client, new(*net.OpError), new(*net.DNSError), new(*tls.CertificateVerificationError)
	for retry := 1; ; retry++ {
		try.Timeout = 10 * time.Second
		send := req.Clone(req.Context())
		if req.GetBody != nil {
			send.Body, _ = req.GetBody()
		}
		resp, err := try.Do(send)
		status, server, asked := read(resp)
		x := min(float64(200*time.Millisecond)*math.Pow(2, float64(retry)-1), float64(10*time.Second))
		wait := time.Duration(x * rand.Float64())
		wait = max(wait, server)
		safe := (slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", ""}, req.Method) || req.Header.Get("Idempotency-Key") != "" || errors.As(err, dial) && (*dial).Op == "dial") && (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
		heals := status == 429 || status >= 500 && status <= 599 && status != 501 && status != 505 && status != 511 || err != nil && !(errors.As(err, host) && (*host).IsNotFound) && !errors.As(err, cert)
		if retry == 4 || asked && server > 30*time.Second || !safe || !heals || req.Context().Err() != nil {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		pause, cancel := context.WithTimeout(req.Context(), wait)
		<-pause.Done()
		cancel()
	}
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
