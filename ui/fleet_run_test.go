package ui

import (
	"errors"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// A panic of a run, which was in another goroutine, is one of the command: whoever runs the screen catches it there.
func TestPanicOfARunIsOneOfTheCommand(t *testing.T) {
	t.Parallel()
	defer func() {
		p, ok := recover().(*engine.PanicError)
		if !ok || p.Value != "a run broke" || len(p.Stack) == 0 {
			t.Errorf("%v", p)
		}
	}()
	_, err := sim.Runs(t.Context(), sim.DefaultFleet(), 1, sim.Options{Progress: func(float64) { panic("a run broke") }})
	panicAgain(nil)
	panicAgain(errors.New("an error"))
	panicAgain(err)
	t.Error("it went on")
}

// A small fleet has the verdict that the whole one has: the screen says the same word before and after.
func TestQuickSummaryGivesUp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"default", "attempts=unlimited jitter=none"} {
		c := sim.DefaultFleet()
		p := engine.Default()
		if name != "default" {
			p.Attempts, p.Jitter.Kind = engine.Unlimited, engine.JitterNone
		}
		c.Policy = p
		l := quickLane(laneKey{&c, p, 1}, quickEvents)
		whole, err := sim.Runs(t.Context(), c, 1, sim.Options{})
		if err != nil || l.sum == nil || l.sum.Verdict != whole.Verdict {
			t.Errorf("%s: %v, %v and %v", name, err, l.sum.Verdict, whole.Verdict)
		}
	}
}
