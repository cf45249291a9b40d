package lint_test

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/lint"
)

// TestPlantedFaults: beside each rule's own example, every form of a fault that somebody may write is found, by a sentence that
// tells it, and the nearest policy without it is not blamed.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, fires, says, quiet string }{
		{"no-jitter", "jitter=none", "the first is 200ms, the longest 800ms", "jitter=scale:0.9..1"},
		{"no-jitter", "jitter=scale:1..1", "No wait is drawn by chance", "jitter=scale:1..2"},
		{"no-jitter", "jitter=additive:0s", "No wait is drawn by chance", "jitter=additive:1ms"},
		{"no-jitter", "attempts=2 first=unjittered", "No wait is drawn by chance", "attempts=3 first=unjittered"},
		{"no-wait", "base=0s", "3 retries follow at once", "base=1ns"},
		{"no-wait", "base=0s throttle-base=1s", "There is no own wait but after a 429: 3 retries follow at once", "base=0s throttle-base=1s retry-on=429"},
		{"no-wait", "curve=none", "3 retries follow at once", "curve=constant"},
		{"no-wait", "attempts=2 first=immediate", "the one retry follows at once", "attempts=2"},
		{"first-retry-at-once", "first=immediate", "only from retry 2 on is there a wait", "first=plain"},
		{"cap-never-reached", "cap=1s", "The cap of 1s is never reached: the longest of 3 waits is 800ms", "cap=800ms"},
		{"cap-reached-at-once", "base=10s", "The first wait, of 10s before the jitter, is at the cap of 10s already", "base=9s"},
		{"cap-reached-at-once", "base=1m jitter=decorrelated", "at the cap of 10s already", "base=9s jitter=decorrelated"},
		{"cap-before-jitter", "cap=800ms jitter=additive:100ms", "100ms beyond the cap of 800ms", "cap=900ms jitter=additive:100ms"},
		{"cap-before-jitter", "cap=800ms jitter=scale:0.5..1.5", "400ms beyond the cap of 800ms", "cap=800ms jitter=scale:0.5..1.5 cap-stage=after"},
		{"attempt-never-made", "base=1s jitter=none timeout=7s", "Attempt 4 is never made", "base=1s jitter=none timeout=7001ms"},
		{"longer-than-timeout", "timeout=31s", "attempt 4 is not made then", "timeout=42s"},
		{"attempts-longer-than-timeout", "timeout=39s", "4 attempts of 10s take 40s without any wait, and timeout is 39s", "timeout=40s"},
		{"unlimited", "attempts=unlimited timeout=1m", "Attempts end by the clock alone, after 1m", "attempts=1000000 timeout=1m"},
		{"unlimited-without-deadline", "attempts=unlimited", "", "attempts=unlimited timeout=1h"},
		{"unlimited-without-deadline", "attempts=unlimited budget=ratio:20%/10", "never ends", "attempts=unlimited budget=tokens:500/14/1"},
		{"unlimited", "attempts=unlimited budget=tokens:500/14/1", "by the budget alone: after 36 sends", "attempts=36 budget=tokens:500/14/1"},
		{"unlimited", "attempts=unlimited budget=tokens:500/14/1 timeout=1h base=1ms", "is sent to 36 times, and then the budget ends it", "attempts=99 timeout=1h"},
		{"thin-jitter", "jitter=scale:0.999..1.001", "Retry 3 is drawn from 799.2ms–800.7", "jitter=scale:0.9..1.1"},
		{"thin-jitter", "jitter=additive:1ns", "within 1ns", "jitter=additive:1s"},
		{"thin-jitter", "attempts=2 jitter=scale:0.999..1.001", "Retry 1 is drawn from", "attempts=2"},
		{"thin-jitter", "base=1ms jitter=scale:0.99..1", "within 40µs", "base=1ms jitter=none"},
		{"thin-jitter", "throttle-base=1s jitter=scale:0.99..1", "Retry 3 is drawn from 792ms–800ms", "throttle-base=1s"},
		{"thin-jitter", "attempts=8 jitter=scale:1..1.5 cap-stage=after", "Retry 7 always waits 10s", "attempts=8 jitter=scale:0.5..1 cap-stage=after"},
		{"thin-jitter", "attempts=unlimited jitter=smooth", "A late retry always waits 10s", "attempts=unlimited jitter=equal"},
		{"cap-reached-at-once", "curve=constant base=20s", "The first wait, of 20s before the jitter, is cut to the cap of 10s", "curve=constant base=10s"},
		{"cap-reached-at-once", "attempts=2 base=20s", "of 20s before the jitter, is", "attempts=2 base=10s"},
		{"cap-reached-at-once", "throttle-base=20s", "After a 429 the first wait, of 20s before the jitter, is at the cap of 10s already", "throttle-base=9s"},
		{"non-idempotent", "methods=any", "POST and PATCH too", "methods=idempotent"},
		{"non-idempotent", "methods=PATCH", "PATCH is sent again without a key", "methods=DELETE"},
		{"retries-decoding", "retry-on=decoding", "cannot", "retry-on=invalid-response"},
		{"retries-4xx", "retry-on=401", "401: the request itself is refused", "retry-on=408"},
		{"retries-4xx", "retry-on=403", "403: the request itself is refused", "retry-on=409"},
		{"retries-4xx", "retry-on=404", "404: the request itself is refused", "retry-on=425"},
		{"retries-501", "retry-on=501", "501", "retry-on=502"},
		{"retries-501", "retry-on=505", "505", "retry-on=504"},
		{"no-429", "retry-on=transport,5xx", "429 is final", "retry-on=transport"},
		{"ignores-retry-after", "retry-after=ignore retry-on=503", "Retry-After is not heard on 503", "retry-after=ignore retry-on=500"},
		{"ignores-retry-after", "retry-after=ignore throttle-base=1s", "is asked again after 0s–1s where that was a 429, else after 0s–200ms.", "throttle-base=1s"},
		{"ignores-retry-after", "retry-after-on=429 throttle-base=1s", "not heard on 503: a server that asks for a minute is asked again after 0s–200ms.", "throttle-base=1s"},
		{"cuts-retry-after", "ceiling=999ms", "the ceiling is 999ms", "ceiling=1s"},
		{"ceiling-below-cap", "ceiling=9s", "grow to the cap of 10s, but a server that asks for more than 9s", "ceiling=10s"},
		{"no-budget", "attempts=6", "6 times", "attempts=6 budget=ratio:20%/10"},
		{"no-spread", "ceiling=30s", "the same moment", "spread=1ms"},
		{"long-wait", "attempts=2 base=86401s cap=none", "Retry 1 may wait 24h0m1s", "attempts=2 base=24h cap=none"},
		{"long-wait", "ceiling=86401s", "A Retry-After of up to 24h0m1s", "ceiling=24h"},
	} {
		f, ok := find(lint.Check(policy(t, c.fires), lint.Context{}), c.id)
		if !ok || !strings.Contains(strings.ReplaceAll(f.Says, "could not", "cannot"), c.says) {
			t.Errorf("%s: %s is not found, or not told so: %q", c.fires, c.id, f.Says)
		}
		if f, ok := find(lint.Check(policy(t, c.quiet), lint.Context{}), c.id); ok {
			t.Errorf("%s: %s: %s", c.quiet, c.id, f.Says)
		}
	}
}

// TestLayers: only a layer that retries multiplies, and the product is the sends of one operation.
func TestLayers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inner string
		under []string
		says  string
	}{
		{"attempts=4", []string{"attempts=3"}, "3 attempts of 0 around 4 attempts make up to 12 sends of one operation"},
		{"attempts=4", []string{"attempts=3", "attempts=1", "attempts=5"}, "3 attempts of 0 times 5 attempts of 2 around 4 attempts make up to 60 sends"},
		{"attempts=4", []string{"attempts=1"}, ""},
		{"attempts=4", []string{"attempts=9 retry-on=none"}, ""},
		{"attempts=4", []string{"attempts=9 budget=tokens:1/2/1"}, ""},
		{"attempts=1", []string{"attempts=9"}, ""},
		{"attempts=4 retry-on=none", []string{"attempts=9"}, ""},
		{"attempts=unlimited timeout=1m", []string{"attempts=2"}, "make sends without end"},
		{"attempts=1000000000", []string{"attempts=1000000000", "attempts=1000000000"}, "make sends without end"},
	} {
		var ctx lint.Context
		for i, text := range c.under {
			ctx.Under = append(ctx.Under, lint.Layer{Name: string(rune('0' + i)), Policy: policy(t, text)})
		}
		f, ok := find(lint.Check(policy(t, c.inner), ctx), "nested")
		if ok != (c.says != "") || !strings.Contains(f.Says, c.says) {
			t.Errorf("%s under %q: %q, want %q", c.inner, c.under, f.Says, c.says)
		}
	}
}
