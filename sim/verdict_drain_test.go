package sim_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// drains are fleets whose queue is still worked off at the end of the run.
var drains = []struct{ name, policy, settings string }{
	{"little to spare", "attempts=1 attempt-timeout=1s", stream + "rate=190\nqueue=endless\nfaults=slow 5s-45s x10\nhorizon=100s"},
	{"half to spare", "attempts=1 attempt-timeout=1s", stream + "rate=100\nqueue=endless\nfaults=slow 5s-45s x20\nhorizon=60s"},
	{"retries", "attempts=2 base=10s cap=10s jitter=full attempt-timeout=2s", stream + "rate=75\nqueue=endless\nfaults=slow 5s-45s x20\nhorizon=60s"},
	{"a spike", "attempts=1 attempt-timeout=1s", stream + "rate=0s:100 10s:100 10s:600 30s:600 30s:120\nqueue=endless"},
	{"two workers", "attempts=1", stream + "rate=15\nworkers=2\nlaw=constant\nqueue=endless\nfaults=slow 0s-50s x10"},
}

var until = regexp.MustCompile(`([0-9,]+) in the queue, at this rate until about (\S+);`)

// A queue that shrinks is said to, with the time at which it is empty: a horizon beyond that shows that the fleet recovers,
// and not much before it the queue is empty indeed.
func TestDrainingQueueTellsItsEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range drains {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := set(t, sim.DefaultFleet(), tc.settings)
			c.Policy = policy(t, tc.policy)
			s, err := sim.Runs(t.Context(), c, 1, sim.Options{NoProbe: true})
			if err != nil {
				t.Fatal(err)
			}
			m := until.FindStringSubmatch(s.Why)
			if s.Verdict != sim.Unknown || m == nil {
				t.Fatalf("%v: %q", s.Verdict, s.Why)
			}
			said, err := time.ParseDuration(m[2])
			if err != nil || said <= c.Horizon {
				t.Fatalf("until %v, %v: the run ends at %v", said, err, c.Horizon)
			}
			if off := s.Drained - said; off.Abs() > time.Minute/2 {
				t.Errorf("Drained is %v, and the words say %v", s.Drained, said)
			}
			end := c.Horizon
			c.Horizon = said + (said-end)/2 + 20*time.Second
			long, err := sim.Runs(t.Context(), c, 1, sim.Options{NoProbe: true})
			if err != nil || long.Verdict != sim.Recovers || long.Drained != 0 {
				t.Fatalf("%v, %v after %v: %q", err, long.Verdict, c.Horizon, long.Why)
			}
			empty := time.Duration(0)
			for i, b := range long.First.Buckets {
				at := long.First.Width * time.Duration(i+1)
				if at > end && b.Queue == 0 {
					empty = at
					break
				}
			}
			if left, took := said-end, empty-end; float64(took) < 0.6*float64(left) || float64(took) > 1.6*float64(left)+float64(time.Second) {
				t.Errorf("said to be empty after %v more, and it is after %v", left, took)
			}
		})
	}
}

// A queue that grows, or stays, is not said to shrink.
func TestStuckQueueIsNotDraining(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		stream + "rate=210\nqueue=endless",
		stream + "rate=300\nqueue=endless\nfaults=slow 5s-10s x10",
		stream + "rate=300\nqueue=100\nfaults=down 5s-20s",
	} {
		c := set(t, sim.DefaultFleet(), settings)
		c.Policy = policy(t, "attempts=1 attempt-timeout=1s")
		s, err := sim.Runs(t.Context(), c, 1, sim.Options{NoProbe: true})
		if err != nil || s.Verdict != sim.Stuck || strings.Contains(s.Why, "in the queue") || s.Drained != 0 {
			t.Errorf("%v, %v: %q", err, s.Verdict, s.Why)
		}
	}
}

// The words of the verdicts, and which of them are a return to health.
func TestVerdictWords(t *testing.T) {
	t.Parallel()
	for v, want := range map[sim.Verdict]string{
		sim.Unknown: "unknown", sim.Recovers: "recovers", sim.Vulnerable: "vulnerable", sim.Stuck: "stuck", sim.GivesUp: "gives up", 99: "unknown",
	} {
		if got := v.String(); got != want || v.Well() != (want == "recovers" || want == "gives up") {
			t.Errorf("%d: %s, well %v", v, got, v.Well())
		}
	}
}

// Seeds of which most calls give up make one verdict, whatever each of them came to.
func TestVerdictOfSeeds(t *testing.T) {
	t.Parallel()
	c := sim.DefaultFleet()
	c.Policy = engine.Default()
	s, err := sim.Runs(t.Context(), c, 5, sim.Options{})
	if err != nil || s.Verdict != sim.GivesUp || s.Recovered != s.Seeds || s.Success.Mean >= 0.5 {
		t.Errorf("%v, %v, %d of %d, success %g", err, s.Verdict, s.Recovered, s.Seeds, s.Success.Mean)
	}
}

// The law behind it: an endless queue of calls that time out, of k attempts each, shrinks where k times their rate is below
// what the server can do, and never where it is above.
func TestDrainingIsBelowTheThreshold(t *testing.T) {
	t.Parallel()
	if testing.Short() || raced {
		t.Skip("it simulates a hundred fleets")
	}
	for _, k := range []int{1, 2, 3} {
		for _, rho := range []float64{0.6, 0.8, 0.9, 1.04, 1.1, 1.5} {
			c := set(t, sim.DefaultFleet(), stream+fmt.Sprintf("rate=%g\nqueue=endless\nfaults=slow 5s-45s x20\nhorizon=90s", 200*rho/float64(k)))
			c.Policy = policy(t, fmt.Sprintf("attempts=%d base=1s cap=10s jitter=full attempt-timeout=1s", k))
			for seed := range 6 {
				c.Seed = uint64(seed + 1) //nolint:gosec // not below 0
				s, err := sim.Runs(t.Context(), c, 1, sim.Options{NoProbe: true})
				if err != nil {
					t.Fatal(err)
				}
				if rho > 1 && s.Drained != 0 || rho < 1 && s.Verdict == sim.Stuck {
					t.Errorf("%d attempts at %g of the capacity, seed %d: until %v, %s", k, rho, c.Seed, s.Drained, s.Why)
				}
			}
		}
	}
}
