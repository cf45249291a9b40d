package main_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

var errPressedQ = errors.New("user pressed q")

// TestEngineCancelAndSignOut: the three orders, before the wait, during it and just after it, for a cancel and for a
// sign-out. No further send, no further wait, and out comes what it was.
func TestEngineCancelAndSignOut(t *testing.T) {
	const slow = "base=10s jitter=none curve=constant attempt-timeout=none"
	on := func(kind engine.EventKind, attempt int, do func(*table)) func(*engine.Event, *table) {
		return func(e *engine.Event, tb *table) {
			if e.Kind == kind && e.Attempt == attempt {
				do(tb)
			}
		}
	}
	cancel := func(tb *table) { tb.cancel(errPressedQ) }
	signOut := func(tb *table) { tb.session.SignOut() }
	down := []reply{status(503).slow(1 * sec)}
	playAll(t, []row{
		// The first attempt lasts from 0 to 1 s, the wait to 11 s, the second attempt to 12 s, the wait to 22 s.
		{name: "cancelled before the start", game: game{policy: slow, replies: down, ctx: cancelledContext()}, calls: 0, waits: []time.Duration{}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled at the start", game: game{policy: slow, replies: down, cancelAt: at0}, calls: 0, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled in the first attempt", game: game{policy: slow, replies: down, cancelAt: 500 * ms}, calls: 1, waits: []time.Duration{}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled as the attempt ends", game: game{policy: slow, replies: down, cancelAt: 1 * sec}, calls: 1, waits: []time.Duration{}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled at the answer, before the decision", game: game{policy: slow, replies: down, observe: on(engine.EventOutcome, 1, cancel)}, calls: 1, waits: []time.Duration{}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled before the wait", game: game{policy: slow, replies: down, observe: on(engine.EventDecision, 1, cancel)}, calls: 1, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled as the wait begins", game: game{policy: slow, replies: down, observe: on(engine.EventWait, 1, cancel)}, calls: 1, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled during the wait", game: game{policy: slow, replies: down, cancelAt: 5 * sec}, calls: 1, waits: []time.Duration{10 * sec}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled as the wait ends", game: game{policy: slow, replies: down, cancelAt: 11 * sec}, calls: 1, waits: []time.Duration{10 * sec}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled just after the wait", game: game{policy: slow, replies: down, observe: on(engine.EventWaitEnd, 1, cancel)}, calls: 1, waits: []time.Duration{10 * sec}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "cancelled in the second wait", game: game{policy: slow, replies: down, cancelAt: 15 * sec}, calls: 2, waits: []time.Duration{10 * sec, 10 * sec}, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "a success in hand stands on a cancel", game: game{policy: slow, replies: []reply{good()}, observe: on(engine.EventOutcome, 1, cancel)}, calls: 1, result: engine.ResultSucceeded},

		{name: "signed out at the start: nothing began before it", game: game{policy: slow, replies: down, signOutAt: at0}, calls: 0, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out in the attempt that fails", game: game{policy: slow, replies: down, signOutAt: 500 * ms}, calls: 1, waits: []time.Duration{}, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out in the attempt that succeeds", game: game{policy: slow, replies: []reply{good().slow(1 * sec)}, signOutAt: 500 * ms}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out as it succeeds", game: game{policy: slow, replies: []reply{good().slow(1 * sec)}, signOutAt: 1 * sec}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out just after it succeeded", game: game{policy: slow, replies: []reply{good().slow(1 * sec)}, signOutAt: 1*sec + 1}, calls: 1, result: engine.ResultSucceeded},
		{name: "signed out before the wait", game: game{policy: slow, replies: down, observe: on(engine.EventDecision, 1, signOut)}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out during the wait", game: game{policy: slow, replies: down, signOutAt: 5 * sec}, calls: 1, waits: []time.Duration{10 * sec}, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out as the wait ends", game: game{policy: slow, replies: down, signOutAt: 11 * sec}, calls: 1, waits: []time.Duration{10 * sec}, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out just after the wait", game: game{policy: slow, replies: down, observe: on(engine.EventWaitEnd, 1, signOut)}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
		{name: "signed out during the last attempt", game: game{policy: slow + " attempts=2", replies: []reply{down[0], good().slow(1 * sec)}, signOutAt: 11500 * ms}, calls: 2, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
	})
}

func cancelledContext() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errPressedQ)
	return ctx
}

// TestEngineAtOneInstant: a cancel comes first, then a sign-out, then a deadline, then the end of a wait or an answer.
// Every line has them all fall on one instant, less one each time.
func TestEngineAtOneInstant(t *testing.T) {
	const T = 5 * sec
	for _, at := range []struct {
		what    string
		replies []reply
		policy  string
		calls   int
	}{
		{"an answer", []reply{status(503).slow(T)}, "base=10s jitter=none attempts=1 attempt-timeout=none", 1},
		{"a success", []reply{good().slow(T)}, "base=10s jitter=none attempt-timeout=none", 1},
		{"the end of a wait", []reply{status(503)}, "base=5s jitter=none attempts=2 attempt-timeout=none", 1},
		{"the start of a wait", []reply{status(503).slow(T)}, "base=10s jitter=none attempt-timeout=none", 1},
	} {
		wait := at.what == "the end of a wait"
		rows := []row{
			{name: "cancel", game: game{cancelAt: T, signOutAt: T, deadline: T}, calls: at.calls, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
			{name: "sign-out", game: game{signOutAt: T, deadline: T}, calls: at.calls, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
			{name: "the caller's deadline", game: game{deadline: T}, calls: at.calls, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
			{name: "the timeout", game: game{policy: "timeout=5s"}, calls: at.calls, result: engine.ResultTimedOut, reason: engine.ReasonDeadline},
		}
		if wait { // a wait that would end at a deadline is not begun, so the first two come too late
			rows = rows[2:]
			rows = append(
				rows,
				row{name: "cancel", game: game{cancelAt: T, signOutAt: T}, calls: 1, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
				row{name: "sign-out", game: game{signOutAt: T}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonStaleGeneration},
			)
		}
		for i := range rows {
			rows[i].name += " and " + at.what
			rows[i].replies = at.replies
			rows[i].policy = at.policy + " " + rows[i].policy
		}
		playAll(t, rows)
	}
}

// TestEngineCancelKeepsBothErrors: out of a cancel come the cancel, its cause and the last failure.
func TestEngineCancelKeepsBothErrors(t *testing.T) {
	const slow = "base=10s jitter=none attempt-timeout=none"
	for _, c := range []struct {
		name string
		game
		last int // the status of the last failure, 0 where there was none
	}{
		{"in the wait", game{replies: []reply{status(503)}, cancelAt: 5 * sec}, 503},
		{"in the second attempt", game{replies: []reply{status(503), hang()}, cancelAt: 15 * sec}, 503},
		{"in the first attempt", game{replies: []reply{hang()}, cancelAt: 5 * sec}, 0},
		{"at the start", game{replies: []reply{hang()}, cancelAt: at0}, 0},
		{"in an attempt that fails all the same", game{replies: []reply{status(502).slow(time.Second)}, observe: func(e *engine.Event, tb *table) {
			if e.Kind == engine.EventOutcome {
				tb.cancel(errPressedQ)
			}
		}}, 502},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.policy, c.cause = slow, errPressedQ
			p := play(t, c.game)
			e, ok := errors.AsType[*engine.InterruptedError](p.err)
			if !ok || !errors.Is(p.err, context.Canceled) || !errors.Is(p.err, errPressedQ) || errors.Is(p.err, context.DeadlineExceeded) {
				t.Fatalf("%T %v", p.err, p.err)
			}
			if e.Attempts != p.calls {
				t.Errorf("%d attempts, %d calls", e.Attempts, p.calls)
			}
			r, ok := errors.AsType[*reply](p.err)
			if ok != (c.last != 0) || ok && r.out.Status != c.last {
				t.Errorf("the last failure is %v, want %d", e.Last, c.last)
			}
			if p.value != "" {
				t.Errorf("a cancel hands over %q", p.value)
			}
		})
	}
	// Without a cause of its own the cancel stands alone.
	p := play(t, game{policy: slow, replies: []reply{status(503)}, cancelAt: 5 * sec})
	if e, ok := errors.AsType[*engine.InterruptedError](p.err); !ok || e.Cause != nil || e.Error() != "context canceled (last failure: reply 503)" {
		t.Errorf("%v", p.err)
	}
}

// TestEngineCancelCauseHidesTheCancel: an operation that comes back with the cause alone (as net/http does) was
// cancelled all the same.
func TestEngineCancelCauseHidesTheCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := mustNew(t, "retry-on=unknown", engine.WithClock(engine.NewVirtual(wall)))
	_, rep, err := engine.Run(ctx, r, engine.Operation[int]{Run: func(ctx context.Context, _ int) (int, error) {
		cancel(errPressedQ)
		return 0, context.Cause(ctx)
	}})
	if rep.Result != engine.ResultCancelled || rep.Attempts != 1 || rep.Last.Kind != engine.KindCancelled || !errors.Is(err, context.Canceled) || !errors.Is(err, errPressedQ) {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestEngineStaleSuccessIsNotHandedOver: its value is discarded, and the error says why.
func TestEngineStaleSuccessIsNotHandedOver(t *testing.T) {
	s := engine.NewSession()
	var discarded []string
	r := mustNew(t, "", engine.WithClock(engine.NewVirtual(wall)), engine.WithSession(s))
	v, rep, err := engine.Run(t.Context(), r, engine.Operation[string]{
		Run:     func(context.Context, int) (string, error) { s.SignOut(); return "secret", nil },
		Discard: func(v string) { discarded = append(discarded, v) },
		Keep:    func(v string, release func()) string { release(); return v },
	})
	if v != "" || !errors.Is(err, engine.ErrStaleGeneration) || rep.Reason != engine.ReasonStaleGeneration || !slices.Equal(discarded, []string{"secret"}) {
		t.Errorf("%q, %v, %+v, discarded %q", v, err, rep, discarded)
	}
	// The next operation belongs to the new session.
	if v, err := engine.Do(t.Context(), r, func(context.Context) (string, error) { return "hello", nil }); v != "hello" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	if s.Generation() != 1 {
		t.Errorf("generation %d", s.Generation())
	}
}

// TestEngineCancelledWaitIsNoAttempt: a wait that was cut counts as no attempt.
func TestEngineCancelledWaitIsNoAttempt(t *testing.T) {
	p := play(t, game{policy: "base=10s jitter=none curve=constant", replies: []reply{status(503)}, cancelAt: 15 * sec})
	cut := 0
	for i := range p.events {
		if p.events[i].Kind == engine.EventWaitEnd && p.events[i].Cut {
			cut++
		}
	}
	if p.report.Attempts != 2 || cut != 1 || p.report.Waited != 15*sec || p.report.Elapsed != 15*sec {
		t.Errorf("%+v, %d waits cut", p.report, cut)
	}
}

// strike is a clock that ends waits for a reason of its own.
type strike struct{ *engine.Virtual }

func (strike) Wait(context.Context, time.Duration) error { return errFlaky }

// TestEngineClockThatEndsAWait: that is a cancel, with the clock's reason, and nothing more is sent.
func TestEngineClockThatEndsAWait(t *testing.T) {
	r := mustNew(t, "base=1s", engine.WithClock(strike{engine.NewVirtual(wall)}))
	_, rep, err := engine.Run(t.Context(), r, engine.Operation[int]{Run: func(context.Context, int) (int, error) {
		return 0, &engine.StatusError{Status: 503}
	}})
	st, ok := errors.AsType[*engine.StatusError](err)
	if rep.Attempts != 1 || rep.Result != engine.ResultCancelled || !errors.Is(err, context.Canceled) || !errors.Is(err, errFlaky) || !ok || st.Status != 503 {
		t.Errorf("%+v, %v", rep, err)
	}
}
