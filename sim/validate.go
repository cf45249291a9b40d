package sim

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// DefaultBucket is the width of a time bucket where none is said.
const DefaultBucket = 100 * time.Millisecond

// The limits of a Config.
const (
	MaxClients = 10_000_000
	MaxWorkers = 1_000_000
	MaxBuckets = 100_000
	MaxLayers  = 6
	// MaxHorizon is how long a run may be, MaxFaults how many faults there are, MaxCorners how many corners a rate has,
	// MaxGuards how many budgets, or throttles.
	MaxHorizon = 30 * 24 * time.Hour
	MaxFaults  = 1000
	MaxCorners = 10_000
	MaxGuards  = 1_000_000
)

// FieldError is one setting of a fleet that cannot be.
type FieldError struct {
	Field, Value, Allowed string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: %s: allowed is %s", e.Field, e.Value, e.Allowed)
}

// Validate names everything that cannot be, at once.
func (c *Config) Validate() error {
	var errs []error
	bad := func(wrong bool, field string, value any, allowed string) {
		if wrong {
			errs = append(errs, &FieldError{field, fmt.Sprint(value), allowed})
		}
	}
	if err := c.Policy.Validate(); err != nil {
		errs = append(errs, err)
	}
	c.Load.validate(bad, c.Horizon)
	c.Server.validate(bad)
	for _, f := range c.Faults {
		bad(f.From < 0 || f.To <= f.From, "faults", fmt.Sprintf("%v-%v", f.From, f.To), "a start of 0s or more and a later end")
		bad(f.Kind == Brownout && !(f.Amount >= 0 && f.Amount <= 1), "faults", f.Amount, "a brownout of 0% to 100%")
		bad(f.Kind == SlowDown && !(f.Amount >= 1 && f.Amount <= 1e6), "faults", f.Amount, "a slow-down by a factor of 1 to 1000000")
	}
	c.Budget.validate(bad, "budget", false)
	c.Throttle.validate(bad, "throttle", true)
	for _, g := range []struct {
		field string
		guard *Guard
	}{{"budget-shared", &c.Budget}, {"throttle-shared", &c.Throttle}} {
		bad(g.guard.Kind != NoGuard && g.guard.Shared > 0 && c.Load.Clients <= MaxClients && groups(c, g.guard) > MaxGuards, g.field, g.guard.Shared,
			fmt.Sprintf("so many that there are at most %d groups of clients", MaxGuards))
	}
	bad(c.Latency < 0 || c.Latency > time.Hour, "latency", c.Latency, "0s to 1h")
	bad(c.Layers < 0 || c.Layers > MaxLayers, "layers", c.Layers, fmt.Sprintf("1 to %d", MaxLayers))
	bad(c.Horizon < 0 || c.Horizon > MaxHorizon, "horizon", c.Horizon, "0s to 720h")
	bad(len(c.Faults) > MaxFaults, "faults", len(c.Faults), fmt.Sprintf("at most %d", MaxFaults))
	bucket, horizon, of := c.bucket(), c.Horizon, "the horizon"
	if horizon == 0 {
		horizon, of = maxHerd, "the hour that a herd may take where no horizon is given"
	}
	bad(bucket < time.Millisecond || bucket > time.Hour, "bucket", bucket, "1ms to 1h")
	bad(bucket >= time.Millisecond && horizon/bucket > MaxBuckets, "bucket", bucket,
		fmt.Sprintf("at least %v, a %dth of %s", (horizon+MaxBuckets-1)/MaxBuckets, MaxBuckets, of))
	return errors.Join(errs...)
}

func (l *Load) validate(bad func(bool, string, any, string), horizon time.Duration) {
	bad(l.Clients < 1 || l.Clients > MaxClients, "clients", l.Clients, fmt.Sprintf("1 to %d", MaxClients))
	bad(l.Stagger < 0 || l.Stagger > MaxHorizon, "stagger", l.Stagger, "0s to 720h")
	bad(len(l.Rate) > MaxCorners, "rate", len(l.Rate), fmt.Sprintf("at most %d corners", MaxCorners))
	bad(l.Think > MaxHorizon, "think", l.Think, "at most 720h")
	bad(l.Kind != Herd && horizon == 0, "horizon", horizon, "above 0s where calls keep coming")
	bad(l.Kind == Closed && l.Think <= 0, "think", l.Think, "above 0s for a population")
	bad(l.Kind == Open && len(l.Rate) == 0, "rate", "none", "calls a second, above 0, for a stream")
	sum := 0.0
	for i, p := range l.Rate {
		bad(!(p.Rate >= 0 && p.Rate <= 1e7), "rate", p.Rate, "0 to 10000000 calls a second")
		bad(i == 0 && p.At != 0 || i > 0 && p.At < l.Rate[i-1].At, "rate", p.At, "corners from 0s on, none before the one before it")
		sum += p.Rate
	}
	bad(l.Kind == Open && len(l.Rate) > 0 && sum == 0, "rate", 0, "above 0 somewhere")
}

func (s *Server) validate(bad func(bool, string, any, string)) {
	bad(!(s.Limit >= 0 && s.Limit <= 1e9), "capacity", s.Limit, "0 to 1000000000 calls a second")
	bad(!(s.Burst >= 0 && s.Burst <= 1e9), "burst", s.Burst, "0 to 1000000000 calls")
	bad(s.Burst > 0 && s.Burst < 1, "burst", s.Burst, "1 call or more, or 0 for whole seconds")
	bad(s.Burst > 0 && s.Limit == 0, "burst", s.Burst, "0 where there is no capacity to fill it")
	bad(s.Workers < 0 || s.Workers > MaxWorkers, "workers", s.Workers, fmt.Sprintf("0 to %d", MaxWorkers))
	bad(s.Workers > 0 && s.Service <= 0, "service", s.Service, "above 0s where there are workers")
	bad(s.Service < 0 || s.Service > 24*time.Hour, "service", s.Service, "0s to 24h")
	bad(s.Queue < Endless, "queue", s.Queue, "0 or more, or endless")
	bad(s.Queue != 0 && s.Workers == 0, "queue", s.Queue, "0 where there are no workers")
	bad(!(s.RefusalCost >= 0 && s.RefusalCost <= 100), "refusal-cost", s.RefusalCost, "0 to 100 served calls")
	bad(s.Refusal < 400 || s.Refusal > 599, "refusal", s.Refusal, "a status of 400 to 599")
	bad(s.RetryAfter == 0 && s.RetryLaw != Constant, "retry-after-law", lawWords[s.RetryLaw], "constant where refusals ask for nothing")
	bad(s.RetryAfter < 0 || s.RetryAfter > MaxHorizon, "retry-after", s.RetryAfter, "0s to 720h")
	bad(!(s.Fail >= 0 && s.Fail <= 1), "fail", s.Fail, "0 to 1")
}

func (g *Guard) validate(bad func(bool, string, any, string), field string, sends bool) {
	asks := g.Kind == Adaptive || g.Kind == Breaker
	bad(g.Kind != NoGuard && asks != sends, field, g.Kind, "policy, aws, grpc, finagle or envoy for a budget; adaptive or breaker for a throttle")
	whole := func(x float64, least float64) bool { return x >= least && x <= 1e9 && x == math.Trunc(x) }
	switch g.Kind {
	case NoGuard, PolicyBudget:
	case TokenBudget:
		bad(!whole(g.A, 1) || !whole(g.B, 1), field, g, "aws:COST/CAPACITY in whole tokens, 1 or more")
	case GRPCThrottle:
		bad(!(g.A > 0 && g.A <= 1000) || !(g.B > 0 && g.B <= 1000), field, g, "grpc:RATIO/MAX, each above 0 to 1000")
	case FinagleBudget:
		bad(!(g.A > 0 && g.A <= 1000) || !whole(g.B, 0), field, g, "finagle:PERCENT/PERSECOND, above 0 to 1000 and 0 or more")
	case EnvoyBudget:
		bad(!(g.A >= 0 && g.A <= 100) || !whole(g.B, 0), field, g, "envoy:PERCENT/LEAST, 0 to 100 and 0 or more")
	case Adaptive:
		bad(!(g.A >= 1 && g.A <= 100), field, g, "adaptive:K, 1 to 100")
	case Breaker:
		bad(!(g.A > 0 && g.A <= 86400) || !whole(g.B, 1), field, g, "breaker:FAILURES/PAUSE, 1 or more and above 0s")
	}
	bad(g.Shared < 0, field+"-shared", g.Shared, "0 (all clients), or so many")
}
