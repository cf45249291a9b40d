// Package prove holds policies that were written for somebody else's client against our own runs of them: the client
// sends to a server that plays a script, and what that server saw is compared. It is for tests alone.
package prove

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// Case is a policy, in one line, and the script it is run against.
type Case struct{ Name, Policy, Script, Method string }

// Job is one operation that another client makes.
type Job struct {
	// Name tells the job from others.
	Name string
	// Policy is what the client is said to obey; Script what it meets; Method what it sends.
	Policy         engine.Policy
	Script, Method string
	// URL is where to send to, while the job is being run.
	URL string
	// Ended is what the client says came out: a status, or "error"; "" where it says nothing.
	Ended string
	// Also is what may come out in place of what does in our own run, where the export says so.
	Also string
	// Wrong says where the run differs from our own; "" for a run that agrees.
	Wrong string

	gaps []time.Duration
}

// tries is how often a run may be disturbed: a busy machine disturbs one or two, hardly five.
const tries = 5

// Agree has jobs run by somebody else, all those at a time that do not agree yet, and says in each Job what is wrong with
// it. What time can cause is wrong when no run agrees, anything else at once. Its error is that of run, or of a
// script that cannot be read; note is told of what is run again.
func Agree(ctx context.Context, jobs []*Job, note func(format string, args ...any), run func(context.Context, []*Job) error) error {
	left := jobs
	for try := 1; len(left) > 0; try++ {
		if err := once(ctx, left, run); err != nil {
			return err
		}
		var again []*Job
		for _, j := range left {
			wrong, isTime, err := Differs(j)
			if err != nil {
				return err
			}
			if j.Wrong = wrong; wrong != "" && isTime && try < tries {
				note("%s: disturbed? %s", j.Name, wrong)
				again = append(again, j)
			}
		}
		left = again
	}
	return nil
}

// once runs jobs, each against a server of its own.
func once(ctx context.Context, jobs []*Job, run func(context.Context, []*Job) error) error {
	var mu sync.Mutex
	for _, j := range jobs {
		s, err := script.Parse(j.Script)
		if err != nil {
			return fmt.Errorf("%s: its script: %w", j.Name, err)
		}
		mu.Lock() // a client of the run before may still be sending
		j.gaps, j.Ended = nil, ""
		mu.Unlock()
		srv := httptest.NewServer(script.NewHandler(s, 1, script.Options{OnRequest: func(r script.Request) {
			mu.Lock()
			defer mu.Unlock()
			j.gaps = append(j.gaps, r.Gap)
		}}))
		defer srv.Close()
		j.URL = srv.URL
	}
	err := run(ctx, jobs)
	return errors.Join(err, ctx.Err())
}

// Saw is for a server of the caller's own: it is told the gaps before each request it saw, the first of them 0.
func (j *Job) Saw(gaps []time.Duration) { j.gaps = gaps }

// Differs says where what a server saw of a job is not what our own runs are, at the lowest and the highest draw, and
// whether time can be the cause.
func Differs(j *Job) (wrong string, isTime bool, err error) {
	low, high, err := j.Gaps()
	if err != nil {
		return "", false, err
	}
	gaps := j.gaps
	if len(gaps) != len(low) || len(low) != len(high) {
		return fmt.Sprintf("%d requests, our own run makes %d", len(gaps), len(low)), j.Policy.Timeout > 0 || j.Policy.AttemptTimeout > 0, nil
	}
	for i := 1; i < len(gaps); i++ {
		lo, hi := low[i], high[i]
		// A request that was long on its way makes the gap after it shorter: a limit on the attempt counts from its start,
		// not from its arrival.
		early, late := 3*time.Millisecond+lo/10, 250*time.Millisecond+hi/10
		if gaps[i] < lo-early || gaps[i] > hi+late {
			return fmt.Sprintf("before attempt %d: %v, our own run waits %v to %v", i+1, gaps[i].Round(time.Microsecond), lo, hi), true, nil
		}
	}
	run, err := ours(j, 0)
	if err != nil {
		return "", false, err
	}
	if end := ended(run); j.Ended != "" && j.Ended != end && j.Ended != j.Also {
		return fmt.Sprintf("came out as %q, our own run as %q", j.Ended, end), false, nil
	}
	return "", false, nil
}

// Gaps are the times between the sends of our own runs, at the lowest draw and at the highest, the first of them 0.
func (j *Job) Gaps() (low, high []time.Duration, err error) {
	for _, at := range []struct {
		gaps *[]time.Duration
		draw float64
	}{{&low, 0}, {&high, 1}} {
		run, err := ours(j, at.draw)
		if err != nil {
			return nil, nil, err
		}
		was := time.Duration(0)
		for i := range run.Attempts {
			start := run.Attempts[i].Start
			*at.gaps, was = append(*at.gaps, start-was), start
		}
	}
	return low, high, nil
}

// Longest is how long our own run takes from the first send to the last, at the highest draw.
func (j *Job) Longest() (long time.Duration, err error) {
	_, high, err := j.Gaps()
	for _, g := range high {
		long += g
	}
	return long, err
}

func ours(j *Job, draw float64) (*trace.Trace, error) {
	s, err := script.Parse(j.Script)
	if err != nil {
		return nil, fmt.Errorf("%s: its script: %w", j.Name, err)
	}
	return lab.Scripted(lab.Config{
		Policy: j.Policy, Script: s, Request: lab.Request{Method: j.Method, URL: "http://test.test/"}, Draw: draw, CancelAt: -1, SignOutAt: -1,
	}), nil
}

// ended is what came out of a run of ours, in the words of a Job.
func ended(t *trace.Trace) string {
	if n := len(t.Attempts); n > 0 && t.Attempts[n-1].Outcome.Status > 0 {
		return fmt.Sprint(t.Attempts[n-1].Outcome.Status)
	}
	return "error"
}
