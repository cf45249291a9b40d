package main_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineBackoffWaits is the growth of the own wait, at the draw that shows it. Every line is a policy and the waits
// before the retries from the first one on.
func TestEngineBackoffWaits(t *testing.T) {
	for _, c := range []struct {
		policy string
		u      float64
		want   string
	}{
		// Curves.
		{"base=1s jitter=none curve=none", 1, "0s 0s 0s"},
		{"base=1s jitter=none curve=constant", 1, "1s 1s 1s"},
		{"base=1s jitter=none curve=linear cap=none", 1, "1s 2s 3s 4s"},
		{"base=1s jitter=none curve=linear cap=10s", 1, "1s 2s 3s 4s 5s 6s 7s 8s 9s 10s 10s 10s"},
		{"base=1s jitter=none curve=quadratic cap=none", 1, "1s 4s 9s 16s"},
		{"base=1s jitter=none curve=exponential cap=none", 1, "1s 2s 4s 8s 16s 32s"},
		{"base=1s jitter=none curve=exponential factor=3 cap=none", 1, "1s 3s 9s 27s"},
		{"base=1s jitter=none curve=exponential factor=1.5 cap=none", 1, "1s 1.5s 2.25s 3.375s"},
		{"base=1s jitter=none curve=exponential factor=1 cap=none", 1, "1s 1s 1s"},
		{"base=1s jitter=none curve=fibonacci cap=none", 1, "1s 1s 2s 3s 5s 8s 13s"},
		{"base=1s jitter=none curve=exponential shift=1 cap=none", 1, "2s 4s 8s"},
		{"base=1s jitter=none curve=linear shift=1 cap=none", 1, "2s 3s 4s"},
		{"base=1s jitter=none curve=fibonacci shift=1 cap=none", 1, "1s 2s 3s 5s"},
		// The cap, and a base above it.
		{"base=1s jitter=none cap=5s", 1, "1s 2s 4s 5s 5s"},
		{"base=30s jitter=none cap=5s", 1, "5s 5s 5s"},
		{"base=30s jitter=decorrelated cap=5s", 1, "5s 5s 5s"},
		{"base=5s jitter=none cap=5s", 1, "5s 5s"},
		// Jitter at its ends and in the middle.
		{"base=1s jitter=full cap=5s", 0, "0s 0s 0s"},
		{"base=1s jitter=full cap=5s", 0.5, "500ms 1s 2s 2.5s 2.5s"},
		{"base=1s jitter=full cap=5s", 1, "1s 2s 4s 5s"},
		{"base=1s jitter=equal cap=5s", 0, "500ms 1s 2s 2.5s 2.5s"},
		{"base=1s jitter=equal cap=5s", 1, "1s 2s 4s 5s 5s"},
		{"base=3ns jitter=equal cap=5s", 0, "1ns 3ns 6ns"},
		{"base=1s jitter=scale:0.5..1.5 cap=60s", 0, "500ms 1s 2s"},
		{"base=1s jitter=scale:0.5..1.5 cap=60s", 0.5, "1s 2s 4s"},
		{"base=1s jitter=scale:0.5..1.5 cap=60s", 1, "1.5s 3s 6s 12s"},
		{"base=1s jitter=additive:100ms cap=60s", 0, "1s 2s 4s"},
		{"base=1s jitter=additive:100ms cap=60s", 1, "1.1s 2.1s 4.1s"},
		{"base=1s jitter=none", 0.3, "1s 2s 4s"},
		// Where the cap cuts: a "max" of 60 s waits 90 s where it cuts before the jitter.
		{"base=60s jitter=scale:0.5..1.5 cap=60s cap-stage=before", 1, "1m30s 1m30s"},
		{"base=60s jitter=scale:0.5..1.5 cap=60s cap-stage=after", 1, "1m 1m"},
		{"base=60s jitter=scale:0.5..1.5 cap=60s cap-stage=both", 1, "1m 1m"},
		{"base=60s jitter=scale:0.5..1.5 cap=60s cap-stage=after", 0, "30s 1m"},
		{"base=60s jitter=scale:0.5..1.5 cap=60s cap-stage=both", 0, "30s 30s"},
		{"base=1s jitter=decorrelated cap=5s cap-stage=before", 1, "3s 5s 5s"},
		// The least wait, after jitter.
		{"base=1s jitter=full least=200ms", 0, "200ms 200ms"},
		{"base=1ms jitter=full least=1ms", 0, "1ms 1ms 1ms"},
		{"base=1s jitter=decorrelated least=2s", 0, "2s 2s"},
		// The first retry.
		{"base=1s jitter=none first=immediate cap=60s", 1, "0s 2s 4s"},
		{"base=1s jitter=full first=immediate least=1s", 1, "0s 2s 4s"},
		{"base=1s jitter=full first=unjittered cap=60s", 0.5, "1s 1s 2s"},
		{"base=1s jitter=decorrelated first=immediate cap=60s", 1, "0s 3s 9s"},
		{"base=1s jitter=decorrelated first=unjittered cap=60s", 1, "1s 3s 9s"},
		// Decorrelated: min(cap, U[base, 3·previous]), with a growth of its own.
		{"base=100ms jitter=decorrelated cap=30s", 0.5, "200ms 350ms 575ms 912.5ms"},
		{"base=100ms jitter=decorrelated cap=30s", 0, "100ms 100ms 100ms"},
		{"base=100ms jitter=decorrelated cap=2s", 1, "300ms 900ms 2s 2s"},
		{"base=100ms jitter=decorrelated cap=2s curve=constant factor=7 shift=1", 1, "300ms 900ms 2s 2s"},
		// Zero is no wait, whatever grows.
		{"base=0 jitter=none factor=2 cap=60s", 1, "0s 0s 0s"},
		{"base=0 jitter=none factor=3 cap=60s", 1, "0s 0s 0s"},
		{"base=0 jitter=full cap=60s", 1, "0s 0s"},
		{"base=0 jitter=decorrelated cap=60s", 1, "0s 0s 0s"},
		// A bound of 0 for a random number: no jitter, and no panic.
		{"base=1ns jitter=equal", 1, "1ns 2ns"},
		{"base=1ns jitter=full", 0.4, "0s 0s 1ns"},
		{"base=1s jitter=additive:0s", 1, "1s 2s"},
		{"base=1s jitter=scale:0..0", 1, "0s 0s"},
	} {
		p := mustParse(t, c.policy)
		var prev time.Duration
		var got []string
		for n := range strings.Fields(c.want) {
			prev = p.Delay(n+1, prev, c.u)
			got = append(got, engine.FormatDuration(prev))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s, u=%v: %s, want %s", c.policy, c.u, s, c.want)
		}
	}
}

// longRetries are the places where others overflow: a shift of 34 to 64, a power of 1024, a counter of a million.
var longRetries = []int{1, 2, 33, 34, 35, 37, 38, 39, 40, 49, 57, 62, 63, 64, 65, 93, 100, 1023, 1024, 1025, 1_000_000, math.MaxInt - 1, math.MaxInt}

// TestEngineBackoffNeverOverflows: whatever the curve and the jitter, far out the wait stays at the cap's band, neither
// negative nor 0 nor endless.
func TestEngineBackoffNeverOverflows(t *testing.T) {
	for _, curve := range []string{"linear", "quadratic", "exponential", "exponential factor=5", "exponential factor=1e300", "fibonacci", "exponential shift=1"} {
		for _, c := range []struct {
			jitter string
			u      float64
			band   time.Duration // at the cap
		}{
			{"none", 1, 5 * time.Minute},
			{"full", 1, 5 * time.Minute},
			{"full", 0.5, 150 * sec},
			{"equal", 0, 150 * sec},
			{"equal", 1, 5 * time.Minute},
			{"scale:0.5..1.5", 1, 450 * sec},
			{"additive:30s", 1, 330 * sec},
			{"decorrelated", 1, 5 * time.Minute},
		} {
			p := mustParse(t, "base=1s cap=5m curve="+curve+" jitter="+c.jitter)
			for _, n := range longRetries {
				if n < 1024 && !strings.Contains(curve, "exponential") || n < 33 {
					continue // still on its way up
				}
				if got := p.Delay(n, 5*time.Minute, c.u); got != c.band {
					t.Errorf("curve=%s jitter=%s retry %d: %v, want %v", curve, c.jitter, n, got, c.band)
				}
			}
			never := p
			never.Cap = engine.NoCap
			for _, n := range longRetries {
				if got := never.Delay(n, engine.Forever, 1); got < 0 || n > 1024 && got == 0 {
					t.Errorf("curve=%s jitter=%s cap=none retry %d: %v", curve, c.jitter, n, got)
				}
				lo, hi := never.Bounds(n)
				if lo < 0 || hi < lo {
					t.Errorf("curve=%s jitter=%s cap=none retry %d: bounds [%v, %v]", curve, c.jitter, n, lo, hi)
				}
			}
		}
	}
}

// TestEngineBackoffNeverFalls: without jitter no wait is shorter than the one before, over a long outage.
func TestEngineBackoffNeverFalls(t *testing.T) {
	p := mustParse(t, "attempts=70 base=1s cap=30s jitter=none")
	var prev time.Duration
	for n := 1; n < 70; n++ {
		d := p.Delay(n, prev, 1)
		if d > 30*sec || d < prev {
			t.Errorf("retry %d waits %v after %v", n, d, prev)
		}
		prev = d
	}
}

// TestEngineBackoffZeroStaysZero: a power that overflowed must not make the longest wait of none at all.
func TestEngineBackoffZeroStaysZero(t *testing.T) {
	for _, factor := range []string{"1", "2", "3", "1e300"} {
		p := mustParse(t, "base=0 cap=60s jitter=none factor="+factor)
		for _, n := range longRetries {
			if d := p.Delay(n, 0, 1); d != 0 {
				t.Errorf("factor=%s retry %d: %v", factor, n, d)
			}
		}
	}
}

// TestEngineBackoffTakesAnyDraw: what is no draw is brought into range, and a retry before the first is the first.
func TestEngineBackoffTakesAnyDraw(t *testing.T) {
	p := mustParse(t, "base=1s jitter=full")
	for u, want := range map[float64]time.Duration{-1: 0, 2: sec, math.Inf(1): sec, math.Inf(-1): 0} {
		if got := p.Delay(1, 0, u); got != want {
			t.Errorf("u=%v: %v, want %v", u, got, want)
		}
	}
	if got := p.Delay(1, 0, math.NaN()); got != 0 {
		t.Errorf("u=NaN: %v", got)
	}
	for _, n := range []int{0, -1, math.MinInt} {
		if got := p.Delay(n, 0, 1); got != sec {
			t.Errorf("retry %d: %v", n, got)
		}
	}
}

// TestEngineBackoffKeepsItsSpreadAtTheCap: a cap after the jitter would put every upper draw on the cap itself, and the
// fleet back in step.
func TestEngineBackoffKeepsItsSpreadAtTheCap(t *testing.T) {
	p := mustParse(t, "base=1s cap=60s jitter=full")
	at := 0
	for i := range 1000 {
		if p.Delay(10, 0, engine.Draw(7, engine.PurposeJitter, uint64(i), 1)) == 60*sec {
			at++
		}
	}
	if at > 3 {
		t.Errorf("%d of 1000 draws are the cap itself", at)
	}
}

// TestEngineDecorrelatedBounds: each wait lies in [base, min(cap, 3·previous)], previous being the own draw before.
func TestEngineDecorrelatedBounds(t *testing.T) {
	p := mustParse(t, "base=100ms cap=30s jitter=decorrelated")
	for seed := range uint64(200) {
		prev := p.Base
		for n := 1; n <= 30; n++ {
			d := p.Delay(n, prev, engine.Draw(seed, engine.PurposeJitter, 1, uint64(n)))
			if hi := min(p.Cap, 3*prev); d < p.Base || d > hi {
				t.Fatalf("seed %d retry %d: %v, in [%v, %v]", seed, n, d, p.Base, hi)
			}
			if lo, hi := p.Bounds(n); d < lo || d > hi {
				t.Fatalf("seed %d retry %d: %v, bounds [%v, %v]", seed, n, d, lo, hi)
			}
			prev = d
		}
	}
}

// TestEngineBounds hold over every history: their upper end is the highest draw each time.
func TestEngineBounds(t *testing.T) {
	for _, c := range []struct {
		policy string
		retry  int
		lo, hi time.Duration
	}{
		{"base=1s jitter=full cap=60s", 3, 0, 4 * sec},
		{"base=1s jitter=none cap=60s", 3, 4 * sec, 4 * sec},
		{"base=1s jitter=decorrelated cap=60s", 1, sec, 3 * sec},
		{"base=1s jitter=decorrelated cap=60s", 3, sec, 27 * sec},
		{"base=1s jitter=decorrelated cap=60s", 1 << 60, sec, 60 * sec},
		{"base=1s jitter=decorrelated cap=60s", -3, sec, 3 * sec},
		{"base=1s jitter=decorrelated cap=60s first=immediate", 1, 0, 0},
		{"base=1s jitter=decorrelated cap=60s first=immediate", 3, sec, 9 * sec},
		{"base=1s jitter=decorrelated cap=60s first=unjittered", 1, sec, sec},
		{"base=1s jitter=decorrelated cap=60s first=unjittered", 3, sec, 9 * sec},
		{"base=1s jitter=decorrelated cap=none", 100, sec, engine.Forever},
		{"base=0 jitter=decorrelated least=5s", 9, 5 * sec, 10 * sec},
		{"base=0 jitter=decorrelated", 9, 0, 0},
	} {
		p := mustParse(t, c.policy)
		if lo, hi := p.Bounds(c.retry); lo != c.lo || hi != c.hi {
			t.Errorf("%s, retry %d: [%v, %v], want [%v, %v]", c.policy, c.retry, lo, hi, c.lo, c.hi)
		}
	}
}

// TestEngineRoundingStaysInTheWindow: a very long wait is rounded on its way through a floating-point number.
func TestEngineRoundingStaysInTheWindow(t *testing.T) {
	p := mustParse(t, "cap=none jitter=full curve=constant")
	u := math.Nextafter(1, 0)
	for i := range time.Duration(2000) {
		p.Base = 1<<62 + i
		if d := p.Delay(1, 0, u); d > p.Base {
			t.Fatalf("of %d ns %d are drawn", p.Base, d)
		}
	}
}

// TestEngineDecorrelatedForgetsTheServer: the wait before is the own draw, not what a server made of it.
func TestEngineDecorrelatedForgetsTheServer(t *testing.T) {
	p := play(t, game{
		policy: "base=100ms cap=30s jitter=decorrelated", draw: 0.5,
		replies: []reply{status(503).after(20 * sec), status(503), good()},
	})
	if want := []time.Duration{20 * sec, 350 * ms}; !slices.Equal(p.waits, want) {
		t.Errorf("waits %v, want %v", p.waits, want)
	}
}

// TestEngineBackoffRefuses: what makes no sense is refused by name, and what is merely out of order is clamped.
func TestEngineBackoffRefuses(t *testing.T) {
	for _, text := range []string{
		"base=-1s", "cap=0", "cap=0s", "cap=-5s", "least=-1s", "factor=0.5", "factor=-2", "factor=NaN", "factor=inf", "factor=1e999",
		"shift=2", "shift=-1", "curve=steep", "jitter=some", "jitter=scale:1.5..0.5", "jitter=scale:-1..1", "jitter=scale:0..inf",
		"jitter=additive:-1s", "first=never", "cap-stage=never", "least=20s cap=10s", "base=2562047h47m16.854775807s",
	} {
		p, err := engine.ParsePolicy(text, engine.Default())
		if err == nil {
			t.Errorf("%q was taken: %v", text, p)
			continue
		}
		field := text[:strings.IndexByte(text, '=')]
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%q: %v, which does not name the field", text, err)
		}
	}
	for _, change := range []func(*engine.Policy){
		func(p *engine.Policy) { p.Base = -1 },
		func(p *engine.Policy) { p.Cap = 0 },
		func(p *engine.Policy) { p.Factor = math.NaN() },
		func(p *engine.Policy) { p.Factor = math.Inf(1) },
		func(p *engine.Policy) { p.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: math.NaN(), Hi: 1} },
		func(p *engine.Policy) { p.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: 1, Hi: math.NaN()} },
		func(p *engine.Policy) { p.Jitter = engine.Jitter{Kind: 99} },
		func(p *engine.Policy) { p.Curve = 99 },
	} {
		p := engine.Default()
		change(&p)
		if p.Validate() == nil {
			t.Errorf("a backoff was taken that cannot be: %+v", p.Backoff)
		}
	}
}

// TestEngineBackoffIsWhatIsWaited: a setting must show in the waits themselves.
func TestEngineBackoffIsWhatIsWaited(t *testing.T) {
	p := play(t, game{
		policy:  "attempts=13 base=1s cap=10s curve=linear jitter=none",
		replies: []reply{status(429)},
	})
	var want []time.Duration
	for n := 1; n <= 12; n++ {
		want = append(want, min(time.Duration(n)*sec, 10*sec))
	}
	if !slices.Equal(p.waits, want) {
		t.Errorf("waits %v, want %v", p.waits, want)
	}
	for i := range want {
		if gap := p.sent[i+1] - p.sent[i]; gap != want[i] {
			t.Errorf("between attempts %d and %d there are %v, want %v", i+1, i+2, gap, want[i])
		}
	}
}

// TestEngineDrawsDiffer: two retriers without a seed draw different waits; with the same seed they draw the same ones,
// and another purpose, operation or retry gives another draw.
func TestEngineDrawsDiffer(t *testing.T) {
	waits := func(opts ...engine.Option) []time.Duration {
		var out []time.Duration
		r := mustNew(t, "attempts=6", append(opts, engine.WithClock(engine.NewVirtual(wall)), engine.WithObserver(func(e *engine.Event) {
			if e.Kind == engine.EventWait {
				out = append(out, e.Decision.Own)
			}
		}))...)
		for range 2 { // operations differ, too
			if _, err := engine.Do(t.Context(), r, failing); err == nil {
				t.Fatal("no error")
			}
		}
		return out
	}
	if a, b := waits(), waits(); slices.Equal(a, b) {
		t.Errorf("two retriers drew the same waits: %v", a)
	}
	a, b := waits(engine.WithSeed(3)), waits(engine.WithSeed(3))
	if len(a) != 10 || !slices.Equal(a, b) {
		t.Errorf("one seed, two series: %v, %v", a, b)
	}
	if slices.Equal(a[:5], a[5:]) {
		t.Errorf("two operations drew the same waits: %v", a)
	}
	seen := map[float64]bool{}
	for seed := range uint64(5) {
		for purpose := range engine.Purpose(5) {
			for op := range uint64(5) {
				for retry := range uint64(5) {
					u := engine.Draw(seed, purpose, op, retry)
					if u < 0 || u >= 1 || seen[u] {
						t.Fatalf("draw(%d, %d, %d, %d) = %v, which was drawn before or is out of range", seed, purpose, op, retry, u)
					}
					seen[u] = true
				}
			}
		}
	}
}

// TestEngineSpreadIsDrawn where there is no jitter, too.
func TestEngineSpreadIsDrawn(t *testing.T) {
	seen := map[time.Duration]bool{}
	r := mustNew(t, "attempts=6 base=0 jitter=none spread=1s", engine.WithClock(engine.NewVirtual(wall)), engine.WithSeed(1), engine.WithObserver(func(e *engine.Event) {
		if e.Kind == engine.EventWait {
			seen[e.Decision.Wait] = true
		}
	}))
	if _, err := engine.Do(t.Context(), r, func(context.Context) (int, error) { return 0, engine.RetryAfter(errFlaky, sec) }); err == nil || len(seen) != 5 {
		t.Errorf("waits %v, %v", seen, err)
	}
}

// TestEngineServerWaits is what a Retry-After does to the own wait. The draw is 1, so the own waits are the longest.
func TestEngineServerWaits(t *testing.T) {
	const own = "attempts=2 base=4s cap=60s jitter=none "
	hint := func(state engine.HintState) reply {
		r := status(503)
		r.out.Hint = engine.Hint{State: state}
		if state == engine.HintTooLong {
			r.out.Hint.Wait = engine.Forever
		}
		return r
	}
	playAll(t, []row{
		{name: "none: the own wait", game: game{policy: own, replies: []reply{status(503), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "unreadable: the own wait", game: game{policy: own, replies: []reply{hint(engine.HintUnreadable), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "at-least: the longer one is the server's", game: game{policy: own, replies: []reply{status(503).after(7 * sec), good()}}, calls: 2, waits: []time.Duration{7 * sec}},
		{name: "at-least: the longer one is ours", game: game{policy: own, replies: []reply{status(503).after(1 * sec), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "at-least: in the past", game: game{policy: own, replies: []reply{status(503).after(0), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "replace: shorter", game: game{policy: own + "retry-after=replace", replies: []reply{status(503).after(1 * sec), good()}}, calls: 2, waits: []time.Duration{1 * sec}},
		{name: "replace: longer", game: game{policy: own + "retry-after=replace", replies: []reply{status(503).after(9 * sec), good()}}, calls: 2, waits: []time.Duration{9 * sec}},
		{name: "replace: none is the own wait", game: game{policy: own + "retry-after=replace", replies: []reply{status(503), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "ignore", game: game{policy: own + "retry-after=ignore", replies: []reply{status(503).after(9 * sec), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "ignore: nothing is deferred", game: game{policy: own + "retry-after=ignore", replies: []reply{hint(engine.HintTooLong), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "clamp: from below", game: game{policy: own + "retry-after=clamp:5s", replies: []reply{status(503).after(6 * sec), good()}}, calls: 2, waits: []time.Duration{6 * sec}},
		{name: "clamp: inside", game: game{policy: own + "retry-after=clamp:5s", replies: []reply{status(503).after(1 * sec), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "clamp: from above", game: game{policy: own + "retry-after=clamp:1s", replies: []reply{status(503).after(1 * sec), good()}}, calls: 2, waits: []time.Duration{2 * sec}},
		{name: "spread lengthens", game: game{policy: own + "spread=1s", replies: []reply{status(503).after(7 * sec), good()}}, calls: 2, waits: []time.Duration{8 * sec}},
		{name: "spread by half a draw", game: game{policy: own + "spread=1s", draw: 0.5, replies: []reply{status(503).after(7 * sec), good()}}, calls: 2, waits: []time.Duration{7500 * ms}},
		{name: "spread never shortens", game: game{policy: own + "spread=1s", lowest: true, replies: []reply{status(503).after(7 * sec), good()}}, calls: 2, waits: []time.Duration{7 * sec}},
		{name: "spread leaves an own wait alone", game: game{policy: own + "spread=1s", replies: []reply{status(503), good()}}, calls: 2, waits: []time.Duration{4 * sec}},
		{name: "the cap does not cut a server wait", game: game{policy: "attempts=2 base=1s cap=2s jitter=none ceiling=30s", replies: []reply{status(503).after(20 * sec), good()}}, calls: 2, waits: []time.Duration{20 * sec}},
		{name: "first=immediate does not either", game: game{policy: own + "first=immediate", replies: []reply{status(503).after(7 * sec), good()}}, calls: 2, waits: []time.Duration{7 * sec}},
		{name: "just under the ceiling", game: game{policy: own + "ceiling=30s", replies: []reply{status(429).after(30*sec - 1), good()}}, calls: 2, waits: []time.Duration{30*sec - 1}},
		{name: "exactly at the ceiling", game: game{policy: own + "ceiling=30s", replies: []reply{status(429).after(30 * sec), good()}}, calls: 2, waits: []time.Duration{30 * sec}},
		{name: "just over the ceiling", game: game{policy: own + "ceiling=30s", replies: []reply{status(429).after(30*sec + 1), good()}}, calls: 1, waits: []time.Duration{}, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{name: "the raw figure is compared, before spread", game: game{policy: own + "ceiling=30s spread=5s", replies: []reply{status(429).after(30 * sec), good()}}, calls: 2, waits: []time.Duration{35 * sec}},
		{name: "over the ceiling, whatever retry-after does", game: game{policy: own + "ceiling=3s retry-after=clamp:1s", replies: []reply{status(429).after(10 * sec), good()}}, calls: 1, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{name: "no ceiling", game: game{policy: own + "ceiling=none", replies: []reply{status(429).after(24 * time.Hour), good()}}, calls: 2, waits: []time.Duration{24 * time.Hour}},
		{name: "digits beyond any duration, no ceiling", game: game{policy: own + "ceiling=none", replies: []reply{hint(engine.HintTooLong), good()}}, calls: 1, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{name: "ceiling=0 takes none but 0", game: game{policy: own + "ceiling=0", replies: []reply{status(429).after(1), good()}}, calls: 1, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{name: "on the last attempt the attempts come first", game: game{policy: "attempts=1", replies: []reply{status(429).after(time.Hour)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "it counts only where there is a retry: not on a 404", game: game{policy: own, replies: []reply{status(404).after(time.Hour)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "nor on a success", game: game{policy: own, replies: []reply{good().after(time.Hour)}}, calls: 1, result: engine.ResultSucceeded},
		{name: "503, 429 after 10 s, 200", game: game{policy: "attempts=4 base=1s cap=30s jitter=equal retry-on=429,503 methods=GET,HEAD attempt-timeout=none", replies: []reply{status(503), status(429).after(10 * sec), good()}}, calls: 3, waits: []time.Duration{1 * sec, 10 * sec}},
	})
}
