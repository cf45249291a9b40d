package trace_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

const ms = time.Millisecond

// run records a real run of the engine on the virtual clock: op is asked for each attempt.
func run(t *testing.T, p engine.Policy, head trace.Head, outcomes []engine.Outcome, tell func(*trace.Trace, trace.Event)) *trace.Trace {
	t.Helper()
	rec := trace.NewRecorder(head, nil, tell)
	r, err := engine.New(p, engine.WithClock(engine.NewVirtual(time.Unix(0, 0))), engine.WithSeed(head.Seed), engine.WithObserver(rec.Observe))
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	// What the loop comes to is in the record.
	_, _, _ = engine.Run(t.Context(), r, engine.Operation[int]{
		ID: 0x1234567890abcdef,
		Run: func(ctx context.Context, n int) (int, error) {
			o := outcomes[min(n, len(outcomes))-1]
			i++
			rec.Detail(n, trace.Detail{Reason: "Service Unavailable"})
			if err := r.Clock().Wait(ctx, 80*ms+700); err != nil {
				return 0, err
			}
			if o.Kind == engine.KindTransport {
				return 0, errors.New("connection reset")
			}
			return o.Status, nil
		},
		Classify: func(int, error) engine.Outcome { return outcomes[min(i, len(outcomes))-1] },
		Method:   head.Method, Keyed: head.Keyed, Body: head.Body,
	})
	return rec.Trace()
}

func policy(t *testing.T, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func status(code int) engine.Outcome { return engine.Outcome{Kind: engine.KindStatus, Status: code} }

func asked(code int, wait time.Duration) engine.Outcome {
	o := status(code)
	o.Hint = engine.Hint{State: engine.HintWait, Wait: wait}
	return o
}

var (
	ok    = engine.Outcome{Kind: engine.KindSuccess, Status: 200}
	reset = engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseReset}
)

func TestRecordOfARealRun(t *testing.T) {
	t.Parallel()
	tr := run(t, policy(t, "jitter=none"), trace.Head{Method: "GET"}, []engine.Outcome{status(503), asked(429, 2*time.Second), reset, ok}, nil)
	if len(tr.Attempts) != 4 || tr.Done == nil || tr.Done.Result != engine.ResultSucceeded || tr.Done.Attempts != 4 {
		t.Fatalf("attempts %d, done %+v", len(tr.Attempts), tr.Done)
	}
	if !tr.Checks.OK() || len(tr.Broken) != 0 {
		t.Errorf("checks %+v: %v", tr.Checks, tr.Broken)
	}
	second := tr.Attempt(2)
	if second.Wait.For != 2*time.Second || second.Wait.Source != engine.SourceServer || second.Decision.Own != 400*ms {
		t.Errorf("wait %+v, own %v", second.Wait, second.Decision.Own)
	}
	if third := tr.Attempt(3); third.Err != "connection reset" || third.Start != second.Wait.End {
		t.Errorf("third: %+v", third)
	}
	if tr.Head.ID != "12345678" {
		t.Errorf("id %q", tr.Head.ID)
	}
}

func TestErrorNamesTheLastAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, policy string
		outcomes     []engine.Outcome
		want         string
	}{
		{"attempts", "jitter=none", []engine.Outcome{status(503)}, "503 Service Unavailable (attempts-exhausted after 4 attempts)"},
		{"permanent", "jitter=none", []engine.Outcome{status(503), status(401)}, "401 Service Unavailable (not-retryable after 2 attempts)"},
		{"deferred", "jitter=none", []engine.Outcome{asked(503, time.Minute)}, "503 Service Unavailable (deferred: server asked 1m, ceiling 30s)"},
		{"timeout", "jitter=none timeout=1s base=2s", []engine.Outcome{status(503)}, "503 Service Unavailable (timeout 1s: the next attempt would begin after it, in 2s)"},
		{"transport", "jitter=none attempts=2", []engine.Outcome{reset}, "connection reset (attempts-exhausted after 2 attempts)"},
		{"success", "jitter=none", []engine.Outcome{status(503), ok}, ""},
	}
	for _, tt := range tests {
		tr := run(t, policy(t, tt.policy), trace.Head{}, tt.outcomes, nil)
		if tr.Done.Err != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tr.Done.Err, tt.want)
		}
		if !tr.Checks.OK() {
			t.Errorf("%s: %v", tt.name, tr.Broken)
		}
	}
}

func TestErrorsAreMaskedAndCleaned(t *testing.T) {
	t.Parallel()
	rec := trace.NewRecorder(trace.Head{}, func(s string) string { return trace.RedactText(s, "hunter22") }, nil)
	p := engine.Default()
	err := errors.New("Get \"http://u:hunter22@h/?token=abc\": \x1b]0;hunter22\x07 gone")
	rec.Observe(&engine.Event{Kind: engine.EventStart, Policy: &p})
	rec.Observe(&engine.Event{Kind: engine.EventAttempt, Attempt: 1, Policy: &p})
	rec.Observe(&engine.Event{Kind: engine.EventOutcome, Attempt: 1, Policy: &p, Outcome: reset, Err: err})
	rec.Observe(&engine.Event{Kind: engine.EventDone, Attempt: 1, Policy: &p, Err: err, Report: engine.Report{Result: engine.ResultFailed, Attempts: 1}})
	for _, text := range []string{rec.Trace().Attempts[0].Err, rec.Trace().Done.Err} {
		if strings.Contains(text, "hunter22") || strings.Contains(text, "abc") || strings.ContainsRune(text, 0x1b) || !strings.Contains(text, "gone") {
			t.Errorf("%q", text)
		}
	}
}

func TestVeryLongRunKeepsItsEnds(t *testing.T) {
	t.Parallel()
	const n = 20_000
	tr := run(t, policy(t, "jitter=none base=0s attempts=20000"), trace.Head{}, []engine.Outcome{status(503)}, nil)
	if got := len(tr.Attempts) + tr.Dropped; got != n || tr.Done.Attempts != n {
		t.Fatalf("%d kept, %d dropped, %d done", len(tr.Attempts), tr.Dropped, tr.Done.Attempts)
	}
	if len(tr.Attempts) > 6000 {
		t.Errorf("%d attempts kept", len(tr.Attempts))
	}
	for _, want := range []int{1, 2000, n - 1999, n} {
		if a := tr.Attempt(want); a == nil || a.N != want {
			t.Errorf("attempt %d is not kept", want)
		}
	}
	if a := tr.Attempt(5000); a != nil {
		t.Errorf("attempt 5000 is %d", a.N)
	}
	if !tr.Checks.OK() {
		t.Error(tr.Broken)
	}
	var buf bytes.Buffer
	if err := tr.WriteJSON(&buf); err != nil || strings.Count(buf.String(), `{"event":"dropped"`) != 1 {
		t.Error("the gap is not told of", err)
	}
	back, err := trace.Read(bytes.NewReader(buf.Bytes()))
	if err != nil || back.Dropped != tr.Dropped || !back.Checks.OK() {
		t.Error("not read back", err, back.Broken)
	}
}

// The lines told while it runs are the lines told afterwards.
func TestStreamedIsWritten(t *testing.T) {
	t.Parallel()
	var streamed []byte
	tr := run(t, policy(t, ""), trace.Head{Method: "GET", Source: "503", Seed: 7}, []engine.Outcome{status(503), asked(429, time.Second), reset, ok},
		func(tr *trace.Trace, e trace.Event) { streamed = tr.AppendJSON(streamed, e) })
	var written bytes.Buffer
	if err := tr.WriteJSON(&written); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(streamed, written.Bytes()) {
		t.Errorf("streamed\n%s\nwritten\n%s", streamed, written.Bytes())
	}
}

func TestNotesStandWhereTheyWereMade(t *testing.T) {
	t.Parallel()
	var streamed []byte
	var rec *trace.Recorder
	rec = trace.NewRecorder(trace.Head{}, nil, func(tr *trace.Trace, e trace.Event) {
		streamed = tr.AppendJSON(streamed, e)
		if e.Kind == trace.KindAttempt {
			rec.Note(trace.Note{At: e.At + 1, Text: "cap changed\x1b", After: 1})
		}
	})
	for _, e := range good() {
		rec.Observe(e)
	}
	var written bytes.Buffer
	if err := rec.Trace().WriteJSON(&written); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(streamed, written.Bytes()) || !strings.Contains(written.String(), `{"event":"note","t_ms":0,"attempt":1,"text":"cap changed\u001b"}`) {
		t.Errorf("streamed\n%s\nwritten\n%s", streamed, written.Bytes())
	}
}
