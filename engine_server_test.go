package main_test

import (
	"slices"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// TestEngineServerKnobs: what becomes of the wait a server asks for, under the knobs that well-known clients need.
func TestEngineServerKnobs(t *testing.T) {
	forever := status(503).out
	forever.Hint = engine.Hint{State: engine.HintTooLong, Wait: engine.Forever}
	const bounded = "base=2s jitter=none ceiling=none retry-after=bounded:5s"
	const cut = "base=2s jitter=none ceiling=30s retry-after=replace over-ceiling=cut"
	const own = "base=2s jitter=none ceiling=2m retry-after=replace over-ceiling=own"
	const some = "base=2s jitter=none retry-after=replace retry-after-on=429,503 retry-on=transport,429,5xx"
	for _, c := range []struct {
		policy  string
		out     engine.Outcome
		verdict engine.Verdict
		wait    time.Duration
		source  engine.Source
		words   string // of the ceiling's gate
	}{
		// AWS Go v2 of 2026: never below the own wait, never more than 5s above it.
		{bounded, status(503).after(sec).out, engine.Retry, 2 * sec, engine.SourceOwn, "server asked 1s, no ceiling"},
		{bounded, status(503).after(4 * sec).out, engine.Retry, 4 * sec, engine.SourceServer, "server asked 4s, no ceiling"},
		{bounded, status(503).after(7 * sec).out, engine.Retry, 7 * sec, engine.SourceServer, "server asked 7s, no ceiling"},
		{bounded, status(503).after(time.Hour).out, engine.Retry, 7 * sec, engine.SourceServer, "server asked 1h, no ceiling"},
		{bounded, status(503).after(0).out, engine.Retry, 2 * sec, engine.SourceOwn, "server asked 0s, no ceiling"},
		{bounded, forever, engine.Retry, 7 * sec, engine.SourceServer, "server asked longer than any duration: at most 5s above the own wait"},
		{bounded, status(503).out, engine.Retry, 2 * sec, engine.SourceOwn, "no Retry-After"},
		{bounded + " spread=3s", status(503).after(3 * sec).out, engine.Retry, 6 * sec, engine.SourceServer, "server asked 3s, no ceiling"},
		{bounded + " spread=9s", status(503).after(3 * sec).out, engine.Retry, 7 * sec, engine.SourceServer, "server asked 3s, no ceiling"},
		{"base=2s jitter=none ceiling=30s retry-after=bounded:5s", status(503).after(time.Hour).out, engine.Defer, 7 * sec, engine.SourceServer, "server asked 1h, ceiling 30s"},
		{"base=2s jitter=none ceiling=30s retry-after=bounded:5s", forever, engine.Defer, 7 * sec, engine.SourceServer, "server asked longer than any duration, ceiling 30s"},
		{"base=2s jitter=none ceiling=none retry-after=bounded:0s", status(503).after(time.Hour).out, engine.Retry, 2 * sec, engine.SourceOwn, "server asked 1h, no ceiling"},
		// curl, urllib3, undici: cut.
		{cut, status(503).after(30 * sec).out, engine.Retry, 30 * sec, engine.SourceServer, "server asked 30s, exactly the ceiling"},
		{cut, status(503).after(30*sec + 1).out, engine.Retry, 30 * sec, engine.SourceServer, "server asked 30.000000001s, cut to the ceiling of 30s"},
		{cut, status(503).after(time.Hour).out, engine.Retry, 30 * sec, engine.SourceServer, "server asked 1h, cut to the ceiling of 30s"},
		{cut, forever, engine.Retry, 30 * sec, engine.SourceServer, "server asked longer than any duration, cut to the ceiling of 30s"},
		{cut + " spread=1s", status(503).after(time.Hour).out, engine.Retry, 31 * sec, engine.SourceServer, "server asked 1h, cut to the ceiling of 30s"},
		{"base=2s jitter=none ceiling=30s over-ceiling=cut", status(503).after(time.Hour).out, engine.Retry, 30 * sec, engine.SourceServer, "server asked 1h, cut to the ceiling of 30s"},
		{"base=2s jitter=none ceiling=1s over-ceiling=cut", status(503).after(time.Hour).out, engine.Retry, 2 * sec, engine.SourceOwn, "server asked 1h, cut to the ceiling of 1s"},
		{"base=2s jitter=none ceiling=0s retry-after=clamp:1s over-ceiling=cut", status(503).after(time.Hour).out, engine.Retry, sec, engine.SourceServer, "server asked 1h, cut to the ceiling of 0s"},
		{"base=2s jitter=none ceiling=none over-ceiling=cut", forever, engine.Defer, engine.Forever, engine.SourceServer, "server asked longer than any duration: nobody can wait that long, whatever the ceiling"},
		{"base=2s jitter=none ceiling=none over-ceiling=cut", status(503).after(time.Hour).out, engine.Retry, time.Hour, engine.SourceServer, "server asked 1h, no ceiling"},
		// The SDKs of OpenAI: more than they take counts for nothing.
		{own, status(503).after(2 * time.Minute).out, engine.Retry, 2 * time.Minute, engine.SourceServer, "server asked 2m, exactly the ceiling"},
		{own, status(503).after(time.Hour).out, engine.Retry, 2 * sec, engine.SourceOwn, "server asked 1h, over the ceiling of 2m: the own wait"},
		{own, forever, engine.Retry, 2 * sec, engine.SourceOwn, "server asked longer than any duration, over the ceiling of 2m: the own wait"},
		{own + " spread=9s", status(503).after(time.Hour).out, engine.Retry, 2 * sec, engine.SourceOwn, "server asked 1h, over the ceiling of 2m: the own wait"},
		// go-retryablehttp, resty: heard on two statuses.
		{some, status(503).after(9 * sec).out, engine.Retry, 9 * sec, engine.SourceServer, "server asked 9s, under the ceiling of 30s"},
		{some, status(500).after(9 * sec).out, engine.Retry, 2 * sec, engine.SourceOwn, "Retry-After is not heard on 500"},
		{some, status(500).after(time.Hour).out, engine.Retry, 2 * sec, engine.SourceOwn, "Retry-After is not heard on 500"},
		{some, status(500).out, engine.Retry, 2 * sec, engine.SourceOwn, "no Retry-After"},
		{some, transport(engine.CauseReset).after(9 * sec).out, engine.Retry, 9 * sec, engine.SourceServer, "server asked 9s, under the ceiling of 30s"},
	} {
		p, f := mustParse(t, c.policy), calm()
		_, d := p.Next(engine.State{}, &c.out, &f, 1)
		if c.verdict == engine.Defer { // the wait that was not taken is no part of the case
			d.Wait, d.Source = c.wait, c.source
		}
		if d.Verdict != c.verdict || d.Wait != c.wait || d.Source != c.source {
			t.Errorf("%s, asked %v: %v, waits %v (%v), want %v, %v (%v)", c.policy, c.out.Hint.Wait, d.Verdict, d.Wait, d.Source, c.verdict, c.wait, c.source)
		}
		if got := p.Why(engine.GateCeiling, &d, &c.out, &f); got != c.words {
			t.Errorf("%s, asked %v: %q, want %q", c.policy, c.out.Hint.Wait, got, c.words)
		}
		gatesAgree(t, &p, &d, &c.out, &f)
		serverHolds(t, &p, &c.out, &d)
	}
}

// TestEngineRequiredOn: got and ky retry a 413 only where it says when; ky hears it there.
func TestEngineRequiredOn(t *testing.T) {
	const ky = "base=1s jitter=none retry-after=replace retry-after-on=413,429,503 required-on=413 retry-on=transport,413,429,500,503"
	said := status(413).out
	said.Say = engine.SayRetry
	for _, c := range []struct {
		policy  string
		out     engine.Outcome
		verdict engine.Verdict
		wait    time.Duration
		words   string
	}{
		{ky, status(413).out, engine.Stop, 0, "413 may heal, but there is no Retry-After, which is required"},
		{ky, status(413).after(3 * sec).out, engine.Retry, 3 * sec, "413 may heal"},
		{ky, status(429).out, engine.Retry, sec, "429 may heal"},
		{ky, status(500).after(3 * sec).out, engine.Retry, sec, "500 may heal"},
		{ky, said, engine.Retry, sec, "413: the caller says it may heal"},
		{ky, engine.Outcome{Kind: engine.KindTransport, Status: 413}, engine.Retry, sec, "transport may heal"},
		{"base=1s jitter=none retry-after=ignore required-on=503", status(503).after(3 * sec).out, engine.Retry, sec, "503 may heal"},
		{"base=1s jitter=none retry-after=ignore required-on=503", status(503).out, engine.Stop, 0, "503 may heal, but there is no Retry-After, which is required"},
	} {
		p, f := mustParse(t, c.policy), calm()
		_, d := p.Next(engine.State{}, &c.out, &f, 1)
		if d.Verdict != c.verdict || d.Wait != c.wait {
			t.Errorf("%s, %s: %v, waits %v, want %v, %v", c.policy, c.out.Words(), d.Verdict, d.Wait, c.verdict, c.wait)
		}
		if got := p.Why(engine.GateRetryable, &d, &c.out, &f); got != c.words {
			t.Errorf("%s, %s: %q, want %q", c.policy, c.out.Words(), got, c.words)
		}
		gatesAgree(t, &p, &d, &c.out, &f)
	}
}

// TestEngineUnsent: got, ky and undici go by their list of methods even where nothing was sent.
func TestEngineUnsent(t *testing.T) {
	refused := transport(engine.CauseRefused).out
	refused.NotSent = true
	for _, c := range []struct {
		policy  string
		out     engine.Outcome
		verdict engine.Verdict
		words   string
	}{
		{"", refused, engine.Retry, "POST, but nothing was sent"},
		{"unsent=listed", refused, engine.Stop, "POST is not idempotent and has no idempotency key"},
		{"unsent=listed methods=GET,POST", refused, engine.Retry, "POST is listed in methods"},
		{"unsent=listed", status(503).out, engine.Stop, "POST is not idempotent and has no idempotency key"},
	} {
		p, f := mustParse(t, c.policy), calm()
		f.Method, f.Safety = "POST", p.Safety("POST", false)
		_, d := p.Next(engine.State{}, &c.out, &f, 1)
		if d.Verdict != c.verdict {
			t.Errorf("%s, %s: %v, want %v", c.policy, c.out.Words(), d.Verdict, c.verdict)
		}
		if got := p.Why(engine.GateIdempotent, &d, &c.out, &f); got != c.words {
			t.Errorf("%s, %s: %q, want %q", c.policy, c.out.Words(), got, c.words)
		}
		gatesAgree(t, &p, &d, &c.out, &f)
	}
}

// TestEngineCosts: a bucket may charge a throttled request and a timeout a price of their own, and gives that back.
func TestEngineCosts(t *testing.T) {
	const aws = "attempts=9 base=1s jitter=none retry-on=timeout,429,503 budget=tokens:100/14/1 throttle-cost=5 timeout-cost=10"
	for _, c := range []struct {
		replies []reply
		left    int
	}{
		{[]reply{status(503), status(503), status(404)}, 100 - 14},
		{[]reply{status(503), good()}, 100},
		{[]reply{status(503), status(429), good()}, 100 - 14},
		{[]reply{status(429), status(503), good()}, 100 - 5},
		{[]reply{kind(engine.KindTimeout), status(429), good()}, 100 - 10},
	} {
		p := mustParse(t, aws)
		b := engine.NewBudget(p.Budget)
		g := game{policy: aws, replies: c.replies, opts: []engine.Option{engine.WithBudget(b)}}
		play(t, g)
		if left := b.Left(0); left != c.left {
			t.Errorf("%d replies: %d left, want %d", len(c.replies), left, c.left)
		}
	}
	drained := func(o engine.Outcome, policy string) (n int) {
		b := engine.NewBudget(mustParse(t, policy).Budget)
		for b.TakeAfter(0, &o) {
			n++
		}
		return n
	}
	for _, c := range []struct {
		policy string
		out    engine.Outcome
		want   int
	}{
		{aws, status(503).out, 7},
		{aws, status(429).out, 20},
		{aws, kind(engine.KindTimeout).out, 10},
		{aws, transport(engine.CauseReset).out, 7},
		{"budget=tokens:100/14/1", status(429).out, 7},
		{"budget=tokens:100/14/1 timeout-cost=1", kind(engine.KindTimeout).out, 100},
		{"budget=tokens:100/14/1 throttle-cost=101", status(429).out, 0},
	} {
		if got := drained(c.out, c.policy); got != c.want {
			t.Errorf("%s, %s: %d retries, want %d", c.policy, c.out.Words(), got, c.want)
		}
	}
	p, f, o := mustParse(t, aws), calm(), status(429).out
	f.Tokens = 5
	_, d := p.Next(engine.State{}, &o, &f, 1)
	if got := p.Why(engine.GateBudget, &d, &o, &f); d.Verdict != engine.Retry || got != "5 left, a retry costs 5" {
		t.Errorf("%v: %q", d.Verdict, got)
	}
	o = status(503).out
	_, d = p.Next(engine.State{}, &o, &f, 1)
	if got := p.Why(engine.GateBudget, &d, &o, &f); d.Reason != engine.ReasonBudget || got != "5 left, a retry costs 14" {
		t.Errorf("%v: %q", d.Reason, got)
	}
	if p.Budget.Least() != 5 || engine.Default().Budget.Kind != engine.BudgetNone {
		t.Errorf("the cheapest retry costs %d", p.Budget.Least())
	}
}

// TestEngineLongestWait over every answer that the policy goes by.
func TestEngineLongestWait(t *testing.T) {
	for _, c := range []struct {
		policy string
		want   time.Duration
	}{
		{"base=2s jitter=full", 30 * sec},
		{"base=2s jitter=full spread=1s", 31 * sec},
		{"base=2s jitter=full ceiling=1s", 2 * sec},
		{"base=2s jitter=full ceiling=none", engine.Forever},
		{"base=2s jitter=full retry-after=ignore", 2 * sec},
		{"base=2s jitter=full ceiling=none retry-after=bounded:5s", 7 * sec},
		{"base=2s jitter=full ceiling=3s retry-after=bounded:5s", 3 * sec},
		{"base=2s jitter=full reads=none", 2 * sec},
		{"base=2s jitter=full reads=none hints=x-amz-retry-after", 30 * sec},
		{"base=2s jitter=full retry-after-on=429", 30 * sec},
		{"base=2s jitter=full retry-after-on=404", 2 * sec},
		{"base=2s jitter=full retry-on=transport", 2 * sec},
	} {
		p := mustParse(t, c.policy)
		if got := p.LongestWait(1); got != c.want {
			t.Errorf("%s: %v, want %v", c.policy, got, c.want)
		}
	}
}

// TestEngineReads: the set of forms, whose zero is that of the standard.
func TestEngineReads(t *testing.T) {
	if standard := engine.ReadsOf(engine.FormDate, engine.FormOldDate, engine.FormZero, engine.FormSeconds); standard != 0 || standard != engine.Default().Reads {
		t.Errorf("the standard's forms are %v", standard)
	}
	for _, f := range engine.Forms() {
		one := engine.ReadsOf(f)
		has := slices.DeleteFunc(engine.Forms(), func(f engine.Form) bool { return !one.Has(f) })
		if !slices.Equal(has, []engine.Form{f}) || one.String() != f.String() || !one.Header() {
			t.Errorf("%v alone is %v, %q", f, has, one)
		}
	}
	if none := engine.ReadsOf(); none.Header() || none.String() != "none" {
		t.Errorf("no form is %q", none)
	}
}
