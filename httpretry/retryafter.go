package httpretry

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// ParseRetryAfter reads a Retry-After header (RFC 9110, section 10.2.3). present says whether there was one. A date is
// turned into a wait counted from date, the answer's own Date, where hasDate, else from wall, the wall clock; one in the
// past is a wait of 0. The two-digit years of RFC 850 are read relative to wall.
//
// Where a server sends several lines of it, the transport reads what they are together (RFC 9110, section 5.3): one where
// all say the same, else a list, which is unreadable here, as it is in every other header that asks for a wait, and in Date.
//
// White space around the value is no part of it. ASCII digits and nothing else are seconds, HintTooLong where no duration
// can hold them; a date that far ahead is HintTooLong too. Anything else is HintUnreadable: "", "-5", "+5", "1.5", "0x10",
// "10, 20", an IMF-fixdate whose weekday is wrong.
func ParseRetryAfter(value string, present bool, date time.Time, hasDate bool, wall time.Time) engine.Hint {
	return ReadRetryAfter(engine.Reads(0), value, present, date, hasDate, wall)
}

// ReadRetryAfter is ParseRetryAfter for a policy that reads other forms: what is in a form it does not read is
// HintUnreadable.
func ReadRetryAfter(reads engine.Reads, value string, present bool, date time.Time, hasDate bool, wall time.Time) engine.Hint {
	if !present {
		return engine.Hint{}
	}
	if n, ok := fewDigits(value); ok && reads == 0 { // as nearly all are
		return engine.Hint{State: engine.HintWait, Wait: time.Duration(n) * time.Second}
	}
	value = trimOWS(value)
	if value != "" && (isDigit(value[0]) || value[0] == '-' || value[0] == '.') {
		return parseSeconds(reads, value)
	}
	at, ok := ParseDate(value, wall)
	form := engine.FormOldDate
	if len(value) == lenIMF && value[3] == ',' {
		form = engine.FormDate
	}
	if !ok || !reads.Has(form) {
		return engine.Hint{State: engine.HintUnreadable}
	}
	from := wall
	if hasDate {
		from = date
	}
	wait := at.Sub(from) // saturates
	if wait == engine.Forever {
		return engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
	}
	return atOnce(reads, engine.Hint{State: engine.HintWait, Wait: max(wait, 0)})
}

// parseSeconds reads a number in Retry-After. Seconds names the whole ones; a fraction is read for what it is.
func parseSeconds(reads engine.Reads, s string) engine.Hint {
	if fewer := strings.TrimRight(s, "0123456789"); fewer == "" && !reads.Has(engine.FormSeconds) {
		return engine.Hint{State: engine.HintUnreadable}
	}
	return parseCount(reads, s, time.Second)
}

// parseCount reads a count of units: all of it digits, and a fraction or what is below 0 where that form is read.
func parseCount(reads engine.Reads, s string, unit time.Duration) engine.Hint {
	whole := s
	below := whole != "" && whole[0] == '-'
	if below {
		whole = whole[1:]
	}
	whole, rest, fraction := strings.Cut(whole, ".")
	hint := parseDigits(whole, unit)
	switch {
	case below && !reads.Has(engine.FormNegative), fraction && !reads.Has(engine.FormFraction):
		return engine.Hint{State: engine.HintUnreadable}
	case fraction && (whole+rest == "" || strings.Trim(rest, "0123456789") != ""):
		return engine.Hint{State: engine.HintUnreadable}
	case fraction && whole == "":
		hint = engine.Hint{State: engine.HintWait}
	}
	if hint.State == engine.HintUnreadable {
		return hint
	}
	if below {
		return engine.Hint{State: engine.HintWait}
	}
	if fraction && hint.State == engine.HintWait {
		if part, err := strconv.ParseFloat("0."+rest+"0", 64); err == nil {
			hint.Wait = addWait(hint.Wait, time.Duration(part*float64(unit)))
		}
	}
	return atOnce(reads, hint)
}

// addWait saturates.
func addWait(a, b time.Duration) time.Duration {
	if s := a + b; s >= a {
		return s
	}
	return engine.Forever
}

// atOnce lets a wait of 0 count only where that is read.
func atOnce(reads engine.Reads, h engine.Hint) engine.Hint {
	if h.State == engine.HintWait && h.Wait == 0 && !reads.Has(engine.FormZero) {
		return engine.Hint{State: engine.HintUnreadable}
	}
	return h
}

// fewDigits reads a number that no duration is too short for: up to nine digits and nothing else.
func fewDigits(s string) (n int64, ok bool) {
	const most = 9
	if s == "" || len(s) > most {
		return 0, false
	}
	for i := range len(s) {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// parseDigits reads a count of units, all of it digits.
func parseDigits(s string, unit time.Duration) engine.Hint {
	most := math.MaxInt64 / uint64(unit) //nolint:gosec // a unit is positive
	var n uint64
	for i := range len(s) {
		c := s[i]
		if !isDigit(c) {
			return engine.Hint{State: engine.HintUnreadable}
		}
		if n <= most { // beyond it nothing changes any more but that all must be digits
			n = n*10 + uint64(c-'0')
		}
	}
	switch {
	case s == "":
		return engine.Hint{State: engine.HintUnreadable}
	case n > most:
		return engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
	}
	return engine.Hint{State: engine.HintWait, Wait: time.Duration(n) * unit} //nolint:gosec // checked above
}

// trimOWS cuts optional white space (RFC 9110, section 5.6.3): spaces and tabs, no other kind.
func trimOWS(s string) string {
	for s != "" && isOWS(s[0]) {
		s = s[1:]
	}
	for s != "" && isOWS(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isOWS(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return c-'0' <= 9 }
