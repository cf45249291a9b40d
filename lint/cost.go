package lint

import (
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Cost is what one operation that may be repeated can take under a policy, and how often it is sent.
type Cost struct {
	// Retries is how many waits there can be, by count and by what a full budget pays for; engine.Unlimited where nothing
	// limits them.
	Retries int
	// Max is the sum of the longest own waits; engine.Forever, here and below, where nothing bounds it.
	Max time.Duration
	// Free is the longest an operation can take without the timeout, Server the same with every answer asking for the
	// ceiling, Worst that with the timeout.
	Free, Server, Worst time.Duration
}

// CostOf reckons the cost of a request that may be repeated.
func CostOf(p *engine.Policy) Cost {
	c := Cost{Retries: engine.Unlimited}
	if p.Attempts != engine.Unlimited {
		c.Retries = max(p.Attempts, 1) - 1
	}
	c.Retries = min(c.Retries, paidFor(&p.Budget))
	longest := func(k int) time.Duration {
		_, hi := p.Bounds(k)
		return hi
	}
	c.Max = c.sum(longest)
	c.Free = c.with(p, c.Max)
	c.Server = c.Free
	if p.RetryAfter.Mode != engine.RetryAfterIgnore {
		c.Server = c.with(p, c.sum(p.LongestWait))
	}
	c.Worst = c.Server
	if p.Timeout > 0 {
		c.Worst = min(c.Worst, p.Timeout)
	}
	return c
}

// Sends is the most sends of one operation; engine.Unlimited where nothing limits them.
func (c *Cost) Sends() int {
	if c.Retries == engine.Unlimited {
		return engine.Unlimited
	}
	return c.Retries + 1
}

// paidFor is how many retries a full budget pays for where one operation has it alone.
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

// with adds the time of every attempt to the waits.
func (c *Cost) with(p *engine.Policy, waits time.Duration) time.Duration {
	if p.AttemptTimeout <= 0 || waits == engine.Forever || c.Retries == engine.Unlimited {
		return engine.Forever
	}
	return later(waits, times(p.AttemptTimeout, c.Retries+1))
}

// exactSteps is how many waits are added one by one; of more the rest is estimated from every so many.
const exactSteps = 2048

// sum adds up a figure of each wait. Figures grow with the retry: the rest is counted at once where they have reached
// the last.
func (c *Cost) sum(of func(retry int) time.Duration) time.Duration {
	n := c.Retries
	switch {
	case n <= 0:
		return 0
	case n == engine.Unlimited && of(2) == 0 && of(far) == 0:
		return of(1)
	case n == engine.Unlimited:
		return engine.Forever
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

// later and times saturate.
func later(a, b time.Duration) time.Duration {
	if s := a + b; s >= a {
		return s
	}
	return engine.Forever
}

func times(d time.Duration, n int) time.Duration {
	switch {
	case n <= 0 || d <= 0:
		return 0
	case d > engine.Forever/time.Duration(n):
		return engine.Forever
	default:
		return d * time.Duration(n)
	}
}
