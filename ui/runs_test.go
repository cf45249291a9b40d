package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

const ms = time.Millisecond

// answer is what an attempt comes back with after a while.
type answer struct {
	after time.Duration
	o     engine.Outcome
}

func status(n int, after time.Duration) answer {
	o := engine.Outcome{Kind: engine.KindStatus, Status: n}
	if n < 300 {
		o.Kind = engine.KindSuccess
	}
	return answer{after, o}
}

func asks(n int, after, wait time.Duration) answer {
	a := status(n, after)
	a.o.Hint = engine.Hint{State: engine.HintWait, Wait: wait}
	return a
}

func broken(c engine.Cause, after time.Duration) answer {
	return answer{after, engine.Outcome{Kind: engine.KindTransport, Cause: c}}
}

// runOf is a run to make: answers in order, the last one for ever.
type runOf struct {
	policy  string
	answers []answer
	seed    uint64
	draw    float64 // each draw where above 0
	method  string
	keyed   bool
	cancel  time.Duration // 0 for never
	signOut time.Duration
	phases  bool
	endless bool // given up after some sends, as a scripted run is
}

// parsePolicy is the default policy with some fields set.
func parsePolicy(t testing.TB, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatalf("policy %q: %v", text, err)
	}
	return p
}

var errAnswer = errors.New("the answer")

// do makes the run with the real engine on the virtual clock.
func (r runOf) do(t testing.TB) *trace.Trace {
	t.Helper()
	p := parsePolicy(t, r.policy)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	v := engine.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	session := engine.NewSession()
	if r.cancel > 0 {
		v.At(r.cancel, engine.RankCancel, cancel)
	}
	if r.signOut > 0 {
		v.At(r.signOut, engine.RankSignOut, session.SignOut)
	}
	rec := trace.NewRecorder(trace.Head{Method: r.method, Keyed: r.keyed, Policy: p, Seed: r.seed}, nil, nil)
	opts := []engine.Option{engine.WithClock(v), engine.WithSeed(r.seed), engine.WithObserver(rec.Observe), engine.WithSession(session)}
	if r.draw > 0 {
		opts = append(opts, engine.WithDraw(r.draw))
	}
	retrier, err := engine.New(p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if r.endless {
		opts = append(opts, engine.WithSends(engine.NewSends(40)))
		if retrier, err = engine.New(p, opts...); err != nil {
			t.Fatal(err)
		}
	}
	var latest engine.Outcome
	op := engine.Operation[int]{
		ID: 1, Method: r.method, Keyed: r.keyed,
		Classify: func(_ int, err error) engine.Outcome {
			if err != nil && !errors.Is(err, errAnswer) {
				return engine.ClassifyError(err)
			}
			return latest
		},
		Run: func(ctx context.Context, attempt int) (int, error) {
			a := r.answers[min(attempt, len(r.answers))-1]
			latest = a.o
			if r.phases {
				rest := a.after
				d := trace.Detail{HasPhases: true, Phases: trace.Phases{DNS: rest / 50, Connect: rest / 20, TLS: rest / 10, Body: rest / 100}}
				d.Phases.Wait = rest - d.Phases.DNS - d.Phases.Connect - d.Phases.TLS - d.Phases.Body
				rec.Detail(attempt, d)
			}
			if err := v.Wait(ctx, a.after); err != nil {
				return 0, err
			}
			if latest.Failure() {
				return 0, errAnswer
			}
			return latest.Status, nil
		},
	}
	//nolint:errcheck // what came out of it is in the record
	engine.Run(ctx, retrier, op)
	tr := rec.Trace()
	if r.endless {
		tr.Done.Result, tr.Done.Reason = engine.ResultEndless, engine.ReasonNoLimit
	}
	return tr
}

// builtIn is the built-in script under the policy of the mock-up at 80x24.
func builtIn() runOf {
	return runOf{
		policy: "attempts=6 timeout=6s attempt-timeout=1s", method: "POST", keyed: true, seed: 42,
		answers: []answer{status(503, 120*ms), asks(429, 90*ms, 2*time.Second), broken(engine.CauseReset, 40*ms), status(200, 80*ms)},
	}
}

// withDraws gives the waits of a run own draws that are chosen, and moves all that comes later.
func draw(t testing.TB, w, h int, in *TimelineInput) string {
	t.Helper()
	g := NewGrid(w, h)
	DrawTimeline(g, in)
	return g.Plain()
}

func inputOf(tr *trace.Trace) TimelineInput {
	return TimelineInput{Trace: tr, Policy: tr.Head.Policy, AtEnd: true}
}
