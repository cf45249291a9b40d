package engine

import (
	"math"
	"time"
)

// Curve is how the wait grows from retry to retry, before jitter.
type Curve uint8

// The curves; n is the retry, from 1, plus Shift.
const (
	CurveNone        Curve = iota // no own wait
	CurveConstant                 // Base
	CurveLinear                   // Base·n
	CurveQuadratic                // Base·n²
	CurveExponential              // Base·Factorⁿ⁻¹
	CurveFibonacci                // Base·(1, 1, 2, 3, 5, …)
)

// JitterKind is how chance changes the wait x of the curve.
type JitterKind uint8

// The jitters.
const (
	JitterNone         JitterKind = iota // x
	JitterFull                           // U[0, x]
	JitterEqual                          // x/2 + U[0, x/2]
	JitterScale                          // x·U[Lo, Hi]
	JitterAdditive                       // x + U[0, Add]
	JitterDecorrelated                   // min(Cap, U[Base, 3·previous]); has its own growth
	JitterSmooth                         // along Polly v8's curve; has its own growth, see smooth.go
)

// Jitter is a kind of jitter and its figures.
type Jitter struct {
	Kind JitterKind
	// Lo and Hi are the factors of JitterScale, 0 <= Lo <= Hi.
	Lo, Hi float64
	// Add is the reach of JitterAdditive.
	Add time.Duration
}

// CapStage is where the cap cuts.
type CapStage uint8

// The stages. Decorrelated and smooth jitter are always capped after their draw.
const (
	CapBefore CapStage = iota // the wait of the curve; jitter may lengthen it beyond the cap
	CapAfter                  // the drawn wait
	CapBoth                   // both
)

// First is what is special about the first retry's own wait. A server wait holds all the same.
type First uint8

// The firsts.
const (
	FirstPlain      First = iota // nothing
	FirstImmediate               // no own wait
	FirstUnjittered              // no jitter
)

// Backoff draws own waits. It is plain data; nothing in it overflows, whatever the retry: every step saturates before
// it multiplies.
type Backoff struct {
	// Base is the first wait of the curve, 0 or more; 0 means no wait. A Base above Cap is taken as Cap.
	Base time.Duration
	// ThrottleBase takes the place of Base in the wait after a 429; 0 for none of its own.
	ThrottleBase time.Duration
	// Cap is the longest wait, above 0, or NoCap; CapStage says where it cuts.
	Cap      time.Duration
	CapStage CapStage
	// Least is the shortest wait after jitter.
	Least time.Duration
	// Curve, Factor (1 or more, finite) and Shift (0 or 1) give the growth.
	Curve  Curve
	Factor float64
	Shift  int
	// First is what is special about the first retry.
	First First
	// Jitter is how chance changes the wait.
	Jitter Jitter
}

// Delay is the own wait before retry number retry (1 is the wait after the first attempt), with what Step gave the draw
// before to remember (0 where there was none) and a draw u in [0, 1]; only decorrelated and smooth jitter look at prev.
// It is a pure function, allocates nothing and grows with u. The wait after a 429 is that of After's backoff.
func (b *Backoff) Delay(retry int, prev time.Duration, u float64) time.Duration {
	own, _ := b.Step(retry, prev, u)
	return own
}

// Step is Delay, and what the draw after it has to know of this one: the own draw itself, but with smooth jitter how far
// the draws have come along its curve, which is their sum before the cap.
func (b *Backoff) Step(retry int, prev time.Duration, u float64) (own, next time.Duration) {
	switch b.Jitter.Kind {
	case JitterDecorrelated:
		own = b.decorrelated(retry, prev, u)
		return own, own
	case JitterSmooth:
		own, _, _, next = b.smooth(retry, prev, u)
		return own, next
	case JitterNone, JitterFull, JitterEqual, JitterScale, JitterAdditive:
	}
	own, fixed := b.curve(retry)
	if !fixed {
		own = b.jittered(own, u)
	}
	return own, own
}

// After is the backoff of the wait after an outcome: with ThrottleBase as its base after a 429, else with Base.
func (b *Backoff) After(o *Outcome) Backoff {
	c := *b
	c.ThrottleBase = 0
	if b.ThrottleBase > 0 && o.throttled() {
		c.Base = b.ThrottleBase
	}
	return c
}

// curve is the wait before jitter, and whether it is the wait itself.
func (b *Backoff) curve(retry int) (x time.Duration, fixed bool) {
	retry = max(retry, 1)
	if retry == 1 && b.First == FirstImmediate {
		return 0, true
	}
	x = b.grow(retry)
	if b.CapStage != CapAfter {
		x = min(x, b.Cap)
	}
	if b.Jitter.Kind == JitterNone || retry == 1 && b.First == FirstUnjittered {
		return max(min(x, b.Cap), b.Least), true
	}
	return x, false
}

func (b *Backoff) jittered(x time.Duration, u float64) time.Duration {
	if u = clampUnit(u); b.Jitter.Kind == JitterFull {
		x = scale(x, u)
	} else {
		x = b.Jitter.apply(x, u)
	}
	if b.CapStage != CapBefore {
		x = min(x, b.Cap)
	}
	return max(x, b.Least)
}

// draw is a Step and its Window at once: the curve is the dear part.
func (b *Backoff) draw(retry int, prev time.Duration, u float64) (own, lo, hi, next time.Duration) {
	switch b.Jitter.Kind {
	case JitterDecorrelated:
		own = b.decorrelated(retry, prev, u)
		return own, b.decorrelated(retry, prev, 0), b.decorrelated(retry, prev, 1), own
	case JitterSmooth:
		return b.smooth(retry, prev, u)
	case JitterNone, JitterFull, JitterEqual, JitterScale, JitterAdditive:
	}
	x, fixed := b.curve(retry)
	if fixed {
		return x, x, x, x
	}
	own = b.jittered(x, u)
	return own, b.jittered(x, 0), b.jittered(x, 1), own
}

func (b *Backoff) decorrelated(retry int, prev time.Duration, u float64) time.Duration {
	base := min(b.Base, b.Cap)
	if retry <= 1 && b.First != FirstPlain {
		if b.First == FirstImmediate {
			return 0
		}
		return max(base, b.Least)
	}
	u = clampUnit(u)
	high := scale(max(prev, base), 3)
	return max(min(b.Cap, addTime(base, scale(high-base, u))), b.Least)
}

func (j *Jitter) apply(x time.Duration, u float64) time.Duration {
	switch j.Kind {
	case JitterNone, JitterDecorrelated, JitterSmooth:
		return x
	case JitterFull:
		return scale(x, u)
	case JitterEqual:
		half := x / 2
		return half + scale(x-half, u)
	case JitterScale:
		return scale(x, j.Lo+u*(j.Hi-j.Lo))
	case JitterAdditive:
		return addTime(x, scale(j.Add, u))
	default:
		return x
	}
}

// grow is the wait of the curve. It saturates at Forever.
func (b *Backoff) grow(retry int) time.Duration {
	base := min(b.Base, b.Cap)
	n := retry
	if n < math.MaxInt {
		n += b.Shift
	}
	switch b.Curve {
	case CurveNone:
		return 0
	case CurveConstant:
		return base
	case CurveLinear:
		return scale(base, float64(n))
	case CurveQuadratic:
		return scale(base, float64(n)*float64(n))
	case CurveExponential:
		if b.Factor == 2 {
			return double(base, n-1)
		}
		return scale(base, power(b.Factor, n-1))
	case CurveFibonacci:
		return scale(base, fibonacci(n))
	default:
		return 0
	}
}

// double is d·2ⁿ.
func double(d time.Duration, n int) time.Duration {
	switch {
	case d == 0 || n < 63 && d <= Forever>>n:
		return d << n
	default:
		return Forever
	}
}

// power is fⁿ for n of 0 or more, by squaring; +Inf where it is too large.
func power(f float64, n int) float64 {
	r := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r *= f
		}
		f *= f
	}
	return r
}

// fibonacci is F(n) with F(1) = F(2) = 1; past F(92) it is beyond every duration.
func fibonacci(n int) float64 {
	a, b := 0.0, 1.0
	for range min(n, 93) - 1 {
		a, b = b, a+b
	}
	return b
}

// scale multiplies while still in floating point, so that nothing wraps: what is too long is Forever, and no wait stays
// none whatever the factor.
func scale(d time.Duration, f float64) time.Duration {
	if d <= 0 || f == 1 {
		return d
	}
	x := float64(d) * f
	if f < 1 {
		return min(time.Duration(x), d) // a long duration is rounded on its way, perhaps upwards
	}
	if x < float64(Forever) {
		return max(time.Duration(x), d) // as above, perhaps downwards
	}
	return Forever
}

// Window is every value the own wait before this retry could take, given what Step gave the draw before it to remember.
func (b *Backoff) Window(retry int, prev time.Duration) (lo, hi time.Duration) {
	return b.Delay(retry, prev, 0), b.Delay(retry, prev, 1)
}

// Bounds is every value the own wait before this retry could take, over every history and after every outcome.
func (b *Backoff) Bounds(retry int) (lo, hi time.Duration) {
	lo, hi = b.bounds(retry)
	if b.ThrottleBase > 0 {
		// Waits only grow with the base, so that a history of both lies between those of either.
		throttled := *b
		throttled.Base = b.ThrottleBase
		tlo, thi := throttled.bounds(retry)
		lo, hi = min(lo, tlo), max(hi, thi)
	}
	return lo, hi
}

func (b *Backoff) bounds(retry int) (lo, hi time.Duration) {
	lo, hi = b.Window(retry, 0)
	switch b.Jitter.Kind {
	case JitterDecorrelated:
		hi = b.highest(max(retry, 1))
	case JitterSmooth: // the most follows the lowest draw before it, the least the highest
		lo, _ = b.Window(retry, Forever)
	case JitterNone, JitterFull, JitterEqual, JitterScale, JitterAdditive:
	}
	return lo, hi
}

// highest is the longest decorrelated draw: the highest draw each time. It stops growing after some 40 steps.
func (b *Backoff) highest(retry int) time.Duration {
	prev := time.Duration(0)
	for i := 1; i <= retry; i++ {
		next := b.Delay(i, prev, 1)
		if next == prev && i > 2 {
			return next
		}
		prev = next
	}
	return prev
}
