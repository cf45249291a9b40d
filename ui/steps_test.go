package ui

import (
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

func TestLadder(t *testing.T) {
	t.Parallel()
	got := ladder(2 * time.Hour)
	want := []string{
		"1ms", "2ms", "5ms", "10ms", "20ms", "50ms", "100ms", "200ms", "500ms", "1s", "2s", "5s", "10s", "20s", "50s",
		"1m", "2m", "5m", "10m", "20m", "50m", "1h", "2h",
	}
	if len(got) != len(want) {
		t.Fatalf("%d rungs, want %d: %v", len(got), len(want), got)
	}
	for i := range got {
		if engine.FormatDuration(got[i]) != want[i] {
			t.Errorf("rung %d is %v, want %s", i, got[i], want[i])
		}
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	base := reach{zero: true, top: time.Hour}
	limit := reach{top: time.Hour, endless: engine.Forever, hasEnd: true}
	timeout := reach{top: 10 * time.Minute, endless: 0, hasEnd: true}
	for _, c := range []struct {
		name string
		r    reach
		from time.Duration
		by   int
		want time.Duration
	}{
		{"up", base, 200 * time.Millisecond, 1, 500 * time.Millisecond},
		{"down", base, 200 * time.Millisecond, -1, 100 * time.Millisecond},
		{"between, up", base, 300 * time.Millisecond, 1, 500 * time.Millisecond},
		{"between, down", base, 300 * time.Millisecond, -1, 200 * time.Millisecond},
		{"ten times", base, 200 * time.Millisecond, coarseRungs, 2 * time.Second},
		{"to nothing", base, time.Millisecond, -1, 0},
		{"below nothing", base, 0, -1, 0},
		{"below the first rung", base, time.Microsecond, -1, 0},
		{"at the top", base, time.Hour, 1, time.Hour},
		{"above the top", base, 3 * time.Hour, 1, 3 * time.Hour},
		{"above the top, down", base, 3 * time.Hour, -1, time.Hour},
		{"a cap never gets to 0", limit, time.Millisecond, -1, time.Millisecond},
		{"a cap ends in none", limit, time.Hour, 1, engine.Forever},
		{"none stays", limit, engine.Forever, 1, engine.Forever},
		{"down from none", limit, engine.Forever, -1, time.Hour},
		{"a timeout ends in none", timeout, 10 * time.Minute, 1, 0},
		{"none is above all", timeout, 0, 1, 0},
		{"down from no timeout", timeout, 0, -1, 10 * time.Minute},
	} {
		if got := c.r.step(c.from, c.by); got != c.want {
			t.Errorf("%s: %v by %d is %v, want %v", c.name, c.from, c.by, got, c.want)
		}
	}
}

func TestStepCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, by int
		coarse   bool
		want     int
	}{
		{4, 1, false, 5},
		{1, -1, false, 1},
		{4, 1, true, 14},
		{4, -1, true, 1},
		{engine.Unlimited, 1, false, engine.Unlimited},
		{engine.Unlimited, -1, false, 100},
	} {
		if got := stepAttempts(c.from, c.by, c.coarse); got != c.want {
			t.Errorf("%d by %d is %d, want %d", c.from, c.by, got, c.want)
		}
	}
	if got := stepFactor(2, 1, false); got != 2.1 {
		t.Errorf("factor 2 and a step is %v", got)
	}
	if got := stepFactor(1, -1, true); got != 1 {
		t.Errorf("factor 1 and a step down is %v", got)
	}
	f := 1.0
	for range 10 {
		f = stepFactor(f, 1, false)
	}
	if f != 2 {
		t.Errorf("ten steps from 1 make %v", f)
	}
}
