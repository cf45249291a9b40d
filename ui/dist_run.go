package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/sim"
)

// distRuns is a distribution that is refined while nothing changes.
type distRuns struct {
	key    distKey
	run    *sim.DistRun // of the command that is under way: nobody else touches it
	result *sim.DistResult
	wrong  string
	made   bool
	gen    int
	cancel context.CancelFunc
}

// drawnMsg is a distribution that was refined by a step.
type drawnMsg struct {
	gen    int
	result *sim.DistResult
	err    error
}

// The first picture comes of so many attempts at most, before the frame; firstDraws is the most calls it is made of. A step
// of the refinement is so many calls.
const (
	firstSends = 20_000
	firstDraws = 256
	stepDraws  = 2500
)

func (r *distRuns) stop() {
	r.gen++
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
		r.made = false // a command may still be at the run: whoever comes back makes another
	}
}

// sync makes the distribution that of a doc: a first picture at once, and the command that refines it.
func (r *distRuns) sync(d *doc, wall time.Time) tea.Cmd {
	key := distKeyOf(d)
	if r.made && key == r.key {
		if r.cancel != nil || r.run == nil || !r.result.Partial {
			return nil
		}
		return r.next()
	}
	r.stop()
	r.key, r.made, r.run, r.wrong = key, true, nil, ""
	c, err := distConfig(d, wall)
	var run *sim.DistRun
	if err == nil {
		run, err = sim.NewDist(c)
	}
	if err != nil {
		r.result, r.wrong = nil, err.Error()
		return nil
	}
	// Enough for a picture, and never more than there is time for.
	if err := run.More(context.Background(), firstOf256(d)); err != nil {
		panicAgain(err)
		r.wrong = err.Error()
	}
	r.run, r.result = run, run.Result()
	if !r.result.Partial {
		return nil
	}
	return r.next()
}

// firstOf256 is how many calls the first picture is made of: fewer where a call may take many attempts.
func firstOf256(d *doc) int {
	m := d.meets()
	most := 1
	for i := range d.distLanes() {
		p := d.distLane(i).policy
		n := mostSends(&p)
		if m.kind == distChance && m.p < 1 {
			n = min(n, int(4/(1-m.p))+1)
		}
		most = max(most, n)
	}
	return min(max(firstSends/most, 1), firstDraws)
}

// mostSends is after how many sends a call of a policy ends at the latest.
func mostSends(p *engine.Policy) int {
	if p.Attempts == engine.Unlimited {
		return lab.GiveUp
	}
	return min(p.Attempts, lab.GiveUp)
}

// next is the command that draws another step.
func (r *distRuns) next() tea.Cmd {
	if r.cancel != nil {
		r.cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	run, gen := r.run, r.gen
	return func() tea.Msg {
		n := min(stepDraws, run.Wanted()-run.Draws())
		err := run.More(ctx, n)
		panicAgain(err)
		if ctx.Err() == nil {
			err = nil // that not all was drawn is no error
		}
		return drawnMsg{gen, run.Result(), err}
	}
}

// take puts a refined picture in the place of the one before.
func (r *distRuns) take(msg drawnMsg) (cmd tea.Cmd, known bool) {
	if msg.gen != r.gen {
		return nil, false
	}
	r.cancel()
	r.cancel = nil
	r.result = msg.result
	if msg.err != nil {
		r.wrong = msg.err.Error()
		return nil, true
	}
	if r.result.Partial {
		return r.next(), true
	}
	return nil, true
}
