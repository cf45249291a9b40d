package cli_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
	"github.com/retryscope/retryscope/ui"
)

// judgedPolicies are every preset and some with more to them.
func judgedPolicies(t *testing.T) map[string]engine.Policy {
	t.Helper()
	out := map[string]engine.Policy{}
	for _, p := range presets.All() {
		out[p.ID] = p.Policy
	}
	for _, text := range []string{
		"attempts=6 timeout=6s attempt-timeout=1s", "attempts=12 timeout=30s attempt-timeout=none", "attempts=3000 jitter=none curve=linear",
		"attempts=10 budget=tokens:30/14/1", "attempts=1", "ceiling=none", "attempts=unlimited timeout=1m", "attempts=5 jitter=smooth spread=2s",
		"attempts=4 retry-on=503 attempt-timeout=2s timeout=20s", "attempts=4 throttle-base=3s",
	} {
		p, err := engine.ParsePolicy(text, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		out[text] = p
	}
	return out
}

// TestCostsAgree: what lint reckons is what the screen shows.
func TestCostsAgree(t *testing.T) {
	t.Parallel()
	for name, p := range judgedPolicies(t) {
		if !p.RetryOn.Statuses.Has(429) {
			p.ThrottleBase = 0 // in no wait
		}
		a, b := lint.CostOf(&p), ui.CostOf(&p, engine.SafeMethod, engine.BodyNone)
		if a.Retries != b.Retries || a.Max != b.Max || a.Free != b.Free || a.Server != b.Server || a.Worst != b.Worst {
			t.Errorf("%s: lint %+v\nscreen %+v", name, a, b)
		}
	}
}

// cells reads the tables of a page: the cells behind the first, by the first.
func cells(page string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(page) {
		parts := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if strings.HasPrefix(line, "| ") && len(parts) > 1 {
			for i := range parts {
				parts[i] = strings.TrimSpace(parts[i])
			}
			out[parts[0]] = parts[1:]
		}
	}
	return out
}

// atWorst runs a policy at draw 1 against a server whose every answer takes all but a microsecond of the attempt's limit.
func atWorst(t *testing.T, p engine.Policy, after string) *trace.Trace {
	t.Helper()
	m := command.FindStringSubmatch(lint.Page(lint.Subject{Policy: p}, nil, lint.Context{}))
	if m == nil {
		t.Skip("no script gives an outcome that it retries")
	}
	text, method := m[2], strings.TrimPrefix(m[3], " --method ")
	if after != "" || p.ThrottleBase > p.Base && p.RetryOn.Statuses.Has(429) {
		for status := 599; status >= 300; status-- {
			if p.RetryOn.Statuses.Has(status) {
				text = fmt.Sprint(status)
			}
		}
		if p.ThrottleBase > p.Base && p.RetryOn.Statuses.Has(429) {
			text = "429" // the longer of its two waits
		}
	}
	if p.AttemptTimeout > 0 && text != "hang" {
		text += " latency=" + engine.FormatDuration(p.AttemptTimeout-time.Microsecond)
	}
	s, err := script.Parse(text + after)
	if err != nil {
		t.Fatal(err)
	}
	return lab.ScriptedContext(context.Background(), lab.Config{
		Policy: p, Request: lab.Request{Method: method}, Script: s, Draw: 1, CancelAt: -1, SignOutAt: -1,
	})
}

// near tells whether a run took what a page says, but for the microsecond that each of its attempts was short.
func near(ran *trace.Trace, said string) bool {
	d, err := time.ParseDuration(said)
	short := time.Duration(ran.Done.Attempts+1) * time.Microsecond
	return err == nil && ran.Done.At <= d && ran.Done.At >= d-short
}

// TestExplainedFiguresAreThoseOfARun: each number of a page is one that the run of it shows.
func TestExplainedFiguresAreThoseOfARun(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, p := range judgedPolicies(t) {
		if p.Attempts > 100 || p.RetryAfter.Mode == engine.RetryAfterRequired || p.RequiredOn != (engine.StatusSet{}) {
			continue // a run of them has no end, or no own wait
		}
		checked++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := cells(lint.Page(lint.Subject{Name: name, Policy: p}, nil, lint.Context{}))
			free := p
			free.Timeout = 0
			ran := atWorst(t, free, "")
			smooth := p.Jitter.Kind == engine.JitterSmooth // its longest waits do not follow each other
			if got := page["sends, fewest to most"][0]; !strings.HasSuffix(got, fmt.Sprint(ran.Done.Attempts)) {
				t.Errorf("sends %s, and a run made %d", got, ran.Done.Attempts)
			}
			if got := page["all own waits"][0]; !smooth && got != engine.FormatDuration(ran.Done.Waited.Truncate(time.Microsecond)) {
				t.Errorf("all own waits %s, and a run waited %s", got, ran.Done.Waited)
			}
			if got := page["without the timeout"][0]; !smooth && p.AttemptTimeout > 0 && !near(ran, got) {
				t.Errorf("without the timeout %s, and a run took %s", got, ran.Done.At)
			}
			waitsOfARun(t, page, &p, ran)
			serverWaits(t, page, free)
			withTimeout(t, page, &p)
		})
	}
	if checked < 60 {
		t.Errorf("only %d policies", checked)
	}
}

// waitsOfARun: the windows of the page hold the waits of the run, and end with them.
func waitsOfARun(t *testing.T, page map[string][]string, p *engine.Policy, ran *trace.Trace) {
	t.Helper()
	for i := range ran.Attempts[:len(ran.Attempts)-1] {
		a := &ran.Attempts[i]
		row, ok := page[fmt.Sprint(a.N)]
		if !ok {
			continue
		}
		column := row[0]
		if p.ThrottleBase > 0 && a.Outcome.Status == 429 {
			column = row[1]
		}
		_, high, ok := strings.Cut(column, "–")
		if !ok {
			high = column
		}
		d, err := time.ParseDuration(high)
		if got := a.Wait.For.Truncate(time.Microsecond); err != nil || got > d || p.Jitter.Kind != engine.JitterSmooth && got != d {
			t.Errorf("retry %d: the page says %s, the run waited %s (%v)", a.N, column, got, err)
		}
	}
}

// serverWaits: the figure of a run in which every answer asks for the ceiling.
func serverWaits(t *testing.T, page map[string][]string, p engine.Policy) {
	t.Helper()
	row, ok := page["without the timeout, every answer asking for the ceiling"]
	whole := p.Ceiling%time.Second == 0 && p.Ceiling != engine.NoCeiling
	longer := p.RetryAfter.Mode == engine.RetryAfterAtLeast || p.RetryAfter.Mode == engine.RetryAfterReplace
	_, least := p.Bounds(p.Attempts - 1)
	if !ok || !whole || !longer || least > p.Ceiling || p.AttemptTimeout <= 0 || p.RetryOn.Statuses == (engine.StatusSet{}) || p.Attempts < 2 {
		return
	}
	ran := atWorst(t, p, fmt.Sprintf(" after=%d", p.Ceiling/time.Second))
	if !near(ran, row[0]) {
		t.Errorf("with server waits %s, and a run took %s", row[0], ran.Done.At)
	}
}

// withTimeout: as many attempts begin before the timeout as the page says, and none ends after it.
func withTimeout(t *testing.T, page map[string][]string, p *engine.Policy) {
	t.Helper()
	if p.Timeout <= 0 || p.Jitter.Kind == engine.JitterSmooth {
		return
	}
	ran := atWorst(t, *p, "")
	worst, err := time.ParseDuration(page["with the timeout"][0])
	if err != nil || ran.Done.At > worst {
		t.Errorf("with the timeout %s (%v), and a run took %s", page["with the timeout"][0], err, ran.Done.At)
	}
	if got := page["sends begun before the timeout"][0]; got != fmt.Sprint(ran.Done.Attempts) {
		t.Errorf("sends begun %s, and a run made %d", got, ran.Done.Attempts)
	}
}

// TestExplainedCommandRuns: the command on a page is one that runs to the sends it tells of.
func TestExplainedCommandRuns(t *testing.T) {
	t.Parallel()
	var without []string
	for _, p := range presets.All() {
		m := command.FindStringSubmatch(lint.Page(lint.Subject{Name: p.ID, Policy: p.Policy, Preset: p.ID}, nil, lint.Context{}))
		if m == nil {
			without = append(without, p.ID)
			continue
		}
		q, err := engine.ParsePolicy(m[1], engine.Default())
		if err != nil || q != p.Policy {
			t.Errorf("%s: the command's policy is %s (%v)", p.ID, m[1], err)
		}
		if _, err := script.Parse(m[2]); err != nil {
			t.Errorf("%s: the command's script: %v", p.ID, err)
		}
	}
	if len(without) > 4 { // they retry nothing, HTTP/2 alone, or a hang that nothing ends
		t.Errorf("no command for %v", without)
	}
}

// command is the command on a page: policy, script, method.
var command = regexp.MustCompile(`(?m)^ {4}retryscope run --policy '([^']*)' --draw 1 --script (\S+)( --method [A-Z]+)?$`)
