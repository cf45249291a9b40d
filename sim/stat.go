package sim

import "math"

// Stat is a figure over several seeds: its mean and the standard error of that, 0 where there is one seed only. N is how many
// runs had it: 0 where none has.
type Stat struct {
	Mean, SE float64
	N        int
}

// statOf works from the first value on, so that values which are all the same have just that mean, and no error.
func statOf(xs []float64) Stat {
	s := Stat{N: len(xs)}
	if s.N == 0 {
		return s
	}
	off := 0.0
	for _, x := range xs {
		off += x - xs[0]
	}
	s.Mean = xs[0] + off/float64(s.N)
	if s.N < 2 {
		return s
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - s.Mean) * (x - s.Mean)
	}
	s.SE = math.Sqrt(sum / float64(s.N-1) / float64(s.N))
	return s
}
