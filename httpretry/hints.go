package httpretry

import (
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// reading is what the wait an answer asks for is read with: the policy's headers, and the wall clock where one is needed.
type reading struct {
	hints engine.Hints
	reads engine.Reads
	wall  func() time.Time
}

// hint is the wait that an answer asks for: by the first header of the policy's that gives one, else by Retry-After. A
// header that cannot be read is passed over, and told of where there is nothing else.
func (r *reading) hint(h http.Header) engine.Hint {
	var unread engine.Hint
	for _, from := range r.hints {
		if from == engine.HeaderRetryAfter {
			break
		}
		value, lines := field(h, from.Name())
		if lines == 0 {
			continue
		}
		hint := differing(r.further(from, value, h), lines)
		switch hint.State {
		case engine.HintWait, engine.HintTooLong:
			return hint
		case engine.HintUnreadable:
			if unread.State == engine.HintNone {
				unread = hint
			}
		case engine.HintNone:
		}
	}
	value, lines := field(h, "Retry-After")
	if lines == 0 || !r.reads.Header() {
		return unread
	}
	date, _ := field(h, "Date")
	return differing(hint(r.reads, value, true, date, r.wall()), lines)
}

// field is what a header says, and in how many lines: one where all say the same, else they are put together as RFC 9110,
// section 5.3, has it. Of a header that is no list that makes something nobody can read; to take one line of several would
// be a guess.
func field(h http.Header, key string) (value string, lines int) {
	all := h[key]
	if len(all) == 0 {
		return "", 0
	}
	for _, v := range all[1:] {
		if trimOWS(v) != trimOWS(all[0]) {
			return strings.Join(all, ", "), len(all)
		}
	}
	return all[0], 1
}

// differing notes that a hint cannot be read because its lines differ.
func differing(h engine.Hint, lines int) engine.Hint {
	if lines > 1 && h.State == engine.HintUnreadable {
		h.Lines = uint8(min(lines, math.MaxUint8)) //nolint:gosec // just bounded
	}
	return h
}

// further reads a header other than Retry-After.
func (r *reading) further(from engine.HintHeader, value string, h http.Header) engine.Hint {
	var hint engine.Hint
	switch from {
	case engine.HeaderRetryAfterMS, engine.HeaderXMSRetryAfterMS, engine.HeaderXAmzRetryAfter:
		hint = parseCount(r.reads, trimOWS(value), time.Millisecond)
	case engine.HeaderRateLimitReset:
		hint = parseCount(r.reads, trimOWS(value), time.Second)
	case engine.HeaderXRateLimitReset:
		hint = r.reset(trimOWS(value), h)
	case engine.HeaderRetryAfter:
	}
	if hint.State != engine.HintNone {
		hint.From = from
	}
	return hint
}

// reset reads a time in Unix seconds, counted from the answer's own Date as a date in Retry-After is. One that has passed
// asks for nothing.
func (r *reading) reset(value string, h http.Header) engine.Hint {
	hint := parseDigits(value, time.Second)
	if hint.State != engine.HintWait {
		return hint
	}
	now := r.wall()
	text, _ := field(h, "Date")
	if date, ok := ParseDate(trimOWS(text), now); ok {
		now = date
	}
	wait := time.Unix(int64(hint.Wait/time.Second), 0).Sub(now)
	if wait <= 0 {
		return engine.Hint{}
	}
	return engine.Hint{State: engine.HintWait, Wait: wait}
}
