package sim_test

import (
	"testing"

	"github.com/retryscope/retryscope/sim"
)

// What is told of a run's progress never goes back, and moves all the time: while a herd begins, while the server is down,
// and while the calls end.
func TestShareMoves(t *testing.T) {
	t.Parallel()
	const clients, steps = 20_000, 500
	for _, tc := range []struct{ name, policy, settings string }{
		{"some give up", "attempts=4", ""},
		{"all wait", "attempts=unlimited jitter=none base=100ms attempt-timeout=none", ""},
		{"spread", "attempts=10", "stagger=20s"},
		{"a stream", "attempts=3", stream + "rate=2000\nworkers=0\nservice=0s\nqueue=0"},
		{"a population", "attempts=3", stream + "load=population\nthink=10s\nworkers=0\nservice=0s\nqueue=0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := set(t, sim.DefaultFleet(), tc.settings)
			c.Policy, c.Load.Clients = policy(t, tc.policy), clients
			c.Server.Limit *= clients / 1000
			f, err := sim.NewFleet(c)
			if err != nil {
				t.Fatal(err)
			}
			last, stood := f.Share(), 0
			for !f.Step(steps) {
				now := f.Share()
				if now < last || now >= 1 {
					t.Fatalf("from %g to %g at %v", last, now, f.Now())
				}
				if stood++; now > last {
					stood = 0
				}
				if stood > 3 {
					t.Fatalf("it stands at %g at %v", now, f.Now())
				}
				last = now
			}
			if f.Share() != 1 {
				t.Errorf("%g in the end", f.Share())
			}
		})
	}
}
