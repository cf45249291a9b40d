package ui

import (
	"math"
	"slices"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// coarseRungs is how many rungs of the ladder a coarse step takes: 1-2-5 three times is ten times as much.
const coarseRungs = 3

// ladder gives the rungs 1-2-5 from 1ms to the top: in milliseconds, seconds, minutes and hours, so that each is a
// figure one would write.
func ladder(top time.Duration) []time.Duration {
	var out []time.Duration
	for _, unit := range []struct{ one, end time.Duration }{
		{time.Millisecond, time.Second}, {time.Second, time.Minute}, {time.Minute, time.Hour}, {time.Hour, math.MaxInt64},
	} {
		for ten := time.Duration(1); ; ten *= 10 {
			for _, n := range []time.Duration{1, 2, 5} {
				d := n * ten * unit.one
				if d > top {
					return out
				}
				if d < unit.end {
					out = append(out, d)
				}
			}
			if ten*10*unit.one >= unit.end {
				break
			}
		}
	}
	return out
}

// reach is the range a duration moves in.
type reach struct {
	zero    bool          // there is a rung 0
	top     time.Duration // the highest rung
	endless time.Duration // what lies above the top; 0 where nothing does
	hasEnd  bool
}

// step moves d by n rungs, down for a negative n. A value between two rungs moves to the nearest in its direction.
func (r reach) step(d time.Duration, n int) time.Duration {
	rungs := ladder(r.top)
	if r.zero {
		rungs = slices.Insert(rungs, 0, 0)
	}
	for ; n > 0; n-- {
		d = r.up(rungs, d)
	}
	for ; n < 0; n++ {
		d = r.down(rungs, d)
	}
	return d
}

func (r reach) up(rungs []time.Duration, d time.Duration) time.Duration {
	if r.hasEnd && d == r.endless {
		return d
	}
	i, found := slices.BinarySearch(rungs, d)
	if found {
		i++
	}
	switch {
	case i < len(rungs):
		return rungs[i]
	case r.hasEnd:
		return r.endless
	default:
		return d
	}
}

func (r reach) down(rungs []time.Duration, d time.Duration) time.Duration {
	if r.hasEnd && d == r.endless {
		return rungs[len(rungs)-1]
	}
	i, _ := slices.BinarySearch(rungs, d)
	if i == 0 {
		return min(d, rungs[0])
	}
	return rungs[i-1]
}

const mostAttempts = 1_000_000

// stepAttempts counts by one, or by ten. Above the highest count there is no step to unlimited: one types it.
func stepAttempts(n, by int, coarse bool) int {
	if n == engine.Unlimited {
		if by < 0 {
			return 100
		}
		return n
	}
	if coarse {
		by *= 10
	}
	return min(max(n+by, 1), max(mostAttempts, n))
}

// stepFactor moves by a tenth, or by a whole one.
func stepFactor(f float64, by int, coarse bool) float64 {
	tenths := math.Round(f*10) + float64(by)
	if coarse {
		tenths = math.Round(f*10) + float64(10*by)
	}
	return min(max(tenths/10, 1), max(1000, f))
}

// cycle moves through a list and begins again at the end; what is not in the list moves to its first.
func cycle(words []string, now string, by int) string {
	i := slices.Index(words, now)
	if i < 0 {
		return words[0]
	}
	return words[(i+by%len(words)+len(words))%len(words)]
}
