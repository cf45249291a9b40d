package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// Request is the request of a run. The zero Request is a GET without headers.
type Request struct {
	// Method is GET where it is empty.
	Method string
	// URL is where a live run sends it. A scripted run shows it and needs none.
	URL    string
	Header http.Header
	// Body is sent where HasBody; BodyOnce makes it one that cannot be read again.
	Body              []byte
	HasBody, BodyOnce bool
	// Key is the idempotency key, sent as Idempotency-Key with every attempt; "" for none.
	Key string
}

// keyHeader carries an idempotency key (draft-ietf-httpapi-idempotency-key-header).
const keyHeader = "Idempotency-Key"

// scriptURL is where a scripted request without a URL seems to go: a name that nothing can have (RFC 6761).
const scriptURL = "http://script.test/"

// ErrRequest is what every error about a Request matches.
var ErrRequest = errors.New("bad request")

// RequestError is a request that cannot be sent. Its text holds no part of the URL but scheme and host, and no value.
type RequestError struct {
	// Part is "URL", "method" or "header"; Text says what is wrong with it.
	Part, Text string
}

func (e *RequestError) Error() string { return e.Part + ": " + e.Text }

// Is matches ErrRequest.
func (e *RequestError) Is(target error) bool { return target == ErrRequest }

// Check tells whether the request could be sent to a live server: *RequestError where not.
func (r *Request) Check() error {
	_, err := r.build(true)
	return err
}

// body says what can be done with the body.
func (r *Request) body() engine.Body {
	switch {
	case !r.HasBody:
		return engine.BodyNone
	case r.BodyOnce:
		return engine.BodyOnce
	default:
		return engine.BodyReplayable
	}
}

func (r *Request) keyed() bool { return r.Key != "" || r.Header.Get(keyHeader) != "" }

// build makes the request. One parser reads the URL for checking, showing and dialing alike.
func (r *Request) build(live bool) (*http.Request, error) {
	u, err := r.target(live)
	if err != nil {
		return nil, err
	}
	method := Method(r.Method)
	if method == "" {
		method = http.MethodGet
	}
	if !token(method) {
		return nil, &RequestError{Part: "method", Text: fmt.Sprintf("%q is no method", method)}
	}
	header, err := r.header(u)
	if err != nil {
		return nil, err
	}
	acceptGzip(method, header)
	u.User = nil // it is in the header now, and so in no text of an error
	req := &http.Request{Method: method, URL: u, Header: header, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if host := header.Get("Host"); host != "" {
		req.Host = host
		header.Del("Host")
	}
	r.attach(req)
	return req, nil
}

func (r *Request) target(live bool) (*url.URL, error) {
	raw := r.URL
	if raw == "" && !live {
		raw = scriptURL
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil: // its text repeats the URL
		return nil, &RequestError{Part: "URL", Text: "it cannot be read: " + why(err)}
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, &RequestError{Part: "URL", Text: fmt.Sprintf("scheme %q; it must begin with http:// or https://", u.Scheme)}
	case u.Hostname() == "":
		return nil, &RequestError{Part: "URL", Text: "it has no host"}
	case badPort(u):
		return nil, &RequestError{Part: "URL", Text: fmt.Sprintf("port %q; it must be from 1 to 65535", u.Port())}
	}
	return u, nil
}

// why is what is wrong with a URL, without the parts of it that the error repeats.
func why(err error) string {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch {
	case errors.As(err, &escape) && isEscape(string(escape)): // net/url refuses it because of where it stands
		return "a host has no percent escapes in it"
	case errors.As(err, &escape):
		return "a % that is no escape"
	case errors.As(err, &host):
		return "a character that no host has"
	default:
		return "it is malformed"
	}
}

// isEscape tells whether s is a right percent escape.
func isEscape(s string) bool {
	_, err := url.PathUnescape(s)
	return err == nil
}

// header copies the headers and adds what the URL and the key have to say.
func (r *Request) header(u *url.URL) (http.Header, error) {
	h := make(http.Header, len(r.Header)+2)
	for name, values := range r.Header {
		if !token(name) {
			return nil, &RequestError{Part: "header", Text: fmt.Sprintf("%q is no name of a header", name)}
		}
		if Framing(name) {
			return nil, &RequestError{Part: "header", Text: name + ": it is made from the body, and cannot be given"}
		}
		for _, v := range values {
			if strings.ContainsAny(v, "\r\n\x00") {
				return nil, &RequestError{Part: "header", Text: name + ": a value has no line break in it"}
			}
			h.Add(name, v)
		}
	}
	if r.Key != "" {
		if strings.ContainsAny(r.Key, "\r\n\x00") {
			return nil, &RequestError{Part: "header", Text: "an idempotency key has no line break in it"}
		}
		h.Set(keyHeader, r.Key)
	}
	if u.User != nil && h.Get("Authorization") == "" {
		password, _ := u.User.Password()
		auth := http.Request{Header: h}
		auth.SetBasicAuth(u.User.Username(), password)
	}
	return h, nil
}

// Method is a method as it is sent: the standard ones in capitals, however they are written, as in the browsers; a method
// of somebody's own as it is.
func Method(name string) string {
	switch upper := strings.ToUpper(name); upper {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace, http.MethodConnect:
		return upper
	default:
		return name
	}
}

// Framing tells whether a header says where the body ends: it is made from the body, and one that is given is not sent.
func Framing(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Content-Length", "Transfer-Encoding", "Trailer":
		return true
	default:
		return false
	}
}

// token tells whether s is a token of RFC 9110, section 5.6.2.
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// attach gives the request its body; without GetBody nobody can read it again.
func (r *Request) attach(req *http.Request) {
	if !r.HasBody {
		return
	}
	req.ContentLength = int64(len(r.Body))
	if len(r.Body) == 0 && !r.BodyOnce {
		req.Body = http.NoBody
		req.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(r.Body))
	if !r.BodyOnce {
		body := r.Body
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
}
