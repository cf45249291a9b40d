package sim

import "testing"

// Values which are all the same have that mean and no error, to the last digit.
func TestStatOfTheSame(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, 0.1, 42.7, 1.0 / 3, 1e15 + 0.5, 7e-300} {
		for n := 1; n < 50; n++ {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = x
			}
			if s := statOf(xs); s != (Stat{Mean: x, N: n}) {
				t.Fatalf("%d times %v: %+v", n, x, s)
			}
		}
	}
	if s := statOf([]float64{1, 2, 3, 6}); s.Mean != 3 || s.SE*s.SE*12 < 13.999 || s.SE*s.SE*12 > 14.001 || s.N != 4 {
		t.Errorf("%+v", s)
	}
	if s := statOf(nil); s != (Stat{}) {
		t.Errorf("%+v", s)
	}
}
