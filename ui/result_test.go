package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

func TestResultLine(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"exhausted":       "✗ failed after 1.51s: no attempts left  ·  last answer 503  ·  4 attempts of 4  ·  waited 1.11s  ·  GET",
		"first-try":       "✓ succeeded in 0.03s  ·  1 attempt of 4  ·  waited 0s  ·  GET",
		"not-found":       "✗ failed after 0.03s: not retryable  ·  last answer 404  ·  1 attempt of 4  ·  waited 0s  ·  GET",
		"not-idempotent":  "✗ failed after 0.03s: not idempotent  ·  last failure reset  ·  1 attempt of 4  ·  waited 0s  ·  attempt 1 may have done the work  ·  POST",
		"deferred":        "✗ deferred after 0.38s: server asked 1h, ceiling 30s  ·  last answer 429  ·  2 attempts of 4  ·  waited 0.20s  ·  GET",
		"cancel-in-wait":  "⊗ cancelled by the caller at 0.90s  ·  last answer 503  ·  3 attempts of 5  ·  waited 0.60s  ·  GET",
		"cancel-in-try":   "⊗ cancelled by the caller at 0.35s  ·  last answer 503  ·  2 attempts of 5  ·  waited 0.18s  ·  GET",
		"signed-out":      "⊗ failed after 0.90s: signed out  ·  last answer 503  ·  3 attempts of 5  ·  waited 0.60s  ·  GET",
		"too-late":        "✗ timed out after 1.66s: a wait of 1.44s would end too late  ·  last answer 503  ·  4 attempts of 6  ·  waited 1.26s  ·  GET",
		"timed-out":       "✗ timed out after 2.00s, during attempt 2  ·  last answer 503  ·  2 attempts of 4  ·  waited 0.18s  ·  GET",
		"hang":            "✗ never ends: attempt 2 never answers and nothing stops it  ·  last answer 503  ·  2 attempts of 4  ·  waited 0.20s  ·  GET",
		"unlimited":       "✓ succeeded in 0.38s  ·  2 attempts, unlimited  ·  waited 0.20s  ·  GET",
		"own-over-server": "✓ succeeded in 1.98s  ·  2 attempts of 4  ·  waited 1.80s  ·  GET",
	}
	runs := pictures()
	for name, want := range want {
		in := inputOf(runs[name].do(t))
		r := ResultLine(&in)
		if got := r.String(Unicode()); got != want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
		if r.Style == Plain || r.Glyph == 0 {
			t.Errorf("%s: style %d, glyph %q", name, r.Style, r.Glyph)
		}
	}
	in := TimelineInput{Policy: engine.Default(), Live: true, Trace: &trace.Trace{Head: trace.Head{Method: "PUT", Body: engine.BodyOnce}}}
	in.Glyphs = ASCII()
	r := ResultLine(&in)
	if got, want := r.String(ASCII()), "o not sent yet  |  1 attempt: the body can be read only once  |  PUT, body only once"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	in.Trace.Head = trace.Head{Method: "GET"}
	r = ResultLine(&in)
	if got, want := r.String(ASCII()), "o not sent yet  |  up to 4 attempts  |  GET"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	in.Trace.Done = &trace.Done{Result: engine.ResultEndless, Reason: engine.ReasonNoLimit, Attempts: 10000, At: time.Hour}
	in.AtEnd = true
	r = ResultLine(&in)
	if got, want := r.Parts[0], "given up after 10,000 sends: no limit of the policy's ends it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Whether a wait or an attempt has no end, the words name that one: a wait of nearly all the time there is leaves none to
// the attempt after it.
func TestEndlessWords(t *testing.T) {
	t.Parallel()
	failed := func(n int, start, wait time.Duration) trace.Attempt {
		o := engine.Outcome{Kind: engine.KindStatus, Status: 503}
		return trace.Attempt{N: n, Start: start, End: start, Ended: true, Outcome: o, Decided: true, Decision: engine.Decision{Verdict: engine.Retry, Wait: wait}, Wait: trace.Wait{Begun: true, Start: start, For: wait}}
	}
	cut := failed(2, time.Second, engine.Forever/2)
	cut.Wait.Ended, cut.Wait.Cut = true, true
	long := failed(2, time.Second, engine.Forever-2*time.Second)
	long.Wait.Ended, long.Wait.End = true, engine.Forever-time.Second
	for _, c := range []struct {
		name     string
		reason   engine.Reason
		attempts []trace.Attempt
		want     string
	}{
		{"a wait", engine.ReasonNoLimit, []trace.Attempt{failed(1, 0, time.Second), cut}, "never ends: the wait after attempt 2 does not end"},
		{"a wait, then a moment", engine.ReasonNeverAnswers, []trace.Attempt{failed(1, 0, time.Second), long, {N: 3, Start: engine.Forever - time.Second}}, "never ends: the wait after attempt 2 does not end"},
		{"an attempt", engine.ReasonNeverAnswers, []trace.Attempt{failed(1, 0, time.Second), {N: 2, Start: time.Second}}, "never ends: attempt 2 never answers and nothing stops it"},
	} {
		last := c.attempts[len(c.attempts)-1]
		in := TimelineInput{Policy: engine.Default(), AtEnd: true, Trace: &trace.Trace{
			Head: trace.Head{Policy: engine.Default()}, Attempts: c.attempts,
			Done: &trace.Done{Result: engine.ResultEndless, Reason: c.reason, Attempts: last.N, At: last.Start},
		}}
		if r := ResultLine(&in); r.Parts[0] != c.want {
			t.Errorf("%s: %q, want %q", c.name, r.Parts[0], c.want)
		}
		frame := draw(t, 100, 6, &in)
		if never := strings.Contains(frame, "never"); never == strings.Contains(c.want, "wait") || never == strings.Contains(frame, "does not end") {
			t.Errorf("%s:\n%s", c.name, frame)
		}
	}
}

// Parts give way from the end, the first is cut: the line is never wider than its place.
func TestResultLineFits(t *testing.T) {
	t.Parallel()
	in := inputOf(drawn(t))
	r := ResultLine(&in)
	for _, c := range []struct {
		w    int
		want string
	}{
		{200, "✓ succeeded in 3.13s  ·  4 attempts of 6  ·  waited 2.80s  ·  POST + idem. key"},
		{60, "✓ succeeded in 3.13s  ·  4 attempts of 6  ·  waited 2.80s"},
		{44, "✓ succeeded in 3.13s  ·  4 attempts of 6"},
		{20, "✓ succeeded in 3.13s"},
		{12, "✓ succeeded…"},
		{2, "✓"},
		{0, ""},
	} {
		g := NewGrid(220, 1)
		r.Draw(g, 0, 0, c.w, Unicode())
		if got := g.Plain(); got != c.want {
			t.Errorf("in %d: %q, want %q", c.w, got, c.want)
		}
	}
}
