package sim_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// Whatever Validate lets through can be simulated: no panic, and the laws hold in every bucket, wherever one looks.
func FuzzFleet(f *testing.F) {
	f.Add("attempts=3 base=1ms jitter=full attempt-timeout=50ms", "load=stream\nrate=100\nworkers=2\nservice=20ms\nqueue=5\nhorizon=10s\nlatency=3ms", uint64(1))
	f.Add("attempts=unlimited base=0s jitter=none", "clients=3", uint64(2))
	f.Add("attempts=5 budget=ratio:20%/3", "load=population\nthink=10ms\nhorizon=1h\nworkers=1\nservice=1s\nlaw=lognormal\nqueue=endless\ncancel=true\norder=lifo\nfaults=hole 1s-2s; slow 1s-9s x7", uint64(3))
	f.Add("attempts=2 retry-after=replace", "retry-after=3s\nretry-after-law=exponential\nrefusal=429\nburst=3\ncapacity=0.5\nrefusal-cost=2\nlayers=6", uint64(4))
	f.Add("attempts=9", "throttle=breaker:2/1ms\nbudget=envoy:20/3\nbudget-shared=7\nthrottle-shared=3\nfail=33.3%\nstagger=1ns", uint64(5))
	f.Add("attempts=9 jitter=none base=24h", "throttle=adaptive:1\nbudget=grpc:0.1/10\nload=stream\nrate=0s:0 1ns:10000000 1ns:0 720h:5\nhorizon=720h\nbucket=1h", uint64(6))
	f.Fuzz(func(t *testing.T, policyText, settings string, seed uint64) {
		c := sim.DefaultFleet()
		c.Seed = seed
		p, err := engine.ParsePolicy(policyText, engine.Default())
		if err != nil {
			return
		}
		c.Policy = p
		for line := range strings.Lines(settings) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			if name != "" && c.Set(name, value) != nil {
				return
			}
		}
		if c.Load.Clients > 2000 {
			c.Load.Clients = 2000 // the first event of a herd begins them all
		}
		if c.Bucket == sim.DefaultBucket {
			c.Bucket = sim.FitBucket(c.Horizon)
		}
		if c.Validate() != nil {
			if _, err := sim.NewFleet(c); err == nil {
				t.Fatal("what is refused makes a fleet")
			}
			return
		}
		a, b := fleet(t, &c), fleet(t, &c)
		a.Step(2000)
		for range 20 {
			b.Step(100)
			b.Result()
		}
		r := a.Result()
		flows(t, &c, r)
		if got, want := asJSON(t, b.Result()), asJSON(t, r); !bytes.Equal(got, want) {
			t.Fatalf("in steps:\n%s\nat once:\n%s", got, want)
		}
		if o := sim.Judge(&c, r); o.Verdict.Well() && r.Unfinished > 0 && c.Load.Kind == sim.Herd || o.After < 0 || o.Verdict == sim.Vulnerable {
			t.Fatalf("with %d calls under way: %+v", r.Unfinished, o)
		}
	})
}
