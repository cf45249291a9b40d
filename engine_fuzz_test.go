package main_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// FuzzParsePolicy: whatever the text, a policy is taken whole or not at all; one that is taken is valid and reads back
// from its own text, and every complaint names its field.
func FuzzParsePolicy(f *testing.F) {
	for _, seed := range []string{
		"", defaultLine, "attempts=0 base=-1 nonsense", "retries=-99999999999999999999", "factor=1e21 jitter=scale:0..1e-7",
		"cap=none ceiling=none timeout=none attempts=unlimited", "retry-on=5xx,-500-502,503,-504,tls,-reset,unknown methods=PUT,GET",
		"jitter=additive:1h2m3s4ms5us6ns retry-after=clamp:5s spread=1s budget=ratio:20%/10 first=unjittered cap-stage=both shift=1",
		"budget=tokens:500/14/1 curve=fibonacci least=1ms maxRetries=3", "base=2562047h47m16.854775807s", "methods=any,GET", "=1", "jitter=smooth throttle-base=1s retry-after=required hints=x-ratelimit-reset,retry-after-ms", "hints=ratelimit-reset,ratelimit-reset", "retry-on=100-199,300-599",
		"retry-after=bounded:5s retry-after-on=429,5xx,-501 required-on=413 reads=seconds,fraction,negative over-ceiling=cut unsent=listed", "budget=tokens:500/14/1 throttle-cost=5 timeout-cost=10 reads=none over-ceiling=own",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		base := engine.Default()
		p, err := engine.ParsePolicy(text, base)
		if err != nil {
			complaintsName(t, err)
			if p != base {
				t.Fatalf("%q is half applied: %v", text, p)
			}
			return
		}
		hasText(t, p)
	})
}

func complaintsName(t *testing.T, err error) {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) == 0 {
		t.Fatalf("%T is no list of complaints", err)
	}
	for _, e := range joined.Unwrap() {
		if fe, ok := errors.AsType[*engine.FieldError](e); !ok || fe.Field == "" || fe.Allowed == "" {
			t.Fatalf("%#v names no field, or not what is allowed", e)
		}
	}
}

// hasText checks that a policy is valid and equal to what its text reads as, in full, in short and knob by knob.
func hasText(t *testing.T, p engine.Policy) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	text := p.String()
	if back, err := engine.ParsePolicy(text, engine.Default()); err != nil || back != p {
		t.Fatalf("%s reads back as %s, %v", text, back, err)
	}
	if i := strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=.,:/%-µ ", r)
	}); i >= 0 {
		t.Fatalf("%q is not safe unquoted in a shell, at %d", text, i)
	}
	short := strings.TrimPrefix(p.Short("default", engine.Default()), "default")
	if back, err := engine.ParsePolicy(short, engine.Default()); err != nil || back != p {
		t.Fatalf("%s reads back as %s, %v", short, back, err)
	}
	q := engine.Default()
	for _, name := range engine.Fields() {
		v, ok := p.Get(name)
		if err := q.Set(name, v); !ok || err != nil {
			t.Fatalf("%s=%s: %v", name, v, err)
		}
	}
	if q != p {
		t.Fatalf("%s knob by knob is %s", text, q)
	}
}

// dice makes choices out of fuzzed bytes; there are always more, zeros in the end.
type dice struct{ data []byte }

func (d *dice) byte() byte {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *dice) roll(n int) int    { return int(d.byte()) % n }
func (d *dice) chance(n int) bool { return d.roll(n) == 1 }

func (d *dice) bits() uint64 {
	var x uint64
	for range 8 {
		x = x<<8 | uint64(d.byte())
	}
	return x
}

func pick[T any](d *dice, of ...T) T { return of[d.roll(len(of))] }

// draw is a draw in [0, 1], its ends often.
func (d *dice) draw() float64 {
	return pick(d, 0, 1, 0.5, float64(d.bits()>>11)/(1<<53), math.Nextafter(1, 0), math.SmallestNonzeroFloat64)
}

// any is a duration of 0 or more, of any size; short one that sums do not overflow.
func (d *dice) any() time.Duration {
	return pick(d, 0, 1, sec, time.Duration(d.bits()>>1)%engine.Forever, time.Duration(d.bits()>>40), engine.Forever-1, 1<<53+1, 1<<62+1)
}

func (d *dice) short() time.Duration {
	return pick(d, 0, 1, ms, sec, time.Duration(d.byte())*100*ms, time.Duration(d.byte())*ms, time.Minute)
}

// policy is any valid policy, made field by field; long ones have durations of any size.
func (d *dice) policy(long bool) engine.Policy {
	dur := d.short
	if long {
		dur = d.any
	}
	p := engine.Policy{
		Attempts: pick(d, 1, 2, 4, 10, 1000, 1_000_000, engine.Unlimited),
		Backoff: engine.Backoff{
			Base: dur(), Cap: max(dur(), 1), CapStage: engine.CapStage(d.roll(3)), Curve: engine.Curve(d.roll(6)),
			Factor: pick(d, 1, 2, 1.5, 3, 1+float64(d.bits()>>11)/(1<<50), 1e300), Shift: d.roll(2), First: engine.First(d.roll(3)),
		},
		RetryAfter: engine.RetryAfterRule{Mode: engine.RetryAfterMode(d.roll(6))},
		Ceiling:    pick(d, dur(), 30*sec, engine.NoCeiling),
		Methods:    pick(d, engine.MethodsIdempotent, engine.MethodsAny, "GET,POST"),
	}
	if long && d.chance(4) {
		p.Cap = engine.NoCap
	}
	p.Least = min(pick(d, 0, 0, dur()), p.Cap)
	switch p.Jitter.Kind = engine.JitterKind(d.roll(7)); p.Jitter.Kind {
	case engine.JitterScale:
		p.Jitter.Lo = pick(d, 0, 0.5, 1, float64(d.byte()))
		p.Jitter.Hi = p.Jitter.Lo + pick(d, 0, 1, float64(d.bits()>>11)/(1<<53))
	case engine.JitterAdditive:
		p.Jitter.Add = dur()
	case engine.JitterNone, engine.JitterFull, engine.JitterEqual, engine.JitterDecorrelated, engine.JitterSmooth:
	}
	if p.RetryAfter.Mode == engine.RetryAfterClamp || p.RetryAfter.Mode == engine.RetryAfterBounded {
		p.RetryAfter.Range = dur()
	}
	p.Spread = pick(d, 0, 0, dur())
	p.Timeout = pick(d, 0, dur())
	p.AttemptTimeout = pick(d, 0, dur())
	for _, k := range engine.RetryKinds() {
		p.RetryOn.SetKind(k, d.chance(2))
	}
	for range d.roll(3) {
		p.RetryOn.SetCause(pick(d, engine.Causes()...), d.roll(3)-1)
	}
	p.RetryOn.Statuses.AddRange(500, 500+d.roll(100))
	if d.chance(2) {
		p.RetryOn.Statuses.Add(429)
	}
	switch d.roll(6) {
	case 1:
		p.Budget = engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: d.roll(30), Cost: 1 + d.roll(9), Credit: d.roll(5)}
	case 2:
		p.Budget = engine.BudgetRule{Kind: engine.BudgetRatio, Percent: float64(d.roll(100)), PerSecond: d.roll(3)}
	}
	p.ThrottleBase = pick(d, 0, 0, dur())
	for i := range d.roll(len(p.Hints) + 1) {
		h := pick(d, engine.HintHeaders()...)
		if slices.Contains(p.Hints[:], h) {
			break
		}
		p.Hints[i] = h
	}
	d.serverKnobs(&p)
	return p
}

// serverKnobs turns what says how a server's wait is heard, and the few knobs that came with it.
func (d *dice) serverKnobs(p *engine.Policy) {
	if d.chance(4) {
		p.RetryAfterOn.Add(pick(d, 429, 503, 500))
	}
	if d.chance(4) {
		p.RequiredOn.Add(pick(d, 429, 503, 500))
	}
	p.Reads = engine.Reads(d.roll(64) & pick(d, 0, 0, 63))
	p.OverCeiling = pick(d, engine.OverDefer, engine.OverDefer, engine.OverCut, engine.OverOwn)
	p.Unsent = pick(d, engine.UnsentAny, engine.UnsentAny, engine.UnsentListed)
	if d.chance(3) {
		p.Budget.ThrottleCost, p.Budget.TimeoutCost = d.roll(9), d.roll(9)
	}
}

func (d *dice) outcome() engine.Outcome {
	o := engine.Outcome{
		Kind: engine.Kind(d.roll(8)), Say: pick(d, engine.SayNothing, engine.SayNothing, engine.SayRetry, engine.SayStop),
		Permanent: d.chance(5), NotSent: d.chance(4),
	}
	switch o.Kind {
	case engine.KindStatus:
		o.Status = pick(d, 503, 429, 500, 404, 501, d.roll(700))
	case engine.KindTransport, engine.KindInvalidResponse:
		o.Cause = pick(d, engine.Causes()...)
	case engine.KindSuccess:
		o.Permanent, o.NotSent = false, false
	case engine.KindTimeout, engine.KindDecoding, engine.KindCancelled, engine.KindUnknown:
	}
	return o
}

func (d *dice) hint(dur func() time.Duration) engine.Hint {
	h := engine.Hint{State: engine.HintState(d.roll(4))}
	switch h.State {
	case engine.HintWait:
		h.Wait = dur()
	case engine.HintTooLong:
		h.Wait = engine.Forever
	case engine.HintNone, engine.HintUnreadable:
	}
	if h.State != engine.HintNone {
		h.From = pick(d, engine.HeaderRetryAfter, engine.HeaderRetryAfter, engine.HeaderXAmzRetryAfter)
	}
	return h
}

// FuzzNext walks through an operation by Next alone: for any policy, outcomes, facts and draws the gates agree with the
// reason, the own wait lies in its window and bounds, a server wait is never shortened, no deadline is crossed and
// nothing is sent beyond the attempts, the allowance and the budget, or that cannot be sent again.
func FuzzNext(f *testing.F) {
	f.Add([]byte{})
	for i := range 40 {
		seed := make([]byte, 120)
		for j := range seed {
			seed[j] = byte(engine.Bits(uint64(i), engine.PurposeScript, uint64(j), 0))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		p := d.policy(true)
		hasText(t, p)
		var s engine.State
		facts := engine.Facts{
			Deadline: pick(d, 0, 0, max(d.any(), 1)), Allowance: pick(d, engine.NoLimit, d.roll(20)), Sends: pick(d, engine.NoLimit, d.roll(20)),
			Safety: engine.Safety(d.roll(6)), Body: engine.Body(d.roll(3)), Method: "POST",
		}
		for range 30 {
			o := d.outcome()
			o.Hint = d.hint(d.any)
			facts.Tokens = d.roll(10)
			facts.Cancelled, facts.Stale, facts.Expired = d.roll(20) == 1, d.roll(20) == 2, d.roll(20) == 3
			if d.roll(4) == 3 {
				facts.Elapsed = min(facts.Elapsed+d.any()/64, engine.Forever/2)
			}
			u, prev, sent := d.draw(), s.Prev, s.Sent
			next, dec := p.Next(s, &o, &facts, u)
			if next.Sent != sent+1 || dec.Attempt != next.Sent {
				t.Fatalf("attempt %d after %d", dec.Attempt, sent)
			}
			gatesAgree(t, &p, &dec, &o, &facts)
			if dec.Drawn {
				drawHolds(t, &p, &o, &dec, prev)
				growsWithTheDraw(t, &p, dec.Attempt, prev, u)
			}
			if dec.Verdict != engine.Retry {
				if next.Prev != prev {
					t.Fatalf("no retry, and the last draw moved from %v to %v", prev, next.Prev)
				}
				return
			}
			mayRetry(t, &p, &dec, &o, &facts)
			s = next
			if facts.Allowance > 0 {
				facts.Allowance--
			}
			if facts.Sends > 0 {
				facts.Sends--
			}
			if facts.Elapsed+dec.Wait < facts.Elapsed {
				return // beyond what a clock can show
			}
			facts.Elapsed += dec.Wait
		}
	})
}

func growsWithTheDraw(t *testing.T, p *engine.Policy, retry int, prev time.Duration, u float64) {
	t.Helper()
	for _, v := range []float64{0, u / 2, math.Nextafter(u, 0), 0.5, 1} {
		a, b := p.Delay(retry, prev, v), p.Delay(retry, prev, u)
		if v <= u && a > b || v >= u && a < b {
			t.Fatalf("u=%v waits %v, u=%v waits %v", v, a, u, b)
		}
	}
}

// mayRetry is all that has to be so for a retry.
func mayRetry(t *testing.T, p *engine.Policy, d *engine.Decision, o *engine.Outcome, f *engine.Facts) {
	t.Helper()
	at := f.Elapsed + d.Wait
	if at < f.Elapsed {
		at = engine.Forever
	}
	switch {
	case !o.Failure() || o.Kind == engine.KindCancelled || f.Cancelled || f.Stale || f.Expired:
		t.Fatalf("a retry after %v with %+v", o.Words(), f)
	case (!o.NotSent || p.Unsent == engine.UnsentListed) && !f.Safety.Repeatable(), !o.NotSent && (!f.Safety.Repeatable() || f.Body == engine.BodyOnce):
		t.Fatalf("a retry of what cannot be sent again: %+v", f)
	case d.Attempt >= p.Attempts || f.Allowance == 0 || f.Sends == 0:
		t.Fatalf("a retry after attempt %d of %d, %+v", d.Attempt, p.Attempts, f)
	case p.Timeout > 0 && at >= p.Timeout || f.Deadline > 0 && at >= f.Deadline:
		t.Fatalf("a retry at %v, timeout %v, deadline %v", at, p.Timeout, f.Deadline)
	case p.Budget.Kind == engine.BudgetTokens && f.Tokens < costOf(&p.Budget, o), p.Budget.Kind == engine.BudgetRatio && f.Tokens < 1:
		t.Fatalf("a retry with %d tokens under %v", f.Tokens, p.Budget)
	case p.RetryAfter.Mode == engine.RetryAfterRequired && o.Kind == engine.KindStatus && o.Say != engine.SayRetry && o.Hint.State != engine.HintWait && o.Hint.State != engine.HintTooLong,
		p.RequiredOn.Has(o.Status) && o.Kind == engine.KindStatus && o.Say != engine.SayRetry && o.Hint.State != engine.HintWait && o.Hint.State != engine.HintTooLong:
		t.Fatalf("a retry that nobody asked for: %+v", o)
	case d.Wait < 0 || d.Asked && p.OverCeiling == engine.OverDefer && (p.RetryAfter.Mode != engine.RetryAfterBounded || p.Ceiling != engine.NoCeiling) && (d.Server > p.Ceiling || o.Hint.State == engine.HintTooLong):
		t.Fatalf("a retry after %v, server %v, ceiling %v", d.Wait, d.Server, p.Ceiling)
	}
}

// costOf is what a retry after an outcome takes from a bucket.
func costOf(b *engine.BudgetRule, o *engine.Outcome) int {
	switch {
	case b.ThrottleCost > 0 && o.Kind == engine.KindStatus && o.Status == 429:
		return b.ThrottleCost
	case b.TimeoutCost > 0 && o.Kind == engine.KindTimeout:
		return b.TimeoutCost
	default:
		return b.Cost
	}
}

// FuzzDo: the loop on the virtual clock agrees with a model that iterates Next, and knows nothing of contexts: the same
// calls at the same times, the same waits, the same end. The laws of every played operation hold as well.
func FuzzDo(f *testing.F) {
	f.Add([]byte{})
	for i := range 60 {
		seed := make([]byte, 160)
		for j := range seed {
			seed[j] = byte(engine.Bits(uint64(i), engine.PurposeScript, uint64(j), 1))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		p := d.policy(false)
		p.Attempts = min(p.Attempts, 40)
		g := game{
			policy: p.String(), draw: d.draw(), method: pick(d, "GET", "POST"), keyed: d.chance(2), body: engine.Body(d.roll(3)),
			cancelAt: pick(d, 0, 0, at0, d.short()), signOutAt: pick(d, 0, 0, at0, d.short()), deadline: pick(d, 0, 0, d.short()),
		}
		g.lowest = g.draw == 0
		for range 1 + d.roll(6) {
			r := reply{takes: pick(d, 0, d.short(), engine.Forever), out: d.outcome()}
			r.out.Hint = d.hint(d.short)
			g.replies = append(g.replies, r)
		}
		played := play(t, g)
		m := model{p: p, g: &g}
		m.run()
		if !slices.Equal(played.waits, m.waits) || !slices.Equal(played.sent, m.sent) || played.report.Result != m.result || played.report.Reason != m.reason {
			t.Fatalf("%s\n%+v\nplayed %v (%v): sent at %v, waits %v\nmodel  %v (%v): sent at %v, waits %v", p, g,
				played.report.Result, played.report.Reason, played.sent, played.waits, m.result, m.reason, m.sent, m.waits)
		}
	})
}

// model is an operation as arithmetic on times, with Next for its only decisions.
type model struct {
	p      engine.Policy
	g      *game
	budget *engine.Budget
	now    time.Duration
	sent   []time.Duration
	waits  []time.Duration
	result engine.Result
	reason engine.Reason
}

func (m *model) end(result engine.Result, reason engine.Reason) bool {
	m.result, m.reason = result, reason
	return false
}

// passed tells whether an instant of the game has come by a time.
func passed(at, by time.Duration) bool { return at != 0 && max(at, 0) <= by }

func (m *model) run() {
	m.budget = engine.NewBudget(m.p.Budget)
	if m.budget != nil {
		m.budget.Request(0)
	}
	var s engine.State
	for m.step(&s) {
	}
}

// gone ends the operation where the caller left, signed out or ran out of time by now.
func (m *model) gone() bool {
	switch {
	case passed(m.g.cancelAt, m.now):
		m.end(engine.ResultCancelled, engine.ReasonCancelled)
	case passed(m.g.signOutAt, m.now):
		m.end(engine.ResultFailed, engine.ReasonStaleGeneration)
	case passed(m.g.deadline, m.now):
		m.end(engine.ResultTimedOut, engine.ReasonDeadline)
	default:
		return false
	}
	return true
}

func (m *model) step(s *engine.State) bool {
	if m.gone() {
		return false
	}
	m.sent = append(m.sent, m.now)
	o, ends := m.attempt(m.g.replies[min(len(m.sent), len(m.g.replies))-1])
	if !ends {
		return m.end(engine.ResultEndless, engine.ReasonNeverAnswers)
	}
	f := engine.Facts{
		Elapsed: m.now, Deadline: m.g.deadline, Allowance: engine.NoLimit, Sends: engine.NoLimit,
		Cancelled: passed(m.g.cancelAt, m.now), Stale: passed(m.g.signOutAt, m.now),
		Expired: passed(m.g.deadline, m.now) || m.p.Timeout > 0 && m.now >= m.p.Timeout,
		Safety:  m.p.Safety(m.g.method, m.g.keyed), Body: m.g.body,
	}
	if m.budget != nil {
		f.Tokens = m.budget.Left(m.now)
	}
	next, d := m.p.Next(*s, &o, &f, m.g.draw)
	*s = next
	switch d.Verdict {
	case engine.Succeed:
		return m.end(engine.ResultSucceeded, engine.ReasonNone)
	case engine.Defer:
		return m.end(engine.ResultDeferred, d.Reason)
	case engine.Stop:
		result := map[engine.Reason]engine.Result{engine.ReasonCancelled: engine.ResultCancelled, engine.ReasonDeadline: engine.ResultTimedOut}[d.Reason]
		return m.end(max(result, engine.ResultFailed), d.Reason)
	case engine.Retry:
	}
	if m.budget != nil {
		m.budget.TakeAfter(m.now, &o)
	}
	m.waits = append(m.waits, d.Wait)
	over := m.now + d.Wait
	for _, at := range []time.Duration{m.g.cancelAt, m.g.signOutAt} {
		if passed(at, over) {
			over = max(at, 0)
		}
	}
	m.now = over
	return true
}

// attempt is what a reply becomes under the limits, and whether it ever ends; time moves on to its end.
func (m *model) attempt(r reply) (engine.Outcome, bool) {
	if r.takes == 0 {
		return r.out, true
	}
	end := engine.Forever
	if r.takes != engine.Forever {
		end = m.now + r.takes
	}
	cut := engine.Forever
	limits := []time.Duration{m.g.cancelAt, m.g.deadline, m.p.Timeout}
	if m.p.AttemptTimeout > 0 {
		limits = append(limits, m.now+m.p.AttemptTimeout)
	}
	for _, at := range limits {
		if at != 0 {
			cut = min(cut, max(at, 0))
		}
	}
	switch {
	case cut > end:
		m.now = end
		return r.out, true
	case cut == engine.Forever:
		return engine.Outcome{}, false
	}
	m.now = cut
	if passed(m.g.cancelAt, cut) {
		return engine.Outcome{Kind: engine.KindCancelled}, true
	}
	return engine.Outcome{Kind: engine.KindTimeout}, true
}
