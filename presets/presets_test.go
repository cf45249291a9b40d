package presets_test

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

func TestEveryPresetSaysItself(t *testing.T) {
	for _, p := range presets.All() {
		if p.ID == "" || p.Name == "" || p.Source == "" || p.Notes == "" {
			t.Errorf("%+v: a field is empty", p)
		}
		if err := p.Policy.Validate(); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		if p.ID != presets.DefaultID && p.Policy == engine.Default() {
			t.Errorf("%s: its policy did not read", p.ID)
		}
		got, id, err := presets.Parse(p.ID)
		if err != nil || got != p.Policy || id != p.ID {
			t.Errorf("Parse(%q) = %v, %s, %v", p.ID, got, id, err)
		}
	}
}

func TestPolicies(t *testing.T) {
	want := map[string]string{
		"default":          "attempts=4 base=200ms cap=10s curve=exponential factor=2 jitter=full retry-after=at-least ceiling=30s timeout=none attempt-timeout=10s retry-on=transport,timeout,invalid-response,429,5xx,-501,-505,-511 methods=idempotent",
		"first-principles": "attempts=3 base=0s cap=10s curve=none factor=2 jitter=none retry-after=ignore ceiling=30s timeout=none attempt-timeout=none retry-on=transport,timeout,invalid-response,429,5xx methods=idempotent",
		"carom":            "attempts=4 base=100ms cap=30s curve=exponential factor=2 jitter=decorrelated retry-after=ignore ceiling=30s timeout=none attempt-timeout=none retry-on=transport,timeout,invalid-response,decoding,unknown,5xx methods=any",
		"server-led":       "attempts=4 base=1s cap=30s curve=exponential factor=2 jitter=equal retry-after=at-least ceiling=30s timeout=none attempt-timeout=none retry-on=429,503 methods=GET,HEAD",
	}
	if len(want) != len(presets.All()) {
		t.Errorf("%d presets, the table has %d", len(presets.All()), len(want))
	}
	for id, line := range want {
		p, ok := presets.Get(id)
		if !ok || p.Policy.String() != line {
			t.Errorf("%s is\n%s, not\n%s", id, p.Policy, line)
		}
	}
}

func TestParse(t *testing.T) {
	p, id, err := presets.Parse("carom attempts=6")
	if err != nil || id != "carom" || p.Attempts != 6 || p.Jitter.Kind != engine.JitterDecorrelated {
		t.Errorf("carom attempts=6: %v %s %v", p, id, err)
	}
	carom, _ := presets.Get("carom")
	if short := p.Short("carom", carom.Policy); short != "carom attempts=6" {
		t.Errorf("short form %q", short)
	}
	for _, bad := range []string{"nosuch", "carom attempts=0", "carom foo", "attempts"} {
		if _, _, err := presets.Parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if _, _, err := presets.Parse("nosuch"); err == nil || !strings.Contains(err.Error(), "carom") {
		t.Errorf("a wrong name is not answered with the right ones: %v", err)
	}
	if p, id, err := presets.Parse(""); err != nil || id != "default" || p != engine.Default() {
		t.Errorf("no text is not the default policy: %v %s %v", p, id, err)
	}
}
