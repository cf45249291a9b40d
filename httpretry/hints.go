package httpretry

import (
	"net/http"
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
		value, present := first(h, from.Name())
		if !present {
			continue
		}
		hint := r.further(from, value, h)
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
	value, present := first(h, "Retry-After")
	if !present || !r.reads.Header() {
		return unread
	}
	date, _ := first(h, "Date")
	return hint(r.reads, value, present, date, r.wall())
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
	text, _ := first(h, "Date")
	if date, ok := ParseDate(trimOWS(text), now); ok {
		now = date
	}
	wait := time.Unix(int64(hint.Wait/time.Second), 0).Sub(now)
	if wait <= 0 {
		return engine.Hint{}
	}
	return engine.Hint{State: engine.HintWait, Wait: wait}
}
