package lab

import (
	"errors"
	"net/textproto"
	"net/url"
	"strings"

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
}

func wired(err error) error {
	if err == nil {
		return nil
	}
	// What http.Client adds is the address of the last hop, and a server chose that.
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // its own, around all else
		err = u.Err
	}
	return &wireError{err: err}
}

func (e *wireError) Error() string {
	var line textproto.ProtocolError
	text := e.err.Error()
	switch {
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

// veil has the error of a malformed answer keep the answer to itself, from its outcome on.
func veil(e *engine.Event) {
	if e.Outcome.Kind != engine.KindInvalidResponse || e.Outcome.Cause != engine.CauseMalformed {
		return
	}
	var w *wireError
	if errors.As(e.Err, &w) {
		w.malformed = true
	}
}
