package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// laneLike is a lane that came to something, with the share of its calls that succeed and the seconds to recover, below 0
// for none.
func laneLike(v sim.Verdict, ok, after float64, change ...func(*sim.Summary)) laneRun {
	s := &sim.Summary{Verdict: v, Seeds: 1, First: &sim.Result{Over: true}, Success: sim.Stat{Mean: ok, N: 1}, Amplification: sim.Stat{Mean: 1, N: 1}}
	s.First.Total.Useful, s.First.Total.Failed = int64(1000*ok), 1000-int64(1000*ok)
	s.Config.Load = sim.Load{Kind: sim.Open, Rate: []sim.RatePoint{{Rate: 10}}}
	if after >= 0 {
		s.Recover = sim.Stat{Mean: after, N: 1}
	}
	for _, f := range change {
		f(s)
	}
	return laneRun{sum: s}
}

func why(text string) func(*sim.Summary) { return func(s *sim.Summary) { s.Why = text } }

func left(n int64) func(*sim.Summary) { return func(s *sim.Summary) { s.First.Unfinished = n } }

func TestHeadline(t *testing.T) {
	t.Parallel()
	drained := func(s *sim.Summary) { s.Drained = 151 * time.Second }
	heavy := func(s *sim.Summary) { s.Amplification.Mean = 6.1 }
	for _, c := range []struct {
		name  string
		lanes []laneRun
		w     int
		want  string
	}{
		{"one", []laneRun{laneLike(sim.Recovers, 1, 12)}, 78, "✓ recovers: A 100% ok, 12s"},
		{"no trouble", []laneRun{laneLike(sim.Recovers, 1, -1)}, 78, "✓ recovers: A 100% ok"},
		{
			"the grave first, the best of each at its head",
			[]laneRun{
				laneLike(sim.Vulnerable, 1, 13), laneLike(sim.Recovers, .71, 20), laneLike(sim.Stuck, .12, -1, why("the trouble is over, but it goes on")),
				laneLike(sim.Recovers, .77, 13), laneLike(sim.Vulnerable, 1, 13),
			},
			150,
			"✗ C stays stuck, 12% ok: it goes on  ·  ! vulnerable: A, E 100% ok, 13s  ·  ✓ recover: D 77% ok, 13s; B 71%, 20s",
		},
		{
			"the same with less room",
			[]laneRun{
				laneLike(sim.Vulnerable, 1, 13), laneLike(sim.Recovers, .71, 20), laneLike(sim.Stuck, .12, -1), laneLike(sim.Recovers, .77, 13), laneLike(sim.Vulnerable, 1, 13),
			},
			58, "✗ C stuck · ! A, E vulnerable · ✓ D 77% ok; B 71%",
		},
		{
			"with a little more",
			[]laneRun{
				laneLike(sim.Vulnerable, 1, 13), laneLike(sim.Recovers, .71, 20), laneLike(sim.Stuck, .12, -1), laneLike(sim.Recovers, .77, 13), laneLike(sim.Vulnerable, 1, 13),
			},
			78, "✗ C stuck · ! A, E vulnerable, 100% ok · ✓ D 77% ok, 13s; B 71%, 20s",
		},
		{"success before time", []laneRun{laneLike(sim.Recovers, .67, 1), laneLike(sim.Recovers, 1, 17.1)}, 78, "✓ recover: B 100% ok, 17.1s; A 67%, 1s"},
		{"then time", []laneRun{laneLike(sim.Recovers, 1, 17.1), laneLike(sim.Recovers, .9999, 1)}, 78, "✓ recover: B >99% ok, 1s; A 100%, 17.1s"},
		{"then load", []laneRun{laneLike(sim.Recovers, 1, 0, heavy), laneLike(sim.Recovers, 1, 0)}, 78, "✓ recover: B, A 100% ok, at once; A sends most, 6.1 a call"},
		{"all at once", []laneRun{laneLike(sim.Recovers, .8, 0), laneLike(sim.Recovers, .9, 0)}, 78, "✓ recover at once: B 90% ok; A 80%"},
		{"all of the calls", []laneRun{laneLike(sim.Recovers, 1, 3), laneLike(sim.Recovers, 1, 2)}, 78, "✓ recover, 100% ok: B 2s; A 3s"},
		{"pending is not saved", []laneRun{laneLike(sim.Recovers, 1, 2, left(1000)), laneLike(sim.Recovers, .8, 3)}, 78, "✓ recover: B 80% ok, 3s; A 100%, 1000 pending, 2s"},
		{"unknown", []laneRun{laneLike(sim.Unknown, 1, -1, why("too short"))}, 78, "? A unknown: the run is too short to tell"},
		{"a queue that shrinks", []laneRun{laneLike(sim.Unknown, 1, -1, drained)}, 78, "? A unknown: at the end there is a queue, until about 2m31s"},
		{"gives up", []laneRun{laneLike(sim.GivesUp, .1, 1, why("90% of the calls gave up"))}, 78, "! A gives up, 10% ok: 90% of the calls gave up"},
		{"several are stuck", []laneRun{laneLike(sim.Stuck, .1, -1), laneLike(sim.Stuck, .3, -1)}, 78, "✗ A, B stay stuck, 10% to 30% ok"},
		{"not there yet", []laneRun{{}, laneLike(sim.Recovers, 1, 0)}, 78, "✓ recovers: B 100% ok, at once  ·  ◇ still simulating"},
		{"a smaller fleet", []laneRun{{sum: laneLike(sim.Recovers, 1, 0).sum, small: true}}, 78, "✓ recovers: A? 100% ok, at once"},
	} {
		h := headOf(&fleetRuns{lanes: c.lanes}, Unicode())
		g := NewGrid(c.w, 1)
		h.draw(g, 0, 0, c.w, Unicode())
		if got := strings.TrimSpace(g.Plain()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What never ended stands beside its lane, at every height of a band: the share of those that ended says nothing of it.
func TestPendingCallsAreSaid(t *testing.T) {
	t.Parallel()
	lane := laneOf(t, "outage", "attempts=1 attempt-timeout=none")
	if pending(lane.Run) != 0 {
		t.Errorf("%d are pending of a server that answers all", pending(lane.Run))
	}
	c := lane.Run.Config
	c.Faults = []sim.Fault{{Kind: sim.BlackHole, From: 10 * time.Second, To: 20 * time.Second}}
	s, err := sim.Runs(t.Context(), c, 1, sim.Options{NoProbe: true})
	if err != nil {
		t.Fatal(err)
	}
	lane.Run = s
	if n := pending(s); n < 1000 || n != s.First.Unfinished {
		t.Fatalf("%d are pending of %d", n, s.First.Unfinished)
	}
	for h := 3; h < 12; h++ {
		g := NewGrid(80, h)
		DrawFleet(g, &FleetInput{Lanes: []FleetLane{lane}, Chosen: -1, Now: -1, Glyphs: Unicode()})
		if !strings.Contains(g.Plain(), fleetNumber(float64(s.First.Unfinished))+" pending") {
			t.Errorf("height %d:\n%s", h, g.Plain())
		}
	}
}
