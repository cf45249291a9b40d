package httpretry

import "time"

// The three forms of a date in HTTP (RFC 9110, section 5.6.7), as the length that tells them apart: only RFC 850, with
// the full name of the day, has no fixed one.
const (
	lenIMF     = len("Sun, 06 Nov 1994 08:49:37 GMT")
	lenAsctime = len("Sun Nov  6 08:49:37 1994")
	lenRFC850  = len(" 06-Nov-94 08:49:37 GMT") // behind the comma
)

// ParseDate reads a date as HTTP writes it: IMF-fixdate, which must have the right weekday, RFC 850, or asctime. The
// result is in UTC, whatever time zone the machine is in. A two-digit year is the latest one that puts the date no more
// than 50 years after wall. Leap seconds, other zones than GMT, and other letter case are refused.
func ParseDate(s string, wall time.Time) (time.Time, bool) {
	switch {
	case len(s) == lenIMF && s[3] == ',':
		return parseIMF(s)
	case len(s) == lenAsctime && s[3] == ' ':
		return parseAsctime(s)
	default:
		return parseRFC850(s, wall)
	}
}

// parseIMF reads "Sun, 06 Nov 1994 08:49:37 GMT". A date that would not print back the same is none: its sender is
// confused, and there is no telling which part is wrong.
func parseIMF(s string) (time.Time, bool) {
	if s[4] != ' ' || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' || s[25:] != " GMT" {
		return time.Time{}, false
	}
	f := fields{ok: true}
	f.year, f.month, f.day = f.four(s[12:16]), f.monthName(s[8:11]), f.two(s[5:7])
	f.clock(s[17:25])
	t, ok := f.time()
	return t, ok && t.Weekday().String()[:3] == s[:3]
}

// parseAsctime reads "Sun Nov  6 08:49:37 1994". It names no zone and is GMT all the same.
func parseAsctime(s string) (time.Time, bool) {
	if s[7] != ' ' || s[10] != ' ' || s[19] != ' ' || !isShortDay(s[:3]) {
		return time.Time{}, false
	}
	f := fields{ok: true}
	if s[8] == ' ' {
		f.day = f.digit(s[9])
	} else {
		f.day = f.two(s[8:10])
	}
	f.year, f.month = f.four(s[20:24]), f.monthName(s[4:7])
	f.clock(s[11:19])
	return f.time()
}

// parseRFC850 reads "Sunday, 06-Nov-94 08:49:37 GMT".
func parseRFC850(s string, wall time.Time) (time.Time, bool) {
	comma := len(s) - lenRFC850 - 1
	if comma < 0 || s[comma] != ',' || !isLongDay(s[:comma]) {
		return time.Time{}, false
	}
	s = s[comma+1:]
	if s[0] != ' ' || s[3] != '-' || s[7] != '-' || s[10] != ' ' || s[19:] != " GMT" {
		return time.Time{}, false
	}
	f := fields{ok: true}
	f.month, f.day = f.monthName(s[4:7]), f.two(s[1:3])
	f.clock(s[11:19])
	latest := wall.UTC().AddDate(50, 0, 0)
	f.year = latest.Year()/100*100 + f.two(s[8:10])
	// 29 February is there in one year of four, and may be missing where a century turns: the year is settled on the
	// calendar alone, then the day is checked in it.
	if f.after(latest) {
		f.year -= 100
	}
	return f.time()
}

// fields are the parts of a date as they are read; ok turns false at the first that is none.
type fields struct {
	year, day, hour, minute, second int
	month                           time.Month
	ok                              bool
}

func (f *fields) digit(c byte) int {
	if !isDigit(c) {
		f.ok = false
	}
	return int(c - '0')
}

func (f *fields) two(s string) int { return f.digit(s[0])*10 + f.digit(s[1]) }

func (f *fields) four(s string) int { return f.two(s[:2])*100 + f.two(s[2:4]) }

func (f *fields) monthName(s string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if months[3*m-3:3*m] == s {
			return m
		}
	}
	f.ok = false
	return 0
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// clock reads "08:49:37".
func (f *fields) clock(s string) {
	if s[2] != ':' || s[5] != ':' {
		f.ok = false
		return
	}
	f.hour, f.minute, f.second = f.two(s[:2]), f.two(s[3:5]), f.two(s[6:8])
	if f.hour > 23 || f.minute > 59 || f.second > 59 {
		f.ok = false
	}
}

// after tells whether the date lies after t, field by field.
func (f *fields) after(t time.Time) bool {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	a := [...]int{f.year, int(f.month), f.day, f.hour, f.minute, f.second}
	b := [...]int{year, int(month), day, hour, minute, second}
	for i := range a {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

// time is the moment the fields name, if there is such a day.
func (f *fields) time() (time.Time, bool) {
	if !f.ok {
		return time.Time{}, false
	}
	t := time.Date(f.year, f.month, f.day, f.hour, f.minute, f.second, 0, time.UTC)
	return t, f.day > 0 && t.Day() == f.day
}

func isShortDay(s string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if d.String()[:3] == s {
			return true
		}
	}
	return false
}

func isLongDay(s string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if d.String() == s {
			return true
		}
	}
	return false
}
