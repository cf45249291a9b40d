package engine

import (
	"sync"
	"time"
)

// ratioWindow is how many seconds a ratio budget looks back (the deposit's time to live in Finagle's RetryBudget).
const ratioWindow = 10

// Budget is what many operations share to keep a fleet from storming: every retry takes from it, atomically, and only
// once every other gate is open. Safe for concurrent use.
type Budget struct {
	rule BudgetRule

	mu     sync.Mutex
	tokens int
	ring   [ratioWindow]second
}

type second struct {
	at                int64
	requests, retries int
}

// NewBudget is a full budget of the rule; nil where the rule is BudgetNone.
func NewBudget(rule BudgetRule) *Budget {
	if rule.Kind == BudgetNone {
		return nil
	}
	return &Budget{rule: rule, tokens: rule.Capacity}
}

// cost is what a retry after an outcome takes.
func (r *BudgetRule) cost(o *Outcome) int {
	switch {
	case r.Kind != BudgetTokens:
		return 1
	case r.ThrottleCost > 0 && o.throttled():
		return r.ThrottleCost
	case r.TimeoutCost > 0 && o.Kind == KindTimeout:
		return r.TimeoutCost
	default:
		return r.Cost
	}
}

// Least is the lowest cost of a retry, after whatever outcome.
func (r *BudgetRule) Least() int {
	least := r.cost(&Outcome{})
	for _, own := range []int{r.ThrottleCost, r.TimeoutCost} {
		if r.Kind == BudgetTokens && own > 0 {
			least = min(least, own)
		}
	}
	return least
}

// Left is what could be taken at now, in tokens (BudgetTokens) or retries (BudgetRatio).
func (b *Budget) Left(now time.Duration) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left(now)
}

func (b *Budget) left(now time.Duration) int {
	if b.rule.Kind == BudgetTokens {
		return b.tokens
	}
	sec := int64(now / time.Second)
	requests, retries := 0, 0
	for _, s := range b.ring {
		if s.at > sec-ratioWindow && s.at <= sec {
			requests += s.requests
			retries += s.retries
		}
	}
	free := min(float64(b.rule.PerSecond)*ratioWindow, 1e15)
	return max(int(free+b.rule.Percent/100*float64(requests))-retries, 0)
}

// Request notes that an operation begins.
func (b *Budget) Request(now time.Duration) {
	if b.rule.Kind != BudgetRatio {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slot(now).requests++
}

// Take pays for one retry, or tells that there is not enough left.
func (b *Budget) Take(now time.Duration) bool { return b.TakeAfter(now, &Outcome{}) }

// TakeAfter is Take for a retry after an outcome, which may have a cost of its own.
func (b *Budget) TakeAfter(now time.Duration, o *Outcome) bool {
	cost := b.rule.cost(o)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left(now) < cost {
		return false
	}
	if b.rule.Kind == BudgetTokens {
		b.tokens -= cost
	} else {
		b.slot(now).retries++
	}
	return true
}

// Settle credits an operation that ended without a sign of overload: the cost of its last retry where it was retried
// (as the AWS SDKs give it back), else the credit of a success.
func (b *Budget) Settle(retried bool) { b.SettleAfter(retried, &Outcome{}) }

// SettleAfter is Settle where the last retry was after an outcome, which may have a cost of its own.
func (b *Budget) SettleAfter(retried bool, o *Outcome) { b.settle(retried, b.rule.cost(o)) }

func (b *Budget) settle(retried bool, cost int) {
	if b.rule.Kind != BudgetTokens {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	back := b.rule.Credit
	if retried {
		back = cost
	}
	b.tokens = min(b.tokens+back, b.rule.Capacity)
}

// slot is the bucket of this second, emptied if it held an older one.
func (b *Budget) slot(now time.Duration) *second {
	sec := int64(now / time.Second)
	s := &b.ring[sec%ratioWindow]
	if s.at != sec {
		*s = second{at: sec}
	}
	return s
}
