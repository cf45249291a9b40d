package lab_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// The same script on the machine's clock (one that stands still while anything runs, as in a bubble) makes the same
// record as on the virtual one.
func TestRealtimeIsScripted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script, policy    string
		cancelAt, signOut time.Duration
	}{
		{"503 latency=120ms, 429 after=2 latency=90ms, reset latency=40ms, 200 latency=80ms", "", -1, -1},
		{`429 after="Thu, 01 Jan 2026 00:00:07 GMT", 200`, "", -1, -1},
		{"hang, cut, garbage, badjson", "attempt-timeout=1s", -1, -1},
		{"503 latency=80ms", "timeout=900ms jitter=none", -1, -1},
		{"503 latency=80ms", "base=1s jitter=none", 500 * ms, -1},
		{"503 latency=80ms", "base=1s jitter=none", -1, 500 * ms},
		{"hang", "attempt-timeout=none", 500 * ms, -1},
		{`302 header="Location: /x" latency=10ms, 503, 200`, "", -1, -1},
	} {
		t.Run(tt.script, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := config(t, tt.script, tt.policy)
				cfg.CancelAt, cfg.SignOutAt = tt.cancelAt, tt.signOut
				cfg.Wall = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
				began := time.Now()
				got := jsonOf(t, lab.ScriptedRealtime(t.Context(), cfg))
				took := time.Since(began)
				virtual := lab.Scripted(cfg)
				if want := jsonOf(t, virtual); got != want {
					t.Errorf("in real time\n%s\nscripted\n%s", got, want)
				}
				if took != virtual.Done.At {
					t.Errorf("it took %v, and says %v", took, virtual.Done.At)
				}
			})
		})
	}
}

func TestRealtimeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
		defer cancel()
		tr := lab.ScriptedRealtime(ctx, config(t, "503", "base=1s jitter=none"))
		want{result: engine.ResultTimedOut, reason: engine.ReasonDeadline, attempts: 1}.check(t, "a deadline", tr)
		ctx, stop := context.WithCancel(t.Context())
		cfg := config(t, "503", "base=1s jitter=none")
		cfg.Observe = func(_ *trace.Trace, e trace.Event) {
			if e.Kind == trace.KindWait {
				stop()
			}
		}
		began := time.Now()
		want{result: engine.ResultCancelled, reason: engine.ReasonCancelled, attempts: 1}.check(t, "a cancel", lab.ScriptedRealtime(ctx, cfg))
		if time.Since(began) != 0 {
			t.Error("it waited after the cancel")
		}
	})
}
