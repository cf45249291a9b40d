package lab_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

const ms = time.Millisecond

// The presets of the rules below, as policies.
const (
	serverLed = "attempts=4 base=1s cap=30s factor=2 jitter=equal retry-after=at-least ceiling=30s timeout=none attempt-timeout=none retry-on=429,503 methods=GET,HEAD"
	carom     = "attempts=4 base=100ms cap=30s jitter=decorrelated retry-after=ignore timeout=none attempt-timeout=none " +
		"retry-on=transport,timeout,invalid-response,decoding,unknown,5xx methods=any"
)

func policy(t testing.TB, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func config(t testing.TB, scriptText, policyText string) lab.Config {
	t.Helper()
	s, err := script.Parse(scriptText)
	if err != nil {
		t.Fatal(err)
	}
	return lab.Config{Policy: policy(t, policyText), Script: s, Seed: 42, Draw: -1, CancelAt: -1, SignOutAt: -1}
}

// want is what a run should come to; a nil waits is not looked at.
type want struct {
	result   engine.Result
	reason   engine.Reason
	attempts int
	waits    []time.Duration
	at       time.Duration // 0: not looked at
	err      string        // what the error has in it
}

func (w want) check(t *testing.T, name string, tr *trace.Trace) {
	t.Helper()
	d := tr.Done
	if d == nil {
		t.Fatalf("%s: no end", name)
	}
	if d.Result != w.result || d.Reason != w.reason || d.Attempts != w.attempts {
		t.Errorf("%s: %v %v after %d, want %v %v after %d; %s", name, d.Result, d.Reason, d.Attempts, w.result, w.reason, w.attempts, d.Err)
	}
	if got := waits(tr); w.waits != nil && !equal(got, w.waits) {
		t.Errorf("%s: waits %v, want %v", name, got, w.waits)
	}
	if w.at != 0 && d.At != w.at {
		t.Errorf("%s: over at %v, want %v", name, d.At, w.at)
	}
	if !strings.Contains(d.Err, w.err) || (d.Err == "") != (d.Result == engine.ResultSucceeded) {
		t.Errorf("%s: error %q, want %q in it", name, d.Err, w.err)
	}
	if !tr.Checks.OK() {
		t.Errorf("%s: %v", name, tr.Broken)
	}
}

func waits(tr *trace.Trace) []time.Duration {
	out := []time.Duration{}
	for i := range tr.Attempts {
		if w := &tr.Attempts[i].Wait; w.Begun {
			out = append(out, w.For)
		}
	}
	return out
}

func equal(a, b []time.Duration) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func jsonOf(t testing.TB, tr *trace.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := tr.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestScripted(t *testing.T) {
	t.Parallel()
	post := lab.Request{Method: "POST", Body: []byte("x"), HasBody: true}
	keyed, once := post, post
	keyed.Key = "k"
	once.Key, once.BodyOnce = "k", true
	tests := []struct {
		name, script, policy string
		change               func(*lab.Config)
		want                 want
	}{
		{
			"503, 429, 200 led by the server", "503, 429 after=10, 200", serverLed, func(c *lab.Config) { c.Draw = 1 },
			want{attempts: 3, waits: []time.Duration{time.Second, 10 * time.Second}, at: 11 * time.Second},
		},
		{
			"over the ceiling", "429 after=60", serverLed, nil,
			want{result: engine.ResultDeferred, reason: engine.ReasonCeiling, attempts: 1, waits: []time.Duration{}, err: "429 Too Many Requests (deferred: server asked 1m, ceiling 30s)"},
		},
		{
			"exactly at the ceiling", "429 after=30, 200", serverLed, nil,
			want{attempts: 2, waits: []time.Duration{30 * time.Second}},
		},
		{
			"beyond every duration", "429 after=99999999999999999999", serverLed, nil,
			want{result: engine.ResultDeferred, reason: engine.ReasonCeiling, attempts: 1, err: "429"},
		},
		{"unreadable: below 0", "429 after=-5, 200", serverLed, func(c *lab.Config) { c.Draw = 1 }, want{attempts: 2, waits: []time.Duration{time.Second}}},
		{"unreadable: a fraction", "429 after=1.5, 200", serverLed, func(c *lab.Config) { c.Draw = 1 }, want{attempts: 2, waits: []time.Duration{time.Second}}},
		{
			"decorrelated", "503", carom, func(c *lab.Config) { c.Draw = 0.5 },
			want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 4, waits: []time.Duration{200 * ms, 350 * ms, 575 * ms}, err: "503 Service Unavailable (attempts-exhausted after 4 attempts)"},
		},
		{
			"POST", "503", "", func(c *lab.Config) { c.Request = post },
			want{result: engine.ResultFailed, reason: engine.ReasonNotIdempotent, attempts: 1, err: "503 Service Unavailable (not-idempotent after 1 attempt)"},
		},
		{"POST with a key", "503, 200", "", func(c *lab.Config) { c.Request = keyed }, want{attempts: 2}},
		{
			"POST with a key and a body that can be read once", "503, 200", "", func(c *lab.Config) { c.Request = once },
			want{result: engine.ResultFailed, reason: engine.ReasonNotReplayable, attempts: 1, err: "503"},
		},
		{"POST that never left", "refused, 200", "", func(c *lab.Config) { c.Request = post }, want{attempts: 2}},
		{"one-shot body that never left", "refused, 200", "", func(c *lab.Config) { c.Request = once }, want{attempts: 2}},
		{
			"timeout of an attempt", "hang, 200", "attempt-timeout=1s jitter=none", nil,
			want{attempts: 2, at: 1200 * ms},
		},
		{
			"timeout before a wait", "503 latency=80ms", "timeout=1s base=2s jitter=none", nil,
			want{result: engine.ResultTimedOut, reason: engine.ReasonDeadline, attempts: 1, waits: []time.Duration{}, at: 80 * ms, err: "503 Service Unavailable (timeout 1s"},
		},
		{
			"timeout in an attempt", "503, hang", "timeout=1s jitter=none attempt-timeout=none", nil,
			want{result: engine.ResultTimedOut, reason: engine.ReasonDeadline, attempts: 2, at: time.Second},
		},
		{
			"by time", "@0s 503, @3s 200", "base=1s jitter=none", nil,
			want{attempts: 3, waits: []time.Duration{time.Second, 2 * time.Second}, at: 3 * time.Second},
		},
		{
			"cancelled at once", "200", "", func(c *lab.Config) { c.CancelAt = 0 },
			want{result: engine.ResultCancelled, reason: engine.ReasonCancelled, attempts: 0, err: "canceled"},
		},
		{
			"hard stop", "503", "attempts=9 jitter=none base=1ms", func(c *lab.Config) { c.MaxSends = 3 },
			want{result: engine.ResultFailed, reason: engine.ReasonMaxSends, attempts: 3, err: "503 Service Unavailable (max-sends after 3 attempts)"},
		},
		{
			"never answers", "503, hang", "jitter=none attempt-timeout=none", nil,
			want{result: engine.ResultEndless, reason: engine.ReasonNeverAnswers, attempts: 2, err: "503"},
		},
		{
			"a wait beyond every duration", "503 latency=1s", "attempts=200 cap=none base=1s jitter=none", nil,
			want{result: engine.ResultEndless, reason: engine.ReasonNoLimit, attempts: 34, err: "no-limit after 34 attempts"},
		},
		{
			"never heals", "503", "attempts=unlimited jitter=none base=1ms", nil,
			want{result: engine.ResultEndless, reason: engine.ReasonNoLimit, attempts: lab.GiveUp, err: "503 Service Unavailable (no-limit after 10000 attempts)"},
		},
		{
			"never heals, with a hard stop", "503", "attempts=unlimited jitter=none base=1ms", func(c *lab.Config) { c.MaxSends = 100 },
			want{result: engine.ResultFailed, reason: engine.ReasonMaxSends, attempts: 100},
		},
		{
			"given up earlier", "503", "attempts=unlimited jitter=none base=1ms", func(c *lab.Config) { c.GiveUp = 50 },
			want{result: engine.ResultEndless, reason: engine.ReasonNoLimit, attempts: 50, err: "no-limit after 50 attempts"},
		},
		{
			"a million attempts given up", "503", "attempts=1000000 jitter=none base=1ms", func(c *lab.Config) { c.GiveUp = 50 },
			want{result: engine.ResultFailed, reason: engine.ReasonMaxSends, attempts: 50, err: "max-sends"},
		},
		{
			"fewer attempts than would be given up", "503", "attempts=50 jitter=none base=1ms", func(c *lab.Config) { c.GiveUp = 50 },
			want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 50},
		},
		{
			"never heals, with a timeout", "503", "attempts=unlimited jitter=none base=1s cap=1s timeout=1m", nil,
			want{result: engine.ResultTimedOut, reason: engine.ReasonDeadline, attempts: 60, at: 59 * time.Second},
		},
		{
			"redirects in one attempt", `302 header="Location: /a", 307 header="Location: /b", 503, 302 header="Location: /a", 200`, "jitter=none", nil,
			want{attempts: 2},
		},
		{
			"redirects without end", `302 header="Location: /again"`, "", nil,
			want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "redirect loop"},
		},
		{
			"a redirect that cannot be followed is no success", `307 header="Location: /a", 200`, "", func(c *lab.Config) { c.Request = once },
			want{result: engine.ResultFailed, reason: engine.ReasonNotReplayable, attempts: 1, err: "307"},
		},
		{"304 is a status", "304", "", nil, want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "304"}},
		{"JSON that is JSON", `200 header="Content-Type: application/json" body="{\"a\": 1}"`, "", nil, want{attempts: 1}},
		{
			"half a JSON more", `200 header="Content-Type: application/problem+json; charset=utf-8" body="{} {"`, "", nil,
			want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "JSON"},
		},
		{
			"JSON wrong in the middle", `200 header="Content-Type: application/json" body="{\"a\": x}"`, "", nil,
			want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "it is JSON and is not: wrong at byte 7 of 8"},
		},
		{
			"JSON that ends in the middle", `200 header="Content-Type: application/json" body="{\"a\": "`, "", nil,
			want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "ends too early, after byte 6"},
		},
		{
			"JSON that is nothing", `200 header="Content-Type: application/json"`, "", nil,
			want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "it is empty"},
		},
		{
			"JSON and more", `200 header="Content-Type: application/json" body="{}  x"`, "", nil,
			want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "wrong at byte 5 of 5"},
		},
		{"JSON asked for by HEAD", "badjson", "", func(c *lab.Config) { c.Request.Method = "HEAD" }, want{attempts: 1}},
		{"JSON that is longer than what is read", `200 header="Content-Type: application/json" body="` + strings.Repeat(" ", lab.BodyLimit) + `x"`, "", nil, want{attempts: 1}},
		{"a retried decoding", "badjson, 200", "retry-on=decoding", nil, want{attempts: 2}},
	}
	for _, tt := range tests {
		cfg := config(t, tt.script, tt.policy)
		if tt.change != nil {
			tt.change(&cfg)
		}
		tt.want.check(t, tt.name, lab.Scripted(cfg))
	}
}

// Each fault of a script is of its kind and cause, and is decided on by the rules of the default policy.
func TestScriptedFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script string
		kind   engine.Kind
		cause  engine.Cause
		retry  bool
	}{
		{"cut", engine.KindInvalidResponse, engine.CauseCut, true},
		{"garbage", engine.KindInvalidResponse, engine.CauseMalformed, true},
		{"badjson", engine.KindDecoding, engine.CauseNone, false},
		{"reset", engine.KindTransport, engine.CauseReset, true},
		{"refused", engine.KindTransport, engine.CauseRefused, true},
		{"dns", engine.KindTransport, engine.CauseDNS, false},
		{"tls", engine.KindTransport, engine.CauseTLS, false},
		{"eof", engine.KindTransport, engine.CauseClosed, true},
		{"hang", engine.KindTimeout, engine.CauseNone, true},
		{"501", engine.KindStatus, engine.CauseNone, false},
	}
	for _, tt := range tests {
		tr := lab.Scripted(config(t, tt.script+", 200", ""))
		a := tr.Attempts[0]
		if a.Outcome.Kind != tt.kind || a.Outcome.Cause != tt.cause {
			t.Errorf("%s: %v %v, want %v %v", tt.script, a.Outcome.Kind, a.Outcome.Cause, tt.kind, tt.cause)
		}
		if got := a.Decision.Verdict == engine.Retry; got != tt.retry {
			t.Errorf("%s: retried %v, want %v", tt.script, got, tt.retry)
		}
		if tt.kind != engine.KindStatus && a.Err == "" {
			t.Errorf("%s: no words for it", tt.script)
		}
		if !tr.Checks.OK() {
			t.Errorf("%s: %v", tt.script, tr.Broken)
		}
	}
}

// A POST that hangs may have been done.
func TestScriptedAmbiguous(t *testing.T) {
	t.Parallel()
	cfg := config(t, "hang", "attempt-timeout=1s")
	cfg.Request.Method = "POST"
	tr := lab.Scripted(cfg)
	want{result: engine.ResultFailed, reason: engine.ReasonNotIdempotent, attempts: 1, at: time.Second}.check(t, "hang", tr)
	if !tr.Attempts[0].Ambiguous || !strings.Contains(jsonOf(t, tr), `"ambiguous":true`) {
		t.Error("it is not said that the server may have done it")
	}
}

// Interrupted before a wait, in it and exactly at its end: no further attempt, the wait cut, and an interruption comes out.
func TestScriptedInterrupted(t *testing.T) {
	t.Parallel()
	const latency, over = 80 * ms, 1080 * ms
	for _, at := range []time.Duration{0, 40 * ms, latency, 500 * ms, over} {
		for _, signOut := range []bool{false, true} {
			cfg := config(t, "503 latency=80ms, 200", "base=1s jitter=none")
			w := want{result: engine.ResultCancelled, reason: engine.ReasonCancelled, attempts: 1, at: at}
			if signOut {
				cfg.SignOutAt = at
				w.result, w.reason = engine.ResultFailed, engine.ReasonStaleGeneration
			} else {
				cfg.CancelAt = at
			}
			if at == 0 {
				w.attempts = 0
				if signOut { // the operation begins in the session that is there
					continue
				}
			}
			if signOut && at == 40*ms { // a send is not broken off by a sign-out
				w.at = latency
			}
			tr := lab.Scripted(cfg)
			name := at.String()
			w.check(t, name, tr)
			for i := range tr.Attempts {
				if wait := tr.Attempts[i].Wait; wait.Begun != (at > latency) || wait.Begun && (!wait.Cut || wait.End != at) {
					t.Errorf("%s, sign-out %v: wait %+v", name, signOut, wait)
				}
			}
		}
	}
}

// Signed out during the last attempt: its success is not handed over.
func TestScriptedSignOutInTheLastAttempt(t *testing.T) {
	t.Parallel()
	cfg := config(t, "200 latency=80ms", "")
	cfg.SignOutAt = 40 * ms
	want{result: engine.ResultFailed, reason: engine.ReasonStaleGeneration, attempts: 1, at: 80 * ms}.check(t, "200", lab.Scripted(cfg))
}

func TestScriptedWaitsNeverPassTheCap(t *testing.T) {
	t.Parallel()
	tr := lab.Scripted(config(t, "503", "attempts=70 base=1s cap=30s jitter=none"))
	got := waits(tr)
	if len(got) != 69 {
		t.Fatalf("%d waits", len(got))
	}
	for i, w := range got {
		if w > 30*time.Second || i > 0 && w < got[i-1] {
			t.Errorf("wait %d is %v after %v", i+1, w, got[max(i-1, 0)])
		}
	}
}

// The same flags make the same bytes, whatever ran before; another seed makes others.
func TestScriptedIsRepeatable(t *testing.T) {
	t.Parallel()
	cfg := config(t, `70% 503 latency=20ms, 20% 200, 10% reset`, "attempts=9")
	first := jsonOf(t, lab.Scripted(cfg))
	for range 3 {
		if again := jsonOf(t, lab.Scripted(cfg)); again != first {
			t.Fatalf("again\n%s\nfirst\n%s", again, first)
		}
	}
	cfg.Seed++
	if jsonOf(t, lab.Scripted(cfg)) == first {
		t.Error("another seed makes the same")
	}
	if !strings.Contains(first, `"seed":42,"script":"70% 503 latency=20ms, 20% 200, 10% reset"`) {
		t.Error("the start does not say of what", first[:300])
	}
}

// What is streamed is what is written afterwards.
func TestScriptedStreams(t *testing.T) {
	t.Parallel()
	cfg := config(t, "503 x3 latency=20ms, 429 after=1, reset", "attempts=6")
	var streamed []byte
	cfg.Observe = func(tr *trace.Trace, e trace.Event) { streamed = tr.AppendJSON(streamed, e) }
	if got := jsonOf(t, lab.Scripted(cfg)); got != string(streamed) {
		t.Errorf("streamed\n%s\nwritten\n%s", streamed, got)
	}
}

func TestScriptedThatCannotBegin(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*lab.Config){
		"no script": func(c *lab.Config) { c.Script = nil },
		"no policy": func(c *lab.Config) { c.Policy = engine.Policy{} },
		"no method": func(c *lab.Config) { c.Request.Method = "G T" },
	} {
		cfg := config(t, "200", "")
		change(&cfg)
		if tr := lab.Scripted(cfg); tr.Done == nil || tr.Done.Result != engine.ResultFailed || tr.Done.Err == "" || tr.Done.Attempts != 0 {
			t.Errorf("%s: %+v", name, tr.Done)
		}
	}
}

// The run in virtual time does what iterating the one pure step does.
func TestScriptedAgreesWithNext(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		cfg := config(t, "50% 503 latency=10ms, 20% 429 after=1, 20% reset latency=3ms, 10% 200", "attempts=7 jitter=decorrelated timeout=9s")
		cfg.Seed = seed
		tr := lab.Scripted(cfg)
		state := engine.State{}
		for i := range tr.Attempts {
			a := &tr.Attempts[i]
			var d engine.Decision
			facts := a.Facts
			facts.Elapsed = a.DecidedAt
			state, d = a.Policy.Next(state, &a.Outcome, &facts, engine.Draw(seed, engine.PurposeJitter, operation(seed), uint64(i+1)))
			if d != a.Decision {
				t.Fatalf("seed %d, attempt %d: %+v, want %+v", seed, i+1, a.Decision, d)
			}
			if lo, hi := cfg.Policy.Bounds(i + 1); d.Drawn && (d.Own < lo || d.Own > hi || d.Own < d.Lo || d.Own > d.Hi) {
				t.Fatalf("seed %d: own wait %v out of [%v, %v]", seed, d.Own, lo, hi)
			}
		}
		if !tr.Checks.OK() {
			t.Fatalf("seed %d: %v", seed, tr.Broken)
		}
	}
}

// operation is the id of a run's only operation.
func operation(seed uint64) uint64 { return engine.Bits(seed, engine.PurposeID, 1, 0) }

func BenchmarkScripted(b *testing.B) {
	for name, c := range map[string]struct{ script, policy string }{
		"4":  {"503 latency=120ms, 429 after=2 latency=90ms, reset latency=40ms, 200 latency=80ms", ""},
		"20": {"503 latency=20ms", "attempts=20"},
	} {
		b.Run(name, func(b *testing.B) {
			cfg := config(b, c.script, c.policy)
			b.ReportAllocs()
			for b.Loop() {
				lab.Scripted(cfg)
			}
		})
	}
}

// The end of a context ends a run in virtual time.
func TestScriptedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg := config(t, "503", "attempts=1000000000")
	cfg.Observe = func(_ *trace.Trace, e trace.Event) {
		if e.Kind == trace.KindOutcome && e.Attempt == 5 {
			cancel()
		}
	}
	tr := lab.ScriptedContext(ctx, cfg)
	if d := tr.Done; d == nil || d.Result != engine.ResultCancelled || d.Attempts != 5 || !tr.Checks.OK() {
		t.Errorf("%+v", tr.Done)
	}
}
