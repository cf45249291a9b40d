package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// laneKey is what a lane's run depends on: the same key, the same run.
type laneKey struct {
	config *sim.Config // never written to
	policy engine.Policy
	seed   uint64
}

// laneRun is a lane with what is known of it.
type laneRun struct {
	key   laneKey
	sum   *sim.Summary
	small bool
	wrong string // why it cannot be simulated

	joined []sim.Bucket // what the picture made of it
	width  time.Duration
}

// fleetRuns are the runs of a fleet: small ones at once, whole ones one after the other from a command, which the next
// change cancels.
type fleetRuns struct {
	lanes  []laneRun
	names  []string
	known  []laneRun // whole runs, the latest last
	gen    int       // what comes of another generation is dropped
	cancel context.CancelFunc
}

// keptRuns is how many whole runs are kept, so that what is taken back shows at once.
const keptRuns = 24

// quickEvents is how many events all the small fleets of a key may take together, leastEvents one of them: they are
// simulated before the frame.
const (
	quickEvents = 8000
	leastEvents = 1600
)

// laneMsg is a whole run of a lane.
type laneMsg struct {
	gen int
	key laneKey
	sum *sim.Summary
	err error
}

// stop ends what is simulated for nobody.
func (r *fleetRuns) stop() {
	r.gen++
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
}

func keysOf(d *doc) []laneKey {
	keys := make([]laneKey, d.numLanes())
	for i := range keys {
		keys[i] = laneKey{d.inFleet().config, d.lane(i).policy, d.seed}
	}
	return keys
}

// matches tells whether the runs are those of a doc.
func (r *fleetRuns) matches(d *doc) bool {
	if len(r.lanes) != d.numLanes() {
		return false
	}
	config := d.inFleet().config
	for i := range r.lanes {
		k := &r.lanes[i].key
		if k.config != config || k.seed != d.seed || k.policy != d.lane(i).policy {
			return false
		}
	}
	return true
}

// sync makes the runs those of the doc: small ones at once, and the command for the whole ones.
func (r *fleetRuns) sync(d *doc, first int) tea.Cmd {
	if r.matches(d) {
		if r.cancel == nil {
			return r.next(first)
		}
		return nil
	}
	r.stop()
	old := r.lanes
	keys := keysOf(d)
	r.lanes = make([]laneRun, len(keys))
	var fresh []int
	for i, k := range keys {
		r.lanes[i] = laneRun{key: k}
		if !r.recall(i) && !recallFrom(old, &r.lanes[i]) {
			fresh = append(fresh, i)
		}
	}
	for _, i := range fresh {
		r.lanes[i] = quickLane(keys[i], max(quickEvents/len(fresh), leastEvents))
	}
	r.name(d)
	return r.next(first)
}

func recallFrom(list []laneRun, l *laneRun) bool {
	for i := range list {
		if list[i].key == l.key {
			*l = list[i]
			return true
		}
	}
	return false
}

func (r *fleetRuns) recall(i int) bool { return recallFrom(r.known, &r.lanes[i]) }

func (r *fleetRuns) name(d *doc) {
	// A keeps the name it has everywhere; the others are told apart among themselves.
	lanes := d.inFleet().lanes
	names := make([]string, len(lanes))
	policies := make([]engine.Policy, len(lanes))
	for i := range lanes {
		l := &lanes[i]
		names[i], policies[i] = l.label(), l.policy
	}
	r.names = append([]string{d.label()}, FleetNames(names, policies)...)
}

// next is the command that makes the next whole run, of the chosen lane first; nil where all are there.
func (r *fleetRuns) next(first int) tea.Cmd {
	at := -1
	for i := range r.lanes {
		if l := &r.lanes[i]; (l.small || l.sum == nil) && l.wrong == "" && (at < 0 || i == first) {
			at = i
		}
	}
	if at < 0 {
		r.stop()
		return nil
	}
	if r.cancel != nil {
		r.cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	key, gen := r.lanes[at].key, r.gen
	return func() tea.Msg {
		c := *key.config
		c.Policy, c.Seed = key.policy, key.seed
		s, err := sim.Runs(ctx, c, 1, sim.Options{Cores: 1})
		panicAgain(err)
		return laneMsg{gen, key, s, err}
	}
}

// panicAgain makes a panic of another goroutine one of this one, where whoever runs the screen can catch it.
func panicAgain(err error) {
	var panicked *engine.PanicError
	if errors.As(err, &panicked) {
		panic(panicked)
	}
}

// take puts a whole run in its place, and goes on with the next; known is false for one that nobody waits for.
func (r *fleetRuns) take(msg laneMsg, first int) (cmd tea.Cmd, known bool) {
	if msg.gen != r.gen {
		return nil, false
	}
	done := laneRun{key: msg.key, sum: msg.sum}
	if msg.err != nil {
		done.sum, done.wrong = nil, msg.err.Error()
	} else {
		r.known = append(r.known, done)
		if len(r.known) > keptRuns {
			r.known = slices.Delete(r.known, 0, len(r.known)-keptRuns)
		}
	}
	for i := range r.lanes {
		if r.lanes[i].key == msg.key {
			r.lanes[i] = done
		}
	}
	return r.next(first), true
}

// quickLane simulates a smaller fleet, within so many events: what there is until the whole one comes.
func quickLane(key laneKey, events int) laneRun {
	l := laneRun{key: key, small: true}
	whole := *key.config
	whole.Policy, whole.Seed = key.policy, key.seed
	part, times := smaller(&whole, events)
	f, err := sim.NewFleet(part)
	if err != nil {
		l.small, l.wrong = false, err.Error()
		return l
	}
	f.Step(events)
	l.sum = quickSummary(&whole, &part, f.Result(), times)
	return l
}

// smaller is a fleet with fewer clients, fewer calls, and a server that is as much smaller, so that its run takes about so
// many events; times is how many of it the whole fleet is.
func smaller(c *sim.Config, events int) (part sim.Config, times float64) {
	const perCall = 6 // events of a call, roughly
	most := 1e9
	calls := float64(c.Load.Clients)
	s := &c.Server
	switch c.Load.Kind {
	case sim.Herd:
		calls *= 4
		most = calls / 200
	case sim.Open:
		rate := 0.0
		for _, p := range c.Load.Rate {
			rate = max(rate, p.Rate)
		}
		calls = rate * c.Horizon.Seconds()
	case sim.Closed:
		calls = calls * c.Horizon.Seconds() / max((c.Load.Think+s.Service+c.Latency).Seconds(), 0.001)
		most = float64(c.Load.Clients) / 10
	}
	times = max(calls*perCall*float64(max(c.Layers, 1))/float64(events), 1)
	if s.Workers > 0 {
		most = min(most, float64(s.Workers))
	}
	if s.Limit > 0 {
		most = min(most, s.Limit/5)
	}
	times = min(times, most)
	if times <= 1.2 {
		return *c, 1
	}
	return divided(c, times)
}

func divided(c *sim.Config, times float64) (part sim.Config, exact float64) {
	part = *c
	s := &part.Server
	if s.Workers > 0 {
		s.Workers = max(int(float64(s.Workers)/times), 1)
		times = float64(c.Server.Workers) / float64(s.Workers)
	}
	if s.Queue > 0 {
		s.Queue = max(int(float64(s.Queue)/times), 1)
	}
	s.Limit /= times
	if s.Burst > 0 {
		s.Burst = max(s.Burst/times, 1)
	}
	part.Load.Clients = max(int(float64(c.Load.Clients)/times), 1)
	part.Load.Rate = slices.Clone(c.Load.Rate)
	for i := range part.Load.Rate {
		part.Load.Rate[i].Rate /= times
	}
	return part, times
}

// quickSummary is what a small run comes to, as if it were of the whole fleet.
func quickSummary(whole, part *sim.Config, r *sim.Result, times float64) *sim.Summary {
	one := func(x float64) sim.Stat { return sim.Stat{Mean: x, N: 1} }
	o := sim.Judge(part, r)
	grow(r, times)
	s := &sim.Summary{Config: *whole, First: r, Asked: 1, Seeds: 1}
	s.Sent, s.Calls, s.Useful = one(float64(r.Total.Sent())), one(float64(r.Total.Begun)), one(float64(r.Total.Useful))
	s.Amplification, s.Success, s.Wasted = one(r.Amplification()), one(r.Success()), one(r.Wasted())
	peak, _ := r.Peak()
	s.Peak = one(peak * times)
	for _, q := range sim.Quantiles() {
		if r.Times.Count() > 0 {
			s.Times = append(s.Times, one(r.Times.Quantile(q).Seconds()))
		} else {
			s.Times = append(s.Times, sim.Stat{})
		}
	}
	if !r.Over {
		s.Seeds = 0
		return s
	}
	if s.Verdict = o.Verdict; o.Verdict.Well() { // why it is that is left to the whole fleet, whose counts are in the words
		s.Recovered = 1
		if o.Trouble || part.Load.Kind == sim.Herd {
			s.Recover = one(o.After.Seconds())
		}
	}
	return s
}

// grow multiplies the counts of a run.
func grow(r *sim.Result, times float64) {
	if times == 1 {
		return
	}
	up := func(ns ...*int64) {
		for _, n := range ns {
			*n = int64(float64(*n)*times + 0.5)
		}
	}
	bucket := func(b *sim.Bucket) {
		up(&b.Begun, &b.First, &b.Retries, &b.Accepted, &b.Refused, &b.Dropped, &b.Served, &b.Useful, &b.Late, &b.Expired, &b.Failed,
			&b.TimedOut, &b.Denied, &b.Held, &b.Calls, &b.Waiting, &b.Wire, &b.Queue, &b.Serving, &b.QueueMax)
	}
	bucket(&r.Total)
	for i := range r.Buckets {
		bucket(&r.Buckets[i])
	}
}

// fleetUntil is the time until which a run's picture goes, whether or not all of it is there.
func fleetUntil(s *sim.Summary) time.Duration {
	if !s.First.Over && s.Config.Load.Kind != sim.Herd && s.Config.Horizon > 0 {
		return s.Config.Horizon
	}
	return fleetEnd(s)
}
