// A retry policy for Go, the standard library alone, written by retryscope.
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
)

// Do sends req until the policy says stop. A request whose body has no GetBody is sent once.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	host, cert := new(*net.DNSError), new(*tls.CertificateVerificationError)
	for retry := 1; ; retry++ {
		send := req.Clone(req.Context())
		if req.GetBody != nil {
			send.Body, _ = req.GetBody()
		}
		resp, err := client.Do(send)
		status := 0
		if err == nil {
			status = resp.StatusCode
		}
		x := float64(time.Second) * math.Pow(2, float64(retry)-1)
		wait := time.Duration(min(x, 9e18))
		safe := (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
		heals := status == 429 || status == 500 || status >= 502 && status <= 504 || err != nil && !(errors.As(err, host) && (*host).IsNotFound) && !errors.As(err, cert)
		if retry == 5 || !safe || !heals || req.Context().Err() != nil {
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
