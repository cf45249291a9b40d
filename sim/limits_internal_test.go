package sim

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// fill is what the limits look at, and limits that allow exactly that.
func fill(calls, jobs, freed, pending int) (*Fleet, limits) {
	f := &Fleet{cfg: Config{Load: Load{Clients: 3}}, now: int64(90 * time.Second), calls: int64(calls), events: 1000}
	f.server.jobs, f.server.free = make([]job, jobs+freed), make([]uint32, freed)
	f.q.size = pending
	return f, limits{underWay: int64(calls), jobs: int64(jobs), pending: int64(pending), instant: 50}
}

// Each limit allows what it says, refuses one more, and says what, where, and what is allowed.
func TestEachLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		more func(*Fleet)
		want string
	}{
		{"calls", func(f *Fleet) { f.calls++ }, "stopped after 1m30s: more than 1,200 calls are under way"},
		{"jobs", func(f *Fleet) { f.server.jobs = append(f.server.jobs, job{}) }, "stopped after 1m30s: more than 34 attempts wait at the server"},
		{"a freed job", func(f *Fleet) { f.server.free = f.server.free[1:] }, "stopped after 1m30s: more than 34 attempts wait at the server"},
		{"events ahead", func(f *Fleet) { f.q.size++ }, "stopped after 1m30s: more than 5,600,000 events lie ahead"},
		{"events in an instant", func(f *Fleet) { f.events += 81 }, "stopped after 1m30s: more than 80 events in one instant: time stands still"},
	} {
		f, l := fill(1200, 34, 7, 5_600_000)
		if got := l.exceeded(f); got != "" {
			t.Errorf("%s: what is allowed: %q", tc.name, got)
		}
		tc.more(f)
		if got := l.exceeded(f); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	// Time that goes on is another instant, and as many events may fall on it again.
	f, l := fill(1, 1, 1, 1)
	for range 10 {
		f.now++
		f.events += 80
		if got := l.exceeded(f); got != "" {
			t.Fatal(got)
		}
		f.events += 80
		if got := l.exceeded(f); got != "" {
			t.Fatal(got)
		}
	}
}

// The limits of all runs are above what the largest fleet begins with, and none of them is missing.
func TestLimitsOfAllRuns(t *testing.T) {
	t.Parallel()
	if l := newLimits(); l.underWay < MaxClients || l.jobs < MaxClients || l.pending < MaxClients || l.instant < 1_000_000 {
		t.Errorf("%+v", l)
	}
}

// A run that passes a limit ends there, and its reason is the verdict's: calls that pile up, attempts in an endless queue,
// events of what waits in backoff.
func TestRunIsCutAtALimit(t *testing.T) {
	t.Parallel()
	all := func(n int64) limits { return limits{underWay: n, jobs: n, pending: n, instant: n} }
	const many = 1 << 40
	for _, tc := range []struct {
		name   string
		limits limits
		want   string
	}{
		{"none", all(many), ""},
		{"calls", func() limits { l := all(many); l.underWay = 500; return l }(), ": more than 500 calls are under way"},
		{"jobs", func() limits { l := all(many); l.jobs = 500; return l }(), ": more than 500 attempts wait at the server"},
		{"pending", func() limits { l := all(many); l.pending = 500; return l }(), ": more than 500 events lie ahead"},
	} {
		c := emptyFleet()
		c.Policy = engine.Default()
		c.Policy.AttemptTimeout, c.Policy.Timeout = 100*time.Second, 0
		c.Load = Load{Kind: Open, Clients: 10, Rate: []RatePoint{{Rate: 2000}}}
		c.Server = Server{Workers: 1, Service: 100 * time.Millisecond, Queue: Endless, Refusal: 503}
		c.Horizon = 100 * time.Second
		w := runs{cfg: c, all: make([]*digest, 1), parts: make([]atomic.Uint64, 1), limits: tc.limits}
		w.work(t.Context())
		d := w.all[0]
		if d == nil || !strings.HasSuffix(d.cut, tc.want) || (tc.want == "") != (d.cut == "") {
			t.Errorf("%s: %+v", tc.name, d)
			continue
		}
		if tc.want != "" && (d.outcome.Why != d.cut || d.outcome.Verdict.Well() || !strings.HasPrefix(d.cut, "stopped after ") || w.first.End >= c.Horizon) {
			t.Errorf("%s: why %q, cut %q, at %v", tc.name, d.outcome.Why, d.cut, w.first.End)
		}
	}
	w := runs{parts: make([]atomic.Uint64, 1), all: make([]*digest, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w.work(ctx); w.all[0] != nil {
		t.Error("a run whose context has ended is none")
	}
}
