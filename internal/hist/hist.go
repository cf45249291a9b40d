// Package hist counts durations and answers for their quantiles: exactly while they are few, and within one part in
// 2048 beyond. What it says depends on the values alone, never on the order in which they were added or merged.
package hist

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"time"
)

// ExactLimit is how many values are kept as they are. Beyond that they are counted in buckets.
const ExactLimit = 1 << 16

const (
	subBits = 11
	// sub is the number of buckets of an octave: each is at most 1/2048 of its values wide. Values below 2·sub nanoseconds
	// have buckets of one nanosecond.
	sub     = 1 << subBits
	octaves = 64 - subBits
)

// Hist is a histogram of durations of 0 or more; a negative one counts as 0. The zero Hist is empty and ready. It is not
// safe for concurrent use, reading included: a quantile may sort what was added since the last one.
type Hist struct {
	exact    []time.Duration
	sorted   bool
	bucketed bool
	octave   [octaves]*[sub]int64
	n        int64
	min, max time.Duration
	sum      wide // once in buckets
	squares  wide // as well
}

// Add counts one value.
func (h *Hist) Add(d time.Duration) {
	if !h.bucketed {
		if h.n < ExactLimit {
			d = max(d, 0)
			h.extremes(d, d)
			h.n++
			h.exact = append(h.exact, d)
			h.sorted = false
			return
		}
		h.spill()
	}
	// From here on every nanosecond counts: no store that changes nothing, and no branch that is not taken as always.
	d = max(d, 0)
	if d < h.min {
		h.min = d
	}
	if d > h.max {
		h.max = d
	}
	h.n++
	v := uint64(d) //nolint:gosec // not below 0
	var carry uint64
	h.sum[0], carry = bits.Add64(h.sum[0], v, 0)
	h.sum[1] += carry // 2⁶³ values of 2⁶³ stay below 2¹²⁸
	high, low := bits.Mul64(v, v)
	h.squares[0], carry = bits.Add64(h.squares[0], low, 0)
	h.squares[1], carry = bits.Add64(h.squares[1], high, carry)
	h.squares[2] += carry
	o, i := place(v)
	counts := h.octave[o]
	if counts == nil {
		counts = new([sub]int64)
		h.octave[o] = counts
	}
	counts[i]++
}

// AddN counts a value n times; n of 0 or less counts nothing.
func (h *Hist) AddN(d time.Duration, n int64) {
	if n <= 0 {
		return
	}
	d = max(d, 0)
	h.extremes(d, d)
	h.n += n
	if !h.bucketed && h.n <= ExactLimit {
		for range n {
			h.exact = append(h.exact, d)
		}
		h.sorted = false
		return
	}
	h.spill()
	h.count(d, n)
	v, times := uint64(d), uint64(n) //nolint:gosec // neither is below 0
	h.sum.add(bits.Mul64(v, times))
	var sq wide
	sq.add(bits.Mul64(v, v))
	h.squares.plus(sq.times(times))
}

// Merge counts all values of another histogram, which stays as it is.
func (h *Hist) Merge(o *Hist) {
	if o == nil || o.n == 0 {
		return
	}
	h.extremes(o.min, o.max)
	h.n += o.n
	if !h.bucketed && h.n <= ExactLimit {
		h.exact = append(h.exact, o.exact...)
		h.sorted = false
		return
	}
	h.spill()
	sum, squares := o.sums()
	h.sum.plus(sum)
	h.squares.plus(squares)
	for _, d := range o.exact {
		h.count(d, 1)
	}
	for i, from := range &o.octave {
		if from == nil {
			continue
		}
		if h.octave[i] == nil {
			h.octave[i] = new([sub]int64)
		}
		for j, n := range from {
			h.octave[i][j] += n
		}
	}
}

// Reset empties the histogram and keeps its memory.
func (h *Hist) Reset() {
	for _, o := range &h.octave {
		if o != nil {
			clear(o[:])
		}
	}
	*h = Hist{exact: h.exact[:0], octave: h.octave}
}

// extremes takes note of a least and a greatest value, before the count grows.
func (h *Hist) extremes(lo, hi time.Duration) {
	if h.n == 0 {
		h.min, h.max = lo, hi
	}
	h.min, h.max = min(h.min, lo), max(h.max, hi)
}

// spill goes over to buckets.
func (h *Hist) spill() {
	if h.bucketed {
		return
	}
	h.sum, h.squares = h.sums()
	h.bucketed = true
	for _, d := range h.exact {
		h.count(d, 1)
	}
	h.exact = nil
}

// sums are the sum of the values and that of their squares, which are kept in buckets only.
func (h *Hist) sums() (sum, squares wide) {
	if h.bucketed {
		return h.sum, h.squares
	}
	for _, d := range h.exact {
		v := uint64(d) //nolint:gosec // not below 0
		sum.add(0, v)
		squares.add(bits.Mul64(v, v))
	}
	return sum, squares
}

func (h *Hist) count(d time.Duration, n int64) {
	o, i := place(uint64(d)) //nolint:gosec // not below 0
	if h.octave[o] == nil {
		h.octave[o] = new([sub]int64)
	}
	h.octave[o][i] += n
}

// place is the bucket of a value.
func place(v uint64) (octave, i uint) {
	octave = uint(max(bits.Len64(v), subBits)) - subBits //nolint:gosec // not below 0
	return octave, uint(v>>(max(octave, 1)-1)) & (sub - 1)
}

// edges are the least and the greatest value of a bucket.
func edges(octave, i int) (lo, hi time.Duration) {
	if octave == 0 {
		return time.Duration(i), time.Duration(i)
	}
	lo = time.Duration(sub+i) << (octave - 1)
	return lo, lo + 1<<(octave-1) - 1
}

// Count is how many values were added.
func (h *Hist) Count() int64 { return h.n }

// Exact tells whether every value is still kept as it was, so that quantiles are values that were added.
func (h *Hist) Exact() bool { return !h.bucketed }

// Min is the least value, exact; 0 where there is none.
func (h *Hist) Min() time.Duration { return h.min }

// Max is the greatest value, exact; 0 where there is none.
func (h *Hist) Max() time.Duration { return h.max }

// Mean is the mean of the values, exact but for the rounding to a nanosecond; 0 where there is none.
func (h *Hist) Mean() time.Duration {
	if h.n == 0 {
		return 0
	}
	// A rounding may lead out of the values, and from the greatest duration out of all durations.
	sum, _ := h.sums()
	mean := math.Round(sum.float() / float64(h.n))
	if mean >= float64(h.max) {
		return h.max
	}
	return max(time.Duration(mean), h.min)
}

// SD is the standard deviation of the values (of a sample: divided by n-1), from exact sums; 0 for fewer than two values.
func (h *Hist) SD() time.Duration {
	if h.n < 2 {
		return 0
	}
	// n·Σx² - (Σx)², in whole numbers: the difference of two floats would lose a narrow spread around a large mean.
	n := uint64(h.n) //nolint:gosec // not below 0
	sum, squares := h.sums()
	spread := squares.times(n).minus(sum.squared())
	variance := spread.float() / float64(h.n) / float64(h.n-1)
	return time.Duration(math.Round(math.Sqrt(variance)))
}

// Quantile is the smallest value whose share of values at or below it is q or more: exact while Exact, else with the values
// of its bucket spread evenly over it, at most one part in 2048 away. q is taken into [0, 1]; 0 is the least value. 0 where
// there is none.
func (h *Hist) Quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := h.rank(q)
	if !h.bucketed {
		h.sort()
		return h.exact[rank-1]
	}
	seen := int64(0)
	for b := range h.Buckets() {
		if seen+b.N < rank {
			seen += b.N
			continue
		}
		lo, hi := max(b.Lo, h.min), min(b.Hi, h.max)
		part := (float64(rank-seen) - 0.5) / float64(b.N)
		return lo + time.Duration(part*float64(hi-lo))
	}
	return h.max
}

// rank is which value, counted from the least as 1, is the quantile.
func (h *Hist) rank(q float64) int64 {
	if math.IsNaN(q) {
		q = 0
	}
	// .07·100 is a hair above 7 and means 7.
	const hair = 1 - 1e-15
	rank := math.Ceil(min(max(q, 0), 1) * float64(h.n) * hair)
	return min(max(int64(rank), 1), h.n)
}

// CDF is the share of values at or below d, from 0 to 1: exact while Exact, else with the values of a bucket spread evenly
// over it. 0 where there is none.
func (h *Hist) CDF(d time.Duration) float64 {
	switch {
	case h.n == 0 || d < h.min:
		return 0
	case d >= h.max:
		return 1
	case !h.bucketed:
		h.sort()
		i, _ := slices.BinarySearch(h.exact, d+1) // d is below the greatest value
		return float64(i) / float64(h.n)
	}
	below := 0.0
	for b := range h.Buckets() {
		if b.Lo > d {
			break
		}
		part := 1.0
		if b.Hi > d {
			part = float64(d-b.Lo+1) / float64(b.Hi-b.Lo+1)
		}
		below += part * float64(b.N)
	}
	return below / float64(h.n)
}

func (h *Hist) sort() {
	if !h.sorted {
		slices.Sort(h.exact)
		h.sorted = true
	}
}

// Bucket is N values from Lo to Hi, both included.
type Bucket struct {
	Lo, Hi time.Duration
	N      int64
}

// Buckets are the values in ascending order, in buckets that are not empty. While Exact, each is one value.
func (h *Hist) Buckets() iter.Seq[Bucket] {
	if !h.bucketed {
		h.sort()
		return h.exactly
	}
	return func(yield func(Bucket) bool) {
		for o, counts := range &h.octave {
			if counts == nil {
				continue
			}
			for i, n := range counts {
				if n == 0 {
					continue
				}
				lo, hi := edges(o, i)
				if !yield(Bucket{lo, hi, n}) {
					return
				}
			}
		}
	}
}

func (h *Hist) exactly(yield func(Bucket) bool) {
	for i := 0; i < len(h.exact); {
		d, from := h.exact[i], i
		for i < len(h.exact) && h.exact[i] == d {
			i++
		}
		if !yield(Bucket{d, d, int64(i - from)}) {
			return
		}
	}
}
