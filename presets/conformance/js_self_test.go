package conformance

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestWrongPresetOfNpmIsFound: a client of npm held against the preset of another differs, in just the checks that are
// told apart.
func TestWrongPresetOfNpmIsFound(t *testing.T) {
	if why := install(t); why != "" {
		t.Skip(why)
	}
	for _, c := range []struct {
		real, module, under string
		want, fine          []string
	}{
		{"node-retry", "retry", "exponential-backoff", []string{"attempts", "wait 1", "wait 6"}, []string{"permanent", "end", "broken connection"}},
		{"node-retry", "retry", "async-retry", []string{"wait 1", "wait 6"}, []string{"attempts", "permanent"}},
		{"async-retry", "async-retry", "node-retry", []string{"wait 1", "wait 6"}, []string{"attempts", "permanent"}},
		{"exponential-backoff", "exponential-backoff", "cockatiel", []string{"wait 1", "wait 2", "wait 6"}, []string{"attempts"}},
	} {
		d := drive(t, "node", filepath.Join(javascript, "run.mjs"), c.real)
		tb := &table{failed: func(error) {}}
		check(t, tb, &client{preset: c.under, found: d.Versions[c.module], send: d.script(false), mark: d.marked()})
		var open []string
		for _, r := range tb.sorted() {
			if r.Verdict == verdictOpen {
				open = append(open, r.Check)
			}
		}
		for _, w := range c.want {
			if !slices.Contains(open, w) {
				t.Errorf("%s under %s: %s was taken for the same; open are %q", c.real, c.under, w, open)
			}
		}
		for _, f := range c.fine {
			if slices.Contains(open, f) {
				t.Errorf("%s under %s: %s is open", c.real, c.under, f)
			}
		}
	}
}
