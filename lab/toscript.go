package lab

import (
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// ToScript turns the answers of a recorded run into a script that answers in the same way; "" where there were none.
func ToScript(t *trace.Trace) string {
	s := script.FromAnswers(answers(t))
	if s == nil {
		return ""
	}
	return s.String()
}

// Inexact says, a line an answer, what ToScript cannot give back as it was.
func Inexact(t *trace.Trace) []string { return script.Inexact(answers(t)) }

func answers(t *trace.Trace) []script.Answer {
	out := make([]script.Answer, 0, len(t.Attempts))
	for i := range t.Attempts {
		a := &t.Attempts[i]
		if !a.Ended {
			continue
		}
		answer := script.Answer{
			Kind: a.Outcome.Kind.String(), Cause: a.Outcome.Cause.String(), Permanent: a.Outcome.Permanent, Status: a.Outcome.Status,
			Latency: a.End - a.Start, After: script.Value{Text: a.Detail.RetryAfter, Set: a.Detail.HasRetryAfter},
			NotSent: a.Outcome.NotSent, Early: early(t, a),
		}
		_, answer.Dated = httpretry.ParseDate(strings.Trim(a.Detail.RetryAfter, " \t"), t.Head.Wall)
		carry(&answer, a)
		out = append(out, answer)
	}
	return out
}

// carry takes over the headers that a wait is read from. Lines that differ stay lines.
func carry(answer *script.Answer, a *trace.Attempt) {
	retryAfter := engine.HeaderRetryAfter.Name()
	apart := a.Outcome.Hint.Lines > 1 && a.Outcome.Hint.From == engine.HeaderRetryAfter
	for _, h := range a.Detail.Headers {
		switch {
		case h.Name == "Date" && answer.Date.Set && answer.Date.Text != h.Value: // no Date is a list: neither is one
			answer.Date.Text += ", " + h.Value
		case h.Name == "Date":
			answer.Date = script.Value{Text: h.Value, Set: true}
		case isHint(h.Name), apart && h.Name == retryAfter:
			answer.Hints = append(answer.Hints, script.Header{Name: h.Name, Value: h.Value})
			if h.Name == retryAfter {
				answer.After = script.Value{}
			}
		}
	}
}

// early tells whether an attempt timed out before any limit of the policy: the transport below, or the machine, has one of
// its own. Of a policy that was changed meanwhile there is no telling.
func early(t *trace.Trace, a *trace.Attempt) bool {
	p := &t.Head.Policy
	limit := p.AttemptTimeout
	if left := p.Timeout - a.Start; p.Timeout > 0 && (limit == 0 || left < limit) {
		limit = left
	}
	return a.Outcome.Kind == engine.KindTimeout && len(t.Notes) == 0 && (limit == 0 || a.End-a.Start < limit)
}

// isHint tells whether a policy may read a wait from a header besides Retry-After.
func isHint(name string) bool {
	for _, h := range engine.HintHeaders() {
		if h.Name() == name {
			return true
		}
	}
	return false
}
