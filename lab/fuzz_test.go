package lab_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// Whatever the policy, the script, the request and the moment of an interruption: the run ends, the four checks hold,
// every own wait is within its bounds, and the record can be read back.
func FuzzScripted(f *testing.F) {
	f.Add("attempts=6 jitter=decorrelated cap=30s", "503, 429 after=2, reset, 200", uint64(1), int64(-1), int64(-1), uint8(0))
	f.Add("timeout=3s attempt-timeout=1s first=immediate retry-after=clamp:1s", "hang, cut, garbage, 503 after=60", uint64(2), int64(1_000_000), int64(-1), uint8(3))
	f.Add("attempts=unlimited base=0s budget=tokens:5/2/1 spread=1s", "70% 503 latency=20ms, 30% refused", uint64(3), int64(-1), int64(2_000_000), uint8(7))
	f.Add("methods=any jitter=scale:0.5..1.5 curve=fibonacci ceiling=none retry-after=replace", `@0s 503 after=99999999999999999999, @3s 302 header="Location: /x", @4s badjson`, uint64(4), int64(0), int64(0), uint8(5))
	f.Add("", "503 after=\"9\\x80\", 200", uint64(6), int64(-1), int64(-1), uint8(0))
	f.Add("attempts=1000000 base=1ns cap=none factor=1000000000", "dns, tls, eof, 503", uint64(5), int64(-1), int64(-1), uint8(1))
	f.Fuzz(func(t *testing.T, policyText, scriptText string, seed uint64, cancelAt, signOutAt int64, request uint8) {
		p, err := engine.ParsePolicy(policyText, engine.Default())
		if err != nil {
			return
		}
		s, err := script.Parse(scriptText)
		if err != nil {
			return
		}
		cfg := lab.Config{Policy: p, Script: s, Seed: seed, Draw: -1, CancelAt: time.Duration(cancelAt), SignOutAt: time.Duration(signOutAt), MaxSends: 60}
		if request&1 != 0 {
			cfg.Request.Method = "POST"
		}
		if request&2 != 0 {
			cfg.Request.Key = "k"
		}
		if request&4 != 0 {
			cfg.Request.Body, cfg.Request.HasBody, cfg.Request.BodyOnce = []byte("x"), true, request&8 != 0
		}
		tr := lab.Scripted(cfg)
		checkRun(t, &p, tr)
		out := jsonOf(t, tr)
		if back, err := trace.Read(strings.NewReader(out)); err != nil || !back.Checks.OK() || jsonOf(t, back) != out {
			t.Fatalf("not read back: %v, %+v\n%s", err, back, out)
		}
		if again := jsonOf(t, lab.Scripted(cfg)); again != out {
			t.Fatalf("again\n%s\nwas\n%s", again, out)
		}
	})
}

func checkRun(t *testing.T, p *engine.Policy, tr *trace.Trace) {
	t.Helper()
	if tr.Done == nil || !tr.Checks.OK() {
		t.Fatalf("%+v, %v", tr.Done, tr.Broken)
	}
	var waited time.Duration
	for i := range tr.Attempts {
		a := &tr.Attempts[i]
		if a.Wait.Ended {
			waited += a.Wait.End - a.Wait.Start
		}
		if d := &a.Decision; d.Drawn {
			if lo, hi := p.Bounds(a.N); d.Own < lo || d.Own > hi || d.Own < d.Lo || d.Own > d.Hi {
				t.Fatalf("attempt %d: own wait %v, window [%v, %v], bounds [%v, %v]", a.N, d.Own, d.Lo, d.Hi, lo, hi)
			}
		}
	}
	if waited != tr.Done.Waited {
		t.Fatalf("waited %v, says %v", waited, tr.Done.Waited)
	}
}
