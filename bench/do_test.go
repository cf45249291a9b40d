package bench

import (
	"slices"
	"testing"
)

func BenchmarkFirstTry(b *testing.B) {
	race(b, 0, slices.Concat(ours(b), floors()[:1], peers()))
}

func BenchmarkThreeFailures(b *testing.B) {
	race(b, 3, slices.Concat(ours(b), floors(), peers()))
}
