package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

func written(t *testing.T, tr *trace.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := tr.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The whole of a short record, byte for byte.
func TestJSON(t *testing.T) {
	t.Parallel()
	p := policy(t, "jitter=none attempts=2")
	outcome := asked(429, 2*time.Second)
	facts := engine.Facts{Elapsed: 80 * ms, Allowance: engine.NoLimit, Sends: engine.NoLimit}
	_, d := p.Next(engine.State{}, &outcome, &facts, 0.5)
	rec := trace.NewRecorder(trace.Head{ID: "0badcafe", Method: "GET", URL: "http://h/", Live: true, Seed: 42}, nil, nil)
	events := []*engine.Event{
		{Kind: engine.EventStart},
		{Kind: engine.EventAttempt, Attempt: 1},
		{Kind: engine.EventOutcome, Attempt: 1, At: 80 * ms, Outcome: outcome},
		{Kind: engine.EventDecision, Attempt: 1, At: 80 * ms, Outcome: outcome, Decision: d, Facts: facts},
		{Kind: engine.EventWait, Attempt: 1, At: 80*ms + 999, Outcome: outcome, Decision: d},
		{Kind: engine.EventWaitEnd, Attempt: 1, At: 2080*ms + 999, Outcome: outcome, Decision: d},
		{Kind: engine.EventAttempt, Attempt: 2, At: 2080*ms + 1000},
		{Kind: engine.EventOutcome, Attempt: 2, At: 2160*ms + 110*time.Microsecond, Outcome: ok},
		{Kind: engine.EventDone, Attempt: 2, At: 2160*ms + 110*time.Microsecond, Report: engine.Report{Attempts: 2, Waited: 2 * time.Second, Last: ok}},
	}
	for _, e := range events {
		e.Policy = &p
		if e.Kind == engine.EventOutcome && e.Attempt == 1 {
			rec.Detail(1, trace.Detail{RetryAfter: "2", HasRetryAfter: true, HasPhases: true, Phases: trace.Phases{DNS: ms, Wait: 12345678}, Redirects: 1, Resent: 2, BodyCut: true})
		}
		rec.Observe(e)
	}
	want := `{"event":"start","id":"0badcafe","method":"GET","url":"http://h/","policy":"attempts=2 base=200ms cap=10s curve=exponential factor=2 jitter=none retry-after=at-least ceiling=30s timeout=none attempt-timeout=10s retry-on=transport,timeout,invalid-response,429,5xx,-501,-505,-511 methods=idempotent","seed":42}
{"event":"attempt","t_ms":0,"attempt":1}
{"event":"outcome","t_ms":80,"attempt":1,"kind":"status","status":429,"retry_after":"2","phases_ms":{"dns":1,"connect":0,"tls":0,"wait":12.345,"body":0},"redirects":1,"resent":2,"body_partly_read":true}
{"event":"decision","t_ms":80,"attempt":1,"verdict":"retry","reason":"","wait_ms":2000,"own_ms":200,"server_ms":2000,"window_ms":[200,200],"gates":[` +
		`{"gate":"cancelled","ok":true,"why":"not cancelled"},{"gate":"generation","ok":true,"why":"same session"},{"gate":"outcome","ok":true,"why":"a failure: 429"},` +
		`{"gate":"idempotent","ok":true,"why":"GET"},{"gate":"replayable","ok":true,"why":"no body"},{"gate":"retryable","ok":true,"why":"429 may heal"},` +
		`{"gate":"attempts","ok":true,"why":"attempt 1 of 2"},{"gate":"budget","ok":null,"why":"no budget set"},` +
		`{"gate":"ceiling","ok":true,"why":"server asked 2s, under the ceiling of 30s"},{"gate":"deadline","ok":null,"why":"no timeout set"}]}
{"event":"wait","t_ms":80,"attempt":1,"wait_ms":2000,"source":"server"}
{"event":"wait-end","t_ms":2080,"attempt":1,"cut":false}
{"event":"attempt","t_ms":2080.001,"attempt":2}
{"event":"outcome","t_ms":2160.11,"attempt":2,"kind":"success","status":200}
{"event":"done","t_ms":2160.11,"result":"succeeded","reason":"","attempts":2,"status":200,"error":"","waited_ms":2000,"checks":{"no_early_retry":true,"within_limits":true,"cancel_is_not_failure":true,"nothing_unreplayable":true}}
`
	if got := written(t, rec.Trace()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Beside the golden: every line is an object, and what stands there is by its rule.
func TestJSONLaws(t *testing.T) {
	t.Parallel()
	long := status(503)
	long.Hint = engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
	tests := []struct {
		name, policy string
		head         trace.Head
		outcomes     []engine.Outcome
		has, lacks   []string
	}{
		{
			name: "a wait of nothing is a wait", policy: "jitter=none base=0s attempts=2", outcomes: []engine.Outcome{status(503)},
			has: []string{`"wait_ms":0,"source":"own"`, `"event":"wait-end"`, `"reason":"attempts-exhausted"`},
		},
		{
			name: "deferred", policy: "jitter=none", outcomes: []engine.Outcome{asked(429, time.Minute)},
			has: []string{`"verdict":"defer","reason":"over-ceiling","own_ms":200,"server_ms":60000`}, lacks: []string{"wait_ms\":200", `"event":"wait"`},
		},
		{
			name: "longer than any wait", policy: "jitter=none", outcomes: []engine.Outcome{long},
			has: []string{`"verdict":"defer"`, `"server_ms":9223372036854.775`},
		},
		{
			name: "a script", policy: "", head: trace.Head{Source: `503 reason="x"`, Keyed: true, Body: engine.BodyReplayable, Seed: 1<<64 - 1}, outcomes: []engine.Outcome{ok},
			has: []string{`"url":""`, `"seed":18446744073709551615,"script":"503 reason=\"x\"","keyed":true,"body":"replayable"}`, `"verdict":"succeed","reason":"","gates"`},
		},
		{
			name: "a POST that may have been done", head: trace.Head{Method: "POST", Body: engine.BodyOnce}, outcomes: []engine.Outcome{reset},
			has: []string{`"cause":"reset","ambiguous":true}`, `"reason":"not-idempotent"`, `"body":"once"`, `"status":0`}, lacks: []string{"own_ms", "server_ms"},
		},
		{
			name: "unreadable", policy: "jitter=none attempts=2", outcomes: []engine.Outcome{{Kind: engine.KindStatus, Status: 503, Hint: engine.Hint{State: engine.HintUnreadable}}},
			has: []string{`"retry_after_unreadable":true`}, lacks: []string{"server_ms"},
		},
	}
	for _, tt := range tests {
		got := written(t, run(t, policy(t, tt.policy), tt.head, tt.outcomes, nil))
		for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Errorf("%s: line %d: %v", tt.name, i+1, err)
			}
		}
		for _, s := range tt.has {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %s is not in\n%s", tt.name, s, got)
			}
		}
		for _, s := range tt.lacks {
			if strings.Contains(got, s) {
				t.Errorf("%s: %s is in\n%s", tt.name, s, got)
			}
		}
	}
}

// What a server sends is escaped and kept: read as JSON it is the same, and on a terminal it is harmless.
func TestJSONEscapes(t *testing.T) {
	t.Parallel()
	raw := "\x1b]52;c;SGk=\x07\u009b1m\u202e\u2028\u200b\x7f \"\\ ü 🙂 \U000e0041\r\n\t"
	rec := trace.NewRecorder(trace.Head{}, nil, nil)
	p := engine.Default()
	rec.Observe(&engine.Event{Kind: engine.EventStart, Policy: &p})
	rec.Observe(&engine.Event{Kind: engine.EventAttempt, Attempt: 1, Policy: &p})
	rec.Detail(1, trace.Detail{RetryAfter: raw, HasRetryAfter: true})
	rec.Observe(&engine.Event{Kind: engine.EventOutcome, Attempt: 1, Policy: &p, Outcome: status(503)})
	got := written(t, rec.Trace())
	for _, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if trace.Clean(line) != line {
			t.Errorf("not harmless: %q", line)
		}
	}
	back, err := trace.Read(strings.NewReader(got))
	if err != nil || back.Attempts[0].Detail.RetryAfter != raw {
		t.Errorf("%v: %q", err, back.Attempts[0].Detail.RetryAfter)
	}
}

func TestReadBack(t *testing.T) {
	t.Parallel()
	refused := engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseRefused, NotSent: true}
	long := status(503)
	long.Hint = engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
	tests := []struct {
		policy   string
		head     trace.Head
		outcomes []engine.Outcome
	}{
		{"", trace.Head{Method: "GET", Source: "503, 429 after=2, reset, 200", Seed: 42}, []engine.Outcome{status(503), asked(429, 2*time.Second), reset, ok}},
		{"attempts=9 jitter=decorrelated budget=tokens:5/5/1", trace.Head{Seed: 3, Live: true, URL: "http://h/", Source: "http://h/"}, []engine.Outcome{status(503)}},
		{"timeout=1s", trace.Head{Method: "PUT", Body: engine.BodyReplayable}, []engine.Outcome{status(503)}},
		{"", trace.Head{Method: "POST"}, []engine.Outcome{refused, reset}},
		{"", trace.Head{Method: "POST", Keyed: true, Body: engine.BodyOnce}, []engine.Outcome{refused}},
		{"", trace.Head{}, []engine.Outcome{long}},
		{"timeout=50ms", trace.Head{}, []engine.Outcome{status(503)}},
	}
	for i, tt := range tests {
		tr := run(t, policy(t, tt.policy), tt.head, tt.outcomes, nil)
		first := written(t, tr)
		back, err := trace.Read(strings.NewReader(first))
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if second := written(t, back); second != first {
			t.Errorf("%d: read back\n%s\nwas\n%s", i, second, first)
		}
		if len(back.Broken) > 0 || !back.Checks.OK() {
			t.Errorf("%d: %v", i, back.Broken)
		}
		if back.Head.Policy != tr.Head.Policy || back.Head.Seed != tr.Head.Seed || back.Head.Body != tr.Head.Body || back.Head.Live != tr.Head.Live && tt.head.Source != "" {
			t.Errorf("%d: head %+v", i, back.Head)
		}
	}
}

// A record that tells of another policy half way keeps it.
func TestReadBackAChangedPolicy(t *testing.T) {
	t.Parallel()
	p := policy(t, "attempts=2")
	e := good()
	q := policy(t, "attempts=2 cap=1s")
	for _, e := range e[decision1:] {
		e.Policy = &q
	}
	first := written(t, record(&p, trace.Head{}, e))
	if !strings.Contains(first, ` cap=1s `) {
		t.Fatal("the other policy is not told of")
	}
	back, err := trace.Read(strings.NewReader(first))
	if err != nil || back.Attempts[0].Policy != q || back.Head.Policy != p || written(t, back) != first {
		t.Error(err)
	}
}

// A record whose events break a promise is found out, whatever it claims.
func TestReadChecksAnew(t *testing.T) {
	t.Parallel()
	p := engine.Default()
	honest := written(t, record(&p, trace.Head{}, good()))
	tests := []struct {
		name, old, with string
		holds           func(trace.Checks) bool
	}{
		{"sent early", `"t_ms":1080,"attempt":2`, `"t_ms":1079.999,"attempt":2`, func(c trace.Checks) bool { return c.NoEarlyRetry }},
		{"a POST", `"method":""`, `"method":"POST"`, func(c trace.Checks) bool { return c.NothingUnreplayed }},
		{"one attempt", `"attempts=4 `, `"attempts=1 `, func(c trace.Checks) bool { return c.WithinLimits }},
		{"cut", `"cut":false`, `"cut":true`, func(c trace.Checks) bool { return c.CancelIsNotFailure }},
		{"it says so itself", `"within_limits":true`, `"within_limits":false`, func(c trace.Checks) bool { return c.WithinLimits }},
	}
	for _, tt := range tests {
		if !strings.Contains(honest, tt.old) {
			t.Errorf("%s: %s is not in\n%s", tt.name, tt.old, honest)
		}
		tr, err := trace.Read(strings.NewReader(strings.Replace(honest, tt.old, tt.with, 1)))
		if err != nil || tt.holds(tr.Checks) {
			t.Errorf("%s: %v, %+v", tt.name, err, tr)
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	p := engine.Default()
	lines := strings.SplitAfter(written(t, record(&p, trace.Head{}, good())), "\n")
	change := func(i int, old, with string) string {
		c := append([]string(nil), lines...)
		if !strings.Contains(c[i], old) {
			t.Fatalf("%s is not in %s", old, c[i])
		}
		c[i] = strings.Replace(c[i], old, with, 1)
		return strings.Join(c, "")
	}
	tests := []struct {
		name, in string
		line     int
	}{
		{"empty", "", 1},
		{"no JSON", "hello\n", 1},
		{"does not start", lines[1], 1},
		{"starts twice", lines[0] + "\n" + lines[0], 3},
		{"no such event", lines[0] + `{"event":"coffee"}`, 2},
		{"no such policy", change(0, "attempts=4", "attempts=0"), 1},
		{"no such kind", change(outcome1, `"status"`, `"sttus"`), 3},
		{"no such verdict", change(decision1, `"retry"`, `"rtry"`), 4},
		{"no such reason", change(decision1, `"reason":""`, `"reason":"whim"`), 4},
		{"no such gate", change(decision1, `"gate":"budget"`, `"gate":"bidget"`), 4},
		{"a time below 0", change(outcome1, `"t_ms":80`, `"t_ms":-80`), 3},
		{"a time too exact", change(outcome1, `"t_ms":80`, `"t_ms":80.0001`), 3},
		{"a time too long", change(outcome1, `"t_ms":80`, `"t_ms":9223372036854.776`), 3},
		{"a time that is a word", change(outcome1, `"t_ms":80`, `"t_ms":"80"`), 3},
		{"out of turn", lines[0] + lines[1] + lines[4], 3},
		{"an attempt missing", change(attempt2, `"attempt":2`, `"attempt":3`), 7},
		{"no such source", change(wait1, `"own"`, `"moon"`), 5},
		{"no such result", change(done, `"succeeded"`, `"won"`), 10},
		{"after the end", strings.Join(lines, "") + lines[1], 11},
		{"too long a line", lines[0] + `{"event":"` + strings.Repeat("x", 1<<20), 2},
	}
	for _, tt := range tests {
		_, err := trace.Read(strings.NewReader(tt.in))
		var re *trace.ReadError
		if !errors.Is(err, trace.ErrRecord) || !errors.As(err, &re) || re.Line != tt.line {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Whatever is read can be written, and what is written is read back to the same bytes.
func FuzzRead(f *testing.F) {
	p := engine.Default()
	tr := record(&p, trace.Head{Method: "GET", Source: "503"}, good())
	var b bytes.Buffer
	if err := tr.WriteJSON(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"event":"start","policy":"attempts=2","body":"once"}` + "\n" + `{"event":"attempt","attempt":1}` + "\n" + `{"event":"dropped","attempts":5}` + "\n" + `{"event":"attempt","attempt":7}`))
	f.Add([]byte(`{"event":"start"}` + "\n" + `{"event":"note","t_ms":1.5,"text":"x"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		tr, err := trace.Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		first := written(t, tr)
		if strings.ToValidUTF8(first, "") != first || trace.Clean(strings.ReplaceAll(first, "\n", "")) != strings.ReplaceAll(first, "\n", "") {
			t.Fatalf("not harmless: %q", first)
		}
		back, err := trace.Read(strings.NewReader(first))
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		if second := written(t, back); second != first {
			t.Fatalf("read\n%s\nwas\n%s", second, first)
		}
	})
}
