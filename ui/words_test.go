package ui

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

func TestFormatTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "<0.001ms", 1500: "0.002ms", 250 * time.Microsecond: "0.25ms", 4 * ms: "0.004s", 40 * ms: "0.04s",
		7400 * time.Microsecond: "7.4ms", 9940 * time.Microsecond: "9.9ms", 9960 * time.Microsecond: "0.010s", 35100 * time.Microsecond: "0.035s",
		30100 * time.Microsecond: "0.030s", 104 * ms: "0.10s", 196600 * time.Microsecond: "0.20s", 99600 * time.Microsecond: "0.10s", 2003 * ms: "2.00s",
		140 * ms: "0.14s", 999 * ms: "1.00s", 800 * ms: "0.8s", 2 * time.Second: "2s", 3126 * ms: "3.13s", 9996 * ms: "10.0s", 10 * time.Second: "10s",
		12240 * ms: "12.2s", 59960 * ms: "1m", 59 * time.Second: "59s", 90 * time.Second: "1m 30s", 156 * time.Second: "2m 36s",
		time.Hour: "1h", 3599600 * ms: "1h", 90 * time.Minute: "1h 30m", 25 * time.Hour: "1d 1h", 400 * day: "400d",
		engine.Forever: "for ever", engine.Forever - 1: "106751d 23h", -2 * time.Second: "-2s", math.MinInt64: "-for ever",
	} {
		if got := FormatTime(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{1400 * ms: "1.40s", 2 * time.Second: "2.00s", 0: "0s", 12 * time.Second: "12s", 3 * ms: "0.003s", 30 * ms: "0.03s", 300 * ms: "0.30s"} {
		if got := clockText(d); got != want {
			t.Errorf("clock %v: %q, want %q", d, got, want)
		}
	}
}

// A time that is drawn has two figures at the least, and what is printed is never further off than half its last place.
func TestTimesHaveTwoFigures(t *testing.T) {
	t.Parallel()
	for d := time.Microsecond; d < time.Minute-50*ms; d += d/97 + 13 {
		text := FormatTime(d)
		got, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%d: %q: %v", d, text, err)
		}
		digits := strings.TrimLeft(strings.Trim(text, "ms"), "0.")
		if n := len(strings.ReplaceAll(digits, ".", "")); n < 2 && got != d && d > 10*time.Microsecond {
			t.Errorf("%d: %q has %d figures", d, text, n)
		}
		if off := (got - d).Abs(); off > d/19+500 {
			t.Errorf("%d: %q is off by %v", d, text, off)
		}
	}
}

func TestFormatRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lo, hi time.Duration
		want   string
	}{
		{0, 200 * ms, "0–0.2s"},
		{500 * ms, time.Second, "0.5–1s"},
		{2 * time.Second, 2 * time.Second, "2s"},
		{0, 0, "0s"},
		{0, 10 * time.Minute, "0–10m"},
		{30 * time.Second, 90 * time.Second, "30s–1m 30s"},
		{0, 500 * time.Microsecond, "0–0.5ms"},
		{200 * time.Microsecond, 500 * ms, "0.2ms–0.5s"},
		{time.Second, engine.Forever, "1s or more"},
		{0, engine.Forever, "any time"},
		{engine.Forever, engine.Forever, "for ever"},
		{7400 * time.Microsecond, 500 * ms, "7.4ms–0.5s"},
		{100 * ms, 104 * ms, "0.1–0.10s"},
	} {
		if got := string(appendRange(nil, c.lo, c.hi, "–")); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

func TestPercentIsNeverRoundedToNoneOrAll(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{0: "0%", 0.001: "<1%", 0.004999: "<1%", 0.378: "38%", 0.9951: ">99%", 1: "100%", 0.99: "99%"} {
		if got := string(appendPercent(nil, share)); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func TestOutcomeWordsFitTheirColumn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for k := engine.KindSuccess; k <= engine.KindUnknown; k++ {
		for _, c := range append(engine.Causes(), engine.CauseNone) {
			for _, s := range []int{0, 99, 200, 503, 599} {
				w := outcomeWord(&engine.Outcome{Kind: k, Cause: c, Status: s})
				if len(w) == 0 || len(w) > 7 {
					t.Errorf("%v %v %d is %q", k, c, s, w)
				}
				seen[w] = true
			}
		}
	}
	for _, want := range []string{"503", "200", "99", "599", "reset", "timeout", "malform", "dns", "refused", "decode", "cancel"} {
		if !seen[want] {
			t.Errorf("no outcome is %q", want)
		}
	}
}

// A word that is too long is broken behind a comma, where it has one.
func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"one two three", 7, "one two|three"},
		{"retry-on=transport,timeout,429 x", 20, "retry-on=transport,|timeout,429 x"},
		{"abcdefgh", 3, "abc|def|gh"},
		{"ééééé,é", 4, "éééé|é,é"},
		{"", 4, ""},
		{"a", 0, ""},
	} {
		if got := strings.Join(wrap(c.text, c.w), "|"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.w, got, c.want)
		}
	}
}
