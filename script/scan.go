package script

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// place is where a word stands: line and columns from 1, in runes, end past it.
type place struct{ line, col, end int }

// word is one word of a step: a bare one, or an option name=value.
type word struct {
	place
	text   string // of a bare word all of it, of an option the name
	value  string
	option bool
	broken bool // its quotes are wrong; it has been reported
}

// lineScanner reads the words of one line. A step never goes over a line's end.
type lineScanner struct {
	rest string
	line int
	col  int
}

// peek gives the next byte, 0 at the end of the line.
func (l *lineScanner) peek() byte {
	if l.rest == "" {
		return 0
	}
	return l.rest[0]
}

// take cuts off the next rune, as it stands: broken UTF-8 stays what it is.
func (l *lineScanner) take() string {
	_, size := utf8.DecodeRuneInString(l.rest)
	s := l.rest[:size]
	l.rest = l.rest[size:]
	l.col++
	return s
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// skip passes over blanks and a comment.
func (l *lineScanner) skip() {
	for l.rest != "" && blank(l.peek()) {
		l.take()
	}
	if l.peek() == '#' {
		l.rest = ""
	}
}

// until takes everything before a blank, a comma or one of the stops.
func (l *lineScanner) until(stops string) string {
	start := l.rest
	for l.rest != "" && !blank(l.peek()) && l.peek() != ',' && strings.IndexByte(stops, l.peek()) < 0 {
		l.take()
	}
	return start[:len(start)-len(l.rest)]
}

// word reads a word; the line is at its first character.
func (p *parser) word(l *lineScanner) word {
	w := word{place: place{l.line, l.col, l.col}}
	w.text = l.until("=#")
	if l.peek() == '=' {
		l.take()
		w.option = true
		if l.peek() == '"' {
			w.value, w.broken = p.quoted(l)
		} else {
			w.value = l.until("")
		}
	}
	w.end = l.col
	return w
}

const escapes = `\" \\ \n \r \t \xHH or \uHHHH`

// quoted reads a value in quotes; broken if it was reported as wrong.
func (p *parser) quoted(l *lineScanner) (value string, broken bool) {
	open := place{l.line, l.col, l.col + 1}
	l.take()
	var b strings.Builder
	for {
		switch l.peek() {
		case 0:
			if l.rest == "" {
				p.fault(open, "the quote is not closed on this line", `a value and a closing "; a new line is written \n`)
				return "", true
			}
			b.WriteString(l.take())
		case '"':
			l.take()
			if c := l.peek(); l.rest != "" && !blank(c) && c != ',' && c != '#' {
				at := place{l.line, l.col, l.col}
				tail := l.until("")
				at.end = l.col
				p.fault(at, show(tail)+" follows the closing quote", `a blank, a comma or the end; a quote inside quotes is written \"`)
				return "", true
			}
			return b.String(), broken
		case '\\':
			if !p.escape(l, &b) {
				broken = true
			}
		default:
			b.WriteString(l.take())
		}
	}
}

// escape reads one escape; a wrong one is reported, passed over and false.
func (p *parser) escape(l *lineScanner, b *strings.Builder) bool {
	at := place{l.line, l.col, l.col + 1}
	r, multibyte, tail, err := strconv.UnquoteChar(l.rest, '"')
	if err != nil {
		l.take()
		if l.rest != "" {
			l.take()
			at.end++
		}
		p.fault(at, "no such escape in quotes", escapes)
		return false
	}
	for len(l.rest) > len(tail) {
		l.take()
	}
	if multibyte || r < utf8.RuneSelf {
		b.WriteRune(r)
	} else {
		b.WriteByte(byte(r)) // \xHH is a byte, not a character
	}
	return true
}
