package bench

import "testing"

func BenchmarkFirstTry(b *testing.B) {
	race(b, 0, append(floors()[:1], peers()...))
}

func BenchmarkThreeFailures(b *testing.B) {
	race(b, 3, append(floors(), peers()...))
}
