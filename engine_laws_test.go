package main_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// keepsLaws checks what holds of every operation, whatever its policy and its replies: what the four checks of a trace
// say, and what ties the events, the report and the error together.
func keepsLaws(t testing.TB, g *game, p *played) {
	t.Helper()
	orderOfEvents(t, p)
	limitsHold(t, g, p)
	waitsHold(t, p)
	endAgrees(t, p)
	for i := range p.events {
		if e := &p.events[i]; e.Kind == engine.EventDecision {
			gatesAgree(t, e.Policy, &e.Decision, &e.Outcome, &e.Facts)
		}
	}
}

// orderOfEvents: start, then attempt, outcome, decision and perhaps wait and its end, then done, and nothing after it.
func orderOfEvents(t testing.TB, p *played) {
	t.Helper()
	follows := map[engine.EventKind][]engine.EventKind{
		engine.EventStart:    {engine.EventAttempt, engine.EventDone},
		engine.EventAttempt:  {engine.EventOutcome, engine.EventDone},
		engine.EventOutcome:  {engine.EventDecision},
		engine.EventDecision: {engine.EventWait, engine.EventDone},
		engine.EventWait:     {engine.EventWaitEnd},
		engine.EventWaitEnd:  {engine.EventAttempt, engine.EventDone},
	}
	if len(p.events) < 2 || p.events[0].Kind != engine.EventStart || p.events[len(p.events)-1].Kind != engine.EventDone {
		t.Fatalf("%d events, not from start to done", len(p.events))
	}
	for i := 1; i < len(p.events); i++ {
		before, e := &p.events[i-1], &p.events[i]
		ok := false
		for _, k := range follows[before.Kind] {
			ok = ok || k == e.Kind
		}
		if !ok {
			t.Errorf("event %d of kind %d after kind %d", i, e.Kind, before.Kind)
		}
		if e.At < before.At {
			t.Errorf("event %d at %v after one at %v", i, e.At, before.At)
		}
		if e.Operation != before.Operation {
			t.Errorf("event %d of operation %d after one of %d", i, e.Operation, before.Operation)
		}
		if before.Kind == engine.EventWaitEnd && before.Cut && e.Kind != engine.EventDone {
			t.Errorf("event %d after a wait that was cut", i)
		}
		if e.Kind == engine.EventWait && e.Decision.Verdict != engine.Retry {
			t.Errorf("event %d: a wait on the verdict %v", i, e.Decision.Verdict)
		}
	}
}

// limitsHold: no send beyond the attempts, none at or after the timeout, none of what cannot be sent again.
func limitsHold(t testing.TB, g *game, p *played) {
	t.Helper()
	sends := 0
	for i := range p.events {
		e := &p.events[i]
		if e.Kind != engine.EventAttempt {
			continue
		}
		sends++
		if e.Attempt != sends {
			t.Errorf("attempt %d is called %d", sends, e.Attempt)
		}
		if e.Attempt > e.Policy.Attempts {
			t.Errorf("attempt %d of %d", e.Attempt, e.Policy.Attempts)
		}
		if e.Policy.Timeout > 0 && e.At >= e.Policy.Timeout {
			t.Errorf("an attempt at %v, timeout %v", e.At, e.Policy.Timeout)
		}
		if e.Attempt == 1 {
			continue
		}
		// What came before this attempt allowed a second send.
		before := &p.events[i-4]
		if before.Kind != engine.EventOutcome {
			t.Fatalf("four events before an attempt there is kind %d", before.Kind)
		}
		if g.body == engine.BodyOnce && !before.Outcome.NotSent {
			t.Error("a body that can be read once only was sent again")
		}
		if !e.Policy.Safety(g.method, g.keyed).Repeatable() && !before.Outcome.NotSent {
			t.Errorf("a %s was sent again", g.method)
		}
		if !before.Outcome.Failure() || before.Outcome.Kind == engine.KindCancelled {
			t.Errorf("another attempt after %v", before.Outcome.Words())
		}
	}
	if sends != p.calls || sends != p.report.Attempts {
		t.Errorf("%d attempts seen, %d calls made, %d reported", sends, p.calls, p.report.Attempts)
	}
}

// waitsHold: no attempt before its wait was over, every own draw in its window and bounds, no server wait shortened.
func waitsHold(t testing.TB, p *played) {
	t.Helper()
	var waited, prev time.Duration
	for i := range p.events {
		e := &p.events[i]
		d := &e.Decision
		switch e.Kind {
		case engine.EventDecision:
			if d.Drawn {
				drawHolds(t, e.Policy, &e.Outcome, d, prev)
			}
			if d.Verdict == engine.Retry {
				prev = d.Memory
			}
		case engine.EventWaitEnd:
			took := e.At - p.events[i-1].At
			waited += took
			if !e.Cut && took != d.Wait {
				t.Errorf("waited %v where %v was planned", took, d.Wait)
			}
			if e.Cut && took > d.Wait {
				t.Errorf("a wait cut after %v, planned %v", took, d.Wait)
			}
		case engine.EventStart, engine.EventAttempt, engine.EventOutcome, engine.EventWait, engine.EventDone:
		}
	}
	if waited != p.report.Waited {
		t.Errorf("waited %v, reported %v", waited, p.report.Waited)
	}
}

func drawHolds(t testing.TB, p *engine.Policy, o *engine.Outcome, d *engine.Decision, prev time.Duration) {
	t.Helper()
	after := p.After(o)
	lo, hi := after.Window(d.Attempt, prev)
	if d.Lo != lo || d.Hi != hi || d.Own < lo || d.Own > hi {
		t.Errorf("own wait %v in [%v, %v], window [%v, %v]", d.Own, d.Lo, d.Hi, lo, hi)
	}
	if low, high := p.Bounds(d.Attempt); d.Own < low || d.Own > high || lo < low || hi > high {
		t.Errorf("own wait %v, window [%v, %v], bounds [%v, %v]", d.Own, lo, hi, low, high)
	}
	memoryHolds(t, p, d, prev)
	serverHolds(t, p, o, d)
}

// memoryHolds: what a draw leaves to the next is the draw, but with smooth jitter the sum of all draws before the cap.
func memoryHolds(t testing.TB, p *engine.Policy, d *engine.Decision, prev time.Duration) {
	t.Helper()
	if p.Jitter.Kind != engine.JitterSmooth {
		if d.Memory != d.Own {
			t.Errorf("own wait %v, remembered as %v", d.Own, d.Memory)
		}
		return
	}
	if d.Attempt == 1 {
		prev = 0
	}
	plain := p.Least == 0 && d.Own < p.Cap && p.ThrottleBase == 0 && (d.Attempt > 1 || p.First == engine.FirstPlain)
	if plain && d.Memory != prev+d.Own || d.Memory < 0 || p.ThrottleBase == 0 && d.Memory < prev {
		t.Errorf("attempt %d: from the point %v by %v to %v", d.Attempt, prev, d.Own, d.Memory)
	}
}

// serverHolds: a server wait that is honored may be lengthened and is never shortened.
func serverHolds(t testing.TB, p *engine.Policy, o *engine.Outcome, d *engine.Decision) {
	t.Helper()
	over := d.Server > p.Ceiling || o.Hint.State == engine.HintTooLong
	bounded := p.RetryAfter.Mode == engine.RetryAfterBounded
	changed := d.Asked && over && p.OverCeiling != engine.OverDefer
	switch {
	case d.Asked != p.Hears(o):
		t.Errorf("%+v of %s: asked %v", o.Hint, o.Words(), d.Asked)
	case d.Asked && bounded && (d.Wait < d.Own || d.Wait-d.Own > p.RetryAfter.Range):
		t.Errorf("own wait %v and at most %v more, waits %v", d.Own, p.RetryAfter.Range, d.Wait)
	case changed && p.OverCeiling == engine.OverOwn && d.Wait != d.Own:
		t.Errorf("the server's wait is none, own wait %v, waits %v", d.Own, d.Wait)
	case changed && p.OverCeiling == engine.OverCut && !bounded && d.Wait < p.Ceiling && p.Ceiling != engine.NoCeiling:
		t.Errorf("cut to %v, waits %v", p.Ceiling, d.Wait)
	case d.Asked && !changed && !bounded && d.Wait < d.Server:
		t.Errorf("waits %v, the server asked for %v", d.Wait, d.Server)
	}
	switch {
	case !d.Asked && d.Wait != d.Own:
		t.Errorf("nobody asked, own wait %v, waits %v", d.Own, d.Wait)
	case d.Asked && p.RetryAfter.Mode == engine.RetryAfterRequired && p.Spread == 0 && !changed && d.Wait != d.Server:
		t.Errorf("the server asked for %v, waits %v", d.Server, d.Wait)
	case d.Asked && p.RetryAfter.Mode == engine.RetryAfterIgnore:
		t.Error("asked, where Retry-After is ignored")
	case d.Asked && p.RetryAfter.Mode == engine.RetryAfterAtLeast && d.Wait < d.Own:
		t.Errorf("at least the own wait %v, waits %v", d.Own, d.Wait)
	}
	if d.Verdict == engine.Retry && d.Asked && d.Server > p.Ceiling && !changed {
		t.Errorf("retries after %v above the ceiling %v", d.Server, p.Ceiling)
	}
}

// endAgrees: the last event, the report and the error tell one story, and a cancel is none of a failure.
func endAgrees(t testing.TB, p *played) {
	t.Helper()
	end := &p.events[len(p.events)-1]
	if end.Report != p.report || !errors.Is(p.err, end.Err) {
		t.Errorf("the last event says %+v and %v, the caller was told %+v and %v", end.Report, end.Err, p.report, p.err)
	}
	if p.report.Elapsed != end.At {
		t.Errorf("elapsed %v, ended at %v", p.report.Elapsed, end.At)
	}
	interrupted, isInterrupted := errors.AsType[*engine.InterruptedError](p.err)
	_, isTimeout := errors.AsType[*engine.TimeoutError](p.err)
	_, isFailed := errors.AsType[*engine.FailedError](p.err)
	_, isDeferred := errors.AsType[*engine.DeferredError](p.err)
	ok := false
	switch p.report.Result {
	case engine.ResultSucceeded:
		ok = p.err == nil && p.report.Reason == engine.ReasonNone
	case engine.ResultFailed:
		ok = isFailed || p.err == nil || isInterrupted && errors.Is(interrupted.Err, engine.ErrStaleGeneration)
	case engine.ResultDeferred:
		ok = isDeferred && errors.Is(p.err, engine.ErrDeferred) && p.report.Reason == engine.ReasonCeiling
	case engine.ResultTimedOut:
		ok = (isTimeout && errors.Is(p.err, engine.ErrTimeout) || isInterrupted && errors.Is(interrupted.Err, context.DeadlineExceeded)) &&
			p.report.Reason == engine.ReasonDeadline
	case engine.ResultCancelled:
		ok = isInterrupted && errors.Is(interrupted.Err, context.Canceled) && p.report.Reason == engine.ReasonCancelled
	case engine.ResultEndless:
		ok = isFailed && (p.report.Reason == engine.ReasonNeverAnswers || p.report.Reason == engine.ReasonNoLimit)
	}
	if !ok {
		t.Errorf("%v (%v) with the error %T %v", p.report.Result, p.report.Reason, p.err, p.err)
	}
}

// gatesAgree: the reason is that of the first gate that is shut, and there is only one; what comes before it is open, but
// for gates that had nothing to ask; after it nothing was asked.
func gatesAgree(t testing.TB, p *engine.Policy, d *engine.Decision, o *engine.Outcome, f *engine.Facts) {
	t.Helper()
	reasons := [engine.NumGates]engine.Reason{
		engine.ReasonCancelled, engine.ReasonStaleGeneration, engine.ReasonNone, engine.ReasonNotIdempotent, engine.ReasonNotReplayable,
		engine.ReasonNotRetryable, engine.ReasonAttempts, engine.ReasonBudget, engine.ReasonCeiling, engine.ReasonDeadline,
	}
	shut := -1
	for g := range engine.Gate(engine.NumGates) {
		asked := d.Gates.At(g)
		outOfTurn := g == engine.GateDeadline && f.Expired
		switch {
		case asked == engine.Shut && shut >= 0:
			t.Errorf("both %v and %v are shut", engine.Gate(shut), g)
		case asked == engine.Shut:
			shut = int(g)
		case asked == engine.Open && shut >= 0:
			t.Errorf("%v was asked after %v was shut", g, engine.Gate(shut))
		}
		if asked == engine.Shut && d.Reason != reasons[g] && (g != engine.GateAttempts || d.Reason != engine.ReasonMaxSends) {
			t.Errorf("%v is shut, the reason is %v", g, d.Reason)
		}
		if asked == engine.NotAsked && shut < 0 && !mayBeUnasked(g, p, d, o) && !f.Expired && d.Verdict != engine.Succeed {
			t.Errorf("%v was not asked, and none before it is shut", g)
		}
		if asked == engine.Shut && outOfTurn && d.Drawn {
			t.Error("expired, and yet a wait was drawn")
		}
	}
	wants := map[engine.Verdict]bool{
		engine.Succeed: shut < 0 && !o.Failure() && d.Reason == engine.ReasonNone,
		engine.Retry:   shut < 0 && o.Failure() && d.Reason == engine.ReasonNone && d.Drawn,
		engine.Defer:   shut == int(engine.GateCeiling) && d.Asked,
		engine.Stop:    shut >= 0 && shut != int(engine.GateCeiling),
	}
	if !wants[d.Verdict] {
		t.Errorf("verdict %v with %v shut, reason %v, outcome %v", d.Verdict, engine.Gate(max(shut, 0)), d.Reason, o.Words())
	}
	for g := range engine.Gate(engine.NumGates) {
		words := p.Why(g, d, o, f)
		if words == "" || shut >= 0 && int(g) > shut && !slices.ContainsFunc(unaskedWords, func(s string) bool { return strings.HasPrefix(words, s) }) {
			t.Errorf("the gate %v after %v says %q", g, engine.Gate(max(shut, 0)), words)
		}
	}
}

// unaskedWords are what a gate says that was not reached.
var unaskedWords = []string{"not asked", "no budget set", "no timeout set", "no Retry-After", "Retry-After", "X-Amz-Retry-After unreadable"}

// mayBeUnasked are the gates that ask nothing where there is nothing to ask about.
func mayBeUnasked(g engine.Gate, p *engine.Policy, d *engine.Decision, o *engine.Outcome) bool {
	switch g {
	case engine.GateReplayable:
		return o.NotSent
	case engine.GateBudget:
		return p.Budget.Kind == engine.BudgetNone
	case engine.GateCeiling:
		return !d.Asked
	case engine.GateDeadline:
		return true
	case engine.GateCancelled, engine.GateGeneration, engine.GateOutcome, engine.GateIdempotent, engine.GateRetryable, engine.GateAttempts:
		return false
	default:
		return false
	}
}
