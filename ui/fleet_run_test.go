package ui

import (
	"errors"
	"testing"
	"time"

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

// A queue that shrinks does not stay: the headline tells until when it is there, as the verdict's reason does.
func TestHeadlineOfAShrinkingQueue(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sum   sim.Summary
		lanes int
		want  string
	}{
		{sim.Summary{Verdict: sim.Stuck, Drained: 151 * time.Second, Why: "a queue"}, 1, " is still stuck at the end: a queue until about 2m31s"},
		{sim.Summary{Verdict: sim.Stuck, Drained: 151 * time.Second, Why: "a queue"}, 2, " are still stuck at the end: a queue until about 2m31s"},
		{sim.Summary{Verdict: sim.Stuck, Why: "more calls come than the server can serve"}, 1, " stays stuck: more calls come than the server can serve"},
		{sim.Summary{Verdict: sim.Stuck, Why: "its own retries keep the server busy"}, 3, " stay stuck: retries alone keep the server busy"},
	} {
		if got := stuckWords(&tc.sum, tc.lanes); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}
