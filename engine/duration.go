package engine

import (
	"errors"
	"strings"
	"time"
)

// FormatDuration prints a duration as a policy does: 200ms, 1.5s, 1m30s, 1h; "none" for one that is endless.
func FormatDuration(d time.Duration) string {
	if d == Forever {
		return "none"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if d == 0 {
		return "0s"
	}
	return s
}

// ErrTooShort is a duration below 1 ns that is not 0.
var ErrTooShort = errors.New("a duration below 1ns that is not 0")

// ParseDuration is time.ParseDuration, but for what that cuts to 0: a wait written down is not to become none. Errors:
// those of time.ParseDuration; ErrTooShort.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil && d == 0 && strings.ContainsAny(s, "123456789") {
		return 0, ErrTooShort
	}
	return d, err
}

var (
	errUnit  = errors.New("a number with a unit: 200ms, 1.5s, 2m, 1h")
	errShort = errors.New("0, or 1ns or more, with a unit: 200ms, 1.5s, 2m, 1h")
	errBelow = errors.New("0 or more, with a unit: 200ms, 1.5s, 2m, 1h")
)

// parseDuration reads a duration of 0 or more, below Forever; a bare 0 needs no unit.
func parseDuration(s string) (time.Duration, error) {
	d, err := ParseDuration(s)
	switch {
	case errors.Is(err, ErrTooShort):
		return 0, errShort
	case err != nil || d == Forever:
		return 0, errUnit
	case !finite(d):
		return 0, errBelow
	}
	return d, nil
}

// finite tells whether d is a duration a knob can hold: Forever has a word of its own, where it is allowed at all.
func finite(d time.Duration) bool { return d >= 0 && d < Forever }
