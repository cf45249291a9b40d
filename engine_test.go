package main_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// The engine's rules as a black box, topic by topic: this file holds the table's language and the counting, its
// neighbors engine_*_test.go the rest. An operation is played on the virtual clock against a list of replies; what is
// asserted is what anyone outside could see: the calls, the waits, the result. Whatever is played has to keep the laws
// of engine_laws_test.go as well.

const (
	ms  = time.Millisecond
	sec = time.Second
)

// reply is what one call comes back with. It is the error of that call, too.
type reply struct {
	takes time.Duration // before it comes back; engine.Forever hangs
	out   engine.Outcome
	err   error // handed back in place of the reply itself
}

func (r *reply) Error() string { return "reply " + r.out.Words() }

func good() reply           { return reply{} }
func status(code int) reply { return reply{out: engine.Outcome{Kind: engine.KindStatus, Status: code}} }
func plain(err error) reply { return reply{err: err} }
func hang() reply           { return reply{takes: engine.Forever} }
func kind(k engine.Kind) reply {
	return reply{out: engine.Outcome{Kind: k}}
}

// transport is a connection that failed; refused and dns failed before anything was sent.
func transport(c engine.Cause) reply {
	o := engine.Outcome{Kind: engine.KindTransport, Cause: c}
	o.NotSent = c == engine.CauseRefused || c == engine.CauseDNS
	return reply{out: o}
}

// after adds a server's Retry-After.
func (r reply) after(d time.Duration) reply {
	r.out.Hint = engine.Hint{State: engine.HintWait, Wait: d}
	return r
}

// slow comes back after d.
func (r reply) slow(d time.Duration) reply {
	r.takes = d
	return r
}

// game is one operation to play. Its policy is written on top of the default one.
type game struct {
	policy  string
	replies []reply // the last one again and again
	method  string
	keyed   bool
	body    engine.Body
	draw    float64 // 1 where a table leaves it out: the longest waits, the easiest to read
	lowest  bool    // draw 0
	opts    []engine.Option
	ctx     context.Context // in place of context.Background
	// cancelAt and signOutAt count from 1 ns: 0 is never. at0 is the instant of the start.
	cancelAt, signOutAt, deadline time.Duration
	cause                         error
	observe                       func(*engine.Event, *table)
}

const at0 = -1 * time.Nanosecond

// table is what a game is played on.
type table struct {
	clock   *engine.Virtual
	session *engine.Session
	retrier *engine.Retrier
	cancel  context.CancelCauseFunc
}

// played is what could be seen of a game.
type played struct {
	policy engine.Policy
	value  string
	report engine.Report
	err    error
	calls  int
	sent   []time.Duration // when each call was made
	waits  []time.Duration // planned before each retry
	events []engine.Event
}

func (p *played) decisions() []engine.Decision {
	var out []engine.Decision
	for i := range p.events {
		if p.events[i].Kind == engine.EventDecision {
			out = append(out, p.events[i].Decision)
		}
	}
	return out
}

func (p *played) last() engine.Decision {
	d := p.decisions()
	if len(d) == 0 {
		return engine.Decision{}
	}
	return d[len(d)-1]
}

func mustParse(t testing.TB, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatalf("policy %q: %v", text, err)
	}
	return p
}

func mustNew(t testing.TB, text string, opts ...engine.Option) *engine.Retrier {
	t.Helper()
	r, err := engine.New(mustParse(t, text), opts...)
	if err != nil {
		t.Fatalf("policy %q: %v", text, err)
	}
	return r
}

var wall = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// play runs one operation on the virtual clock and holds it to the laws.
func play(t testing.TB, g game) *played {
	t.Helper()
	p := &played{policy: mustParse(t, g.policy)}
	tb := &table{clock: engine.NewVirtual(wall), session: engine.NewSession()}
	ctx := g.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, tb.cancel = context.WithCancelCause(ctx)
	defer tb.cancel(nil)
	schedule := func(at time.Duration, rank engine.Rank, f func()) {
		if at != 0 {
			tb.clock.At(max(at, 0), rank, f)
		}
	}
	schedule(g.cancelAt, engine.RankCancel, func() { tb.cancel(g.cause) })
	schedule(g.signOutAt, engine.RankSignOut, tb.session.SignOut)
	if g.deadline > 0 {
		var free context.CancelFunc
		ctx, free = tb.clock.WithTimeout(ctx, g.deadline)
		defer free()
	}
	u := g.draw
	if u == 0 && !g.lowest {
		u = 1
	}
	opts := []engine.Option{
		engine.WithClock(tb.clock), engine.WithDraw(u), engine.WithSeed(1), engine.WithSession(tb.session),
		engine.WithObserver(func(e *engine.Event) {
			p.events = append(p.events, *e)
			if e.Kind == engine.EventWait {
				p.waits = append(p.waits, e.Decision.Wait)
			}
			if g.observe != nil {
				g.observe(e, tb)
			}
		}),
	}
	r, err := engine.New(p.policy, append(opts, g.opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	tb.retrier = r
	p.value, p.report, p.err = engine.Run(ctx, r, engine.Operation[string]{
		Method: g.method, Keyed: g.keyed, Body: g.body,
		Run: func(ctx context.Context, attempt int) (string, error) {
			p.calls++
			p.sent = append(p.sent, tb.clock.Now())
			return answer(ctx, tb.clock, g.replies, attempt)
		},
		Classify: classify,
	})
	keepsLaws(t, &g, p)
	return p
}

func answer(ctx context.Context, clock engine.Clock, replies []reply, attempt int) (string, error) {
	r := replies[min(attempt, len(replies))-1]
	if r.takes > 0 {
		if err := clock.Wait(ctx, r.takes); err != nil {
			return "", err
		}
	}
	switch {
	case r.err != nil:
		return "", r.err
	case r.out.Failure():
		return fmt.Sprintf("answer %d", attempt), &r
	default:
		return fmt.Sprintf("answer %d", attempt), nil
	}
}

func classify(_ string, err error) engine.Outcome {
	if r, ok := errors.AsType[*reply](err); ok {
		return r.out
	}
	return engine.ClassifyError(err)
}

// row is one line of a table: what is played, and what has to be seen.
type row struct {
	name string
	game
	calls  int
	waits  []time.Duration
	result engine.Result
	reason engine.Reason
}

func playAll(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			p := play(t, r.game)
			if p.calls != r.calls {
				t.Errorf("%d calls, want %d", p.calls, r.calls)
			}
			if r.waits != nil && !slices.Equal(p.waits, r.waits) {
				t.Errorf("waits %v, want %v", p.waits, r.waits)
			}
			if p.report.Result != r.result || p.report.Reason != r.reason {
				t.Errorf("ended %v (%v), want %v (%v)", p.report.Result, p.report.Reason, r.result, r.reason)
			}
			if t.Failed() {
				t.Logf("error: %v", p.err)
			}
		})
	}
}

// TestEngineCounts is about how many sends there are: attempts count the first one, retries do not.
func TestEngineCounts(t *testing.T) {
	const once = "base=1s jitter=none curve=constant "
	always503 := []reply{status(503)}
	playAll(t, []row{
		{name: "attempts=3 sends three times", game: game{policy: once + "attempts=3", replies: always503}, calls: 3, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "retries=3 sends four times", game: game{policy: once + "retries=3", replies: always503}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "retries=0 sends once", game: game{policy: once + "retries=0", replies: always503}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "negative retries send once", game: game{policy: once + "retries=-7", replies: always503}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "attempts=1 sends once", game: game{policy: once + "attempts=1", replies: always503}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "no wait after the last failure", game: game{policy: "attempts=3 base=1s jitter=none", replies: always503}, calls: 3, waits: []time.Duration{1 * sec, 2 * sec}, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a success ends it", game: game{policy: once, replies: []reply{status(503), status(503), good()}}, calls: 3, result: engine.ResultSucceeded},
		{name: "a first success is the only send", game: game{policy: once, replies: []reply{good()}}, calls: 1, waits: []time.Duration{}, result: engine.ResultSucceeded},
		{name: "unlimited goes on until it heals", game: game{policy: once + "attempts=unlimited", replies: append(slices.Repeat(always503, 499), good())}, calls: 500, result: engine.ResultSucceeded},
		{name: "a stream refused for ever counts like any failure", game: game{policy: once, replies: []reply{transport(engine.CauseHTTP2)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a 408 for ever is bounded, where it is named", game: game{policy: once + "retry-on=408", replies: []reply{status(408)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a plain error is sent ONCE", game: game{policy: once, replies: []reply{plain(errors.New("plain"))}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "a plain error is retried where unknown is named", game: game{policy: once + "retry-on=unknown", replies: []reply{plain(errors.New("plain"))}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a 401 is sent once", game: game{policy: once, replies: []reply{status(401)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "an answer that cannot be decoded is sent once", game: game{policy: once, replies: []reply{kind(engine.KindDecoding)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "attempts as shown are the most that may be sent", game: game{policy: once + "retries=6", replies: always503}, calls: 7, result: engine.ResultFailed, reason: engine.ReasonAttempts},
	})
}

// TestEngineRefusesToCountNothing: a blank field in a form is 0, and 0 must neither loop for ever nor succeed unsent.
func TestEngineRefusesToCountNothing(t *testing.T) {
	for _, text := range []string{
		"attempts=0", "attempts=-1", "attempts=", "attempts=1.5", "attempts=many", "attempts=+3", "attempts=9999999999999999999999",
		"retries=", "retries=1.5", "retries=many", "retries=9999999999999999999999", "retries=1000000000", "attempts=3 retries=2",
	} {
		if p, err := engine.ParsePolicy(text, engine.Default()); err == nil {
			t.Errorf("%q was taken, as %d attempts", text, p.Attempts)
		} else if p != engine.Default() {
			t.Errorf("%q was refused, but changed the policy", text)
		}
	}
	for _, n := range []int{0, -1, -1 << 63} {
		p := engine.Default()
		p.Attempts = n
		if _, err := engine.New(p); err == nil {
			t.Errorf("a policy of %d attempts was taken", n)
		}
		if err := mustNew(t, "").SetPolicy(p); err == nil {
			t.Errorf("a policy of %d attempts was put in force", n)
		}
	}
}

// TestEngineCountsRetriesInCode: WithRetries is retries=N for programs.
func TestEngineCountsRetriesInCode(t *testing.T) {
	for _, c := range []struct{ retries, attempts int }{
		{3, 4}, {0, 1}, {-1, 1}, {-1 << 63, 1}, {engine.Unlimited, engine.Unlimited},
	} {
		if got := engine.Default().WithRetries(c.retries).Attempts; got != c.attempts {
			t.Errorf("%d retries are %d attempts, want %d", c.retries, got, c.attempts)
		}
	}
	if p := mustParse(t, "retries=unlimited"); p.Attempts != engine.Unlimited {
		t.Errorf("retries=unlimited is %d attempts", p.Attempts)
	}
}

// TestEngineNeverRetriesACancelWhateverThePredicate: a predicate that always says yes still never retries a cancel, be
// it the caller's own or one the operation came back with.
func TestEngineNeverRetriesACancelWhateverThePredicate(t *testing.T) {
	yes := engine.WithWhen(func(error) bool { return true })
	playAll(t, []row{
		{name: "any error is retried", game: game{opts: []engine.Option{yes}, replies: []reply{plain(errors.New("plain"))}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "but not a cancel of the caller in the attempt", game: game{opts: []engine.Option{yes}, replies: []reply{hang()}, cancelAt: 5 * ms}, calls: 1, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "nor one with a cause", game: game{opts: []engine.Option{yes}, replies: []reply{hang()}, cancelAt: 5 * ms, cause: errors.New("user pressed q")}, calls: 1, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "nor a cancel out of nowhere", game: game{opts: []engine.Option{yes}, replies: []reply{plain(context.Canceled)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "nor one that is wrapped", game: game{opts: []engine.Option{yes}, replies: []reply{plain(fmt.Errorf("sending: %w", context.Canceled))}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "nor one marked permanent", game: game{opts: []engine.Option{yes}, replies: []reply{plain(engine.Permanent(context.Canceled))}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "nor one whatever retry-on says", game: game{policy: "retry-on=unknown,transport,timeout,decoding,5xx", replies: []reply{plain(context.Canceled)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "and the other gates hold", game: game{opts: []engine.Option{yes}, method: "POST", replies: []reply{plain(errors.New("plain"))}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{name: "a predicate that says no", game: game{opts: []engine.Option{engine.WithWhen(func(error) bool { return false })}, replies: []reply{status(503)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
	})
}

// TestEngineMarkedCancel: whether the caller is gone is asked of the caller's context, and not of an error. A cancel that
// somebody below came back with is what its mark says, as long as the caller is there.
func TestEngineMarkedCancel(t *testing.T) {
	transient := engine.Transient(context.Canceled)
	no := engine.WithWhen(func(error) bool { return false })
	late := plain(transient)
	late.takes = 10 * ms
	playAll(t, []row{
		{name: "transient", game: game{replies: []reply{plain(transient)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "wrapped", game: game{replies: []reply{plain(fmt.Errorf("below: %w", transient))}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "beside another", game: game{replies: []reply{plain(errors.Join(context.Canceled, engine.Transient(errFlaky)))}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "that heals", game: game{replies: []reply{plain(transient), good()}}, calls: 2, result: engine.ResultSucceeded},
		{name: "whatever retry-on and a predicate say", game: game{policy: "retry-on=none", opts: []engine.Option{no}, replies: []reply{plain(transient)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "with a wait", game: game{policy: "jitter=none", replies: []reply{plain(engine.RetryAfter(context.Canceled, 3*sec)), good()}}, calls: 2, result: engine.ResultSucceeded},
		{name: "with a wait above the ceiling", game: game{replies: []reply{plain(engine.RetryAfter(context.Canceled, time.Hour))}}, calls: 1, result: engine.ResultDeferred, reason: engine.ReasonCeiling},
		{name: "the caller is gone", game: game{replies: []reply{late}, cancelAt: 5 * ms}, calls: 1, result: engine.ResultCancelled, reason: engine.ReasonCancelled},
		{name: "the other gates hold", game: game{method: "POST", replies: []reply{plain(transient)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
	})
	p := play(t, game{replies: []reply{plain(transient)}})
	e, isFailed := errors.AsType[*engine.FailedError](p.err)
	if !isFailed || !errors.Is(e.Last, context.Canceled) || len(e.History) != 3 {
		t.Errorf("%#v", p.err)
	}
}

var errFlaky = errors.New("flaky")

// failing is an operation that always fails in a way that may heal.
func failing(context.Context) (string, error) { return "", engine.Transient(errFlaky) }
