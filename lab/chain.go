package lab

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
	"github.com/retryscope/retryscope/trace"
)

// maxHops is at which redirect in one attempt a chain is taken for a loop, as net/http does by default.
const maxHops = 10

// chain follows redirects inside one attempt, as http.Client does and by means of it: methods, bodies and the headers it
// drops are its. It serves one operation at a time.
type chain struct {
	base http.RoundTripper
	// sends is the hard stop on requests; nil for none. A redirect that is followed is one more.
	sends *engine.Sends
	// hops counts the redirects followed in the latest attempt.
	hops int
	// length is that of the body of its answer, as announced; -1 where nobody said.
	length int64
	// sieve is before its body where it is a success.
	sieve *sieve
}

// inspect judges a success by what its body came to.
func (c *chain) inspect(*http.Response, []byte) error {
	if c.sieve == nil {
		return nil
	}
	return c.sieve.bad
}

// RoundTrip sends a request. Only an answer that is a redirect costs a client.
func (c *chain) RoundTrip(req *http.Request) (*http.Response, error) {
	c.hops, c.length, c.sieve = 0, unknown, nil
	resp, err := c.base.RoundTrip(req)
	if err != nil || !redirects(resp) {
		c.measure(resp)
		return resp, wired(err, 0)
	}
	if err := follows(resp, req.URL); err != nil {
		return nil, err
	}
	client := http.Client{Transport: &resumed{first: resp, base: c.base}, CheckRedirect: c.check}
	resp, err = client.Do(req)
	if err != nil {
		// An answer that comes with an error has been closed.
		return nil, wired(err, c.hops)
	}
	c.measure(resp)
	return resp, nil
}

// CloseIdleConnections does so for the transport below, if it can.
func (c *chain) CloseIdleConnections() {
	if b, ok := c.base.(interface{ CloseIdleConnections() }); ok {
		b.CloseIdleConnections()
	}
}

// unknown is the length of a body that nobody announced.
const unknown = -1

// measure notes how long the body of an answer is said to be, and has the one of a success looked through.
func (c *chain) measure(resp *http.Response) {
	switch {
	case resp == nil:
	case !hasBody(resp) || resp.Body == http.NoBody:
		c.length = 0
	default:
		c.length = resp.ContentLength
	}
	c.sieve = sift(resp)
}

// redirects tells whether net/http would follow the answer.
func redirects(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	default:
		return false
	}
}

// resumed is a transport whose first answer is in hand already.
type resumed struct {
	first *http.Response
	base  http.RoundTripper
}

// RoundTrip hands over the answer in hand, and sends what comes after it.
func (r *resumed) RoundTrip(req *http.Request) (*http.Response, error) {
	if resp := r.first; resp != nil {
		r.first = nil
		return resp, nil
	}
	resp, err := r.base.RoundTrip(req)
	if err == nil && redirects(resp) {
		err = follows(resp, req.URL)
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// follows tells why a redirect cannot be followed, and closes it then. net/http would say so too, with the Location in
// its text.
func follows(resp *http.Response, from *url.URL) error {
	to, err := from.Parse(resp.Header.Get("Location"))
	var wrong string
	switch {
	case err != nil:
		wrong = "its Location cannot be read"
	case to.Scheme != "http" && to.Scheme != "https":
		wrong = "its Location is neither http nor https"
	case to.Hostname() == "":
		wrong = "its Location has no host"
	case badPort(to):
		wrong = "its Location has a port that none can be"
	default:
		return nil
	}
	_ = resp.Body.Close() // of an answer that is not handed over
	return &httpretry.RedirectError{Text: wrong}
}

// check is asked before each redirect is followed. It ends a loop with an error that has a type, and takes out of the
// request what is not for another host: net/http drops Authorization and Cookie there, but forwards every other header
// that holds a key, and a Referer with the query of the page before.
func (c *chain) check(req *http.Request, via []*http.Request) error {
	if len(via) >= maxHops {
		return &httpretry.RedirectLoopError{Hops: c.hops, Status: req.Response.StatusCode}
	}
	if !c.sends.Take() {
		return &httpretry.RedirectError{Text: "no send is left to follow it"}
	}
	c.hops++
	if left(req, via) {
		for name := range req.Header {
			if trace.SecretHeader(name) {
				req.Header.Del(name)
			}
		}
	}
	shortenReferer(req, via[len(via)-1].URL)
	return nil
}

// left tells whether the chain has been to another site than the first.
func left(req *http.Request, via []*http.Request) bool {
	from := via[0].URL
	for _, r := range append(via[1:len(via):len(via)], req) {
		if !sameSite(from, r.URL) {
			return true
		}
	}
	return false
}

// sameSite tells whether secrets for one URL are for another as well: the same scheme, host and port, or the same host
// gone from http to https, each at its own port. It is stricter than net/http, for which a host below the first, and
// any port of it, will do: another port is another program, and may be anybody's.
func sameSite(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return from.Scheme == "http" && port(from) == "80" && to.Scheme == "https" && port(to) == "443"
}

// port is a URL's, that of its scheme where it names none.
func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// badPort tells whether a URL names a port that does not exist.
func badPort(u *url.URL) bool {
	n, err := strconv.ParseUint(port(u), 10, 16)
	return err != nil || n == 0
}

// shortenReferer leaves no more of the page before than a browser does: to another host its origin, to the same host no
// value of its query.
func shortenReferer(req *http.Request, from *url.URL) {
	if req.Header.Get("Referer") == "" {
		return
	}
	short := &url.URL{Scheme: from.Scheme, Host: from.Host, Path: "/"}
	if sameSite(from, req.URL) {
		short.Path = from.Path
	}
	req.Header.Set("Referer", short.String())
}
