package sim_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// set is a fleet from a scenario's settings.
func set(t testing.TB, c sim.Config, settings string) sim.Config {
	t.Helper()
	for line := range strings.Lines(settings) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name == "" {
			continue
		}
		if err := c.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// stream is a steady stream at a server with room to spare.
const stream = `load=stream
	rate=100
	workers=20
	service=100ms
	law=exponential
	queue=100
	latency=10ms
	horizon=60s
	capacity=0
	faults=none
`

// What becomes of odd fleets, and why.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, policy, settings string
		seeds                  int
		verdict                sim.Verdict
		why                    string
		from, to               float64 // of the recovery, in seconds
	}{
		{"no fault", "attempts=3 attempt-timeout=1s", stream, 1, sim.Recovers, "", 0, 0},
		{"a fault at the start", "attempts=3 attempt-timeout=1s", stream + "faults=down 0s-10s", 1, sim.Recovers, "", 0, 2},
		{"two faults", "attempts=3 attempt-timeout=1s", stream + "faults=down 5s-10s; brownout 20s-30s 50%", 1, sim.Recovers, "", 0, 3},
		{"a fault to the end", "attempts=3", stream + "faults=down 5s-60s", 1, sim.Unknown, "the trouble lasts until the end of the run", 0, 0},
		{"a fault beyond the end", "attempts=3", stream + "faults=down 5s-100h", 1, sim.Unknown, "the trouble lasts until the end of the run", 0, 0},
		{"overload", "attempts=3", stream + "rate=300", 1, sim.Stuck, "more calls come than the server can serve", 0, 0},
		{"a ramp into overload", "attempts=3", stream + "rate=0s:50 120s:650", 1, sim.Stuck, "more calls come than the server can serve", 0, 0},
		{"a spike", "attempts=3 attempt-timeout=1s", stream + "rate=0s:50 10s:50 10s:600 15s:600 15s:50", 1, sim.Recovers, "", 0, 5},
		{"a ramp up and down", "attempts=3 attempt-timeout=1s", stream + "rate=0s:50 10s:300 20s:50", 1, sim.Recovers, "", 0, 5},
		{"nobody comes", "attempts=3", stream + "rate=0.0001", 1, sim.Recovers, "no call comes", 0, 0},
		{"nothing ever succeeds", "attempts=3", stream + "fail=100%", 1, sim.Stuck, "no call succeeds", 0, 0},
		{
			"a population", "attempts=3 attempt-timeout=1s", stream + "load=population\nclients=100\nthink=1s\nfaults=down 10s-15s", 1,
			sim.Recovers, "", 0, 3,
		},
		{
			"a population too large", "attempts=3 attempt-timeout=1s", stream + "load=population\nclients=1000\nthink=1s", 1,
			sim.Stuck, "more calls come than the server can serve", 0, 0,
		},
		{
			"metastable", "attempts=3 base=100ms cap=1s attempt-timeout=1s",
			stream + "rate=200\nworkers=3\nservice=10ms\nqueue=endless\nfaults=slow 10s-20s x5\nlatency=0s", 1,
			sim.Stuck, "its own retries keep the server busy", 0, 0,
		},
		{
			"luck", "attempts=3 base=100ms cap=1s attempt-timeout=10s",
			stream + "rate=200\nworkers=3\nservice=10ms\nqueue=endless\nfaults=slow 10s-20s x5\nlatency=0s", 1,
			sim.Vulnerable, "a trouble four times as long", 0, 40,
		},
		{
			"luck without a fault", "attempts=3 base=100ms cap=1s attempt-timeout=1s",
			stream + "rate=200\nworkers=3\nservice=10ms\nqueue=endless\nlatency=0s", 1,
			sim.Vulnerable, "were the server 20 times slower for 6s", 0, 0,
		},
		{
			"a queue that is not worked off", "attempts=1 attempt-timeout=1s",
			stream + "rate=190\nqueue=endless\nfaults=slow 5s-45s x10", 1,
			sim.Unknown, " in the queue, at this rate until about ", 0, 0,
		},
		{
			"slow to recover from a heavier one", "attempts=3 base=100ms cap=1s attempt-timeout=1s",
			stream + "rate=90\nworkers=3\nservice=10ms\nqueue=endless\nfaults=slow 10s-20s x5\nlatency=0s\nhorizon=90s", 1,
			sim.Recovers, "", 0, 40,
		},
		{"a throttle that never lets go", "attempts=2 attempt-timeout=1s", stream + "faults=down 5s-30s\nthrottle=breaker:1/300s", 1, sim.Unknown, "the breaker still holds calls back", 0, 0},
		{"a fault after the end", "attempts=3", stream + "faults=down 80s-90s", 1, sim.Unknown, "the trouble begins after the end of the run", 0, 0},
		{"no trouble, a budget that is spent", "attempts=3 attempt-timeout=1s budget=ratio:10%/0", stream + "fail=50%", 1, sim.Recovers, "", 0, 0},
		{"no trouble, a method that is sent once", "attempts=3 attempt-timeout=1s", stream + "fail=50%\nmethod=POST", 1, sim.Recovers, "", 0, 0},
		{"no trouble, nothing is retried", "attempts=3 attempt-timeout=1s retry-on=429", stream + "fail=50%", 1, sim.Recovers, "", 0, 0},
		{"no trouble, a short timeout", "attempts=3 timeout=150ms attempt-timeout=none", stream + "fail=50%\nqueue=0\nworkers=0", 1, sim.Recovers, "", 0, 0},
		{"no trouble, a throttle of gRPC", "attempts=3 attempt-timeout=1s", stream + "fail=50%\nbudget=grpc:0.1/10", 1, sim.Recovers, "", 0, 0},
		{"a fault from the start, a budget that is spent", "attempts=3 attempt-timeout=1s budget=ratio:10%/0", stream + "fail=50%\nfaults=down 0s-10s", 1, sim.Recovers, "", 0, 2},
		{
			"below the change", "attempts=3 base=100ms cap=1s jitter=full attempt-timeout=1s",
			stream + "rate=96\nworkers=3\nservice=10ms\nqueue=endless\nfaults=slow 10s-20s x5\nlatency=0s\nhorizon=90s", 20,
			sim.Unknown, "it recovers", 0, 0,
		},
		{
			"below the change, and time enough", "attempts=3 base=100ms cap=1s jitter=full attempt-timeout=1s",
			stream + "rate=96\nworkers=3\nservice=10ms\nqueue=endless\nfaults=slow 10s-20s x5\nlatency=0s\nhorizon=600s", 5,
			sim.Recovers, "", 50, 300,
		},
		{
			"busy, and no retries", "attempts=1 attempt-timeout=1s",
			stream + "rate=270\nworkers=3\nservice=10ms\nqueue=endless\nfaults=slow 10s-20s x5\nlatency=0s\nhorizon=90s", 1,
			sim.Unknown, "276 in the queue, at this rate until about 1m39s; a horizon beyond that shows", 0, 0,
		},
		{"a closed queue that is full and serves all", "attempts=1 attempt-timeout=none", stream + "load=population\nclients=1000\nthink=1s\nqueue=endless", 1, sim.Recovers, "", 0, 0},
		{"a herd without an end", "attempts=unlimited base=10s cap=10s jitter=none", "faults=none\nfail=100%\nhorizon=100s", 1, sim.Stuck, "no call succeeds", 0, 0},
		{"a herd that has not begun", "attempts=3", "faults=none\nstagger=1h\nhorizon=1s", 1, sim.Unknown, "not all clients have begun", 0, 0},
		{"a herd that hangs", "attempts=3 attempt-timeout=none", "faults=hole 0s-10s", 1, sim.Stuck, "of the calls wait for an answer that never comes, and have no timeout", 0, 0},
		{"a herd cut short", "attempts=unlimited jitter=full", "faults=down 0s-10s\nhorizon=20s\nclients=100000\ncapacity=100", 1, sim.Unknown, "calls are still under way at the end", 0, 0},
		{"a herd too early", "attempts=4 jitter=none base=100ms", "", 1, sim.GivesUp, "100% of the calls had given up before the server was back", 0, 0},
		{"a herd partly too early", "attempts=4 jitter=full base=10s cap=40s", "", 1, sim.Recovers, " of the calls had given up before the server was back", 1, 100},
		{"a herd that gives up without a fault", "attempts=3 jitter=none base=100ms", "faults=none", 1, sim.GivesUp, "80% of the calls gave up", 0, 3},
		{"a herd that never ends", "attempts=unlimited jitter=full", "faults=down 0s-60s\nhorizon=30s", 1, sim.Unknown, "the trouble lasts until the end of the run", 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := set(t, sim.DefaultFleet(), tc.settings)
			c.Policy = policy(t, tc.policy)
			s, err := sim.Runs(t.Context(), c, tc.seeds, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Verdict != tc.verdict || !strings.Contains(s.Why, tc.why) || tc.why == "" && s.Why != "" {
				t.Errorf("%v, %q; want %v, %q", s.Verdict, s.Why, tc.verdict, tc.why)
			}
			if s.Recovered > 0 && (s.Recover.Mean < tc.from || s.Recover.Mean > tc.to) {
				t.Errorf("recovers after %gs, want %g to %g", s.Recover.Mean, tc.from, tc.to)
			}
		})
	}
}

// A fleet that would grow for ever, or where time stands still, is cut, and says so.
func TestRunsAreCut(t *testing.T) {
	t.Parallel()
	if testing.Short() || raced {
		t.Skip("it simulates twenty million events")
	}
	c := sim.DefaultFleet()
	c.Policy = policy(t, "attempts=unlimited base=0s jitter=none attempt-timeout=none")
	c.Load.Clients = 2
	s, err := sim.Runs(t.Context(), c, 1, sim.Options{})
	if err != nil || s.Verdict != sim.Unknown || !strings.Contains(s.Why, "stopped after 0s") || !strings.Contains(s.Cut, "time stands still") {
		t.Errorf("%v, %v, %q, %q", err, s.Verdict, s.Why, s.Cut)
	}
}

// The width of a bucket fits a run of any length.
func TestFitBucket(t *testing.T) {
	t.Parallel()
	for _, horizon := range []time.Duration{0, 1, time.Second, time.Hour, 3 * time.Hour, 77777777777777, sim.MaxHorizon} {
		c := sim.DefaultFleet()
		c.Horizon, c.Bucket = horizon, sim.FitBucket(horizon)
		if err := c.Validate(); err != nil {
			t.Errorf("%v: %v", horizon, err)
		}
		if c.Bucket < sim.DefaultBucket {
			t.Errorf("%v: %v", horizon, c.Bucket)
		}
		c.Bucket = 0
		if err := c.Validate(); err != nil {
			t.Errorf("%v: %v", horizon, err)
		}
	}
}

// What a run comes to does not depend on how wide the buckets are in which it is shown.
func TestVerdictIsOfAnyBucket(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		stream + "faults=down 10s-20s", stream + "rate=190\nqueue=endless\nfaults=slow 5s-25s x10",
		stream + "rate=200\nworkers=3\nservice=10ms\nqueue=endless\nfaults=slow 10s-20s x5\nlatency=0s",
	} {
		var first *sim.Summary
		for _, bucket := range []time.Duration{0, 250 * time.Millisecond, time.Second, 2 * time.Second, 20 * time.Second, time.Minute} {
			c := set(t, sim.DefaultFleet(), settings)
			c.Policy, c.Bucket = policy(t, "attempts=3 base=100ms cap=1s attempt-timeout=1s"), bucket
			s, err := sim.Runs(t.Context(), c, 1, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = s
			}
			if s.Verdict != first.Verdict || s.Recover != first.Recover || s.Why != first.Why || s.First.Total != first.First.Total {
				t.Errorf("%v: %v %v %q, and %v %v %q at 100ms", bucket, s.Verdict, s.Recover, s.Why, first.Verdict, first.Recover, first.Why)
			}
			if s.First.Width != cmp.Or(bucket, sim.DefaultBucket) {
				t.Errorf("buckets are %v wide, want %v", s.First.Width, bucket)
			}
			if got, want := len(s.First.Heat), len(s.First.Buckets); got != want {
				t.Errorf("%d rows of heat, %d buckets", got, want)
			}
		}
	}
}
