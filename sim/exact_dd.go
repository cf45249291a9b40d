package sim

import "math"

// dd is a number of twice a float's precision, as the sum of two floats (T. J. Dekker, 1971): the alternating sums of
// exact_sum.go lose more digits than one float has.
type dd struct{ hi, lo float64 }

// ddDiff is a - b, exactly.
func ddDiff(a, b float64) dd {
	s := a - b
	t := s - a
	return dd{s, (a - (s - t)) - (b + t)}
}

func (a dd) plus(b dd) dd {
	s := a.hi + b.hi
	t := s - a.hi
	e := (a.hi - (s - t)) + (b.hi - t)
	e += a.lo + b.lo
	hi := s + e
	return dd{hi, e - (hi - s)}
}

func (a dd) times(b dd) dd {
	p := a.hi * b.hi
	e := math.FMA(a.hi, b.hi, -p)
	e += a.hi*b.lo + a.lo*b.hi
	hi := p + e
	return dd{hi, e - (hi - p)}
}

// power is aⁿ for n of 0 or more.
func (a dd) power(n int) dd {
	out := dd{1, 0}
	for range n {
		out = out.times(a)
	}
	return out
}

func (a dd) negative() dd { return dd{-a.hi, -a.lo} }
