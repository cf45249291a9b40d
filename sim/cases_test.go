package sim_test

import (
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// Faults that were reported of budgets elsewhere, in a fleet.

// ST-01: what a retry cost comes back where the call ends in a plain answer that is no sign of overload.
func TestCaseBudgetSurvivesPlainAnswers(t *testing.T) {
	t.Parallel()
	c := sim.DefaultFleet()
	c.Policy = policy(t, "attempts=3 base=10ms jitter=none attempt-timeout=none budget=tokens:10/5/0")
	c.Load = sim.Load{Kind: sim.Closed, Clients: 1, Think: 30 * time.Millisecond}
	// A bucket of one call a second and refusals with a 404: every first attempt fails in a brownout, every retry is refused.
	c.Server = sim.Server{Limit: 1e-6, Burst: 1, Refusal: 404}
	c.Faults = nil
	for i := range 300 { // every first 5 ms of a 10 ms span
		at := time.Duration(i) * 20 * time.Millisecond
		c.Faults = append(c.Faults, sim.Fault{Kind: sim.Brownout, From: at, To: at + 10*time.Millisecond, Amount: 1})
	}
	c.Horizon = 6 * time.Second
	f := fleet(t, &c)
	f.Run(c.Horizon)
	r := f.Result()
	if r.Reasons[engine.ReasonBudget] != 0 || r.Total.Denied != 0 || r.Total.Retries < 20 || r.Reasons[engine.ReasonNotRetryable] < 50 {
		t.Errorf("a plain 404 emptied the budget: %v, %d retries", r.Reasons, r.Total.Retries)
	}
}

// ST-03: the budget is wired in: when all calls fail it ends them before their attempts are used up, and says so.
func TestCaseBudgetEndsCalls(t *testing.T) {
	t.Parallel()
	c := failing(t, "attempts=9 budget=tokens:28/14/1", 1)
	c.Budget = sim.Guard{Kind: sim.PolicyBudget}
	c.Horizon = 5 * time.Second
	f := fleet(t, &c)
	f.Run(c.Horizon)
	r := f.Result()
	if r.Total.Retries != 2 || r.Reasons[engine.ReasonBudget] == 0 || r.Reasons[engine.ReasonAttempts] != 0 || r.Total.Denied != r.Reasons[engine.ReasonBudget] {
		t.Errorf("%d retries, %v, %d denied", r.Total.Retries, r.Reasons, r.Total.Denied)
	}
}

// ST-05: the load of a total outage under a cheap retry and under a dear one.
func TestCaseCheapRetriesMultiplyTheLoad(t *testing.T) {
	t.Parallel()
	for cost, retries := range map[string]int64{"5": 100, "14": 35} {
		c := sim.DefaultFleet()
		c.Policy = policy(t, "attempts=3 base=50ms cap=20s attempt-timeout=none budget=tokens:500/"+cost+"/1")
		c.Load = sim.Load{Kind: sim.Open, Clients: 1000, Rate: []sim.RatePoint{{Rate: 100}}}
		c.Server = sim.Server{Refusal: 503}
		c.Faults = []sim.Fault{{Kind: sim.Brownout, To: time.Minute, Amount: 1}}
		c.Horizon = time.Minute
		f := fleet(t, &c)
		f.Run(c.Horizon)
		r := f.Result()
		want := 1 + float64(retries)/float64(r.Total.First)
		if r.Total.Retries != retries || r.Amplification() != want || r.Total.First < 5500 {
			t.Errorf("cost %s: %d retries of %d calls, load %v, must be %d and %v", cost, r.Total.Retries, r.Total.First, r.Amplification(), retries, want)
		}
	}
}
