package trace_test

import (
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// BO-01, BO-03: a wait that would end beyond every duration ends the run as endless, and is no cancel; a wait of any other
// length that was cut short is one, whatever the result says.
func TestCaseEndlessWaitIsNoCancel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		wait time.Duration
		ok   bool
	}{{engine.Forever, true}, {engine.Forever - 10*ms, true}, {time.Hour, false}} {
		p := policy(t, "")
		events := good()[:waitEnd1+1]
		end := events[waitEnd1]
		events[decision1].Decision.Wait, events[wait1].Decision.Wait, end.Decision.Wait = tt.wait, tt.wait, tt.wait
		end.Cut, end.At = true, events[wait1].At
		events = append(events, &engine.Event{Kind: engine.EventDone, Attempt: 1, At: end.At, Report: engine.Report{
			Result: engine.ResultEndless, Reason: engine.ReasonNoLimit, Attempts: 1,
		}})
		tr := record(&p, trace.Head{}, events)
		if tr.Checks.OK() != tt.ok || tr.Checks.CancelIsNotFailure != tt.ok {
			t.Errorf("a wait of %v: %+v, %v", tt.wait, tr.Checks, tr.Broken)
		}
	}
}
