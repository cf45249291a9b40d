package trace

import (
	"iter"
	"time"
)

// EventKind is what a line of the record tells.
type EventKind uint8

// The kinds, in the order they can come. KindNote may come anywhere; KindDropped stands for the middle of a very long run.
const (
	KindStart EventKind = iota
	KindAttempt
	KindOutcome
	KindDecision
	KindWait
	KindWaitEnd
	KindDone
	KindNote
	KindDropped
)

// Event points at one line of the record: what it tells is in the trace.
type Event struct {
	Kind EventKind
	// At is the time since the start.
	At time.Duration
	// Attempt is the number of the attempt it belongs to, 0 before the first.
	Attempt int
	// Note is the index in Notes, for KindNote.
	Note int
}

// Events are all lines of the record in order, as a recorder told them.
func (t *Trace) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		w := walker{t: t, yield: yield}
		if w.next(Event{Kind: KindStart}) && w.attempts() {
			w.end()
		}
	}
}

// walker goes through a trace in the order of time, with the notes where they belong.
type walker struct {
	t     *Trace
	yield func(Event) bool
	notes int // how many were told
}

// next tells of one event, and before it of the notes made before it.
func (w *walker) next(e Event) bool {
	for w.notes < len(w.t.Notes) && w.t.Notes[w.notes].At < e.At {
		if !w.note() {
			return false
		}
	}
	return w.yield(e)
}

func (w *walker) note() bool {
	n := &w.t.Notes[w.notes]
	w.notes++
	return w.yield(Event{Kind: KindNote, At: n.At, Attempt: n.After, Note: w.notes - 1})
}

func (w *walker) attempts() bool {
	seen := 0
	for i := range w.t.Attempts {
		a := &w.t.Attempts[i]
		if w.t.Dropped > 0 && seen > 0 && a.N > seen+1 && !w.next(Event{Kind: KindDropped, At: a.Start, Attempt: seen}) {
			return false
		}
		seen = a.N
		if !w.attempt(a) {
			return false
		}
	}
	return true
}

func (w *walker) attempt(a *Attempt) bool {
	at := func(told bool, k EventKind, t time.Duration) bool {
		return !told || w.next(Event{Kind: k, At: t, Attempt: a.N})
	}
	return at(true, KindAttempt, a.Start) && at(a.Ended, KindOutcome, a.End) && at(a.Decided, KindDecision, a.DecidedAt) &&
		at(a.Wait.Begun, KindWait, a.Wait.Start) && at(a.Wait.Ended, KindWaitEnd, a.Wait.End)
}

func (w *walker) end() {
	if d := w.t.Done; d != nil && !w.next(Event{Kind: KindDone, At: d.At, Attempt: d.Attempts}) {
		return
	}
	for w.notes < len(w.t.Notes) {
		if !w.note() {
			return
		}
	}
}
