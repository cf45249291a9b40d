package script

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parser reads a script; faults gathers everything that is wrong with it.
type parser struct {
	faults    []*Error
	multiline bool
	step      int // the step being read, from 1

	mode   Mode
	steps  []Step
	spans  []Span
	lastAt *time.Duration // by time: the time of the step before, if it was readable
	shares Share          // by chance: their sum
}

// Parse reads a script. Its error joins an [*Error] for every fault (see
// [Faults]), all of which match [ErrScript]; with one there is no script.
func Parse(text string) (*Script, error) {
	text = strings.TrimPrefix(text, "\ufeff") // a byte order mark some editors leave
	p := &parser{multiline: strings.Contains(strings.TrimRight(text, "\r\n"), "\n")}
	p.text(text)
	if p.step == 0 {
		p.step = 1
		p.fault(place{1, 1, 1}, "the script is empty", "a step, such as 503 or reset")
	}
	p.checkShares()
	if err := p.err(); err != nil {
		return nil, err
	}
	return &Script{mode: p.mode, steps: p.steps, spans: p.spans}, nil
}

// text splits the text into steps and reads each.
func (p *parser) text(text string) {
	pending := false // a step, or a comma's fault, since the last comma
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		l := &lineScanner{rest: line, line: number, col: 1}
		for l.skip(); l.rest != ""; l.skip() {
			if l.peek() != ',' {
				p.readStep(l)
				pending = true
				continue
			}
			at := place{l.line, l.col, l.col + 1}
			l.take()
			if !pending {
				p.step++
				p.fault(at, "there is no step before this comma", "a step, such as 503 or reset")
			}
			pending = false
		}
	}
}

// readStep reads the words up to a comma or the end of the line.
func (p *parser) readStep(l *lineScanner) {
	p.step++
	var words []word
	for l.skip(); l.rest != "" && l.peek() != ','; l.skip() {
		words = append(words, p.word(l))
	}
	first, last := words[0], words[len(words)-1]
	p.spans = append(p.spans, Span{Line: first.line, Column: first.col, EndColumn: last.end})

	step := Step{Count: 1}
	words = p.prefix(&step, words)
	if len(words) == 0 {
		p.fault(place{last.line, last.end, last.end}, "the outcome is missing after "+show(last.text), outcomes)
	} else if p.outcome(&step, words[0]) {
		p.options(&step, words[1:])
	}
	p.steps = append(p.steps, step)
}

// prefix reads the @D or N% a step may begin with, holds it against the mode
// of the first step, and gives the words after it.
func (p *parser) prefix(step *Step, words []word) []word {
	w := words[0]
	mode := ByCount
	switch {
	case w.option:
	case strings.HasPrefix(w.text, "@"):
		mode = ByTime
	case strings.HasSuffix(w.text, "%"):
		mode = ByChance
	}
	if len(p.steps) == 0 {
		p.mode = mode
	}
	if mode != p.mode {
		p.fault(w.place, fmt.Sprintf("a step by %s in a script by %s; the two do not mix", mode, p.mode), modeStarts[p.mode])
	}
	switch mode {
	case ByCount:
		return words
	case ByTime:
		p.time(step, w)
	case ByChance:
		p.share(step, w)
	}
	return words[1:]
}

// modeStarts says what a step begins with, by mode.
var modeStarts = [...]string{
	ByCount:  "an outcome, such as 503",
	ByTime:   "a time, such as @3s, and an outcome",
	ByChance: "a share, such as 20%, and an outcome",
}

func (p *parser) time(step *Step, w word) {
	at, why := duration(w.text[1:])
	switch {
	case why != "":
		p.fault(w.place, show(w.text)+" is no time: "+why, "@ and a time from the start, such as @3s")
		return
	case p.mode != ByTime:
		return // reported as mixed
	case len(p.steps) == 0 && at != 0:
		p.fault(w.place, "nothing is said about the time before "+w.text, "@0s: the first step begins at the start")
	case p.lastAt != nil && at <= *p.lastAt:
		p.fault(w.place, fmt.Sprintf("%s is not after @%s of the step before", w.text, *p.lastAt), "a time later than that")
	}
	step.At, p.lastAt = at, &at
}

func (p *parser) share(step *Step, w word) {
	share, ok := parseShare(strings.TrimSuffix(w.text, "%"))
	if !ok {
		p.fault(w.place, show(w.text)+" is no share", "0 to 100 with at most six decimals and a %, such as 12.5%")
		return
	}
	step.Share = share
	p.shares += share
}

// parseShare reads a percentage as exact millionths of a percent.
func parseShare(s string) (Share, bool) {
	whole, decimals, point := strings.Cut(s, ".")
	if point && decimals == "" || len(decimals) > shareDecimals || len(whole) > 3 {
		return 0, false
	}
	decimals += strings.Repeat("0", shareDecimals-len(decimals))
	if whole == "" || !digits(whole+decimals) {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+decimals, 10, 64)
	return Share(n), err == nil && Share(n) <= FullShare
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// checkShares holds the sum against 100 %, if all the shares could be read.
func (p *parser) checkShares() {
	if p.mode != ByChance || len(p.faults) > 0 || p.shares == FullShare {
		return
	}
	last := p.spans[len(p.spans)-1]
	p.fault(place{last.Line, last.Column, last.EndColumn},
		fmt.Sprintf("the shares make %s, not 100%%", p.shares), "shares that make 100% together")
}

const outcomes = "an outcome: a status (200–599), refused, dns, tls, reset, eof, cut, garbage, badjson or hang"

// outcome reads the word that says what the step answers with.
func (p *parser) outcome(step *Step, w word) bool {
	kind, status, ok := parseOutcome(w.text)
	if ok && !w.option {
		step.Kind, step.Status = kind, status
		return true
	}
	what := show(w.text) + " is no outcome"
	switch {
	case w.broken:
		return false // its quotes have been reported
	case w.option:
		what = show(w.text+"=") + " stands before the outcome"
	case digits(w.text):
		what = show(w.text) + " is no status of an answer"
	case isCount(w):
		what = show(w.text) + " stands before the outcome"
	}
	p.fault(w.place, what, outcomes)
	return false
}

func parseOutcome(text string) (Kind, int, bool) {
	if len(text) == 3 && digits(text) {
		status, err := strconv.Atoi(text)
		return Status, status, err == nil && status >= 200 && status <= 599
	}
	for kind, name := range kindWords {
		if kind := Kind(kind); kind != Status && name == text {
			if kind.Answers() {
				return kind, 200, true
			}
			return kind, 0, true
		}
	}
	return 0, 0, false
}
