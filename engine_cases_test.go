package main_test

import (
	"errors"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Faults reported of other clients, with the very figures of the reports, by the numbers docs/CASES.md has them under.
// What the tables of the neighbors hold in general is held here where it once broke.

// BO-01, BO-03, BO-05, BO-06, BO-18: a wait far out is that of the cap, never one that wrapped.
func TestCaseGrowthStopsAtTheCap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, policy string
		retries    []int
		lo, hi     time.Duration // for the draws 0 and 1
	}{
		{"BO-01", "base=30ms cap=1s jitter=none", []int{39, 40, 50, 58, 63, 64, 65, 101}, sec, sec},
		{"BO-01 with jitter", "base=30ms cap=1s jitter=full", []int{39, 40, 50, 58, 63, 64, 65, 101}, 0, sec},
		{"BO-03", "base=1s cap=30s jitter=none factor=2", []int{34, 35, 38, 1024, 1025}, 30 * sec, 30 * sec},
		{"BO-03 by a power", "base=1s cap=30s jitter=equal factor=2.0001", []int{34, 35, 38, 1024, 1025, 1 << 40}, 15 * sec, 30 * sec},
		{"BO-05", "base=2s cap=5m jitter=none attempts=unlimited", []int{9, 60, 61, 1000, 1 << 40}, 5 * time.Minute, 5 * time.Minute},
		{"BO-06", "base=0 cap=60s jitter=none factor=2", []int{1, 1025, 1 << 40}, 0, 0},
		{"BO-06 by a power", "base=0 cap=60s jitter=equal factor=3", []int{1, 1025, 1 << 40}, 0, 0},
		{"BO-18", "base=1s cap=1h jitter=none factor=5 attempts=unlimited", []int{7, 16, 17, 28, 29, 1 << 40}, time.Hour, time.Hour},
	} {
		p := mustParse(t, c.policy)
		for _, n := range c.retries {
			if lo, hi := p.Delay(n, 0, 0), p.Delay(n, 0, 1); lo != c.lo || hi != c.hi {
				t.Errorf("%s, retry %d: %v to %v, want %v to %v", c.id, n, lo, hi, c.lo, c.hi)
			}
			if lo, hi := p.Bounds(n); lo != c.lo || hi != c.hi {
				t.Errorf("%s, retry %d: bounds %v to %v, want %v to %v", c.id, n, lo, hi, c.lo, c.hi)
			}
		}
	}
}

// BO-18: a long outage is waited through, at the cap, until it heals.
func TestCaseLongOutageIsWaitedThrough(t *testing.T) {
	t.Parallel()
	down := make([]reply, 200, 201)
	for i := range down {
		down[i] = status(503)
	}
	p := play(t, game{policy: "attempts=unlimited base=1s factor=5 cap=1h jitter=none", replies: append(down, good())})
	if p.report.Result != engine.ResultSucceeded || p.calls != 201 || p.waits[199] != time.Hour {
		t.Errorf("%v after %d calls, the last wait %v", p.report.Result, p.calls, p.waits[len(p.waits)-1])
	}
}

// BO-01, BO-03, BO-18: without a cap waits grow until one would end beyond every duration. It is never begun as a shorter
// one: the run is endless there, and each wait before it was waited in full.
func TestCaseWaitsBeyondEveryDuration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy string
		calls  int
	}{
		{"attempts=70 base=1h cap=none jitter=none", 22},                            // 2097151 h, then 2097152 h more
		{"attempts=70 base=1h cap=none jitter=none attempt-timeout=none", 22},       //
		{"attempts=5 base=1s cap=none jitter=none factor=1e300", 2},                 // 1 s, then 1e300 s
		{"attempts=5 base=2562047h cap=none jitter=none curve=constant", 2},         // each of them 292 years
		{"attempts=5 base=2562047h cap=none jitter=none curve=exponential", 2},      // and twice that
		{"attempts=9 base=1s cap=none jitter=decorrelated", 9},                      // 3^8 s
		{"attempts=60 base=1s cap=none jitter=decorrelated attempt-timeout=1h", 21}, // 3^20 s, 3^21 s do not fit
	} {
		p := play(t, game{policy: c.policy, replies: []reply{status(503)}})
		if p.calls != c.calls {
			t.Errorf("%s: %d calls, want %d", c.policy, p.calls, c.calls)
		}
		want := engine.ResultEndless
		if c.calls == p.policy.Attempts {
			want = engine.ResultFailed
		}
		if p.report.Result == engine.ResultEndless && p.report.Reason != engine.ReasonNoLimit {
			t.Errorf("%s: the reason is %v", c.policy, p.report.Reason)
		}
		if r, ok := errors.AsType[*reply](p.err); p.report.Result != want || !ok || r.out.Status != 503 {
			t.Errorf("%s: %v, %v", c.policy, p.report.Result, p.err)
		}
		for i := 1; i < len(p.sent); i++ {
			if gap := p.sent[i] - p.sent[i-1]; gap != p.waits[i-1] {
				t.Errorf("%s: %v between sends %d and %d, the wait is %v", c.policy, gap, i, i+1, p.waits[i-1])
			}
		}
	}
}

// BO-08: at the cap draws still differ, whatever the jitter, as long as the cap cuts before it.
func TestCaseSpreadAtTheCap(t *testing.T) {
	t.Parallel()
	for _, jitter := range []string{"full", "equal", "scale:0.5..1", "scale:0.5..1.5", "additive:5s", "decorrelated"} {
		p := mustParse(t, "base=1s cap=60s jitter="+jitter)
		most, seen := 0, map[time.Duration]int{}
		for i := range uint64(1000) {
			d := p.Delay(10, 10*sec, engine.Draw(3, engine.PurposeJitter, i, 10))
			seen[d]++
			most = max(most, seen[d])
		}
		if most > 3 {
			t.Errorf("%s: %d of 1000 draws are the same wait", jitter, most)
		}
	}
}

// RA-21, RA-23: chance only lengthens what a server asked for, and does so also where that is as long as the cap and the
// ceiling: neither of them cuts it.
func TestCaseServerWaitIsOnlyLengthened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy string
		asked  time.Duration
	}{
		{"base=2s jitter=full spread=1s", 3 * sec},
		{"base=2s jitter=scale:0..1 spread=1s", 3 * sec},
		{"base=2s jitter=decorrelated cap=3s spread=1s", 3 * sec},
		{"base=1s cap=30s ceiling=30s jitter=additive:1s spread=1s", 30 * sec},
	} {
		distinct := map[time.Duration]bool{}
		for i := range uint64(1000) {
			u := engine.Draw(i, engine.PurposeJitter, 1, 1)
			p := play(t, game{policy: "attempts=2 " + c.policy, replies: []reply{status(429).after(c.asked), good()}, draw: u, lowest: u == 0})
			if p.calls != 2 || p.waits[0] < c.asked || p.waits[0] > c.asked+sec {
				t.Fatalf("%s, draw %v: %d calls, waits %v", c.policy, u, p.calls, p.waits)
			}
			distinct[p.waits[0]] = true
		}
		if len(distinct) < 900 {
			t.Errorf("%s: %d waits of 1000 differ", c.policy, len(distinct))
		}
	}
}

// RA-33: what a policy says of Retry-After holds for every attempt, not only until it is first copied.
func TestCasePolicyHoldsForEveryAttempt(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]time.Duration{"ignore": 1 * sec, "at-least": 5 * sec, "replace": 5 * sec, "clamp:1s": 5 * sec} {
		p := play(t, game{policy: "attempts=5 base=1s curve=constant jitter=none retry-after=" + mode, replies: []reply{status(503).after(5 * sec)}})
		if len(p.waits) != 4 {
			t.Fatalf("%s: waits %v", mode, p.waits)
		}
		for n, wait := range p.waits {
			if wait != want {
				t.Errorf("%s: wait %d is %v, want %v", mode, n+1, wait, want)
			}
		}
	}
}

// CL-10: 421 and 408 are nothing that is tried again by itself, and being safe to send again is not theirs to say.
func TestCaseStatusesThatAskForAnotherConnection(t *testing.T) {
	t.Parallel()
	playAll(t, []row{
		{name: "421", game: game{replies: []reply{status(421), good()}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotRetryable},
		{name: "421 where it is named", game: game{policy: "retry-on=421", replies: []reply{status(421), good()}}, calls: 2, result: engine.ResultSucceeded},
		{name: "421 for ever is bounded", game: game{policy: "retry-on=421 attempts=2", replies: []reply{status(421)}}, calls: 2, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "POST 421, named", game: game{policy: "retry-on=421", method: "POST", replies: []reply{status(421), good()}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{name: "POST 421, named, any method", game: game{policy: "retry-on=421 methods=any", method: "POST", replies: []reply{status(421), good()}}, calls: 2, result: engine.ResultSucceeded},
	})
}

// CT-10, TO-01: both figures are told, that of the limit and that of the wait that is too long for it.
func TestCaseBothFiguresAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy string
		reply  reply
		err    string
	}{
		{"", status(503).after(30 * time.Minute), "reply 503 (deferred: server asked 30m, ceiling 30s)"},
		{"ceiling=none timeout=15m", status(503).after(30 * time.Minute), "reply 503 (timeout 15m: the next attempt would begin after it, in 30m)"},
		{"base=10s jitter=none timeout=5s", status(503), "reply 503 (timeout 5s: the next attempt would begin after it, in 10s)"},
	} {
		p := play(t, game{policy: c.policy, replies: []reply{c.reply}})
		if p.calls != 1 || p.report.Elapsed != 0 || p.err == nil || p.err.Error() != c.err {
			t.Errorf("%s: %d calls in %v, %v", c.policy, p.calls, p.report.Elapsed, p.err)
		}
		if r, ok := errors.AsType[*reply](p.err); !ok || r.out.Status != 503 {
			t.Errorf("%s: the last answer is gone: %v", c.policy, p.err)
		}
	}
}

// ST-01, ST-03: what the retry of an operation cost comes back where it ends in a plain answer, and an outage empties
// the budget before the attempts are used up.
func TestCaseBudget(t *testing.T) {
	t.Parallel()
	const policy = "attempts=4 base=1s budget=tokens:10/5/1"
	b := engine.NewBudget(mustParse(t, policy).Budget)
	own := []engine.Option{engine.WithBudget(b)}
	for i := range 20 {
		p := play(t, game{policy: policy, opts: own, replies: []reply{status(503), status(404)}})
		if p.calls != 2 || b.Left(0) != 10 {
			t.Fatalf("ST-01, operation %d: %d calls, %d left of 10", i+1, p.calls, b.Left(0))
		}
	}
	p := play(t, game{policy: policy, opts: own, replies: []reply{status(503)}})
	if p.calls != 3 || p.report.Reason != engine.ReasonBudget || b.Left(0) != 0 || p.last().Gates.At(engine.GateBudget) != engine.Shut {
		t.Errorf("ST-03: %d calls, %v, %d left", p.calls, p.report.Reason, b.Left(0))
	}
}
