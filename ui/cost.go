package ui

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
)

// NoBound is a time that nothing bounds.
const NoBound = engine.Forever

// Cost is what a policy may cost one caller that sends one request alone, from the policy and the request.
type Cost struct {
	policy *engine.Policy
	safety engine.Safety
	body   engine.Body
	// Retries is how many waits there can be; engine.Unlimited where nothing limits them.
	Retries int
	// Paid is how many retries a full budget pays for; engine.Unlimited where it sets no limit.
	Paid int
	// Once says that the request is not sent again once any of it was sent: there is a retry, and a wait, only where
	// nothing got through. Single is the longest it takes then.
	Once   bool
	Single time.Duration
	// Mean and Max are the sum of all own waits, expected and at the most; NoBound where retries are unlimited.
	Mean, Max time.Duration
	// Worst is the longest an operation can take, Free the same without the timeout, Server without the timeout and with
	// every answer asking for the ceiling; NoBound where nothing bounds them. Server is Free where Retry-After is
	// ignored, adds nothing, or is followed by no retry.
	Worst, Free, Server time.Duration
	// Unsure is the first attempt that may never be sent because the timeout may come before it; 0 for none.
	Unsure int
}

// CostOf reckons the cost of a request under a policy; safety is what the policy's Safety says of it.
func CostOf(p *engine.Policy, safety engine.Safety, body engine.Body) Cost {
	p = inWaits(p)
	c := Cost{policy: p, safety: safety, body: body, Retries: retriesOf(p), Paid: paidFor(&p.Budget)}
	c.Once = c.Retries > 0 && (!safety.Repeatable() || body == engine.BodyOnce)
	c.Max = c.sum(func(k int) time.Duration {
		_, hi := p.Bounds(k)
		return hi
	})
	c.Mean = c.mean()
	c.Free = c.with(c.Max)
	c.Server = c.Free
	if p.RetryAfter.Mode != engine.RetryAfterIgnore && !c.Once {
		c.Server = c.with(c.sum(p.LongestWait))
	}
	c.Worst, c.Single = c.Server, NoBound
	if p.AttemptTimeout > 0 {
		c.Single = p.AttemptTimeout
	}
	if p.Timeout > 0 {
		c.Worst, c.Single = min(c.Worst, p.Timeout), min(c.Single, p.Timeout)
	}
	c.Unsure = c.unsure()
	return c
}

// inWaits is the policy as far as it is in a wait: a base of its own for a 429 that is not retried is in none.
func inWaits(p *engine.Policy) *engine.Policy {
	if p.ThrottleBase == 0 || p.RetryOn.Statuses.Has(429) {
		return p
	}
	q := *p
	q.ThrottleBase = 0
	return &q
}

// safetyOf is what a policy says of a request. A key counts wherever it is set.
func safetyOf(p *engine.Policy, r *lab.Request) engine.Safety {
	return p.Safety(r.Method, r.Key != "" || r.Header.Get("Idempotency-Key") != "")
}

// retriesOf is the most retries of an operation, as far as attempts and budget go.
func retriesOf(p *engine.Policy) int {
	n := engine.Unlimited
	if p.Attempts != engine.Unlimited {
		n = max(p.Attempts, 1) - 1
	}
	return min(n, paidFor(&p.Budget))
}

// paidFor is how many retries a full budget pays for where one operation has it alone. A share of requests counts those
// of the last seconds only: the operation's own is gone from them before any of its retries is.
func paidFor(b *engine.BudgetRule) int {
	switch b.Kind {
	case engine.BudgetNone:
	case engine.BudgetTokens:
		if b.Cost > 0 {
			return max(b.Capacity, 0) / max(b.Least(), 1)
		}
	case engine.BudgetRatio:
		if b.PerSecond <= 0 {
			return int(b.Percent / 100)
		}
	}
	return engine.Unlimited
}

// with adds to the waits the time of every attempt.
func (c *Cost) with(waits time.Duration) time.Duration {
	p := c.policy
	if p.AttemptTimeout <= 0 || waits == NoBound || c.Retries == engine.Unlimited {
		return NoBound
	}
	return later(waits, times(p.AttemptTimeout, c.Retries+1))
}

func times(d time.Duration, n int) time.Duration {
	if n <= 0 || d <= 0 {
		return 0
	}
	if d > engine.Forever/time.Duration(n) {
		return engine.Forever
	}
	return d * time.Duration(n)
}

// exactSteps is how many waits are added one by one; of more the rest is estimated from every so many.
const exactSteps = 2048

// sum adds up a figure of each wait. Figures grow with the retry, so it stops where they have reached the last.
func (c *Cost) sum(of func(retry int) time.Duration) time.Duration {
	n := c.Retries
	if n <= 0 {
		return 0
	}
	if n == engine.Unlimited {
		if of(2) == 0 && of(1<<20) == 0 {
			return of(1)
		}
		return NoBound
	}
	last := of(n)
	var total time.Duration
	for k := 1; k <= min(n, exactSteps); k++ {
		d := of(k)
		if d == last && k > 1 {
			return later(total, times(last, n-k+1))
		}
		total = later(total, d)
	}
	if n > exactSteps {
		const pieces = 256
		rest := n - exactSteps
		for i := range pieces {
			from, to := exactSteps+rest*i/pieces, exactSteps+rest*(i+1)/pieces
			total = later(total, times(of(from+(to-from+1)/2), to-from))
		}
	}
	return total
}

// mean is the expected sum of the own waits.
func (c *Cost) mean() time.Duration {
	p := c.policy
	if ownGrowth(&p.Backoff) {
		return c.meanOfHistories()
	}
	return c.sum(func(k int) time.Duration {
		lo, hi := p.Window(k, 0)
		mid := p.Delay(k, 0, 0.5)
		if d := mid - lo - (hi - mid); d >= -2 && d <= 2 || hi == NoBound {
			return mid // it grows evenly with the draw
		}
		const points = 64
		var total float64
		for i := range points {
			total += float64(p.Delay(k, 0, (float64(i)+0.5)/points))
		}
		return time.Duration(total / points)
	})
}

// meanOfHistories follows many histories: each wait depends on the one before it. After some steps the mean stands.
func (c *Cost) meanOfHistories() time.Duration {
	if c.Retries == engine.Unlimited {
		return NoBound
	}
	const steps = 64
	f := newForecast(&c.policy.Backoff, NoBound, 0, 0, 2048)
	var total, latest float64
	for k := 1; k <= min(c.Retries, steps); k++ {
		f.step(k, 0)
		latest = f.waited / float64(f.all)
		total += latest
	}
	total += latest * float64(max(c.Retries-steps, 0))
	if total >= float64(NoBound) {
		return NoBound
	}
	return time.Duration(total)
}

// unsure finds the first attempt that may begin too late.
func (c *Cost) unsure() int {
	p := c.policy
	if p.Timeout <= 0 || c.Retries == 0 || c.Once || c.Free != NoBound && c.Free <= p.Timeout {
		return 0
	}
	at := p.AttemptTimeout
	if at <= 0 {
		return 2
	}
	for k := 1; k <= min(c.Retries, 1<<16); k++ {
		_, hi := p.Bounds(k)
		if at = later(at, hi); at >= p.Timeout {
			return k + 1
		}
		at = later(at, p.AttemptTimeout)
	}
	return 0
}

// OwnWaits is the windows of the waits in at most w cells, "0–0.2s → 0–0.4s → … → 0–10s": the first ones and the last.
func (c *Cost) OwnWaits(w int, g *Glyphs) string {
	if c.Retries == 0 {
		return "none"
	}
	arrow := " " + g.Arrow + " "
	last, tail := c.Retries, ""
	if c.Retries == engine.Unlimited {
		last = 1 << 20
		tail = arrow + g.Ellipsis
	} else if c.Retries > 1 {
		tail = arrow + g.Ellipsis + arrow + c.window(last, g)
	}
	if c.Retries > 1 && c.window(1, g) == c.window(last, g) {
		return c.window(1, g) + " each"
	}
	out := ""
	for k := 1; k <= c.Retries; k++ {
		one := c.window(k, g)
		if k > 1 {
			one = arrow + one
		}
		room := w - TextWidth(tail)
		if k == c.Retries || k == c.Retries-1 {
			room = w
		}
		if k == c.Retries-1 {
			room -= TextWidth(arrow + c.window(last, g))
		}
		if k > 1 && TextWidth(out)+TextWidth(one) > room {
			return out + tail
		}
		out += one
	}
	return out
}

func (c *Cost) window(k int, g *Glyphs) string {
	lo, hi := c.policy.Bounds(k)
	if lo == 0 && hi > 0 && hi < 10*time.Millisecond && c.inSeconds() {
		return "0" + g.To + string(appendInSeconds(nil, hi))
	}
	return string(appendRange(nil, lo, hi, g.To))
}

// inSeconds tells whether the longest of the own waits is told in seconds: then all of them are.
func (c *Cost) inSeconds() bool {
	last := c.Retries
	if last == engine.Unlimited {
		last = 1 << 20
	}
	_, hi := c.policy.Bounds(max(last, 1))
	return hi >= 10*time.Millisecond
}
