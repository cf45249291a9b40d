package lint

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// view is a policy with what most rules ask of it.
type view struct {
	p   *engine.Policy
	ctx *Context
	// retries is how many waits there can be by count alone: engine.Unlimited, or 0 where nothing is retried.
	retries int
	// cost is what it takes.
	cost Cost
}

// newView looks at a policy; a base of its own for a 429 that is not retried is left out, for it is in no wait.
func newView(given *engine.Policy, ctx *Context) *view {
	p := given
	if p.ThrottleBase > 0 && !p.RetryOn.Statuses.Has(429) {
		q := *given
		q.ThrottleBase = 0
		p = &q
	}
	v := &view{p: p, ctx: ctx, retries: engine.Unlimited, cost: CostOf(p)}
	if p.Attempts != engine.Unlimited {
		v.retries = p.Attempts - 1
	}
	if nothing(&p.RetryOn) || paidFor(&p.Budget) == 0 {
		once := *p
		once.Attempts = 1
		v.retries, v.cost = 0, CostOf(&once)
	}
	return v
}

// nothing tells whether no outcome may heal.
func nothing(r *engine.RetryOn) bool {
	return r.Kinds == 0 && r.Causes == 0 && r.Statuses == engine.StatusSet{}
}

// anyStatus tells whether some status is retried: only an answer can ask for a wait.
func (v *view) anyStatus() bool { return v.p.RetryOn.Statuses != engine.StatusSet{} }

// asks tells whether a server can ask for a wait and is heard.
func (v *view) asks() bool { return v.p.Listens() }

// bounded tells whether a server's wait can only lengthen the own one by a little.
func (v *view) bounded() bool { return v.p.RetryAfter.Mode == engine.RetryAfterBounded }

// draws tells whether an own wait is ever waited: not where only answers are retried, and only as they ask.
func (v *view) draws() bool {
	r := &v.p.RetryOn
	return v.p.RetryAfter.Mode != engine.RetryAfterRequired || r.Kinds != 0 || r.Causes != 0
}

// far stands for the last retry where there is none.
const far = 1 << 20

// last is the last retry, or one so late that the waits have come to stand.
func (v *view) last() int { return min(v.retries, far) }

// lastWord is the last retry in words.
func (v *view) lastWord() string {
	if v.retries > far {
		return "A late retry"
	}
	return fmt.Sprintf("Retry %d", v.retries)
}

// steps calls f for the retries at which waits may differ, until it returns false.
func (v *view) steps(f func(retry int) bool) {
	const each = 64
	for k := 1; k <= min(v.retries, each); k++ {
		if !f(k) {
			return
		}
	}
	if v.retries > each {
		f(v.last())
	}
}

// backoffs are the backoff with its base and, where it has another for a 429 that is retried, with that; with that alone
// where nothing else is retried.
func (v *view) backoffs() []engine.Backoff {
	b := v.p.Backoff
	b.ThrottleBase = 0
	out := []engine.Backoff{b}
	if v.p.ThrottleBase > 0 {
		if rest := v.p.RetryOn; rest.Kinds == 0 && rest.Causes == 0 {
			rest.Statuses.Remove(429)
			if nothing(&rest) {
				out = nil
			}
		}
		b.Base = v.p.ThrottleBase
		out = append(out, b)
	}
	return out
}

// waits tells whether there is any wait in a backoff.
func (v *view) waits(b *engine.Backoff) bool {
	some := false
	v.steps(func(k int) bool {
		_, hi := b.Bounds(k)
		some = hi > 0
		return !some
	})
	return some
}

// longest is the longest own wait and the first retry that has it.
func (v *view) longest() (wait time.Duration, retry int) {
	v.steps(func(k int) bool {
		if _, hi := v.p.Bounds(k); hi > wait {
			wait, retry = hi, k
		}
		return true
	})
	return wait, retry
}

// grows tells whether the waits are meant to become longer.
func grows(b *engine.Backoff) bool {
	if b.Jitter.Kind == engine.JitterDecorrelated || b.Jitter.Kind == engine.JitterSmooth {
		return b.Base > 0
	}
	switch b.Curve {
	case engine.CurveNone, engine.CurveConstant:
		return false
	case engine.CurveExponential:
		return b.Base > 0 && b.Factor > 1
	case engine.CurveLinear, engine.CurveQuadratic, engine.CurveFibonacci:
		return b.Base > 0
	default:
		return false
	}
}

// without is the change that leaves statuses out.
func (v *view) without(statuses []int) string {
	r := v.p.RetryOn
	for _, s := range statuses {
		r.Statuses.Remove(s)
	}
	return "retry-on=" + r.String()
}

// has are those of the statuses that are retried.
func (v *view) has(statuses ...int) []int {
	var out []int
	for _, s := range statuses {
		if v.p.RetryOn.Statuses.Has(s) {
			out = append(out, s)
		}
	}
	return out
}

// Words.

// dur is a duration as a policy writes it, in whole microseconds where it is longer than a few, as in a record; one
// without end is in words.
func dur(d time.Duration) string {
	if d == engine.Forever {
		return "without end"
	}
	if d >= time.Millisecond {
		d = d.Truncate(time.Microsecond)
	}
	return engine.FormatDuration(d)
}

// span is a range of waits.
func span(lo, hi time.Duration) string {
	if lo == hi {
		return dur(hi)
	}
	return dur(lo) + "–" + dur(hi)
}

// many is a number and its noun.
func many(n int, noun string) string {
	switch n {
	case engine.Unlimited:
		return "unlimited " + noun + "s"
	case 1:
		return "1 " + noun
	default:
		return strconv.Itoa(n) + " " + noun + "s"
	}
}

// list is a few things in words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// areThey is list with its verb.
func areThey(words []string) string {
	if len(words) == 1 {
		return words[0] + " is"
	}
	return list(words) + " are"
}

func numbers(ns []int) []string {
	out := make([]string, 0, len(ns))
	for _, n := range ns {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// nice is a duration cut to two digits, for a change somebody types; never 0.
func nice(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 100 {
		unit *= 10
	}
	for _, whole := range []time.Duration{time.Minute, time.Second, time.Millisecond} {
		if d >= 10*whole {
			unit = whole
			break
		}
	}
	return max(d.Truncate(unit), 1)
}

// above is a duration a whole second or more longer, for a bound that is not to be reached.
func above(d time.Duration) time.Duration { return later(d, 2*time.Second).Truncate(time.Second) }
