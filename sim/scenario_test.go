package sim_test

import (
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// lanes are the runs of a built-in scenario, one a policy.
func lanes(t *testing.T, name string) []*sim.Summary {
	t.Helper()
	for _, s := range sim.Scenarios() {
		if s.Name != name {
			continue
		}
		var out []*sim.Summary
		for _, text := range s.Policies {
			c := s.Fleet
			c.Policy = policy(t, text)
			r, err := sim.Runs(t.Context(), c, 1, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, r)
		}
		return out
	}
	t.Fatalf("no scenario %s", name)
	return nil
}

// between adds up what happened from one time to another.
func between(s *sim.Summary, from, to time.Duration) sim.Bucket {
	var sum sim.Bucket
	w := s.First.Width
	for i, b := range sim.Join(s.First.Buckets, 1) {
		if at := w * time.Duration(i); at >= from && at < to {
			sum.First += b.First
			sum.Retries += b.Retries
			sum.Useful += b.Useful
			sum.Failed += b.Failed
			sum.Late += b.Late
			sum.Served += b.Served
			sum.Begun += b.Begun
		}
	}
	return sum
}

func tells(t *testing.T, what string, got, want, slack float64) {
	t.Helper()
	if got < want-slack || got > want+slack {
		t.Errorf("%s: %.4g, and the story says %.4g (± %.3g)", what, got, want, slack)
	}
}

func verdicts(t *testing.T, all []*sim.Summary, want ...sim.Verdict) {
	t.Helper()
	if len(all) != len(want) {
		t.Fatalf("%d policies, want %d", len(all), len(want))
	}
	for i, s := range all {
		if s.Verdict != want[i] {
			t.Errorf("policy %d: %v (%s), want %v", i, s.Verdict, s.Why, want[i])
		}
	}
}

// The story of each built-in scenario is what happens in it.

func TestStoryHerd(t *testing.T) {
	t.Parallel()
	all := lanes(t, "herd")
	verdicts(t, all, sim.Recovers, sim.Recovers, sim.Recovers, sim.Recovers)
	for i, s := range all {
		tells(t, "clients", s.Calls.Mean, 1000, 0)
		tells(t, "let in, a second", s.Config.Server.Capacity(), 200, 0)
		tells(t, "success", s.Success.Mean, 1, 0)
		if i > 0 && s.Recover.Mean > all[0].Recover.Mean/3 {
			t.Errorf("policy %d needs %gs, without jitter %gs", i, s.Recover.Mean, all[0].Recover.Mean)
		}
	}
	// Wave after wave: without jitter few buckets have a send at all, with it most do.
	busy := func(s *sim.Summary) (n int) {
		for _, b := range s.First.Buckets[100:200] {
			if b.Sent() > 0 {
				n++
			}
		}
		return n
	}
	if a, c := busy(all[0]), busy(all[2]); a > 3 || c < 80 {
		t.Errorf("sends in %d and %d of 100 buckets after the outage", a, c)
	}
}

func TestStoryOutage(t *testing.T) {
	t.Parallel()
	all := lanes(t, "outage")
	verdicts(t, all, sim.Recovers, sim.Recovers, sim.Recovers, sim.Recovers)
	for _, s := range all {
		tells(t, "calls a second", s.Calls.Mean/60, 150, 10)
		tells(t, "capacity", s.Config.Server.Capacity(), 200, 0)
	}
	// Attempts decide who is still there: one or four are spent within the outage, ten with a long cap are not.
	tells(t, "success during, one attempt", float64(between(all[0], 11*time.Second, 20*time.Second).Useful), 0, 3)
	tells(t, "success of one attempt", all[0].Success.Mean, 5.0/6, 0.02)
	tells(t, "success of ten up to 10s apart", all[3].Success.Mean, 1, 0.001)
	if a, b := all[1].Recover.Mean, all[3].Recover.Mean; b < 3*a {
		t.Errorf("the long cap recovers after %gs, the four after %gs", b, a)
	}
}

func TestStoryBrownout(t *testing.T) {
	t.Parallel()
	all := lanes(t, "brownout")
	verdicts(t, all, sim.Recovers, sim.Recovers, sim.Recovers, sim.Recovers)
	b := between(all[0], 11*time.Second, 30*time.Second)
	tells(t, "half of the calls fail", float64(b.Failed)/float64(b.Begun), 0.5, 0.03)
	// Retries save most; a budget has less load and more failed calls.
	if all[1].Success.Mean < 0.94 || all[2].Success.Mean < 0.99 {
		t.Errorf("success %g and %g", all[1].Success.Mean, all[2].Success.Mean)
	}
	free, held := between(all[2], 11*time.Second, 30*time.Second), between(all[3], 11*time.Second, 30*time.Second)
	if held.Retries*2 > free.Retries || held.Failed < 10*free.Failed {
		t.Errorf("retries %d and %d, failed %d and %d", free.Retries, held.Retries, free.Failed, held.Failed)
	}
	if x := float64(held.Retries) / float64(held.First); x > 0.3 {
		t.Errorf("the budget of 20%% lets %g retries a call through", x)
	}
}

func TestStoryRateLimit(t *testing.T) {
	t.Parallel()
	all := lanes(t, "rate-limit")
	verdicts(t, all, sim.Recovers, sim.Recovers, sim.Recovers)
	tells(t, "calls", all[0].Calls.Mean, 600, 0)
	tells(t, "limit", all[0].Config.Server.Capacity(), 50, 0)
	// Waves five seconds and more apart: some seconds have no send; with the spread, and after the first wave, none has
	// more than twice the limit.
	second := func(s *sim.Summary, i int) int64 {
		b := between(s, time.Duration(i)*time.Second, time.Duration(i+1)*time.Second)
		return b.First + b.Retries
	}
	quiet := 0
	for i := range 20 {
		if second(all[1], i) == 0 {
			quiet++
		}
		if n := second(all[2], i); i >= 3 && n > 100 {
			t.Errorf("%d sends in second %d in spite of the spread", n, i)
		}
	}
	if quiet < 8 {
		t.Errorf("only %d of 20 seconds are quiet", quiet)
	}
	if a, c := all[0].Amplification.Mean, all[2].Amplification.Mean; a < 2*c || all[0].Peak.Mean < 3*all[2].Peak.Mean {
		t.Errorf("load %g and %g, peak %g and %g: who hammers?", a, c, all[0].Peak.Mean, all[2].Peak.Mean)
	}
}

func TestStoryMetastable(t *testing.T) {
	t.Parallel()
	all := lanes(t, "metastable")
	verdicts(t, all, sim.Recovers, sim.Stuck, sim.Recovers, sim.Vulnerable)
	tells(t, "calls a second", all[0].Calls.Mean/90, 200, 10)
	tells(t, "capacity", all[0].Config.Server.Capacity(), 300, 1e-9)
	b := between(all[1], 60*time.Second, 90*time.Second)
	tells(t, "work that nobody waits for", float64(b.Late)/float64(b.Served), 1, 0.01)
	tells(t, "attempts a call", float64(b.First+b.Retries)/float64(b.First), 3, 0.1)
	// The same three with more patience are well again after ten slow seconds.
	b = between(all[3], 70*time.Second, 90*time.Second)
	tells(t, "success of the patient", float64(b.Useful)/float64(b.Useful+b.Failed), 1, 0.001)
}

func TestStoryNested(t *testing.T) {
	t.Parallel()
	all := lanes(t, "nested")
	verdicts(t, all, sim.Recovers, sim.Recovers, sim.Recovers, sim.Recovers)
	load := func(s *sim.Summary) float64 {
		b := between(s, 11*time.Second, 20*time.Second)
		return float64(b.First+b.Retries) / float64(b.Begun)
	}
	tells(t, "one attempt a layer", load(all[0]), 1, 0)
	tells(t, "two attempts a layer", load(all[1]), 8, 0.6)
	tells(t, "three attempts a layer", load(all[2]), 27, 2)
	if x := load(all[3]); x > 1.3 {
		t.Errorf("with a budget %g a call", x)
	}
}
