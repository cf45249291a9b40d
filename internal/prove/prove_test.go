package prove_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/internal/prove"
)

func job(t *testing.T, policy, script string) *prove.Job {
	t.Helper()
	p, err := engine.ParsePolicy(policy, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	return &prove.Job{Name: "a job", Policy: p, Script: script, Method: http.MethodGet}
}

// What is to fail does: waits that are too short or too long, one request too many, and another end.
func TestDiffers(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		policy         string
		ended, also    string
		gaps           []time.Duration
		differs, timed bool
	}{
		{"", "503", "", []time.Duration{0, 1000 * ms, 2000 * ms}, false, false},
		{"", "", "", []time.Duration{0, 905 * ms, 2350 * ms}, false, false},
		{"", "", "", []time.Duration{0, 500 * ms, 2000 * ms}, true, true},
		{"", "", "", []time.Duration{0, 1000 * ms, 2500 * ms}, true, true},
		{"", "", "", []time.Duration{0, 1000 * ms}, true, false},
		{" timeout=1m", "", "", []time.Duration{0, 1000 * ms, 2000 * ms, 1 * ms}, true, true},
		{"", "200", "", []time.Duration{0, 1000 * ms, 2000 * ms}, true, false},
		{"", "error", "error", []time.Duration{0, 1000 * ms, 2000 * ms}, false, false},
	} {
		j := job(t, "attempts=3 base=1s jitter=none attempt-timeout=none"+tt.policy, "503 x9")
		j.Ended, j.Also = tt.ended, tt.also
		j.Saw(tt.gaps)
		wrong, isTime, err := prove.Differs(j)
		if err != nil {
			t.Fatal(err)
		}
		if (wrong != "") != tt.differs || isTime != tt.timed {
			t.Errorf("%v: %q, time %v", tt.gaps, wrong, isTime)
		}
	}
}

// send makes n requests of a job, as a client does that waits not at all.
func send(ctx context.Context, j *prove.Job, n int) error {
	for range n {
		req, err := http.NewRequestWithContext(ctx, j.Method, j.URL, http.NoBody)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

// A job that time may have disturbed is run again, alone; one that makes another number of requests is not.
func TestAgree(t *testing.T) {
	t.Parallel()
	good, early, many := job(t, "attempts=2 base=0s", "503 x9"), job(t, "attempts=2 base=1h cap=none jitter=none", "503 x9"), job(t, "attempts=2 base=0s attempt-timeout=none", "503 x9")
	runs, notes := map[*prove.Job]int{}, 0
	err := prove.Agree(t.Context(), []*prove.Job{good, early, many}, func(string, ...any) { notes++ }, func(ctx context.Context, jobs []*prove.Job) error {
		var all error
		for _, j := range jobs {
			runs[j]++
			n := 2
			if j == many {
				n = 3
			}
			all = errors.Join(all, send(ctx, j, n))
		}
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	if good.Wrong != "" || runs[good] != 1 {
		t.Errorf("good: %q after %d runs", good.Wrong, runs[good])
	}
	if early.Wrong == "" || runs[early] < 3 || notes != runs[early]-1 {
		t.Errorf("early: %q after %d runs, %d notes", early.Wrong, runs[early], notes)
	}
	if many.Wrong == "" || runs[many] != 1 {
		t.Errorf("many: %q after %d runs", many.Wrong, runs[many])
	}
}

func TestAgreeFails(t *testing.T) {
	t.Parallel()
	fault := errors.New("no such program")
	err := prove.Agree(t.Context(), []*prove.Job{job(t, "", "200")}, t.Logf, func(context.Context, []*prove.Job) error { return fault })
	if !errors.Is(err, fault) {
		t.Errorf("a run that could not be made: %v", err)
	}
	if err := prove.Agree(t.Context(), []*prove.Job{job(t, "", "what")}, t.Logf, func(context.Context, []*prove.Job) error { return nil }); err == nil {
		t.Error("a script that cannot be read was run")
	}
}

// Every case is a policy and a script, and its name its own.
func TestCases(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range append(prove.GoStd(), prove.More()...) {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		j := job(t, c.Policy, c.Script)
		if long, err := j.Longest(); err != nil || long > time.Minute {
			t.Errorf("%s: %v, %v", c.Name, long, err)
		}
	}
}
