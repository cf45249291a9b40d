package sim

import (
	"math"
	"slices"
	"time"
)

// waitSum is the law of a sum of waits, all in nanoseconds.
type waitSum interface {
	// excess is E[(t - T)₊ᵐ]/m! for m of 0 (the share at or below t), 1 and 2.
	excess(m int, t float64) float64
	// below is the share below t: less than excess(0, t) where t is an atom.
	below(t float64) float64
	// span is the least and the greatest sum.
	span() (lo, hi float64)
	mean() float64
	variance() float64
}

// uniformSum is a fixed time and a sum of independent U[0, width]. It is symmetric about its mean.
type uniformSum struct {
	low    float64
	widths []float64 // each above 0
	runs   []run     // the same, with equal neighbors as one: beyond the cap all are
	length float64   // their sum
	spread float64   // the variance
	// Either the subsets of the widths, by their sums, or the coefficients of the Fourier series of the share.
	subsets []subset
	series  [maxTermPower + 1][]float64 // bₘ, bₘ/m and bₘ/m²
	norm    float64                     // n! times the product of the widths
}

// run is n equal widths.
type run struct {
	width float64
	n     int
}

// subset is the sum of some widths, and whether they are an odd number.
type subset struct {
	sum float64
	odd bool
}

// The limits of what is worked out: a subset formula has 2ⁿ terms, a series as many as it takes to come near.
const (
	fewWidths    = 6
	manyWidths   = 12
	shortSeries  = 1 << 12
	longSeries   = 1 << 17
	exactEnough  = 1e-13 // what may be lost, of a share
	ddPrecision  = 1e-31
	leastEnough  = 1e-3 // of a nanosecond: a sum is known to that
	maxTermPower = 2
)

// newUniformSum is the sum of waits that lie evenly between lo and hi; ok is false where there is no way to 8 digits.
func newUniformSum(lo, hi []time.Duration) (s *uniformSum, ok bool) {
	s = &uniformSum{norm: 1}
	for i := range lo {
		s.low += nanoseconds(lo[i])
		w := nanoseconds(hi[i] - lo[i])
		if w <= 0 {
			continue
		}
		if last := len(s.runs) - 1; last >= 0 && s.runs[last].width == w {
			s.runs[last].n++
		} else {
			s.runs = append(s.runs, run{w, 1})
		}
		s.widths = append(s.widths, w)
		s.length += w
		s.spread += w * w / 12
		s.norm *= w * float64(len(s.widths))
	}
	n := len(s.widths)
	terms := s.terms()
	switch stable := s.stable(); {
	case n == 0:
	case n <= fewWidths && stable, n <= manyWidths && stable && terms > shortSeries:
		s.list()
	case terms <= longSeries:
		s.expand(terms)
	default:
		return nil, false
	}
	return s, true
}

// stable tells whether the subset formula keeps enough digits. By symmetry it is asked up to the middle only.
func (s *uniformSum) stable() bool {
	n := len(s.widths)
	if n > manyWidths {
		return false
	}
	largest := math.Pow(s.length/2, float64(n)) / s.norm
	return largest*float64(int(1)<<n)*ddPrecision < exactEnough && !math.IsInf(math.Pow(s.length, float64(n+maxTermPower)), 0)
}

// terms is how many terms of the series make the rest small: each coefficient is at most the product of length/(π·m·width).
func (s *uniformSum) terms() int {
	for m := 16; m <= longSeries; m *= 2 {
		bound := 1.0
		for _, r := range s.runs {
			bound *= power(min(1, s.length/(math.Pi*float64(m)*r.width)), r.n)
		}
		if bound < exactEnough {
			return m
		}
	}
	return longSeries + 1
}

// list makes the sums of all subsets, in order.
func (s *uniformSum) list() {
	s.subsets = make([]subset, 1, 1<<len(s.widths))
	for _, w := range s.widths {
		for _, old := range s.subsets[:len(s.subsets):len(s.subsets)] {
			s.subsets = append(s.subsets, subset{old.sum + w, !old.odd})
		}
	}
	slices.SortFunc(s.subsets, func(a, b subset) int {
		switch {
		case a.sum < b.sum:
			return -1
		case a.sum > b.sum:
			return 1
		default:
			return 0
		}
	})
}

// expand makes the series of the share over one length: y/length + Σ bₘ·sin(2πmy/length), from the characteristic function
// at the multiples of 2π/length (F. Fang, C. W. Oosterlee, A novel pricing method based on Fourier-cosine series
// expansions, 2008; of a symmetric law every second cosine is 0).
func (s *uniformSum) expand(terms int) {
	series := make([]float64, terms)
	used := 0
	for i := range series {
		m := float64(i + 1)
		b := 1 / (m * math.Pi)
		if i%2 == 0 {
			b = -b
		}
		for _, r := range s.runs {
			x := math.Pi * m * r.width / s.length
			b *= power(math.Sin(x)/x, r.n)
			if math.Abs(b) < 1e-18 {
				b = 0
				break
			}
		}
		if series[i] = b; b != 0 {
			used = i + 1
		}
	}
	s.series[0] = series[:used]
	for d := 1; d <= maxTermPower; d++ {
		s.series[d] = make([]float64, used)
		for i, b := range s.series[d-1] {
			s.series[d][i] = b / float64(i+1)
		}
	}
}

// power is xⁿ by squaring.
func power(x float64, n int) float64 {
	out := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out *= x
		}
		x *= x
	}
	return out
}

func (s *uniformSum) span() (lo, hi float64) { return s.low, s.low + s.length }
func (s *uniformSum) mean() float64          { return s.low + s.length/2 }
func (s *uniformSum) variance() float64      { return s.spread }

func (s *uniformSum) below(t float64) float64 {
	if len(s.widths) == 0 && t <= s.low {
		return 0
	}
	return s.excess(0, t)
}

func (s *uniformSum) excess(m int, t float64) float64 {
	y := t - s.low
	mid := y - s.length/2
	switch {
	case y < 0, y == 0 && len(s.widths) > 0:
		return 0
	case y >= s.length:
		return whole(m, mid, s.spread)
	case mid > 0: // E(t-T)₊ᵐ = E(t-T)ᵐ ± E(T-t)₊ᵐ, and the last is symmetric
		rest := s.lower(m, s.length-y)
		if m == 1 {
			rest = -rest
		}
		return whole(m, mid, s.spread) - rest
	default:
		return s.lower(m, y)
	}
}

// whole is E[(t - T)ᵐ]/m! where t - E[T] and the variance are these.
func whole(m int, mid, variance float64) float64 {
	switch m {
	case 0:
		return 1
	case 1:
		return mid
	default:
		return (mid*mid + variance) / 2
	}
}

// lower is excess in the lower half, of y above the least sum.
func (s *uniformSum) lower(m int, y float64) float64 {
	if s.subsets != nil {
		return s.bySubsets(m, y)
	}
	return max(s.bySeries(m, y), 0)
}

// bySubsets is Σ (-1)^|S|·(y - Σ S)₊^(n+m) / ((n+m)!·Π widths).
func (s *uniformSum) bySubsets(m int, y float64) float64 {
	power := len(s.widths) + m
	var sum dd
	for _, sub := range s.subsets {
		if sub.sum >= y {
			break
		}
		term := ddDiff(y, sub.sum).power(power)
		if sub.odd {
			term = term.negative()
		}
		sum = sum.plus(term)
	}
	out := sum.hi / s.norm
	for i := range m {
		out /= float64(len(s.widths) + i + 1)
	}
	return max(out, 0)
}

// bySeries sums the series, or what comes of it integrated m times from 0.
func (s *uniformSum) bySeries(m int, y float64) float64 {
	angle := 2 * math.Pi * y / s.length
	scale := s.length / (2 * math.Pi)
	switch m {
	case 0:
		return y/s.length + sines(s.series[0], angle)
	case 1:
		return y*y/(2*s.length) + scale*(flat(s.series[1])-cosines(s.series[1], angle))
	default:
		return y*y*y/(6*s.length) + scale*y*flat(s.series[1]) - scale*scale*sines(s.series[2], angle)
	}
}

// sines is Σ bₘ·sin(m·angle), by Clenshaw's recurrence.
func sines(series []float64, angle float64) float64 {
	b1, _ := clenshaw(series, angle)
	return b1 * math.Sin(angle)
}

// cosines is Σ bₘ·cos(m·angle).
func cosines(series []float64, angle float64) float64 {
	b1, b2 := clenshaw(series, angle)
	return b1*math.Cos(angle) - b2
}

func clenshaw(series []float64, angle float64) (b1, b2 float64) {
	c := 2 * math.Cos(angle)
	for i := len(series) - 1; i >= 0; i-- {
		b1, b2 = math.FMA(c, b1, series[i]-b2), b1 // so that a term waits for one operation alone
	}
	return b1, b2
}

// flat is Σ bₘ, the small ones first.
func flat(series []float64) float64 {
	sum := 0.0
	for i := len(series) - 1; i >= 0; i-- {
		sum += series[i]
	}
	return sum
}
