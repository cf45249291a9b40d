package lab_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// recordOf is the record of an operation whose only attempt, of 8 ms, came back with an outcome, with the engine's own
// decision about it.
func recordOf(t testing.TB, p engine.Policy, method string, o engine.Outcome) *trace.Trace {
	t.Helper()
	p.Attempts = 2
	rec := trace.NewRecorder(trace.Head{Policy: p, Method: method, Live: true}, nil, nil)
	clock := engine.NewVirtual(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	over := false
	r, err := engine.New(p, engine.WithClock(clock), engine.WithSeed(1), engine.WithObserver(func(e *engine.Event) {
		if over = over || e.Attempt > 1; !over {
			rec.Observe(e)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	_, _, _ = engine.Run(t.Context(), r, engine.Operation[int]{
		Run: func(ctx context.Context, _ int) (int, error) {
			took := 8 * ms
			if o.Kind == engine.KindTimeout {
				took = engine.Forever
			}
			_ = clock.Wait(ctx, took)
			return 0, errors.New("it failed")
		},
		Classify: func(int, error) engine.Outcome { return o }, Method: method,
	})
	return rec.Trace()
}

// A script made of a record tells the same story: each answer comes out with the same kind and cause and the same is
// decided about it, or a note says that it is not quite what it was. What may really come of an attempt is decided alike
// in any case.
func TestToScriptTellsTheSameStory(t *testing.T) {
	t.Parallel()
	for _, kind := range []engine.Kind{
		engine.KindStatus, engine.KindTransport, engine.KindTimeout, engine.KindInvalidResponse, engine.KindDecoding, engine.KindUnknown,
	} {
		for _, cause := range append(engine.Causes(), engine.CauseNone) {
			for flags := range 8 {
				o := engine.Outcome{Kind: kind, Cause: cause, Permanent: flags&1 != 0, NotSent: flags&2 != 0}
				if kind == engine.KindStatus {
					if flags != 0 || cause != engine.CauseNone {
						continue // a status has neither cause nor flags
					}
					o.Status = 503
				} else if flags&4 != 0 {
					o.Status = 200
				}
				for _, policyText := range []string{"", "retry-on=transport,timeout,invalid-response,decoding,5xx,dns,tls,redirect-loop"} {
					for _, method := range []string{"GET", "POST"} {
						sameStory(t, o, policyText, method)
					}
				}
			}
		}
	}
}

func sameStory(t *testing.T, o engine.Outcome, policyText, method string) {
	t.Helper()
	was := recordOf(t, policy(t, policyText), method, o)
	text := lab.ToScript(was)
	cfg := config(t, text, policyText+" attempts=2")
	cfg.Request.Method = method
	again := lab.Scripted(cfg)
	a, b := &was.Attempts[0], &again.Attempts[0]
	what := fmt.Sprintf("%s, %q: %v %v permanent %t, not sent %t, status %d as %s", method, policyText, o.Kind, o.Cause, o.Permanent, o.NotSent, o.Status, text)
	notes := lab.Inexact(was)
	story := func(a *trace.Attempt) string {
		return fmt.Sprint(a.Outcome.Kind, " ", a.Outcome.Cause, " ", a.Decision.Verdict, " ", a.Decision.Reason)
	}
	if story(a) != story(b) && len(notes) != 1 {
		t.Errorf("%s: %s became %s, without a word", what, story(a), story(b))
	}
	for _, n := range notes {
		if len(n) > 64 {
			t.Errorf("%q is %d long", n, len(n))
		}
	}
	if policyText == "" && happens(o) && a.Decision.Verdict != b.Decision.Verdict {
		t.Errorf("%s: %v became %v (%q)", what, a.Decision.Verdict, b.Decision.Verdict, notes)
	}
	if took := b.End - b.Start; o.Kind != engine.KindTimeout && b.Outcome.Kind != engine.KindTimeout && took != a.End-a.Start {
		t.Errorf("%s: it took %v instead of %v", what, took, a.End-a.Start)
	}
}

// happens tells whether an attempt can come back with an outcome.
func happens(o engine.Outcome) bool {
	type place struct{ permanent, notSent bool }
	at := place{o.Permanent, o.NotSent}
	switch o.Kind { //nolint:exhaustive // the others have no cause
	case engine.KindTransport:
		switch o.Cause { //nolint:exhaustive // the others are not of a connection
		case engine.CauseDNS, engine.CauseTLS, engine.CauseProxy:
			return true
		case engine.CauseRequest:
			return at == place{true, true}
		case engine.CauseBody:
			return at == place{true, false}
		case engine.CauseNone, engine.CauseRefused, engine.CauseReset, engine.CauseClosed, engine.CauseUnreachable, engine.CauseHTTP2:
			return !o.Permanent
		}
	case engine.KindInvalidResponse:
		switch o.Cause { //nolint:exhaustive // as above
		case engine.CauseRedirectLoop:
			return at == place{true, false}
		case engine.CauseMalformed:
			return !o.NotSent
		case engine.CauseCut:
			return at == place{}
		}
	case engine.KindTimeout, engine.KindDecoding, engine.KindStatus:
		return o.Cause == engine.CauseNone && at == place{}
	}
	return false
}

// Only a date in Retry-After depends on the clock, and a timeout on the policy.
func TestInexactSaysNothingFalse(t *testing.T) {
	t.Parallel()
	const date = "Thu, 01 Jan 2026 00:00:09 GMT"
	for text, want := range map[string]string{
		`503 after="7\u202e"`: "", `503 after="soon"`: "", `503 after="-1"`: "", `503 after="Fri, 01 Jan 2026 00:00:09 GMT"`: "",
		`503 after="` + date + `"`:                                      "Retry-After is a date without a Date",
		`503 after=" ` + date + `"`:                                     "Retry-After is a date without a Date",
		`503 after="` + date + `" date="Thu, 01 Jan 2026 00:00:00 GMT"`: "",
		"hang": "", `302 header="Location: /"`: "", `302 header="Location: about:blank"`: "", "garbage": "", "cut": "", "badjson": "",
	} {
		notes := strings.Join(lab.Inexact(lab.Scripted(config(t, text, "attempts=1"))), "; ")
		if notes != "" != (want != "") || !strings.Contains(notes, want) {
			t.Errorf("%s: %q, want %q", text, notes, want)
		}
	}
	// An attempt that timed out by itself: a hang would end with the attempt timeout, or never.
	o := engine.Outcome{Kind: engine.KindTimeout}
	for _, policyText := range []string{"attempt-timeout=10s", "attempt-timeout=none timeout=10s", "attempt-timeout=20s timeout=10s"} {
		tr := recordOf(t, policy(t, policyText), "GET", o)
		if n := lab.Inexact(tr); len(n) > 0 {
			t.Errorf("%s: %q", policyText, n)
		}
		tr.Attempts[0].End -= ms
		if n := lab.Inexact(tr); len(n) != 1 || !strings.Contains(n[0], "no limit of the policy ended it") {
			t.Errorf("%s, 1ms early: %q", policyText, n)
		}
	}
}
