package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Benchmarks of the parts, to work with; those against other libraries are in bench/.

const quick = "base=1ns curve=constant jitter=none attempt-timeout=none"

func benchRetrier(b *testing.B, policy string, opts ...engine.Option) *engine.Retrier {
	b.Helper()
	p, err := engine.ParsePolicy(policy, engine.Default())
	if err != nil {
		b.Fatal(err)
	}
	r, err := engine.New(p, opts...)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func BenchmarkDo(b *testing.B) {
	down := engine.Transient(errDown)
	for _, c := range []struct {
		name, policy string
		fails        int
		opts         []engine.Option
	}{
		{"first-try", quick, 0, nil},
		{"first-try-shared", quick, 0, []engine.Option{engine.Share()}},
		{"first-try-default", "", 0, nil},
		{"three-failures", quick, 3, nil},
		{"three-failures-observed", quick, 3, []engine.Option{engine.WithObserver(func(*engine.Event) {})}},
		{"three-failures-session", quick, 3, []engine.Option{engine.WithSession(engine.NewSession())}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := benchRetrier(b, c.policy, c.opts...)
			left := 0
			op := func(context.Context) (int, error) {
				if left--; left >= 0 {
					return 0, down
				}
				return 1, nil
			}
			b.ReportAllocs()
			for b.Loop() {
				left = c.fails
				if _, err := engine.Do(b.Context(), r, op); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVirtualOperation(b *testing.B) {
	p := engine.Default()
	p.Attempts = 20
	b.ReportAllocs()
	for b.Loop() {
		r, err := engine.New(p, engine.WithClock(engine.NewVirtual(time.Time{})), engine.WithSeed(1), engine.WithObserver(func(*engine.Event) {}))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := engine.Do(b.Context(), r, down); err == nil {
			b.Fatal("no error")
		}
	}
}

func BenchmarkClassifyError(b *testing.B) {
	err := engine.Transient(errDown)
	b.ReportAllocs()
	for b.Loop() {
		engine.ClassifyError(err)
	}
}

func BenchmarkParsePolicy(b *testing.B) {
	text := engine.Default().String()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.ParsePolicy(text, engine.Default()); err != nil {
			b.Fatal(err)
		}
	}
}
