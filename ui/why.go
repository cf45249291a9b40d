package ui

import (
	"math"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// part is a piece of a line: a sign, and a text in a long and a short form.
type part struct {
	sign  rune
	style Style // of the sign, and of the text where it is bold
	long  string
	short string
	// alone takes a whole line.
	alone bool
	// spare is left out where that makes the rest fit.
	spare bool
	// first marks the gate that the first line can say too.
	first bool
}

// whyText is the why pane: its heading, and what is said of one attempt.
type whyText struct {
	head  string
	parts []part
	gates int // parts from first are gates; the first two and the rest are lines of their own
}

// whyOf says what became of attempt n at a time, and why. made is false for an attempt that was not made by then.
func whyOf(t *trace.Trace, p *engine.Policy, n int, now time.Duration, atEnd bool, gl *Glyphs) whyText {
	a := t.Attempt(n)
	switch {
	case a == nil || !atEnd && a.Start > now:
		return whyAhead(t, p, n, gl)
	case !a.Ended || !atEnd && a.End > now:
		return whyText{head: "attempt " + strconv.Itoa(n) + " is under way", parts: []part{
			{long: "sent at " + FormatTime(a.Start), alone: true},
			{long: timeoutWords(a, p), alone: true, style: Dim},
		}}
	case !a.Decided:
		return whyText{head: "attempt " + strconv.Itoa(n) + " has no decision", parts: []part{{long: outcomeLine(a), alone: true}}}
	}
	cut := a.Wait.Cut && (atEnd || a.Wait.End <= now)
	w := whyText{head: "attempt " + strconv.Itoa(n) + " " + verdictWord(a)}
	if cut {
		w.head = "attempt " + strconv.Itoa(n) + "'s wait was cut"
	}
	w.parts = append(w.parts, part{long: outcomeLine(a), alone: true, style: Bold})
	if a.Ambiguous {
		w.parts = append(w.parts, part{sign: gl.Warn, style: Warn, long: "the server may have done the work", alone: true})
	}
	for g := engine.GateCancelled; g < engine.NumGates; g++ {
		p := gatePart(a, g, gl)
		if cut {
			p.notYet(g, t.Done)
		}
		w.parts = append(w.parts, p)
	}
	w.gates = engine.NumGates
	var prev time.Duration
	if before := t.Attempt(n - 1); before != nil && before.Decided {
		prev = before.Decision.Own
	}
	w.parts = append(w.parts, waitParts(a, prev, gl)...)
	if last := &w.parts[len(w.parts)-1]; cut {
		last.long, last.style = gl.Arrow+" cut "+clockText(a.Wait.End-a.Wait.Start)+" into "+clockText(a.Wait.For), FinalBold
		last.short = cutBy(t.Done, p)
	}
	return w
}

// notYet says of the gate that a wait was cut for, that it was open when the wait began.
func (p *part) notYet(g engine.Gate, done *trace.Done) {
	out := done != nil && done.Reason == engine.ReasonStaleGeneration
	switch {
	case g == engine.GateCancelled && !out:
		p.long, p.short = "not cancelled yet when this was decided", "no cancel yet"
	case g == engine.GateGeneration && out:
		p.long, p.short = "not signed out yet when this was decided", "not signed out yet"
	}
}

// cutBy says in a word or two what cut a wait.
func cutBy(done *trace.Done, p *engine.Policy) string {
	switch {
	case done == nil:
		return "cut"
	case done.Result == engine.ResultCancelled:
		return "cancelled"
	case done.Result == engine.ResultTimedOut:
		return "out of time"
	default:
		return endedBy(done, p)
	}
}

func timeoutWords(a *trace.Attempt, p *engine.Policy) string {
	if p.AttemptTimeout == 0 {
		return "no timeout of its own"
	}
	return "given up at " + FormatTime(later(a.Start, p.AttemptTimeout))
}

// verdictWord is what the decision came to.
func verdictWord(a *trace.Attempt) string {
	switch a.Decision.Verdict {
	case engine.Succeed:
		return "succeeded"
	case engine.Defer:
		return "is deferred"
	case engine.Retry:
		return "is retried"
	case engine.Stop:
		if a.Decision.Reason == engine.ReasonCancelled {
			return "was cancelled"
		}
	}
	return "is not retried"
}

// outcomeLine is what came back and after how long.
func outcomeLine(a *trace.Attempt) string {
	o := &a.Outcome
	out := o.Words() + " after " + FormatTime(a.End-a.Start)
	switch {
	case a.Detail.Reason != "" && (o.Kind == engine.KindStatus || o.Kind == engine.KindSuccess):
		out += "   " + trace.Clean(a.Detail.Reason)
	case a.Detail.Reason != "" && o.Status != 0: // the answer itself was a good one
		out += "   answered " + statusText(o.Status) + " " + trace.Clean(a.Detail.Reason)
	case o.Cause != engine.CauseNone:
		out += "   " + causeSentence(o.Cause)
	case a.Err != "":
		out += "   " + trace.Clean(a.Err)
	}
	return out
}

// causeSentence says what a cause is.
func causeSentence(c engine.Cause) string {
	switch c {
	case engine.CauseNone:
		return ""
	case engine.CauseDNS:
		return "the name was not resolved"
	case engine.CauseRefused:
		return "nobody listens"
	case engine.CauseTLS:
		return "no secure connection"
	case engine.CauseReset:
		return "connection reset"
	case engine.CauseClosed:
		return "closed before an answer"
	case engine.CauseUnreachable:
		return "no route"
	case engine.CauseProxy:
		return "the proxy refused"
	case engine.CauseHTTP2:
		return "the stream was reset"
	case engine.CauseCut:
		return "the body ended early"
	case engine.CauseMalformed:
		return "the answer is no HTTP"
	case engine.CauseRedirectLoop:
		return "the redirects never end"
	case engine.CauseRequest:
		return "the request is malformed"
	case engine.CauseBody:
		return "the body could not be read"
	}
	return c.String()
}

// gatePart is one gate: its sign, the engine's words, and a short form for a narrow pane.
func gatePart(a *trace.Attempt, g engine.Gate, gl *Glyphs) part {
	p := part{long: trace.Clean(a.Why(g)), short: gateShort(a, g)}
	if named := g == engine.GateIdempotent || g == engine.GateReplayable || g == engine.GateRetryable; named && a.Decision.Gates.At(g) == engine.Open {
		p.long = g.String() + ": " + p.long
	}
	switch a.Decision.Gates.At(g) {
	case engine.NotAsked:
		p.sign, p.style = gl.None, Neutral
		if p.long == "not asked" {
			p.long = g.String() + ": not asked"
		}
	case engine.Open:
		p.sign, p.style = gl.Passed, OK
	case engine.Shut:
		p.sign, p.style, p.alone = gl.Shut, FinalBold, true
	}
	if g == engine.GateOutcome && a.Outcome.Failure() {
		p.sign, p.style = gl.Passed, OK // it failed, so there is something to decide
		p.first = true
	}
	return p
}

// gateShort is a gate in two or three words; the long form is used for one that was not asked or is shut.
func gateShort(a *trace.Attempt, g engine.Gate) string {
	d, o, f := &a.Decision, &a.Outcome, &a.Facts
	if d.Gates.At(g) == engine.Shut {
		return ""
	}
	asked := d.Gates.At(g) != engine.NotAsked
	switch g {
	case engine.GateCancelled:
		return "not cancelled"
	case engine.GateGeneration:
		return "same session"
	case engine.GateOutcome:
		if o.Failure() {
			return "failed"
		}
		return "success"
	case engine.GateIdempotent:
		return shortOr(asked, "idempotent: "+safetyShort(f), "idempotent?")
	case engine.GateReplayable:
		return shortOr(asked, bodyShort(f.Body), "replayable?")
	case engine.GateRetryable:
		return shortOr(asked, "retryable: "+o.Words(), "retryable?")
	case engine.GateAttempts:
		if !asked {
			return "attempts?"
		}
		if a.Policy.Attempts == engine.Unlimited {
			return "attempt " + strconv.Itoa(d.Attempt)
		}
		return "attempt " + strconv.Itoa(d.Attempt) + " of " + strconv.Itoa(a.Policy.Attempts)
	case engine.GateBudget:
		if a.Policy.Budget.Kind == engine.BudgetNone {
			return "no budget set"
		}
		return shortOr(asked, strconv.Itoa(f.Tokens)+" in budget", "budget?")
	case engine.GateCeiling:
		return ceilingShort(a, asked)
	case engine.GateDeadline:
		return deadlineShort(a, asked)
	}
	return ""
}

func shortOr(asked bool, yes, no string) string {
	if asked {
		return yes
	}
	return no
}

func safetyShort(f *engine.Facts) string {
	switch f.Safety {
	case engine.SafeMethod:
		if f.Method == "" {
			return "GET"
		}
		return trace.Clean(f.Method)
	case engine.SafeKey:
		return "key"
	case engine.SafeListed:
		return "listed"
	case engine.SafeAny:
		return "any"
	case engine.Unsafe, engine.Unlisted:
		return "not sent"
	}
	return ""
}

func bodyShort(b engine.Body) string {
	switch b {
	case engine.BodyNone:
		return "no body"
	case engine.BodyReplayable:
		return "replayable: body"
	case engine.BodyOnce:
		return "body only once"
	case engine.BodyLost:
		return "body cannot be remade"
	}
	return ""
}

func ceilingShort(a *trace.Attempt, asked bool) string {
	switch {
	case asked:
		return a.Outcome.Hint.From.Name() + " " + FormatTime(a.Decision.Server)
	case a.Outcome.Hint.State == engine.HintUnreadable:
		return a.Outcome.Hint.From.Name() + " unreadable"
	case a.Outcome.Hint.State == engine.HintNone:
		return "no Retry-After"
	case a.Policy.RetryAfter.Mode == engine.RetryAfterIgnore:
		return "Retry-After ignored"
	case !a.Policy.Hears(&a.Outcome):
		return "not heard on " + strconv.Itoa(a.Outcome.Status)
	default:
		return "ceiling?"
	}
}

func deadlineShort(a *trace.Attempt, asked bool) string {
	p, f := &a.Policy, &a.Facts
	switch {
	case p.Timeout == 0 && f.Deadline == 0:
		return "no timeout set"
	case !asked:
		return "timeout?"
	}
	left := time.Duration(math.MaxInt64)
	if p.Timeout > 0 {
		left = p.Timeout - f.Elapsed
	}
	if f.Deadline > 0 {
		left = min(left, f.Deadline-f.Elapsed)
	}
	return FormatTime(left) + " to timeout"
}

// waitParts are the window and what became of it.
func waitParts(a *trace.Attempt, prev time.Duration, gl *Glyphs) []part {
	d, p := &a.Decision, &a.Policy
	after := p.After(&a.Outcome)
	var out []part
	if d.Drawn {
		out = append(out, part{
			long: "window " + rangeText(d.Lo, d.Hi, gl), short: formula(&after, d.Attempt, prev, gl), alone: true,
			spare: d.Verdict != engine.Retry,
		})
	}
	arrow := gl.Arrow + " "
	switch d.Verdict {
	case engine.Succeed:
		return append(out, part{long: arrow + "hands over the answer", style: OKBold, alone: true})
	case engine.Retry:
		style := RetryBold
		if d.Source == engine.SourceServer {
			style = Server
		}
		return append(out, part{long: arrow + "waits " + FormatTime(d.Wait), short: sourceWords(d, p), style: style, alone: true})
	case engine.Defer:
		return append(out, part{
			long: arrow + "deferred", short: "asked " + FormatTime(d.Server) + ", ceiling " + ceilingText(p), style: FinalBold, alone: true,
		})
	case engine.Stop:
	}
	return append(out, part{long: arrow + "stops", short: reasonWords(d.Reason), style: FinalBold, alone: true})
}

func ceilingText(p *engine.Policy) string { return engine.FormatDuration(p.Ceiling) }

func rangeText(lo, hi time.Duration, gl *Glyphs) string {
	return string(appendRange(nil, lo, hi, gl.To))
}

// firstAhead says why the first attempt was not made: an operation can end before it.
func firstAhead(t *trace.Trace, p *engine.Policy) []part {
	if d := t.Done; d != nil && d.Attempts == 0 {
		who := endedBy(d, p)
		if who == "ended" {
			who = reasonWords(d.Reason)
		}
		return []part{{long: who + " at " + clockText(d.At), alone: true}, {long: "before anything was sent", alone: true}}
	}
	return []part{{long: "the first attempt is sent at once", alone: true}}
}

// whyAhead speaks of an attempt that was not made: what it would wait for.
func whyAhead(t *trace.Trace, p *engine.Policy, n int, gl *Glyphs) whyText {
	w := whyText{head: "attempt " + strconv.Itoa(n) + " is not made"}
	if n == 1 {
		w.parts = firstAhead(t, p)
		return w
	}
	if d := t.Done; d != nil && d.Attempts < n {
		w.parts = append(w.parts, part{long: "the run ended after attempt " + strconv.Itoa(d.Attempts), alone: true})
	}
	p = inWaits(p)
	lo, hi := p.Bounds(n - 1)
	w.parts = append(w.parts,
		part{long: "if attempt " + strconv.Itoa(n-1) + " fails and may be tried again:", alone: true},
		part{long: "window " + rangeText(lo, hi, gl), short: formula(&p.Backoff, n-1, 0, gl), alone: true})
	if !p.Listens() {
		return w
	}
	switch p.RetryAfter.Mode {
	case engine.RetryAfterIgnore:
	case engine.RetryAfterBounded:
		w.parts = append(w.parts, part{long: "a Retry-After adds up to " + FormatTime(p.RetryAfter.Range), style: Dim, alone: true})
	case engine.RetryAfterRequired:
		w.parts = append(w.parts, part{long: "an answer must ask for a wait, of up to " + ceilingText(p), style: Dim, alone: true})
	case engine.RetryAfterAtLeast, engine.RetryAfterReplace, engine.RetryAfterClamp:
		w.parts = append(w.parts, part{long: "a Retry-After up to " + ceilingText(p) + " is heard", style: Dim, alone: true})
	}
	return w
}
