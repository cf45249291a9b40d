package ui

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
)

// TestNewKnobs: how the knobs that known clients need turn, show and fall silent.
func TestNewKnobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy string
		knob   knob
		text   string
		note   string
		off    bool
		right  string // its text after a step to the right
	}{
		{"", knobThrottleBase, "0s", "the base", false, ""},
		{"throttle-base=1s", knobThrottleBase, "1s", "after a 429", false, ""},
		{"throttle-base=1s retry-on=5xx", knobThrottleBase, "1s", "no retry of 429", true, ""},
		{"throttle-base=1s curve=none", knobThrottleBase, "1s", "no curve", true, ""},
		{"throttle-base=1s attempts=1", knobThrottleBase, "1s", "no retry", true, ""},
		{"", knobHints, "none", "", false, "retry-after-ms"},
		{"hints=x-ratelimit-reset", knobHints, "x-ratelimit-reset", "", false, "none"},
		{"hints=ratelimit-reset,retry-after-ms", knobHints, "ratelimit-reset,retry-after-ms", "", false, "none"},
		{"retry-after=ignore", knobHints, "none", "ignored", true, "retry-after-ms"},
		{"retry-after=clamp:5s", knobRetryAfter, "clamp:5s, up to 30s", "", false, "bounded:5s, up to 30s"},
		{"retry-after=bounded:2s ceiling=none", knobRetryAfter, "bounded:2s, no ceiling", "", false, "required, no ceiling"},
		{"", knobRetryAfterOn, "any", "", false, "429,503"},
		{"retry-after=ignore", knobRetryAfterOn, "any", "ignored", true, ""},
		{"retry-after-on=503", knobRetryAfterOn, "503", "", false, "any"},
		{"retry-after-on=404", knobRetryAfter, "at least", "", false, "replace"},
		{"retry-after-on=404", knobCeiling, "30s", "none heard", true, ""},
		{"", knobRequiredOn, "none", "", false, "413"},
		{"required-on=413", knobRequiredOn, "413", "not retried", true, "429,503"},
		{"required-on=429", knobRequiredOn, "429", "", false, ""},
		{"required-on=429 retry-after=required", knobRequiredOn, "429", "on all of them", true, ""},
		{"", knobReads, "seconds,zero,date,old-date", "", false, "seconds,fraction,zero,date,old-date"},
		{"reads=none", knobSpread, "0s", "none heard", true, ""},
		{"reads=none hints=x-amz-retry-after", knobSpread, "0s", "", false, ""},
		{"reads=none retry-after=ignore", knobReads, "none", "ignored", true, ""},
		{"", knobOverCeiling, "defer", "", false, "cut"},
		{"ceiling=none", knobOverCeiling, "defer", "no ceiling", true, "cut"},
		{"ceiling=none over-ceiling=own", knobOverCeiling, "own", "", false, "defer"},
		{"retry-after=ignore", knobOverCeiling, "defer", "ignored", true, ""},
		{"", knobUnsent, "any", "", false, "listed"},
		{"methods=any", knobUnsent, "any", "any method", true, "listed"},
		{"", knobThrottleCost, "0", "no tokens", true, "1"},
		{"budget=tokens:500/14/1", knobThrottleCost, "0", "as any: 14", false, "1"},
		{"budget=tokens:500/14/1 throttle-cost=5", knobThrottleCost, "5", "tokens", false, "10"},
		{"budget=tokens:500/14/1 retry-on=5xx", knobThrottleCost, "0", "no retry of 429", true, ""},
		{"budget=tokens:500/14/1 timeout-cost=10", knobTimeoutCost, "10", "tokens", false, "14"},
		{"budget=tokens:500/14/1 retry-on=5xx", knobTimeoutCost, "0", "no such retry", true, ""},
		{"retry-after=required", knobRetryAfter, "required, up to 30s", "", false, "at least, up to 30s"},
		{"jitter=decorrelated", knobJitter, "decorrelated", "", false, "smooth"},
		{"jitter=smooth", knobCurve, "exponential", "own growth", true, "fibonacci"},
		{"jitter=smooth", knobFactor, "2", "own growth", true, ""},
		{"jitter=smooth curve=none", knobBase, "200ms", "", false, ""},
	} {
		p, err := engine.ParsePolicy(c.policy, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		note, off := knobNote(&p, c.knob)
		if text := knobText(&p, c.knob); text != c.text || note != c.note || off != c.off {
			t.Errorf("%s: %q (%s, off %v), want %q (%s, off %v)", c.policy, text, note, off, c.text, c.note, c.off)
		}
		q, err := turned(p, c.knob, 1, false)
		if err != nil || q == p {
			t.Errorf("%s: %v does not turn: %v", c.policy, c.knob, err)
		}
		if text := knobText(&q, c.knob); c.right != "" && text != c.right {
			t.Errorf("%s: turned to %q, want %q", c.policy, text, c.right)
		}
	}
}

// TestCostOfSmooth: the sum of all own waits is the last point on the curve, so the mean of the sum needs no history to
// check: it is that of the point.
func TestCostOfSmooth(t *testing.T) {
	t.Parallel()
	p, err := engine.ParsePolicy("attempts=6 base=1s cap=none jitter=smooth", engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	const points = 4096
	var want float64
	for i := range points {
		_, at := p.Step(5, 0, (float64(i)+0.5)/points)
		want += at.Seconds() / points
	}
	c := CostOf(&p, engine.SafeMethod, engine.BodyNone)
	if got := c.Mean.Seconds(); got < want*0.99 || got > want*1.01 {
		t.Errorf("mean %v, want %.2fs", c.Mean, want)
	}
	if _, most := p.Step(5, 0, 1); c.Max <= most {
		t.Errorf("max %v: the longest of each wait together are more than %v", c.Max, most)
	}
}

// TestFormulaOfNewKnobs: of the smooth curve, and of a wait after a 429: with the base that it was drawn from.
func TestFormulaOfNewKnobs(t *testing.T) {
	t.Parallel()
	p, err := engine.ParsePolicy("base=1s throttle-base=5s jitter=smooth", engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]string{503: "smooth, 1s*curve(3)", 429: "smooth, 5s*curve(3)"} {
		after := p.After(&engine.Outcome{Kind: engine.KindStatus, Status: status})
		if got := strings.ReplaceAll(formula(&after, 3, 0, ASCII()), " ", ""); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("after a %d: %q, want %q", status, got, want)
		}
	}
}
