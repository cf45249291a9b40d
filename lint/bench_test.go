package lint_test

import (
	"testing"

	"github.com/retryscope/retryscope/lint"
)

func BenchmarkCheck(b *testing.B) {
	for _, text := range []string{"attempts=4", "attempts=40 jitter=decorrelated base=100ms", "attempts=1000000 jitter=decorrelated timeout=10h"} {
		p := policy(b, text)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				lint.Check(p, lint.Context{})
			}
		})
	}
}
