package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// The names of the options.
const (
	optLatency = "latency"
	optAfter   = "after"
	optDate    = "date"
	optReason  = "reason"
	optHeader  = "header"
	optBody    = "body"
)

// foreign answers names used elsewhere with ours.
var foreign = map[string]string{
	"delay": optLatency, "wait": optLatency, "retry-after": optAfter, "retry_after": optAfter,
	"headers": optHeader, "times": "xN", "count": "xN", "repeat": "xN",
}

// options reads the words after the outcome.
func (p *parser) options(step *Step, words []word) {
	seen := map[string]bool{}
	for _, w := range words {
		name := w.text
		if isCount(w) {
			name = "xN"
		}
		switch {
		case w.broken:
		case !p.known(step, w, name):
		case seen[name] && name != optHeader:
			p.fault(w.place, name+" is given twice", "each option once; only header may be repeated")
		case name == "xN":
			p.count(step, w)
		default:
			p.option(step, w)
		}
		seen[name] = true
	}
}

// isCount reports whether a word is an xN, right or wrong.
func isCount(w word) bool {
	return !w.option && strings.HasPrefix(w.text, "x") && digits(w.text[1:])
}

// allowed lists the options of a kind in a mode.
func allowed(kind Kind, mode Mode) string {
	list := []string{}
	if mode == ByCount {
		list = append(list, "xN")
	}
	if kind != Hang {
		list = append(list, optLatency)
	}
	if kind.Answers() {
		list = append(list, optAfter, optDate, optReason, optHeader, optBody)
	}
	if len(list) == 0 {
		return "a comma, a new line or the end"
	}
	return strings.Join(list, ", ") + ", a comma, a new line or the end"
}

// known reports whether the option may stand at this step.
func (p *parser) known(step *Step, w word, name string) bool {
	var ok bool
	var what string
	switch name {
	case "xN":
		ok, what = p.mode == ByCount, fmt.Sprintf("%s counts requests, and this script goes by %s", show(w.text), p.mode)
	case optLatency:
		ok, what = w.option && step.Kind != Hang, "hang never answers, so it has no latency"
	case optAfter, optDate, optReason, optHeader, optBody:
		ok, what = w.option && step.Kind.Answers(), step.Answer()+" has no answer that could carry "+name
	default:
		ok, what = false, show(name)+" is no option"
		if ours, is := foreign[name]; is {
			what += ": here " + ours
		}
	}
	if ok {
		return true
	}
	if !w.option && name != "xN" {
		what = show(name) + " is no option"
		if _, _, outcome := parseOutcome(name); outcome {
			what = "a second outcome, " + name + ", in one step"
		} else if _, option := optionNames[name]; option {
			what = name + " has no value; it is written " + name + "=…"
		}
	}
	p.fault(w.place, what, allowed(step.Kind, p.mode))
	return false
}

var optionNames = map[string]bool{
	optLatency: true, optAfter: true, optDate: true, optReason: true, optHeader: true, optBody: true,
}

func (p *parser) count(step *Step, w word) {
	n, err := strconv.Atoi(w.text[1:])
	if err != nil || n < 1 || n > MaxCount {
		p.fault(w.place, show(w.text)+" is out of range", fmt.Sprintf("x1 to x%d", MaxCount))
		return
	}
	step.Count = n
}

// option takes the value of an option that may stand at the step.
func (p *parser) option(step *Step, w word) {
	value := Value{Text: w.value, Set: true}
	switch w.text {
	case optLatency:
		d, why := duration(w.value)
		if why != "" {
			p.fault(w.place, fmt.Sprintf("latency %s: %s", show(w.value), why), "a duration of 0 or more, such as latency=80ms")
		}
		step.Latency = d
	case optAfter:
		step.After = p.line(w, value)
	case optDate:
		step.Date = p.line(w, value)
	case optReason:
		step.Reason = p.line(w, value)
	case optHeader:
		p.header(step, w)
	case optBody:
		step.Body = p.body(step, w, value)
	}
}

// duration reads a duration from 0 to MaxDuration; why says what is wrong.
func duration(s string) (d time.Duration, why string) {
	d, err := engine.ParseDuration(s)
	switch {
	case errors.Is(err, engine.ErrTooShort):
		return 0, "it is below 1ns and not 0"
	case s == "":
		return 0, "it is empty"
	case err != nil && digits(s):
		return 0, "it has no unit"
	case err != nil:
		return 0, "it is no duration"
	case d < 0:
		return 0, "it is negative"
	case d > MaxDuration:
		return 0, "it is longer than a year"
	}
	return d, ""
}

// onWire reports whether text can go into a header line or a status line.
// Other control characters do go over the wire, so a script may send them.
func onWire(s string) bool { return !strings.ContainsAny(s, "\r\n\x00") }

func (p *parser) line(w word, v Value) Value {
	if !onWire(v.Text) {
		p.fault(w.place, w.text+" holds a line end or a NUL, which would end the line", "any other characters")
	}
	return v
}

// framing are the headers that say where an answer ends; a false one is made
// with cut and garbage.
var framing = map[string]bool{"Content-Length": true, "Transfer-Encoding": true}

func (p *parser) header(step *Step, w word) {
	name, value, ok := strings.Cut(w.value, ":")
	const like = `header="Name: value"`
	switch {
	case !ok:
		p.fault(w.place, show(w.value)+" is no header line", like)
		return
	case !token(name):
		p.fault(w.place, show(name)+" is no header name", like+", the name made of letters, digits and -")
		return
	case framing[http.CanonicalHeaderKey(name)]:
		p.fault(w.place, name+" is set from the body", "another header; an answer that ends early is the outcome cut")
		return
	}
	p.line(w, Value{Text: value})
	step.Headers = append(step.Headers, Header{Name: name, Value: strings.TrimPrefix(value, " ")})
}

// token is the token of RFC 9110, section 5.6.2.
func token(s string) bool {
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

func (p *parser) body(step *Step, w word, v Value) Value {
	switch {
	case step.Kind == Status && v.Text != "" && (step.Status == http.StatusNoContent || step.Status == http.StatusNotModified):
		p.fault(w.place, fmt.Sprintf("a %d has no body", step.Status), "another option, or another status")
	case step.Kind == BadJSON && json.Valid([]byte(v.Text)):
		p.fault(w.place, "the body is good JSON", "a body that does not decode; a good one is sent by 200")
	}
	return v
}
