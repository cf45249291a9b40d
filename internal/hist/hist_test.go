package hist_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/retryscope/retryscope/internal/hist"
)

// reading is all that a histogram says.
type reading struct {
	n                  int64
	min, max, mean, sd time.Duration
	exact              bool
	q                  [9]time.Duration
	cdf                [4]float64
}

var shares = [...]float64{0, 0.001, 0.05, 0.25, 0.5, 0.9, 0.99, 0.999, 1}

func read(h *hist.Hist) reading {
	r := reading{n: h.Count(), min: h.Min(), max: h.Max(), mean: h.Mean(), sd: h.SD(), exact: h.Exact()}
	for i, q := range shares {
		r.q[i] = h.Quantile(q)
	}
	for i, d := range []time.Duration{0, time.Millisecond, time.Second, time.Hour} {
		r.cdf[i] = h.CDF(d)
	}
	return r
}

// sample is n durations over many scales.
func sample(n int, seed uint64) []time.Duration {
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test wants the same ones each time
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = time.Duration(math.Exp(rng.Float64() * 30))
	}
	return out
}

func TestEmptyAndOne(t *testing.T) {
	t.Parallel()
	var h hist.Hist
	if got := read(&h); got != (reading{exact: true}) {
		t.Errorf("empty: %+v", got)
	}
	h.Merge(nil)
	h.Merge(new(hist.Hist))
	h.AddN(time.Second, 0)
	h.AddN(time.Second, -1)
	if h.Count() != 0 {
		t.Error("nothing was added, and something counted")
	}
	h.Add(-time.Second)
	if h.Count() != 1 || h.Min() != 0 || h.Max() != 0 || h.CDF(0) != 1 {
		t.Errorf("a negative value: %+v", read(&h))
	}
}

// A quantile is the smallest value with that share at or below it.
func TestQuantilesOfFew(t *testing.T) {
	t.Parallel()
	var h hist.Hist
	for i := 100; i >= 1; i-- {
		h.Add(time.Duration(i) * time.Second)
	}
	for i := 1; i <= 100; i++ {
		want := time.Duration(i) * time.Second
		if got := h.Quantile(float64(i) / 100); got != want {
			t.Errorf("q%d: %v", i, got)
		}
		if got := h.CDF(want); got != float64(i)/100 {
			t.Errorf("CDF(%v) = %v", want, got)
		}
		if got := h.CDF(want - 1); got != float64(i-1)/100 {
			t.Errorf("CDF just below %v = %v", want, got)
		}
	}
	if got := h.Quantile(0.071); got != 8*time.Second {
		t.Errorf("between two: %v", got)
	}
	for _, q := range []float64{-1, 0, math.NaN()} {
		if got := h.Quantile(q); got != time.Second {
			t.Errorf("q %v: %v", q, got)
		}
	}
	if got := h.Quantile(2); got != 100*time.Second {
		t.Errorf("q above 1: %v", got)
	}
	if h.Mean() != 50500*time.Millisecond || h.SD() != 29011491976*time.Nanosecond {
		t.Errorf("mean %v, sd %v", h.Mean(), h.SD())
	}
}

// Past the limit every quantile is within one part in 2048 of the true one; count, least, greatest, mean and spread stay exact.
func TestBucketsAreCloseEnough(t *testing.T) {
	t.Parallel()
	values := sample(3*hist.ExactLimit, 7)
	var h hist.Hist
	for _, d := range values {
		h.Add(d)
	}
	if h.Exact() {
		t.Fatal("still exact: not what is tested")
	}
	slices.Sort(values)
	sum := 0.0
	for _, d := range values {
		sum += float64(d)
	}
	mean := sum / float64(len(values))
	spread := 0.0
	for _, d := range values {
		spread += (float64(d) - mean) * (float64(d) - mean)
	}
	sd := math.Sqrt(spread / float64(len(values)-1))
	if math.Abs(float64(h.Mean())/mean-1) > 1e-9 || math.Abs(float64(h.SD())/sd-1) > 1e-9 {
		t.Errorf("mean %v, want %v; sd %v, want %v", h.Mean(), mean, h.SD(), sd)
	}
	if h.Min() != values[0] || h.Max() != values[len(values)-1] {
		t.Errorf("least %v, greatest %v", h.Min(), h.Max())
	}
	for i := 1; i < 1000; i++ {
		q := float64(i) / 1000
		want := values[int(math.Ceil(q*float64(len(values))-1e-6))-1]
		got := h.Quantile(q)
		if math.Abs(float64(got-want)) > float64(want)/2048 {
			t.Fatalf("q%v: %v, want %v", q, got, want)
		}
		if c := h.CDF(want); math.Abs(c-share(values, want)) > 1e-3 {
			t.Fatalf("CDF(%v) = %v, want %v", want, c, share(values, want))
		}
	}
	checkBuckets(t, &h)
}

// share is how many of sorted values are at or below d.
func share(values []time.Duration, d time.Duration) float64 {
	i, _ := slices.BinarySearch(values, d+1)
	return float64(i) / float64(len(values))
}

func checkBuckets(t *testing.T, h *hist.Hist) {
	t.Helper()
	n, last := int64(0), time.Duration(-1)
	for b := range h.Buckets() {
		if b.N < 1 || b.Lo <= last || b.Hi < b.Lo || float64(b.Hi-b.Lo) > float64(b.Lo)/2048 {
			t.Fatalf("bucket %+v after %v", b, last)
		}
		last = b.Hi
		n += b.N
	}
	if n != h.Count() {
		t.Errorf("buckets hold %d of %d", n, h.Count())
	}
}

// The order of adding and merging changes nothing, on either side of the limit and across it.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 100, hist.ExactLimit, hist.ExactLimit + 1, 2 * hist.ExactLimit} {
		values := sample(n, uint64(n))
		var one hist.Hist
		for _, d := range values {
			one.Add(d)
		}
		want := read(&one)
		for _, parts := range []int{2, 3, 7} {
			hs := make([]hist.Hist, parts)
			for i, d := range values {
				hs[i*i%parts].Add(d)
			}
			var all hist.Hist
			for i := parts - 1; i >= 0; i-- {
				all.Quantile(0.5) // looking changes nothing
				all.Merge(&hs[i])
			}
			if got := read(&all); got != want {
				t.Errorf("%d values in %d parts:\n%+v\n%+v", n, parts, got, want)
			}
			checkBuckets(t, &all)
		}
	}
}

func TestAddN(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{1, 1000, hist.ExactLimit - 5, hist.ExactLimit, 3 * hist.ExactLimit} {
		var one, many hist.Hist
		many.AddN(3*time.Second, 5)
		many.AddN(time.Minute, n)
		for range n {
			one.Add(time.Minute)
		}
		for range 5 {
			one.Add(3 * time.Second)
		}
		if got, want := read(&many), read(&one); got != want {
			t.Errorf("%d: %+v, want %+v", n, got, want)
		}
	}
}

// Sums do not overflow and the spread is not lost in them, whatever the values.
func TestExtremeValues(t *testing.T) {
	t.Parallel()
	var h hist.Hist
	h.AddN(math.MaxInt64, 1<<40)
	h.Add(math.MaxInt64)
	if h.Mean() != math.MaxInt64 || h.SD() != 0 || h.Quantile(0.5) != math.MaxInt64 || h.CDF(math.MaxInt64) != 1 || h.CDF(math.MaxInt64-1) != 0 {
		t.Errorf("%+v", read(&h))
	}
	var narrow hist.Hist
	for i := range 101 {
		narrow.Add(1000*time.Hour + time.Duration(i))
	}
	if got := narrow.SD(); got != 29 {
		t.Errorf("a narrow spread: %d ns, want 29", got)
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	var fresh, used hist.Hist
	for _, d := range sample(hist.ExactLimit+10, 3) {
		used.Add(d)
	}
	used.Reset()
	if got := read(&used); got != (reading{exact: true}) {
		t.Errorf("after Reset: %+v", got)
	}
	for _, d := range sample(hist.ExactLimit+100, 4) {
		fresh.Add(d)
		used.Add(d)
	}
	if got, want := read(&used), read(&fresh); got != want {
		t.Errorf("after Reset and %d values:\n%+v\n%+v", want.n, got, want)
	}
}

func FuzzHist(f *testing.F) {
	f.Add(int64(0), int64(1), int64(2047), int64(2048))
	f.Add(int64(1023), int64(1024), int64(1)<<62, int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, a, b, c, d int64) {
		var h, g hist.Hist
		g.AddN(0, hist.ExactLimit) // the other in buckets from the start
		for _, v := range []int64{a, b, c, d} {
			h.Add(time.Duration(v))
			g.Add(time.Duration(v))
		}
		h.AddN(0, hist.ExactLimit)
		if got, want := read(&g), read(&h); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		checkBuckets(t, &g)
		if m := max(a, b, c, d, 0); g.Max() != time.Duration(m) || g.Quantile(1) > time.Duration(m) {
			t.Fatalf("greatest %v", g.Max())
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	values := sample(1<<12, 9)
	for i, d := range values {
		values[i] = 100*time.Millisecond + d%(10*time.Second) // as total waits are
	}
	var h hist.Hist
	h.AddN(time.Second, hist.ExactLimit+1)
	for i := 0; b.Loop(); i++ {
		h.Add(values[i&(len(values)-1)])
	}
}

// Values that are spread evenly come out much nearer than a bucket is wide.
func TestBucketsOfEvenValues(t *testing.T) {
	t.Parallel()
	var h hist.Hist
	const n = 4 * hist.ExactLimit
	for i := range n {
		h.Add(10*time.Second + time.Duration(i)*time.Second/n)
	}
	for _, q := range []float64{0.1, 0.5, 0.9, 0.99} {
		want := 10*time.Second + time.Duration(q*float64(time.Second))
		if off := h.Quantile(q) - want; off > 20*time.Microsecond || off < -20*time.Microsecond {
			t.Errorf("q%v is off by %v", q, off)
		}
	}
}
