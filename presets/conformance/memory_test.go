package conformance

import (
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// remembered compares the waits of a curve whose jitter remembers: each has to lie in the window that those before it
// left, and all together have to come of 95 % of the draws that there are: the curve is so steep at its beginning that
// few of them are near none.
func (k *checker) remembered(b *engine.Backoff, retry int, runs [][]time.Duration, theirs string) {
	low, high, same := 1.0, 0.0, true
	for _, gaps := range runs {
		if len(gaps) < retry {
			same = false
			continue
		}
		var point time.Duration // the way so far, which is what smooth jitter remembers below its cap; else the last wait
		for _, gap := range gaps[:retry-1] {
			if point += gap; b.Jitter.Kind == engine.JitterDecorrelated {
				point = gap
			}
		}
		const grain = time.Microsecond
		const tick = time.Millisecond // of a timer that takes less for nothing
		lo, hi := b.Window(retry, point)
		own := gaps[retry-1]
		same = same && (own >= lo-grain || own == 0 && lo < tick) && own <= hi+grain
		u := drawn(b, retry, point, own)
		low, high = min(low, u), max(high, u)
	}
	lo, hi := b.Bounds(retry)
	k.tb.compare(k.t, k.c, k.version, fmt.Sprintf("wait %d", retry), window(lo, hi), theirs, same && high-low >= 0.95)
}

// drawn is the draw that the wait came of.
func drawn(b *engine.Backoff, retry int, point, own time.Duration) float64 {
	lo, hi := 0.0, 1.0
	for range 40 {
		if u := (lo + hi) / 2; b.Delay(retry, point, u) < own {
			lo = u
		} else {
			hi = u
		}
	}
	return hi
}
