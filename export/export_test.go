package export_test

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/presets"
)

// goldens are the policies whose exports stand in testdata, in every format.
var goldens = []struct{ name, policy string }{
	{"default", ""},
	{"simple", "attempts=5 base=1s cap=none jitter=none retry-after=ignore attempt-timeout=none retry-on=transport,timeout,429,500,502-504 methods=any"},
	{"rich", "attempts=6 base=100ms cap=5s curve=exponential factor=3 jitter=decorrelated retry-after=clamp:5s spread=1s hints=retry-after-ms timeout=30s methods=GET,POST budget=ratio:20%/10"},
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	for _, f := range export.Formats() {
		for _, g := range goldens {
			file := filepath.Join("testdata", f.ID, g.name+filepath.Ext(f.File))
			got := exported(t, f.ID, g.policy).Text
			if os.Getenv("UPDATE") != "" {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not what is written now (UPDATE=1 renews it):\n%s", file, got)
			}
		}
	}
}

// Every format writes every preset; what it cannot carry is said at the top, and is all in which the two differ.
func TestNothingIsDroppedSilently(t *testing.T) {
	t.Parallel()
	for _, f := range export.Formats() {
		for i, p := range presets.All() {
			if raced && i%8 != 0 {
				continue
			}
			r, err := f.Export(p.Policy)
			if err != nil {
				t.Fatal(err)
			}
			checkExport(t, &f, &p.Policy, &r)
		}
	}
}

func checkExport(t interface {
	Helper()
	Errorf(format string, args ...any)
}, f *export.Format, p *engine.Policy, r *export.Result,
) {
	t.Helper()
	if strings.Contains(r.Text, "export: ") || strings.Contains(r.Text, "<no value>") || strings.TrimSpace(r.Text) == "" {
		t.Errorf("%s of %s: the template failed:\n%s", f.ID, p, r.Text)
	}
	for _, l := range r.Lost {
		head, _, _ := strings.Cut(r.Text, l)
		if head == r.Text || strings.Contains(l, "\n") {
			t.Errorf("%s of %s: %q is not said at the top", f.ID, p, l)
		}
	}
	if err := r.Carried.Validate(); err != nil {
		t.Errorf("%s of %s: carries a policy that is not valid: %v", f.ID, p, err)
	}
	again, err := f.Export(r.Carried)
	if err != nil || again.Carried != r.Carried {
		t.Errorf("%s of %s: what it carries (%s) is not carried: %q, %v", f.ID, p, r.Carried, again.Lost, err)
	}
	if strings.HasSuffix(f.File, ".go") {
		if text, err := format.Source([]byte(r.Text)); err != nil || string(text) != r.Text {
			t.Errorf("%s of %s: not formatted: %v\n%s", f.ID, p, err, r.Text)
		}
	}
}

// A key makes a POST safe to repeat: what goes by a list of methods and looks for none says it, and nothing else does.
func TestKeyIsLookedForOrMissed(t *testing.T) {
	t.Parallel()
	const looksFor, missed = "Idempotency-Key", "no Idempotency-Key is looked for"
	for _, f := range export.Formats() {
		for _, methods := range []string{"idempotent", "GET,PUT", "any"} {
			r := exported(t, f.ID, "attempts=3 retry-on=transport,429,503 methods="+methods)
			lost := strings.Contains(strings.Join(r.Lost, "\n"), missed)
			carried := r.Carried.Attempts > 1 && r.Carried.Methods != engine.MethodsAny && methods != "any"
			ours := f.ID == "line" || f.ID == "toml" || f.ID == "go-retryscope" // these are read by the engine, which looks for it
			code := strings.Contains(strings.ReplaceAll(r.Text, missed, ""), looksFor)
			if want := carried && !ours && !code; lost != want {
				t.Errorf("%s, methods=%s: missing the key is told: %v, want %v\n%s", f.ID, methods, lost, want, r.Text)
			}
		}
	}
}

// One knob moved from what a format carries is either carried or named.
func TestEveryKnobIsCarriedOrNamed(t *testing.T) {
	t.Parallel()
	knobs := map[string][]string{
		"attempts": {"1", "2", "7", "unlimited"}, "base": {"0s", "5ms", "1.5s", "20s"}, "throttle-base": {"1s"}, "cap": {"none", "1s", "1m"},
		"cap-stage": {"before", "after", "both"}, "least": {"0s", "50ms"}, "curve": {"none", "constant", "linear", "quadratic", "exponential", "fibonacci"},
		"factor": {"1", "1.6", "2", "3"}, "shift": {"0", "1"}, "first": {"plain", "immediate", "unjittered"},
		"jitter":      {"none", "full", "equal", "scale:0.5..1.5", "scale:0.8..1.2", "scale:1..2", "additive:100ms", "decorrelated", "smooth"},
		"retry-after": {"at-least", "replace", "ignore", "clamp:5s", "bounded:5s", "required"}, "hints": {"none", "retry-after-ms"}, "spread": {"0s", "1s"},
		"ceiling": {"none", "10s"}, "timeout": {"none", "30s"}, "attempt-timeout": {"none", "3s"},
		"retry-on":       {"none", "transport", "timeout,429", "transport,timeout,invalid-response,unknown,dns,tls,408,429,5xx", "transport,-refused,404,500-504"},
		"retry-after-on": {"any", "429,503"}, "required-on": {"none", "429"}, "reads": {"seconds,zero,date,old-date", "none"},
		"over-ceiling": {"defer", "cut", "own"}, "unsent": {"any", "listed"}, "throttle-cost": {"0", "5"}, "timeout-cost": {"0", "10"},
		"methods": {"any", "idempotent", "GET,POST"}, "budget": {"none", "tokens:500/14/1", "ratio:20%/10"},
	}
	rapid.Check(t, func(t *rapid.T) {
		p := engine.Default()
		for _, name := range engine.Fields() {
			if err := p.Set(name, rapid.SampledFrom(knobs[name]).Draw(t, name)); err != nil {
				t.Fatal(err)
			}
		}
		formats := export.Formats()
		if raced { // one of them for each policy
			i := rapid.IntRange(0, len(formats)-1).Draw(t, "format")
			formats = formats[i : i+1]
		}
		for _, f := range formats {
			r, err := f.Export(p)
			if err != nil {
				t.Fatal(err)
			}
			checkExport(t, &f, &p, &r)
			if lines := strings.Count(r.Text, "\n") - len(r.Lost); f.ID == "go-std" && lines >= 60 {
				t.Fatalf("%d lines:\n%s", lines, r.Text)
			}
			if len(r.Lost) == 0 && f.ID != "line" {
				sameLife(t, &f, &p, &r.Carried)
			}
		}
	})
}

// prices is the budget without those that nobody pays.
func prices(p *engine.Policy) engine.BudgetRule {
	b := p.Budget
	for _, cost := range []*int{&b.ThrottleCost, &b.TimeoutCost} {
		if b.Kind != engine.BudgetTokens || *cost == b.Cost {
			*cost = 0
		}
	}
	return b
}

// sameLife holds two policies against each other: the same windows, and the same limits.
func sameLife(t *rapid.T, f *export.Format, a, b *engine.Policy) {
	t.Helper()
	if a.Attempts != b.Attempts || a.Timeout != b.Timeout || a.AttemptTimeout != b.AttemptTimeout {
		t.Fatalf("%s: %s became %s and nothing is said", f.ID, a, b)
	}
	if a.Attempts == 1 {
		return
	}
	heard := a.RetryAfter.Mode != engine.RetryAfterIgnore
	if a.RetryOn.Statuses != b.RetryOn.Statuses || a.Methods != b.Methods || prices(a) != prices(b) || a.RetryAfter != b.RetryAfter ||
		heard && (a.RetryAfterOn != b.RetryAfterOn || a.Reads != b.Reads || a.Ceiling != engine.NoCeiling && a.OverCeiling != b.OverCeiling) {
		t.Fatalf("%s: %s became %s and nothing is said", f.ID, a, b)
	}
	for retry := 1; retry < 8; retry++ {
		lo, hi := a.Bounds(retry)
		lo2, hi2 := b.Bounds(retry)
		if lo != lo2 || hi != hi2 {
			t.Fatalf("%s: %s became %s: retry %d waits %v–%v, not %v–%v", f.ID, a, b, retry, lo2, hi2, lo, hi)
		}
	}
}

func TestInvalidPolicyIsRefused(t *testing.T) {
	t.Parallel()
	for _, f := range export.Formats() {
		var text strings.Builder
		if _, err := f.Write(&text, engine.Policy{}); err == nil || text.Len() > 0 {
			t.Errorf("%s writes a policy that is not valid: %q", f.ID, text.String())
		}
	}
}

// Where a connection that is dropped is none to retry, Go's net/http sends again all the same: that is said, and nowhere else.
func TestWhatNetHTTPSendsAgainIsSaid(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"go-std", "cenkalti", "avast", "sethvargo", "failsafe", "retryablehttp"} {
		for policy, want := range map[string]bool{
			"": false, "retry-on=transport,503": false, "retry-on=reset,closed,503": false, "attempts=1 retry-on=503": false,
			"retry-on=transport,-reset,503": true, "retry-on=transport,-closed": true, "retry-on=503": true, "retry-on=timeout": true, "retry-on=reset": true,
		} {
			if lost := strings.Join(exported(t, id, policy).Lost, "\n"); strings.Contains(lost, "net/http itself sends a GET") != want {
				t.Errorf("%s of %q: %s", id, policy, lost)
			}
		}
	}
}

// A client that reads Retry-After by itself goes by its own clock, which is said; what is read by code of ours is not.
func TestWhoseClock(t *testing.T) {
	t.Parallel()
	for _, f := range export.Formats() {
		r := exported(t, f.ID, "attempts=3 retry-after=replace retry-on=503")
		said := strings.Contains(strings.Join(r.Lost, "\n"), "not from the answer's own Date")
		if said && strings.Contains(r.Text, "asked(value, date)") {
			t.Errorf("%s reads it itself:\n%s", f.ID, r.Text)
		}
		if want := f.ID == "ky" || f.ID == "urllib3"; want && !said {
			t.Errorf("%s does not say it: %q", f.ID, r.Lost)
		}
	}
}
