package ui

import (
	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// endlessWait tells whether a run ended in a wait that no limit cuts short and that ends beyond every duration.
func endlessWait(t *trace.Trace) bool {
	a := t.Last()
	return t.Done != nil && t.Done.Result == engine.ResultEndless && a != nil && a.Wait.Begun && a.Wait.Cut
}

// reasonWords says why there was no further attempt, in a few words.
func reasonWords(r engine.Reason) string {
	switch r {
	case engine.ReasonNone:
		return "ended"
	case engine.ReasonCancelled:
		return "cancelled"
	case engine.ReasonStaleGeneration:
		return "signed out"
	case engine.ReasonNotIdempotent:
		return "not idempotent"
	case engine.ReasonNotReplayable:
		return "body cannot be sent again"
	case engine.ReasonNotRetryable:
		return "not retryable"
	case engine.ReasonAttempts:
		return "no attempts left"
	case engine.ReasonBudget:
		return "retry budget used up"
	case engine.ReasonCeiling:
		return "server asked too long a wait"
	case engine.ReasonDeadline:
		return "no time left"
	case engine.ReasonMaxSends:
		return "no sends left"
	case engine.ReasonNeverAnswers:
		return "never answers"
	case engine.ReasonNoLimit:
		return "never ends"
	default:
		return r.String()
	}
}
