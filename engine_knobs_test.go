package main_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// pollyPoint is the curve of Polly's RetryHelper.DecorrelatedJitterBackoffV2 as it is written there, in units of the base.
func pollyPoint(t float64) float64 {
	x := math.Sqrt(4 * t)
	return math.Pow(2, t) * (1 - 2/(math.Exp(2*x)+1)) / 1.4
}

// near tells whether a wait is what is wanted, but for rounding.
func near(got time.Duration, want float64) bool {
	return math.Abs(float64(got)-want) <= 2+want*1e-9
}

// TestEngineSmoothIsPolly: each draw is the way from the point before to the next, with state kept before the cap.
func TestEngineSmoothIsPolly(t *testing.T) {
	for _, c := range []struct {
		base, maxDelay time.Duration
	}{{2 * sec, 0}, {sec, 0}, {100 * ms, 0}, {sec, 3 * sec}, {200 * ms, 300 * ms}} {
		p := mustParse(t, "jitter=smooth cap=none base="+c.base.String())
		if c.maxDelay > 0 {
			p.Cap = c.maxDelay
		}
		for seed := range uint64(200) {
			var memory time.Duration
			var before float64
			for n := 1; n <= 12; n++ {
				u := engine.Draw(seed, engine.PurposeJitter, 1, uint64(n))
				cut := func(x float64) float64 {
					if c.maxDelay > 0 {
						x = min(x, float64(c.maxDelay)/float64(c.base))
					}
					return x * float64(c.base)
				}
				at := pollyPoint(float64(n-1) + u)
				lo, hi := p.Window(n, memory)
				if wantLo, wantHi := cut(pollyPoint(float64(n-1))-before), cut(pollyPoint(float64(n))-before); !near(lo, wantLo) || !near(hi, wantHi) {
					t.Fatalf("%v retry %d: window [%v, %v], want [%v, %v]", p, n, lo, hi, time.Duration(wantLo), time.Duration(wantHi))
				}
				var own time.Duration
				if own, memory = p.Step(n, memory, u); !near(own, cut(at-before)) {
					t.Fatalf("%v retry %d: %v, want %v", p, n, own, time.Duration(cut(at-before)))
				}
				before = at
			}
		}
	}
}

// TestEngineSmoothBounds over every history: from nothing, where the draw before was the highest and this is the lowest,
// to a whole step of the curve and the one before.
func TestEngineSmoothBounds(t *testing.T) {
	for _, c := range []struct {
		policy string
		retry  int
		lo, hi time.Duration
	}{
		{"base=1s jitter=smooth cap=none", 1, 0, 1_377_182_257},
		{"base=1s jitter=smooth cap=none", -5, 0, 1_377_182_257},
		{"base=1s jitter=smooth cap=none", 2, 0, 2_837_249_558},
		{"base=1s jitter=smooth cap=none", 3, 0, 4_325_917_163},
		{"base=2s jitter=smooth cap=none", 1, 0, 2_754_364_514},
		{"base=1s jitter=smooth cap=2s", 1, 0, 1_377_182_257},
		{"base=1s jitter=smooth cap=2s", 3, 0, 2 * sec},
		{"base=1s jitter=smooth cap=1s", 9, 0, sec},
		{"base=9s jitter=smooth cap=1s", 1, 0, sec},
		{"base=1s jitter=smooth cap=30s least=500ms", 1, 500 * ms, 1_377_182_257},
		{"base=1s jitter=smooth cap=30s first=immediate", 1, 0, 0},
		{"base=1s jitter=smooth cap=30s first=unjittered", 1, sec, sec},
		{"base=1s jitter=smooth cap=30s first=unjittered", 2, 0, 2_837_249_558},
		{"base=1s jitter=smooth cap=30s curve=constant factor=9 shift=1 cap-stage=before", 1, 0, 1_377_182_257},
		{"base=1s jitter=smooth cap=30s", 100, 30 * sec, 30 * sec}, // beyond every duration there is only the cap
		{"base=1s jitter=smooth cap=none", math.MaxInt, engine.Forever, engine.Forever},
		{"base=0 jitter=smooth cap=30s", 1 << 40, 0, 0},
	} {
		p := mustParse(t, c.policy)
		lo, hi := p.Bounds(c.retry)
		if lo != c.lo && !near(lo, float64(c.lo)) || hi != c.hi && !near(hi, float64(c.hi)) {
			t.Errorf("%s, retry %d: [%v, %v], want [%v, %v]", c.policy, c.retry, lo, hi, c.lo, c.hi)
		}
	}
}

// TestEngineSmoothOnTheWhole: the means and medians that its author gives, in units of the base.
func TestEngineSmoothOnTheWhole(t *testing.T) {
	p := mustParse(t, "base=1s jitter=smooth cap=none")
	const runs = 20_000
	waits := make([][]float64, 5)
	for seed := range uint64(runs) {
		var own, memory time.Duration
		for n := range waits {
			own, memory = p.Step(n+1, memory, engine.Draw(seed, engine.PurposeJitter, 1, uint64(n+1)))
			waits[n] = append(waits[n], own.Seconds())
		}
	}
	for n, want := range []struct{ mean, median float64 }{{0.87, 0.90}, {1.16, 1.14}, {2.08, 2.02}, {4.12, 4.00}, {8.25, 8.01}} {
		slices.Sort(waits[n])
		var sum float64
		for _, w := range waits[n] {
			sum += w
		}
		if mean, median := sum/runs, waits[n][runs/2]; math.Abs(mean/want.mean-1) > 0.02 || math.Abs(median/want.median-1) > 0.03 {
			t.Errorf("retry %d: mean %.3f, median %.3f, want %v", n+1, mean, median, want)
		}
	}
}

// TestEngineSmoothWhereItCameFrom: a point that no draw can have left, of another policy say, is the nearest that one can.
func TestEngineSmoothWhereItCameFrom(t *testing.T) {
	p := mustParse(t, "base=1s jitter=smooth cap=none")
	for _, n := range longRetries {
		low, high := p.Bounds(n)
		for _, prev := range []time.Duration{math.MinInt64, -1, 0, 1, sec, time.Hour, engine.Forever} {
			for _, u := range []float64{0, 0.3, 1} {
				own, memory := p.Step(n, prev, u)
				if lo, hi := p.Window(n, prev); own < lo || own > hi || lo < low || hi > high || memory < 0 {
					t.Errorf("retry %d after %v: %v in [%v, %v] in [%v, %v], then %v", n, prev, own, lo, hi, low, high, memory)
				}
			}
		}
	}
}

// TestEngineThrottleBase: the AWS SDKs of 2026 wait from a base of 1s after a 429, and of 50ms after anything else.
func TestEngineThrottleBase(t *testing.T) {
	const aws = "attempts=10 base=50ms throttle-base=1s cap=20s jitter=full retry-on=transport,429,5xx"
	for _, c := range []struct {
		policy   string
		sent     int
		outcome  engine.Outcome
		lo, hi   time.Duration
		least    time.Duration // over every history and outcome
		most     time.Duration
		previous time.Duration
	}{
		{policy: aws, outcome: status(503).out, hi: 50 * ms, most: sec},
		{policy: aws, outcome: status(429).out, hi: sec, most: sec},
		{policy: aws, sent: 1, outcome: status(503).out, hi: 100 * ms, most: 2 * sec},
		{policy: aws, sent: 1, outcome: status(429).out, hi: 2 * sec, most: 2 * sec},
		{policy: aws, sent: 4, outcome: transport(engine.CauseReset).out, hi: 800 * ms, most: 16 * sec},
		{policy: aws, sent: 5, outcome: status(429).out, hi: 20 * sec, most: 20 * sec},
		{policy: aws + " throttle-base=0", outcome: status(429).out, hi: 50 * ms, most: 50 * ms},
		{policy: aws + " throttle-base=10ms", outcome: status(429).out, hi: 10 * ms, most: 50 * ms},
		{policy: aws + " throttle-base=1m", outcome: status(429).out, hi: 20 * sec, most: 20 * sec},
		{policy: aws + " jitter=none", outcome: status(429).out, lo: sec, hi: sec, least: 50 * ms, most: sec},
		{policy: aws + " jitter=none", outcome: status(500).out, lo: 50 * ms, hi: 50 * ms, least: 50 * ms, most: sec},
		{policy: aws + " jitter=decorrelated", sent: 1, previous: 100 * ms, outcome: status(429).out, lo: sec, hi: 3 * sec, least: 50 * ms, most: 9 * sec},
		{policy: aws + " jitter=decorrelated", sent: 1, previous: 3 * sec, outcome: status(503).out, lo: 50 * ms, hi: 9 * sec, least: 50 * ms, most: 9 * sec},
		// What only says 429 and is no answer of that status is none.
		{policy: aws, outcome: engine.Outcome{Kind: engine.KindTransport, Status: 429}, hi: 50 * ms, most: sec},
	} {
		words, last := strings.Fields(c.policy), map[string]string{}
		for _, w := range words { // the last of a name counts
			name, _, _ := strings.Cut(w, "=")
			last[name] = w
		}
		p := engine.Default()
		for name, w := range last {
			if err := p.Set(name, w[len(name)+1:]); err != nil {
				t.Fatal(err)
			}
		}
		f := calm()
		_, d := p.Next(engine.State{Sent: c.sent, Prev: c.previous}, &c.outcome, &f, 1)
		if d.Verdict != engine.Retry || d.Lo != c.lo || d.Hi != c.hi || d.Own != c.hi {
			t.Errorf("%s, %d sent, %s: %v of [%v, %v] (%v), want [%v, %v]", c.policy, c.sent, c.outcome.Words(), d.Own, d.Lo, d.Hi, d.Verdict, c.lo, c.hi)
		}
		if lo, hi := p.Bounds(c.sent + 1); lo != c.least || hi != c.most {
			t.Errorf("%s, retry %d: bounds [%v, %v], want [%v, %v]", c.policy, c.sent+1, lo, hi, c.least, c.most)
		}
	}
}

// TestEngineThrottleBaseIsWaited: the loop waits by the outcome before each wait.
func TestEngineThrottleBaseIsWaited(t *testing.T) {
	p := play(t, game{
		policy:  "attempts=6 base=50ms throttle-base=1s cap=20s jitter=none",
		replies: []reply{status(503), status(429), status(503), status(429), good()},
	})
	if want := []time.Duration{50 * ms, 2 * sec, 200 * ms, 8 * sec}; !slices.Equal(p.waits, want) {
		t.Errorf("waits %v, want %v", p.waits, want)
	}
}

// TestEngineRetryAfterRequired: where an answer asks for no wait, it is not retried; a failure without an answer is.
func TestEngineRetryAfterRequired(t *testing.T) {
	const policy = "retry-after=required base=1s jitter=none ceiling=30s"
	hinted := func(code int, h engine.Hint) engine.Outcome {
		o := status(code).out
		o.Hint = h
		return o
	}
	said := status(503).out
	said.Say = engine.SayRetry
	for _, c := range []struct {
		outcome engine.Outcome
		verdict engine.Verdict
		reason  engine.Reason
		wait    time.Duration
		words   string
	}{
		{status(503).out, engine.Stop, engine.ReasonNotRetryable, 0, "503 may heal, but there is no Retry-After, which is required"},
		{status(429).out, engine.Stop, engine.ReasonNotRetryable, 0, "429 may heal, but there is no Retry-After, which is required"},
		{status(404).out, engine.Stop, engine.ReasonNotRetryable, 0, "404 is not in retry-on"},
		{hinted(503, engine.Hint{State: engine.HintUnreadable}), engine.Stop, engine.ReasonNotRetryable, 0, "503 may heal, but Retry-After is unreadable and required"},
		{
			hinted(503, engine.Hint{State: engine.HintUnreadable, From: engine.HeaderXAmzRetryAfter}),
			engine.Stop, engine.ReasonNotRetryable, 0, "503 may heal, but X-Amz-Retry-After is unreadable and required",
		},
		{status(503).after(5 * sec).out, engine.Retry, engine.ReasonNone, 5 * sec, "503 may heal"},
		{status(503).after(0).out, engine.Retry, engine.ReasonNone, 0, "503 may heal"},
		{status(503).after(time.Hour).out, engine.Defer, engine.ReasonCeiling, time.Hour, "503 may heal"},
		{hinted(503, engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}), engine.Defer, engine.ReasonCeiling, engine.Forever, "503 may heal"},
		{status(404).after(5 * sec).out, engine.Stop, engine.ReasonNotRetryable, 0, "404 is not in retry-on"},
		{transport(engine.CauseReset).out, engine.Retry, engine.ReasonNone, sec, "transport (reset) may heal"},
		{kind(engine.KindTimeout).out, engine.Retry, engine.ReasonNone, sec, "timeout may heal"},
		{said, engine.Retry, engine.ReasonNone, sec, "503: the caller says it may heal"},
	} {
		p, f := mustParse(t, policy), calm()
		_, d := p.Next(engine.State{}, &c.outcome, &f, 1)
		if d.Verdict != c.verdict || d.Reason != c.reason || d.Wait != c.wait {
			t.Errorf("%s, %+v: %v %v %v, want %v %v %v", c.outcome.Words(), c.outcome.Hint, d.Verdict, d.Reason, d.Wait, c.verdict, c.reason, c.wait)
		}
		if got := p.Why(engine.GateRetryable, &d, &c.outcome, &f); got != c.words {
			t.Errorf("%s: %q, want %q", c.outcome.Words(), got, c.words)
		}
		gatesAgree(t, &p, &d, &c.outcome, &f)
	}
}

// TestEngineHintIsNamed: a wait that another header than Retry-After asked for is said to be that one's.
func TestEngineHintIsNamed(t *testing.T) {
	for _, c := range []struct {
		hint engine.Hint
		want string
	}{
		{engine.Hint{State: engine.HintWait, Wait: 3 * sec}, "server asked 3s, under the ceiling of 30s"},
		{engine.Hint{State: engine.HintWait, Wait: 3 * sec, From: engine.HeaderRetryAfterMS}, "server asked 3s by Retry-After-Ms, under the ceiling of 30s"},
		{engine.Hint{State: engine.HintWait, Wait: time.Hour, From: engine.HeaderXRateLimitReset}, "server asked 1h by X-Ratelimit-Reset, ceiling 30s"},
		{engine.Hint{State: engine.HintUnreadable, From: engine.HeaderRateLimitReset}, "Ratelimit-Reset unreadable: the own wait"},
	} {
		p, f, o := engine.Default(), calm(), status(503).out
		o.Hint = c.hint
		_, d := p.Next(engine.State{}, &o, &f, 1)
		if got := p.Why(engine.GateCeiling, &d, &o, &f); got != c.want {
			t.Errorf("%+v: %q, want %q", c.hint, got, c.want)
		}
	}
}
