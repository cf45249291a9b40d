package bench

import (
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/internal/hist"
	"github.com/retryscope/retryscope/sim"
)

// The distribution: five attempts, full jitter on 100ms doubled up to 10s, and every attempt fails.
const (
	fiveAttempts = "attempts=5 base=100ms cap=10s jitter=full"
	sends        = 5
	distBase     = 100 * time.Millisecond
	distCap      = 10 * time.Second
)

var sinkTime time.Duration

// BenchmarkDistNext draws operations of five attempts through Next, one an iteration. The floor is the loop that a
// simulation of this one policy would have, on the same draws; the other floor has a generator in their place.
func BenchmarkDistNext(b *testing.B) {
	p := policy(b, fiveAttempts)
	outcome := engine.Outcome{Kind: engine.KindStatus, Status: 503}
	b.Run("by=ours", func(b *testing.B) {
		b.ReportAllocs()
		var total time.Duration
		for id := uint64(0); b.Loop(); id++ {
			var state engine.State
			facts := engine.Facts{Allowance: engine.NoLimit, Sends: engine.NoLimit}
			for {
				var d engine.Decision
				u := engine.Draw(7, engine.PurposeJitter, id, uint64(state.Sent+1))
				if state, d = p.Next(state, &outcome, &facts, u); d.Verdict != engine.Retry {
					break
				}
				facts.Elapsed += d.Wait
			}
			total += facts.Elapsed
		}
		sinkTime = total
	})
	b.Run("by=floor", func(b *testing.B) {
		handLoop(b, func(id, retry uint64) float64 { return engine.Draw(7, engine.PurposeJitter, id, retry) })
	})
	b.Run("by=floor-generator", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // a benchmark wants the same draws each time
		handLoop(b, func(uint64, uint64) float64 { return rng.Float64() })
	})
}

// handLoop adds up four full-jitter waits as it is written by hand.
func handLoop(b *testing.B, draw func(id, retry uint64) float64) {
	b.ReportAllocs()
	var total time.Duration
	for id := uint64(0); b.Loop(); id++ {
		for retry := 1; retry < sends; retry++ {
			total += floorDelayShift(distBase, distCap, retry, draw(id, uint64(retry)))
		}
	}
	sinkTime = total
}

// BenchmarkDistDelay is the waits alone.
func BenchmarkDistDelay(b *testing.B) {
	backoff := policy(b, fiveAttempts).Backoff
	b.Run("by=ours", func(b *testing.B) {
		b.ReportAllocs()
		var total time.Duration
		for id := uint64(0); b.Loop(); id++ {
			for retry := 1; retry < sends; retry++ {
				total += backoff.Delay(retry, 0, engine.Draw(7, engine.PurposeJitter, id, uint64(retry)))
			}
		}
		sinkTime = total
	})
	b.Run("by=floor", func(b *testing.B) {
		handLoop(b, func(id, retry uint64) float64 { return engine.Draw(7, engine.PurposeJitter, id, retry) })
	})
}

// BenchmarkDist is the whole of it, with its counting: 20,000 operations an iteration, drawn though they have a closed form;
// closed is that form, and picture a first picture of a policy that has none.
func BenchmarkDist(b *testing.B) {
	run := func(cfg sim.DistConfig) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				if _, err := sim.Dist(b.Context(), cfg); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	ten := policy(b, "attempts=10 base=100ms cap=10s")
	outage := sim.DistOutage{Down: 10 * time.Second}
	b.Run("by=ours", run(sim.DistConfig{Policy: ten, Source: outage, Sampled: true}))
	b.Run("by=ours-closed", run(sim.DistConfig{Policy: ten, Source: outage}))
	b.Run("by=ours-picture", run(sim.DistConfig{Policy: policy(b, "attempts=10 base=100ms cap=10s jitter=decorrelated"), Source: outage, Draws: 2000}))
}

// BenchmarkHistAdd counts a wait in a histogram that has gone over to buckets. The floor finds a bucket and counts it, and
// does nothing else.
func BenchmarkHistAdd(b *testing.B) {
	var waits [1 << 12]time.Duration
	for i := range waits {
		waits[i] = 100*time.Millisecond + time.Duration(engine.Draw(7, engine.PurposeJitter, uint64(i), 0)*float64(distCap))
	}
	b.Run("by=ours", func(b *testing.B) {
		b.ReportAllocs()
		var h hist.Hist
		h.AddN(time.Second, hist.ExactLimit+1)
		for i := 0; b.Loop(); i++ {
			h.Add(waits[i&(len(waits)-1)])
		}
	})
	b.Run("by=floor", func(b *testing.B) {
		b.ReportAllocs()
		var counts [64 << 10]int64
		for i := 0; b.Loop(); i++ {
			counts[bucketOf(uint64(waits[i&(len(waits)-1)]))]++
		}
		sinkTime = time.Duration(counts[0])
	})
}

// bucketOf is the bucket of a value of 1024 or more.
func bucketOf(v uint64) int {
	shift := bits.Len64(v) - 11
	return (shift<<10 + int(v>>shift)) & (64<<10 - 1)
}
