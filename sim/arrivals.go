package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// arrivals makes the calls of a fleet. Their times depend on the load and the seed alone.
type arrivals struct {
	n      uint64   // calls of an open stream so far
	calls  []uint32 // calls so far of each client of a closed population
	unit   float64  // how far the stream has come, in expected calls
	corner int      // the corner of the rate at or before it
	before float64  // expected calls up to that corner
	left   uint32   // clients of a herd that have still to begin in this instant
}

func (a *arrivals) init(f *Fleet) {
	l := &f.cfg.Load
	switch l.Kind {
	case Herd:
		if l.Stagger == 0 {
			f.q.push(event{0, keyOf(evBegin, math.MaxUint32, 0)})
			f.ops, f.rest = make([]call, 0, l.Clients), make([]more, 0, l.Clients)
			return
		}
		for i := range uint32(l.Clients) {
			f.q.push(event{int64(f.draw(purposeStagger, uint64(i), 0) * float64(l.Stagger)), keyOf(evBegin, i, 0)})
		}
	case Open:
		a.push(f)
	case Closed:
		a.calls = make([]uint32, l.Clients)
		for i := range uint32(l.Clients) {
			at := f.draw(purposeStagger, uint64(i), 0) * float64(l.Stagger)
			if l.Stagger == 0 {
				at = f.think(i, 0)
			}
			f.q.push(event{int64(at), keyOf(evBegin, i, 0)})
		}
	}
}

func (f *Fleet) draw(p engine.Purpose, who, n uint64) float64 {
	return engine.Draw(f.cfg.Seed, p, who, n)
}

// happen begins the calls of an event.
func (a *arrivals) happen(f *Fleet, k kind, who uint32) {
	switch {
	case k == evArrival:
		n := a.n
		a.n++
		a.push(f)
		f.begin(uint32(n%uint64(f.cfg.Load.Clients)), n)
	case who == math.MaxUint32:
		a.left = uint32(f.cfg.Load.Clients)
	case f.cfg.Load.Kind == Closed:
		n := uint64(a.calls[who])
		a.calls[who]++
		f.begin(who, n*uint64(f.cfg.Load.Clients)+uint64(who))
	default:
		f.begin(who, uint64(who))
	}
}

// next begins one more call of a herd. Nothing else happens until all of them have begun.
func (a *arrivals) next(f *Fleet) {
	i := uint32(f.cfg.Load.Clients) - a.left
	a.left--
	f.begin(i, uint64(i))
}

// again has a client of a closed population call once more after a pause.
func (a *arrivals) again(f *Fleet, client uint32) {
	f.q.push(event{f.now + int64(f.think(client, uint64(a.calls[client]))), keyOf(evBegin, client, 0)})
}

func (f *Fleet) think(client uint32, n uint64) float64 {
	return exponential(f.draw(purposeThink, uint64(client), n)) * float64(f.cfg.Load.Think)
}

// push schedules the next call of an open stream: where the expected count has grown by one more Exp(1).
func (a *arrivals) push(f *Fleet) {
	a.unit += exponential(f.draw(purposeArrival, a.n, 0))
	points := f.cfg.Load.Rate
	for a.corner < len(points)-1 {
		area := (points[a.corner].Rate + points[a.corner+1].Rate) / 2 * (points[a.corner+1].At - points[a.corner].At).Seconds()
		if area > 0 && a.before+area >= a.unit {
			break
		}
		a.before += area
		a.corner++
	}
	p := points[a.corner]
	need := a.unit - a.before
	var t float64
	if a.corner == len(points)-1 {
		if p.Rate == 0 {
			return // nobody comes any more
		}
		t = need / p.Rate
	} else {
		next := points[a.corner+1]
		slope := (next.Rate - p.Rate) / (next.At - p.At).Seconds()
		if slope == 0 {
			t = need / p.Rate
		} else {
			// rate·t + slope·t²/2 = need; the form that does not cancel.
			t = 2 * need / (p.Rate + math.Sqrt(max(p.Rate*p.Rate+2*slope*need, 0)))
		}
	}
	at := float64(p.At) + t*float64(time.Second)
	if at < float64(f.horizon) {
		f.q.push(event{int64(at), keyOf(evArrival, 0, 0)})
	}
}
