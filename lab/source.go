package lab

import (
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/sim"
)

// Source answers the attempts of many operations from a script (sim.DistSource), each operation from the script's start.
// What a step means to a policy is found out by running it once: no second reader of answers.
type Source struct {
	script  *script.Script
	answers []stepAnswer
}

// stepAnswer is what a step means. A wait up to a date gets shorter with time: until, since the start, it is what is left
// to the date, and from then on past.
type stepAnswer struct {
	now, past sim.DistAnswer
	until     time.Duration
	dated     bool
}

// RedirectError is a step that a client follows within one attempt: an attempt is then more than one answer.
type RedirectError struct {
	Step int // from 1
	Text string
}

func (e *RedirectError) Error() string {
	return fmt.Sprintf("step %d, %q: a redirect that is followed makes one attempt of several answers, and here each attempt gets one", e.Step, e.Text)
}

// NewSource reads a script for operations under a policy, which says what headers it looks at. wall is the wall clock at
// the start of each operation; the zero time is 2026-01-01T00:00:00Z. The error is a *RedirectError or a *RequestError.
func NewSource(s *script.Script, p engine.Policy, r Request, wall time.Time) (*Source, error) {
	if wall.IsZero() {
		wall = defaultWall
	}
	if _, err := r.build(false); err != nil {
		return nil, err
	}
	src := &Source{script: s}
	for i := range s.Len() {
		a, err := readStep(i, s.Step(i), p, r, wall)
		if err != nil {
			return nil, err
		}
		src.answers = append(src.answers, a)
	}
	return src, nil
}

// ahead is how much later a step is run again, to see whether its wait is one up to a date.
const ahead = time.Second

func readStep(i int, step script.Step, p engine.Policy, r Request, wall time.Time) (stepAnswer, error) {
	if step.Kind == script.Hang {
		return stepAnswer{now: sim.DistAnswer{Outcome: engine.Outcome{Kind: engine.KindTimeout}, Latency: engine.Forever}}, nil
	}
	latency := step.Latency
	step.Count, step.Latency = 1, 0
	one, err := script.Parse(step.String())
	if err != nil {
		return stepAnswer{}, err
	}
	p.Attempts, p.Timeout, p.AttemptTimeout = 1, 0, 0
	run := func(after time.Duration) (engine.Outcome, bool) {
		t := Scripted(Config{Policy: p, Request: r, Script: one, Wall: wall.Add(after), CancelAt: -1, SignOutAt: -1})
		last := t.Last()
		return last.Outcome, last.Detail.Redirects > 0
	}
	first, redirected := run(latency)
	if redirected {
		return stepAnswer{}, &RedirectError{i + 1, step.String()}
	}
	a := stepAnswer{now: sim.DistAnswer{Outcome: first, Latency: latency}}
	wait := first.Hint.Wait
	if later, _ := run(latency + ahead); first.Hint.State != engine.HintWait || wait == 0 || later.Hint == first.Hint {
		return a, nil
	}
	past, _ := run(latency + wait)
	a.dated, a.until = true, wait
	a.past = sim.DistAnswer{Outcome: past, Latency: latency}
	return a, nil
}

// Answer is the step whose turn it is.
func (s *Source) Answer(attempt int, at time.Duration, u float64) sim.DistAnswer {
	i, _ := s.script.StepFor(attempt, at, u)
	a := &s.answers[i]
	switch {
	case !a.dated:
		return a.now
	case at >= a.until:
		return a.past
	}
	out := a.now
	out.Outcome.Hint.Wait -= at
	return out
}

// ByChance tells whether the script draws its steps.
func (s *Source) ByChance() bool { return s.script.Mode() == script.ByChance }
