package sim

import (
	"math"
	"testing"
)

func TestQuickNormalIsTheNormal(t *testing.T) {
	t.Parallel()
	worst := 0.0
	for n := uint64(0); n < 1<<32; n += 100_003 {
		want := normal((float64(n) + 0.5) / (1 << 32))
		worst = max(worst, math.Abs(quickNormal(uint32(n))-want))
	}
	if worst > 2e-6 {
		t.Errorf("off by %g", worst)
	}
}
