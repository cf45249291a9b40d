package sim_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// The laws that a fleet has to meet: formulas of queueing theory and of budgets, as tables of numbers. make laws runs
// them longer, every row, and prints what was expected, what came out, and how far off it is.
var lawsScale = flag.Int("laws", 0, "how many times longer the laws run, every row of them; 0: a sample of the rows, short")

// lawRow is a row of testdata/fleet_laws.json.
type lawRow map[string]any

func (r lawRow) f(name string) float64 {
	x, ok := r[name].(float64)
	if !ok {
		return math.NaN()
	}
	return x
}

func (r lawRow) n(name string) int { return int(r.f(name)) }

// lawRows are the rows of a table: all with -laws, else about so many, evenly spread.
func lawRows(t *testing.T, table string, few int) []lawRow {
	t.Helper()
	text, err := os.ReadFile("testdata/fleet_laws.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]lawRow
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	rows := all[table]
	if raced {
		t.Skip("a law runs one fleet after the other, in one goroutine: there is no race to find, and ten times as long to wait")
	}
	if len(rows) == 0 {
		t.Fatalf("no rows for %s", table)
	}
	if *lawsScale > 0 || len(rows) <= few {
		return rows
	}
	var some []lawRow
	for i := range few {
		some = append(some, rows[i*len(rows)/few])
	}
	return some
}

// lawSeeds is how many seeds a law runs with.
const lawSeeds = 8

// check compares a mean over seeds with a law's figure: within four standard errors and slack, which is what the law
// itself leaves out (a limit that is only approached) and must say why at the call.
func check(t *testing.T, what string, xs []float64, want, slack float64) {
	t.Helper()
	m, se := 0.0, 0.0
	for _, x := range xs {
		m += x / float64(len(xs))
	}
	for _, x := range xs {
		se += (x - m) * (x - m)
	}
	se = math.Sqrt(se / float64(len(xs)-1) / float64(len(xs)))
	off := math.Abs(m - want)
	t.Logf("%-60s expected %-12.6g got %-12.6g error %.2g (4 se %.2g + %.2g)", what, want, m, m-want, 4*se, slack)
	// Eight seeds give a standard error that is itself uncertain: t₇ at the level of four normal ones is 6.4.
	if off > 6.4*se+slack+1e-12 {
		t.Errorf("%s: got %.6g ± %.2g, the law says %.6g", what, m, se, want)
	}
}

// steady runs a fleet with some seeds and gives, for each, what happened after a warm-up.
func steady(t *testing.T, c *sim.Config, warm, long time.Duration, see func(flows sim.Bucket, r *sim.Result)) {
	t.Helper()
	if raced {
		t.Skip("one fleet after the other, in one goroutine: there is no race to find, and ten times as long to wait")
	}
	c.Bucket = max((warm+long)/10000, time.Millisecond).Round(time.Millisecond)
	c.Horizon = warm + long
	for seed := range uint64(lawSeeds) {
		c := *c
		c.Seed = seed + 1
		f := fleet(t, &c)
		f.Run(warm)
		a := f.Result().Total
		f.Run(c.Horizon)
		r := f.Result()
		b := r.Total
		see(sim.Bucket{
			Begun: b.Begun - a.Begun, First: b.First - a.First, Retries: b.Retries - a.Retries, Accepted: b.Accepted - a.Accepted,
			Refused: b.Refused - a.Refused, Served: b.Served - a.Served, Useful: b.Useful - a.Useful, Failed: b.Failed - a.Failed,
			Held: b.Held - a.Held,
		}, r)
	}
}

// lawCalls is how many calls a law's run has, at least.
func lawCalls(n float64) float64 { return n * float64(max(*lawsScale, 1)) }

// queue is a fleet of a stream at c workers with a mean service of 10ms, and the rate that makes the load a (in Erlang).
func queue(t *testing.T, text string, c, k int, a float64, law sim.ServiceLaw) sim.Config {
	t.Helper()
	f := sim.DefaultFleet()
	f.Policy = policy(t, "attempt-timeout=none timeout=none ceiling=none "+text)
	f.Load = sim.Load{Kind: sim.Open, Clients: 1, Rate: []sim.RatePoint{{Rate: a * 100}}}
	f.Server = sim.Server{Workers: c, Service: 10 * time.Millisecond, Law: law, Queue: k, Refusal: 503}
	f.Faults = nil
	return f
}

func span(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func lawNames() map[sim.ServiceLaw]string {
	return map[sim.ServiceLaw]string{sim.Constant: "constant", sim.Exponential: "exponential", sim.Lognormal: "lognormal"}
}

// M/G/c/c: the loss depends on the mean service time alone, whatever its law.
func TestLawErlangB(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "erlang", 5) {
		for law, name := range lawNames() {
			c := queue(t, "attempts=1", row.n("c"), 0, row.f("a"), law)
			// All servers begin idle, and under a constant law they stay in step with each other for long.
			warm, least := 0.3, 0.2
			if *lawsScale > 0 {
				warm, least = 3, 2
			}
			long := span(max(lawCalls(3000+10*row.f("c"))/(row.f("a")*100), least))
			var xs []float64
			steady(t, &c, span(warm), long, func(b sim.Bucket, _ *sim.Result) { xs = append(xs, float64(b.Refused)/float64(b.First)) })
			check(t, fmt.Sprintf("Erlang B, %d servers, load %g, %s", row.n("c"), row.f("a"), name), xs, row.f("B"), 2e-3/math.Sqrt(lawCalls(1)))
		}
	}
}

// M/M/c/K.
func TestLawQueue(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "mmck", 5) {
		servers := row.n("c")
		a := row.f("rho") * float64(servers)
		c := queue(t, "attempts=1", servers, row.n("K")-servers, a, sim.Exponential)
		// A queue near its capacity forgets slowly: K² service times of one server.
		slow := float64(row.n("K")*row.n("K")) / float64(servers) * 0.01
		long := span(max(lawCalls(4000)/(a*100), min(20*slow, lawCalls(6e4)/(a*100))))
		var xs, ys []float64
		steady(t, &c, long/2, long, func(b sim.Bucket, _ *sim.Result) {
			xs = append(xs, float64(b.Refused)/float64(b.First))
			ys = append(ys, float64(b.Served)/long.Seconds()/(float64(servers)*100))
		})
		what := fmt.Sprintf("M/M/%d/%d at %g", servers, row.n("K"), row.f("rho"))
		check(t, what+": blocked", xs, row.f("block"), 2e-3)
		check(t, what+": goodput", ys, row.f("goodput_over_capacity"), 2e-3)
	}
}

// M/M/1 and M/D/1 without a limit to the queue.
func TestLawSojourn(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "mm1", 3) {
		rho := row.f("rho")
		for law, want := range map[sim.ServiceLaw]float64{sim.Exponential: row.f("mean_over_s"), sim.Constant: 1 + row.f("md1_mean_wait")} {
			c := queue(t, "attempts=1", 1, sim.Endless, rho, law)
			long := span(lawCalls(20000) / (rho * 100))
			var means, p50, p99 []float64
			steady(t, &c, long/10, long, func(_ sim.Bucket, r *sim.Result) {
				means = append(means, r.Times.Mean().Seconds()/0.01)
				p50 = append(p50, r.Times.Quantile(0.5).Seconds()/0.01)
				p99 = append(p99, r.Times.Quantile(0.99).Seconds()/0.01)
			})
			// The empty start counts too.
			slack := want * 1e-3 / (1 - rho)
			check(t, fmt.Sprintf("M/%s/1 at %g: mean time", lawNames()[law], rho), means, want, slack)
			if law == sim.Exponential {
				check(t, fmt.Sprintf("M/M/1 at %g: p50", rho), p50, row.f("p50"), slack)
				check(t, fmt.Sprintf("M/M/1 at %g: p99", rho), p99, row.f("p99"), 3*slack)
			}
		}
	}
}

// The retrial queue M/M/1/1 whose callers come back after Exp(ν): here the server asks them to.
func TestLawRetrialQueue(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "retrial_mm1", 4) {
		c := queue(t, "attempts=unlimited retry-after=replace jitter=none", 1, 0, row.f("rho"), sim.Exponential)
		c.Server.RetryAfter, c.Server.RetryLaw = span(0.01/row.f("nu_over_mu")), sim.Exponential
		relax := 0.01 / math.Pow(1-row.f("rho"), 2) * (1 + 1/row.f("nu_over_mu"))
		long := span(max(lawCalls(8000)/(row.f("rho")*100), 25*relax))
		var xs []float64
		steady(t, &c, long/3, long, func(b sim.Bucket, _ *sim.Result) { xs = append(xs, float64(b.First+b.Retries)/float64(b.First)) })
		check(t, fmt.Sprintf("retrial M/M/1/1 at %g, ν/μ %g: attempts a call", row.f("rho"), row.f("nu_over_mu")), xs,
			row.f("attempts_per_request"), 0.004*row.f("attempts_per_request"))
	}
}

// One retry, exactly: the chain of busy servers and waiting callers.
func TestLawOneRetry(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "one_retry_ctmc", 4) {
		servers := row.n("c")
		a := row.f("load") * float64(servers)
		c := queue(t, "attempts=2 retry-after=replace jitter=none", servers, 0, a, sim.Exponential)
		c.Server.RetryAfter, c.Server.RetryLaw = span(0.01/row.f("nu_over_mu")), sim.Exponential
		long := span(max(lawCalls(8000)/(a*100), 20*0.01/row.f("nu_over_mu")))
		var xs, ys []float64
		steady(t, &c, long/3, long, func(b sim.Bucket, _ *sim.Result) {
			xs = append(xs, float64(b.First+b.Retries)/float64(b.First))
			ys = append(ys, float64(b.Served)/float64(b.First))
		})
		what := fmt.Sprintf("one retry, %d servers, load %g, ν/μ %g", servers, row.f("load"), row.f("nu_over_mu"))
		check(t, what+": attempts a call", xs, row.f("attempts_per_request"), 1e-3)
		check(t, what+": success", ys, row.f("success"), 1e-3)
	}
}

// A loss system whose callers come back after a wait far longer than a service: the attempts are Poisson again.
func TestLawSlowRetries(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "loss_with_retries_slow_limit", 4) {
		k := row.n("k")
		servers := row.n("c")
		a := row.f("load") * float64(servers)
		c := queue(t, fmt.Sprintf("attempts=%d base=%s cap=%s curve=constant jitter=full", k, "1s", "1s"), servers, 0, a, sim.Exponential)
		long := span(max(lawCalls(4000)/(a*100), 10))
		var xs, ys []float64
		steady(t, &c, span(8*float64(k)), long, func(b sim.Bucket, _ *sim.Result) {
			xs = append(xs, float64(b.First+b.Retries)/float64(b.First))
			ys = append(ys, float64(b.Useful)/float64(b.Useful+b.Failed))
		})
		what := fmt.Sprintf("slow retries, %d servers, load %g, %d attempts", servers, row.f("load"), k)
		check(t, what+": attempts a call", xs, row.f("amplification"), 0.01*row.f("amplification"))
		check(t, what+": success", ys, row.f("success"), 0.01)
	}
}
