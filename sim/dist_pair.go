package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/internal/hist"
)

// pairTally counts how two policies differ on the same chance: sums of the second less the first, and of its square.
type pairTally struct {
	success, within, attempts [2]int64
	longer, shorter           hist.Hist // by how much the second waits longer, or shorter
}

func (t *pairTally) add(a, b *distOp, deadline time.Duration) {
	count(&t.success, one(b.result == engine.ResultSucceeded)-one(a.result == engine.ResultSucceeded))
	count(&t.within, one(b.within(deadline))-one(a.within(deadline)))
	count(&t.attempts, int64(b.attempts-a.attempts))
	switch {
	case b.waited > a.waited:
		t.longer.Add(b.waited - a.waited)
	case b.waited < a.waited:
		t.shorter.Add(a.waited - b.waited)
	}
}

func count(to *[2]int64, d int64) {
	to[0] += d
	to[1] += d * d
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (t *pairTally) merge(o *pairTally) {
	for i := range 2 {
		t.success[i] += o.success[i]
		t.within[i] += o.within[i]
		t.attempts[i] += o.attempts[i]
	}
	t.longer.Merge(&o.longer)
	t.shorter.Merge(&o.shorter)
}

// diff is the second lane less the first: of the exact figures where both are, else of the pairs drawn.
func (r *DistRun) diff(a, b *DistLane) *DistDiff {
	if r.Exact() {
		less := func(x, y DistFigure) DistFigure { return DistFigure{Value: y.Value - x.Value, How: DistExact} }
		return &DistDiff{
			Success: less(a.Success, b.Success), Within: less(a.Within, b.Within), Attempts: less(a.Attempts, b.Attempts),
			Wait: b.Wait.Mean - a.Wait.Mean, WaitHow: DistExact,
		}
	}
	t, n := &r.tally.pairs, int64(r.draws)
	mean := func(s [2]int64) DistFigure { return sampledMean(float64(s[0]), float64(s[1]), n) }
	d := &DistDiff{Success: mean(t.success), Within: mean(t.within), Attempts: mean(t.attempts)}
	up, down := copied(&t.longer), copied(&t.shorter)
	wait := sampledMean(total(up)-total(down), totalSquares(up)+totalSquares(down), n)
	if d.Wait, d.WaitSE = duration(wait.Value), NoSE; !math.IsNaN(wait.SE) {
		d.WaitSE = duration(wait.SE)
	}
	return d
}

func total(h *hist.Hist) float64 { return float64(h.Count()) * nanoseconds(h.Mean()) }

func totalSquares(h *hist.Hist) float64 {
	n, mean, sd := float64(h.Count()), nanoseconds(h.Mean()), nanoseconds(h.SD())
	return math.FMA(n*mean, mean, max(n-1, 0)*sd*sd)
}
