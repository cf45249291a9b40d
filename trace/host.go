package trace

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
)

// dialedHost is a host, with its port if there is one, as net/http dials it: a name in other letters than ASCII has another
// form there, and may be another than it looks like. One that has no such form is as it was written.
func dialedHost(written string) string {
	host, err := url.PathUnescape(written)
	if err != nil || ascii(host) {
		return written
	}
	u := url.URL{Scheme: "http", Host: host, Path: "/"}
	name := ""
	// net/http does not lend the form out: it is asked for by way of a connection that is never made.
	asked := http.Transport{DialContext: func(_ context.Context, _, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		name = host
		return nil, errors.Join(errNotDialed, err)
	}}
	resp, err := asked.RoundTrip(&http.Request{Method: http.MethodGet, URL: &u, Header: http.Header{}})
	if err == nil {
		_ = resp.Body.Close() // it cannot be
	}
	if !errors.Is(err, errNotDialed) || name == "" || !ascii(name) {
		return written
	}
	if port := u.Port(); port != "" {
		return name + ":" + port
	}
	return name
}

var errNotDialed = errors.New("not dialed")

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
