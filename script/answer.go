package script

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	defaultCutBody  = "this body ends bef" // what comes of a cut body, unless the step says
	missingBytes    = 64                   // how much of a cut body does not come
	defaultBadJSON  = `{"answer": "this is not`
	garbageBytes    = "this is not HTTP\r\n\r\n"
	typeText        = "text/plain; charset=utf-8"
	typeJSON        = "application/json"
	maxRequestBytes = 64 << 20 // of a request's body are read before it is answered
)

// answer is what an answering step puts on the wire, whoever carries it.
type answer struct {
	status  int
	reason  string
	headers []Header // in order, names in canonical form; no framing, no Date of the server's own
	body    string
	missing int  // bytes that are promised and do not come
	noBody  bool // the status allows none, not even its length
}

// answer makes the answer of a status, cut or badjson to a request's method.
func (s Step) answer(method string) answer {
	a := answer{status: s.Status, reason: reasonOf(s), body: s.Body.Text}
	a.noBody = s.Status == http.StatusNoContent || s.Status == http.StatusNotModified
	contentType := typeText
	switch s.Kind {
	case Cut:
		if !s.Body.Set {
			a.body = defaultCutBody
		}
		a.missing = missingBytes
	case BadJSON:
		if !s.Body.Set {
			a.body = defaultBadJSON
		}
		contentType = typeJSON
	case Status, Refused, DNS, TLS, Reset, EOF, Garbage, Hang:
	}
	if method == http.MethodHead {
		a.missing = 0 // no body is promised that could end early
	}
	if s.After.Set {
		a.headers = append(a.headers, Header{"Retry-After", s.After.Text})
	}
	if s.Date.Set {
		a.headers = append(a.headers, Header{"Date", s.Date.Text})
	}
	for _, h := range s.Headers {
		a.headers = append(a.headers, Header{http.CanonicalHeaderKey(h.Name), h.Value})
	}
	if !a.noBody && !a.has("Content-Type") {
		a.headers = append(a.headers, Header{"Content-Type", contentType})
	}
	return a
}

// reasonOf is the reason phrase; for a status without one that of net/http.
func reasonOf(s Step) string {
	if s.Reason.Set {
		return s.Reason.Text
	}
	if text := http.StatusText(s.Status); text != "" {
		return text
	}
	return "status code " + strconv.Itoa(s.Status)
}

func (a answer) has(name string) bool {
	return slices.ContainsFunc(a.headers, func(h Header) bool { return h.Name == name })
}

// length is the Content-Length: what comes and what does not.
func (a answer) length() int { return len(a.body) + a.missing }

// header gives the headers as net/http has them, with the length of the body.
// Values are as scripted: what a client trims is still there.
func (a answer) header() http.Header {
	h := http.Header{}
	for _, line := range a.headers {
		h[line.Name] = append(h[line.Name], line.Value)
	}
	if !a.noBody {
		h.Set("Content-Length", strconv.Itoa(a.length()))
	}
	return h
}

// wire gives the head of the answer byte for byte, for a connection that is
// closed after it.
func (a answer) wire(date string) string {
	var b strings.Builder
	b.WriteString("HTTP/1.1 " + strconv.Itoa(a.status) + " " + a.reason + "\r\n")
	for _, h := range a.headers {
		b.WriteString(h.Name + ": " + h.Value + "\r\n")
	}
	if !a.has("Date") {
		b.WriteString("Date: " + date + "\r\n")
	}
	if !a.has("Connection") {
		b.WriteString("Connection: close\r\n")
	}
	if !a.noBody {
		b.WriteString("Content-Length: " + strconv.Itoa(a.length()) + "\r\n")
	}
	b.WriteString("\r\n")
	return b.String()
}

// plain reports whether net/http's server writes the answer as it is scripted:
// it has reason phrases of its own and trims header values.
func (a answer) plain(s Step) bool {
	trimmed := func(h Header) bool { return strings.Trim(h.Value, " \t") != h.Value }
	return !s.Reason.Set && !slices.ContainsFunc(a.headers, trimmed)
}
