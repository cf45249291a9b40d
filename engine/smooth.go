package engine

import (
	"math"
	"time"
)

// smooth is the decorrelated jitter of Polly v8 (DecorrelatedJitterBackoffV2, by George Polevoy): the draws are points on
// the curve 2ᵗ·tanh(√4t), one in each step of t, and a wait is the way from one point to the next. So a draw depends on
// the one before, and their sum does not: it is the latest point. Any wait may be next to none.
//
// prev is the point before. One that cannot be, for it comes of another policy or base, is taken as the nearest that can.
func (b *Backoff) smooth(retry int, prev time.Duration, u float64) (own, lo, hi, next time.Duration) {
	retry = max(retry, 1)
	base := min(b.Base, b.Cap)
	low, high := smoothPoint(base, retry, 0), smoothPoint(base, retry, 1)
	next = min(max(smoothPoint(base, retry, clampUnit(u)), low), high)
	if retry == 1 {
		switch b.First {
		case FirstImmediate:
			return 0, 0, 0, next
		case FirstUnjittered:
			own = max(base, b.Least)
			return own, own, own, next
		case FirstPlain:
		}
		prev = 0
	} else {
		prev = min(max(prev, smoothPoint(base, retry-1, 0)), low) // one step's end is the next one's beginning
	}
	return b.way(prev, next), b.way(prev, low), b.way(prev, high), next
}

// smoothPoint is the point of a draw on the curve; Forever where it is beyond every duration. The first wait has a median
// of some 0.9·base: 1.4 is what the curve is measured in.
func smoothPoint(base time.Duration, retry int, u float64) time.Duration {
	const grid = 1 << 40 // finer draws would be lost in the rounding of the two functions, and the wait not grow with each
	t := float64(retry-1) + math.Floor(u*grid)/grid
	return scale(base, math.Exp2(t)*math.Tanh(math.Sqrt(4*t))/1.4)
}

// way is the wait from one point to another. Beyond every duration there is no telling how far: it is the longest wait.
func (b *Backoff) way(from, to time.Duration) time.Duration {
	if to < Forever {
		to -= from
	}
	return max(min(to, b.Cap), b.Least)
}
