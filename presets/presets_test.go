package presets_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

func TestEveryPresetSaysItself(t *testing.T) {
	for _, p := range presets.All() {
		for what, text := range map[string]string{
			"id": p.ID, "name": p.Name, "ecosystem": p.Ecosystem, "library": p.Library, "version": p.Version, "source": p.Source, "notes": p.Notes,
		} {
			if strings.TrimSpace(text) == "" || text != strings.TrimSpace(text) || strings.ContainsAny(text, "\n\t") {
				t.Errorf("%s: its %s is %q", p.ID, what, text)
			}
		}
		if len([]rune(p.Name)) > 30 || len(p.ID) > 26 {
			t.Errorf("%s: %q is too long for a list", p.ID, p.Name)
		}
		for _, s := range append(slices.Clone(p.CannotSay), p.Notes) {
			if !strings.HasSuffix(s, ".") {
				t.Errorf("%s: %q is no sentence", p.ID, s)
			}
		}
		if len(p.CannotSay) == 0 && p.Ecosystem != "retryscope" && p.Ecosystem != "Papers" && p.ID != "requests" {
			t.Errorf("%s: a client of which nothing is left out?", p.ID)
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
		if again, err := engine.ParsePolicy(p.Policy.String(), engine.Default()); err != nil || again != p.Policy {
			t.Errorf("%s: its line does not read back: %v", p.ID, err)
		}
		if p.Evidence() == "" {
			t.Errorf("%s: no word on how it is known", p.ID)
		}
	}
}

// TestOrder: by ecosystem in the order given, by id within one, each id once, and only in what a shell and a file take.
func TestOrder(t *testing.T) {
	all, at, last := presets.All(), 0, ""
	if len(all) < 94 || len(presets.IDs()) != len(all) {
		t.Errorf("%d presets, %d ids", len(all), len(presets.IDs()))
	}
	seen := map[string]bool{}
	groups := presets.Ecosystems()
	for i, p := range all {
		if seen[p.ID] || presets.IDs()[i] != p.ID {
			t.Errorf("%s is there twice, or out of turn", p.ID)
		}
		seen[p.ID] = true
		if strings.Trim(p.ID, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			t.Errorf("the id %q", p.ID)
		}
		for at < len(groups) && groups[at] != p.Ecosystem {
			at, last = at+1, ""
		}
		if at == len(groups) {
			t.Fatalf("%s: %s is out of turn", p.ID, p.Ecosystem)
		}
		if p.Ecosystem != "retryscope" && p.ID < last {
			t.Errorf("%s stands after %s", p.ID, last)
		}
		last = p.ID
	}
	if at != len(groups)-1 {
		t.Errorf("nothing under %v", groups[at+1:])
	}
	for i, id := range []string{"default", "first-principles", "carom", "server-led"} {
		if all[i].ID != id {
			t.Errorf("%s is not in place %d", id, i)
		}
	}
}

// TestOlderSaysSo: where a library changed, the older preset says that it is, and differs.
func TestOlderSaysSo(t *testing.T) {
	for older, newer := range map[string]string{
		"aws-sdk-go-v2-legacy": "aws-sdk-go-v2-standard", "grpc-go-retry-1.68": "grpc-go-retry", "ky-1": "ky", "got-14": "got",
		"cenkalti-backoff-v4": "cenkalti-backoff-v5", "avast-retry-go-v4": "avast-retry-go-v5", "resty-v2": "resty-v3",
		"aws-js-v3-pre2026": "aws-js-v3", "botocore-standard": "botocore-standard-2026", "aws-net-legacy": "aws-net-standard",
	} {
		a, ok := presets.Get(older)
		b, there := presets.Get(newer)
		if !ok || !there || !strings.Contains(a.Notes, "older of two") || strings.Contains(b.Notes, "older of two") || a.Version == b.Version && a.Library == b.Library && older != "botocore-standard" {
			t.Errorf("%s (%s) and %s (%s)", older, a.Notes, newer, b.Notes)
		}
	}
}

func TestLeftOut(t *testing.T) {
	list := presets.LeftOut()
	if len(list) == 0 {
		t.Error("nothing is left out?")
	}
	for _, m := range list {
		if m.Client == "" || m.Why == "" {
			t.Errorf("%+v", m)
		}
		if _, id, ok := strings.Cut(m.Why, "the same figures"); ok {
			if _, found := presets.Get(id[strings.LastIndex(id, " ")+1:]); !found {
				t.Errorf("%s: %s is no preset", m.Client, id)
			}
		}
	}
	list[0].Client = "changed"
	if presets.LeftOut()[0].Client == "changed" {
		t.Error("the list is shared")
	}
}

func TestFind(t *testing.T) {
	for text, want := range map[string]string{"azcore": "azcore", "AZURE FOR GO": "azcore", "cenkalti/backoff": "cenkalti-backoff-v5", ".net": "polly-v8", "": "carom"} {
		found, _ := presets.Find(text)
		if !slices.ContainsFunc(found, func(p presets.Preset) bool { return p.ID == want }) {
			t.Errorf("%q does not find %s", text, want)
		}
	}
	if found, missing := presets.Find("sidekiq 8"); len(found) != 0 || len(missing) != 1 {
		t.Errorf("sidekiq finds %d presets, and %d that are left out", len(found), len(missing))
	}
	if found, missing := presets.Find("nosuch"); len(found)+len(missing) != 0 {
		t.Errorf("nosuch finds %v, %v", found, missing)
	}
}

// TestPresetsAreCopies: whoever gets one may change it.
func TestPresetsAreCopies(t *testing.T) {
	p, _ := presets.Get("got")
	p.CannotSay[0], p.Policy.Attempts = "changed", 99
	presets.All()[len(presets.All())-40].CannotSay[0] = "changed"
	for _, q := range presets.All() {
		if slices.Contains(q.CannotSay, "changed") || q.Policy.Attempts == 99 {
			t.Errorf("%s has changed", q.ID)
		}
	}
}

func TestNear(t *testing.T) {
	for id, want := range map[string]string{
		"polly": "polly-v8", "carm": "carom", "got14": "got-14", "AXIOS": "axios-retry", "nosuch": "default", "": "server-led", "backoff-v5": "cenkalti-backoff-v5",
	} {
		if near := presets.Near(id); !slices.Contains(near, want) || len(near) > 8 {
			t.Errorf("Near(%q) = %v", id, near)
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
	var unknown *presets.UnknownError
	if _, _, err := presets.Parse("polly attempts=2"); !errors.As(err, &unknown) || unknown.ID != "polly" || !strings.Contains(err.Error(), "polly-v8") {
		t.Errorf("polly: %v", err)
	}
	// What was meant as a file, or is one, is neither repeated whole nor taken for a name that happens to stand in it.
	if _, _, err := presets.Parse(`{"methodConfig":[{"retryPolicy":{"initialBackoff":"0.1s"}}]}` + strings.Repeat("é", 500)); err == nil || len(err.Error()) > 250 || !strings.Contains(err.Error(), "there are default,") || !strings.Contains(err.Error(), "…\"") {
		t.Errorf("a text is no name: %v", err)
	}
	if p, id, err := presets.Parse(""); err != nil || id != "default" || p != engine.Default() {
		t.Errorf("no text is not the default policy: %v %s %v", p, id, err)
	}
}
