// Package trace is the record of one operation: what was sent, what came back, what the policy said and why, and how
// long each wait was. The screen, the text, the JSON and the checks are all made from it.
package trace

import (
	"sort"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Trace is the record of one operation, folded from its events. The zero Trace is empty and ready to use.
type Trace struct {
	Head Head
	// Attempts are those kept, in order; Dropped counts those in the middle of a very long run that were not (they are
	// counted in Done and in Checks all the same).
	Attempts []Attempt
	Dropped  int
	// Done is set once the operation ended.
	Done *Done
	// Checks are the four promises, kept up to date with each event.
	Checks Checks
	// Broken says, in words, what broke a check: the first few.
	Broken []string
	// Notes are changes made while a live operation ran, in order.
	Notes []Note
}

// Head is what is known before the first attempt.
type Head struct {
	ID string
	// Method and URL are the request's, the URL with its secrets masked; empty for a script.
	Method, URL string
	// Source is the script's text, or the masked URL.
	Source string
	Policy engine.Policy
	Seed   uint64
	// Keyed says that the request carries an idempotency key; Body what can be done with its body.
	Keyed bool
	Body  engine.Body
	// Live says that real requests are sent; Wall is the wall clock at the start.
	Live bool
	Wall time.Time
}

// Attempt is one send and what followed it.
type Attempt struct {
	N     int
	Start time.Duration
	// End is when it came back; set where Ended.
	End     time.Duration
	Ended   bool
	Outcome engine.Outcome
	// Ambiguous says that the server may have done the work.
	Ambiguous bool
	// Detail is what the transport knows of the attempt.
	Detail Detail
	// Err is the attempt's error in words, cleaned; "" for an answer.
	Err string
	// Decided says that DecidedAt, Decision, Facts and Policy are set. Policy is the one that decided.
	Decided   bool
	DecidedAt time.Duration
	Decision  engine.Decision
	Facts     engine.Facts
	Policy    engine.Policy
	// Whys are the words of the gates in a record that was read back, which has no Facts to make them from; use Why.
	Whys []string
	// Wait is what followed; Begun where there was one.
	Wait Wait
}

// Wait is a pause between two attempts.
type Wait struct {
	Begun  bool
	Start  time.Duration
	For    time.Duration // as planned
	Source engine.Source
	Ended  bool
	End    time.Duration
	Cut    bool
}

// Detail is what the transport knows of one attempt beyond its outcome. Texts from the server are as they came; Clean
// them before they reach a terminal.
type Detail struct {
	// RetryAfter is the raw header, all its lines where they do not say the same; HasRetryAfter whether there was one.
	RetryAfter    string
	HasRetryAfter bool
	Reason        string // the reason phrase
	Proto         string
	Headers       []Header // those on the allow-list
	Phases        Phases
	HasPhases     bool
	Reused        bool // the connection was one used before
	Redirects     int
	Resent        int // hidden re-sends by the transport below
	// BodyBytes is how much was read of the body of a success, and how long that of another answer was said to be; -1
	// where nobody said. BodyCut says that there was more than what was read.
	BodyBytes int64
	BodyCut   bool
}

// Hint is the header that a wait was read from, as it came: Retry-After, or what took its place; "" for none. Lines that do
// not say the same are put together.
func (a *Attempt) Hint() string {
	from := a.Outcome.Hint.From
	if from == engine.HeaderRetryAfter {
		return a.Detail.RetryAfter
	}
	var said []string
	for _, h := range a.Detail.Headers {
		if strings.EqualFold(h.Name, from.Name()) {
			said = append(said, h.Value)
		}
	}
	if a.Outcome.Hint.Lines == 0 && len(said) > 0 {
		return said[0] // all lines say the same
	}
	return strings.Join(said, ", ")
}

// Header is one header field.
type Header struct{ Name, Value string }

// Phases are how long each phase of a live attempt took; 0 where it did not take place.
type Phases struct{ DNS, Connect, TLS, Wait, Body time.Duration }

// Done is the end of the operation.
type Done struct {
	At       time.Duration
	Result   engine.Result
	Reason   engine.Reason
	Attempts int
	Status   int
	// Err is the operation's error in words, cleaned and masked; "" for a success.
	Err    string
	Waited time.Duration
}

// Checks are the four promises a trace is checked against; true while they hold.
type Checks struct {
	NoEarlyRetry       bool `json:"no_early_retry"`
	WithinLimits       bool `json:"within_limits"`
	CancelIsNotFailure bool `json:"cancel_is_not_failure"`
	NothingUnreplayed  bool `json:"nothing_unreplayable"`
}

// Note is a change made while the operation ran.
type Note struct {
	At   time.Duration
	Text string
	// After is the attempt whose decision is the first it counts for.
	After int
}

// Attempt is the attempt with number n, from 1; nil where there is none, or none any more.
func (t *Trace) Attempt(n int) *Attempt {
	// Those kept are numbered in a row, but for a gap in the middle of a very long run.
	last := len(t.Attempts) - 1
	if last < 0 {
		return nil
	}
	for _, i := range [...]int{n - 1, last - (t.Attempts[last].N - n)} {
		if i >= 0 && i <= last && t.Attempts[i].N == n {
			return &t.Attempts[i]
		}
	}
	i := sort.Search(len(t.Attempts), func(i int) bool { return t.Attempts[i].N >= n })
	if i > last || t.Attempts[i].N != n {
		return nil
	}
	return &t.Attempts[i]
}

// Last is the latest attempt, nil before the first.
func (t *Trace) Last() *Attempt {
	if len(t.Attempts) == 0 {
		return nil
	}
	return &t.Attempts[len(t.Attempts)-1]
}

// Why is the answer of one gate in words; "" before the decision.
func (a *Attempt) Why(g engine.Gate) string {
	switch {
	case !a.Decided:
		return ""
	case int(g) < len(a.Whys):
		return a.Whys[g]
	default:
		return a.Policy.Why(g, &a.Decision, &a.Outcome, &a.Facts)
	}
}

// OK tells whether all four hold.
func (c Checks) OK() bool {
	return c.NoEarlyRetry && c.WithinLimits && c.CancelIsNotFailure && c.NothingUnreplayed
}
