package script

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String gives the script in its canonical form, in one line. Parsed again it
// makes an equal script.
func (s *Script) String() string {
	return join(s.mode, s.steps)
}

func join(mode Mode, steps []Step) string {
	var b strings.Builder
	for i := range steps {
		if i > 0 {
			b.WriteString(", ")
		}
		switch mode {
		case ByCount:
		case ByTime:
			b.WriteString("@" + steps[i].At.String() + " ")
		case ByChance:
			b.WriteString(steps[i].Share.String() + " ")
		}
		b.WriteString(steps[i].String())
	}
	return b.String()
}

// Answer names the outcome by its word: "503", "reset".
func (s Step) Answer() string {
	if s.Kind == Status {
		return strconv.Itoa(s.Status)
	}
	return s.Kind.String()
}

// String gives the outcome and its options as a script has them, without the
// time or the share of the step.
func (s Step) String() string {
	var b strings.Builder
	b.WriteString(s.Answer())
	if s.Count > 1 {
		b.WriteString(" x" + strconv.Itoa(s.Count))
	}
	option := func(name string, v Value) {
		if v.Set {
			b.WriteString(" " + name + "=" + quote(v.Text))
		}
	}
	option(optAfter, s.After)
	if s.Latency > 0 {
		option(optLatency, Value{s.Latency.String(), true})
	}
	option(optDate, s.Date)
	option(optReason, s.Reason)
	for _, h := range s.Headers {
		option(optHeader, Value{h.Name + ": " + h.Value, true})
	}
	option(optBody, s.Body)
	return b.String()
}

// quote writes a value bare where it may stand so, else in quotes. What a
// terminal would act on (control, bidi and zero width characters, broken
// UTF-8) comes out as an escape.
func quote(s string) string {
	special := func(r rune) bool { return r == ' ' || r == ',' || !unicode.IsPrint(r) }
	if !strings.HasPrefix(s, `"`) && utf8.ValidString(s) && !strings.ContainsFunc(s, special) {
		return s
	}
	return strconv.Quote(s)
}
