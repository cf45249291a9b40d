package trace

import (
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// decision reads a decision back. The facts it was made from are in a record only as far as its gates tell of them;
// what they do not tell of is taken as nothing that limits.
func (r *reader) decision(l *line, e *engine.Event) error {
	d := engine.Decision{
		Attempt: l.Attempt, Wait: time.Duration(l.Wait), Own: time.Duration(l.Own), Drawn: len(l.Window) > 0,
		Asked: l.Server != nil,
	}
	var err error
	if d.Verdict, err = find[engine.Verdict](l.Verdict, "verdict"); err != nil {
		return err
	}
	if d.Reason, err = find[engine.Reason](l.Reason, "reason"); err != nil {
		return err
	}
	if l.Server != nil {
		d.Server = time.Duration(*l.Server)
		h := &r.rec.Trace().Last().Outcome.Hint
		h.State, h.Wait = engine.HintWait, d.Server
	}
	if d.Drawn {
		if len(l.Window) != 2 {
			return fmt.Errorf("window_ms has %d ends", len(l.Window))
		}
		d.Lo, d.Hi = time.Duration(l.Window[0]), time.Duration(l.Window[1])
	}
	a := r.rec.Trace().Last()
	if a.Whys, err = readGates(l.Gates, &d); err != nil {
		return err
	}
	e.Policy = &r.rec.Trace().Head.Policy
	if l.Policy != "" {
		p, err := engine.ParsePolicy(l.Policy, engine.Default())
		if err != nil {
			return err
		}
		e.Policy = &p
	}
	d.Memory = d.Own
	if before := r.rec.Trace().Attempt(l.Attempt - 1); before != nil && e.Policy.Jitter.Kind == engine.JitterSmooth {
		d.Memory = after(before.Decision.Memory, d.Own) // short of what the cap cut off, which no record has
	}
	e.Decision, e.Facts = d, r.facts(&d, e)
	return nil
}

func readGates(gates []lineGate, d *engine.Decision) ([]string, error) {
	if len(gates) != engine.NumGates {
		return nil, fmt.Errorf("%d gates, there are %d", len(gates), engine.NumGates)
	}
	whys := make([]string, engine.NumGates)
	for i, g := range gates {
		if want := engine.Gate(i).String(); g.Gate != want {
			return nil, fmt.Errorf("gate %q where %q belongs", g.Gate, want)
		}
		whys[i] = g.Why
		if g.OK == nil {
			continue
		}
		answer := engine.Shut
		if *g.OK {
			answer = engine.Open
		}
		d.Gates |= engine.Gates(answer) << (2 * i)
	}
	return whys, nil
}

func (r *reader) facts(d *engine.Decision, e *engine.Event) engine.Facts {
	h := &r.rec.Trace().Head
	a := r.rec.Trace().Last()
	// Past the idempotent gate the replayable one is asked of everything that was sent.
	a.Outcome.NotSent = d.Gates.At(engine.GateIdempotent) == engine.Open && d.Gates.At(engine.GateReplayable) == engine.NotAsked
	return engine.Facts{
		Elapsed: e.At, Allowance: engine.NoLimit, Sends: engine.NoLimit, Tokens: engine.NoLimit,
		Cancelled: d.Gates.At(engine.GateCancelled) == engine.Shut,
		Stale:     d.Gates.At(engine.GateGeneration) == engine.Shut,
		Expired:   d.Reason == engine.ReasonDeadline && !d.Drawn,
		Safety:    e.Policy.Safety(h.Method, h.Keyed), Body: h.Body, Method: h.Method,
	}
}

func (r *reader) done(l *line) error {
	t := r.rec.Trace()
	result, err := find[engine.Result](l.Result, "result")
	if err != nil {
		return r.wrong(err, "done")
	}
	reason, err := find[engine.Reason](l.Reason, "reason")
	if err != nil {
		return r.wrong(err, "done")
	}
	rep := engine.Report{Result: result, Reason: reason, Attempts: l.Attempts, Waited: time.Duration(l.Waited)}
	if a := t.Last(); a != nil {
		rep.Last = a.Outcome
	}
	r.rec.Observe(&engine.Event{Kind: engine.EventDone, At: time.Duration(l.T), Attempt: l.Attempts, Report: rep})
	t.Done.Status, t.Done.Err = l.Status, l.Error
	c := &t.Checks
	c.NoEarlyRetry = c.NoEarlyRetry && l.Checks.NoEarlyRetry
	c.WithinLimits = c.WithinLimits && l.Checks.WithinLimits
	c.CancelIsNotFailure = c.CancelIsNotFailure && l.Checks.CancelIsNotFailure
	c.NothingUnreplayed = c.NothingUnreplayed && l.Checks.NothingUnreplayed
	return nil
}
