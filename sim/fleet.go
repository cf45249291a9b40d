package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/internal/hist"
)

// kind is what an event is. What falls on one instant happens in this order: the server is done before a deadline
// passes, a deadline passes before an answer comes (as on the engine's clock), and an answer comes before a send.
type kind uint8

const (
	evDone    kind = iota // a worker is done with a job
	evTimer               // the time of an attempt, or of its call, is up
	evAnswer              // + answer: it reaches the client
	evSend    = evAnswer + kind(numAnswers)
	evArrive  = evSend + 1 // an attempt reaches the server
	evBegin   = evArrive + 1
	evArrival = evBegin + 1 // the next call of an open stream
)

// answer is what comes back.
type answer uint8

const (
	ansOK      answer = iota
	ansRefused        // the server's refusal, with its Retry-After
	ansFailed         // a 503
	ansNoConn         // connection refused
	numAnswers
	ansTimeout = numAnswers // nothing came in time
)

// call is what every event of a call needs, alive from its first attempt to its end: 32 bytes, so that two share a line of
// the cache and none has two.
type call struct {
	id    uint64
	began int64
	prev  int64  // engine.State.Prev of the innermost layer
	sent  uint32 // engine.State.Sent of the innermost layer
	gen   uint32 // counts what may still come for it: an event of another generation is stale
}

// more is the rest of a call, which only some fleets look at.
type more struct {
	client uint32
	sends  uint32 // decided on over all layers; not kept where there is one
	job    uint32 // the server's record of the running attempt, plus 1; the next free slot while unused
}

// Fleet is a simulation under way. It is not safe for concurrent use; the same Config makes the same Fleet.
type Fleet struct {
	cfg      Config
	inner    engine.Policy // of the innermost layer
	outer    engine.Policy // of the layers above
	drawn    bool          // whether waits depend on chance
	safety   engine.Safety
	outcomes [ansTimeout + 1]engine.Outcome
	half     int64 // half the latency
	attempt  int64 // the attempt timeout, or 0
	whole    int64 // the overall timeout, or 0
	horizon  int64

	q     wheel
	now   int64
	calls int64
	ops   []call
	rest  []more
	free  uint32 // a free slot plus 1
	above []engine.State
	made  uint64 // calls begun

	arrivals  arrivals
	server    server
	budgets   []budget
	throttles []throttle

	waiting, wire, queued int64
	serving               int

	width, bucketEnd int64
	edge             int64 // what comes first of the end of the bucket, that of the second, and the steady part
	busiest          busiest
	steady           steady
	total            Bucket // of the closed buckets
	cur              Bucket
	curHeat          [HeatRows]uint32
	buckets          []Bucket
	heat             [][HeatRows]uint32

	times   hist.Hist
	reasons [16]int64
	held    int64
	events  int64
	last    int64 // when the last call ended
	done    bool
	fetched uint32 // of no use but that it is read
}

// maxHerd ends a herd whose calls never end.
const maxHerd = time.Hour

// NewFleet checks the configuration and is the fleet at time 0.
func NewFleet(cfg Config) (*Fleet, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Horizon == 0 {
		cfg.Horizon = maxHerd
	}
	cfg.Bucket = cfg.bucket()
	cfg.Layers = max(cfg.Layers, 1)
	f := &Fleet{
		cfg: cfg, inner: cfg.Policy, outer: cfg.Policy, half: int64(cfg.Latency / 2),
		attempt: int64(cfg.Policy.AttemptTimeout), whole: int64(cfg.Policy.Timeout),
		horizon: int64(cfg.Horizon), width: int64(cfg.Bucket), bucketEnd: int64(cfg.Bucket), busiest: busiest{end: second},
		steady: steady{at: math.MaxInt64},
	}
	if from := cfg.steadyFrom(); from > 0 {
		f.steady.at = int64(from)
	}
	f.edge = min(f.bucketEnd, f.busiest.end, f.steady.at)
	rule := cfg.Budget.rule(&cfg.Policy)
	f.inner.Budget, f.outer.Budget = rule, rule
	if cfg.Layers > 1 {
		f.inner.Timeout = 0
	}
	f.drawn = cfg.Policy.Jitter.Kind != engine.JitterNone || cfg.Policy.Spread > 0
	f.safety = cfg.Policy.Safety(cfg.Method, false)
	f.outcomes = outcomesOf(&cfg.Server)
	f.guards()
	f.server.init(&f.cfg)
	f.arrivals.init(f)
	return f, nil
}

// outcomesOf is what the engine is told of each answer.
func outcomesOf(s *Server) [ansTimeout + 1]engine.Outcome {
	refusal := engine.Outcome{Kind: engine.KindStatus, Status: s.Refusal}
	if s.RetryAfter > 0 {
		refusal.Hint = engine.Hint{State: engine.HintWait, Wait: s.RetryAfter}
	}
	return [ansTimeout + 1]engine.Outcome{
		ansOK:      {},
		ansRefused: refusal,
		ansFailed:  {Kind: engine.KindStatus, Status: 503},
		ansNoConn:  {Kind: engine.KindTransport, Cause: engine.CauseRefused, NotSent: true},
		ansTimeout: {Kind: engine.KindTimeout},
	}
}

// Now is how far the simulation has come.
func (f *Fleet) Now() time.Duration { return time.Duration(f.now) }

// Done tells whether all is over, or the horizon reached.
func (f *Fleet) Done() bool { return f.done }

// Run goes on to time until, or to the end, and tells whether it is over. Where it stops changes nothing of what comes.
func (f *Fleet) Run(until time.Duration) bool {
	return f.run(min(int64(until), f.horizon), math.MaxInt64)
}

// Step goes on by at most n events, and tells whether it is over.
func (f *Fleet) Step(n int) bool { return f.run(f.horizon, int64(n)) }

func (f *Fleet) run(until, n int64) bool {
	for ; n > 0 && !f.done; n-- {
		if f.arrivals.left > 0 {
			f.arrivals.next(f)
			continue
		}
		at, ok := f.q.peek()
		if !ok || at >= f.horizon {
			f.finish(ok)
			return true
		}
		if at > until {
			break
		}
		if f.q.fresh {
			f.fetch()
		}
		e := f.q.pop()
		f.events++
		f.now = e.at
		if e.at >= f.edge {
			f.advance(e.at)
		}
		if e.at >= f.server.nextFault {
			f.turn()
		}
		f.happen(e)
	}
	return f.done
}

// fetch reads the calls of the day's events at once: their places in memory have no order, and so the machine looks for
// all of them at the same time instead of one after the other.
func (f *Fleet) fetch() {
	f.q.fresh = false
	sum := uint32(0)
	n := uint32(len(f.ops))
	for _, e := range f.q.day {
		if i := e.who(); i < n {
			sum += f.ops[i].gen
		}
	}
	f.fetched = sum
}

// finish closes the record. A herd is over with its last event, everything else at the horizon.
func (f *Fleet) finish(cut bool) {
	f.done = true
	if cut || f.cfg.Load.Kind != Herd {
		f.now = f.horizon
	}
	f.advance(f.now)
	if f.cur != (Bucket{QueueMax: f.cur.QueueMax}) || len(f.buckets) == 0 {
		f.closeBucket()
	}
}

func (f *Fleet) happen(e event) {
	switch k := e.kind(); {
	case k == evDone:
		f.workDone(e.who(), e.gen())
	case k == evTimer:
		f.timeUp(e.who(), e.gen())
	case k == evSend:
		f.waiting--
		f.send(e.who())
	case k == evArrive:
		f.wire--
		f.arrive(e.who(), e.gen())
	case k >= evBegin:
		f.arrivals.happen(f, k, e.who())
	default:
		f.deliver(e.who(), e.gen(), answer(k-evAnswer))
	}
}
