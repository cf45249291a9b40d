package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// No figure depends on the width of the buckets: it is that of the picture alone.
func TestFiguresDoNotDependOnBuckets(t *testing.T) {
	t.Parallel()
	type figures struct {
		peak, calls, useful, unfinished, success, wasted sim.Stat
		steady                                           sim.Steady
		times                                            string
	}
	for _, tc := range []struct{ name, policy, settings string }{
		{"a herd", "attempts=unlimited base=100ms", "clients=300\nhorizon=3m"},
		{"a stream", "attempts=3 attempt-timeout=1s", stream + "faults=down 5s-10s; slow 20s-21500ms x10\nhorizon=63700ms"},
		{"overload", "attempts=3 attempt-timeout=1s", stream + "rate=300"},
		{"a trouble that lasts", "attempts=3 attempt-timeout=1s", stream + "faults=down 5s-90s"},
		{"less than a second", "attempts=3", stream + "horizon=777ms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := set(t, sim.DefaultFleet(), tc.settings)
			c.Policy = policy(t, tc.policy)
			var want figures
			for i, width := range []time.Duration{100, 2, 7, 333, 700, 1000, 2000, 7001, 3_600_000} {
				c.Bucket = width * time.Millisecond
				s, err := sim.Runs(t.Context(), c, 1, sim.Options{NoProbe: true})
				if err != nil {
					t.Fatal(err)
				}
				got := figures{s.Peak, s.Calls, s.Useful, s.Unfinished, s.Success, s.Wasted, s.Steady, fmt.Sprint(s.Times)}
				if i == 0 {
					want = got
				} else if got != want {
					t.Errorf("buckets of %v: %+v\nof 100ms: %+v", c.Bucket, got, want)
				}
			}
		})
	}
}

// The peak is what buckets of a second show, and begins where the first such does.
func TestPeakIsThatOfASecond(t *testing.T) {
	t.Parallel()
	c := set(t, sim.DefaultFleet(), stream+"faults=down 5s-10s; slow 20s-30s x10")
	c.Policy, c.Bucket = policy(t, "attempts=5 attempt-timeout=1s"), time.Second
	f, err := sim.NewFleet(c)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Second / 2; !f.Run(end); end += 7 * time.Second / 10 {
		r := f.Result()
		var most int64
		var at time.Duration
		for i := range r.Buckets {
			if n := r.Buckets[i].Sent(); n > most {
				most, at = n, time.Duration(i)*time.Second
			}
		}
		if peak, when := r.Peak(); int64(peak) != most || when != at {
			t.Fatalf("up to %v: %g at %v; want %d at %v", end, peak, when, most, at)
		}
	}
}

// Calls that have not ended are no successes, and where none has ended there is no share of them.
func TestNothingOfNothing(t *testing.T) {
	t.Parallel()
	runs := func(text, settings string) *sim.Summary {
		t.Helper()
		c := set(t, sim.DefaultFleet(), settings)
		c.Policy = policy(t, text)
		s, err := sim.Runs(t.Context(), c, 3, sim.Options{NoProbe: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := runs("attempts=unlimited", "horizon=5s")
	if s.Success.N != 0 || s.Wasted.N != 0 || s.Steady.Success.N != 0 || s.Useful.Mean != 0 || s.Unfinished.Mean != 1000 {
		t.Errorf("no call ended: success %+v, wasted %+v, useful %+v, unfinished %+v", s.Success, s.Wasted, s.Useful, s.Unfinished)
	}
	if s.First.Success() != 0 || s.First.Total.Ended() != 0 {
		t.Errorf("success %g of %d", s.First.Success(), s.First.Total.Ended())
	}
	s = runs("attempts=3 attempt-timeout=none", stream+"faults=hole 10s-20s")
	if s.Success.Mean != 1 || s.Unfinished.Mean < 800 || s.Calls.Mean != s.Useful.Mean+s.Unfinished.Mean {
		t.Errorf("calls that vanish: success %+v, calls %+v, useful %+v, unfinished %+v", s.Success, s.Calls, s.Useful, s.Unfinished)
	}
	if s = runs("attempts=3", stream+"rate=0.0001"); s.Amplification.N != 0 || s.Success.N != 0 || s.Calls.N != 3 {
		t.Errorf("nobody comes: %+v of %+v", s.Amplification, s.Calls)
	}
}
