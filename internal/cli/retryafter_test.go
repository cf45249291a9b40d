package cli_test

import (
	"strconv"
	"strings"
	"testing"
)

// TestRetryAfter asks for the wait after a 429 under attempts 2, base 1s without jitter, ceiling 1h: its milliseconds, or
// "deferred". "own" is the second of the policy itself, with the header told to be unreadable where it is.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const now = "2026-06-03T11:00:00Z"
	for _, tc := range []struct{ header, date, now, wait string }{
		{header: "7", wait: "7000"},
		{header: "   7  ", wait: "7000"}, // padding is no part of the value
		{header: "0", wait: "own"},       // at least the own wait
		{header: "3600", wait: "3600000"},
		{header: "3601", wait: "deferred"},
		{header: "9999999999", wait: "deferred"}, // overflows a timer of 32 bits
		{header: strings.Repeat("9", 20), wait: "deferred"},
		{header: strings.Repeat("9", 400), wait: "deferred"},
		{header: "", wait: "unreadable"},
		{header: "   ", wait: "unreadable"},
		{header: "-1", wait: "unreadable"},
		{header: "-5", wait: "unreadable"},
		{header: "+5", wait: "unreadable"},
		{header: "0.493", wait: "unreadable"},
		{header: "1.5", wait: "unreadable"},
		{header: "5.9", wait: "unreadable"},
		{header: "120junk", wait: "unreadable"},
		{header: "0x10", wait: "unreadable"},
		{header: "10, 20", wait: "unreadable"},
		{header: "nan", wait: "unreadable"},
		{header: "inf", wait: "unreadable"},
		{header: "1e3", wait: "unreadable"},
		{header: "1e999", wait: "unreadable"},
		{header: "1 Jan 2099 00:00:00", wait: "unreadable"}, // no form of HTTP, and no zone
		{header: "Wed, 03 Jun 2026 11:30:00 XYZ", wait: "unreadable"},
		{header: "Wed, 03 Jun 2026 11:30:00 GMT", wait: "1800000"},
		{header: "Wed, 03 Jun 2026 10:30:00 GMT", wait: "own"}, // past
		{header: "Wednesday, 03-Jun-26 11:30:00 GMT", wait: "1800000"},
		{header: "Mon Jun  3 11:30:12 2019", now: "2019-06-03T11:00:00Z", wait: "1812000"}, // no zone, and yet UTC
		{header: "Fri, 31 Dec 1999 23:59:59 GMT", now: "1999-12-31T23:57:59Z", wait: "120000"},
		{header: "Fri, 31 Dec 1999 23:59:59 GMT", wait: "own"},
		// The clock of the machine is ten minutes fast, then slow: the answer's own date counts.
		{header: "Thu, 01 Jan 2026 00:00:30 GMT", date: "Thu, 01 Jan 2026 00:00:00 GMT", now: "2026-01-01T00:10:00Z", wait: "30000"},
		{header: "Thu, 01 Jan 2026 00:00:30 GMT", date: "Thu, 01 Jan 2026 00:00:00 GMT", now: "2025-12-31T23:50:00Z", wait: "30000"},
		{header: "Thu, 01 Jan 2026 00:00:30 GMT", date: "no date", now: "2026-01-01T00:00:00Z", wait: "30000"},
		{header: "Wed, 03 Jun 2026 11:30:60 GMT", wait: "unreadable"}, // a leap second
		{header: "wed, 03 jun 2026 11:30:00 gmt", wait: "unreadable"},
	} {
		t.Run(tc.header+" "+tc.date+" "+tc.now, func(t *testing.T) {
			t.Parallel()
			if tc.now == "" {
				tc.now = now
			}
			step := "429 after=" + strconv.Quote(tc.header)
			if tc.date != "" {
				step += " date=" + strconv.Quote(tc.date)
			}
			code := 1
			if tc.wait == "deferred" {
				code = 3
			}
			all := events(t, code, "--script", step, "--attempts", "2", "--base", "1s", "--jitter", "none", "--ceiling", "1h", "--now", tc.now)
			outcome := named(all, "outcome")[0]
			if got := outcome.value("retry_after"); got != tc.header {
				t.Errorf("the record has %q", got)
			}
			if got := outcome.value("retry_after_unreadable"); (got == "true") != (tc.wait == "unreadable") {
				t.Errorf("unreadable: %s", got)
			}
			waits := named(all, "wait")
			if tc.wait == "deferred" {
				if len(waits) > 0 || all[len(all)-1].value("result") != "deferred" {
					t.Errorf("waits %v, ended with %v", waits, all[len(all)-1])
				}
				return
			}
			want, source := tc.wait, "server"
			if want == "own" || want == "unreadable" {
				want, source = "1000", "own"
			}
			if got := waits[0].value("wait_ms"); got != want {
				t.Errorf("waits %s, want %s", got, want)
			}
			if got := waits[0].value("source"); got != source {
				t.Errorf("source %s, want %s", got, source)
			}
		})
	}
}

// TestRetryAfterIsNotJittered asks for the ends of the draw and between: a server's figure is only lengthened.
func TestRetryAfterIsNotJittered(t *testing.T) {
	t.Parallel()
	for _, draw := range []string{"0", "0.25", "0.5", "1"} {
		all := events(t, 1, "--script", "429 after=3", "--attempts", "3", "--spread", "2s", "--draw", draw)
		for _, w := range named(all, "wait") {
			if ms := w["wait_ms"].(float64); ms < 3000 || ms > 5000 {
				t.Errorf("draw %s: waits %v ms", draw, ms)
			}
		}
	}
}
