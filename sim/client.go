package sim

import (
	"time"

	"github.com/retryscope/retryscope/engine"
)

// begin starts a call of a client. The id names its chance.
func (f *Fleet) begin(client uint32, id uint64) {
	slot := f.free - 1
	if f.free == 0 {
		slot = uint32(len(f.ops))
		f.ops, f.rest = append(f.ops, call{}), append(f.rest, more{})
		for range f.cfg.Layers - 1 {
			f.above = append(f.above, engine.State{})
		}
	} else {
		f.free = f.rest[slot].job
	}
	o := &f.ops[slot]
	*o = call{id: id, began: f.now, gen: o.gen}
	f.rest[slot] = more{client: client}
	f.calls++
	f.made++
	f.cur.Begun++
	if b := f.budget(slot); b != nil {
		b.begin(f.now)
	}
	f.send(slot)
}

// send makes the next attempt of a call.
func (f *Fleet) send(slot uint32) {
	o := &f.ops[slot]
	n := f.number(slot)
	if t := f.throttle(slot); t != nil && !t.may(f.now, f.draw(purposeThrottle, o.id, n-1)) {
		f.cur.Held++
		f.held++
		if b := f.budget(slot); b != nil && n > 1 {
			b.lost()
		}
		f.end(slot, false)
		return
	}
	o.gen = (o.gen + 1) & genMask
	if n == 1 {
		f.cur.First++
	} else {
		f.cur.Retries++
	}
	if b := f.budget(slot); b != nil {
		b.sent()
	}
	gen := o.gen
	if f.half > 0 {
		f.wire++
		f.q.push(event{f.now + f.half, keyOf(evArrive, slot, gen)})
	} else {
		f.arrive(slot, gen)
		if o = &f.ops[slot]; o.gen != gen {
			return // answered at once
		}
	}
	f.arm(slot, o)
}

// number counts the attempts of a call, over all layers: that of the running one, or of the one after a wait.
func (f *Fleet) number(slot uint32) uint64 {
	if f.cfg.Layers == 1 {
		return uint64(f.ops[slot].sent) + 1
	}
	return uint64(f.rest[slot].sends) + 1
}

// arm sets the timer of an attempt just sent: its own, or what is left of the whole call.
func (f *Fleet) arm(slot uint32, o *call) {
	at := int64(0)
	if f.attempt > 0 {
		at = f.now + f.attempt
	}
	if f.whole > 0 && (at == 0 || o.began+f.whole < at) {
		at = o.began + f.whole
	}
	if at > 0 {
		f.q.push(event{at, keyOf(evTimer, slot, o.gen)})
	}
}

// timeUp ends an attempt that has no answer yet.
func (f *Fleet) timeUp(slot, gen uint32) {
	o := &f.ops[slot]
	if o.gen != gen {
		return
	}
	f.cur.TimedOut++
	if f.cfg.Server.Cancel {
		f.cancel(slot)
	}
	o.gen = (o.gen + 1) & genMask
	f.failed(slot, ansTimeout)
}

// deliver brings an answer to its client, who may have gone.
func (f *Fleet) deliver(slot, gen uint32, a answer) {
	o := &f.ops[slot]
	if o.gen != gen {
		if a == ansOK {
			f.cur.Late++
		}
		return
	}
	o.gen = (o.gen + 1) & genMask
	if a != ansOK {
		f.failed(slot, a)
		return
	}
	f.result(slot, true)
	took := time.Duration(f.now - o.began)
	f.times.Add(took)
	f.curHeat[heatRow(took)]++
	f.cur.Useful++
	if b := f.budget(slot); b != nil {
		b.settle(o.sent > 0, nil)
	}
	f.end(slot, true)
}

// result tells the guards how an attempt went.
func (f *Fleet) result(slot uint32, ok bool) {
	if b := f.budget(slot); b != nil {
		b.result(ok, f.number(slot) > 1)
	}
	if t := f.throttle(slot); t != nil {
		t.result(f.now, ok)
	}
}

// failed asks the engine, layer by layer from the innermost, what to do about a failure.
func (f *Fleet) failed(slot uint32, a answer) {
	o := &f.ops[slot]
	f.result(slot, false)
	out := &f.outcomes[a]
	if a == ansRefused && f.cfg.Server.RetryLaw != Constant && out.Hint.State == engine.HintWait {
		asked := f.cfg.Server.RetryLaw.spread(float64(f.cfg.Server.RetryAfter), f.chance(purposeHint, slot))
		out.Hint.Wait = time.Duration(min(asked, float64(maxService)))
	}
	facts := engine.Facts{Elapsed: time.Duration(f.now - o.began), Allowance: engine.NoLimit, Sends: engine.NoLimit, Safety: f.safety}
	facts.Expired = f.whole > 0 && f.now >= o.began+f.whole
	b := f.budget(slot)
	if b != nil {
		facts.Tokens = b.tokens(f.now)
	}
	u := 0.0
	if f.drawn {
		u = f.chance(engine.PurposeJitter, slot)
	}
	state, d := f.inner.Next(engine.State{Sent: int(o.sent), Prev: time.Duration(o.prev)}, out, &facts, u)
	o.sent, o.prev = uint32(state.Sent), int64(state.Prev)
	if f.cfg.Layers > 1 {
		f.rest[slot].sends++
	}
	for i := 0; d.Verdict != engine.Retry && i < f.cfg.Layers-1; i++ {
		// The call of this layer has failed, which is a failed attempt of the next, whose own call starts anew in case.
		f.reset(slot, o, i)
		s := &f.above[int(slot)*(f.cfg.Layers-1)+i]
		*s, d = f.outer.Next(*s, out, &facts, u)
	}
	if d.Verdict != engine.Retry {
		f.giveUp(slot, o, out, &d)
		return
	}
	if b != nil {
		b.take(f.now, out)
	}
	f.waiting++
	at := f.now + int64(d.Wait)
	if at < f.now {
		at = int64(engine.Forever)
	}
	f.q.push(event{at, keyOf(evSend, slot, o.gen)})
}

// reset forgets what a layer's ended call had to remember; layer 0 is the innermost.
func (f *Fleet) reset(slot uint32, o *call, layer int) {
	if layer == 0 {
		o.sent, o.prev = 0, 0
		return
	}
	f.above[int(slot)*(f.cfg.Layers-1)+layer-1] = engine.State{}
}

func (f *Fleet) giveUp(slot uint32, o *call, out *engine.Outcome, d *engine.Decision) {
	f.reasons[d.Reason]++
	if d.Reason == engine.ReasonBudget {
		f.cur.Denied++
	}
	if b := f.budget(slot); b != nil && d.Reason == engine.ReasonNotRetryable && out.Kind == engine.KindStatus && out.Status < 500 {
		b.settle(o.sent > 1, out)
	}
	f.end(slot, false)
}

// end takes a call out of the fleet.
func (f *Fleet) end(slot uint32, ok bool) {
	o := &f.ops[slot]
	o.gen = (o.gen + 1) & genMask
	client := f.rest[slot].client
	for i := range f.cfg.Layers - 1 {
		f.above[int(slot)*(f.cfg.Layers-1)+i] = engine.State{}
	}
	f.rest[slot].job = f.free
	f.free = slot + 1
	f.calls--
	f.last = f.now
	if !ok {
		f.cur.Failed++
	}
	if f.cfg.Load.Kind == Closed {
		f.arrivals.again(f, client)
	}
}
