package lab_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/sim"
)

func source(t *testing.T, scriptText, policyText string, r lab.Request) (*lab.Source, engine.Policy) {
	t.Helper()
	s, err := script.Parse(scriptText)
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.ParsePolicy(policyText, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	src, err := lab.NewSource(s, p, r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return src, p
}

// One operation of a distribution goes as the run of the same policy and script goes, whatever the answers.
func TestSourceAgreesWithARun(t *testing.T) {
	t.Parallel()
	scripts := []string{
		"503 x2, 429 after=2 latency=80ms, reset, 200", "503", "hang", "200", "dns", "tls", "eof, cut, garbage, badjson",
		"503 after=99999999999999999999", `503 after="Thu, 01 Jan 2026 00:00:05 GMT" latency=100ms`, `503 after="Thu, 01 Jan 2026 00:00:01 GMT"`,
		`503 after="Wed, 31 Dec 2025 00:00:00 GMT"`, `429 after="Thu, 01 Jan 2026 00:00:05 GMT" date="Thu, 01 Jan 2026 00:00:02 GMT"`,
		`503 header="Retry-After-Ms: 1500" after=9`, `403 header="X-Ratelimit-Reset: 1767225603"`, "503 after=nonsense", "@0s 503 latency=30ms, @3s 200",
		"503 latency=3s", "302", "404",
	}
	policies := []string{
		"jitter=none", "jitter=none timeout=5s", "jitter=none attempts=9 retry-after=replace ceiling=none retry-on=403,503,429,timeout", "jitter=none attempt-timeout=2s timeout=7s attempts=20 cap=1s",
		"jitter=none hints=retry-after-ms,x-ratelimit-reset retry-on=403,503", "jitter=none attempts=8 budget=tokens:3/1/1", "jitter=none attempts=unlimited timeout=1m attempt-timeout=none",
		"jitter=none throttle-base=1s retry-after=ignore",
	}
	for _, text := range scripts {
		for _, policy := range policies {
			for _, r := range []lab.Request{{}, {Method: http.MethodPost}, {Method: http.MethodPost, Key: "k"}} {
				src, p := source(t, text, policy, r)
				s, _ := script.Parse(text)
				want := lab.Scripted(lab.Config{Policy: p, Request: r, Script: s, Draw: -1, CancelAt: -1, SignOutAt: -1})
				cfg := sim.DistConfig{Policy: p, Source: src, Draws: 1, Method: r.Method, Keyed: r.Key != ""}
				got, err := sim.Dist(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				end, done := got.A.Ends[0], want.Done
				if end.Result != done.Result || end.Reason != done.Reason || got.A.Attempts.Value != float64(len(want.Attempts)) || got.A.Wait.Max != done.Waited {
					t.Errorf("%q under %q, %s: %v %v after %v attempts and %v of waits; the run: %v %v, %d, %v",
						text, policy, r.Method, end.Result, end.Reason, got.A.Attempts.Value, got.A.Wait.Max, done.Result, done.Reason, len(want.Attempts), done.Waited)
				}
			}
		}
	}
}

func TestSourceByChance(t *testing.T) {
	t.Parallel()
	src, p := source(t, "30% 503, 20% reset, 50% 200", "attempts=5", lab.Request{})
	got, err := sim.Dist(t.Context(), sim.DistConfig{Policy: p, Source: src, Draws: 4000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	want, err := sim.Dist(t.Context(), sim.DistConfig{Policy: p, Source: sim.DistFailing{P: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if d := got.A.Attempts.Value - want.A.Attempts.Value; d > 4*got.A.Attempts.SE || d < -4*got.A.Attempts.SE {
		t.Errorf("%v attempts ± %v, want %v", got.A.Attempts.Value, got.A.Attempts.SE, want.A.Attempts.Value)
	}
}

func TestSourceRefuses(t *testing.T) {
	t.Parallel()
	s, err := script.Parse(`503, 302 header="Location: /"`)
	if err != nil {
		t.Fatal(err)
	}
	var re *lab.RedirectError
	if _, err := lab.NewSource(s, engine.Default(), lab.Request{}, time.Time{}); !errors.As(err, &re) || re.Step != 2 {
		t.Errorf("a redirect: %v", err)
	}
	if _, err := lab.NewSource(s, engine.Default(), lab.Request{Method: "no method"}, time.Time{}); !errors.Is(err, lab.ErrRequest) {
		t.Errorf("a method: %v", err)
	}
}
