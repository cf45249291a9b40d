package sim

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/internal/hist"
)

// maxDistSends ends an operation that nothing else ends, as a scripted run does.
const maxDistSends = 10_000

// distOp is how one operation went. It holds when each retry was sent, for the tally.
type distOp struct {
	result   engine.Result
	reason   engine.Reason
	attempts int
	waited   time.Duration
	elapsed  time.Duration
	sent     [MaxDistRetries]time.Duration
}

// operate takes one operation to its end.
func (l *distLane) operate(o *distOp, method string, seed, id uint64) {
	p := &l.policy
	var state engine.State
	facts := engine.Facts{Allowance: engine.NoLimit, Sends: engine.NoLimit, Safety: l.safety, Body: engine.BodyNone, Method: method}
	var budget *engine.Budget
	if l.budget { // each operation finds it full: it is alone
		budget = engine.NewBudget(p.Budget)
		budget.Request(0)
	}
	o.attempts, o.waited, o.elapsed = 0, 0, 0
	for {
		if o.attempts++; o.attempts > maxDistSends {
			o.attempts, o.result, o.reason = maxDistSends, engine.ResultEndless, engine.ReasonNoLimit
			return
		}
		answer := l.attempt(o, seed, id)
		if answer.Latency == engine.Forever {
			o.result, o.reason = engine.ResultEndless, engine.ReasonNeverAnswers
			return
		}
		o.elapsed = saturate(o.elapsed, answer.Latency)
		facts.Elapsed = o.elapsed
		facts.Expired = p.Timeout > 0 && o.elapsed >= p.Timeout
		if budget != nil {
			facts.Tokens = budget.Left(o.elapsed)
		}
		u := 0.0
		if answer.Outcome.Failure() {
			u = engine.Draw(seed, engine.PurposeJitter, id, uint64(state.Sent+1)) //nolint:gosec // counts sends
		}
		var d engine.Decision
		state, d = p.Next(state, &answer.Outcome, &facts, u)
		if d.Verdict != engine.Retry {
			o.end(&d)
			return
		}
		if budget != nil {
			budget.TakeAfter(o.elapsed, &answer.Outcome)
		}
		o.waited, o.elapsed = saturate(o.waited, d.Wait), saturate(o.elapsed, d.Wait)
		if o.elapsed == engine.Forever {
			o.result, o.reason = engine.ResultEndless, engine.ReasonNoLimit
			return
		}
		if o.attempts <= MaxDistRetries {
			o.sent[o.attempts-1] = o.elapsed
		}
	}
}

// attempt is one answer, or the timeout that comes before it: the attempt's own, or what is left of the operation's. At one
// and the same instant the timeout is first.
func (l *distLane) attempt(o *distOp, seed, id uint64) DistAnswer {
	u := 0.0
	if l.chancy {
		u = engine.Draw(seed, engine.PurposeScript, id, uint64(o.attempts)) //nolint:gosec // counts sends
	}
	answer := l.source.Answer(o.attempts, o.elapsed, u)
	if answer.Latency == 0 {
		return answer
	}
	limit := l.policy.AttemptTimeout
	if whole := l.policy.Timeout; whole > 0 && (limit == 0 || whole-o.elapsed < limit) {
		limit = whole - o.elapsed
	}
	if limit > 0 && answer.Latency >= limit {
		return DistAnswer{Outcome: engine.Outcome{Kind: engine.KindTimeout}, Latency: limit}
	}
	return answer
}

// end reads a last decision as the loop does.
func (o *distOp) end(d *engine.Decision) {
	o.reason = d.Reason
	switch d.Verdict {
	case engine.Succeed:
		o.result = engine.ResultSucceeded
	case engine.Defer:
		o.result = engine.ResultDeferred
	case engine.Stop, engine.Retry:
		o.result = engine.ResultFailed
		if d.Reason == engine.ReasonDeadline {
			o.result = engine.ResultTimedOut
		}
	}
}

func saturate(a, b time.Duration) time.Duration {
	if a > engine.Forever-b {
		return engine.Forever
	}
	return a + b
}

// sample draws the operations from one number up to another, each for every lane.
func (r *DistRun) sample(t *distTally, from, to int) {
	ops := t.ops
	for id := from; id < to; id++ {
		for i, l := range r.lanes {
			l.operate(&ops[i], r.cfg.Method, r.cfg.Seed, uint64(id)) //nolint:gosec // not below 0
			t.lanes[i].add(&ops[i], r.cfg.Deadline)
		}
		if len(ops) > 1 {
			t.pairs.add(&ops[0], &ops[1], r.cfg.Deadline)
		}
	}
	t.n += to - from
}

// distTally counts operations. All of it is whole numbers, so that the order of counting changes nothing.
type distTally struct {
	n     int
	lanes []laneTally
	pairs pairTally
	ops   []distOp
}

func newTally(lanes int) *distTally {
	return &distTally{lanes: make([]laneTally, lanes), ops: make([]distOp, lanes)}
}

func (t *distTally) merge(o *distTally) {
	t.n += o.n
	for i := range t.lanes {
		t.lanes[i].merge(&o.lanes[i])
	}
	t.pairs.merge(&o.pairs)
}

// endKey is a result and a reason.
type endKey struct {
	result engine.Result
	reason engine.Reason
}

// laneTally counts the operations of one lane.
type laneTally struct {
	within, waitWithin int64
	counts             []int64 // by attempts less one
	wait, time         hist.Hist
	retries            []*hist.Hist
	ends               map[endKey]int64
}

func (t *laneTally) add(o *distOp, deadline time.Duration) {
	if o.within(deadline) {
		t.within++
	}
	if deadline == 0 || o.waited <= deadline {
		t.waitWithin++
	}
	for len(t.counts) < o.attempts {
		t.counts = append(t.counts, 0)
	}
	t.counts[o.attempts-1]++
	t.wait.Add(o.waited)
	if o.result == engine.ResultSucceeded {
		t.time.Add(o.elapsed)
	}
	fired := min(o.attempts-1, MaxDistRetries)
	for len(t.retries) < fired {
		t.retries = append(t.retries, new(hist.Hist))
	}
	for i, at := range o.sent[:fired] {
		t.retries[i].Add(at)
	}
	if t.ends == nil {
		t.ends = map[endKey]int64{}
	}
	t.ends[endKey{o.result, o.reason}]++
}

// within tells whether an operation succeeded in the time that was wished for.
func (o *distOp) within(deadline time.Duration) bool {
	return o.result == engine.ResultSucceeded && (deadline == 0 || o.elapsed <= deadline)
}

func (t *laneTally) merge(o *laneTally) {
	t.within += o.within
	t.waitWithin += o.waitWithin
	for len(t.counts) < len(o.counts) {
		t.counts = append(t.counts, 0)
	}
	for i, n := range o.counts {
		t.counts[i] += n
	}
	t.wait.Merge(&o.wait)
	t.time.Merge(&o.time)
	for len(t.retries) < len(o.retries) {
		t.retries = append(t.retries, new(hist.Hist))
	}
	for i, h := range o.retries {
		t.retries[i].Merge(h)
	}
	if t.ends == nil {
		t.ends = map[endKey]int64{}
	}
	for k, n := range o.ends {
		t.ends[k] += n
	}
}

// lane reads the counts of n operations. What it hands out shares nothing with what is still counted.
func (t *laneTally) lane(draws int) DistLane {
	n := int64(draws)
	l := DistLane{
		Success: sampledShare(t.time.Count(), n), Within: sampledShare(t.within, n), WaitWithin: sampledShare(t.waitWithin, n),
		Wait: sampledSpread(copied(&t.wait)), Time: sampledSpread(copied(&t.time)),
	}
	sum, squares := 0.0, 0.0
	for i, c := range t.counts {
		l.Counts = append(l.Counts, sampledShare(c, n))
		sum += float64(c) * float64(i+1)
		squares += float64(c) * float64(i+1) * float64(i+1)
	}
	l.Attempts = sampledMean(sum, squares, n)
	for i, h := range t.retries {
		l.Retries = append(l.Retries, DistRetry{Number: i + 1, Sent: sampledShare(h.Count(), n), At: sampledSpread(copied(h))})
	}
	for k, c := range t.ends {
		l.Ends = append(l.Ends, DistEnd{Result: k.result, Reason: k.reason, Share: sampledShare(c, n)})
	}
	slices.SortFunc(l.Ends, func(a, b DistEnd) int {
		return cmp.Or(cmp.Compare(a.Result, b.Result), cmp.Compare(a.Reason, b.Reason))
	})
	return l
}

func copied(h *hist.Hist) *hist.Hist {
	out := new(hist.Hist)
	out.Merge(h)
	return out
}

// sampledMean is a mean and its standard error, from a sum and a sum of squares of n; of a single one there is no error.
func sampledMean(sum, squares float64, n int64) DistFigure {
	if n == 0 {
		return DistFigure{}
	}
	mean := sum / float64(n)
	f := DistFigure{Value: mean, SE: math.NaN()}
	if n > 1 {
		f.SE = math.Sqrt(max(squares-sum*mean, 0) / float64(n-1) / float64(n))
	}
	return f
}
