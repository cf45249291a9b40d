package main_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/retryscope/retryscope/engine"
)

// layers runs retriers inside each other and counts the sends of the innermost. It returns each layer's own count too,
// outermost first, summed over its operations.
func layers(ctx context.Context, rs ...*engine.Retrier) (sends int, counts []int, err error) {
	counts = make([]int, len(rs))
	var run func(ctx context.Context, i int) error
	run = func(ctx context.Context, i int) error {
		if i == len(rs) {
			sends++
			return engine.Transient(errFlaky)
		}
		_, rep, err := engine.Run(ctx, rs[i], engine.Operation[int]{
			Run: func(ctx context.Context, _ int) (int, error) { return 0, run(ctx, i+1) },
		})
		counts[i] += rep.Attempts
		return err
	}
	err = run(ctx, 0)
	return sends, counts, err
}

// TestEngineNested: three inside three is nine sends where nothing is shared, and three where it is; what each layer
// counted is there to see.
func TestEngineNested(t *testing.T) {
	three := func(opts ...engine.Option) *engine.Retrier {
		return mustNew(t, "attempts=3 base=0", append(opts, engine.WithClock(engine.NewVirtual(wall)))...)
	}
	share := engine.Share()
	for _, c := range []struct {
		name    string
		allowed int // WithAllowance around it all, 0 for none
		layers  []*engine.Retrier
		sends   int
		counts  []int
	}{
		{"3 inside 3", 0, []*engine.Retrier{three(), three()}, 9, []int{3, 9}},
		{"3 inside a sharing 3", 0, []*engine.Retrier{three(share), three()}, 3, []int{1, 3}},
		{"sharing both", 0, []*engine.Retrier{three(share), three(share)}, 3, []int{1, 3}},
		{"3 inside 3 inside a sharing 3", 0, []*engine.Retrier{three(share), three(), three()}, 3, []int{1, 1, 3}},
		{"3 inside 3 inside 3", 0, []*engine.Retrier{three(), three(), three()}, 27, []int{3, 9, 27}},
		{"a sharing 3 in the middle", 0, []*engine.Retrier{three(), three(share), three()}, 9, []int{3, 3, 9}},
		{"an allowance of 5 around 3 inside 3", 5, []*engine.Retrier{three(), three()}, 5, []int{2, 5}},
		{"an allowance of 4 around 3 inside 3 inside 3", 4, []*engine.Retrier{three(), three(), three()}, 4, []int{1, 2, 4}},
		{"a larger one changes nothing", 100, []*engine.Retrier{three(), three()}, 9, []int{3, 9}},
		{"an allowance of 2 around a sharing 3", 2, []*engine.Retrier{three(share), three()}, 2, []int{1, 2}},
		{"of 1", 1, []*engine.Retrier{three(), three()}, 1, []int{1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			if c.allowed > 0 {
				ctx = engine.WithAllowance(ctx, c.allowed)
			}
			sends, counts, err := layers(ctx, c.layers...)
			if sends != c.sends || !errors.Is(err, errFlaky) {
				t.Errorf("%d sends, want %d: %v", sends, c.sends, err)
			}
			for i := range counts {
				if counts[i] != c.counts[i] {
					t.Errorf("the layers counted %v, want %v", counts, c.counts)
					break
				}
			}
		})
	}
}

// TestEngineNoAllowanceLeft: nothing is sent, and the error says so.
func TestEngineNoAllowanceLeft(t *testing.T) {
	for _, n := range []int{0, -5} {
		p := play(t, game{ctx: engine.WithAllowance(t.Context(), n), replies: []reply{good()}})
		if p.calls != 0 || p.report.Reason != engine.ReasonAttempts || !errors.Is(p.err, engine.ErrNoAttempt) {
			t.Errorf("%d calls, %v", p.calls, p.err)
		}
	}
}

// TestEngineAllowancesMeet: a send inside two counts against both, and one refused by the outer is not paid to the inner.
func TestEngineAllowancesMeet(t *testing.T) {
	outer := engine.WithAllowance(t.Context(), 3)
	inner := engine.WithAllowance(outer, 5)
	if left, ok := engine.AllowanceLeft(inner); left != 3 || !ok {
		t.Errorf("%d left, %v", left, ok)
	}
	p := play(t, game{policy: "attempts=10", ctx: inner, replies: []reply{status(503)}})
	if p.calls != 3 {
		t.Errorf("%d calls", p.calls)
	}
	if left, _ := engine.AllowanceLeft(outer); left != 0 {
		t.Errorf("%d left outside", left)
	}
	if _, ok := engine.AllowanceLeft(t.Context()); ok {
		t.Error("an allowance out of nowhere")
	}
	// Two operations one after the other use up the same one.
	ctx := engine.WithAllowance(t.Context(), 5)
	a := play(t, game{policy: "attempts=3", ctx: ctx, replies: []reply{status(503)}})
	b := play(t, game{policy: "attempts=3", ctx: ctx, replies: []reply{status(503)}})
	if a.calls != 3 || b.calls != 2 || b.report.Reason != engine.ReasonAttempts {
		t.Errorf("%d and %d calls", a.calls, b.calls)
	}
}

// TestEngineAllowanceUnderParallelLayers: operations beside each other inside one attempt pay for each send of theirs;
// the attempt around them pays for one of them only.
func TestEngineAllowanceUnderParallelLayers(t *testing.T) {
	for range 50 {
		var sends atomic.Int64
		outer := mustNew(t, "attempts=6 base=0 attempt-timeout=none", engine.Share())
		inner := mustNew(t, "attempts=4 base=0 attempt-timeout=none")
		_, err := engine.Do(t.Context(), outer, func(ctx context.Context) (int, error) {
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					_, err := engine.Do(ctx, inner, func(context.Context) (int, error) {
						sends.Add(1)
						return 0, engine.Transient(errFlaky)
					})
					if err == nil {
						t.Error("no error")
					}
				})
			}
			wg.Wait()
			return 0, engine.Transient(errFlaky)
		})
		if n := sends.Load(); n != 6 || err == nil {
			t.Fatalf("%d sends under an allowance of 6, %v", n, err)
		}
	}
}

// TestEngineSendsAreAHardStop: over all operations of a session.
func TestEngineSendsAreAHardStop(t *testing.T) {
	s := engine.NewSends(6)
	stop := engine.WithSends(s)
	playAll(t, []row{
		{name: "four of six", game: game{opts: []engine.Option{stop}, replies: []reply{status(503)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "two are left", game: game{opts: []engine.Option{stop}, replies: []reply{status(503)}}, calls: 2, result: engine.ResultFailed, reason: engine.ReasonMaxSends},
		{name: "none is", game: game{opts: []engine.Option{stop}, replies: []reply{good()}}, calls: 0, result: engine.ResultFailed, reason: engine.ReasonMaxSends},
	})
	if s.Used() != 6 || s.Limit() != 6 {
		t.Errorf("%d of %d", s.Used(), s.Limit())
	}
	if s := engine.NewSends(-3); s.Limit() != 0 || s.Used() != 0 {
		t.Errorf("%d of %d", s.Used(), s.Limit())
	}
	var sends atomic.Int64
	r := mustNew(t, "attempts=unlimited base=0", engine.WithSends(engine.NewSends(100)))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, err := engine.Do(t.Context(), r, func(context.Context) (int, error) { sends.Add(1); return 0, engine.Transient(errFlaky) })
			if err == nil {
				t.Error("no error")
			}
		})
	}
	wg.Wait()
	if sends.Load() != 100 {
		t.Errorf("%d sends of 100", sends.Load())
	}
}
