package engine

import (
	"fmt"
	"time"
)

// Why puts the answer of one gate in words. They are made here, when somebody wants to see them, and never in Next.
func (p *Policy) Why(g Gate, d *Decision, o *Outcome, f *Facts) string {
	asked := d.Gates.At(g)
	switch g {
	case GateCancelled:
		return whyCancelled(asked, o, f)
	case GateGeneration:
		return whyGeneration(asked)
	case GateOutcome:
		return whyOutcome(asked, o)
	case GateIdempotent:
		return whyIdempotent(asked, o, f)
	case GateReplayable:
		return whyReplayable(asked, o, f)
	case GateRetryable:
		return p.whyRetryable(asked, o)
	case GateAttempts:
		return p.whyAttempts(asked, d, f)
	case GateBudget:
		return p.whyBudget(asked, o, f)
	case GateCeiling:
		return p.whyCeiling(asked, d, o)
	case GateDeadline:
		return p.whyDeadline(asked, d, f)
	default:
		return ""
	}
}

func whyCancelled(asked Passed, o *Outcome, f *Facts) string {
	switch {
	case asked == Shut:
		return "the caller cancelled"
	case f.Cancelled && !o.Failure():
		return "cancelled, but the success is in hand"
	default:
		return "not cancelled"
	}
}

func whyGeneration(asked Passed) string {
	switch asked {
	case NotAsked:
		return "not asked"
	case Shut:
		return "signed out since the operation began"
	case Open:
		return "same session"
	default:
		return ""
	}
}

func whyOutcome(asked Passed, o *Outcome) string {
	switch {
	case asked == NotAsked:
		return "not asked"
	case o.Failure():
		return "a failure: " + o.Words()
	case o.Status != 0:
		return "success: " + o.Words()
	default:
		return "a success"
	}
}

// Words is the outcome in a few words: "503", "reset", "timeout".
func (o *Outcome) Words() string {
	switch {
	case o.Status != 0 && (o.Kind == KindStatus || o.Kind == KindSuccess):
		return fmt.Sprintf("%d", o.Status)
	case o.Cause != CauseNone:
		return o.Cause.String()
	default:
		return o.Kind.String()
	}
}

func methodName(method string) string {
	if method == "" {
		return "GET"
	}
	return method
}

func whyIdempotent(asked Passed, o *Outcome, f *Facts) string {
	m := methodName(f.Method)
	switch {
	case asked == NotAsked:
		return "not asked"
	case asked == Open && o.NotSent && !f.Safety.Repeatable():
		return m + ", but nothing was sent"
	}
	switch f.Safety {
	case SafeMethod:
		return m
	case SafeKey:
		return m + " with an idempotency key"
	case SafeListed:
		return m + " is listed in methods"
	case SafeAny:
		return m + ", methods=any"
	case Unsafe:
		return m + " is not idempotent and has no idempotency key"
	case Unlisted:
		return m + " is not in methods"
	default:
		return m
	}
}

func whyReplayable(asked Passed, o *Outcome, f *Facts) string {
	switch {
	case asked == NotAsked && o.NotSent:
		return "not asked: nothing was sent"
	case asked == NotAsked:
		return "not asked"
	}
	switch f.Body {
	case BodyNone:
		return "no body"
	case BodyReplayable:
		return "the body can be made again"
	case BodyOnce:
		return "the body can be read only once"
	case BodyLost:
		return "the body could not be made again"
	default:
		return ""
	}
}

func (p *Policy) whyRetryable(asked Passed, o *Outcome) string {
	kind := o.Kind.String()
	if o.Cause != CauseNone {
		kind += " (" + o.Cause.String() + ")"
	}
	if o.Kind == KindStatus {
		kind = fmt.Sprintf("%d", o.Status)
	}
	switch {
	case asked == NotAsked:
		return "not asked"
	case o.Kind == KindCancelled:
		return "a cancel is never retried"
	case o.Say == SayRetry:
		return kind + ": the caller says it may heal"
	case o.Say == SayStop:
		return kind + ": the caller says it is permanent"
	case asked == Open:
		return kind + " may heal"
	case p.retryable(o) && o.Hint.State == HintUnreadable:
		return kind + " may heal, but " + o.Hint.unread("is unreadable") + " and required"
	case p.retryable(o):
		return kind + " may heal, but there is no Retry-After, which is required"
	case o.Permanent:
		return kind + " does not heal unless retry-on names it"
	default:
		return kind + " is not in retry-on"
	}
}

func (p *Policy) whyAttempts(asked Passed, d *Decision, f *Facts) string {
	switch {
	case asked == NotAsked:
		return "not asked"
	case d.Reason == ReasonMaxSends:
		return "no send is left for the session"
	case asked == Shut && d.Attempt < p.Attempts && f.Allowance == 0:
		return fmt.Sprintf("attempt %d, but the shared allowance is used up", d.Attempt)
	case p.Attempts == Unlimited:
		return fmt.Sprintf("attempt %d, unlimited", d.Attempt)
	default:
		return fmt.Sprintf("attempt %d of %d", d.Attempt, p.Attempts)
	}
}

func (p *Policy) whyBudget(asked Passed, o *Outcome, f *Facts) string {
	switch {
	case p.Budget.Kind == BudgetNone:
		return "no budget set"
	case asked == NotAsked:
		return "not asked"
	default:
		return fmt.Sprintf("%d left, a retry costs %d", f.Tokens, p.Budget.cost(o))
	}
}

func (p *Policy) whyCeiling(asked Passed, d *Decision, o *Outcome) string {
	limit := FormatDuration(p.Ceiling)
	asks := "server asked " + FormatDuration(d.Server)
	if o.Hint.From != HeaderRetryAfter {
		asks += " by " + o.Hint.From.Name()
	}
	switch {
	case asked == NotAsked && o.Hint.State == HintUnreadable:
		return o.Hint.unread("unreadable") + ": the own wait"
	case asked == NotAsked && p.whyUnheard(o) != "":
		return p.whyUnheard(o)
	case asked == NotAsked && o.Hint.State == HintNone:
		return "no Retry-After"
	case asked == NotAsked:
		return "not asked"
	case asked == Open && p.over(o.Hint):
		if o.Hint.State == HintTooLong {
			asks = "server asked longer than any duration"
		}
		return p.whyOver(asks)
	case o.Hint.State == HintTooLong:
		return "server asked " + tooLong(p.Ceiling)
	case asked == Shut:
		return asks + ", ceiling " + limit
	case p.Ceiling == NoCeiling:
		return asks + ", no ceiling"
	case d.Server == p.Ceiling:
		return asks + ", exactly the ceiling"
	default:
		return asks + ", under the ceiling of " + limit
	}
}

// unread says that a header cannot be read, and that it is because of its lines where it is.
func (h *Hint) unread(word string) string {
	if h.Lines > 1 {
		return fmt.Sprintf("%s (%d lines that differ) %s", h.From.Name(), h.Lines, word)
	}
	return h.From.Name() + " " + word
}

// tooLong is a wait beyond every duration, and why none that long is taken where there is no ceiling.
func tooLong(ceiling time.Duration) string {
	if ceiling == NoCeiling {
		return "longer than any duration: nobody can wait that long, whatever the ceiling"
	}
	return "longer than any duration, ceiling " + FormatDuration(ceiling)
}

func (p *Policy) whyDeadline(asked Passed, d *Decision, f *Facts) string {
	left := p.Timeout - f.Elapsed
	whose := "timeout " + FormatDuration(p.Timeout)
	if f.Deadline > 0 && (p.Timeout == 0 || f.Deadline < p.Timeout) {
		left, whose = f.Deadline-f.Elapsed, "the caller's deadline"
	}
	switch {
	case p.Timeout == 0 && f.Deadline == 0:
		return "no timeout set"
	case asked == NotAsked:
		return "not asked"
	case f.Expired:
		return whose + " passed during the attempt"
	case asked == Shut:
		return "the next attempt would begin " + short(d.Wait) + " on, " + short(left) + " are left to " + whose
	default:
		return short(left-d.Wait) + " left after the wait"
	}
}

// short rounds a duration to three figures or so, for reading.
func short(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return FormatDuration(d.Round(time.Second))
	case d >= time.Second:
		return FormatDuration(d.Round(10 * time.Millisecond))
	case d >= time.Millisecond:
		return FormatDuration(d.Round(100 * time.Microsecond))
	default:
		return FormatDuration(d)
	}
}
