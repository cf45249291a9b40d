package engine

import (
	"errors"
	"strings"
)

// HintHeader is a header in which a server asks to be left alone for a while.
type HintHeader uint8

// The headers. All but Retry-After are read only where Policy.Hints names them.
const (
	HeaderRetryAfter      HintHeader = iota // seconds or a date (RFC 9110, section 10.2.3)
	HeaderRetryAfterMS                      // milliseconds (Azure, OpenAI)
	HeaderXMSRetryAfterMS                   // milliseconds (Azure)
	HeaderXAmzRetryAfter                    // milliseconds (AWS)
	HeaderRateLimitReset                    // seconds from now (draft-ietf-httpapi-ratelimit-headers)
	HeaderXRateLimitReset                   // a time in Unix seconds (GitHub)
	numHintHeaders
)

var hintHeaderWords = [numHintHeaders]string{
	"retry-after", "retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after", "ratelimit-reset", "x-ratelimit-reset",
}

var hintHeaderNames = [numHintHeaders]string{
	"Retry-After", "Retry-After-Ms", "X-Ms-Retry-After-Ms", "X-Amz-Retry-After", "Ratelimit-Reset", "X-Ratelimit-Reset",
}

// String is the header as a policy and a record write it, in lower case.
func (h HintHeader) String() string { return word(hintHeaderWords[:], int(h)) }

// Name is the header in the canonical form of net/http.
func (h HintHeader) Name() string { return word(hintHeaderNames[:], int(h)) }

// HintHeaders are the headers a policy can name in hints.
func HintHeaders() []HintHeader {
	out := make([]HintHeader, 0, numHintHeaders-1)
	for h := HeaderRetryAfterMS; h < numHintHeaders; h++ {
		out = append(out, h)
	}
	return out
}

// Hints are headers read before Retry-After, in this order: the first that gives a wait counts. HeaderRetryAfter fills
// the places behind them.
type Hints [numHintHeaders - 1]HintHeader

// String is the list as a policy writes it.
func (h Hints) String() string {
	var out []string
	for _, one := range h {
		if one != HeaderRetryAfter {
			out = append(out, one.String())
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ",")
}

// valid tells whether each header is named once, and there are no gaps.
func (h *Hints) valid() bool {
	var seen [numHintHeaders]bool
	for i, one := range h {
		switch {
		case one >= numHintHeaders, i > 0 && one != HeaderRetryAfter && (seen[one] || h[i-1] == HeaderRetryAfter):
			return false
		}
		seen[one] = true
	}
	return true
}

func allowedHints() string {
	return "none, or a list of " + strings.Join(hintHeaderWords[1:], ", ") + ", each once, in the order they are read in before Retry-After"
}

func parseHints(p *Policy, s string) error {
	if s == "none" {
		p.Hints = Hints{}
		return nil
	}
	var h Hints
	for i, w := range strings.Split(s, ",") {
		one := HeaderRetryAfter
		for _, known := range HintHeaders() {
			if strings.EqualFold(w, known.String()) {
				one = known
			}
		}
		if one == HeaderRetryAfter || i >= len(h) {
			return errors.New(allowedHints())
		}
		h[i] = one
	}
	if !h.valid() {
		return errors.New(allowedHints())
	}
	p.Hints = h
	return nil
}
