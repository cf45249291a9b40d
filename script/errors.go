package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// ErrScript matches every error about a script's text.
var ErrScript = errors.New("wrong script")

// Error is one fault in a script's text.
type Error struct {
	Step      int    // the step it is in, from 1
	Line      int    // from 1
	Column    int    // from 1, in runes
	EndColumn int    // the first column after the fault, in runes; Column or more
	What      string // what is wrong; safe to print
	Allowed   string // what may stand there
	multiline bool   // the text has several lines, so the line is named
}

// Error names the step, the place and what may stand there.
func (e *Error) Error() string {
	line := ""
	if e.multiline {
		line = fmt.Sprintf("line %d, ", e.Line)
	}
	return fmt.Sprintf("step %d, %scolumn %d: %s; here may stand %s", e.Step, line, e.Column, e.What, e.Allowed)
}

// Unwrap gives [ErrScript].
func (e *Error) Unwrap() error { return ErrScript }

// Faults lists the faults inside an error of [Parse] in the order of the text;
// nil if there is none.
func Faults(err error) []*Error {
	var list []*Error
	var walk func(error)
	walk = func(err error) {
		var joined interface{ Unwrap() []error }
		var fault *Error
		switch {
		case errors.As(err, &joined):
			for _, part := range joined.Unwrap() {
				walk(part)
			}
		case errors.As(err, &fault):
			list = append(list, fault)
		}
	}
	walk(err)
	return list
}

// fault notes an error at a word; the step is the one being read.
func (p *parser) fault(at place, what, allowed string) {
	p.faults = append(p.faults, &Error{
		Step: p.step, Line: at.line, Column: at.col, EndColumn: at.end,
		What: what, Allowed: allowed, multiline: p.multiline,
	})
}

// err joins what was noted, in the order of the text; nil if nothing was.
func (p *parser) err() error {
	slices.SortStableFunc(p.faults, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	all := make([]error, len(p.faults))
	for i, f := range p.faults {
		all[i] = f
	}
	return errors.Join(all...)
}

// show quotes a piece of the text for a message: control characters escaped,
// long pieces shortened.
func show(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most-1]) + "…"
	}
	return strconv.Quote(s)
}
