package ui

import (
	"math"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// later adds two times and saturates at engine.Forever. A negative time counts as 0.
func later(a, b time.Duration) time.Duration {
	a, b = max(a, 0), max(b, 0)
	if s := a + b; s >= a {
		return s
	}
	return engine.Forever
}

// FormatTime prints a time for reading, to two figures at the least: 0.14s, 0.035s, 2s, 12.2s, 1m 30s, 1h; "for ever" for
// one that has no end. Zeros at the end are left out where the time is exactly that: 0.2s is 200ms, 0.20s is about that.
func FormatTime(d time.Duration) string { return string(appendTime(nil, d)) }

func appendTime(b []byte, d time.Duration) []byte {
	switch {
	case d == engine.Forever:
		return append(b, "for ever"...)
	case d < 0:
		return appendTime(append(b, '-'), -max(d, -engine.Forever))
	case d == 0:
		return append(b, "0s"...)
	case d < 500*time.Nanosecond:
		return append(b, "<0.001ms"...)
	case d < time.Millisecond:
		return append(appendFigure(b, d, time.Millisecond, 3), "ms"...)
	case d < 10*time.Millisecond-50*time.Microsecond && d%time.Millisecond != 0:
		return append(appendFigure(b, d, time.Millisecond, 1), "ms"...)
	case d < 100*time.Millisecond-500*time.Microsecond:
		return append(appendFigure(b, d, time.Second, 3), 's')
	case d < 10*time.Second-5*time.Millisecond:
		return append(appendFigure(b, d, time.Second, 2), 's')
	case d < time.Minute-50*time.Millisecond:
		return append(appendFigure(b, d, time.Second, 1), 's')
	}
	return appendLong(b, d)
}

// appendInSeconds is appendTime for a time beside others that are in seconds: 0.0063s, not 6.3ms.
func appendInSeconds(b []byte, d time.Duration) []byte {
	switch {
	case d >= 10*time.Millisecond-50*time.Microsecond || d < 100*time.Microsecond:
		return appendTime(b, d)
	case d >= time.Millisecond-5*time.Microsecond:
		return append(appendFigure(b, d, time.Second, 4), 's')
	}
	return append(appendFigure(b, d, time.Second, 5), 's')
}

// appendInMillis is appendTime for a time beside others that are in milliseconds.
func appendInMillis(b []byte, d time.Duration) []byte {
	if d < 10*time.Millisecond || d >= time.Second {
		return appendTime(b, d)
	}
	return append(appendFigure(b, d, time.Millisecond, 1), "ms"...)
}

// appendLong prints a minute and more in its two largest units.
func appendLong(b []byte, d time.Duration) []byte {
	const day = 24 * time.Hour
	units := [...]struct {
		d    time.Duration
		name byte
	}{{day, 'd'}, {time.Hour, 'h'}, {time.Minute, 'm'}, {time.Second, 's'}}
	for i, u := range units[:len(units)-1] {
		if small := units[i+1]; d >= u.d-small.d/2 || i == len(units)-2 {
			if d < math.MaxInt64-small.d {
				d = (d + small.d/2) / small.d * small.d
			}
			b = append(strconv.AppendInt(b, int64(d/u.d), 10), u.name)
			if rest := d % u.d / small.d; rest > 0 {
				b = append(strconv.AppendInt(append(b, ' '), int64(rest), 10), small.name)
			}
			return b
		}
	}
	return b
}

// appendFigure prints d in a unit with so many places, without zeros at the end where the figure is exact.
func appendFigure(b []byte, d, unit time.Duration, places int) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, float64(d)/float64(unit), 'f', places, 64)
	least := unit
	for range places {
		least /= 10
	}
	if places == 0 || d%least != 0 {
		return b
	}
	for len(b) > from && b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if len(b) > from && b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return b
}

// appendClock is appendTime with two places always from 0.1s to ten seconds, for a figure that is counted down or
// compared with others: 1.40s.
func appendClock(b []byte, d time.Duration) []byte {
	if d >= 100*time.Millisecond-500*time.Microsecond && d < 10*time.Second-5*time.Millisecond {
		return append(strconv.AppendFloat(b, d.Seconds(), 'f', 2, 64), 's')
	}
	return appendTime(b, d)
}

// appendRange prints lo–hi in one unit where both are seconds: 0–1.6s, 0.5–1s, 2s; "any time" and "1s or more" where it
// has no end.
func appendRange(b []byte, lo, hi time.Duration, to string) []byte {
	switch {
	case lo == hi:
		return appendTime(b, hi)
	case hi == engine.Forever && lo == 0:
		return append(b, "any time"...)
	case hi == engine.Forever:
		return append(appendTime(b, lo), " or more"...)
	case lo == 0:
		b = append(b, '0')
		return appendTime(append(b, to...), hi)
	}
	b = appendTime(b, lo)
	if inSeconds(lo) && inSeconds(hi) {
		b = b[:len(b)-1] // the unit stands once, at the end
	}
	return appendTime(append(b, to...), hi)
}

// inSeconds tells whether appendTime prints a time in seconds alone.
func inSeconds(d time.Duration) bool {
	return d >= time.Millisecond && (d >= 10*time.Millisecond-50*time.Microsecond || d%time.Millisecond == 0) && d < time.Minute-50*time.Millisecond
}

// appendPercent prints a share in percent; what is neither none nor all never reads as 0% or 100%.
func appendPercent(b []byte, share float64) []byte {
	p := math.Round(share * 100)
	switch {
	case share > 0 && p < 1:
		return append(b, "<1%"...)
	case share < 1 && p > 99:
		return append(b, ">99%"...)
	}
	return append(strconv.AppendInt(b, int64(p), 10), '%')
}

// causeShort are the causes that are too long for the timeline's column of 7, by their words there.
var causeShort = map[engine.Cause]string{
	engine.CauseUnreachable:  "unreach",
	engine.CauseMalformed:    "malform",
	engine.CauseRedirectLoop: "loop",
	engine.CauseRequest:      "request",
}

// kindShort are the kinds where no cause says more.
var kindShort = [...]string{
	engine.KindSuccess: "ok", engine.KindStatus: "status", engine.KindTransport: "network", engine.KindTimeout: "timeout",
	engine.KindInvalidResponse: "invalid", engine.KindDecoding: "decode", engine.KindCancelled: "cancel", engine.KindUnknown: "unknown",
}

// outcomeWord is the outcome of an attempt in at most 7 letters: 503, reset, timeout.
func outcomeWord(o *engine.Outcome) string {
	switch {
	case o.Status != 0 && (o.Kind == engine.KindStatus || o.Kind == engine.KindSuccess):
		return statusText(o.Status)
	case o.Cause != engine.CauseNone:
		if s, ok := causeShort[o.Cause]; ok {
			return s
		}
		return o.Cause.String()
	case int(o.Kind) < len(kindShort):
		return kindShort[o.Kind]
	}
	return "error"
}

// wholeWord is the outcome of an attempt by the name that it has everywhere else, of any length.
func wholeWord(o *engine.Outcome) string {
	switch {
	case o.Status != 0 && (o.Kind == engine.KindStatus || o.Kind == engine.KindSuccess):
	case o.Cause != engine.CauseNone:
		return o.Cause.String()
	case o.Kind == engine.KindDecoding || o.Kind == engine.KindTransport:
		return o.Kind.String()
	}
	return outcomeWord(o)
}

// statusDigits are the statuses from 100 to 599 in a row, so that a status in words costs nothing.
var statusDigits = func() string {
	b := make([]byte, 0, 3*500)
	for s := 100; s < 600; s++ {
		b = strconv.AppendInt(b, int64(s), 10)
	}
	return string(b)
}()

func statusText(s int) string {
	if s < 100 || s > 599 {
		return strconv.Itoa(s)
	}
	return statusDigits[3*(s-100) : 3*(s-100)+3]
}
