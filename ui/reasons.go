package ui

import "github.com/retryscope/retryscope/engine"

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
