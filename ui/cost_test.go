package ui

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

func costOf(p *engine.Policy) Cost { return CostOf(p, engine.SafeMethod, engine.BodyNone) }

func TestCost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ policy, waits, sums, worst, warning string }{
		{
			"attempts=6 timeout=6s attempt-timeout=1s", "0–0.2s → 0–0.4s → 0–0.8s → 0–1.6s → 0–3.2s", "mean 3.1s, max 6.2s",
			"6s (timeout)   without it 12.2s, or 2m 36s if Retry-After says 30s", "attempts 5–6 may never be sent: a whole run can take 12.2s, timeout is 6s",
		},
		{
			"timeout=20s attempt-timeout=5s", "0–0.2s → 0–0.4s → 0–0.8s", "mean 0.7s, max 1.4s",
			"20s (timeout)   without it 21.4s, or 1m 50s if Retry-After says 30s", "",
		},
		{"attempts=1", "none", "", "10s", ""},
		{"attempts=3 jitter=none", "0.2s → 0.4s", "always 0.6s", "30.6s, or 1m 30s if Retry-After says 30s", ""},
		{"attempts=3 retry-after=ignore", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s", "30.6s", ""},
		{"attempts=3 ceiling=none", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s", "30.6s, no bound with Retry-After, which has no ceiling", ""},
		{"attempts=3 attempt-timeout=0s", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s", "no bound: an attempt may hang for ever", ""},
		{
			"attempts=3 attempt-timeout=0s timeout=5s", "0–0.2s → 0–0.4s", "mean 0.3s, max 0.6s",
			"5s (timeout)   without it no bound: an attempt may hang for ever", "attempts 2–3 may never be sent: a whole run can take any time, timeout is 5s",
		},
		{"attempts=unlimited", "0–0.2s → 0–0.4s → 0–0.8s → 0–1.6s → …", "no bound", "no bound: attempts are unlimited", ""},
		{
			"attempts=unlimited timeout=1m", "0–0.2s → 0–0.4s → 0–0.8s → 0–1.6s → …", "no bound",
			"1m (timeout)   without it no bound: attempts are unlimited", "attempt 7 and later may never be sent: a whole run can take any time, timeout is 1m",
		},
		{"attempts=500", "0–0.2s → 0–0.4s → 0–0.8s → … → 0–10s", "mean 41m 11s, max 1h 22m", "2h 46m, or 5h 33m if Retry-After says 30s", ""},
		{"attempts=1000000 base=1s jitter=none curve=constant", "1s each", "always 11d 14h", "127d 8h, or 462d 23h if Retry-After says 30s", ""},
	} {
		p := parsePolicy(t, c.policy)
		k := costOf(&p)
		if got := k.OwnWaits(44, Unicode()); got != c.waits || TextWidth(got) > 44 {
			t.Errorf("%s: waits %q", c.policy, got)
		}
		if got := k.Sums(); got != c.sums {
			t.Errorf("%s: sums %q", c.policy, got)
		}
		if got := k.WorstCase(); got != c.worst {
			t.Errorf("%s: worst %q", c.policy, got)
		}
		if got := strings.Join(k.Warnings(Unicode()), "; "); got != c.warning {
			t.Errorf("%s: warning %q", c.policy, got)
		}
	}
}

func TestWorstCaseFits(t *testing.T) {
	t.Parallel()
	p := parsePolicy(t, "attempts=6 timeout=6s attempt-timeout=1s")
	c := costOf(&p)
	for w, want := range map[int]string{
		80: "6s (timeout)   without it 12.2s, or 2m 36s if Retry-After says 30s",
		60: "6s (timeout)   without it 12.2s, 2m 36s at Retry-After 30s",
		50: "6s (timeout), else 12.2s, with Retry-After 2m 36s",
		45: "6s (timeout), else 12.2s",
		30: "6s (timeout), else 12.2s",
		15: "6s (timeout)",
		10: "6s",
	} {
		if got := c.WorstCaseIn(w); got != want {
			t.Errorf("in %d: %q, want %q", w, got, want)
		}
	}
}

// The worst case fits into any place that has room for its figure, and begins with it, whatever the policy.
func TestWorstCaseLeadsWithItsFigure(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "attempts=1", "attempts=unlimited", "attempts=unlimited timeout=1m", "timeout=6s", "attempt-timeout=0", "attempt-timeout=0 timeout=5s", "ceiling=none", "ceiling=none timeout=1h",
		"budget=tokens:10/5/1", "budget=tokens:10/5/1 timeout=9s", "attempts=1000000 curve=constant", "cap=none attempts=200 base=1h",
	} {
		p := parsePolicy(t, text)
		for _, safety := range []engine.Safety{engine.SafeMethod, engine.Unsafe} {
			c := CostOf(&p, safety, engine.BodyNone)
			lead := c.worst(&worstForms[len(worstForms)-1])
			if len(lead) != 1 || !lead[0].strong {
				t.Fatalf("%q: %v", text, lead)
			}
			least, longest := lead.width(), 0
			for w := least; w < 130; w++ {
				got := c.worstIn(w)
				if n := got.width(); n > w || n < longest || got[0] != lead[0] {
					t.Errorf("%q in %d: %q, want it to begin with %q", text, w, got, lead)
				}
				longest = got.width()
			}
			if got := c.WorstCaseIn(130); got != c.WorstCase() {
				t.Errorf("%q: %q, want %q", text, got, c.WorstCase())
			}
		}
	}
}

// Both lines, and the one that is both, hold all of their figures at every width.
func TestCostLinesFit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "attempts=6 timeout=6s attempt-timeout=1s", "attempts=500 ceiling=none", "attempts=unlimited timeout=1m"} {
		p := parsePolicy(t, text)
		c := costOf(&p)
		for w := 60; w <= 220; w++ {
			for _, one := range []bool{false, true} {
				if one && w < oneCostW {
					continue
				}
				g := NewGrid(w, 2)
				l := c.lines(w, one, Unicode())
				l.draw(g, 0, one, Unicode())
				if got := g.Plain(); !strings.Contains(got, l.worst.String()) || !strings.Contains(got, l.sums.String()) || !strings.Contains(got, l.waits) {
					t.Errorf("%q at %d: %v\n%s", text, w, l, got)
				}
			}
		}
	}
}

// The figures of the worst case are the bright part of its line.
func TestCostFiguresAreBright(t *testing.T) {
	t.Parallel()
	p := parsePolicy(t, "timeout=6s")
	c := costOf(&p)
	g := NewGrid(80, 2)
	l := c.lines(80, false, Unicode())
	l.draw(g, 0, false, Unicode())
	bright := ""
	for x := range 80 {
		if r, s := g.At(x, 1); s == Bold {
			bright += string(r)
		} else if bright != "" && bright[len(bright)-1] != ' ' {
			bright += " "
		}
	}
	if got, want := strings.TrimSpace(bright), "6s 41.4s 2m 10s 30s"; got != want {
		t.Errorf("%q is bright, want %q in\n%s", got, want, g.Plain())
	}
}

// What a request may cost that is not sent again, or that a budget holds back.
func TestCostOfTheRequest(t *testing.T) {
	t.Parallel()
	const once = "sent once: "
	for _, c := range []struct {
		policy         string
		request        lab.Request
		worst, warning string
		sums           string
	}{
		{"", lab.Request{Method: "POST"}, "10s (sent once), 41.4s if nothing gets through", once + "the method is not idempotent and there is no key", "only while unsent"},
		{"", lab.Request{Method: "POST", Key: "k"}, "41.4s, or 2m 10s if Retry-After says 30s", "", "mean 0.7s, max 1.4s"},
		{"", lab.Request{Method: "POST", Header: http.Header{"Idempotency-Key": {"k"}}}, "41.4s, or 2m 10s if Retry-After says 30s", "", "mean 0.7s, max 1.4s"},
		{"methods=any", lab.Request{Method: "POST"}, "41.4s, or 2m 10s if Retry-After says 30s", "", "mean 0.7s, max 1.4s"},
		{"methods=POST", lab.Request{}, "10s (sent once), 41.4s if nothing gets through", once + "the method is not in methods", "only while unsent"},
		{"", lab.Request{Method: "PUT", HasBody: true, BodyOnce: true}, "10s (sent once), 41.4s if nothing gets through", once + "the body can be read only once", "only while unsent"},
		{"timeout=6s", lab.Request{Method: "POST"}, "6s (timeout), sent once", once + "the method is not idempotent and there is no key", "only while unsent"},
		{"timeout=15s", lab.Request{Method: "POST"}, "10s (sent once), 15s if nothing gets through", once + "the method is not idempotent and there is no key", "only while unsent"},
		{"attempt-timeout=0", lab.Request{Method: "POST"}, "no bound: an attempt may hang for ever (sent once)", once + "the method is not idempotent and there is no key", "only while unsent"},
		{"attempts=unlimited", lab.Request{Method: "POST"}, "10s (sent once), no bound if nothing gets through", once + "the method is not idempotent and there is no key", "only while unsent"},
		{"attempts=1", lab.Request{Method: "POST"}, "10s", "", ""},
		{"attempts=6 budget=tokens:10/5/1", lab.Request{}, "30.6s (budget), or 1m 30s if Retry-After says 30s", "attempts 4–6 are never sent: the budget pays for 2 retries of one call", "mean 0.3s, max 0.6s"},
		{"attempts=3 budget=tokens:10/5/1", lab.Request{}, "30.6s, or 1m 30s if Retry-After says 30s", "", "mean 0.3s, max 0.6s"},
		{"attempts=unlimited budget=tokens:9/5/1", lab.Request{}, "20.2s (budget), or 50s if Retry-After says 30s", "attempt 3 and later are never sent: the budget pays for 1 retry of one call", "mean 0.1s, max 0.2s"},
		{"attempts=2 budget=tokens:4/5/1", lab.Request{}, "10s (budget)", "attempt 2 is never sent: the budget pays for no retry of one call", ""},
		{"budget=ratio:20%/10", lab.Request{}, "41.4s, or 2m 10s if Retry-After says 30s", "", "mean 0.7s, max 1.4s"},
		{"budget=ratio:20%/0", lab.Request{}, "10s (budget)", "attempts 2–4 are never sent: the budget pays for no retry of one call", ""},
		{"attempts=6 timeout=15s budget=tokens:10/5/1", lab.Request{}, "15s (timeout)   without it 30.6s (budget), or 1m 30s if Retry-After says 30s", "attempts 4–6 are never sent: the budget pays for 2 retries of one call; attempt 3 may never be sent: a whole run can take 30.6s, timeout is 15s", ""},
	} {
		p := parsePolicy(t, c.policy)
		k := CostOf(&p, safetyOf(&p, &c.request), bodyOf(&c.request))
		if got := k.WorstCase(); got != c.worst {
			t.Errorf("%s %v: worst %q, want %q", c.policy, c.request, got, c.worst)
		}
		if got := strings.Join(k.Warnings(Unicode()), "; "); !strings.HasPrefix(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%s %v: warnings %q, want %q", c.policy, c.request, got, c.warning)
		}
		if got := k.Sums(); got != c.sums && c.sums != "" {
			t.Errorf("%s %v: sums %q, want %q", c.policy, c.request, got, c.sums)
		}
	}
}

// No run of the engine sends more often, or takes longer, than the cost of its policy and request says.
func TestCostHoldsForRuns(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=6 attempt-timeout=1s", "attempts=6 attempt-timeout=1s budget=tokens:10/5/1", "attempts=6 attempt-timeout=1s budget=ratio:250%/0", "attempts=6 attempt-timeout=1s methods=POST", "attempts=6 attempt-timeout=1s timeout=3s", "attempts=3 attempt-timeout=1s budget=ratio:20%/0"} {
		for _, steps := range []string{"503 latency=900ms", "refused latency=900ms", "hang", "503 after=30 latency=900ms", "503"} {
			for _, r := range []lab.Request{{}, {Method: "POST"}, {Method: "POST", Key: "k"}, {Method: "PUT", HasBody: true, BodyOnce: true}} {
				p := parsePolicy(t, policy)
				s, err := script.Parse(steps)
				if err != nil {
					t.Fatal(err)
				}
				run := lab.Scripted(lab.Config{Policy: p, Request: r, Script: s, Draw: 1, CancelAt: -1, SignOutAt: -1})
				c := CostOf(&p, safetyOf(&p, &r), bodyOf(&r))
				most, longest := c.Retries+1, c.Worst
				if c.Once && steps != "refused latency=900ms" {
					most, longest = 1, c.Single
				}
				if run.Done.Attempts > most || run.Done.At > longest {
					t.Errorf("%s, %s, %v: %d attempts in %v, want %d in %v at the most", policy, steps, r, run.Done.Attempts, run.Done.At, most, longest)
				}
			}
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
		want, got := total/float64(runs), float64(costOf(&p).Mean)
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
		c := costOf(&p)
		if c.Mean < 0 || c.Max < 0 || c.Worst < 0 || c.Free < 0 || c.Server < c.Free || c.Mean > c.Max+time.Duration(min(p.Attempts, 1000)) && c.Max < engine.Forever/2 && p.Attempts < 2000 {
			t.Errorf("%+v", c)
		}
		if s := c.OwnWaits(60, Unicode()); s == "" || p.Attempts > 3 && TextWidth(s) > 90 {
			t.Errorf("waits %q", s)
		}
		if c.WorstCase() == "" || (c.Sums() == "") != (p.Attempts == 1) { // without retries there is nothing to sum up
			t.Errorf("worst case %q, sums %q of %d attempts", c.WorstCase(), c.Sums(), p.Attempts)
		}
	})
}
