package main_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/retryscope/retryscope/engine"
)

// calm are facts that shut no gate.
func calm() engine.Facts {
	return engine.Facts{Elapsed: sec, Allowance: engine.NoLimit, Sends: engine.NoLimit, Tokens: 100, Body: engine.BodyReplayable}
}

// TestEngineNextAsksInOrder starts from a step at which every gate is shut at once and opens them one by one: the reason
// is always that of the first one still shut.
func TestEngineNextAsksInOrder(t *testing.T) {
	p := mustParse(t, "attempts=2 timeout=10s budget=tokens:10/5/1 base=1s jitter=none")
	s := engine.State{Sent: 1}
	o := engine.Outcome{Kind: engine.KindStatus, Status: 404, Hint: engine.Hint{State: engine.HintWait, Wait: time.Hour}}
	f := engine.Facts{Elapsed: 9500 * ms, Cancelled: true, Stale: true, Safety: engine.Unsafe, Body: engine.BodyOnce, Tokens: 4, Allowance: engine.NoLimit, Sends: engine.NoLimit}
	for _, c := range []struct {
		verdict engine.Verdict
		reason  engine.Reason
		open    func()
	}{
		{engine.Stop, engine.ReasonCancelled, func() { f.Cancelled = false }},
		{engine.Stop, engine.ReasonStaleGeneration, func() { f.Stale = false }},
		{engine.Stop, engine.ReasonNotIdempotent, func() { f.Safety = engine.SafeKey }},
		{engine.Stop, engine.ReasonNotReplayable, func() { f.Body = engine.BodyReplayable }},
		{engine.Stop, engine.ReasonNotRetryable, func() { o.Status = 503 }},
		{engine.Stop, engine.ReasonAttempts, func() { s.Sent = 0; f.Allowance = 0 }},
		{engine.Stop, engine.ReasonAttempts, func() { f.Allowance = 1; f.Sends = 0 }},
		{engine.Stop, engine.ReasonMaxSends, func() { f.Sends = 1 }},
		{engine.Stop, engine.ReasonBudget, func() { f.Tokens = 5 }},
		{engine.Defer, engine.ReasonCeiling, func() { o.Hint.Wait = 500 * ms }},
		{engine.Stop, engine.ReasonDeadline, func() { f.Elapsed = 9*sec - 1 }},
		{engine.Retry, engine.ReasonNone, func() {}},
	} {
		_, d := p.Next(s, &o, &f, 1)
		if d.Verdict != c.verdict || d.Reason != c.reason {
			t.Errorf("%v (%v), want %v (%v)", d.Verdict, d.Reason, c.verdict, c.reason)
		}
		gatesAgree(t, &p, &d, &o, &f)
		c.open()
	}
}

// TestEngineNextDecides is one decision a line.
func TestEngineNextDecides(t *testing.T) {
	const text = "base=1s jitter=none "
	for _, c := range []struct {
		name    string
		policy  string
		state   engine.State
		outcome engine.Outcome
		facts   func(*engine.Facts)
		verdict engine.Verdict
		reason  engine.Reason
		wait    time.Duration
	}{
		{name: "a success", outcome: engine.Outcome{}, verdict: engine.Succeed},
		{name: "a success in hand stands on a cancel", facts: func(f *engine.Facts) { f.Cancelled = true }, verdict: engine.Succeed},
		{name: "and past the deadline", policy: "timeout=1s", facts: func(f *engine.Facts) { f.Expired, f.Elapsed = true, 5*sec }, verdict: engine.Succeed},
		{name: "and without attempts, tokens or sends", facts: func(f *engine.Facts) { f.Allowance, f.Sends, f.Tokens = 0, 0, 0 }, verdict: engine.Succeed},
		{name: "but not in another session", facts: func(f *engine.Facts) { f.Stale = true }, verdict: engine.Stop, reason: engine.ReasonStaleGeneration},
		{name: "a cancel comes before a sign-out", outcome: status(503).out, facts: func(f *engine.Facts) { f.Stale, f.Cancelled = true, true }, verdict: engine.Stop, reason: engine.ReasonCancelled},
		{name: "a sign-out before a deadline", outcome: status(503).out, facts: func(f *engine.Facts) { f.Stale, f.Expired = true, true }, verdict: engine.Stop, reason: engine.ReasonStaleGeneration},
		{name: "the deadline that passed in the attempt before the method", outcome: kind(engine.KindTimeout).out, facts: func(f *engine.Facts) { f.Expired, f.Safety = true, engine.Unsafe }, verdict: engine.Stop, reason: engine.ReasonDeadline},
		{name: "503", outcome: status(503).out, verdict: engine.Retry, wait: sec},
		{name: "the second retry", state: engine.State{Sent: 1}, outcome: status(503).out, verdict: engine.Retry, wait: 2 * sec},
		{name: "the last attempt", state: engine.State{Sent: 3}, outcome: status(503).out, verdict: engine.Stop, reason: engine.ReasonAttempts},
		{name: "a count that is off the end", state: engine.State{Sent: 1 << 40}, outcome: status(503).out, verdict: engine.Stop, reason: engine.ReasonAttempts},
		{name: "an allowance that is used up", outcome: status(503).out, facts: func(f *engine.Facts) { f.Allowance = 0 }, verdict: engine.Stop, reason: engine.ReasonAttempts},
		{name: "the last send of the session", outcome: status(503).out, facts: func(f *engine.Facts) { f.Sends = 0 }, verdict: engine.Stop, reason: engine.ReasonMaxSends},
		{name: "the attempts come before the session's sends", state: engine.State{Sent: 3}, outcome: status(503).out, facts: func(f *engine.Facts) { f.Sends = 0 }, verdict: engine.Stop, reason: engine.ReasonAttempts},
		{name: "the budget is not asked where there is none", outcome: status(503).out, facts: func(f *engine.Facts) { f.Tokens = 0 }, verdict: engine.Retry, wait: sec},
		{name: "one token short", policy: "budget=tokens:500/14/1", outcome: status(503).out, facts: func(f *engine.Facts) { f.Tokens = 13 }, verdict: engine.Stop, reason: engine.ReasonBudget},
		{name: "just enough tokens", policy: "budget=tokens:500/14/1", outcome: status(503).out, facts: func(f *engine.Facts) { f.Tokens = 14 }, verdict: engine.Retry, wait: sec},
		{name: "a wait that ends before the timeout", policy: "timeout=2s", outcome: status(503).out, facts: func(f *engine.Facts) { f.Elapsed = sec - 1 }, verdict: engine.Retry, wait: sec},
		{name: "at the timeout", policy: "timeout=2s", outcome: status(503).out, verdict: engine.Stop, reason: engine.ReasonDeadline, wait: sec},
		{name: "a wait that ends before the caller's deadline", outcome: status(503).out, facts: func(f *engine.Facts) { f.Deadline = 2*sec + 1 }, verdict: engine.Retry, wait: sec},
		{name: "at the caller's deadline", outcome: status(503).out, facts: func(f *engine.Facts) { f.Deadline = 2 * sec }, verdict: engine.Stop, reason: engine.ReasonDeadline, wait: sec},
		{name: "an endless wait and a deadline do not overflow", policy: "ceiling=none timeout=2h", outcome: status(503).after(engine.Forever - 1).out, verdict: engine.Stop, reason: engine.ReasonDeadline, wait: engine.Forever - 1},
		{name: "a negative hint is none to speak of", policy: "retry-after=replace", outcome: status(503).after(-sec).out, verdict: engine.Retry, wait: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustParse(t, text+c.policy)
			f := calm()
			if c.facts != nil {
				c.facts(&f)
			}
			s, d := p.Next(c.state, &c.outcome, &f, 1)
			if d.Verdict != c.verdict || d.Reason != c.reason || d.Wait != c.wait {
				t.Errorf("%v (%v) after %v, want %v (%v) after %v", d.Verdict, d.Reason, d.Wait, c.verdict, c.reason, c.wait)
			}
			if s.Sent != c.state.Sent+1 || d.Attempt != s.Sent {
				t.Errorf("attempt %d, %d sent, after %d", d.Attempt, s.Sent, c.state.Sent)
			}
			if d.Verdict != engine.Retry && s.Prev != c.state.Prev {
				t.Errorf("no retry, and the last draw moved to %v", s.Prev)
			}
			gatesAgree(t, &p, &d, &c.outcome, &f)
		})
	}
}

// TestEngineRetryOn is what may heal: by status, by cause and by kind, and the conservative answer where nobody knows.
func TestEngineRetryOn(t *testing.T) {
	permanent := func(r reply) reply { r.out.Permanent = true; return r }
	says := func(r reply, s engine.Say) reply { r.out.Say = s; return r }
	for _, c := range []struct {
		policy string
		reply  reply
		want   bool
	}{
		{"", status(503), true},
		{"", status(500), true},
		{"", status(502), true},
		{"", status(504), true},
		{"", status(429), true},
		{"", status(520), true},
		{"", status(522), true},
		{"", status(524), true},
		{"", status(529), true},
		{"", status(599), true},
		{"", status(501), false},
		{"", status(505), false},
		{"", status(511), false},
		{"", status(400), false},
		{"", status(401), false},
		{"", status(403), false},
		{"", status(404), false},
		{"", status(407), false},
		{"", status(408), false},
		{"", status(421), false},
		{"", status(304), false},
		{"", status(100), false},
		{"", status(600), false},
		{"", status(-503), false},
		{"retry-on=5xx", status(501), true},
		{"retry-on=none", status(503), false},
		{"retry-on=408,421", status(421), true},
		{"", transport(engine.CauseReset), true},
		{"", transport(engine.CauseClosed), true},
		{"", transport(engine.CauseRefused), true},
		{"", transport(engine.CauseUnreachable), true},
		{"", transport(engine.CauseHTTP2), true},
		{"", transport(engine.CauseNone), true},
		{"", transport(engine.CauseDNS), true},
		{"", permanent(transport(engine.CauseDNS)), false},
		{"", permanent(transport(engine.CauseTLS)), false},
		{"retry-on=transport,tls", permanent(transport(engine.CauseTLS)), true},
		{"retry-on=tls", transport(engine.CauseReset), false},
		{"retry-on=transport,-reset", transport(engine.CauseReset), false},
		{"retry-on=transport,-reset", transport(engine.CauseClosed), true},
		{"retry-on=reset", transport(engine.CauseReset), true},
		{"", kind(engine.KindTimeout), true},
		{"retry-on=5xx", kind(engine.KindTimeout), false},
		{"", kind(engine.KindInvalidResponse), true},
		{"", kind(engine.KindDecoding), false},
		{"retry-on=decoding", kind(engine.KindDecoding), true},
		{"", kind(engine.KindUnknown), false},
		{"retry-on=unknown", kind(engine.KindUnknown), true},
		{"retry-on=unknown,decoding,timeout,transport,invalid-response", kind(engine.KindCancelled), false},
		{"", says(kind(engine.KindCancelled), engine.SayRetry), false},
		{"retry-on=none", says(kind(engine.KindUnknown), engine.SayRetry), true},
		{"", says(status(503), engine.SayStop), false},
		{"", says(status(404), engine.SayRetry), true},
	} {
		p := mustParse(t, c.policy)
		f := calm()
		_, d := p.Next(engine.State{}, &c.reply.out, &f, 0)
		if got := d.Gates.At(engine.GateRetryable) == engine.Open; got != c.want {
			t.Errorf("%s: %v: retried %v, want %v (%s)", c.policy, c.reply.out.Words(), got, c.want, p.Why(engine.GateRetryable, &d, &c.reply.out, &f))
		}
	}
}

// TestEngineSafety is whether a second send does no more than the first, and why.
func TestEngineSafety(t *testing.T) {
	for _, c := range []struct {
		methods, method string
		keyed           bool
		want            engine.Safety
		repeatable      bool
		idempotent      bool
	}{
		{"idempotent", "", false, engine.SafeMethod, true, true},
		{"idempotent", "GET", false, engine.SafeMethod, true, true},
		{"idempotent", "HEAD", false, engine.SafeMethod, true, true},
		{"idempotent", "OPTIONS", false, engine.SafeMethod, true, true},
		{"idempotent", "TRACE", false, engine.SafeMethod, true, true},
		{"idempotent", "PUT", false, engine.SafeMethod, true, true},
		{"idempotent", "DELETE", true, engine.SafeMethod, true, true},
		{"idempotent", "POST", false, engine.Unsafe, false, false},
		{"idempotent", "PATCH", false, engine.Unsafe, false, false},
		{"idempotent", "PROPFIND", false, engine.Unsafe, false, false},
		{"idempotent", "get", false, engine.Unsafe, false, false},
		{"idempotent", "POST", true, engine.SafeKey, true, true},
		{"any", "POST", false, engine.SafeAny, true, false},
		{"any", "GET", false, engine.SafeMethod, true, true},
		{"any", "POST", true, engine.SafeKey, true, true},
		{"GET,POST", "POST", false, engine.SafeListed, true, false},
		{"GET,POST", "", false, engine.SafeMethod, true, true},
		{"GET,POST", "PUT", false, engine.Unlisted, false, true},
		{"GET,POST", "PUT", true, engine.SafeKey, true, true},
		{"GET,POST", "PATCH", false, engine.Unsafe, false, false},
		{"GET,POST", "PATCH", true, engine.SafeKey, true, true},
		{"GET,POST", "POS", false, engine.Unsafe, false, false},
	} {
		p := mustParse(t, "methods="+c.methods)
		s := p.Safety(c.method, c.keyed)
		if s != c.want || s.Repeatable() != c.repeatable || s.Idempotent() != c.idempotent {
			t.Errorf("methods=%s %s keyed %v: %v, repeatable %v, idempotent %v", c.methods, c.method, c.keyed, s, s.Repeatable(), s.Idempotent())
		}
	}
}

// TestEngineMethods: the gate applies to every kind of failure, and a dial that sent nothing is the one exception.
func TestEngineMethods(t *testing.T) {
	stopped := func(name, method string, r reply) row {
		return row{name: name, game: game{method: method, replies: []reply{r}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent}
	}
	playAll(t, []row{
		stopped("POST 503", "POST", status(503)),
		stopped("POST timeout", "POST", kind(engine.KindTimeout)),
		stopped("POST reset", "POST", transport(engine.CauseReset)),
		stopped("POST closed before an answer", "POST", transport(engine.CauseClosed)),
		stopped("POST, a body cut short", "POST", kind(engine.KindInvalidResponse)),
		stopped("POST 401: it matters more than any status", "POST", status(401)),
		stopped("PATCH", "PATCH", status(503)),
		stopped("a method nobody knows", "BREW", status(503)),
		{name: "POST that hangs past its timeout", game: game{policy: "attempt-timeout=1s", method: "POST", replies: []reply{hang()}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{name: "POST with a key", game: game{method: "POST", keyed: true, replies: []reply{status(503)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "POST with a key and a body to read once", game: game{method: "POST", keyed: true, body: engine.BodyOnce, replies: []reply{status(503)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotReplayable},
		{name: "methods=any and a body to read once", game: game{policy: "methods=any", method: "POST", body: engine.BodyOnce, replies: []reply{status(503)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotReplayable},
		{name: "PUT with a body to read once", game: game{method: "PUT", body: engine.BodyOnce, replies: []reply{transport(engine.CauseReset)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotReplayable},
		{name: "PUT with a body that can be made again", game: game{method: "PUT", body: engine.BodyReplayable, replies: []reply{status(503)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a refused dial of a POST sent nothing", game: game{method: "POST", body: engine.BodyOnce, replies: []reply{transport(engine.CauseRefused), good()}}, calls: 2, result: engine.ResultSucceeded},
		{name: "and is bounded", game: game{method: "POST", body: engine.BodyOnce, replies: []reply{transport(engine.CauseRefused)}}, calls: 4, result: engine.ResultFailed, reason: engine.ReasonAttempts},
		{name: "a refused dial, then a 503", game: game{method: "POST", replies: []reply{transport(engine.CauseRefused), status(503)}}, calls: 2, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
		{name: "PUT where only GET is listed", game: game{policy: "methods=GET,HEAD", method: "PUT", replies: []reply{status(503)}}, calls: 1, result: engine.ResultFailed, reason: engine.ReasonNotIdempotent},
	})
}

// TestEngineAmbiguous: the server may have done the work of a timed-out or reset attempt that is not idempotent.
func TestEngineAmbiguous(t *testing.T) {
	for _, c := range []struct {
		reply  reply
		safety engine.Safety
		want   bool
	}{
		{kind(engine.KindTimeout), engine.Unsafe, true},
		{kind(engine.KindTimeout), engine.SafeAny, true},
		{kind(engine.KindTimeout), engine.SafeListed, true},
		{kind(engine.KindTimeout), engine.SafeMethod, false},
		{kind(engine.KindTimeout), engine.SafeKey, false},
		{kind(engine.KindTimeout), engine.Unlisted, false},
		{kind(engine.KindCancelled), engine.Unsafe, true},
		{transport(engine.CauseReset), engine.Unsafe, true},
		{transport(engine.CauseClosed), engine.Unsafe, true},
		{transport(engine.CauseRefused), engine.Unsafe, false},
		{transport(engine.CauseBody), engine.Unsafe, false},
		{status(503), engine.Unsafe, false},
		{kind(engine.KindDecoding), engine.Unsafe, false},
		{good(), engine.Unsafe, false},
	} {
		if got := c.reply.out.Ambiguous(c.safety); got != c.want {
			t.Errorf("%v, safety %v: ambiguous %v, want %v", c.reply.out.Words(), c.safety, got, c.want)
		}
	}
}

// TestEngineGateWords are what a gate says, in the words shown.
func TestEngineGateWords(t *testing.T) {
	var refused, post engine.Facts
	refused, post = calm(), calm()
	refused.Safety, refused.Method = engine.Unsafe, "POST"
	post.Safety, post.Method, post.Body = engine.SafeKey, "POST", engine.BodyOnce
	late := calm()
	late.Elapsed, late.Expired = 6*sec, true
	caller, gone, stale, spent, stopped := calm(), calm(), calm(), calm(), calm()
	caller.Deadline = 1500 * ms
	forever := status(429).out
	forever.Hint = engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
	gone.Cancelled, stale.Stale, spent.Allowance, stopped.Sends = true, true, 0, 0
	for _, c := range []struct {
		policy string
		out    engine.Outcome
		facts  engine.Facts
		gate   engine.Gate
		want   string
	}{
		{"", status(503).out, calm(), engine.GateCancelled, "not cancelled"},
		{"", status(503).out, calm(), engine.GateOutcome, "a failure: 503"},
		{"", good().out, calm(), engine.GateOutcome, "a success"},
		{"", status(503).out, calm(), engine.GateIdempotent, "GET"},
		{"", transport(engine.CauseRefused).out, refused, engine.GateIdempotent, "POST, but nothing was sent"},
		{"", transport(engine.CauseReset).out, refused, engine.GateIdempotent, "POST is not idempotent and has no idempotency key"},
		{"", status(503).out, post, engine.GateIdempotent, "POST with an idempotency key"},
		{"", status(503).out, post, engine.GateReplayable, "the body can be read only once"},
		{"", transport(engine.CauseRefused).out, refused, engine.GateReplayable, "not asked: nothing was sent"},
		{"", engine.Outcome{Status: 200}, calm(), engine.GateOutcome, "success: 200"},
		{"", kind(engine.KindTimeout).out, gone, engine.GateCancelled, "the caller cancelled"},
		{"", good().out, gone, engine.GateCancelled, "cancelled, but the success is in hand"},
		{"", kind(engine.KindTimeout).out, gone, engine.GateGeneration, "not asked"},
		{"", good().out, stale, engine.GateGeneration, "signed out since the operation began"},
		{"", good().out, stale, engine.GateOutcome, "not asked"},
		{"", engine.Outcome{Kind: engine.KindCancelled, Say: engine.SayRetry}, calm(), engine.GateRetryable, "a cancel is never retried"},
		{"", engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayRetry}, calm(), engine.GateRetryable, "unknown: the caller says it may heal"},
		{"", engine.Outcome{Kind: engine.KindUnknown, Say: engine.SayStop}, calm(), engine.GateRetryable, "unknown: the caller says it is permanent"},
		{"", engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseTLS, Permanent: true}, calm(), engine.GateRetryable, "transport (tls) does not heal unless retry-on names it"},
		{"", status(503).out, spent, engine.GateAttempts, "attempt 1, but the shared allowance is used up"},
		{"", status(503).out, stopped, engine.GateAttempts, "no send is left for the session"},
		{"", status(501).out, calm(), engine.GateRetryable, "501 is not in retry-on"},
		{"", transport(engine.CauseReset).out, calm(), engine.GateRetryable, "transport (reset) may heal"},
		{"", status(503).out, calm(), engine.GateAttempts, "attempt 1 of 4"},
		{"attempts=unlimited", status(503).out, calm(), engine.GateAttempts, "attempt 1, unlimited"},
		{"", status(503).out, calm(), engine.GateBudget, "no budget set"},
		{"budget=tokens:500/14/1", status(503).out, calm(), engine.GateBudget, "100 left, a retry costs 14"},
		{"", status(429).after(time.Hour).out, calm(), engine.GateCeiling, "server asked 1h, ceiling 30s"},
		{"", status(429).after(30 * sec).out, calm(), engine.GateCeiling, "server asked 30s, exactly the ceiling"},
		{"", status(429).after(3 * sec).out, calm(), engine.GateCeiling, "server asked 3s, under the ceiling of 30s"},
		{"", forever, calm(), engine.GateCeiling, "server asked longer than any duration, ceiling 30s"},
		{"ceiling=none", forever, calm(), engine.GateCeiling, "server asked longer than any duration: nobody can wait that long, whatever the ceiling"},
		{"retry-after=ignore", status(429).after(3 * sec).out, calm(), engine.GateCeiling, "Retry-After is ignored"},
		{"", status(429).out, calm(), engine.GateDeadline, "no timeout set"},
		{"base=1s jitter=none timeout=1500ms", status(503).out, calm(), engine.GateDeadline, "the next attempt would begin 1s on, 500ms are left to timeout 1.5s"},
		{"base=1s jitter=none", status(503).out, caller, engine.GateDeadline, "the next attempt would begin 1s on, 500ms are left to the caller's deadline"},
		{"base=1s jitter=none timeout=30s", status(503).out, caller, engine.GateDeadline, "the next attempt would begin 1s on, 500ms are left to the caller's deadline"},
		{"base=1s jitter=none timeout=1200ms", status(503).out, caller, engine.GateDeadline, "the next attempt would begin 1s on, 200ms are left to timeout 1.2s"},
		{"base=1s jitter=none timeout=30s", status(503).out, calm(), engine.GateDeadline, "28s left after the wait"},
		{"timeout=5s", kind(engine.KindTimeout).out, late, engine.GateDeadline, "timeout 5s passed during the attempt"},
	} {
		p := mustParse(t, c.policy)
		_, d := p.Next(engine.State{}, &c.out, &c.facts, 1)
		if got := p.Why(c.gate, &d, &c.out, &c.facts); got != c.want {
			t.Errorf("%s %v: %v says %q, want %q", c.policy, c.out.Words(), c.gate, got, c.want)
		}
	}
}

// TestEngineNextIsCheap: no allocation, and little to carry.
func TestEngineNextIsCheap(t *testing.T) {
	p := mustParse(t, "timeout=5m budget=tokens:500/14/1 spread=1s")
	o, f := status(503).after(2*sec).out, calm()
	smooth := mustParse(t, "jitter=smooth throttle-base=1s retry-after=required hints=retry-after-ms timeout=5m spread=1s")
	knobs := mustParse(t, "retry-after=bounded:5s retry-after-on=429,503 required-on=429 reads=none hints=x-amz-retry-after over-ceiling=cut unsent=listed budget=tokens:500/14/1 throttle-cost=5")
	throttled := status(429).after(2 * sec).out
	for _, n := range []float64{
		testing.AllocsPerRun(100, func() { p.Next(engine.State{}, &o, &f, 0.5) }),
		testing.AllocsPerRun(100, func() { knobs.Next(engine.State{Sent: 1, Prev: sec}, &throttled, &f, 0.5) }),
		testing.AllocsPerRun(100, func() { smooth.Next(engine.State{Sent: 2, Prev: sec}, &throttled, &f, 0.5) }),
	} {
		if n != 0 {
			t.Errorf("Next allocates %v times", n)
		}
	}
	if n := testing.AllocsPerRun(100, func() { p.Delay(3, sec, 0.5) }); n != 0 {
		t.Errorf("Delay allocates %v times", n)
	}
	if size := unsafe.Sizeof(engine.State{}); size > 48 {
		t.Errorf("the state takes %d bytes", size)
	}
}

// TestEngineNextIsPure: the same step twice is the same decision, and the arguments are left alone.
func TestEngineNextIsPure(t *testing.T) {
	p := mustParse(t, "jitter=decorrelated timeout=5m spread=1s")
	o, f := status(503).after(2*sec).out, calm()
	po, pf, pp := o, f, p
	s1, d1 := p.Next(engine.State{Sent: 2, Prev: sec}, &o, &f, 0.7)
	s2, d2 := p.Next(engine.State{Sent: 2, Prev: sec}, &o, &f, 0.7)
	if s1 != s2 || d1 != d2 || o != po || f != pf || p != pp {
		t.Errorf("%+v %+v, then %+v %+v", s1, d1, s2, d2)
	}
}
