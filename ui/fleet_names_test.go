package ui

import (
	"slices"
	"testing"

	"github.com/retryscope/retryscope/engine"
)

func TestFleetNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ texts, names []string }{
		{[]string{"attempts=1 base=1s", "attempts=3 base=1s"}, []string{"1 try", "3 tries"}},
		{[]string{"jitter=none base=1s", "jitter=full base=1s"}, []string{"no jitter", "full"}},
		{
			[]string{"attempts=1 base=1s", "attempts=3 base=1s", "attempts=3 budget=ratio:10%/0", "attempts=3 attempt-timeout=1m"},
			nil, // told apart, whatever they are called
		},
	} {
		var policies []engine.Policy
		for _, text := range c.texts {
			p, err := engine.ParsePolicy(text, engine.Default())
			if err != nil {
				t.Fatal(err)
			}
			policies = append(policies, p)
		}
		got := FleetNames(c.texts, policies)
		if c.names != nil && !slices.Equal(got, c.names) {
			t.Errorf("%q are called %q", c.texts, got)
		}
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != len(c.texts) {
			t.Errorf("%q are called %q", c.texts, got)
		}
	}
}
