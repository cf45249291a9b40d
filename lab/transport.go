package lab

import (
	"net/http"

	"github.com/retryscope/retryscope/httpretry"
)

// maxHeaderBytes bounds the headers of an answer: a hostile server must not fill the memory with them.
const maxHeaderBytes = 1 << 20

// newTransport is a transport of a run's own, as net/http's default one but without timeouts of its own: those are the
// policy's, and no other shall end an attempt.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: httpretry.CheckProxy,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}
