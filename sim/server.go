package sim

import (
	"math"

	"github.com/retryscope/retryscope/engine"
)

// job is an attempt that the server has let in.
type job struct {
	slot, gen uint32 // whose it is
	own       uint32 // its own generation: an event of another one is stale
	state     jobState
}

type jobState uint8

const (
	jobFree jobState = iota
	jobQueued
	jobServing
	jobGone // left the queue before its turn
)

// server is the state of the one server.
type server struct {
	jobs  []job
	free  []uint32
	queue []uint32 // job numbers, in order of arrival, from head on
	head  int
	debt  float64 // work on refusals that no worker has done yet, ns

	used   float64 // of a limit in whole seconds: let in this second, and what is owed
	second int64
	tokens float64 // of a limit with a burst
	filled int64

	nextFault  int64 // when the faults change next
	down, hole bool
	brownout   float64
	slow       float64
}

func (s *server) init(cfg *Config) {
	s.tokens = cfg.Server.Burst
	s.turnOf(cfg, 0)
}

// turn brings the faults up to date.
func (f *Fleet) turn() { f.server.turnOf(&f.cfg, f.now) }

// turnOf is the faults at now, and when they change next.
func (s *server) turnOf(cfg *Config, now int64) {
	s.down, s.hole, s.brownout, s.slow, s.nextFault = false, false, 0, 1, math.MaxInt64
	for _, t := range cfg.Faults {
		from, to := int64(t.From), int64(t.To)
		if now < from {
			s.nextFault = min(s.nextFault, from)
			continue
		}
		if now >= to {
			continue
		}
		s.nextFault = min(s.nextFault, to)
		switch t.Kind {
		case Down:
			s.down = true
		case BlackHole:
			s.hole = true
		case Brownout:
			s.brownout = 1 - (1-s.brownout)*(1-t.Amount)
		case SlowDown:
			s.slow *= t.Amount
		}
	}
}

// arrive is an attempt at the server's door.
func (f *Fleet) arrive(slot, gen uint32) {
	s := &f.server
	switch {
	case s.down:
		f.cur.Refused++
		f.answer(slot, gen, ansNoConn)
	case s.hole:
		f.cur.Dropped++
	case s.brownout > 0 && f.chance(purposeBrownout, slot) < s.brownout:
		f.cur.Refused++
		f.answer(slot, gen, ansFailed)
	case f.cfg.Server.Limit > 0 && !f.withinLimit():
		f.refuse(slot, gen)
	case f.cfg.Server.Workers == 0:
		f.cur.Accepted++
		f.cur.Served++
		f.serve(slot, gen)
	case f.serving < f.cfg.Server.Workers:
		f.cur.Accepted++
		f.start(f.admit(slot, gen))
	case f.cfg.Server.Queue == Endless || f.queued < int64(f.cfg.Server.Queue):
		f.cur.Accepted++
		j := f.admit(slot, gen)
		s.jobs[j].state = jobQueued
		s.queue = append(s.queue, j)
		f.queued++
		f.cur.QueueMax = max(f.cur.QueueMax, f.queued)
	default:
		f.refuse(slot, gen)
	}
}

// chance is the draw of a running attempt for a purpose. Chance belongs to the call and its attempt, not to the order of
// things.
func (f *Fleet) chance(p engine.Purpose, slot uint32) float64 {
	return f.draw(p, f.ops[slot].id, f.number(slot))
}

// answer sends an answer on its way back.
func (f *Fleet) answer(slot, gen uint32, a answer) {
	if f.half > 0 {
		f.q.push(event{f.now + f.half, keyOf(evAnswer+kind(a), slot, gen)})
		return
	}
	f.deliver(slot, gen, a)
}

// serve answers a call that was worked off.
func (f *Fleet) serve(slot, gen uint32) {
	if f.cfg.Server.Fail > 0 && f.chance(purposeFail, slot) < f.cfg.Server.Fail {
		f.answer(slot, gen, ansFailed)
		return
	}
	f.answer(slot, gen, ansOK)
}

// refuse turns an attempt away, which may cost something.
func (f *Fleet) refuse(slot, gen uint32) {
	f.cur.Refused++
	if c := f.cfg.Server.RefusalCost; c > 0 {
		f.server.used += c
		f.server.tokens -= c
		f.server.debt += c * float64(f.cfg.Server.Service)
	}
	f.answer(slot, gen, ansRefused)
}

const second = 1_000_000_000

// withinLimit takes one call's worth of the limit, if it is there.
func (f *Fleet) withinLimit() bool {
	s, c := &f.server, &f.cfg.Server
	limit := c.Limit / s.slow
	if c.Burst > 0 {
		s.tokens = min(c.Burst, s.tokens+limit*float64(f.now-s.filled)/second)
		s.filled = f.now
		if s.tokens < 1-1e-9 {
			return false
		}
		s.tokens--
		return true
	}
	if sec := f.now / second; sec != s.second {
		s.used = max(0, s.used-limit*float64(sec-s.second))
		s.second = sec
	}
	if s.used+1 > limit+1e-9 {
		return false
	}
	s.used++
	return true
}

// admit makes a record of an attempt.
func (f *Fleet) admit(slot, gen uint32) uint32 {
	s := &f.server
	var j uint32
	if n := len(s.free); n > 0 {
		j = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		j = uint32(len(s.jobs))
		s.jobs = append(s.jobs, job{})
	}
	s.jobs[j] = job{slot: slot, gen: gen, own: (s.jobs[j].own + 1) & genMask}
	if f.ops[slot].gen == gen {
		f.rest[slot].job = j + 1
	}
	return j
}

func (f *Fleet) release(j uint32) {
	s := &f.server
	s.jobs[j].state = jobFree
	s.jobs[j].own = (s.jobs[j].own + 1) & genMask
	s.free = append(s.free, j)
}

// start gives a job to a free worker, who first makes up for the refusals.
func (f *Fleet) start(j uint32) {
	s := &f.server
	t := &s.jobs[j]
	t.state = jobServing
	f.serving++
	took := f.serviceTime(t)*s.slow + s.debt
	s.debt = 0
	at := f.now + int64(min(took, float64(maxService)))
	f.q.push(event{at, keyOf(evDone, j, t.own)})
}

// maxService keeps a service time from running beyond every clock.
const maxService = int64(engine.Forever / 4)

func (f *Fleet) serviceTime(t *job) float64 {
	mean := float64(f.cfg.Server.Service)
	if f.cfg.Server.Law == Constant {
		return mean
	}
	o := &f.ops[t.slot]
	id, n := o.id, f.number(t.slot)
	if o.gen != t.gen { // nobody waits for it any more, and its slot may be another call's
		id, n = uint64(t.slot), uint64(t.gen)|1<<32
	}
	u := engine.Draw(f.cfg.Seed, purposeService, id, n)
	return f.cfg.Server.Law.spread(mean, u)
}

// workDone ends a job and gives its worker the next one.
func (f *Fleet) workDone(j, own uint32) {
	t := &f.server.jobs[j]
	if t.own != own {
		return
	}
	slot, gen := t.slot, t.gen
	f.release(j)
	f.serving--
	f.cur.Served++
	f.next()
	f.serve(slot, gen)
}

// next gives a free worker the next waiting job, leaving out those that have gone and, where told to, those whose client
// has given up.
func (f *Fleet) next() {
	s := &f.server
	for s.head < len(s.queue) {
		var j uint32
		if f.cfg.Server.Order == LIFO {
			j = s.queue[len(s.queue)-1]
			s.queue = s.queue[:len(s.queue)-1]
		} else {
			j = s.queue[s.head]
			s.head++
		}
		if s.head == len(s.queue) {
			s.queue, s.head = s.queue[:0], 0
		} else if s.head > 4096 && s.head > len(s.queue)/2 {
			s.queue = s.queue[:copy(s.queue, s.queue[s.head:])]
			s.head = 0
		}
		t := &s.jobs[j]
		if t.state == jobGone {
			f.release(j)
			continue
		}
		f.queued--
		if f.cfg.Server.DropExpired && f.ops[t.slot].gen != t.gen {
			f.cur.Expired++
			f.release(j)
			continue
		}
		f.start(j)
		return
	}
}

// cancel takes a given-up attempt from the server.
func (f *Fleet) cancel(slot uint32) {
	j := f.rest[slot].job
	if j == 0 {
		return
	}
	j--
	t := &f.server.jobs[j]
	if t.slot != slot || t.gen != f.ops[slot].gen {
		return
	}
	switch t.state {
	case jobQueued:
		t.state = jobGone
		f.queued--
		f.cur.Expired++
	case jobServing:
		f.release(j)
		f.serving--
		f.cur.Expired++
		f.next()
	case jobFree, jobGone:
	}
}
