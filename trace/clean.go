package trace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escaped is what stands for a terminal's control sequence, whole.
const escaped = "^["

// Clean makes a text from outside fit for a terminal: it holds no control character, nothing that turns the direction
// of writing, and nothing that has no width. A control sequence becomes ^[, another C0 control its caret form (^G),
// a tab or new line a space, and the rest U+FFFD. A sequence that never ends loses its beginning only, so that it does
// not swallow what follows. Cleaning twice is cleaning once.
func Clean(s string) string {
	if i := firstUnclean(s); i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := sequence(s[i:]); n > 0 {
			b.WriteString(escaped)
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(visible(r, size))
		i += size
	}
	return b.String()
}

// CleanBytes is Clean for what may be no text at all: that is shown by its size only.
func CleanBytes(b []byte) string {
	if !utf8.Valid(b) || strings.ContainsRune(string(b), 0) {
		return fmt.Sprintf("binary, %d bytes", len(b))
	}
	return Clean(string(b))
}

func firstUnclean(s string) int {
	for i, r := range s {
		if !shown(r) || r == utf8.RuneError {
			return i
		}
	}
	return -1
}

// visible is a character as it may be shown.
func visible(r rune, size int) string {
	const del = 0x7f
	switch {
	case r == utf8.RuneError && size <= 1:
		return string(utf8.RuneError)
	case r == '\t' || r == '\n' || r == '\r':
		return " "
	case r < ' ':
		return "^" + string(r+'@')
	case r == del:
		return "^?"
	case !shown(r):
		return string(utf8.RuneError)
	default:
		return string(r)
	}
}

// shown tells whether a character may be shown as it is: it has a width, and a terminal prints it and does nothing else.
func shown(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return unicode.IsPrint(r) && !unicode.Is(invisible, r)
}

// invisible are the characters Unicode calls default ignorable although Go takes them for printable.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}}, // tags and further selectors
}

// The bytes of ECMA-48, in their 7-bit form after an escape.
const (
	esc = 0x1b
	bel = 0x07
)

// sequence is how many bytes a control sequence at the start of s takes, 0 where there is none.
func sequence(s string) int {
	kind, n := introducer(s)
	switch {
	case n == 0:
		return 0
	case kind == '[':
		return n + parameters(s[n:])
	case strings.IndexByte("]P_^X", kind) >= 0: // OSC, DCS, APC, PM, SOS
		return n + controlString(s[n:])
	case kind >= ' ' && kind <= '/': // charset selections and such
		return n + intermediate(s[n:])
	default:
		return n
	}
}

// introducer reads what begins a sequence: an escape and a byte, or one 8-bit control, as a character or as a raw byte.
func introducer(s string) (kind byte, n int) {
	if s[0] == esc {
		if len(s) > 1 && s[1] >= ' ' && s[1] < 0x7f {
			return s[1], 2
		}
		return 0, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	c := r
	if r == utf8.RuneError && size == 1 {
		c = rune(s[0])
	}
	switch c {
	case 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f:
		return byte(c - 0x40), size
	default:
		return 0, 0
	}
}

// parameters is the length of what follows CSI: parameters, intermediates, one final byte.
func parameters(s string) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '?' {
		i++
	}
	return i + intermediate(s[i:])
}

func intermediate(s string) int {
	i := 0
	for i < len(s) && s[i] >= ' ' && s[i] <= '/' {
		i++
	}
	if i < len(s) && s[i] >= '0' && s[i] < 0x7f {
		i++
	}
	return i
}

// controlString is the length of a string up to and with its terminator; 0 where another control comes first or the
// text ends, for then it is no string and what follows is text.
func controlString(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case s[i] == bel || r == 0x9c || size == 1 && r == utf8.RuneError && s[i] == 0x9c:
			return i + size
		case s[i] == esc && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] < ' ' || r >= 0x80 && r < 0xa0 || size == 1 && r == utf8.RuneError:
			return 0
		}
		i += size
	}
	return 0
}
