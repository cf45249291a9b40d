package main_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

const defaultLine = "attempts=4 base=200ms cap=10s curve=exponential factor=2 jitter=full retry-after=at-least ceiling=30s timeout=none " +
	"attempt-timeout=10s retry-on=transport,timeout,invalid-response,429,5xx,-501,-505,-511 methods=idempotent"

// TestEnginePolicyDefault: the default policy is this line, and this line is the default policy.
func TestEnginePolicyDefault(t *testing.T) {
	if got := engine.Default().String(); got != defaultLine {
		t.Errorf("the default policy is\n%s\nwant\n%s", got, defaultLine)
	}
	p, err := engine.ParsePolicy(defaultLine, engine.Policy{Backoff: engine.Backoff{Factor: 1, Cap: 1}, Methods: "any"})
	if err != nil || p != engine.Default() {
		t.Errorf("the line reads as %v, %v", p, err)
	}
	if q := mustParse(t, ""); q != engine.Default() {
		t.Errorf("no words make %v", q)
	}
}

// TestEnginePolicyWords: what is written, and how the knob then reads.
func TestEnginePolicyWords(t *testing.T) {
	for _, c := range []struct{ text, field, want string }{
		{"attempts=1", "attempts", "1"},
		{"attempts=unlimited", "attempts", "unlimited"},
		{"retries=3", "attempts", "4"},
		{"retries=-3", "attempts", "1"},
		{"retries=-99999999999999999999", "attempts", "1"},
		{"retries=unlimited", "attempts", "unlimited"},
		{"base=0", "base", "0s"},
		{"base=1500ms", "base", "1.5s"},
		{"base=90s", "base", "1m30s"},
		{"base=1h", "base", "1h"},
		{"base=70m", "base", "1h10m"},
		{"base=1h0m5s", "base", "1h0m5s"},
		{"base=1us", "base", "1µs"},
		{"base=0.001us", "base", "1ns"},
		{"base=0.000us", "base", "0s"},
		{"throttle-base=1s", "throttle-base", "1s"},
		{"throttle-base=0", "throttle-base", "0s"},
		{"cap=none", "cap", "none"},
		{"cap-stage=both", "cap-stage", "both"},
		{"least=5ms", "least", "5ms"},
		{"curve=fibonacci", "curve", "fibonacci"},
		{"factor=1", "factor", "1"},
		{"factor=1.5", "factor", "1.5"},
		{"factor=1000000", "factor", "1000000"},
		{"factor=1e21", "factor", "1e21"},
		{"shift=1", "shift", "1"},
		{"first=immediate", "first", "immediate"},
		{"jitter=none", "jitter", "none"},
		{"jitter=scale:0.5..1.5", "jitter", "scale:0.5..1.5"},
		{"jitter=scale:0..0.0000001", "jitter", "scale:0..1e-07"},
		{"jitter=scale:-0..1", "jitter", "scale:0..1"},
		{"jitter=additive:100ms", "jitter", "additive:100ms"},
		{"jitter=decorrelated", "jitter", "decorrelated"},
		{"jitter=smooth", "jitter", "smooth"},
		{"retry-after=clamp:5s", "retry-after", "clamp:5s"},
		{"retry-after=bounded:5s", "retry-after", "bounded:5s"},
		{"retry-after=ignore", "retry-after", "ignore"},
		{"retry-after-on=any", "retry-after-on", "any"},
		{"retry-after-on=503,429", "retry-after-on", "429,503"},
		{"retry-after-on=5xx,-501", "retry-after-on", "5xx,-501"},
		{"required-on=none", "required-on", "none"},
		{"required-on=413", "required-on", "413"},
		{"reads=none", "reads", "none"},
		{"reads=date,seconds", "reads", "seconds,date"},
		{"reads=old-date,date,zero,negative,fraction,seconds,date", "reads", "seconds,fraction,negative,zero,date,old-date"},
		{"over-ceiling=cut", "over-ceiling", "cut"},
		{"over-ceiling=own", "over-ceiling", "own"},
		{"over-ceiling=defer", "over-ceiling", "defer"},
		{"unsent=listed", "unsent", "listed"},
		{"throttle-cost=5", "throttle-cost", "5"},
		{"throttle-cost=5 budget=tokens:9/3/1", "throttle-cost", "5"},
		{"timeout-cost=0", "timeout-cost", "0"},
		{"timeout-cost=10 budget=none", "timeout-cost", "10"},
		{"retry-after=required", "retry-after", "required"},
		{"hints=none", "hints", "none"},
		{"hints=Retry-After-Ms", "hints", "retry-after-ms"},
		{"hints=x-ratelimit-reset,retry-after-ms", "hints", "x-ratelimit-reset,retry-after-ms"},
		{"hints=ratelimit-reset,x-amz-retry-after,x-ms-retry-after-ms,retry-after-ms,x-ratelimit-reset", "hints", "ratelimit-reset,x-amz-retry-after,x-ms-retry-after-ms,retry-after-ms,x-ratelimit-reset"},
		{"spread=1s", "spread", "1s"},
		{"ceiling=none", "ceiling", "none"},
		{"ceiling=0", "ceiling", "0s"},
		{"timeout=none", "timeout", "none"},
		{"timeout=0", "timeout", "none"},
		{"timeout=30s", "timeout", "30s"},
		{"attempt-timeout=0s", "attempt-timeout", "none"},
		{"retry-on=none", "retry-on", "none"},
		{"retry-on=503", "retry-on", "503"},
		{"retry-on=503,503", "retry-on", "503"},
		{"retry-on=500-504", "retry-on", "500-504"},
		{"retry-on=500,501", "retry-on", "500,501"},
		{"retry-on=500,501,502", "retry-on", "500-502"},
		{"retry-on=-505,5xx,-501,-511", "retry-on", "5xx,-501,-505,-511"},
		{"retry-on=5xx,-520-599", "retry-on", "500-519"},
		{"retry-on=5xx,-5xx,503", "retry-on", "503"},
		{"retry-on=tls", "retry-on", "tls"},
		{"retry-on=transport,-reset", "retry-on", "transport,-reset"},
		{"retry-on=-reset,transport", "retry-on", "transport,-reset"},
		{"retry-on=unknown,decoding", "retry-on", "decoding,unknown"},
		{"retry-on=301,408,425", "retry-on", "301,408,425"},
		{"methods=any", "methods", "any"},
		{"methods=POST,GET", "methods", "GET,POST"},
		{"methods=get", "methods", "GET"},
		{"methods=GET,GET", "methods", "GET"},
		{"methods=M-SEARCH", "methods", "M-SEARCH"},
		{"budget=none", "budget", "none"},
		{"budget=tokens:500/14/1", "budget", "tokens:500/14/1"},
		{"budget=ratio:20%/10", "budget", "ratio:20%/10"},
		{"budget=ratio:0.5%/0", "budget", "ratio:0.5%/0"},
	} {
		p := mustParse(t, c.text)
		got, ok := p.Get(c.field)
		if !ok || got != c.want {
			t.Errorf("%s: %s=%s, want %s", c.text, c.field, got, c.want)
		}
		if back := mustParse(t, p.String()); back != p {
			t.Errorf("%s: %s reads back as %s", c.text, p, back)
		}
	}
}

// TestEnginePolicyRefuses: a wrong name, unit or range is an error that names the field, the value and what is allowed.
func TestEnginePolicyRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"attempts=0", "attempts=0: 1 or more"},
		{"attempts=", "attempts: 1 or more"},
		{"retries=x", "retries=x: a whole number"},
		{"base=5", "base=5: a number with a unit: 200ms, 1.5s, 2m, 1h"},
		{"base=none", "base=none: a number with a unit"},
		{"base=-1s", "base=-1s: 0 or more, with a unit"},
		{"base=0.1ns", "base=0.1ns: 0, or 1ns or more, with a unit"},
		{"least=0.0009us", "least=0.0009us: 0, or 1ns or more, with a unit"},
		{"spread=-0.1ns", "spread=-0.1ns: 0, or 1ns or more, with a unit"},
		{"timeout=0.5ns", "timeout=0.5ns: 0, or 1ns or more, with a unit: 200ms, 1.5s, 2m, 1h, or none"},
		{"ceiling=0.5ns", "ceiling=0.5ns: 0, or 1ns or more, with a unit: 200ms, 1.5s, 2m, 1h, or none"},
		{"cap=0.5ns", "cap=0.5ns: above 0 with a unit"},
		{"jitter=additive:0.1ns", "jitter=additive:0.1ns"},
		{"retry-after=clamp:0.1ns", "retry-after=clamp:0.1ns"},
		{"cap=0s", "cap=0s: above 0 with a unit (10s), or none"},
		{"ceiling=-1s", "ceiling=-1s: 0 or more, with a unit"},
		{"throttle-base=-1s", "throttle-base=-1s: 0 or more, with a unit"},
		{"=4", "=4: write name=value, for example attempts=4"},
		{"methods=none", "methods=none: idempotent, any, or a list"},
		{"methods=GET,None", "methods=GET,None: idempotent, any, or a list"},
		{"throttle-base=none", "throttle-base=none: a number with a unit"},
		{"jitter=smooth:2", "jitter=smooth:2: none, full, equal, scale:0.5..1.5, additive:100ms, decorrelated or smooth"},
		{"retry-after=required:5s", "retry-after=required:5s: at-least"},
		{"retry-after=bounded", "retry-after=bounded: at-least, replace, ignore, clamp:5s, bounded:5s or required"},
		{"retry-after=bounded:-1s", "retry-after=bounded:-1s: at-least"},
		{"retry-after-on=none", "retry-after-on=none: any, or statuses other than 2xx"},
		{"retry-after-on=transport", "retry-after-on=transport: any, or statuses"},
		{"retry-after-on=reset", "retry-after-on=reset: any, or statuses"},
		{"retry-after-on=204", "retry-after-on=204: any, or statuses"},
		{"retry-after-on=-503", "retry-after-on=-503: any, or statuses"},
		{"required-on=any", "required-on=any: none, or statuses other than 2xx"},
		{"required-on=", "required-on: none, or statuses"},
		{"required-on=413,-413", "named both in and out"},
		{"reads=", "reads: none, or a list of seconds, fraction, negative, zero, date, old-date"},
		{"reads=digits", "reads=digits: none, or a list of"},
		{"reads=none,date", "reads=none,date: none, or a list of"},
		{"over-ceiling=wait", "over-ceiling=wait: defer, cut, own"},
		{"unsent=none", "unsent=none: any, listed"},
		{"throttle-cost=-1", "throttle-cost=-1: a whole number of tokens"},
		{"throttle-cost=1000000001", "throttle-cost=1000000001: a whole number of tokens"},
		{"timeout-cost=ten", "timeout-cost=ten: a whole number of tokens"},
		{"hints=", "hints: none, or a list of retry-after-ms, x-ms-retry-after-ms,"},
		{"hints=retry-after", "hints=retry-after: none, or a list of"},
		{"hints=x-wait", "hints=x-wait: none, or a list of"},
		{"hints=none,ratelimit-reset", "hints=none,ratelimit-reset: none, or a list of"},
		{"hints=ratelimit-reset,", "hints=ratelimit-reset,: none, or a list of"},
		{"hints=ratelimit-reset,Ratelimit-Reset", "hints=ratelimit-reset,Ratelimit-Reset: none, or a list of"},
		{"hints=ratelimit-reset,ratelimit-reset,ratelimit-reset,ratelimit-reset,ratelimit-reset,ratelimit-reset", "each once"},
		{"curve=cubic", "curve=cubic: none, constant, linear, quadratic, exponential, fibonacci"},
		{"factor=0x2", "factor=0x2: 1 or more, finite"},
		{"jitter=half", "jitter=half: none, full, equal"},
		{"retry-after=clamp", "retry-after=clamp: at-least, replace, ignore, clamp:5s, bounded:5s or required"},
		{"retry-on=", `retry-on: "" is no outcome`},
		{"retry-on=2xx", "a 2xx is a success"},
		{"retry-on=200", "a 2xx is a success"},
		{"retry-on=150-350", "a 2xx is a success"},
		{"retry-on=504-500", "a range goes upwards"},
		{"retry-on=600", "statuses are 100 to 599"},
		{"retry-on=99", "no outcome"},
		{"retry-on=503,-503", "named both in and out"},
		{"retry-on=tls,-tls", "named both in and out"},
		{"retry-on=cancelled", "no outcome"},
		{"retry-on=success", "no outcome"},
		{"methods=", "methods: idempotent, any, or a list"},
		{"methods=GET,", "methods=GET,: idempotent, any, or a list"},
		{"methods=Idempotent", "methods=Idempotent: idempotent, any, or a list"},
		{"methods=GET,any", "methods=GET,any: idempotent, any, or a list"},
		{"methods=lıst", "idempotent, any, or a list"},
		{"budget=tokens:1/0/0", "budget=tokens:1/0/0: none, tokens:"},
		{"budget=ratio:20/10", "budget=ratio:20/10: none, tokens:"},
		{"budget=ratio:2000%/10", "budget=ratio:2000%/10: none, tokens:"},
		{"attempts", "attempts: write name=value"},
		{"=1", "=1: write name=value"},
		{"nonsense=1", "nonsense: no such knob; there are attempts, base,"},
		{"base=1s base=2s", "base=2s: given twice, first as base=1s"},
		{"base=1\x1b[31ms", `base="1\x1b[31ms": a number`},
	} {
		p, err := engine.ParsePolicy(c.text, engine.Default())
		if err == nil {
			t.Errorf("%q was taken: %v", c.text, p)
			continue
		}
		if p != engine.Default() {
			t.Errorf("%q is half applied: %v", c.text, p)
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
		if f, ok := errors.AsType[*engine.FieldError](err); !ok || f.Field == "" || f.Allowed == "" {
			t.Errorf("%q: %#v is no FieldError that says what is allowed", c.text, err)
		}
	}
}

// TestEnginePolicyNamesAllThatIsWrong: every bad field at once, and nothing is half applied.
func TestEnginePolicyNamesAllThatIsWrong(t *testing.T) {
	p, err := engine.ParsePolicy("attempts=0 base=1s cap=never least=1h frobnicate=1 methods=GET, timeout=5s", engine.Default())
	if err == nil || p != engine.Default() {
		t.Fatalf("%v, %v", p, err)
	}
	var named []string
	for e := range strings.Lines(err.Error()) {
		named = append(named, e[:strings.IndexAny(e, "=:")])
	}
	if want := []string{"attempts", "cap", "frobnicate", "methods"}; !slices.Equal(named, want) {
		t.Errorf("named %v, want %v:\n%v", named, want, err)
	}
	// Fields that were read are judged against each other in the same breath.
	if _, err := engine.ParsePolicy("attempts=0 least=1h", engine.Default()); err == nil || !strings.Contains(err.Error(), "least=1h: at most the cap, 10s") {
		t.Errorf("attempts=0 least=1h: %v", err)
	}
	q := engine.Policy{Backoff: engine.Backoff{Factor: math.NaN()}}
	err = q.Validate()
	for _, field := range []string{"attempts", "cap", "factor", "methods"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("the zero policy: %v, which does not name %s", err, field)
		}
	}
}

// TestEnginePolicyAnswersForeignNames: a well-known name of another client is answered with ours.
func TestEnginePolicyAnswersForeignNames(t *testing.T) {
	for name, want := range map[string]string{
		"maxRetries": "maxRetries: here attempts, which counts the first send too", "max_retries": "attempts, which counts the first send too",
		"retry-max": "attempts, which counts the first send too", "maxAttempts": "here attempts", "initialInterval": "here base", "minTimeout": "here base",
		"maxBackoff": "here cap", "multiplier": "here factor", "backoff_factor": "here base and factor", "randomizationFactor": "here jitter",
		"maxElapsedTime": "here timeout", "per-try-timeout": "here attempt-timeout", "status_forcelist": "here retry-on",
		"allowed_methods": "here methods", "throttle_base_delay": "here throttle-base", "retry-after-ms": "here hints", "respectRetryAfterHeader": "here retry-after",
		"afterStatusCodes": "here retry-after-on", "retry_after_max": "here ceiling, with over-ceiling=cut", "RetryTimeoutCost": "here timeout-cost",
	} {
		_, err := engine.ParsePolicy(name+"=1", engine.Default())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestEnginePolicyShort: the short form is a preset's name and what differs.
func TestEnginePolicyShort(t *testing.T) {
	p := mustParse(t, "attempts=6 methods=any")
	if got, want := p.Short("carom", engine.Default()), "carom attempts=6 methods=any"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := engine.Default().Short("default", engine.Default()); got != "default" {
		t.Errorf("%q", got)
	}
}

// TestEnginePolicyIsAValue: it is compared with ==, and a changed copy leaves the original alone.
func TestEnginePolicyIsAValue(t *testing.T) {
	p := mustParse(t, "methods=GET,POST budget=tokens:5/1/1")
	q := p
	q.RetryOn.Statuses.Remove(503)
	q.RetryOn.SetKind(engine.KindTimeout, false)
	q.RetryOn.SetCause(engine.CauseTLS, 1)
	q.Methods = "any"
	if p == q || p.String() != mustParse(t, "methods=GET,POST budget=tokens:5/1/1").String() {
		t.Errorf("a changed copy changed the original: %v", p)
	}
}

// TestEnginePolicyIsText: one form in flags, files and everything that asks for text.
func TestEnginePolicyIsText(t *testing.T) {
	p := mustParse(t, "attempts=6 jitter=equal")
	b, err := json.Marshal(map[string]engine.Policy{"p": p})
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]engine.Policy
	if err := json.Unmarshal(b, &back); err != nil || back["p"] != p {
		t.Errorf("%s reads back as %v, %v", b, back["p"], err)
	}
	bad := p
	if err := bad.UnmarshalText([]byte("attempts=0")); err == nil || bad != p {
		t.Errorf("bad text: %v, %v", bad, err)
	}
}

// TestEnginePolicyKnobs: every knob has a name, a text and a way back.
func TestEnginePolicyKnobs(t *testing.T) {
	names := engine.Fields()
	want := strings.Fields("attempts base throttle-base cap cap-stage least curve factor shift first jitter retry-after retry-after-on required-on reads hints spread ceiling over-ceiling timeout attempt-timeout retry-on methods unsent budget throttle-cost timeout-cost")
	if !slices.Equal(names, want) {
		t.Errorf("knobs %v, want %v", names, want)
	}
	p := engine.Default()
	for _, name := range names {
		v, ok := p.Get(name)
		if !ok || v == "" {
			t.Errorf("%s: %q, %v", name, v, ok)
		}
		if err := p.Set(name, v); err != nil || p != engine.Default() {
			t.Errorf("%s=%s: %v", name, v, err)
		}
	}
	if _, ok := p.Get("frobnicate"); ok {
		t.Error("a knob that is none has a value")
	}
	if err := p.Set("frobnicate", "1"); err == nil {
		t.Error("a knob that is none was set")
	}
}

// TestEnginePolicyThatHasNoTextIsRefused: a policy made in code must say no more than its text can.
func TestEnginePolicyThatHasNoTextIsRefused(t *testing.T) {
	for i, change := range []func(*engine.Policy){
		func(p *engine.Policy) { p.Attempts = engine.Unlimited - 1 },
		func(p *engine.Policy) { p.Base = engine.Forever },
		func(p *engine.Policy) { p.Least = engine.Forever },
		func(p *engine.Policy) { p.Timeout = engine.Forever },
		func(p *engine.Policy) { p.AttemptTimeout = -1 },
		func(p *engine.Policy) { p.Spread = -1 },
		func(p *engine.Policy) { p.Ceiling = -1 },
		func(p *engine.Policy) { p.Jitter = engine.Jitter{Kind: engine.JitterFull, Lo: 1} },
		func(p *engine.Policy) { p.Jitter = engine.Jitter{Kind: engine.JitterAdditive, Add: -1} },
		func(p *engine.Policy) { p.RetryAfter.Range = time.Second },
		func(p *engine.Policy) { p.RetryAfter.Mode = 77 },
		func(p *engine.Policy) {
			p.RetryAfter = engine.RetryAfterRule{Mode: engine.RetryAfterRequired, Range: 1}
		},
		func(p *engine.Policy) { p.ThrottleBase = -1 },
		func(p *engine.Policy) { p.RetryAfterOn.Add(204) },
		func(p *engine.Policy) { p.RequiredOn.Add(200) },
		func(p *engine.Policy) { p.Reads = 64 },
		func(p *engine.Policy) { p.OverCeiling = 3 },
		func(p *engine.Policy) { p.Unsent = 2 },
		func(p *engine.Policy) { p.Budget.ThrottleCost = -1 },
		func(p *engine.Policy) { p.Budget.TimeoutCost = 1_000_000_001 },
		func(p *engine.Policy) { p.ThrottleBase = engine.Forever },
		func(p *engine.Policy) { p.Jitter = engine.Jitter{Kind: engine.JitterSmooth, Hi: 1} },
		func(p *engine.Policy) { p.Hints[0] = 99 },
		func(p *engine.Policy) { p.Hints[1] = engine.HeaderRetryAfterMS },
		func(p *engine.Policy) { p.Hints[0], p.Hints[1] = engine.HeaderRetryAfterMS, engine.HeaderRetryAfterMS },
		func(p *engine.Policy) { p.RetryOn.SetKind(engine.KindCancelled, true) },
		func(p *engine.Policy) { p.RetryOn.SetKind(engine.KindSuccess, true) },
		func(p *engine.Policy) { p.RetryOn.Statuses.Add(200) },
		func(p *engine.Policy) { p.RetryOn.Causes, p.RetryOn.NotCauses = 2, 2 },
		func(p *engine.Policy) { p.RetryOn.Causes = 1 << 31 },
		func(p *engine.Policy) { p.Methods = "POST,GET" },
		func(p *engine.Policy) { p.Methods = "get" },
		func(p *engine.Policy) { p.Methods = "GET,ANY" },
		func(p *engine.Policy) { p.Methods = "-" },
		func(p *engine.Policy) { p.Budget.Capacity = 5 },
		func(p *engine.Policy) { p.Budget = engine.BudgetRule{Kind: engine.BudgetTokens} },
		func(p *engine.Policy) {
			p.Budget = engine.BudgetRule{Kind: engine.BudgetRatio, Percent: math.NaN()}
		},
		func(p *engine.Policy) { p.Budget.Kind = 9 },
	} {
		p := engine.Default()
		change(&p)
		if p.Validate() == nil {
			t.Errorf("change %d was taken: %v", i, p)
		}
	}
}

// TestEngineStatusSet: statuses from 100 to 599, and nothing beside them.
func TestEngineStatusSet(t *testing.T) {
	var s engine.StatusSet
	s.AddRange(500, 504)
	s.Remove(502)
	s.RemoveRange(504, 700)
	for _, out := range []int{-1, 0, 99, 600, 611, 1 << 40} {
		s.Add(out)
	}
	var got []int
	for i := -1000; i < 2000; i++ {
		if s.Has(i) {
			got = append(got, i)
		}
	}
	if want := []int{500, 501, 503}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s != (engine.StatusSet{6: s[6]}) {
		t.Errorf("bits beside the statuses: %b", s)
	}
}

// TestEngineParseDuration: what is written as a time is never cut to none.
func TestEngineParseDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{"0": 0, "0s": 0, "0.0ns": 0, "-0s": 0, "1ns": 1, "1.9ns": 1, "0h0m0.000000001s": 1, "1h30m": 90 * time.Minute, "-1s": -sec} {
		if d, err := engine.ParseDuration(s); d != want || err != nil {
			t.Errorf("%s: %v, %v", s, d, err)
		}
	}
	for _, s := range []string{"0.1ns", "0.9ns", "-0.1ns", "0.0000000000001h", "0s0.1ns", ".5ns"} {
		if d, err := engine.ParseDuration(s); d != 0 || !errors.Is(err, engine.ErrTooShort) {
			t.Errorf("%s: %v, %v", s, d, err)
		}
	}
	for _, s := range []string{"", "5", "1x", "9223372036854775808ns"} {
		if _, err := engine.ParseDuration(s); err == nil || errors.Is(err, engine.ErrTooShort) {
			t.Errorf("%s: %v", s, err)
		}
	}
}
