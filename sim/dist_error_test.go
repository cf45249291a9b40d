package sim_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// What is drawn is within four of its standard errors of what is so, where times jump as well: half the calls of the first
// wait nothing, and a share of each that is close to a quantile ends with each of the attempts.
func TestDistErrorsCoverJumps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"attempts=5 curve=constant jitter=none", "attempts=4 base=100ms jitter=none", "attempts=5 base=1s first=immediate"} {
		for _, p := range []float64{0.5, 0.25, 0.1, 0.01} {
			cfg := sim.DistConfig{Policy: parsed(t, text), Source: sim.DistFailing{P: p}, Draws: 2000}
			exact := dist(t, cfg).A
			if exact.How != sim.DistExact {
				t.Fatalf("%s: %s", text, exact.Why)
			}
			cfg.Sampled = true
			for cfg.Seed = range uint64(60) {
				drawn := dist(t, cfg).A
				what := fmt.Sprintf("%s failing %g, seed %d: ", text, p, cfg.Seed)
				for i, q := range sim.DistShares {
					for _, s := range []struct {
						name         string
						exact, drawn *sim.DistSpread
					}{{"wait", &exact.Wait, &drawn.Wait}, {"time", &exact.Time, &drawn.Time}} {
						if se := s.drawn.QSE[i]; se != sim.NoSE {
							near(t, fmt.Sprintf("%s%s q%v", what, s.name, q), s.drawn.Q[i].Seconds(), se.Seconds(), s.exact.Q[i].Seconds())
						}
					}
				}
				near(t, what+"success", drawn.Success.Value, max(drawn.Success.SE, shareSE(exact.Success.Value, cfg.Draws)), exact.Success.Value)
				if drawn.Success.SE == 0 {
					t.Errorf("%sa success of %v is as good as exact", what, drawn.Success.Value)
				}
			}
		}
	}
}

// Where nothing jumps the error is the one it should be, neither much less nor much more: that of the mean of uniform waits
// is known, and that of their quantiles.
func TestDistErrorsOfUniformWaits(t *testing.T) {
	t.Parallel()
	const draws = 20_000
	r := dist(t, sim.DistConfig{Policy: parsed(t, "attempts=2 base=1s jitter=full"), Source: sim.DistFailing{P: 1}, Draws: draws, Sampled: true})
	w := &r.A.Wait
	for i, q := range sim.DistShares {
		want := math.Sqrt(q * (1 - q) / draws)
		if got := w.QSE[i].Seconds(); got < 0.7*want || got > 1.8*want {
			t.Errorf("q%v: ± %.3g, want about %.3g", q, got, want)
		}
	}
}

// Few draws do not tell how far off they are, and none of them says that it is exact.
func TestDistFewDraws(t *testing.T) {
	t.Parallel()
	against := parsed(t, "attempts=3")
	cfg := sim.DistConfig{Policy: parsed(t, "attempts=2 base=1s"), Against: &against, Source: sim.DistFailing{P: 0.5}, Draws: 1, Sampled: true}
	r := dist(t, cfg)
	if !math.IsNaN(r.A.Attempts.SE) || r.A.Wait.MeanSE != sim.NoSE || r.A.Wait.QSE[2] != sim.NoSE || r.Diff.WaitSE != sim.NoSE || !math.IsNaN(r.Diff.Attempts.SE) {
		t.Errorf("one draw: attempts ± %v, wait ± %v, median ± %v, difference %+v", r.A.Attempts.SE, r.A.Wait.MeanSE, r.A.Wait.QSE[2], *r.Diff)
	}
	if se := r.A.Success.SE; se < 0.2 || se > 0.5 {
		t.Errorf("one draw: success ± %v", se)
	}
	cfg.Draws = 100
	w := dist(t, cfg).A.Wait
	if w.MeanSE <= 0 || w.MeanSE > time.Second || w.QSE[3] < 0 || w.QSE[len(w.QSE)-1] != sim.NoSE {
		t.Errorf("100 draws: mean ± %v, p75 ± %v, p99.9 ± %v", w.MeanSE, w.QSE[3], w.QSE[len(w.QSE)-1])
	}
}
