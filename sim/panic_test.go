package sim_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// panicked is the panic that an error is, with the stack of where it was.
func panicked(t *testing.T, err error, value string) {
	t.Helper()
	var p *engine.PanicError
	if !errors.As(err, &p) || p.Value != value || !strings.Contains(string(p.Stack), "panic_test.go") {
		t.Errorf("%v; want a panic of %q with its stack", err, value)
	}
}

// A panic in the goroutine of a run is an error of the caller, ends the other runs, and leaves those that were finished.
func TestRunsPanic(t *testing.T) {
	t.Parallel()
	for _, cores := range []int{1, 4} {
		c := sim.DefaultFleet()
		c.Load.Clients = 50
		s, err := sim.Runs(t.Context(), c, 1000, sim.Options{Cores: cores, Progress: func(share float64) {
			if share > 0.2 {
				panic("a run broke")
			}
		}})
		panicked(t, err, "a run broke")
		if s == nil || s.Seeds == 0 || s.Seeds > 500 || s.Asked != 1000 {
			t.Errorf("%d cores: %+v", cores, s)
		}
	}
}

// Runs goes on after one that panicked, and an error of its context is none of a panic.
func TestRunsAfterAPanic(t *testing.T) {
	t.Parallel()
	c := sim.DefaultFleet()
	c.Load.Clients = 50
	_, err := sim.Runs(t.Context(), c, 3, sim.Options{Progress: func(float64) { panic("a run broke") }})
	panicked(t, err, "a run broke")
	if s, err := sim.Runs(t.Context(), c, 3, sim.Options{}); err != nil || s.Seeds != 3 {
		t.Errorf("%v, %+v", err, s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sim.Runs(ctx, c, 3, sim.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// breaks is a source that panics at its n-th answer.
type breaks struct{ left atomic.Int64 }

func (b *breaks) ByChance() bool { return true }

func (b *breaks) Answer(int, time.Duration, float64) sim.DistAnswer {
	if b.left.Add(-1) == 0 {
		panic("the source broke")
	}
	return sim.DistAnswer{Outcome: engine.Outcome{Kind: engine.KindSuccess}}
}

// A panic in the goroutine of a draw is an error of the caller; what was drawn before counts, nothing of that step does,
// and the next step draws what it would have.
func TestDistPanic(t *testing.T) {
	t.Parallel()
	b := &breaks{}
	c := sim.DistConfig{Policy: engine.Default(), Source: b, Draws: 20_000, Seed: 7, Sampled: true, Method: "GET"}
	r, err := sim.NewDist(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.More(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
	b.left.Store(3000)
	panicked(t, r.More(t.Context(), 10_000), "the source broke")
	if r.Draws() != 1000 || r.Result().Draws != 1000 {
		t.Errorf("%d draws", r.Draws())
	}
	if err := r.More(t.Context(), 19_000); err != nil || r.Draws() != 20_000 {
		t.Errorf("%v, %d draws", err, r.Draws())
	}
}
