package main_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineErrorsKeepTheCause: out comes the last real error, reached by errors.Is and errors.As, with what came before.
func TestEngineErrorsKeepTheCause(t *testing.T) {
	p := play(t, game{policy: "base=1s", replies: []reply{status(503), transport(engine.CauseReset), status(503), status(502)}})
	e, ok := errors.AsType[*engine.FailedError](p.err)
	if !ok || e.Reason != engine.ReasonAttempts || e.Attempts != 4 || len(e.History) != 3 {
		t.Fatalf("%#v", p.err)
	}
	if r, ok := errors.AsType[*reply](p.err); !ok || r.out.Status != 502 {
		t.Errorf("the last failure is %v", r)
	}
	var words []string
	for _, h := range e.History {
		words = append(words, h.Error())
	}
	if got := strings.Join(words, ", "); got != "reply 503, reply reset, reply 503" {
		t.Errorf("history: %s", got)
	}
	if got, want := p.err.Error(), "reply 502 (attempts-exhausted after 4 attempts)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEngineErrorsSayWhatStopped: the error that made it stop, not one before it, and what was before it beside.
func TestEngineErrorsSayWhatStopped(t *testing.T) {
	p := play(t, game{replies: []reply{status(503), status(401)}})
	e, ok := errors.AsType[*engine.FailedError](p.err)
	if !ok || e.Reason != engine.ReasonNotRetryable || len(e.History) != 1 || e.History[0].Error() != "reply 503" || e.Last.Error() != "reply 401" {
		t.Errorf("%#v", p.err)
	}
}

// TestEngineErrorsOfAnEndlessRun keep the last real failure.
func TestEngineErrorsOfAnEndlessRun(t *testing.T) {
	p := play(t, game{policy: "attempt-timeout=none", replies: []reply{status(503), hang()}})
	if r, ok := errors.AsType[*reply](p.err); !ok || r.out.Status != 503 {
		t.Errorf("%v", p.err)
	}
	p = play(t, game{policy: "attempt-timeout=none", replies: []reply{hang()}})
	if !errors.Is(p.err, engine.ErrNeverEnds) {
		t.Errorf("%v", p.err)
	}
}

// TestEngineDeferredError says what was asked, and is never cut short.
func TestEngineDeferredError(t *testing.T) {
	for _, c := range []struct {
		reply reply
		asked time.Duration
		text  string
	}{
		{status(429).after(time.Hour), time.Hour, "reply 429 (deferred: server asked 1h, ceiling 30s)"},
		{func() reply {
			r := status(429)
			r.out.Hint = engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
			return r
		}(), engine.Forever, "reply 429 (deferred: server asked longer than any duration, ceiling 30s)"},
	} {
		p := play(t, game{replies: []reply{c.reply}})
		e, ok := errors.AsType[*engine.DeferredError](p.err)
		if !ok || !errors.Is(p.err, engine.ErrDeferred) || e.Asked != c.asked || e.Ceiling != 30*sec || e.Attempts != 1 || p.report.Elapsed != 0 {
			t.Fatalf("%#v after %v", p.err, p.report.Elapsed)
		}
		if r, ok := errors.AsType[*reply](p.err); !ok || r.out.Status != 429 {
			t.Errorf("the last failure is %v", r)
		}
		if p.err.Error() != c.text {
			t.Errorf("%q, want %q", p.err, c.text)
		}
	}
}

// TestEngineMarkers: a caller's word on an error, around it or inside it.
func TestEngineMarkers(t *testing.T) {
	base := errors.New("base")
	for _, c := range []struct {
		name string
		err  error
		want engine.Outcome
	}{
		{"nil", nil, engine.Outcome{}},
		{"plain", base, engine.Outcome{Kind: engine.KindUnknown}},
		{"transient", engine.Transient(base), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"permanent", engine.Permanent(base), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayStop}},
		{"retry after", engine.RetryAfter(base, 3*sec), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry, Hint: engine.Hint{State: engine.HintWait, Wait: 3 * sec}}},
		{"retry after a negative time", engine.RetryAfter(base, -sec), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry, Hint: engine.Hint{State: engine.HintWait}}},
		{"wrapped", fmt.Errorf("reading: %w", engine.Transient(base)), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"joined", errors.Join(base, engine.Transient(io.EOF)), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"the outer one has the word", engine.Permanent(engine.Transient(base)), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayStop}},
		{"and the other way around", engine.Transient(fmt.Errorf("x: %w", engine.Permanent(base))), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"a status", &engine.StatusError{Status: 503}, engine.Outcome{Kind: engine.KindStatus, Status: 503}},
		{"a wrapped status", fmt.Errorf("x: %w", &engine.StatusError{Status: 404}), engine.Outcome{Kind: engine.KindStatus, Status: 404}},
		{"a status with a wait", engine.RetryAfter(&engine.StatusError{Status: 429}, sec), engine.Outcome{Kind: engine.KindStatus, Status: 429, Say: engine.SayRetry, Hint: engine.Hint{State: engine.HintWait, Wait: sec}}},
		{"a status found by its own As", asStatus{}, engine.Outcome{Kind: engine.KindStatus, Status: 502}},
		{"a deadline", context.DeadlineExceeded, engine.Outcome{Kind: engine.KindTimeout}},
		{"a wrapped deadline", fmt.Errorf("x: %w", context.DeadlineExceeded), engine.Outcome{Kind: engine.KindTimeout}},
		{"a deadline by its own Is", isDeadline{}, engine.Outcome{Kind: engine.KindTimeout}},
		{"a cancel", context.Canceled, engine.Outcome{Kind: engine.KindCancelled}},
		{"a cancel among others", errors.Join(context.DeadlineExceeded, context.Canceled), engine.Outcome{Kind: engine.KindCancelled}},
		{"a transient cancel", engine.Transient(context.Canceled), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"a transient cancel inside", fmt.Errorf("x: %w", engine.Transient(fmt.Errorf("y: %w", context.Canceled))), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"a cancel beside a transient error", errors.Join(context.Canceled, engine.Transient(base)), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"and the other way around", errors.Join(engine.Transient(base), context.Canceled), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"a transient cancel and a status", engine.Transient(errors.Join(context.Canceled, &engine.StatusError{Status: 503})), engine.Outcome{Kind: engine.KindStatus, Status: 503, Say: engine.SayRetry}},
		{"a transient cancel and a deadline", engine.Transient(errors.Join(context.Canceled, context.DeadlineExceeded)), engine.Outcome{Kind: engine.KindTimeout, Say: engine.SayRetry}},
		{"a cancel with a wait", engine.RetryAfter(context.Canceled, sec), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry, Hint: engine.Hint{State: engine.HintWait, Wait: sec}}},
		{"a transient cancel inside another operation", engine.Transient(&engine.InterruptedError{Err: context.Canceled}), engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"a permanent cancel", engine.Permanent(context.Canceled), engine.Outcome{Kind: engine.KindCancelled, Say: engine.SayStop}},
		{"a permanent deadline", engine.Permanent(context.DeadlineExceeded), engine.Outcome{Kind: engine.KindTimeout, Say: engine.SayStop}},
		// What an operation inside came to.
		{"failed inside", &engine.FailedError{Last: engine.Transient(base)}, engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}},
		{"failed inside, plainly", &engine.FailedError{Last: base}, engine.Outcome{Kind: engine.KindUnknown}},
		{"deferred inside", &engine.DeferredError{Last: engine.RetryAfter(base, time.Hour)}, engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry, Hint: engine.Hint{State: engine.HintWait, Wait: time.Hour}}},
		{"timed out inside", &engine.TimeoutError{Last: engine.Permanent(base)}, engine.Outcome{Kind: engine.KindTimeout}},
		{"cancelled inside, after a timeout", &engine.InterruptedError{Err: context.Canceled, Last: engine.Transient(context.DeadlineExceeded)}, engine.Outcome{Kind: engine.KindCancelled}},
		{"a deadline around what is inside", &engine.InterruptedError{Err: context.DeadlineExceeded, Last: engine.Permanent(base)}, engine.Outcome{Kind: engine.KindTimeout}},
		{"signed out inside", &engine.InterruptedError{Err: engine.ErrStaleGeneration, Last: engine.Transient(base)}, engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayStop}},
	} {
		if got := engine.ClassifyError(c.err); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if c.err != nil && strings.Contains(c.err.Error(), "base") != errors.Is(c.err, base) {
			t.Errorf("%s: %v and the error inside do not agree", c.name, c.err)
		}
	}
	for _, err := range []error{engine.Transient(nil), engine.Permanent(nil), engine.RetryAfter(nil, sec)} {
		if err != nil {
			t.Errorf("a marker made an error of none: %v", err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { engine.ClassifyError(base) }); n != 0 {
		t.Errorf("classifying allocates %v times", n)
	}
}

type asStatus struct{}

func (asStatus) Error() string { return "as" }

func (asStatus) As(target any) bool {
	st, ok := target.(**engine.StatusError)
	if ok {
		*st = &engine.StatusError{Status: 502}
	}
	return ok
}

type isDeadline struct{}

func (isDeadline) Error() string        { return "is" }
func (isDeadline) Is(target error) bool { return target == context.DeadlineExceeded }

// TestEngineRetryAfterMarker: a marker with a wait keeps its cause to the end, and waits are those it asks for.
func TestEngineRetryAfterMarker(t *testing.T) {
	p := play(t, game{policy: "attempts=3 base=1s jitter=none", replies: []reply{plain(engine.RetryAfter(errFlaky, 7*sec))}})
	if !errors.Is(p.err, errFlaky) || p.calls != 3 || p.waits[0] != 7*sec || p.waits[1] != 7*sec {
		t.Errorf("%v, waits %v", p.err, p.waits)
	}
	p = play(t, game{policy: "attempts=3 base=1s", replies: []reply{plain(engine.RetryAfter(errFlaky, time.Hour))}})
	if !errors.Is(p.err, errFlaky) || !errors.Is(p.err, engine.ErrDeferred) || p.calls != 1 {
		t.Errorf("%v", p.err)
	}
}

// TestEngineMarkerOutranksThePredicate, and the predicate the policy.
func TestEngineMarkerOutranksThePredicate(t *testing.T) {
	no := engine.WithWhen(func(error) bool { return false })
	yes := engine.WithWhen(func(error) bool { return true })
	if p := play(t, game{opts: []engine.Option{no}, replies: []reply{plain(engine.Transient(errFlaky))}}); p.calls != 4 {
		t.Errorf("transient, predicate no: %d calls", p.calls)
	}
	if p := play(t, game{opts: []engine.Option{yes}, replies: []reply{plain(engine.Permanent(errFlaky))}}); p.calls != 1 {
		t.Errorf("permanent, predicate yes: %d calls", p.calls)
	}
	if p := play(t, game{policy: "retry-on=none", opts: []engine.Option{yes}, replies: []reply{status(503)}}); p.calls != 4 {
		t.Errorf("retry-on=none, predicate yes: %d calls", p.calls)
	}
}

// TestEngineWords are the words of files, flags and events.
func TestEngineWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{engine.KindInvalidResponse.String(), "invalid-response"},
		{engine.CauseRedirectLoop.String(), "redirect-loop"},
		{engine.Retry.String(), "retry"},
		{engine.GateReplayable.String(), "replayable"},
		{engine.ReasonStaleGeneration.String(), "stale-generation"},
		{engine.ReasonMaxSends.String(), "max-sends"},
		{engine.ResultTimedOut.String(), "timed-out"},
		{engine.SourceServer.String(), "server"},
		{engine.Kind(99).String(), "invalid"},
		{engine.Reason(99).String(), "invalid"},
		{(&engine.StatusError{Status: 503}).Error(), "status 503"},
		{(&engine.StatusError{Status: 503, Text: "Service Unavailable"}).Error(), "503 Service Unavailable"},
		{(&engine.FailedError{Reason: engine.ReasonAttempts, Attempts: 1}).Error(), "no failure (attempts-exhausted after 1 attempt)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	seen := map[string]bool{}
	for _, c := range engine.Causes() {
		if seen[c.String()] || c.String() == "" || c.String() == "invalid" {
			t.Errorf("cause %d is called %q", c, c)
		}
		seen[c.String()] = true
	}
}
