package trace_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// good is the event sequence of an operation that is tried twice: 503 at 80ms, a wait of 1s, 200.
func good() []*engine.Event {
	facts := engine.Facts{Elapsed: 80 * ms, Allowance: engine.NoLimit, Sends: engine.NoLimit}
	retry := engine.Decision{Verdict: engine.Retry, Attempt: 1, Wait: time.Second, Own: time.Second, Drawn: true}
	return []*engine.Event{
		{Kind: engine.EventStart},
		{Kind: engine.EventAttempt, Attempt: 1},
		{Kind: engine.EventOutcome, Attempt: 1, At: 80 * ms, Outcome: status(503)},
		{Kind: engine.EventDecision, Attempt: 1, At: 80 * ms, Outcome: status(503), Decision: retry, Facts: facts},
		{Kind: engine.EventWait, Attempt: 1, At: 80 * ms, Outcome: status(503), Decision: retry},
		{Kind: engine.EventWaitEnd, Attempt: 1, At: 1080 * ms, Outcome: status(503), Decision: retry},
		{Kind: engine.EventAttempt, Attempt: 2, At: 1080 * ms},
		{Kind: engine.EventOutcome, Attempt: 2, At: 1100 * ms, Outcome: ok},
		{Kind: engine.EventDecision, Attempt: 2, At: 1100 * ms, Outcome: ok, Decision: engine.Decision{Verdict: engine.Succeed, Attempt: 2}, Facts: facts},
		{Kind: engine.EventDone, Attempt: 2, At: 1100 * ms, Report: engine.Report{Result: engine.ResultSucceeded, Attempts: 2, Last: ok}},
	}
}

// The places in good.
const (
	outcome1, decision1, wait1, waitEnd1, attempt2, done = 2, 3, 4, 5, 6, 9
)

func record(p *engine.Policy, head trace.Head, events []*engine.Event) *trace.Trace {
	rec := trace.NewRecorder(head, nil, nil)
	for _, e := range events {
		if e.Policy == nil {
			e.Policy = p
		}
		rec.Observe(e)
	}
	return rec.Trace()
}

func without(events []*engine.Event, i int) []*engine.Event {
	return append(events[:i:i], events[i+1:]...)
}

// Each check fails on a sequence of events no loop may make, and on no other.
func TestChecksCanFail(t *testing.T) {
	t.Parallel()
	type events = []*engine.Event
	tests := []struct {
		name   string
		broken string // the check
		head   trace.Head
		policy string
		change func(events) events
	}{
		{name: "as it should be", change: func(e events) events { return e }},

		{name: "sent before the wait was over", broken: "no_early_retry", change: func(e events) events { e[attempt2].At--; return e }},
		{name: "wait over too soon", broken: "no_early_retry", change: func(e events) events {
			e[waitEnd1].At -= ms
			return e
		}},
		{name: "sent during the wait", broken: "no_early_retry", change: func(e events) events { return without(e, waitEnd1) }},
		{name: "sent without a wait", broken: "no_early_retry", change: func(e events) events { return without(without(e, waitEnd1), wait1) }},
		{name: "sent without a decision to retry", broken: "no_early_retry", change: func(e events) events {
			e[decision1].Decision.Verdict = engine.Stop
			return without(without(e, waitEnd1), wait1)
		}},
		{name: "waited less than the server asked for", broken: "no_early_retry", change: func(e events) events {
			e[outcome1].Outcome = asked(503, 2*time.Second)
			return e
		}},
		{name: "the server is ignored", policy: "retry-after=ignore", change: func(e events) events {
			e[outcome1].Outcome = asked(503, 2*time.Second)
			return e
		}},

		{name: "more attempts than the policy has", broken: "within_limits", policy: "attempts=1", change: func(e events) events { return e }},
		{name: "sent at the timeout", broken: "within_limits", policy: "timeout=1080ms", change: func(e events) events { return e }},
		{name: "sent just before the timeout", policy: "timeout=1080001us", change: func(e events) events { return e }},
		{name: "sent after the caller's deadline", broken: "within_limits", change: func(e events) events {
			e[decision1].Facts.Deadline = time.Second
			return e
		}},
		{name: "sent without allowance", broken: "within_limits", change: func(e events) events { e[decision1].Facts.Allowance = 0; return e }},
		{name: "sent past the hard stop", broken: "within_limits", change: func(e events) events { e[decision1].Facts.Sends = 0; return e }},
		{name: "an attempt nobody counted", broken: "within_limits", change: func(e events) events {
			for _, e := range e[attempt2:] {
				e.Attempt++
			}
			e[done].Report.Attempts++
			return e
		}},
		{name: "a count that is not what was seen", broken: "within_limits", change: func(e events) events { e[done].Report.Attempts = 3; return e }},
		{name: "an event after the end", broken: "within_limits", change: func(e events) events {
			return append(e, &engine.Event{Kind: engine.EventAttempt, Attempt: 3, At: 2 * time.Second})
		}},
		{name: "a wait after the end of it", broken: "within_limits", change: func(e events) events {
			return append(e[:done:done], &engine.Event{Kind: engine.EventWait, Attempt: 2, At: 1100 * ms}, e[done])
		}},

		{name: "sent after a cancel", broken: "cancel_is_not_failure", change: func(e events) events { e[decision1].Facts.Cancelled = true; return e }},
		{name: "sent after a sign-out", broken: "cancel_is_not_failure", change: func(e events) events { e[decision1].Facts.Stale = true; return e }},
		{name: "a cancelled attempt tried again", broken: "cancel_is_not_failure", change: func(e events) events {
			e[outcome1].Outcome = engine.Outcome{Kind: engine.KindCancelled}
			return e
		}},
		{name: "cancelled in the wait and failed", broken: "cancel_is_not_failure", change: func(e events) events {
			e[waitEnd1].Cut, e[waitEnd1].At = true, 90*ms
			return append(e[:attempt2:attempt2], &engine.Event{Kind: engine.EventDone, At: 90 * ms, Attempt: 1, Report: engine.Report{
				Result: engine.ResultFailed, Reason: engine.ReasonAttempts, Attempts: 1,
			}})
		}},
		{name: "cancelled in the wait and succeeded", broken: "cancel_is_not_failure", change: func(e events) events {
			e[waitEnd1].Cut = true
			return append(e[:attempt2:attempt2], &engine.Event{Kind: engine.EventDone, Attempt: 1, Report: engine.Report{Attempts: 1}})
		}},
		{name: "cancelled in the wait", change: func(e events) events {
			e[waitEnd1].Cut, e[waitEnd1].At = true, 90*ms
			return append(e[:attempt2:attempt2], &engine.Event{
				Kind: engine.EventDone, At: 90 * ms, Attempt: 1, Err: &engine.InterruptedError{Err: context.Canceled},
				Report: engine.Report{Result: engine.ResultCancelled, Reason: engine.ReasonCancelled, Attempts: 1},
			})
		}},
		{name: "signed out in the wait", change: func(e events) events {
			e[waitEnd1].Cut = true
			return append(e[:attempt2:attempt2], &engine.Event{
				Kind: engine.EventDone, Attempt: 1, Err: &engine.InterruptedError{Err: engine.ErrStaleGeneration},
				Report: engine.Report{Result: engine.ResultFailed, Reason: engine.ReasonStaleGeneration, Attempts: 1},
			})
		}},
		{name: "a cancel called a failure", broken: "cancel_is_not_failure", change: func(e events) events {
			e[done].Err = &engine.InterruptedError{Err: context.Canceled}
			e[done].Report.Result, e[done].Report.Reason = engine.ResultFailed, engine.ReasonNotRetryable
			return e
		}},
		{name: "a cancel without its reason", broken: "cancel_is_not_failure", change: func(e events) events {
			e[done].Report.Result = engine.ResultCancelled
			return e
		}},

		{name: "a POST sent twice", broken: "nothing_unreplayable", head: trace.Head{Method: "POST"}, change: func(e events) events { return e }},
		{name: "a POST sent twice, by the facts", broken: "nothing_unreplayable", change: func(e events) events {
			e[decision1].Facts.Safety = engine.Unsafe
			return e
		}},
		{name: "a POST with a key", head: trace.Head{Method: "POST", Keyed: true}, change: func(e events) events { return e }},
		{name: "a POST any policy", head: trace.Head{Method: "POST"}, policy: "methods=any", change: func(e events) events { return e }},
		{name: "a POST that never left", head: trace.Head{Method: "POST"}, change: func(e events) events {
			e[outcome1].Outcome = engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseRefused, NotSent: true}
			return e
		}},
		{name: "a body sent twice that can be read once", broken: "nothing_unreplayable", head: trace.Head{Body: engine.BodyOnce}, change: func(e events) events { return e }},
		{name: "a body that can be made again", head: trace.Head{Body: engine.BodyReplayable}, change: func(e events) events { return e }},
	}
	for _, tt := range tests {
		p := policy(t, tt.policy)
		tr := record(&p, tt.head, tt.change(good()))
		got := map[string]bool{
			"no_early_retry": !tr.Checks.NoEarlyRetry, "within_limits": !tr.Checks.WithinLimits,
			"cancel_is_not_failure": !tr.Checks.CancelIsNotFailure, "nothing_unreplayable": !tr.Checks.NothingUnreplayed,
		}
		if tt.broken == "" {
			if !tr.Checks.OK() || len(tr.Broken) != 0 {
				t.Errorf("%s: broken %v", tt.name, tr.Broken)
			}
			continue
		}
		if !got[tt.broken] || len(tr.Broken) == 0 || !strings.Contains(strings.Join(tr.Broken, "\n"), tt.broken+": ") {
			t.Errorf("%s: %s holds; broken %v", tt.name, tt.broken, tr.Broken)
		}
	}
}

func TestBrokenIsBounded(t *testing.T) {
	t.Parallel()
	p := engine.Default()
	e := good()
	for range 100 {
		e = append(e, &engine.Event{Kind: engine.EventAttempt, Attempt: 3})
	}
	if tr := record(&p, trace.Head{}, e); len(tr.Broken) != 8 {
		t.Errorf("%d", len(tr.Broken))
	}
}
