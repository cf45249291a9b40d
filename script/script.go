package script

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of what a script may hold.
const (
	// MaxCount is the highest N of xN.
	MaxCount = 1_000_000
	// MaxDuration is the longest latency and the latest time of a step, a year.
	MaxDuration = 365 * 24 * time.Hour
)

// Mode says how the step that answers a request is found.
type Mode uint8

// The three modes; they do not mix in one script.
const (
	ByCount  Mode = iota // by the number of the request
	ByTime               // by when the request arrives
	ByChance             // by a draw
)

// String gives "count", "time" or "chance".
func (m Mode) String() string {
	switch m {
	case ByCount:
		return "count"
	case ByTime:
		return "time"
	case ByChance:
		return "chance"
	}
	return "Mode(" + strconv.Itoa(int(m)) + ")"
}

// Kind is what a step answers with.
type Kind uint8

// The kinds, each with the word a script uses for it.
const (
	Status  Kind = iota // a status: its three digits
	Refused             // refused: no connection
	DNS                 // dns: no such host
	TLS                 // tls: a certificate that does not verify
	Reset               // reset: the connection is reset
	EOF                 // eof: closed before any answer
	Cut                 // cut: a 200 whose body ends early
	Garbage             // garbage: an answer that is no HTTP
	BadJSON             // badjson: a 200 that says JSON and is not
	Hang                // hang: never answers
)

// kindWords is indexed by Kind; a status has digits for a word.
var kindWords = [...]string{
	Status: "status", Refused: "refused", DNS: "dns", TLS: "tls", Reset: "reset",
	EOF: "eof", Cut: "cut", Garbage: "garbage", BadJSON: "badjson", Hang: "hang",
}

// String gives the word of the script; "status" for a status.
func (k Kind) String() string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Answers reports whether the kind comes with a status line, headers and a
// body, so that the options for these may be given.
func (k Kind) Answers() bool { return k == Status || k == Cut || k == BadJSON }

// Value is the value of an option that may be absent, which an empty one is
// not: after= is a blank Retry-After header.
type Value struct {
	Text string
	Set  bool
}

// Header is one header line of an answer, kept as written.
type Header struct{ Name, Value string }

// Share is a chance in millionths of a percent: [FullShare] is 100 %.
type Share int64

// FullShare is what the shares of a script add up to.
const FullShare Share = 100 * onePercent

const onePercent Share = 1_000_000

// shareDecimals is how many decimals of a percent a Share keeps.
const shareDecimals = 6

// String gives the share in percent as a script has it: "12.5%".
func (s Share) String() string {
	text := strconv.FormatInt(int64(s/onePercent), 10)
	if rest := s % onePercent; rest != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%0*d", shareDecimals, rest), "0")
	}
	return text + "%"
}

// Step is one step of a script.
type Step struct {
	Kind    Kind
	Status  int           // 200 to 599; 200 for cut and badjson, 0 for what has none
	Count   int           // by count: how many requests it answers, 1 or more; else 1
	At      time.Duration // by time: from when on, since the start
	Share   Share         // by chance
	Latency time.Duration // before the answer, 0 or more
	After   Value         // Retry-After, raw
	Date    Value         // Date, raw
	Reason  Value         // the reason phrase; absent: the usual one
	Headers []Header      // further header lines, in order
	Body    Value         // the body, or the part of it that comes
}

// Script is a parsed script. It is made by [Parse], never changes and may be
// used by many goroutines at once.
type Script struct {
	mode  Mode
	steps []Step
	spans []Span
}

// Span is where a step stands in the text it was parsed from. A step never
// goes over the end of a line.
type Span struct {
	Line      int // from 1
	Column    int // its first column, from 1, in runes
	EndColumn int // the first column after it
}

// Mode says how steps are chosen.
func (s *Script) Mode() Mode { return s.mode }

// Len is the number of steps, 1 or more.
func (s *Script) Len() int { return len(s.steps) }

// Step gives the step at index i, from 0 to Len()-1; it panics outside that.
func (s *Script) Step(i int) Step {
	step := s.steps[i]
	step.Headers = slices.Clone(step.Headers)
	return step
}

// Span says where in its text the step at index i stands.
func (s *Script) Span(i int) Span { return s.spans[i] }

// StepFor chooses the step for a request: its index and the step. n is the
// number of the request from 1, at is when it arrives, counted from the start
// of the run, and u a draw in [0,1); each mode looks at its own. Values out of
// range are taken as the nearest in range.
func (s *Script) StepFor(n int, at time.Duration, u float64) (int, Step) {
	i := 0
	switch s.mode {
	case ByCount:
		i = s.byCount(n)
	case ByTime:
		i = s.byTime(at)
	case ByChance:
		i = s.byChance(u)
	}
	return i, s.Step(i)
}

func (s *Script) byCount(n int) int {
	last := len(s.steps) - 1
	for i := range last {
		if n <= s.steps[i].Count {
			return i
		}
		n -= s.steps[i].Count
	}
	return last
}

func (s *Script) byTime(at time.Duration) int {
	i := 0
	for i+1 < len(s.steps) && s.steps[i+1].At <= at {
		i++
	}
	return i
}

func (s *Script) byChance(u float64) int {
	// Whole units, so that the borders are exact and the shares of 0 never drawn.
	// NaN fails both comparisons and becomes 0.
	var drawn Share
	if u > 0 {
		drawn = Share(math.Min(u*float64(FullShare), float64(FullShare-1)))
	}
	for i := range s.steps {
		if drawn < s.steps[i].Share {
			return i
		}
		drawn -= s.steps[i].Share
	}
	return len(s.steps) - 1
}
