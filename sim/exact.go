package sim

import (
	"time"

	"github.com/retryscope/retryscope/engine"
)

// exactLane is what is known in closed form of a policy against a source that answers at once: the sums of its waits, and
// how likely each is.
type exactLane struct {
	sums   []waitSum // sums[j] is when retry j is sent; sums[0] is the start
	lo, hi []float64 // of the wait before retry j+1
	smooth bool
	end    engine.Decision // after a failure of the last attempt
	law    stages
}

// maxExact is how many retries are added up; what is more unlikely than nothing does not count.
const (
	maxExact = 400
	nothing  = 1e-17
)

// exactly works a lane out, or says what stands against it.
func exactly(l *distLane, method string) (*exactLane, string) {
	var law stages
	switch s := l.source.(type) {
	case DistFailing:
		law = &failingStages{p: s.P}
	case DistOutage:
		if s.Down == 0 {
			law = &failingStages{p: 0}
			break
		}
		law = &outageStages{down: nanoseconds(s.Down)}
	default:
		return nil, "the source is a script"
	}
	e := &exactLane{law: law}
	if why := e.waits(l, method); why != "" {
		return nil, why
	}
	return e, ""
}

// waits asks the policy for every wait there can be, in the order of the retries, until it makes no more or nobody comes
// to them. It asks for the longest, so that a timeout that could end an operation is seen.
func (e *exactLane) waits(l *distLane, method string) string {
	p := &l.policy
	facts := engine.Facts{Allowance: engine.NoLimit, Sends: engine.NoLimit, Safety: l.safety, Method: method}
	var budget *engine.Budget
	if l.budget {
		budget = engine.NewBudget(p.Budget)
		budget.Request(0)
	}
	e.sums = append(e.sums, &uniformSum{norm: 1})
	e.law.begin(e)
	var lows, highs []time.Duration
	var state engine.State
	for j := 1; ; j++ {
		if e.law.reach(j) < nothing {
			return ""
		}
		if budget != nil {
			facts.Tokens = budget.Left(0)
		}
		var d engine.Decision
		before := state
		state, d = p.Next(state, &unavailable, &facts, 1)
		if d.Verdict != engine.Retry {
			e.end = d
			return e.ends(p, &d)
		}
		if budget != nil {
			budget.TakeAfter(0, &unavailable)
		}
		lo, why := e.wait(p, before, &facts, &d, j)
		if why != "" {
			return why
		}
		lows, highs = append(lows, lo), append(highs, d.Wait)
		e.lo, e.hi = append(e.lo, nanoseconds(lo)), append(e.hi, nanoseconds(d.Wait))
		if !e.sum(p, lows, highs) {
			return "the waits are too many of too many sizes"
		}
		if facts.Elapsed = saturate(facts.Elapsed, d.Wait); facts.Elapsed >= engine.Forever/4 || j == maxExact {
			return "there are too many retries"
		}
	}
}

// ends tells whether the last decision is the same for all operations.
func (*exactLane) ends(p *engine.Policy, d *engine.Decision) string {
	switch {
	case d.Reason == engine.ReasonDeadline:
		return "the timeout may end an operation"
	case d.Reason == engine.ReasonBudget && p.Budget.Kind != engine.BudgetTokens:
		return "the budget goes by time"
	default:
		return ""
	}
}

// wait is the least wait before retry j; d is the decision with the longest. Between the two every draw has to lie evenly:
// then the wait is a plain uniform one.
func (e *exactLane) wait(p *engine.Policy, before engine.State, facts *engine.Facts, d *engine.Decision, j int) (time.Duration, string) {
	switch p.Jitter.Kind {
	case engine.JitterDecorrelated:
		if j > 1 {
			return 0, "a decorrelated wait depends on the one before"
		}
	case engine.JitterSmooth:
		e.smooth = true
		_, highest := p.Bounds(j)
		if p.First != engine.FirstPlain || p.Least > 0 || highest >= p.Cap {
			return 0, "smooth waits are cut"
		}
		return 0, ""
	case engine.JitterNone, engine.JitterFull, engine.JitterEqual, engine.JitterScale, engine.JitterAdditive:
	}
	at := func(u float64) time.Duration {
		_, d := p.Next(before, &unavailable, facts, u)
		return d.Wait
	}
	lo := at(0)
	for _, u := range []float64{0.125, 0.25, 0.5, 0.75, 0.875} {
		even := nanoseconds(lo) + u*nanoseconds(d.Wait-lo)
		const rounding = 3
		if off := nanoseconds(at(u)) - even; off > rounding || off < -rounding {
			return 0, "the cap or the least wait cuts what is drawn"
		}
	}
	return lo, ""
}

// sum adds the latest wait up with those before it.
func (e *exactLane) sum(p *engine.Policy, lows, highs []time.Duration) bool {
	if e.smooth {
		e.sums = append(e.sums, newSmoothSum(&p.Backoff, len(highs)))
		return true
	}
	s, ok := newUniformSum(lows, highs)
	e.sums = append(e.sums, s)
	return ok
}

// last is the number of the last retry that is told of.
func (e *exactLane) last() int { return len(e.sums) - 1 }
