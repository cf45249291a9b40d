package sim_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// overload is a fleet of a stream at a server that lets in 400 calls a second and refuses the rest at once. Its waits
// are long and spread, so that no attempt knows of the one before.
func overload(t *testing.T, attempts int, load float64) sim.Config {
	t.Helper()
	f := sim.DefaultFleet()
	f.Policy = policy(t, fmt.Sprintf("attempts=%d base=4s cap=4s curve=constant jitter=full attempt-timeout=none retry-after=ignore", attempts))
	f.Load = sim.Load{Kind: sim.Open, Clients: 1, Rate: []sim.RatePoint{{Rate: load * 400}}}
	f.Server = sim.Server{Limit: 400, Refusal: 503}
	f.Faults = nil
	return f
}

// Overload with free refusals: retries raise the load, and not the success.
func TestLawOverload(t *testing.T) {
	t.Parallel()
	rows := append(lawRows(t, "fluid_overload_free_rejects", 2), lawRow{"load": 1.5, "k": 3.0, "amplification": 2.174, "success": 1 / 1.5})
	for _, row := range rows {
		c := overload(t, row.n("k"), row.f("load"))
		warm := time.Duration(row.n("k")) * 25 * time.Second
		var xs, ys []float64
		steady(t, &c, warm, 20*time.Second, func(b sim.Bucket, _ *sim.Result) {
			xs = append(xs, float64(b.First+b.Retries)/float64(b.First))
			ys = append(ys, float64(b.Useful)/float64(b.Useful+b.Failed))
		})
		what := fmt.Sprintf("overload %g, %d attempts", row.f("load"), row.n("k"))
		// The law is a fluid; a second of a Poisson stream varies by 5 % of 400 calls.
		check(t, what+": amplification", xs, row.f("amplification"), 0.02*row.f("amplification"))
		check(t, what+": success", ys, row.f("success"), 0.01)
	}
}

// Overload with refusals that cost: goodput falls, and at last to nothing.
func TestLawCostlyRefusals(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "fluid_overload_costly_rejects", 4) {
		c := overload(t, row.n("k"), row.f("load"))
		c.Server.RefusalCost = row.f("reject_cost")
		warm := time.Duration(row.n("k")) * 25 * time.Second
		var xs []float64
		steady(t, &c, warm, 20*time.Second, func(b sim.Bucket, _ *sim.Result) { xs = append(xs, float64(b.Accepted)/20/400) })
		check(t, fmt.Sprintf("refusals cost %g, load %g, %d attempts: goodput", row.f("reject_cost"), row.f("load"), row.n("k")), xs,
			row.f("goodput_over_capacity"), 0.02)
	}
}

// failing is a fleet whose calls fail with probability p each time, at a server without limits.
func failing(t *testing.T, text string, p float64) sim.Config {
	t.Helper()
	f := sim.DefaultFleet()
	f.Policy = policy(t, "base=10ms cap=10ms curve=constant jitter=full attempt-timeout=none "+text)
	f.Load = sim.Load{Kind: sim.Open, Clients: 100, Rate: []sim.RatePoint{{Rate: 1000}}}
	f.Server = sim.Server{Fail: p, Refusal: 503}
	f.Faults = nil
	f.Budget = sim.Guard{}
	return f
}

func amplified(t *testing.T, c *sim.Config, warm, long time.Duration) []float64 {
	t.Helper()
	var xs []float64
	steady(t, c, warm, long, func(b sim.Bucket, _ *sim.Result) { xs = append(xs, float64(b.First+b.Retries)/float64(b.First)) })
	return xs
}

func plain(p float64, k int) float64 {
	if p == 1 {
		return float64(k)
	}
	return (1 - math.Pow(p, float64(k))) / (1 - p)
}

// Layers multiply.
func TestLawNestedLayers(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "nested_layers", 10) {
		c := failing(t, fmt.Sprintf("attempts=%d", row.n("k")), row.f("p"))
		c.Policy.Base = 0
		c.Layers = row.n("layers")
		c.Load.Rate[0].Rate = 200
		check(t, fmt.Sprintf("%d layers of %d attempts at %g", c.Layers, row.n("k"), row.f("p")), amplified(t, &c, 0, 5*time.Second),
			row.f("bottom_calls_per_top"), 0)
	}
}

// gRPC's throttle changes its mind at ratio/(1+ratio).
func TestLawGRPCThrottle(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "grpc_pstar", 2) {
		ratio, star := row.f("tokenRatio"), row.f("p_star")
		for _, side := range []float64{0.8, 1.3} {
			p := star * side
			c := failing(t, "attempts=3", p)
			c.Budget = sim.Guard{Kind: sim.GRPCThrottle, A: ratio, B: 100}
			want := 1.0
			if side < 1 {
				want = plain(p, 3)
			}
			// Near the change a bucket of 100 tokens still wanders across its middle now and then.
			check(t, fmt.Sprintf("grpc ratio %g at %g of its change", ratio, side), amplified(t, &c, 20*time.Second, 10*time.Second), want,
				0.15*math.Abs(plain(p, 3)-1)*p*3)
		}
	}
}

// The AWS bucket: a retry costs, its success gives back, a first success gives one.
func TestLawAWSBucket(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "aws_bucket", 2) {
		points, ok := row["rows"].([]any)
		if !ok {
			t.Fatal("no rows")
		}
		for i, point := range points {
			cell, ok := point.(map[string]any)
			if !ok || *lawsScale == 0 && i%4 != 1 {
				continue
			}
			p, want := lawRow(cell).f("p"), lawRow(cell).f("amplification")
			c := failing(t, fmt.Sprintf("attempts=%d", row.n("max_attempts")), p)
			c.Budget = sim.Guard{Kind: sim.TokenBudget, A: row.f("cost"), B: 500}
			// Whole tokens: what is left below the cost of a retry is of no use.
			check(t, fmt.Sprintf("aws cost %g, %d attempts, p %g", row.f("cost"), row.n("max_attempts"), p),
				amplified(t, &c, 10*time.Second, 10*time.Second), want, 0.01*want)
		}
	}
	// At its change the bucket empties or does not.
	for _, s := range []struct{ cost, star float64 }{{14, .2149}, {5, .3207}} {
		for _, side := range []float64{0.93, 1.07} {
			p := s.star * side
			c := failing(t, "attempts=3", p)
			c.Budget = sim.Guard{Kind: sim.TokenBudget, A: s.cost, B: 500}
			denied := 0.0
			steady(t, &c, 30*time.Second, 15*time.Second, func(_ sim.Bucket, r *sim.Result) {
				last := r.Buckets[len(r.Buckets)*2/3:]
				for i := range last {
					denied += float64(last[i].Denied)
				}
			})
			if (denied > 0) != (side > 1) {
				t.Errorf("cost %g at %g of its change: %g retries denied", s.cost, side, denied)
			}
		}
	}
}

// A ratio of requests bounds the load, whatever fails.
func TestLawRatioBudget(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "steady", 2) {
		for _, percent := range []float64{10, 20} {
			c := failing(t, fmt.Sprintf("attempts=%d", row.n("k")), row.f("p"))
			c.Budget = sim.Guard{Kind: sim.FinagleBudget, A: percent, B: 0}
			want := row.f(fmt.Sprintf("deposit_per_request_%g", percent/100))
			check(t, fmt.Sprintf("ratio %g%%, %d attempts, p %g", percent, row.n("k"), row.f("p")), amplified(t, &c, 12*time.Second, 12*time.Second),
				want, 0.005)
		}
	}
}

// Envoy's budget of concurrent retries: with equal durations at most 1/(1 − share) attempts a call.
func TestLawEnvoyBudget(t *testing.T) {
	t.Parallel()
	c := failing(t, "attempts=8", 1)
	c.Policy.Base = 0
	c.Latency = 100 * time.Millisecond
	c.Budget = sim.Guard{Kind: sim.EnvoyBudget, A: 20}
	for i, x := range amplified(t, &c, 5*time.Second, 20*time.Second) {
		if x > 1.25 || x < 1.2 {
			t.Errorf("seed %d: %g attempts a call, must be just below 1.25", i, x)
		}
	}
}

// Client-side throttling of the SRE book: the server sees at most K times what it can do.
func TestLawAdaptiveThrottle(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "sre_adaptive_throttle_fluid", 2) {
		const capacity = 100
		c := overload(t, 1, row.f("offered_over_capacity"))
		c.Server.Limit, c.Load.Rate[0].Rate = capacity, capacity*row.f("offered_over_capacity")
		c.Throttle = sim.Guard{Kind: sim.Adaptive, A: row.f("K")}
		var xs []float64
		steady(t, &c, 260*time.Second, 60*time.Second, func(b sim.Bucket, _ *sim.Result) { xs = append(xs, float64(b.First)/60/capacity) })
		// A second of a Poisson stream varies by a tenth of the capacity, so that not all of it is used.
		check(t, fmt.Sprintf("adaptive K %g at load %g", row.f("K"), row.f("offered_over_capacity")), xs, row.f("sent_over_capacity"), 0.03)
	}
}

// The herd without jitter, to the request.
func TestLawHerdExactly(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "herd_no_jitter_exact", 2) {
		if row.n("clients") > 10000 && *lawsScale == 0 {
			continue
		}
		c := herd(t, endless+" jitter=none", row.n("clients"), 1)
		c.Server.Limit = row.f("capacity_per_window")
		f := fleet(t, &c)
		f.Run(time.Hour)
		r := f.Result()
		t.Logf("%d clients: expected %d requests until %gs, got %d until %v", row.n("clients"), row.n("total_requests"), row.f("last_success_s"), r.Total.Sent(), r.Last)
		if r.Total.Sent() != int64(row.n("total_requests")) || r.Last != span(row.f("last_success_s")).Round(time.Microsecond) {
			t.Errorf("%d requests until %v", r.Total.Sent(), r.Last)
		}
		if row.n("clients") == 1000 && (r.Times.Quantile(.5) != 32700*time.Millisecond || r.Times.Quantile(.99) != 52700*time.Millisecond) {
			t.Errorf("p50 %v, p99 %v", r.Times.Quantile(.5), r.Times.Quantile(.99))
		}
	}
}

// The herd with full jitter, over 400 seeds.
func TestLawHerdJittered(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("400 runs are long under the race detector")
	}
	p99 := make([]float64, 400)
	sent, se := mean(400, func(seed uint64) float64 {
		c := herd(t, endless+" jitter=full", 1000, seed)
		f, err := sim.NewFleet(c)
		if err != nil {
			return math.NaN()
		}
		f.Run(time.Hour)
		r := f.Result()
		p99[seed] = r.Times.Quantile(.99).Seconds()
		return float64(r.Total.Sent())
	})
	within(t, "requests", sent, se, 9436, 1.2)
	q, qSE := mean(400, func(seed uint64) float64 { return p99[seed] })
	within(t, "p99", q, qSE, 19.0, 0.05/4) // it is given to a tenth of a second
	t.Logf("expected 9436 requests and 19.0s, got %.1f ± %.1f and %.2f ± %.3f", sent, se, q, qSE)
}

// The first wave of a herd is as wide and as high as its jitter.
func TestLawFirstWave(t *testing.T) {
	t.Parallel()
	for _, row := range lawRows(t, "herd_first_wave", 20) {
		kind, ok := row["kind"].(string)
		jitter, known := map[string]string{
			"full": "full", "pm20": "scale:0.8..1.2",
		}[kind]
		window, has := row["window"].([]any)
		if !ok || !known || !has || len(window) != 2 {
			t.Fatalf("%v", row)
		}
		if row.n("clients") > 100_000 && *lawsScale == 0 {
			continue
		}
		c := herd(t, fmt.Sprintf("attempts=2 base=%s cap=1h jitter=%s attempt-timeout=none", span(row.f("first_ceiling_s")), jitter), row.n("clients"), 1)
		c.Server.Limit = 0
		c.Faults[0].To = time.Nanosecond
		c.Bucket, c.Horizon = time.Millisecond, 10*time.Second
		f := fleet(t, &c)
		f.Run(time.Hour)
		lo, _ := window[0].(float64)
		hi, _ := window[1].(float64)
		inside := 0.0
		for i, b := range f.Result().Buckets {
			if at := float64(i) / 1000; at >= lo-1.5e-3 && at <= hi+1e-9 {
				inside += float64(b.Retries)
			}
		}
		if rate := inside / (hi - lo); inside != row.f("clients") || math.Abs(rate-row.f("peak_first_wave_rps")) > 1e-6*rate {
			t.Errorf("%v: %g retries within, at %g a second", row, inside, rate)
		}
	}
}

// All call at once, the server is down for ten seconds: who is still there when it is back?
func TestLawOutage(t *testing.T) {
	t.Parallel()
	for jitter, want := range map[string]float64{"none": 1, "full": .910719, "equal": 1, "decorrelated": .49855} {
		c := herd(t, "attempts=10 base=100ms factor=2 cap=10s retry-after=ignore attempt-timeout=none jitter="+jitter, 5000, 1)
		c.Server.Limit = 0
		var xs []float64
		steady(t, &c, 0, time.Hour, func(b sim.Bucket, _ *sim.Result) { xs = append(xs, float64(b.Useful)/float64(b.Begun)) })
		check(t, "outage of 10s, jitter "+jitter+": survive", xs, want, 1e-6)
	}
}

// A FIFO queue, a timeout, no cancel and k attempts at once: what is overloaded by its own retries stays so exactly where
// k times the calls exceed the capacity.
func TestLawMetastable(t *testing.T) {
	t.Parallel()
	seeds := uint64(5)
	if *lawsScale > 0 {
		seeds = 20
	}
	for _, k := range []int{2, 3, 4} {
		for _, s := range []struct {
			load  float64
			stuck bool
		}{{.96, false}, {1.04, true}} {
			c := queue(t, fmt.Sprintf("attempts=%d base=0s cap=1s jitter=none", k), 1, sim.Endless, s.load/float64(k), sim.Exponential)
			c.Policy.AttemptTimeout = 200 * time.Millisecond
			c.Faults = []sim.Fault{{Kind: sim.SlowDown, From: 10 * time.Second, To: 15 * time.Second, Amount: 20}}
			c.Horizon = 400 * time.Second
			stuck, well := 0, 0
			for seed := range seeds {
				c.Seed = seed
				f := fleet(t, &c)
				f.Run(c.Horizon)
				if v := sim.Judge(&c, f.Result()).Verdict; v == sim.Stuck {
					stuck++
				} else if v == sim.Recovers {
					well++
				}
			}
			t.Logf("%d attempts at %g of the change: expected stuck %v, got %d of %d, and %d well", k, s.load, s.stuck, stuck, seeds, well)
			if s.stuck && stuck < int(seeds) || !s.stuck && well < int(seeds) {
				t.Errorf("%d attempts at %g of the change: %d of %d stuck, %d well", k, s.load, stuck, seeds, well)
			}
		}
	}
}
