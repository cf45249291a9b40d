package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// OCC is the model of the AWS backoff simulator (aws-samples/aws-arch-backoff-simulator): clients that all begin at once
// read one row's version and write it back, and a write succeeds only where nobody else's came between. It costs the
// server nothing, so that what counts is how much work the clients make for each other.
type OCC struct {
	// Backoff draws the waits. Retries are counted from 1 with the first failure.
	Backoff engine.Backoff
	Clients int
	// Each of the four hops of a read and a write takes |N(HopMean, HopSD)|.
	HopMean, HopSD time.Duration
	Seed           uint64
}

// OCCResult is what it took until the last client had written.
type OCCResult struct {
	// Writes is how many writes the server got.
	Writes int64
	// Last is when the last client heard of its success.
	Last time.Duration
}

// hop is an event's kind, in this model.
type hop kind

// The hops of a round, in their order.
const (
	hopRead    hop = iota // the read reaches the server
	hopVersion            // the version reaches the client
	hopWrite              // the write reaches the server
	hopAnswer             // its failure reaches the client
	hopAgain              // the wait is over
)

// occRun is a simulation under way.
type occRun struct {
	OCC
	q       wheel
	clients []occClient
	row     uint32 // the row's version
	result  OCCResult
}

type occClient struct {
	version uint32
	retry   int32
	hops    uint64
	prev    time.Duration
}

// Run simulates it to the end.
func (c *OCC) Run() OCCResult {
	r := occRun{OCC: *c, clients: make([]occClient, max(c.Clients, 0))}
	for i := range uint32(len(r.clients)) {
		r.send(0, hopRead, i)
	}
	for r.q.len() > 0 {
		r.happen(r.q.pop())
	}
	return r.result
}

// took is how long a client's next hop takes.
func (r *occRun) took(i uint32) int64 {
	o := &r.clients[i]
	o.hops++
	z := normal(engine.Draw(r.Seed, purposeHop, uint64(i), o.hops))
	return int64(math.Abs(float64(r.HopMean) + float64(r.HopSD)*z))
}

func (r *occRun) send(at int64, k hop, i uint32) {
	r.q.push(event{at + r.took(i), keyOf(kind(k), i, 0)})
}

func (r *occRun) happen(e event) {
	i := e.who()
	o := &r.clients[i]
	switch hop(e.kind()) {
	case hopRead:
		o.version = r.row
		r.send(e.at, hopVersion, i)
	case hopVersion:
		r.send(e.at, hopWrite, i)
	case hopWrite:
		r.result.Writes++
		if o.version != r.row {
			r.send(e.at, hopAnswer, i)
			return
		}
		r.row++
		r.result.Last = max(r.result.Last, time.Duration(e.at+r.took(i)))
	case hopAnswer:
		o.retry++
		var own time.Duration
		own, o.prev = r.Backoff.Step(int(o.retry), o.prev, engine.Draw(r.Seed, engine.PurposeJitter, uint64(i), uint64(o.retry)))
		r.q.push(event{e.at + int64(own), keyOf(kind(hopAgain), i, 0)})
	case hopAgain:
		r.send(e.at, hopRead, i)
	}
}
