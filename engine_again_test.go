package main_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineAgain: a further attempt is made ready once it is decided on, before its wait and before anything in hand is
// thrown away. One that cannot be made ready is none: no token is paid, the latest result comes back, and both errors.
func TestEngineAgain(t *testing.T) {
	gone := errors.New("gone")
	for _, c := range []struct {
		name, policy  string
		outcome       engine.Outcome
		works         int // how often it can be made ready
		asked, calls  int
		reason        engine.Reason
		at            time.Duration
		tokens, value int
	}{
		{"never", "", engine.Outcome{Kind: engine.KindStatus, Status: 503}, 0, 1, 1, engine.ReasonNotReplayable, 0, 20, 1},
		{"once", "", engine.Outcome{Kind: engine.KindStatus, Status: 503}, 1, 2, 2, engine.ReasonNotReplayable, sec, 15, 2},
		{"always", "", engine.Outcome{Kind: engine.KindStatus, Status: 503}, 9, 3, 4, engine.ReasonAttempts, 3 * sec, 5, 4},
		{"where nothing was sent", "", engine.Outcome{Kind: engine.KindTransport, NotSent: true}, 0, 1, 1, engine.ReasonNotReplayable, 0, 20, 1},
		{"no further attempt", "", engine.Outcome{Kind: engine.KindStatus, Status: 404}, 0, 0, 1, engine.ReasonNotRetryable, 0, 20, 1},
		{"too late for one", "timeout=1s", engine.Outcome{Kind: engine.KindStatus, Status: 503}, 0, 0, 1, engine.ReasonDeadline, 0, 20, 1},
	} {
		clock := engine.NewVirtual(wall)
		p := mustParse(t, "base=1s curve=constant jitter=none budget=tokens:20/5/1 "+c.policy)
		budget := engine.NewBudget(p.Budget)
		r, err := engine.New(p, engine.WithClock(clock), engine.WithBudget(budget))
		if err != nil {
			t.Fatal(err)
		}
		asked, calls, dropped := 0, 0, 0
		v, rep, err := engine.Run(context.Background(), r, engine.Operation[int]{
			Run:      func(context.Context, int) (int, error) { calls++; return calls, errFlaky },
			Classify: func(int, error) engine.Outcome { return c.outcome },
			Discard:  func(int) { dropped++ },
			Body:     engine.BodyReplayable,
			Again: func() error {
				if dropped != asked || clock.Now() != time.Duration(asked)*sec {
					t.Errorf("%s: asked for the %d. time with %d results dropped, at %v", c.name, asked+1, dropped, clock.Now())
				}
				if asked++; asked > c.works {
					return gone
				}
				return nil
			},
		})
		if asked != c.asked || calls != c.calls || rep.Attempts != c.calls || rep.Reason != c.reason || clock.Now() != c.at || v != c.value || budget.Left(clock.Now()) != c.tokens {
			t.Errorf("%s: asked %d times, %d calls, %+v at %v, %d in hand, %d tokens", c.name, asked, calls, rep, clock.Now(), v, budget.Left(clock.Now()))
		}
		if !errors.Is(err, errFlaky) || errors.Is(err, gone) != (c.reason == engine.ReasonNotReplayable) || rep.Last != c.outcome {
			t.Errorf("%s: %v, %+v", c.name, err, rep.Last)
		}
		if f, ok := errors.AsType[*engine.FailedError](err); ok && len(f.History) != c.calls-1 {
			t.Errorf("%s: %v", c.name, f.History)
		}
	}
}
