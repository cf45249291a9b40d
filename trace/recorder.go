package trace

import (
	"errors"
	"fmt"

	"github.com/retryscope/retryscope/engine"
)

// A very long run keeps its first keepFirst attempts and at least its last keepLast: where a reader looks.
const (
	keepFirst = 2000
	keepLast  = 2000
	// fewAttempts is what there is room for from the start.
	fewAttempts = 4
)

// Recorder folds the events of one operation into its Trace. It serves one goroutine; the zero Recorder records without
// a head and cleans error texts, which is all it can do about them without being told the secrets.
type Recorder struct {
	trace Trace
	mask  func(string) string
	tell  func(*Trace, Event)
	early map[int]Detail // details given before their attempt
}

// NewRecorder is a recorder of an operation that has yet to begin. mask makes the text of an error fit to be seen
// (RedactText, with the request's secrets); its result is cleaned in any case. tell, if not nil, is called after each
// event is folded in, with the trace as it then is, valid during the call.
func NewRecorder(head Head, mask func(string) string, tell func(*Trace, Event)) *Recorder {
	r := &Recorder{mask: mask, tell: tell}
	r.trace.Head = head
	r.trace.Checks = allHold
	return r
}

var allHold = Checks{NoEarlyRetry: true, WithinLimits: true, CancelIsNotFailure: true, NothingUnreplayed: true}

// Trace is the record so far. It is the recorder's own: what it holds changes with the next event.
func (r *Recorder) Trace() *Trace { return &r.trace }

// Observe folds in one event. It is an engine.Observer.
func (r *Recorder) Observe(e *engine.Event) {
	t := &r.trace
	if t.Done != nil {
		r.broken(&t.Checks.WithinLimits, "within_limits: an event after the end")
		return
	}
	if e.Policy == nil { // as the zero Recorder or a replay may have it
		c := *e
		c.Policy = &t.Head.Policy
		e = &c
	}
	out := Event{At: e.At, Attempt: e.Attempt}
	switch e.Kind {
	case engine.EventStart:
		r.start(e)
		out.Kind = KindStart
	case engine.EventAttempt:
		r.attempt(e)
		out.Kind = KindAttempt
	case engine.EventOutcome:
		r.outcome(e)
		out.Kind = KindOutcome
	case engine.EventDecision:
		r.decision(e)
		out.Kind = KindDecision
	case engine.EventWait:
		r.wait(e)
		out.Kind = KindWait
	case engine.EventWaitEnd:
		r.waitEnd(e)
		out.Kind = KindWaitEnd
	case engine.EventDone:
		r.done(e)
		out.Kind = KindDone
	}
	r.emit(out)
}

func (r *Recorder) emit(e Event) {
	if r.tell != nil {
		r.tell(&r.trace, e)
	}
}

// Detail takes what the transport knows of an attempt. It comes before the attempt's outcome event.
func (r *Recorder) Detail(attempt int, d Detail) {
	if a := r.trace.Attempt(attempt); a != nil {
		a.Detail = d
		return
	}
	if r.early == nil {
		r.early = map[int]Detail{}
	}
	r.early[attempt] = d
}

// Note records a change made while the operation runs. It is kept in the order it comes.
func (r *Recorder) Note(n Note) {
	r.trace.Notes = append(r.trace.Notes, n)
	r.emit(Event{Kind: KindNote, At: n.At, Attempt: n.After, Note: len(r.trace.Notes) - 1})
}

func (r *Recorder) start(e *engine.Event) {
	t := &r.trace
	t.Checks = allHold
	if t.Head.ID == "" {
		t.Head.ID = FormatID(e.Operation)
	}
	t.Head.Policy = *e.Policy
	if t.Attempts == nil && e.Policy.Attempts > 1 {
		t.Attempts = make([]Attempt, 0, min(e.Policy.Attempts, fewAttempts))
	}
}

// FormatID is an operation's id as the record shows it: eight hexadecimal digits.
func FormatID(operation uint64) string { return fmt.Sprintf("%08x", operation>>32) }

func (r *Recorder) attempt(e *engine.Event) {
	r.checkAttempt(e)
	t := &r.trace
	if len(t.Attempts) >= keepFirst+2*keepLast {
		copy(t.Attempts[keepFirst:], t.Attempts[keepFirst+keepLast:])
		t.Attempts = t.Attempts[:keepFirst+keepLast]
		t.Dropped += keepLast
	}
	a := Attempt{N: e.Attempt, Start: e.At}
	if d, ok := r.early[e.Attempt]; ok {
		a.Detail = d
		delete(r.early, e.Attempt)
	}
	t.Attempts = append(t.Attempts, a)
}

// latest is the attempt an event speaks of; an operation that was retried on a first try made before it was watched
// has none yet.
func (r *Recorder) latest(e *engine.Event) *Attempt {
	if a := r.trace.Last(); a != nil && a.N == e.Attempt {
		return a
	}
	r.trace.Attempts = append(r.trace.Attempts, Attempt{N: e.Attempt})
	return r.trace.Last()
}

func (r *Recorder) outcome(e *engine.Event) {
	a := r.latest(e)
	a.End, a.Ended, a.Outcome = e.At, true, e.Outcome
	if e.Err != nil && e.Outcome.Kind != engine.KindSuccess && e.Outcome.Kind != engine.KindStatus {
		a.Err = r.words(e.Err)
	}
	// The policy that decides may be a newer one, but whether a method is idempotent is not its to say.
	a.Ambiguous = e.Outcome.Ambiguous(e.Policy.Safety(r.trace.Head.Method, r.trace.Head.Keyed))
}

func (r *Recorder) decision(e *engine.Event) {
	a := r.latest(e)
	a.Decided, a.DecidedAt, a.Decision, a.Facts, a.Policy = true, e.At, e.Decision, e.Facts, *e.Policy
	a.Ambiguous = a.Ambiguous || e.Outcome.Ambiguous(e.Facts.Safety)
	r.checkDecision(a)
}

func (r *Recorder) wait(e *engine.Event) {
	a := r.latest(e)
	a.Wait = Wait{Begun: true, Start: e.At, For: e.Decision.Wait, Source: e.Decision.Source}
	r.checkWait(a)
}

func (r *Recorder) waitEnd(e *engine.Event) {
	a := r.latest(e)
	a.Wait.Ended, a.Wait.End, a.Wait.Cut = true, e.At, e.Cut
	r.checkWaitEnd(a)
}

func (r *Recorder) done(e *engine.Event) {
	t := &r.trace
	rep := &e.Report
	t.Done = &Done{
		At: e.At, Result: rep.Result, Reason: rep.Reason, Attempts: rep.Attempts,
		Status: rep.Last.Status, Waited: rep.Waited,
	}
	if rep.Attempts == 0 {
		t.Done.Status = 0
	}
	if err := r.named(e); err != nil {
		t.Done.Err = r.words(err)
	}
	r.checkDone(e)
}

// words is an error fit to be seen.
func (r *Recorder) words(err error) string {
	text := err.Error()
	if r.mask != nil {
		text = r.mask(text)
	}
	return Clean(text)
}

// named is the operation's error with the last answer named in it. A transport hands an answer back as it is, with no
// error beside it, and so the engine's error may have none to name.
func (r *Recorder) named(e *engine.Event) error {
	rep := &e.Report
	last := r.trace.lastAnswer()
	if e.Err == nil {
		if rep.Result == engine.ResultSucceeded {
			return nil
		}
		return &engine.FailedError{Reason: rep.Reason, Attempts: rep.Attempts, Last: last}
	}
	if last == nil {
		return e.Err
	}
	return nameLast(e.Err, last)
}

// nameLast puts the last answer into the engine's own error where that has nothing to name.
func nameLast(err, last error) error {
	var failed *engine.FailedError
	var deferred *engine.DeferredError
	var timeout *engine.TimeoutError
	var interrupted *engine.InterruptedError
	switch {
	case errors.As(err, &failed) && (failed.Last == nil || errors.Is(failed.Last, engine.ErrNoAttempt)):
		c := *failed
		c.Last = last
		return &c
	case errors.As(err, &deferred) && deferred.Last == nil:
		c := *deferred
		c.Last = last
		return &c
	case errors.As(err, &timeout) && timeout.Last == nil:
		c := *timeout
		c.Last = last
		return &c
	case errors.As(err, &interrupted) && interrupted.Last == nil:
		c := *interrupted
		c.Last = last
		return &c
	}
	return err
}

// lastAnswer is the latest attempt's status as an error; nil where it has none or is a success.
func (t *Trace) lastAnswer() error {
	a := t.Last()
	if a == nil || !a.Ended || a.Outcome.Kind != engine.KindStatus {
		return nil
	}
	return &engine.StatusError{Status: a.Outcome.Status, Text: a.Detail.Reason}
}
