package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// told is all a result says, as a text.
func told(r *sim.DistResult) string {
	lanes := []*sim.DistLane{&r.A}
	if r.B != nil {
		lanes = append(lanes, r.B)
	}
	var b strings.Builder
	spread := func(s *sim.DistSpread) {
		fmt.Fprintln(&b, s.How, s.N, s.Mean, s.SD, s.MeanSE, s.Min, s.Max, s.Q, s.QSE, s.None, s.CDF(time.Second))
	}
	for _, l := range lanes {
		fmt.Fprintln(&b, l.How, l.Why, l.Success, l.Within, l.WaitWithin, l.Attempts, l.Counts, l.Ends)
		spread(&l.Wait)
		spread(&l.Time)
		for i := range l.Retries {
			fmt.Fprintln(&b, l.Retries[i].Number, l.Retries[i].Sent)
			spread(&l.Retries[i].At)
		}
	}
	fmt.Fprintln(&b, r.Draws, r.Wanted, r.Partial, r.Seed, r.Diff)
	if r.Diff != nil {
		fmt.Fprintln(&b, *r.Diff)
	}
	return b.String()
}

// TestDistSameSeedSameFigures draws the same in one go, in steps of all sizes, and on one processor.
func TestDistSameSeedSameFigures(t *testing.T) { //nolint:paralleltest // it sets the number of processors
	against := parsed(t, "attempts=6 jitter=decorrelated cap=2s")
	cfg := sim.DistConfig{
		Policy: parsed(t, "attempts=6 cap-stage=after cap=700ms"), Against: &against, Source: sim.DistFailing{P: 0.6},
		Deadline: time.Second, Draws: 70_001, Seed: 9,
	}
	want := told(dist(t, cfg))
	steps, err := sim.NewDist(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; steps.Draws() < steps.Wanted(); n = n*3 + 1 {
		if err := steps.More(t.Context(), min(n, steps.Wanted()-steps.Draws())); err != nil {
			t.Fatal(err)
		}
		steps.Result() // looking changes nothing
	}
	if got := told(steps.Result()); got != want {
		t.Errorf("in steps:\n%s\nat once:\n%s", got, want)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := told(dist(t, cfg)); got != want {
		t.Errorf("on one processor:\n%s\non all:\n%s", got, want)
	}
	cfg.Seed++
	if told(dist(t, cfg)) == want {
		t.Error("another seed gives the same")
	}
}

// On common chance a policy does not differ from itself, and one whose waits are twice as long waits twice as long in each
// operation.
func TestDistCommonChance(t *testing.T) {
	t.Parallel()
	p := parsed(t, "attempts=5 base=100ms cap=none")
	twice := p
	twice.Base *= 2
	for _, against := range []engine.Policy{p, twice} {
		r := dist(t, sim.DistConfig{Policy: p, Against: &against, Source: sim.DistFailing{P: 0.7}, Draws: 5000, Sampled: true})
		d := r.Diff
		if d.Success.Value != 0 || d.Attempts.Value != 0 || d.Success.SE != 0 || d.Attempts.SE != 0 {
			t.Errorf("the same sends: %+v", *d)
		}
		want := r.B.Wait.Mean - r.A.Wait.Mean
		if off := d.Wait - want; off < -2 || off > 2 {
			t.Errorf("the difference of the waits is %v, of the means %v", d.Wait, want)
		}
		if against == p && (d.Wait != 0 || d.WaitSE != 0) {
			t.Errorf("a policy against itself: %v ± %v", d.Wait, d.WaitSE)
		}
		for i := range r.A.Wait.Q {
			ratio := time.Duration(1)
			if against != p {
				ratio = 2
			}
			if off := r.B.Wait.Q[i] - ratio*r.A.Wait.Q[i]; off < -8 || off > 8 {
				t.Errorf("q%v: %v against %v", sim.DistShares[i], r.B.Wait.Q[i], r.A.Wait.Q[i])
			}
		}
	}
}

// A difference on common chance is known better than the two lanes are.
func TestDistPairsAreSharper(t *testing.T) {
	t.Parallel()
	against := parsed(t, "attempts=10 base=120ms")
	r := dist(t, sim.DistConfig{Policy: parsed(t, "attempts=10 base=100ms"), Against: &against, Source: sim.DistOutage{Down: 10 * time.Second}, Sampled: true})
	alone := math.Hypot(r.A.Success.SE, r.B.Success.SE)
	if r.Diff.Success.SE > alone*0.8 {
		t.Errorf("± %v in pairs, ± %v apart", r.Diff.Success.SE, alone)
	}
	exact := dist(t, sim.DistConfig{Policy: r.A.Policy, Against: &against, Source: sim.DistOutage{Down: 10 * time.Second}})
	if exact.Diff.Success.How != sim.DistExact || exact.Draws != 0 {
		t.Errorf("both are exact, and the difference is %v of %d draws", exact.Diff.Success.How, exact.Draws)
	}
	near(t, "success", r.Diff.Success.Value, r.Diff.Success.SE, exact.Diff.Success.Value)
	near(t, "attempts", r.Diff.Attempts.Value, r.Diff.Attempts.SE, exact.Diff.Attempts.Value)
	near(t, "wait", r.Diff.Wait.Seconds(), r.Diff.WaitSE.Seconds(), exact.Diff.Wait.Seconds())
}

// stopper is a source that ends a context after so many answers.
type stopper struct {
	after  *int
	cancel context.CancelCauseFunc
}

var errStopped = errors.New("stopped")

func (s stopper) Answer(int, time.Duration, float64) sim.DistAnswer {
	if *s.after--; *s.after == 0 {
		s.cancel(errStopped)
	}
	return sim.DistAnswer{Outcome: engine.Outcome{Kind: engine.KindStatus, Status: 503}}
}

func (stopper) ByChance() bool { return false }

// What was drawn before the end of the context is what a shorter run draws.
func TestDistCancelled(t *testing.T) { //nolint:paralleltest // it sets the number of processors
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that the source is asked by one
	ctx, cancel := context.WithCancelCause(t.Context())
	n := 3000
	cfg := sim.DistConfig{Policy: parsed(t, "attempts=5"), Source: stopper{&n, cancel}, Draws: 1_000_000, Seed: 4}
	r, err := sim.Dist(ctx, cfg)
	if !errors.Is(err, errStopped) || r == nil || !r.Partial || r.Wanted != cfg.Draws || r.Draws < 600 || r.Draws > 1000 {
		t.Fatalf("%v, %+v", err, r)
	}
	n, cfg.Draws = -1, r.Draws
	short := dist(t, cfg)
	if short.Partial || !reflect.DeepEqual(short.A.Counts, r.A.Counts) || short.A.Wait.Q != r.A.Wait.Q {
		t.Errorf("what was drawn differs from a run of %d", r.Draws)
	}
	stopped, cancelNow := context.WithCancel(t.Context())
	cancelNow()
	cfg.Draws = 10
	r, err = sim.Dist(stopped, cfg)
	if !errors.Is(err, context.Canceled) || r == nil || r.Draws != 0 || !r.Partial || !r.A.Wait.None {
		t.Errorf("cancelled before the start: %v, %+v", err, r)
	}
}

func TestDistValidate(t *testing.T) {
	t.Parallel()
	good := sim.DistConfig{Policy: engine.Default(), Source: sim.DistFailing{P: 0.5}}
	for field, change := range map[string]func(*sim.DistConfig){
		"source":   func(c *sim.DistConfig) { c.Source = nil },
		"fail":     func(c *sim.DistConfig) { c.Source = sim.DistFailing{P: 1.5} },
		"outage":   func(c *sim.DistConfig) { c.Source = sim.DistOutage{Down: -1} },
		"deadline": func(c *sim.DistConfig) { c.Deadline = -1 },
		"draws":    func(c *sim.DistConfig) { c.Draws = sim.MaxDraws + 1 },
	} {
		cfg := good
		change(&cfg)
		var fe *sim.FieldError
		if _, err := sim.Dist(t.Context(), cfg); !errors.As(err, &fe) || fe.Field != field || fe.Allowed == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	cfg := good
	cfg.Source = sim.DistFailing{P: math.NaN()}
	cfg.Policy.Attempts = 0
	if _, err := sim.Dist(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "attempts") || !strings.Contains(err.Error(), "fail") {
		t.Errorf("two faults: %v", err)
	}
}

// What stands against a closed form is said, and the figures are drawn.
func TestDistWhySampled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"jitter=decorrelated":                          "decorrelated",
		"cap-stage=after cap=300ms":                    "cuts what is drawn",
		"least=50ms":                                   "cuts what is drawn",
		"timeout=1s":                                   "timeout",
		"jitter=smooth cap=1s attempts=8":              "smooth waits are cut",
		"budget=ratio:20%/0 attempts=9":                "budget",
		"attempts=unlimited base=0s":                   "too many retries",
		"jitter=scale:0.5..1.5 cap-stage=both cap=1s ": "cuts what is drawn",
	} {
		p := parsed(t, strings.TrimSpace(text))
		r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistFailing{P: 1}, Draws: 20})
		if r.A.How != sim.DistSampled || !strings.Contains(r.A.Why, want) {
			t.Errorf("%s: %v, %q", text, r.A.How, r.A.Why)
		}
	}
	// And what does not stand against it, does not.
	for _, text := range []string{"timeout=10s", "jitter=none least=50ms", "cap-stage=both", "jitter=equal cap-stage=after cap=1h", "attempts=2 jitter=decorrelated", "budget=tokens:500/14/1", "first=immediate"} {
		if r := dist(t, sim.DistConfig{Policy: parsed(t, text), Source: sim.DistFailing{P: 1}}); r.A.How != sim.DistExact {
			t.Errorf("%s: sampled, for %s", text, r.A.Why)
		}
	}
}

// FuzzDistExact holds the laws of every closed form, whatever the policy: shares are shares, they add up, quantiles invert
// the share, and a deadline only divides.
func FuzzDistExact(f *testing.F) {
	f.Add(uint8(9), uint8(1), int64(1e8), int64(1e10), 2.0, 0.5, int64(0), int64(5e9))
	f.Add(uint8(13), uint8(2), int64(1e7), int64(1e9), 1.5, 0.99, int64(3e9), int64(2e9))
	f.Add(uint8(5), uint8(6), int64(1e9), int64(1e18), 10.0, 1.0, int64(7e9), int64(1))
	f.Add(uint8(12), uint8(3), int64(1e4), int64(1e15), 10.0, 0.7, int64(1e3), int64(1e6))
	f.Fuzz(func(t *testing.T, retries, jitter uint8, base, limit int64, factor, p float64, down, deadline int64) {
		policy := engine.Default()
		policy.Attempts = int(retries%40) + 1
		policy.Base, policy.Cap, policy.Factor = time.Duration(base), time.Duration(limit), factor
		policy.Jitter.Kind = engine.JitterKind(jitter % 7)
		if policy.Base > 0 && policy.Base < 10*time.Microsecond {
			return // a wait is whole nanoseconds, and no longer one on a line of reals
		}
		if policy.Jitter.Kind == engine.JitterScale {
			policy.Jitter.Lo, policy.Jitter.Hi = 0.5, 1.5
		}
		cfg := sim.DistConfig{Policy: policy, Source: sim.DistFailing{P: p}, Deadline: time.Duration(deadline), Draws: 3}
		if down > 0 {
			cfg.Source = sim.DistOutage{Down: time.Duration(down)}
		}
		r, err := sim.Dist(t.Context(), cfg)
		if err != nil {
			return
		}
		checkLane(t, &r.A)
	})
}

func checkLane(t *testing.T, l *sim.DistLane) {
	t.Helper()
	const hair = 1e-9
	counts, mean := 0.0, 0.0
	for i, c := range l.Counts {
		if c.Value < -hair || c.Value > 1+hair {
			t.Fatalf("%v of the calls send %d times", c.Value, i+1)
		}
		counts += c.Value
		mean += c.Value * float64(i+1)
	}
	ends := 0.0
	for _, e := range l.Ends {
		ends += e.Share.Value
	}
	if math.Abs(counts-1) > hair || math.Abs(ends-1) > hair || math.Abs(mean-l.Attempts.Value) > hair*float64(len(l.Counts)*len(l.Counts)) {
		t.Fatalf("counts add up to %v, ends to %v; %v attempts, and %v by the counts", counts, ends, l.Attempts.Value, mean)
	}
	if l.Within.Value > l.Success.Value+hair || l.Within.Value > l.WaitWithin.Value+hair || l.Success.Value > 1+hair {
		t.Fatalf("success %v, within the deadline %v, waits within %v", l.Success.Value, l.Within.Value, l.WaitWithin.Value)
	}
	spreads := []*sim.DistSpread{&l.Wait, &l.Time}
	for i := range l.Retries {
		spreads = append(spreads, &l.Retries[i].At)
	}
	for _, s := range spreads {
		checkSpread(t, s)
	}
}

func checkSpread(t *testing.T, s *sim.DistSpread) {
	t.Helper()
	if s.None {
		return
	}
	last := s.Min
	for i, q := range sim.DistShares {
		at := s.Q[i]
		if at < last || at > s.Max {
			t.Fatalf("quantiles %v of [%v, %v]", s.Q, s.Min, s.Max)
		}
		last = at
		if s.How != sim.DistExact {
			continue
		}
		if c := s.CDF(at + 1 + at>>40); c < q-1e-6 || c > 1 {
			t.Fatalf("the share up to q%v, %v, is %v", q, at, c)
		}
		// Below the quantile it is less, up to what a nanosecond holds.
		if c := s.CDF(at - 2 - at>>40); c > q+1e-6 {
			t.Fatalf("the share below q%v, %v, is %v", q, at, c)
		}
	}
	if s.Mean < s.Min-1 || s.Mean > s.Max+1 || s.SD < 0 || s.How == sim.DistExact && s.SD > (s.Max-s.Min)/2+1+s.Max>>20 {
		t.Fatalf("mean %v and sd %v in [%v, %v]", s.Mean, s.SD, s.Min, s.Max)
	}
}
