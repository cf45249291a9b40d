package sim_test

import (
	"encoding/json"
	"math"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// occ is the AWS simulator's model under one of its strategies.
func occ(t testing.TB, strategy string, clients int) sim.OCC {
	t.Helper()
	text, ok := map[string]string{
		"None": "curve=none jitter=none", "Exponential": "jitter=none", "EqualJitter": "jitter=equal",
		"FullJitter": "jitter=full", "Decorr": "jitter=decorrelated",
	}[strategy]
	if !ok {
		t.Fatalf("no such strategy: %s", strategy)
	}
	p := policy(t, "base=5ms cap=2s shift=1 "+text)
	return sim.OCC{Backoff: p.Backoff, Clients: clients, HopMean: 10 * time.Millisecond, HopSD: 2 * time.Millisecond}
}

// mean is the mean of n runs and its standard error, made by all cores.
func mean(n int, run func(seed uint64) float64) (m, se float64) {
	xs := make([]float64, n)
	var wg sync.WaitGroup
	cores := runtime.GOMAXPROCS(0)
	for c := range cores {
		wg.Go(func() {
			for i := c; i < n; i += cores {
				xs[i] = run(uint64(i))
			}
		})
	}
	wg.Wait()
	for _, x := range xs {
		m += x / float64(n)
	}
	for _, x := range xs {
		se += (x - m) * (x - m)
	}
	return m, math.Sqrt(se / float64(n-1) / float64(n))
}

// within fails where a figure is more than four combined standard errors away.
func within(t *testing.T, what string, got, gotSE, want, wantSE float64) {
	t.Helper()
	se := math.Hypot(gotSE, wantSE)
	if math.Abs(got-want) > 4*se {
		t.Errorf("%s: %.4f ± %.4f, must be %.4f ± %.4f (%.1f standard errors off)", what, got, gotSE, want, wantSE, (got-want)/se)
	}
}

// TestAWSSimulator compares with the AWS backoff simulator's own figures (github.com/aws-samples/aws-arch-backoff-simulator).
func TestAWSSimulator(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/aws_occ.json")
	if err != nil {
		t.Fatal(err)
	}
	var cells []struct {
		Clients  int     `json:"clients"`
		Strategy string  `json:"strategy"`
		Calls    float64 `json:"calls"`
		CallsSE  float64 `json:"calls_se"`
		MS       float64 `json:"ms"`
		MSSE     float64 `json:"ms_se"`
	}
	if err := json.Unmarshal(text, &cells); err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		o := occ(t, c.Strategy, c.Clients)
		n := fewer(4000) / c.Clients
		last := make([]float64, n)
		calls, se := mean(n, func(seed uint64) float64 {
			o := o
			o.Seed = seed
			r := o.Run()
			last[seed] = r.Last.Seconds() * 1000
			return float64(r.Writes)
		})
		within(t, c.Strategy+" calls", calls, se, c.Calls, c.CallsSE)
		ms, msSE := mean(n, func(seed uint64) float64 { return last[seed] })
		within(t, c.Strategy+" time", ms, msSE, c.MS, c.MSSE)
	}
}

func BenchmarkOCC(b *testing.B) {
	for _, s := range []string{"None", "Exponential", "EqualJitter", "FullJitter", "Decorr"} {
		b.Run(s, func(b *testing.B) {
			o := occ(b, s, 100)
			for b.Loop() {
				o.Seed++
				b.ReportMetric(float64(o.Run().Writes), "writes")
			}
		})
	}
}
