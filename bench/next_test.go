package bench

import (
	"testing"
	"time"
	"unsafe"

	"github.com/retryscope/retryscope/engine"
)

// allGates is a policy under which no gate goes unasked: it has a budget, a ceiling and a timeout.
const allGates = "attempts=16 timeout=5m budget=tokens:500/14/1"

var (
	sinkState    engine.State
	sinkDecision engine.Decision
)

// BenchmarkNext decides on a 503 that asks for two seconds, in the middle of an operation with a session, an allowance
// and a budget. The floor draws the wait alone.
func BenchmarkNext(b *testing.B) {
	p := policy(b, allGates)
	outcome := engine.Outcome{
		Kind: engine.KindStatus, Status: 503,
		Hint: engine.Hint{State: engine.HintWait, Wait: 2 * time.Second},
	}
	facts := engine.Facts{
		Elapsed: 3 * time.Second, Deadline: 4 * time.Minute,
		Allowance: 12, Sends: 900, Tokens: 300,
		Safety: engine.SafeMethod, Body: engine.BodyReplayable, Method: "PUT",
	}
	b.Run("by=ours", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			state := engine.State{Sent: retries[i&7] - 1, Prev: time.Second}
			sinkState, sinkDecision = p.Next(state, &outcome, &facts, draws[i&7])
		}
		for gate := range engine.Gate(engine.NumGates) {
			if sinkDecision.Gates.At(gate) != engine.Open {
				b.Fatalf("gate %d is not open: not the work that was meant", gate)
			}
		}
		b.ReportMetric(float64(unsafe.Sizeof(sinkState)), "state-B")
	})
	b.Run("by=floor", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			sinkDuration = floorDelay(p.Base, p.Cap, p.Factor, retries[i&7], draws[i&7])
		}
	})
	b.Run("by=floor-shift", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			sinkDuration = floorDelayShift(p.Base, p.Cap, retries[i&7], draws[i&7])
		}
	})
}
