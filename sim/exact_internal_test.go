package sim

import (
	"math"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// sums are widths of one to twelve waits: doubling, equal, and of very different sizes.
func sums() map[string][]time.Duration {
	out := map[string][]time.Duration{}
	doubling, equal, factor := []time.Duration{}, []time.Duration{}, []time.Duration{}
	for i := range 12 {
		doubling = append(doubling, min(100*time.Millisecond<<i, 10*time.Second))
		equal = append(equal, time.Second)
		factor = append(factor, time.Duration(1e8*math.Pow(1.5, float64(i))))
		n := string(rune('a' + i))
		out["doubling "+n] = doubling[: i+1 : i+1]
		out["equal "+n] = equal[: i+1 : i+1]
		out["by half "+n] = factor[: i+1 : i+1]
	}
	out["far apart"] = []time.Duration{time.Millisecond, time.Second, 1000 * time.Second}
	return out
}

// Two ways to one law: the subsets and the series agree to eleven digits, wherever both have them, and so do their integrals.
func TestExactTwoWays(t *testing.T) {
	t.Parallel()
	compared := 0
	for name, widths := range sums() {
		zero := make([]time.Duration, len(widths))
		a, _ := newUniformSum(zero, widths)
		b, _ := newUniformSum(zero, widths)
		terms := b.terms()
		if terms > longSeries || !a.stable() {
			continue
		}
		compared++
		a.series, b.subsets = [maxTermPower + 1][]float64{}, nil
		a.list()
		b.expand(terms)
		for i := -1; i <= 41; i++ {
			at := a.length * float64(i) / 40
			for m := range 3 {
				scale := math.Pow(a.length, float64(m))
				if x, y := a.excess(m, at)/scale, b.excess(m, at)/scale; math.Abs(x-y) > 1e-11 {
					t.Errorf("%s, at %d/40, power %d: %.15g by subsets, %.15g by the series", name, i, m, x, y)
				}
			}
		}
	}
	if compared < 20 {
		t.Errorf("only %d were compared", compared)
	}
}

// Each integral is the one before it, integrated: by differences, across the middle and the ends.
func TestExactIntegrals(t *testing.T) {
	t.Parallel()
	b := engine.Default().Backoff
	b.Cap, b.Jitter.Kind = engine.NoCap, engine.JitterSmooth
	laws := map[string]waitSum{"smooth 1": newSmoothSum(&b, 1), "smooth 5": newSmoothSum(&b, 5)}
	for name, widths := range sums() {
		s, ok := newUniformSum(make([]time.Duration, len(widths)), widths)
		if !ok {
			t.Errorf("%s: there is no way", name)
			continue
		}
		laws[name] = s
	}
	for name, s := range laws {
		lo, hi := s.span()
		for i := -1; i <= 21; i++ {
			at, h := lo+(hi-lo)*float64(i)/20.03, (hi-lo)*1e-4
			for m := 1; m <= 2; m++ {
				slope := (s.excess(m, at+h) - s.excess(m, at-h)) / (2 * h)
				scale := math.Pow(hi-lo, float64(m-1))
				if want := s.excess(m-1, at); math.Abs(slope-want)/scale > 1e-3 {
					t.Errorf("%s, at %d/20, power %d: the slope is %.9g, want %.9g", name, i, m, slope/scale, want/scale)
				}
			}
		}
		if got, want := s.excess(1, hi+1000), hi+1000-s.mean(); math.Abs(got-want) > 1e-6*hi {
			t.Errorf("%s: beyond the end %v, want %v", name, got, want)
		}
	}
}

// A quantile is found across jumps, flats and steep places.
func TestQuantile(t *testing.T) {
	t.Parallel()
	steps := func(t float64) float64 {
		switch {
		case t < 100:
			return 0
		case t < 5000:
			return 0.5
		case t < 1e12:
			return 0.99
		default:
			return 1
		}
	}
	for q, want := range map[float64]float64{0.25: 100, 0.5: 100, 0.75: 5000, 0.99: 5000, 0.999: 1e12} {
		if got := quantile(steps, 0, 1e13, q); math.Round(got) != want {
			t.Errorf("q%v of steps: %v, want %v", q, got, want)
		}
	}
	for _, power := range []float64{0.1, 0.5, 1, 3, 20} {
		for _, q := range []float64{1e-6, 0.05, 0.5, 0.999} {
			calls := 0
			got := quantile(func(t float64) float64 { calls++; return math.Pow(max(t, 0)/6e10, power) }, 0, 6e10, q)
			if want := 6e10 * math.Pow(q, 1/power); math.Abs(got-want) > 1+1e-9*want {
				t.Errorf("q%v of power %v: %v, want %v", q, power, got, want)
			}
			if calls > 60 {
				t.Errorf("q%v of power %v: asked %d times", q, power, calls)
			}
		}
	}
}
