package ui

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// laneOf is a policy in a shipped scenario.
func laneOf(t *testing.T, scenario, policy string) FleetLane {
	t.Helper()
	for _, s := range scenarios() {
		if s.Name != scenario {
			continue
		}
		p, err := engine.ParsePolicy(policy, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		c := s.Fleet
		c.Policy, c.Seed = p, 42
		sum, err := sim.Runs(t.Context(), c, 1, sim.Options{NoProbe: true})
		if err != nil {
			t.Fatal(err)
		}
		return FleetLane{Name: policy, Run: sum}
	}
	t.Fatalf("no scenario %s", scenario)
	return FleetLane{}
}

// bandOf is what a band holds in each column without any color, and the axis of it.
func bandOf(w, h int, lane *FleetLane, gl *Glyphs) (columns []string, axis Axis) {
	g := NewGrid(w, h)
	l := DrawFleet(g, &FleetInput{Lanes: []FleetLane{*lane}, Chosen: -1, Now: -1, Glyphs: gl})
	for x := range l.Chart.W {
		column := ""
		for y := range l.Lanes[0].H {
			r, _ := g.At(l.Chart.X+x, l.Lanes[0].Y+y)
			column += string(r)
		}
		columns = append(columns, column)
	}
	return columns, l.Axis
}

const (
	usefulCells = "▁▂▃▄▅▆▇█.,-=+*#▚%"
	failedCells = "░▒xX▚%"
)

// Without color too, each cell says whether what was sent was of use.
func TestBarsReadWithoutColor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scenario, policy string
		fails            bool // whatever is sent during the fault
	}{
		{"outage", "attempts=1 attempt-timeout=1s", true},
		{"outage", "attempts=10 base=100ms jitter=none attempt-timeout=1s", true},
		{"nested", "attempts=2 attempt-timeout=1s", true},
		{"metastable", "attempts=3 base=100ms cap=1s attempt-timeout=10s", false},
	} {
		lane := laneOf(t, c.scenario, c.policy)
		fault := lane.Run.Config.Faults[0]
		for _, size := range [][2]int{{60, 11}, {80, 4}, {80, 14}, {120, 25}} {
			for _, gl := range []*Glyphs{Unicode(), ASCII()} {
				columns, axis := bandOf(size[0], size[1], &lane, gl)
				for x, cells := range columns {
					cells = strings.Trim(cells, " :┄↑^")
					// In the first second there are answers to what was sent before.
					inside := axis.Time(x) >= fault.From+time.Second && axis.Time(x+1) <= fault.To
					if c.fails && inside && (cells == "" || strings.ContainsAny(cells, usefulCells)) {
						t.Errorf("%s %s %v: all that is sent fails at %v, drawn as %q", c.scenario, c.policy, size, axis.Time(x), cells)
					}
					if !c.fails && strings.ContainsAny(cells, failedCells) {
						t.Errorf("%s %s %v: nothing fails at %v, drawn as %q", c.scenario, c.policy, size, axis.Time(x), cells)
					}
				}
			}
		}
	}
}

// A bar is useful from the bottom up; a cell that has much of both is told from either.
func TestBarCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate, useful  float64
		unicode, text string
	}{
		{80, 80, "█", "#"},
		{80, 62, "█", "#"},
		{80, 58, "▚", "%"},
		{80, 40, "▚", "%"},
		{80, 18, "▒", "X"},
		{80, 0, "▒", "X"},
		{20, 20, "▂", ","},
		{20, 10, "▚", "%"},
		{20, 0, "░", "x"},
		{.1, .1, "▁", "."},
		{.1, 0, "░", "x"},
		{160, 80, "█▒", "#X"},
		{160, 120, "█▚", "#%"},
		{120, 120, "█▄", "#="},
		{120, 60, "█░", "#x"},
		{400, 80, "█↑", "#^"},
	} {
		for gl, want := range map[*Glyphs]string{Unicode(): c.unicode, ASCII(): c.text} {
			g := NewGrid(1, 2)
			d := fleetPicture{gl: gl, top: 160}
			d.bar(g, 0, c.rate, c.useful)
			low, _ := g.At(0, 1)
			high, _ := g.At(0, 0)
			if got := strings.TrimSpace(string(low) + string(high)); got != want {
				t.Errorf("%g useful of %g: %q, want %q", c.useful, c.rate, got, want)
			}
		}
	}
}

// What waits in a queue is not lost yet, what the server swallows is, and what is known later counts from then on.
func TestUsefulShares(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spans []sim.Bucket
		want  []float64
	}{
		{"all is useful", []sim.Bucket{{First: 10, Useful: 10}}, []float64{1}},
		{"half is refused", []sim.Bucket{{First: 10, Useful: 5, Failed: 5, Refused: 5}}, []float64{.5}},
		{"refused, and waits to send again", []sim.Bucket{{First: 10, Useful: 5, Refused: 5, Calls: 5, Waiting: 5}}, []float64{.5}},
		{"a queue grows and is worked off", []sim.Bucket{{First: 10, Useful: 2, Calls: 8}, {First: 10, Useful: 18}}, []float64{1, 1}},
		{"a queue grows and times out", []sim.Bucket{{First: 10, Calls: 10}, {First: 10, Useful: 5, Failed: 15}}, []float64{.25, .25}},
		{"a hole without a time limit", []sim.Bucket{{First: 10, Dropped: 10, Calls: 10}, {First: 10, Useful: 10, Calls: 10}}, []float64{0, 1}},
		{"none ends any more", []sim.Bucket{{First: 10, Useful: 10}, {First: 10, Calls: 10}}, []float64{1, 0}},
		{"nothing is sent", []sim.Bucket{{}, {First: 1, Useful: 1}}, []float64{1, 1}},
	} {
		got := usefulShares(c.spans)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

// What the levels say of the attempts that ended for nothing is what the counts say of refusals and times out, but for
// answers that are still on their way.
func TestFailedAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=3 attempt-timeout=1s", "attempts=8 base=10ms budget=ratio:20%/10", "attempts=2 attempt-timeout=50ms"} {
		run := laneOf(t, "brownout", policy).Run.First
		for _, n := range []int{1, 10, 100} {
			failed, counted, was := int64(0), int64(0), int64(0)
			for i, b := range sim.Join(run.Buckets, n) {
				open := b.Calls - b.Waiting
				fails := b.Sent() - b.Useful - (open - was)
				failed, counted, was = failed+fails, counted+b.Refused+b.TimedOut, open
				if off := counted - failed; fails < 0 || off < 0 || off > open {
					t.Fatalf("%s, span %d of %d buckets: %d failed so far and %d are counted, with %d open", policy, i, n, failed, counted, open)
				}
			}
			if failed == 0 {
				t.Errorf("%s: nothing fails", policy)
			}
		}
	}
}

// A fault has its name beside its shade, wherever there is room for it.
func TestFaultsAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ scenario, word string }{{"metastable", "slow"}, {"outage", "down"}, {"brownout", "fail"}, {"nested", "fail"}} {
		lane := laneOf(t, c.scenario, "attempts=1")
		for _, w := range []int{60, 80, 100, 120, 200} {
			g := NewGrid(w, 8)
			DrawFleet(g, &FleetInput{Lanes: []FleetLane{lane}, Chosen: -1, Now: -1, Glyphs: Unicode()})
			if head, _, _ := strings.Cut(g.Plain(), "\n"); !strings.Contains(head, c.word) {
				t.Errorf("%s at %d: %q", c.scenario, w, head)
			}
		}
	}
}
