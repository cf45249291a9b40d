package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// budget is what some clients share to hold retries back. Whether a retry may be is the engine's gate; a budget says how
// much is left.
type budget interface {
	begin(now int64)                              // a call begins
	sent()                                        // an attempt goes out
	tokens(now int64) int                         // what is left
	take(now int64, o *engine.Outcome)            // a retry after an outcome is on its way
	result(ok, retry bool)                        // an attempt has ended
	settle(retried bool, refused *engine.Outcome) // a call has ended without a sign of overload
	lost()                                        // a retry paid for was held back after all
}

// throttle is what some clients share to hold sends back.
type throttle interface {
	may(now int64, u float64) bool
	result(now int64, ok bool)
}

// rule is the engine's rule under which the guard is asked.
func (g *Guard) rule(p *engine.Policy) engine.BudgetRule {
	switch g.Kind {
	case PolicyBudget:
		return p.Budget
	case TokenBudget:
		return engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: int(g.B), Cost: int(g.A), Credit: 1}
	case FinagleBudget:
		return engine.BudgetRule{Kind: engine.BudgetRatio, Percent: g.A, PerSecond: int(g.B)}
	case GRPCThrottle, EnvoyBudget:
		return engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: 1, Cost: 1}
	case NoGuard, Adaptive, Breaker:
		return engine.BudgetRule{}
	default:
		return engine.BudgetRule{}
	}
}

// guards makes the guards, one for each group of clients that share one.
func (f *Fleet) guards() {
	if rule := f.inner.Budget; rule.Kind != engine.BudgetNone {
		for range groups(&f.cfg, &f.cfg.Budget) {
			switch f.cfg.Budget.Kind {
			case GRPCThrottle:
				f.budgets = append(f.budgets, &grpcThrottle{left: f.cfg.Budget.B, most: f.cfg.Budget.B, ratio: f.cfg.Budget.A})
			case EnvoyBudget:
				f.budgets = append(f.budgets, &envoyBudget{percent: f.cfg.Budget.A, least: f.cfg.Budget.B})
			case NoGuard, PolicyBudget, TokenBudget, FinagleBudget, Adaptive, Breaker:
				f.budgets = append(f.budgets, engineBudget{engine.NewBudget(rule)})
			}
		}
	}
	switch g := &f.cfg.Throttle; g.Kind {
	case Adaptive:
		for range groups(&f.cfg, g) {
			f.throttles = append(f.throttles, &adaptive{k: g.A})
		}
	case Breaker:
		for range groups(&f.cfg, g) {
			f.throttles = append(f.throttles, &breaker{after: int(g.B), pause: int64(g.A * second)})
		}
	case NoGuard, PolicyBudget, TokenBudget, GRPCThrottle, FinagleBudget, EnvoyBudget:
	}
}

func groups(c *Config, g *Guard) int {
	if g.Shared <= 0 {
		return 1
	}
	return (c.Load.Clients + g.Shared - 1) / g.Shared
}

func (f *Fleet) budget(slot uint32) budget {
	if len(f.budgets) == 0 {
		return nil
	}
	if len(f.budgets) == 1 {
		return f.budgets[0]
	}
	return f.budgets[int(f.rest[slot].client)/f.cfg.Budget.Shared]
}

func (f *Fleet) throttle(slot uint32) throttle {
	if len(f.throttles) == 0 {
		return nil
	}
	if len(f.throttles) == 1 {
		return f.throttles[0]
	}
	return f.throttles[int(f.rest[slot].client)/f.cfg.Throttle.Shared]
}

// engineBudget is the engine's own.
type engineBudget struct{ b *engine.Budget }

func (e engineBudget) begin(now int64)      { e.b.Request(time.Duration(now)) }
func (engineBudget) sent()                  {}
func (e engineBudget) tokens(now int64) int { return e.b.Left(time.Duration(now)) }
func (engineBudget) result(_, _ bool)       {}

func (engineBudget) lost()                               {}
func (e engineBudget) take(now int64, _ *engine.Outcome) { e.b.Take(time.Duration(now)) }

func (e engineBudget) settle(retried bool, _ *engine.Outcome) { e.b.Settle(retried) }

// grpcThrottle is gRFC A6's throttling of retries: a bucket of most tokens, from which every failed attempt takes one and
// into which every success puts ratio; a retry is allowed while more than half are left.
type grpcThrottle struct{ left, most, ratio float64 }

func (*grpcThrottle) begin(int64)                  {}
func (*grpcThrottle) sent()                        {}
func (*grpcThrottle) take(int64, *engine.Outcome)  {}
func (*grpcThrottle) lost()                        {}
func (*grpcThrottle) settle(bool, *engine.Outcome) {}

func (g *grpcThrottle) tokens(int64) int {
	if g.left > g.most/2 {
		return 1
	}
	return 0
}

func (g *grpcThrottle) result(ok, _ bool) {
	if ok {
		g.left = min(g.left+g.ratio, g.most)
	} else {
		g.left = max(g.left-1, 0)
	}
}

// envoyBudget is Envoy's retry budget of a cluster: retries under way (their backoff included) are at most a share of the
// attempts under way, or a least number.
type envoyBudget struct {
	percent, least  float64
	active, retries int
}

func (*envoyBudget) begin(int64)                  {}
func (*envoyBudget) settle(bool, *engine.Outcome) {}

func (e *envoyBudget) lost()                       { e.retries-- }
func (e *envoyBudget) sent()                       { e.active++ }
func (e *envoyBudget) take(int64, *engine.Outcome) { e.retries++ }

func (e *envoyBudget) tokens(int64) int {
	if float64(e.retries) < math.Floor(max(e.least, e.percent/100*float64(e.active))) {
		return 1
	}
	return 0
}

func (e *envoyBudget) result(_, retry bool) {
	e.active--
	if retry {
		e.retries--
	}
}

// adaptive is the client-side throttling of "Handling Overload" in the SRE book: over two minutes.
type adaptive struct {
	k    float64
	ring [adaptiveSlots]struct {
		at                int64
		requests, accepts int
	}
}

const (
	adaptiveSlots = 12
	adaptiveSlot  = 10 * second
)

func (a *adaptive) slot(now int64) int {
	at := now / adaptiveSlot
	i := int(at % adaptiveSlots)
	if a.ring[i].at != at {
		a.ring[i].at, a.ring[i].requests, a.ring[i].accepts = at, 0, 0
	}
	return i
}

func (a *adaptive) may(now int64, u float64) bool {
	i := a.slot(now)
	requests, accepts := 0, 0
	for j := range a.ring {
		if s := &a.ring[j]; s.at > now/adaptiveSlot-adaptiveSlots {
			requests += s.requests
			accepts += s.accepts
		}
	}
	a.ring[i].requests++
	p := (float64(requests) - a.k*float64(accepts)) / float64(requests+1)
	return u >= p
}

func (a *adaptive) result(now int64, ok bool) {
	if ok {
		a.ring[a.slot(now)].accepts++
	}
}

// breaker is a circuit breaker: closed until so many failures in a row, open for a pause, and then closed again by the
// success of one call that may try.
type breaker struct {
	after    int
	pause    int64
	row      int
	open     bool
	until    int64
	probing  bool
	probedAt int64
}

func (b *breaker) may(now int64, _ float64) bool {
	if !b.open {
		return true
	}
	// A probe whose answer never comes is given up after another pause.
	if now < b.until || b.probing && now < b.probedAt+b.pause {
		return false
	}
	b.probing, b.probedAt = true, now
	return true
}

func (b *breaker) result(now int64, ok bool) {
	if ok {
		b.row, b.open, b.probing = 0, false, false
		return
	}
	b.row++
	if b.open && b.probing || !b.open && b.row >= b.after {
		b.open, b.probing, b.until = true, false, now+b.pause
	}
}
