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

var (
	errUnit  = errors.New("a number with a unit: 200ms, 1.5s, 2m, 1h")
	errBelow = errors.New("0 or more, with a unit: 200ms, 1.5s, 2m, 1h")
)

// parseDuration reads a duration of 0 or more, below Forever; a bare 0 needs no unit.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil || d == Forever:
		return 0, errUnit
	case !finite(d):
		return 0, errBelow
	}
	return d, nil
}

// finite tells whether d is a duration a knob can hold: Forever has a word of its own, where it is allowed at all.
func finite(d time.Duration) bool { return d >= 0 && d < Forever }
