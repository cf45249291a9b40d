package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
)

func policy(t testing.TB, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func context(t *testing.T, r *lint.Rule) lint.Context {
	t.Helper()
	if r.Under == "" {
		return lint.Context{}
	}
	return lint.Context{Under: []lint.Layer{{Name: "outer", Policy: policy(t, r.Under)}}}
}

func find(all []lint.Finding, id string) (lint.Finding, bool) {
	i := slices.IndexFunc(all, func(f lint.Finding) bool { return f.ID == id })
	if i < 0 {
		return lint.Finding{}, false
	}
	return all[i], true
}

// TestRules: each rule's own example has it, the nearest policy has not, and they are one knob apart.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range lint.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			fires, quiet, ctx := policy(t, r.Fires), policy(t, r.Quiet), context(t, &r)
			f, ok := find(lint.Check(fires, ctx), r.ID)
			if !ok {
				t.Fatalf("%s does not fire it", r.Fires)
			}
			if f.Severity != r.Severity || !strings.HasSuffix(f.Says, ".") || strings.ContainsAny(f.Says, "\n\t") {
				t.Errorf("%+v", f)
			}
			if f, ok := find(lint.Check(quiet, ctx), r.ID); ok {
				t.Errorf("%s fires it: %s", r.Quiet, f.Says)
			}
			var apart []string
			for _, name := range engine.Fields() {
				a, _ := fires.Get(name)
				b, _ := quiet.Get(name)
				if a != b {
					apart = append(apart, name)
				}
			}
			if len(apart) != 1 {
				t.Errorf("the two are apart in %v", apart)
			}
			for _, text := range []string{r.Title, r.Why} {
				if text == "" || strings.TrimSpace(text) != text {
					t.Errorf("words %q", text)
				}
			}
		})
	}
}

func TestIDsAreUniqueAndPlain(t *testing.T) {
	t.Parallel()
	ids := lint.IDs()
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("an id is there twice")
	}
	for _, id := range ids {
		if strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("id %q", id)
		}
		if _, ok := lint.RuleOf(id); !ok {
			t.Errorf("%s: no rule", id)
		}
	}
	if _, ok := lint.RuleOf("nothing"); ok {
		t.Error("a rule of no name")
	}
}

// many policies: every preset, every example, and knobs turned one after the other.
func many(t *testing.T) []engine.Policy {
	t.Helper()
	var out []engine.Policy
	for _, p := range presets.All() {
		out = append(out, p.Policy)
	}
	for _, r := range lint.Rules() {
		out = append(out, policy(t, r.Fires), policy(t, r.Quiet))
	}
	turns := []string{
		"attempts=1", "attempts=2", "attempts=50", "attempts=unlimited", "attempts=1000000000", "base=0s", "base=1h", "cap=1ms", "cap=none", "least=1ms cap=1ms",
		"cap-stage=both", "curve=none", "curve=quadratic", "curve=fibonacci", "factor=1", "first=immediate", "first=unjittered", "jitter=none", "jitter=equal",
		"jitter=scale:0..3", "jitter=additive:1m", "jitter=decorrelated", "jitter=smooth", "retry-after=required", "retry-after=clamp:1s", "retry-after=ignore",
		"spread=1h", "ceiling=0s", "ceiling=none", "ceiling=48h", "timeout=1ns", "timeout=1s", "timeout=48h", "attempt-timeout=1ns", "attempt-timeout=none",
		"retry-on=none", "retry-on=timeout", "retry-on=4xx,5xx", "methods=PATCH", "methods=any", "budget=ratio:0%/0", "budget=tokens:1000000000/1000000000/0", "throttle-base=5s",
		"retry-after=bounded:5s", "retry-after-on=503", "retry-after-on=429", "required-on=429", "reads=none", "over-ceiling=cut", "over-ceiling=own", "unsent=listed", "budget=tokens:9/10/1 throttle-cost=9", "timeout-cost=1",
	}
	share := 4
	if raced {
		share = 101
	}
	for _, base := range slices.Clone(out[:12]) {
		for _, a := range turns {
			p, err := engine.ParsePolicy(a, base)
			if err != nil {
				continue
			}
			out = append(out, p)
			for i, b := range turns {
				if (i+len(out))%share != 0 {
					continue // a share of the pairs, another one for each policy
				}
				if q, err := engine.ParsePolicy(b, p); err == nil {
					out = append(out, q)
				}
			}
		}
	}
	return out
}

// TestChangesMend: a finding's change is a policy's text, and on top of the policy it silences the finding.
func TestChangesMend(t *testing.T) {
	t.Parallel()
	ctx := lint.Context{Under: []lint.Layer{{Name: "outer", Policy: engine.Default()}}}
	all := many(t)
	if len(all) < 3_000 && !raced {
		t.Errorf("only %d policies", len(all))
	}
	wrong := 0
	for i := range all {
		for _, f := range lint.Check(all[i], ctx) {
			q, err := engine.ParsePolicy(f.Change, all[i])
			if err != nil {
				t.Errorf("%s\n%s: %q: %v", all[i], f.ID, f.Change, err)
			} else if lint.Has(q, ctx, f.ID) {
				t.Errorf("%s\n%s: %q does not mend it", all[i], f.ID, f.Change)
			} else {
				continue
			}
			if wrong++; wrong > 10 {
				t.FailNow()
			}
		}
	}
}

// TestFindingsAreInOrder: the gravest first, each id once, and the same each time.
func TestFindingsAreInOrder(t *testing.T) {
	t.Parallel()
	all := many(t)
	for i := 0; i < len(all); i += 7 {
		fs := lint.Check(all[i], lint.Context{})
		if !slices.IsSortedFunc(fs, func(a, b lint.Finding) int { return int(b.Severity) - int(a.Severity) }) {
			t.Fatalf("%s: %v", all[i], fs)
		}
		if !slices.Equal(fs, lint.Check(all[i], lint.Context{})) {
			t.Fatalf("%s: another time other findings", all[i])
		}
		for _, id := range lint.IDs() {
			if _, found := find(fs, id); found != lint.Has(all[i], lint.Context{}, id) {
				t.Fatalf("%s: %s is found: %v, and the rule alone says otherwise", all[i], id, found)
			}
		}
		for j := range fs {
			if _, twice := find(fs[j+1:], fs[j].ID); twice {
				t.Fatalf("%s: %s twice", all[i], fs[j].ID)
			}
		}
	}
}

// TestCommonFindingsAreLast: what nearly every policy has stands behind every other finding, and is a note.
func TestCommonFindingsAreLast(t *testing.T) {
	t.Parallel()
	for _, p := range presets.All() {
		common := false
		for _, f := range lint.Check(p.Policy, lint.Context{}) {
			if common && !f.Common || f.Common && f.Severity != lint.Note {
				t.Errorf("%s: %s stands behind what is common", p.ID, f.ID)
			}
			common = common || f.Common
		}
	}
}

// TestOneAttempt: what is never sent again has no fault in its waits.
func TestOneAttempt(t *testing.T) {
	t.Parallel()
	if fs := lint.Check(policy(t, "attempts=1 jitter=none methods=any base=0s"), lint.Context{}); len(fs) != 0 {
		t.Errorf("%v", fs)
	}
}

func TestKeyed(t *testing.T) {
	t.Parallel()
	p := policy(t, "methods=any")
	if _, ok := find(lint.Check(p, lint.Context{}), "non-idempotent"); !ok {
		t.Error("not found")
	}
	if f, ok := find(lint.Check(p, lint.Context{Keyed: true}), "non-idempotent"); ok {
		t.Errorf("with a key: %v", f)
	}
}

// TestNoFault are policies with all but the fault: what is called one in them would be a false alarm.
func TestNoFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ policy, id string }{
		{"methods=GET,QUERY", "non-idempotent"},
		{"retry-on=413,429,503 required-on=413", "retries-4xx"},
		{"retry-on=413,429,503 required-on=413,429", "retries-4xx"},
	} {
		if f, ok := find(lint.Check(policy(t, c.policy), lint.Context{}), c.id); ok {
			t.Errorf("%s: %s: %s", c.policy, f.ID, f.Says)
		}
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	outer := lint.Context{Under: []lint.Layer{{Name: "gateway", Policy: policy(t, "attempts=3")}, {Name: "mesh", Policy: policy(t, "attempts=5")}}}
	endless := lint.Context{Under: []lint.Layer{{Name: "gateway", Policy: policy(t, "attempts=unlimited")}}}
	for _, c := range []struct {
		policy   string
		ctx      lint.Context
		id, says string
		change   string
	}{
		{"jitter=scale:0.5..1.5 base=8s", lint.Context{}, "cap-before-jitter", "Retry 2 may wait 15s, 5s beyond the cap of 10s", "cap-stage=after"},
		{"timeout=20s", lint.Context{}, "longer-than-timeout", "4 attempts of up to 10s with their longest waits take 41.4s, and timeout is 20s: attempt 3 is not made then, it would begin 20.6s on.", "timeout=43s"},
		{"timeout=41s", lint.Context{}, "longer-than-timeout", "the last attempt is cut off", "timeout=43s"},
		{"timeout=1s attempt-timeout=none", lint.Context{}, "longer-than-timeout", "The longest waits take 1.4s, and timeout is 1s: attempt 4 is not made then, it would begin 1.4s on.", "timeout=3s"},
		{"jitter=none base=1s timeout=5s", lint.Context{}, "attempt-never-made", "Attempt 4 is never made: with the shortest waits, and answers that take no time, it would begin 7s on, and timeout is 5s.", "attempts=3"},
		{"timeout=30s", lint.Context{}, "attempts-longer-than-timeout", "4 attempts of 10s take 40s without any wait, and timeout is 30s: where each runs into its limit there is room for 3.", "attempt-timeout=7.5s"},
		{"timeout=5s attempts=1", lint.Context{}, "attempts-longer-than-timeout", "One attempt may take 10s, and the whole operation 5s", "attempt-timeout=5s"},
		{"attempts=4", outer, "nested", "3 attempts of gateway times 5 attempts of mesh around 4 attempts make up to 60 sends of one operation.", "attempts=1"},
		{"attempts=4", endless, "nested", "unlimited attempts of gateway around 4 attempts make sends without end.", "attempts=1"},
		{"attempts=unlimited timeout=1m jitter=none base=10s cap=10s", lint.Context{}, "unlimited", "at least 6 times", "attempts=10"},
		{"retry-on=401,403,404,429", lint.Context{}, "retries-4xx", "401, 403 and 404: the request itself is refused, and sent again up to 3 times", "retry-on=429"},
		{"retry-on=4xx,503", lint.Context{}, "retries-4xx", "400, 401, 403, 404, 422 and 89 more", "retry-on=408,409,421,423,425,429,503"},
		{"methods=GET,PATCH,POST", lint.Context{}, "non-idempotent", "PATCH and POST are sent again", "methods=GET"},
		{"methods=POST", lint.Context{}, "non-idempotent", "POST is", "methods=idempotent"},
		{"methods=POST,QUERY", lint.Context{}, "non-idempotent", "POST is", "methods=QUERY"},
		{"retry-on=404,413,503 required-on=413", lint.Context{}, "retries-4xx", "404: the request itself is refused", "retry-on=413,503"},
		{"cap=1m", lint.Context{}, "ceiling-below-cap", "grow to the cap of 1m, but a server that asks for more than 30s", "ceiling=1m"},
		{"cap=10s", lint.Context{}, "cap-never-reached", "The cap of 10s is never reached: the longest of 3 waits is 800ms.", "cap=800ms"},
		{"attempts=40 cap=none ceiling=none timeout=none", lint.Context{}, "long-wait", "Retry 20 may wait 29h", "cap=1h"},
		{"retry-after=bounded:5s", lint.Context{}, "cuts-retry-after", "A server is asked again 5.2s after its answer at the latest", "retry-after=at-least"},
		{"over-ceiling=cut", lint.Context{}, "cuts-retry-after", "A server that asks for more than 30s is asked again after that, before it wished.", "over-ceiling=defer"},
		{"over-ceiling=own", lint.Context{}, "cuts-retry-after", "A server that asks for more than 30s is taken for one that asked for nothing", "over-ceiling=defer"},
		{"retry-after-on=429", lint.Context{}, "ignores-retry-after", "Retry-After is not heard on 503: a server that asks for a minute is asked again after", "retry-after-on=any"},
		{"reads=none", lint.Context{}, "ignores-retry-after", "Retry-After is not heard on 429 and 503", "reads=seconds,zero,date,old-date"},
		{"reads=none retry-after-on=404", lint.Context{}, "ignores-retry-after", "Retry-After is not heard on 429 and 503", "retry-after-on=any reads=seconds,zero,date,old-date"},
		{"timeout=1ns", lint.Context{}, "ceiling-beyond-timeout", "none of 1ns or more fits into the timeout", "timeout=1m"},
		{"timeout=1s ceiling=none", lint.Context{}, "ceiling-beyond-timeout", "A Retry-After of any length is taken", "timeout=1m ceiling=30s"},
		{"throttle-base=20s", lint.Context{}, "cap-reached-at-once", "After a 429", "cap=2m40s"},
		{"curve=constant base=20s", lint.Context{}, "cap-reached-at-once", "is cut to the cap of 10s", "cap=20s"},
		{"ceiling=25h", lint.Context{}, "long-wait", "A Retry-After of up to 25h", "ceiling=1h"},
	} {
		f, ok := find(lint.Check(policy(t, c.policy), c.ctx), c.id)
		if !ok || !strings.Contains(f.Says, c.says) || f.Change != c.change {
			t.Errorf("%s: %s %v\n%s\n%s, want\n%s\n%s", c.policy, c.id, ok, f.Says, f.Change, c.says, c.change)
		}
	}
}
