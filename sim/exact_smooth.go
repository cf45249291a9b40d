package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// smoothSum is the sum of the smooth draws up to one retry: it telescopes to the latest point on the curve, which is a
// function of one draw alone and grows with it.
type smoothSum struct {
	b              *engine.Backoff
	retry          int
	lo, hi         float64
	mu, dispersion float64
}

func newSmoothSum(b *engine.Backoff, retry int) *smoothSum {
	s := &smoothSum{b: b, retry: retry}
	s.lo, s.hi = s.point(0), s.point(1)
	// Moments about the least sum, which is near: about 0 their difference would lose digits.
	first := s.integral(1, func(x float64) float64 { return x - s.lo })
	second := s.integral(1, func(x float64) float64 { return (x - s.lo) * (x - s.lo) })
	s.mu, s.dispersion = s.lo+first, second-first*first
	return s
}

// point is the sum after a draw u: what Step leaves behind.
func (s *smoothSum) point(u float64) float64 {
	_, sum := s.b.Step(s.retry, time.Duration(0), u)
	return nanoseconds(sum)
}

// draw is the share of draws that lead to t or less.
func (s *smoothSum) draw(t float64) float64 {
	switch {
	case t < s.lo:
		return 0
	case t >= s.hi:
		return 1
	}
	lo, hi := 0.0, 1.0
	for range 60 {
		mid := (lo + hi) / 2
		if s.point(mid) <= t {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// integral is ∫ f(point(u)) du from 0 to top, in v = √u: the curve begins like a root.
func (s *smoothSum) integral(top float64, f func(float64) float64) float64 {
	sum, r := 0.0, math.Sqrt(top)
	for i, x := range gaussNodes {
		v := r * (1 + x) / 2
		sum += gaussWeights[i] * v * f(s.point(v*v))
	}
	return sum * r
}

func (s *smoothSum) excess(m int, t float64) float64 {
	switch {
	case t < s.lo:
		return 0
	case t >= s.hi:
		return whole(m, t-s.mu, s.dispersion)
	}
	u := s.draw(t)
	switch m {
	case 0:
		return u
	case 1:
		return s.integral(u, func(x float64) float64 { return t - x })
	default:
		return s.integral(u, func(x float64) float64 { return (t - x) * (t - x) / 2 })
	}
}

func (s *smoothSum) below(t float64) float64 { return s.draw(t) }
func (s *smoothSum) span() (lo, hi float64)  { return s.lo, s.hi }
func (s *smoothSum) mean() float64           { return s.mu }
func (s *smoothSum) variance() float64       { return s.dispersion }
