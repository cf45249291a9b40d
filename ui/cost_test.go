package ui

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

func TestCost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ policy, waits, sums, worst, warning string }{
		{
			"attempts=6 timeout=6s attempt-timeout=1s", "0–0.2s → 0–0.4s → 0–0.8s → 0–1.6s → 0–3.2s", "mean 3.1s, max 6.2s",
			"6s (timeout)   without it 12.2s, or 2m 36s if Retry-After says 30s", "attempts 5–6 may never be sent: it all can take 12.2s, timeout is 6s",
		},
		{
			"timeout=20s attempt-timeout=5s", "0–0.2s → 0–0.4s → 0–0.8s", "mean 0.7s, max 1.4s",
			"20s (timeout)   without it 21.4s, or 1m 50s if Retry-After says 30s", "",
		},
		{"attempts=1", "none", "always 0s", "10s", ""},
		{"attempts=3 jitter=none", "0.2s → 0.4s", "always 0.6s", "30.6s, or 1m 30s if Retry-After says 30s", ""},
		{"attempts=3 retry-after=ignore", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s", "30.6s", ""},
		{"attempts=3 ceiling=none", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s", "30.6s, no bound with Retry-After, which has no ceiling", ""},
		{"attempts=3 attempt-timeout=0s", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s", "no bound: an attempt may hang for ever", ""},
		{
			"attempts=3 attempt-timeout=0s timeout=5s", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s",
			"5s (timeout)   without it no bound: an attempt may hang for ever", "attempts 2–3 may never be sent: it all can take any time, timeout is 5s",
		},
		{"attempts=unlimited", "0–0.2s → 0–0.4s → 0–0.8s → 0–1.6s → …", "no bound", "no bound: attempts are unlimited", ""},
		{
			"attempts=unlimited timeout=1m", "0–0.2s → 0–0.4s → 0–0.8s → 0–1.6s → …", "no bound",
			"1m (timeout)   without it no bound: attempts are unlimited", "attempt 7 and later may never be sent: it all can take any time, timeout is 1m",
		},
		{"attempts=500", "0–0.2s → 0–0.4s → 0–0.8s → … → 0–10s", "mean 41m 11s, max 1h 22m", "2h 46m, or 5h 33m if Retry-After says 30s", ""},
		{"attempts=1000000 base=1s jitter=none curve=constant", "1s each", "always 11d 14h", "127d 8h, or 462d 23h if Retry-After says 30s", ""},
	} {
		p := parsePolicy(t, c.policy)
		k := CostOf(&p)
		if got := k.OwnWaits(44, Unicode()); got != c.waits || TextWidth(got) > 44 {
			t.Errorf("%s: waits %q", c.policy, got)
		}
		if got := k.Sums(); got != c.sums {
			t.Errorf("%s: sums %q", c.policy, got)
		}
		if got := k.WorstCase(); got != c.worst {
			t.Errorf("%s: worst %q", c.policy, got)
		}
		if got := k.Warning(Unicode()); got != c.warning {
			t.Errorf("%s: warning %q", c.policy, got)
		}
	}
}

func TestWorstCaseFits(t *testing.T) {
	t.Parallel()
	p := parsePolicy(t, "attempts=6 timeout=6s attempt-timeout=1s")
	c := CostOf(&p)
	for w, want := range map[int]string{
		80: "6s (timeout)   without it 12.2s, or 2m 36s if Retry-After says 30s",
		60: "6s (timeout)   without it 12.2s, 2m 36s at Retry-After 30s",
		50: "6s (timeout), else 12.2s, with Retry-After 2m 36s",
		40: "6s (timeout), else 12.2s or 2m 36s",
		10: "6s (timeout), else 12.2s or 2m 36s",
	} {
		if got := c.WorstCaseIn(w); got != want {
			t.Errorf("in %d: %q, want %q", w, got, want)
		}
	}
}

// The mean against chance, also where a cap or the draw before makes a wait uneven.
func TestCostMean(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"attempts=8", "attempts=8 jitter=equal", "attempts=8 jitter=decorrelated", "attempts=8 jitter=decorrelated cap=1s",
		"attempts=8 jitter=additive:2s cap=1s cap-stage=both", "attempts=8 least=300ms", "attempts=5 first=immediate", "attempts=90 jitter=decorrelated",
		"attempts=4000 curve=linear cap=none base=1ms",
	} {
		p := parsePolicy(t, text)
		rng := rand.New(rand.NewPCG(3, 4))
		runs := 4000
		if p.Attempts > 1000 {
			runs = 20
		}
		var total float64
		for range runs {
			prev := time.Duration(0)
			for k := 1; k < p.Attempts; k++ {
				prev = p.Delay(k, prev, rng.Float64())
				total += float64(prev)
			}
		}
		want, got := total/float64(runs), float64(CostOf(&p).Mean)
		if math.Abs(got-want) > 0.03*want {
			t.Errorf("%s: mean %v, by chance %v", text, time.Duration(got), time.Duration(want))
		}
	}
}

// A wait that is drawn is never beyond what the cost says, and no cost is negative.
func FuzzCost(f *testing.F) {
	f.Add(6, int64(200*ms), int64(10*time.Second), 2.0, uint8(0), uint8(1), int64(6*time.Second))
	f.Add(1000000, int64(1), int64(engine.Forever), 1e300, uint8(3), uint8(5), int64(0))
	f.Fuzz(func(t *testing.T, attempts int, base, top int64, factor float64, curve, jitter uint8, timeout int64) {
		p := engine.Default()
		p.Attempts, p.Base, p.Cap, p.Factor = attempts, time.Duration(base), time.Duration(top), factor
		p.Curve, p.Jitter.Kind, p.Timeout = engine.Curve(curve%6), engine.JitterKind(jitter%6), time.Duration(timeout)
		p.Jitter.Lo, p.Jitter.Hi = 0.5, 1.5
		if p.Validate() != nil {
			t.Skip()
		}
		c := CostOf(&p)
		if c.Mean < 0 || c.Max < 0 || c.Worst < 0 || c.Free < 0 || c.Server < c.Free || c.Mean > c.Max+time.Duration(min(p.Attempts, 1000)) && c.Max < engine.Forever/2 && p.Attempts < 2000 {
			t.Errorf("%+v", c)
		}
		if s := c.OwnWaits(60, Unicode()); s == "" || p.Attempts > 3 && TextWidth(s) > 90 {
			t.Errorf("waits %q", s)
		}
		if c.WorstCase() == "" || c.Sums() == "" {
			t.Error("nothing to say")
		}
	})
}
