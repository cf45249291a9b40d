package export

import (
	"time"

	"github.com/retryscope/retryscope/engine"
)

// maxTimer is the longest time that a timer of JavaScript takes, 2³¹-1 ms; one of any longer is up after 1 ms, and what
// should have come in a month is sent at once.
const maxTimer = (1<<31 - 1) * time.Millisecond

// timerWhy says so beside a knob that was cut to it.
const timerWhy = "a timer of JavaScript takes no more"

// timers cuts own waits and timeouts to what a timer takes.
func (d *draft) timers() {
	for knob, at := range map[string]*time.Duration{"timeout": &d.Timeout, "attempt-timeout": &d.AttemptTimeout} {
		if *at > maxTimer {
			*at = maxTimer
			d.because(knob, timerWhy)
		}
	}
	if d.longestOwn() <= maxTimer {
		return
	}
	d.because("base", timerWhy)
	d.because("cap", timerWhy)
	d.Base, d.Cap = min(d.Base, maxTimer), min(d.Cap, maxTimer)
	if d.longestOwn() > maxTimer { // by the jitter, after the cap
		d.CapStage = engine.CapBoth
		d.because("cap-stage", timerWhy)
	}
	d.Least = min(d.Least, maxTimer)
}

// longestOwn is the longest own wait of all.
func (d *draft) longestOwn() time.Duration {
	const far = 1 << 20 // whatever grows has grown by then
	longest := time.Duration(0)
	for _, retry := range []int{1, 2, d.retries(far)} {
		if retry <= d.retries(far) {
			_, hi := d.Bounds(retry)
			longest = max(longest, hi)
		}
	}
	return longest
}

// deferred stops where a server asks for more than a timer takes, as at a ceiling.
func (d *draft) deferred() {
	if d.Asks() && d.Ceiling > maxTimer {
		d.Ceiling = maxTimer
		d.because("ceiling", timerWhy)
	}
}

// cut is for clients that know no end to what servers ask for: the ceiling where longer waits are cut to it, else what a
// timer takes.
func (d *draft) cut() {
	if !d.Asks() {
		return
	}
	if d.want.OverCeiling != engine.OverCut {
		d.Ceiling = maxTimer
	}
	d.Ceiling, d.OverCeiling = min(d.Ceiling, maxTimer), engine.OverCut
	d.because("ceiling", timerWhy)
	d.because("over-ceiling", "a longer wait is cut to what a timer takes")
}
