package ui

import (
	"math/bits"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// forecast draws the waits ahead many times over and counts how many of the next attempts would begin too late. The
// draws are spread evenly and the same each time, so that a share moves only when a knob does.
type forecast struct {
	backoff *engine.Backoff
	timeout time.Duration
	at      []time.Duration // when the latest attempt of each sample ended
	prev    []time.Duration // what its latest own draw left to remember
	waited  float64         // the sum of all own draws of the latest step
	index   []int           // which sample it is
	all     int
	steps   int
}

const (
	mostSamples = 512 // a power of 2
	mostDraws   = 1 << 15
)

// samplesFor is how many samples so many waits are worth.
func samplesFor(waits int) int {
	n := mostSamples
	for n > 64 && n*waits > mostDraws {
		n /= 2
	}
	return n
}

// newForecast begins with an attempt that ended at a time, with what the own draw before it left to remember. n is a power of 2.
func newForecast(b *engine.Backoff, timeout, at, prev time.Duration, n int) *forecast {
	f := &forecast{backoff: b, timeout: timeout, all: n}
	f.at, f.prev, f.index = make([]time.Duration, n), make([]time.Duration, n), make([]int, n)
	for i := range n {
		f.at[i], f.prev[i], f.index[i] = at, prev, i
	}
	return f
}

// step draws the wait before a retry and returns the share of all samples in which the attempt after it would begin at
// or after the timeout, or an earlier one would have. The attempt is taken to last for dur.
func (f *forecast) step(retry int, dur time.Duration) float64 {
	alive := 0
	f.steps++
	f.waited = 0
	for i := range f.at {
		wait, next := f.backoff.Step(retry, f.prev[i], f.sample(f.index[i]))
		f.waited += float64(wait)
		begin := later(f.at[i], wait)
		if begin >= f.timeout {
			continue
		}
		f.at[alive], f.prev[alive], f.index[alive] = later(begin, dur), next, f.index[i]
		alive++
	}
	f.at, f.prev, f.index = f.at[:alive], f.prev[:alive], f.index[:alive]
	return 1 - float64(alive)/float64(f.all)
}

// sample is draw i of this step: each step goes through the same evenly spaced values in an order of its own. The orders
// of the first two are Hammersley's, those of the others are mixed.
func (f *forecast) sample(i int) float64 {
	width := bits.Len(uint(f.all)) - 1
	n, step := uint(i), uint(f.steps)
	switch step {
	case 1:
	case 2:
		n = bits.Reverse(n) >> (bits.UintSize - width)
	default:
		mask := uint(f.all - 1)
		for range 3 { // each round maps [0, all) onto itself
			n = (n*(2654435761+step*2*40503) + step) & mask
			n ^= n >> (width / 2)
		}
	}
	return (float64(n) + 0.5) / float64(f.all)
}
