package engine

import "time"

// EventKind is what happened.
type EventKind uint8

// The events of an operation, in the order they can come.
const (
	EventStart    EventKind = iota // the operation begins
	EventAttempt                   // an attempt is about to be sent
	EventOutcome                   // it came back
	EventDecision                  // the policy has spoken
	EventWait                      // a wait begins
	EventWaitEnd                   // it is over, or was cut
	EventDone                      // the operation ended; nothing comes after it
)

// Event is one thing that happened in an operation. Which fields are set depends on Kind.
type Event struct {
	Kind EventKind
	// Operation is the operation's id.
	Operation uint64
	// At is the monotonic time since the operation began.
	At time.Duration
	// Attempt is the number of the latest attempt, from 1; 0 before the first.
	Attempt int
	// Policy is the one in force; not to be changed.
	Policy *Policy
	// Outcome is set from EventOutcome on, Facts and Decision from EventDecision on.
	Outcome  Outcome
	Facts    Facts
	Decision Decision
	// Err is the attempt's error (EventOutcome) or the operation's (EventDone).
	Err error
	// Cut says that a wait ended early (EventWaitEnd).
	Cut bool
	// Report is set at EventDone.
	Report Report
}

// Result is how an operation ended.
type Result uint8

// The results.
const (
	ResultSucceeded Result = iota
	ResultFailed
	ResultDeferred
	ResultTimedOut
	ResultCancelled
	ResultEndless // a scripted run that nothing can end
)

// Report is the whole of an ended operation in figures.
type Report struct {
	Result Result
	Reason Reason
	// Attempts counts the sends of this layer, Waited the time spent in waits.
	Attempts int
	Waited   time.Duration
	// Elapsed is the time from the start to the end.
	Elapsed time.Duration
	// Last is the last outcome.
	Last Outcome
}

// Observer is told of each event as it happens, on the loop's own goroutine: it must be quick, and the event is valid
// only during the call.
type Observer func(*Event)
