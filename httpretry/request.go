package httpretry

import (
	"net/http"
	"strings"
)

// check finds what no transport could send, before anything is sent: net/http has no type for it, and asking again
// gives the same. The parts and their order are those of net/http.
func check(req *http.Request) error {
	switch {
	case req.URL == nil:
		return &RequestError{Part: "URL", Text: "there is none"}
	case req.Header == nil:
		return &RequestError{Part: "header", Text: "there is none"}
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return &RequestError{Part: "scheme", Text: quoted(req.URL.Scheme) + " is neither http nor https"}
	case req.URL.Host == "":
		return &RequestError{Part: "host", Text: "there is none"}
	case req.Method != "" && !isToken(req.Method):
		return &RequestError{Part: "method", Text: quoted(req.Method) + " is no token"}
	}
	if len(req.Header) > 0 { // to range over an empty map is not for nothing
		if bad := checkHeader(req.Header); bad != "" {
			return &RequestError{Part: "header", Text: bad}
		}
	}
	if len(req.Trailer) > 0 {
		if bad := checkHeader(req.Trailer); bad != "" {
			return &RequestError{Part: "trailer", Text: bad}
		}
	}
	return nil
}

// checkHeader says what is wrong with the first bad field, and never its value.
func checkHeader(h http.Header) string {
	for name, values := range h {
		if !isToken(name) {
			return "the name " + quoted(name) + " is no token"
		}
		for _, v := range values {
			if !isFieldValue(v) {
				return "the value of " + name + " holds a control character"
			}
		}
	}
	return ""
}

// isToken tells whether s is a token (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || !isAlnum(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

func isAlnum(c byte) bool { return isDigit(c) || c|0x20-'a' < 26 }

// isFieldValue tells whether s may be sent as a field's value: no control characters but the tab (RFC 9110, section 5.5).
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// quoted puts a text of the caller's in quotes, without control characters and not at any length.
func quoted(s string) string {
	const most = 40
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f {
			return '?'
		}
		return r
	}, s)
	if len(clean) > most {
		clean = clean[:most] + "..."
	}
	return `"` + clean + `"`
}
