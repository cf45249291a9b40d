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

// The events of a round. What the client does in between concerns nobody else, so that an answer on its way needs none.
const (
	occRead  kind = iota // the read reaches the server
	occWrite             // the write reaches the server
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
		out, _ := r.hops(i)
		r.q.push(event{out, keyOf(occRead, i, 0)})
	}
	for r.q.len() > 0 {
		e := r.q.pop()
		if e.kind() == occRead {
			r.read(e.at, e.who())
		} else {
			r.write(e.at, e.who())
		}
	}
	return r.result
}

// hops are the times of a client's next two hops: one draw has bits for both.
func (r *occRun) hops(i uint32) (a, b int64) {
	o := &r.clients[i]
	o.hops++
	bits := engine.Bits(r.Seed, purposeHop, uint64(i), o.hops)
	mean, sd := float64(r.HopMean), float64(r.HopSD)
	return int64(math.Abs(mean + sd*quickNormal(uint32(bits>>32)))), int64(math.Abs(mean + sd*quickNormal(uint32(bits))))
}

// read gives a client the version, which comes back to the server with its write.
func (r *occRun) read(at int64, i uint32) {
	r.clients[i].version = r.row
	back, out := r.hops(i)
	r.q.push(event{at + back + out, keyOf(occWrite, i, 0)})
}

// write succeeds where the version is still the row's; else the client waits and begins again.
func (r *occRun) write(at int64, i uint32) {
	o := &r.clients[i]
	r.result.Writes++
	back, out := r.hops(i)
	if o.version == r.row {
		r.row++
		r.result.Last = max(r.result.Last, time.Duration(at+back))
		return
	}
	o.retry++
	var own time.Duration
	own, o.prev = r.Backoff.Step(int(o.retry), o.prev, engine.Draw(r.Seed, engine.PurposeJitter, uint64(i), uint64(o.retry)))
	r.q.push(event{at + back + int64(own) + out, keyOf(occRead, i, 0)})
}
