package hist

import (
	"math"
	"math/bits"
)

// wide is a whole number of 256 bits, the lowest first. Sums of whole numbers are the same in every order, which sums of
// floats are not. A square of a duration has 126 bits and a count 63, so nothing here ever overflows.
type wide [4]uint64

// add adds a number of 128 bits.
func (w *wide) add(hi, lo uint64) {
	var c uint64
	w[0], c = bits.Add64(w[0], lo, 0)
	w[1], c = bits.Add64(w[1], hi, c)
	if c != 0 {
		w[2], c = bits.Add64(w[2], 0, c)
		w[3] += c
	}
}

func (w *wide) plus(o wide) {
	var c uint64
	for i := range w {
		w[i], c = bits.Add64(w[i], o[i], c)
	}
}

// minus is w - o; w is not below o.
func (w wide) minus(o wide) wide {
	var c uint64
	for i := range w {
		w[i], c = bits.Sub64(w[i], o[i], c)
	}
	return w
}

func (w wide) times(n uint64) wide {
	var out wide
	var carry uint64
	for i, v := range w {
		hi, lo := bits.Mul64(v, n)
		var c uint64
		out[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return out
}

// squared is w·w of a number of 126 bits, which a sum of durations stays below.
func (w wide) squared() wide {
	out := w.times(w[0])
	high := w.times(w[1])
	out.plus(wide{0, high[0], high[1], high[2]})
	return out
}

func (w wide) float() float64 {
	x := 0.0
	for i, v := range w {
		x += math.Ldexp(float64(v), 64*i)
	}
	return x
}
