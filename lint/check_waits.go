package lint

import (
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
)

func noJitter(v *view) (says string, changes []string) {
	if !v.draws() {
		return "", nil
	}
	var first, longest time.Duration
	fixed := true
	for _, b := range v.backoffs() {
		v.steps(func(k int) bool {
			lo, hi := b.Bounds(k)
			fixed = fixed && lo == hi
			if longest == 0 {
				first = hi
			}
			longest = max(longest, hi)
			return fixed
		})
	}
	if !fixed || longest == 0 {
		return "", nil
	}
	return fmt.Sprintf("No wait is drawn by chance (the first is %s, the longest %s): clients that failed together come back together.", dur(first), dur(longest)),
		[]string{"jitter=full", "jitter=full first=plain", "jitter=full least=0s", "jitter=full first=plain least=0s"}
}

func thinJitter(v *view) (says string, changes []string) {
	if says, _ := noJitter(v); says != "" || !v.draws() || v.retries == 0 {
		return "", nil
	}
	changes = []string{"jitter=full", "jitter=full least=0s"}
	for _, b := range v.backoffs() {
		lo, hi := b.Bounds(v.last())
		within := span(lo, hi)
		if dur(lo) == dur(hi) {
			within = dur(lo) + " and a little more"
		}
		switch {
		case hi == 0 || hi == engine.Forever || hi-lo >= hi/10 && lo < hi:
			continue
		case lo == hi:
			return fmt.Sprintf("%s always waits %s, the jitter is gone by then: clients that failed together are together again.", v.lastWord(), dur(hi)), changes
		default:
			return fmt.Sprintf("%s is drawn from %s: clients that failed together are still together, within %s.", v.lastWord(), within, dur(hi-lo)), changes
		}
	}
	return "", nil
}

func noWait(v *view) (says string, changes []string) {
	if !v.draws() || v.waits(&v.backoffs()[0]) {
		return "", nil
	}
	says = "There is no own wait"
	if wait, _ := v.longest(); wait > 0 {
		says += " but after a 429"
	}
	switch v.retries {
	case 1:
		says += ": the one retry follows"
	case engine.Unlimited:
		says += ": retries without end follow"
	default:
		says += fmt.Sprintf(": %d retries follow", v.retries)
	}
	says += " at once, as fast as the server answers"
	if v.asks() {
		says += ", unless it asks for a wait"
	}
	return says + ".", []string{"base=200ms", "first=plain", "curve=exponential", "base=200ms curve=exponential", "jitter=full", "base=200ms curve=exponential first=plain jitter=full"}
}

func firstAtOnce(v *view) (says string, changes []string) {
	_, hi := v.p.Bounds(1)
	wait, k := v.longest()
	if hi > 0 || wait == 0 || !v.draws() {
		return "", nil
	}
	return fmt.Sprintf("The first retry comes at once; only from retry %d on is there a wait. What failed a moment ago is asked again before it could recover.", firstWait(v, k)),
		[]string{"first=plain", "base=200ms", "base=200ms first=plain", "base=200ms first=plain jitter=full"}
}

// firstWait is the first retry with a wait; k has one.
func firstWait(v *view, k int) int {
	v.steps(func(i int) bool {
		if _, hi := v.p.Bounds(i); hi > 0 {
			k = i
			return false
		}
		return true
	})
	return k
}

func capNeverReached(v *view) (says string, changes []string) {
	if v.p.Cap == engine.NoCap || !v.draws() {
		return "", nil
	}
	var longest time.Duration
	reached, growing := false, false
	for _, b := range v.backoffs() {
		growing = growing || grows(&b)
		free := b
		free.Cap = engine.NoCap
		v.steps(func(k int) bool {
			lo, hi := b.Bounds(k)
			flo, fhi := free.Bounds(k)
			longest = max(longest, hi)
			reached = lo != flo || hi != fhi || hi >= b.Cap
			return !reached
		})
		if reached {
			return "", nil
		}
	}
	if !growing || longest == 0 {
		return "", nil
	}
	return fmt.Sprintf("The cap of %s is never reached: the longest of %s is %s.", dur(v.p.Cap), many(v.retries, "wait"), dur(longest)),
		[]string{"cap=" + engine.FormatDuration(nice(longest)), "cap=" + engine.FormatDuration(longest)}
}

func capAtOnce(v *view) (says string, changes []string) {
	if v.p.Cap == engine.NoCap || !v.draws() {
		return "", nil
	}
	for _, b := range v.backoffs() {
		start := startOf(b)
		if start < b.Cap || start == b.Cap && (v.retries < 2 || !grows(&b)) {
			continue
		}
		knob, first := "base", "The first wait"
		if v.p.ThrottleBase > 0 && b.Base == v.p.ThrottleBase && b.Base != v.p.Base {
			knob, first = "throttle-base", "After a 429 the first wait"
		}
		changes = []string{"cap=" + engine.FormatDuration(times(start, 8)), knob + "=" + engine.FormatDuration(max(b.Cap/8, 1)), "cap=none"}
		if !grows(&b) {
			changes = []string{"cap=" + engine.FormatDuration(start), knob + "=" + engine.FormatDuration(b.Cap), "cap=none"}
			return fmt.Sprintf("%s, of %s before the jitter, is cut to the cap of %s: it is never as long as it says.", first, dur(start), dur(b.Cap)), changes
		}
		return fmt.Sprintf("%s, of %s before the jitter, is at the cap of %s already: the waits do not grow.", first, dur(start), dur(b.Cap)), changes
	}
	return "", nil
}

// startOf is the first wait of a backoff before jitter and cap.
func startOf(b engine.Backoff) time.Duration {
	if b.Jitter.Kind == engine.JitterDecorrelated || b.Jitter.Kind == engine.JitterSmooth {
		return b.Base
	}
	b.First, b.Jitter, b.Least, b.Cap = engine.FirstPlain, engine.Jitter{}, 0, engine.NoCap
	_, start := b.Bounds(1)
	return start
}

func capBeforeJitter(v *view) (says string, changes []string) {
	wait, k := v.longest()
	if v.p.Cap == engine.NoCap || wait <= v.p.Cap || !v.draws() {
		return "", nil
	}
	return fmt.Sprintf("Retry %d may wait %s, %s beyond the cap of %s: the cap cuts before the jitter.", k, dur(wait), dur(wait-v.p.Cap), dur(v.p.Cap)),
		[]string{"cap-stage=after"}
}

const day = 24 * time.Hour

func longWait(v *view) (says string, changes []string) {
	if v.p.Timeout > 0 && v.p.Timeout <= day {
		return "", nil
	}
	own, _ := v.longest()
	server := v.asks() && !v.bounded() && v.p.Ceiling > day && v.p.Ceiling != engine.NoCeiling
	switch {
	case own > day && v.draws():
		k := 0
		v.steps(func(i int) bool {
			_, hi := v.p.Bounds(i)
			k = i
			return hi <= day
		})
		_, hi := v.p.Bounds(k)
		says = fmt.Sprintf("Retry %d may wait %s: nobody waits for an answer longer than a day.", k, dur(hi))
		if hi == engine.Forever {
			says = fmt.Sprintf("Retry %d may wait longer than any clock counts: nobody waits for an answer longer than a day.", k)
		}
		changes = []string{"cap=1h", "cap=1h cap-stage=after", "cap=1h cap-stage=after least=0s"}
		if server {
			changes = append(changes, "cap=1h ceiling=1h", "cap=1h cap-stage=after least=0s ceiling=1h")
		}
		return says, changes
	case server:
		return fmt.Sprintf("A Retry-After of up to %s is taken: nobody waits for an answer longer than a day.", dur(v.p.Ceiling)), []string{"ceiling=1h"}
	default:
		return "", nil
	}
}
