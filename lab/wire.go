package lab

import (
	"context"
	"errors"
	"io"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

const (
	// mostText is how much is kept of a text that a server made, in characters; mostHint of its Retry-After, in bytes.
	mostText = 200
	mostHint = 1000
	// mostError is how long the text of an error may be, with what is around it.
	mostError = 1000
)

// clip cuts a text to a number of characters, and shows that it did.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most-1 {
			rest := s[i:]
			for j := range rest {
				if j > 0 {
					return s[:i] + "…"
				}
			}
			return s
		}
		n++
	}
	return s
}

// wireError is an error of the transport below in words fit to be seen. net/http repeats in its errors what a server
// sent, at any length: a cookie, or the address that a redirect was to go to.
type wireError struct {
	err error
	// malformed says that the answer is no HTTP, and so that its bytes may stand in the error.
	malformed bool
	// body says that the answer had begun, redirected that a redirect had been followed.
	body, redirected bool
	// words say what happened where the error itself has only a name for it; "" where it says enough.
	words string
}

func wired(err error, hops int) error {
	if err == nil {
		return nil
	}
	// What http.Client adds is the address of the last hop, and a server chose that.
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // its own, around all else
		err = u.Err
	}
	return &wireError{err: err, redirected: hops > 0}
}

func (e *wireError) Error() string {
	var line textproto.ProtocolError
	text := e.err.Error()
	switch {
	case e.words != "":
		text = e.words
	case !e.malformed:
	case errors.As(e.err, &line): // the line is all that it says
		text = "a header line of the answer is malformed"
	default: // what is quoted is the server's
		text, _, _ = strings.Cut(text, `"`)
		text = strings.TrimRight(text, " :")
	}
	return clip(text, mostText)
}

// Unwrap is the error as it came.
func (e *wireError) Unwrap() error { return e.err }

// told watches over the errors of a run: it puts in words what happened to an attempt, for who reads of it. What an error
// matches stays as it is.
type told struct {
	began          time.Duration
	limit, timeout time.Duration // of the attempt and of the operation; 0 for none
}

// see gives the error of a failed attempt its words, from its outcome on.
func (t *told) see(e *engine.Event) {
	if e.Kind == engine.EventAttempt {
		t.began, t.limit, t.timeout = e.At, e.Policy.AttemptTimeout, e.Policy.Timeout
	}
	var w *wireError
	if e.Kind != engine.EventOutcome || !errors.As(e.Err, &w) {
		return
	}
	o := &e.Outcome
	switch {
	case o.Kind == engine.KindInvalidResponse && o.Cause == engine.CauseMalformed:
		w.malformed = true
	case o.Kind == engine.KindTimeout:
		w.words = t.late(e.At, o, w)
	case w.redirected && o.Kind == engine.KindTransport:
		w.words = astray(o.Cause)
	case errors.Is(w.err, io.ErrUnexpectedEOF) && w.body:
		w.words = "the body of the answer ended early"
	case o.Cause == engine.CauseClosed && (errors.Is(w.err, io.EOF) || errors.Is(w.err, io.ErrUnexpectedEOF)):
		w.words = "the connection was closed before an answer"
	}
}

// late says which limit an attempt ran into; "" where it was one of the transport below, which has words of its own.
func (t *told) late(now time.Duration, o *engine.Outcome, w *wireError) string {
	limit := ""
	switch {
	case t.limit > 0 && now-t.began >= t.limit:
		limit = "the attempt timeout of " + engine.FormatDuration(t.limit)
	case t.timeout > 0 && now >= t.timeout:
		limit = "the timeout of " + engine.FormatDuration(t.timeout)
	case w.err == context.DeadlineExceeded: //nolint:errorlint // the caller's; what merely matches it has words of its own
		limit = "the deadline"
	default:
		return ""
	}
	switch {
	case o.NotSent:
		return "no connection within " + limit
	case w.body:
		return "the answer was not whole within " + limit
	default:
		return "no answer within " + limit
	}
}

// astray is what became of a redirect to a place that a server chose: the error would name it. "" where it names none.
func astray(c engine.Cause) string {
	switch c { //nolint:exhaustive // the others name no place
	case engine.CauseDNS:
		return "a redirect led to a host that cannot be looked up"
	case engine.CauseRefused:
		return "a redirect led to where the connection is refused"
	case engine.CauseUnreachable:
		return "a redirect led to where no connection can be made"
	case engine.CauseTLS:
		return "a redirect led to a host with which there is no secure connection"
	default:
		return ""
	}
}
