package ui

import (
	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// sentOnce says why a request is sent once, whatever it comes back with; "" where it may be sent again. A dial that never
// got through may be tried again all the same.
func sentOnce(p *engine.Policy, h *trace.Head) string {
	method := h.Method
	if method == "" {
		method = "GET"
	}
	switch p.Safety(h.Method, h.Keyed) {
	case engine.Unsafe:
		return trace.Clean(method) + " is not idempotent"
	case engine.Unlisted:
		return trace.Clean(method) + " is not in methods"
	case engine.SafeMethod, engine.SafeKey, engine.SafeListed, engine.SafeAny:
	}
	if h.Body == engine.BodyOnce {
		return "the body can be read only once"
	}
	return ""
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
		return "no limit ends it"
	default:
		return r.String()
	}
}
