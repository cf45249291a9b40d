package httpretry_test

import (
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

func utc(t testing.TB, rfc3339 string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, rfc3339)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

var (
	none       = engine.Hint{}
	unreadable = engine.Hint{State: engine.HintUnreadable}
	tooLong    = engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
)

func waits(d time.Duration) engine.Hint { return engine.Hint{State: engine.HintWait, Wait: d} }

type hintCase struct {
	id, value string
	date      string // the answer's own Date, where there is one
	wall      string
	want      engine.Hint
}

const noon = "2026-01-01T12:00:00Z"

var hintCases = []hintCase{
	// Numbers.
	{id: "RA-16", value: "   7  ", want: waits(7 * time.Second)},
	{id: "RA-16 tabs", value: "\t7\t ", want: waits(7 * time.Second)},
	{id: "zero", value: "0", want: waits(0)},
	{id: "zeros", value: "000", want: waits(0)},
	{id: "leading zeros", value: strings.Repeat("0", 60) + "120", want: waits(2 * time.Minute)},
	{id: "RA-20", value: "3600", want: waits(time.Hour)},
	{id: "largest", value: "9223372036", want: waits(9223372036 * time.Second)},
	{id: "one more", value: "9223372037", want: tooLong},
	{id: "RA-08", value: "9999999999", want: tooLong},
	{id: "int64 in seconds", value: "9223372036854775807", want: tooLong},
	{id: "uint64 wraps to 5", value: "18446744073709551621", want: tooLong},
	{id: "RA-10", value: "99999999999999999999", want: tooLong},
	{id: "RA-10 long", value: strings.Repeat("9", 400), want: tooLong},
	{id: "long, then junk", value: strings.Repeat("9", 400) + "s", want: unreadable},
	{id: "RA-28", value: "1700000000", want: waits(1700000000 * time.Second)},

	// Nothing, and yet there is a header.
	{id: "RA-15 empty", value: "", want: unreadable},
	{id: "RA-15 blank", value: "   ", want: unreadable},
	{id: "blank tabs", value: " \t ", want: unreadable},

	// Neither digits nor a date.
	{id: "RA-06", value: "-1", want: unreadable},
	{id: "LG-06", value: "-5", want: unreadable},
	{id: "plus", value: "+5", want: unreadable},
	{id: "RA-11 a", value: "0.493", want: unreadable},
	{id: "RA-11 b", value: "0.129", want: unreadable},
	{id: "RA-11 c", value: "1.5", want: unreadable},
	{id: "RA-13 junk", value: "120junk", want: unreadable},
	{id: "RA-13 hex", value: "0x10", want: unreadable},
	{id: "RA-13 fraction", value: "5.9", want: unreadable},
	{id: "RA-13 list", value: "10, 20", want: unreadable},
	{id: "inner space", value: "1 0", want: unreadable},
	{id: "RA-18 nan", value: "nan", want: unreadable},
	{id: "RA-18 inf", value: "inf", want: unreadable},
	{id: "RA-18 1e999", value: "1e999", want: unreadable},
	{id: "RA-18 1e3", value: "1e3", want: unreadable},
	{id: "quoted", value: `"5"`, want: unreadable},
	{id: "other digits", value: "٥", want: unreadable},
	{id: "full width digits", value: "\uff15", want: unreadable},
	{id: "no-break space", value: "\u00a05", want: unreadable},
	{id: "newline", value: "5\n", want: unreadable},
	{id: "word", value: "soon", want: unreadable},
	{id: "comma", value: ",", want: unreadable},
	{id: "RA-05 zoneless", value: "1 Jan 2099 00:00:00", want: unreadable},
	{id: "RFC 3339", value: "2026-01-01T13:00:00Z", want: unreadable},

	// IMF-fixdate.
	{id: "RA-01", value: "Fri, 31 Dec 1999 23:59:59 GMT", wall: "1999-12-31T23:57:59Z", want: waits(2 * time.Minute)},
	{id: "RA-35", value: "Thu, 20 Aug 2026 09:00:00 GMT", wall: "2026-08-20T08:58:30Z", want: waits(90 * time.Second)},
	{id: "padded", value: "  Fri, 31 Dec 1999 23:59:59 GMT ", wall: "1999-12-31T23:57:59Z", want: waits(2 * time.Minute)},
	{id: "RA-26 local clock fast", value: "Thu, 01 Jan 2026 00:00:30 GMT", date: "2026-01-01T00:00:00Z", wall: "2026-01-01T00:10:00Z", want: waits(30 * time.Second)},
	{id: "RA-26 local clock slow", value: "Thu, 01 Jan 2026 00:00:30 GMT", date: "2026-01-01T00:00:00Z", wall: "2025-12-31T23:50:00Z", want: waits(30 * time.Second)},
	{id: "RA-26 no date", value: "Thu, 01 Jan 2026 00:00:30 GMT", wall: "2026-01-01T00:00:10Z", want: waits(20 * time.Second)},
	{id: "past", value: "Thu, 01 Jan 2026 00:00:30 GMT", want: waits(0)},
	{id: "this very second", value: "Thu, 01 Jan 2026 12:00:00 GMT", want: waits(0)},
	{id: "part of a second", value: "Thu, 01 Jan 2026 12:00:01 GMT", wall: "2026-01-01T12:00:00.25Z", want: waits(750 * time.Millisecond)},
	{id: "beyond any duration", value: "Fri, 31 Dec 9999 23:59:59 GMT", want: tooLong},
	{id: "year 0", value: "Sat, 01 Jan 0000 00:00:00 GMT", want: waits(0)},
	{id: "leap day", value: "Tue, 29 Feb 2028 00:00:00 GMT", wall: "2028-02-28T23:59:00Z", want: waits(time.Minute)},
	{id: "no leap day", value: "Mon, 29 Feb 2027 00:00:00 GMT", want: unreadable},
	{id: "day 31 of 30", value: "Thu, 31 Jun 2026 00:00:00 GMT", want: unreadable},
	{id: "day 0", value: "Wed, 00 Jan 2026 00:00:00 GMT", want: unreadable},
	{id: "hour 24", value: "Thu, 01 Jan 2026 24:00:00 GMT", want: unreadable},
	{id: "minute 60", value: "Thu, 01 Jan 2026 13:60:00 GMT", want: unreadable},
	{id: "RA-36 leap second", value: "Thu, 01 Jan 2026 21:30:60 GMT", want: unreadable},
	{id: "RA-36 wrong weekday", value: "Mon, 25 Jun 2020 00:00:00 GMT", wall: "2020-06-24T00:00:00Z", want: unreadable},
	{id: "RA-36 lower case", value: "thu, 01 jan 2026 13:00:00 gmt", want: unreadable},
	{id: "lower case day", value: "thu, 01 Jan 2026 13:00:00 GMT", want: unreadable},
	{id: "RA-05 zone", value: "Thu, 01 Jan 2026 13:00:00 XYZ", want: unreadable},
	{id: "UTC", value: "Thu, 01 Jan 2026 13:00:00 UTC", want: unreadable},
	{id: "offset", value: "Thu, 01 Jan 2026 13:00:00 +0000", want: unreadable},
	{id: "short day", value: "Thu, 1 Jan 2026 13:00:00 GMT", want: unreadable},
	{id: "spaced day", value: "Thu,  1 Jan 2026 13:00:00 GMT", want: unreadable},
	{id: "month 13", value: "Thu, 01 Foo 2026 13:00:00 GMT", want: unreadable},
	{id: "across two months", value: "Thu, 01 anF 2026 13:00:00 GMT", want: unreadable},
	{id: "no seconds", value: "Thu, 01 Jan 2026 13:00 GMT", want: unreadable},
	{id: "no digits", value: "Thu, 0x Jan 2026 13:00:00 GMT", want: unreadable},
	{id: "more behind", value: "Thu, 01 Jan 2026 13:00:00 GMT;", want: unreadable},

	// RFC 850.
	{id: "RFC 850", value: "Thursday, 01-Jan-26 12:00:30 GMT", want: waits(30 * time.Second)},
	{id: "RFC 850, from the Date", value: "Thursday, 01-Jan-26 12:00:30 GMT", date: "2026-01-01T12:00:10Z", want: waits(20 * time.Second)},
	{id: "RFC 850 next century", value: "Saturday, 01-Jan-00 00:00:10 GMT", wall: "2099-12-31T23:59:50Z", want: waits(20 * time.Second)},
	{id: "RFC 850 last century", value: "Friday, 31-Dec-99 23:59:59 GMT", want: waits(0)},
	{id: "RA-36 two digits, 49 years on", value: "Tuesday, 25-Jun-75 00:00:00 GMT", want: waits(1561377600 * time.Second)},
	{id: "RA-36 50 years to the second", value: "Wednesday, 01-Jan-76 12:00:00 GMT", want: waits(1577836800 * time.Second)},
	{id: "RA-36 a second more is the past", value: "Thursday, 01-Jan-76 12:00:01 GMT", want: waits(0)},
	{id: "leap day of RFC 850", value: "Tuesday, 29-Feb-28 00:00:00 GMT", wall: "2028-02-28T23:59:00Z", want: waits(time.Minute)},
	{id: "no leap day of RFC 850", value: "Tuesday, 29-Feb-27 00:00:00 GMT", want: unreadable},
	{id: "RFC 850 four digits", value: "Thursday, 01-Jan-2026 13:00:00 GMT", want: unreadable},
	{id: "RFC 850 short day", value: "Thu, 01-Jan-26 13:00:00 GMT", want: unreadable},
	{id: "RFC 850 no day", value: "Someday, 01-Jan-26 13:00:00 GMT", want: unreadable},
	{id: "RFC 850 zone", value: "Thursday, 01-Jan-26 13:00:00 EST", want: unreadable},
	{id: "RFC 850 leap second", value: "Thursday, 01-Jan-26 13:00:60 GMT", want: unreadable},
	{id: "RFC 850 lower case", value: "thursday, 01-jan-26 13:00:00 gmt", want: unreadable},
	{id: "RFC 850 day alone", value: "Thursday,", want: unreadable},

	// asctime.
	{id: "RA-03", value: "Mon Jun  3 11:30:12 2019", wall: "2019-06-03T11:00:00Z", want: waits(1812 * time.Second)},
	{id: "asctime two digits", value: "Thu Jan 01 12:00:30 2026", want: waits(30 * time.Second)},
	{id: "asctime 13th", value: "Tue Jan 13 12:00:00 2026", want: waits(12 * 24 * time.Hour)},
	{id: "asctime one space", value: "Mon Jun 3 11:30:12 2019", want: unreadable},
	{id: "asctime with a zone", value: "Thu Jan  1 13:00:00 2026 GMT", want: unreadable},
	{id: "asctime no day", value: "Xyz Jan  1 13:00:00 2026", want: unreadable},
	{id: "asctime day 32", value: "Thu Jan 32 13:00:00 2026", want: unreadable},
	{id: "asctime lower case", value: "thu jan  1 13:00:00 2026", want: unreadable},
}

func (c *hintCase) parse(t testing.TB) engine.Hint {
	t.Helper()
	if c.wall == "" {
		c.wall = noon
	}
	var date time.Time
	if c.date != "" {
		date = utc(t, c.date)
	}
	return httpretry.ParseRetryAfter(c.value, true, date, c.date != "", utc(t, c.wall))
}

// A date in HTTP is GMT wherever the machine stands, and whatever zone the wall clock is read in.
func TestParseRetryAfter(t *testing.T) {
	zones := []*time.Location{
		time.UTC,
		time.FixedZone("UTC+14", 14*60*60),
		time.FixedZone("UTC-9:30", -(9*60+30)*60),
	}
	old := time.Local
	t.Cleanup(func() { time.Local = old })
	for _, zone := range zones {
		time.Local = zone
		for _, c := range hintCases {
			t.Run(fmt.Sprintf("%s/%s", zone, c.id), func(t *testing.T) {
				if got := c.parse(t); got != c.want {
					t.Errorf("%q = %+v, want %+v", c.value, got, c.want)
				}
				if c.date != "" {
					return
				}
				got := httpretry.ParseRetryAfter(c.value, true, time.Time{}, false, utc(t, c.wall).In(zone))
				if got != c.want {
					t.Errorf("%q with the wall clock in %s = %+v, want %+v", c.value, zone, got, c.want)
				}
			})
		}
	}
}

func TestParseRetryAfterAbsent(t *testing.T) {
	if got := httpretry.ParseRetryAfter("5", false, time.Time{}, false, utc(t, noon)); got != none {
		t.Errorf("absent = %+v", got)
	}
}

func TestParseRetryAfterAllocatesNothing(t *testing.T) {
	wall := utc(t, noon)
	for _, s := range []string{
		"120", "99999999999999999999", "soon", "Thu, 01 Jan 2026 12:00:30 GMT", "Thursday, 01-Jan-26 12:00:30 GMT",
		"Thu Jan  1 12:00:30 2026",
	} {
		if n := testing.AllocsPerRun(100, func() { httpretry.ParseRetryAfter(s, true, wall, true, wall) }); n != 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}

func TestParseDate(t *testing.T) {
	wall := utc(t, noon)
	want := utc(t, "1994-11-06T08:49:37Z")
	for _, s := range []string{"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"} {
		if got, ok := httpretry.ParseDate(s, wall); !ok || got != want {
			t.Errorf("%q = %v %v", s, got, ok)
		}
	}
	for _, s := range []string{"", ",", "x", "Sun,", " 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT "} {
		if got, ok := httpretry.ParseDate(s, wall); ok {
			t.Errorf("%q = %v", s, got)
		}
	}
}

func ExampleParseRetryAfter() {
	wall := time.Date(1999, 12, 31, 23, 57, 59, 0, time.UTC)
	for _, value := range []string{"120", "Fri, 31 Dec 1999 23:59:59 GMT", "99999999999999999999", "-5"} {
		hint := httpretry.ParseRetryAfter(value, true, time.Time{}, false, wall)
		fmt.Println(hint.State == engine.HintWait, hint.State == engine.HintTooLong, hint.Wait.Truncate(time.Hour*24*365*100) == 0, hint.Wait%time.Hour)
	}
	// Output:
	// true false true 2m0s
	// true false true 2m0s
	// false true false 47m16.854775807s
	// false false true 0s
}

// Clients differ in what they read: a fraction here, and 0 as if nothing had been asked.
func ExampleReadRetryAfter() {
	reads := engine.ReadsOf(engine.FormSeconds, engine.FormFraction)
	for _, value := range []string{"1.5", "2", "0", "Fri, 31 Dec 1999 23:59:59 GMT"} {
		hint := httpretry.ReadRetryAfter(reads, value, true, time.Time{}, false, time.Time{})
		fmt.Println(value, hint.State == engine.HintWait, hint.Wait)
	}
	// Output:
	// 1.5 true 1.5s
	// 2 true 2s
	// 0 false 0s
	// Fri, 31 Dec 1999 23:59:59 GMT false 0s
}

func ExampleParseDate() {
	at, ok := httpretry.ParseDate("Sunday, 06-Nov-94 08:49:37 GMT", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	fmt.Println(at, ok)
	// Output: 1994-11-06 08:49:37 +0000 UTC true
}

// FuzzRetryAfter holds every value to the laws: a hint is one of four things, digits are what big arithmetic says,
// net/http agrees with each date that is read, and no time zone matters.
func FuzzRetryAfter(f *testing.F) {
	for _, c := range hintCases {
		f.Add(c.value, int64(1767268800), int64(0), false)
	}
	f.Add("Thu, 01 Jan 2026 00:00:30 GMT", int64(1767225600), int64(1767225000), true)
	f.Fuzz(func(t *testing.T, value string, wallSec, dateSec int64, hasDate bool) {
		const span = 1 << 36 // years 0 to 4000 or so
		wall, date := time.Unix(wallSec%span, 0).UTC(), time.Unix(dateSec%span, 0).UTC()
		h := httpretry.ParseRetryAfter(value, true, date, hasDate, wall)
		if again := httpretry.ParseRetryAfter(value, true, date, hasDate, wall.In(time.FixedZone("x", -5*3600))); again != h {
			t.Fatalf("%q: %+v in one zone, %+v in another", value, h, again)
		}
		trimmed := strings.Trim(value, " \t")
		checkHintShape(t, trimmed, h)
		digits := trimmed != "" && strings.Trim(trimmed, "0123456789") == ""
		if digits {
			checkDigits(t, trimmed, h)
			return
		}
		at, err := http.ParseTime(trimmed)
		if h.State != engine.HintWait && h.State != engine.HintTooLong {
			if err == nil && at.Format(http.TimeFormat) == trimmed {
				t.Fatalf("%q is an IMF-fixdate and was not read", trimmed)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q was read, net/http says %v", trimmed, err)
		}
		from := wall
		if hasDate {
			from = date
		}
		want := max(at.Sub(from), 0)
		if strings.Count(trimmed, "-") == 2 { // RFC 850: net/http has its own idea of the century
			if got, ok := httpretry.ParseDate(trimmed, wall); !ok || got.Year()%100 != at.Year()%100 || got.After(wall.AddDate(50, 0, 1)) {
				t.Fatalf("%q = %v, from %v", trimmed, got, wall)
			}
			return
		}
		if h.Wait != want {
			t.Fatalf("%q = %v, want %v", trimmed, h.Wait, want)
		}
	})
}

func checkHintShape(t *testing.T, trimmed string, h engine.Hint) {
	t.Helper()
	ok := false
	switch h.State {
	case engine.HintNone:
	case engine.HintUnreadable:
		ok = h.Wait == 0
	case engine.HintWait:
		ok = h.Wait >= 0 && h.Wait < engine.Forever
	case engine.HintTooLong:
		ok = h.Wait == engine.Forever
	}
	if !ok {
		t.Fatalf("%q: %+v", trimmed, h)
	}
}

func checkDigits(t *testing.T, digits string, h engine.Hint) {
	t.Helper()
	n, _ := new(big.Int).SetString(digits, 10)
	n.Mul(n, big.NewInt(int64(time.Second)))
	if !n.IsInt64() {
		if h != tooLong {
			t.Fatalf("%q: %+v, want too long", digits, h)
		}
		return
	}
	if h != waits(time.Duration(n.Int64())) {
		t.Fatalf("%q: %+v", digits, h)
	}
}
