package ui

import (
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
		"not-idempotent":  "✗ failed after 0.03s: not idempotent  ·  last answer reset  ·  1 attempt of 4  ·  waited 0s  ·  attempt 1 may have done the work  ·  POST",
		"deferred":        "✗ deferred after 0.38s: server asked 1h, ceiling 30s  ·  last answer 429  ·  2 attempts of 4  ·  waited 0.20s  ·  GET",
		"cancel-in-wait":  "⊗ cancelled by the caller at 0.90s  ·  last answer 503  ·  3 attempts of 5  ·  waited 0.60s  ·  GET",
		"cancel-in-try":   "⊗ cancelled by the caller at 0.35s  ·  2 attempts of 5  ·  waited 0.18s  ·  GET",
		"signed-out":      "⊗ failed after 0.90s: signed out  ·  last answer 503  ·  3 attempts of 5  ·  waited 0.60s  ·  GET",
		"too-late":        "✗ timed out after 1.66s: a wait of 1.44s would end too late  ·  last answer 503  ·  4 attempts of 6  ·  waited 1.26s  ·  GET",
		"timed-out":       "✗ timed out after 2.00s, during attempt 2  ·  last answer timeout  ·  2 attempts of 4  ·  waited 0.18s  ·  GET",
		"hang":            "✗ never ends: attempt 2 never answers and nothing stops it  ·  2 attempts of 4  ·  waited 0.20s  ·  GET",
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
	if got, want := r.String(ASCII()), "o not sent yet  |  up to 4 attempts  |  PUT, body only once"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	in.Trace.Done = &trace.Done{Result: engine.ResultEndless, Reason: engine.ReasonNoLimit, Attempts: 10000, At: time.Hour}
	in.AtEnd = true
	r = ResultLine(&in)
	if got, want := r.Parts[0], "never ends: given up after 10000 attempts"; got != want {
		t.Errorf("got %q, want %q", got, want)
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
