package conformance

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/presets"
)

// TestForgottenWaitIsFound: a wait that would be right after some other history than its own is told apart from one
// that remembers.
func TestForgottenWaitIsFound(t *testing.T) {
	carom, ok := presets.Get("carom")
	if !ok {
		t.Fatal("carom is no preset")
	}
	seed := uint64(0)
	remembers := func(ctx context.Context, w *wire, method string) (int, error) {
		seed++
		return ours(&carom.Policy, seed)(ctx, w, method)
	}
	forgets := func(_ context.Context, w *wire, _ string) (int, error) {
		for i := 1; ; i++ {
			err := w.call()
			if err == nil || i == carom.Policy.Attempts {
				return 0, err
			}
			most := float64(carom.Policy.Base) * math.Pow(3, float64(i))
			time.Sleep(carom.Policy.Base + time.Duration(rand.Float64()*(most-float64(carom.Policy.Base))))
		}
	}
	for _, c := range []struct {
		send sender
		open []string
	}{
		{remembers, nil},
		{forgets, []string{"wait 2", "wait 3"}},
	} {
		tb := &table{failed: func(error) {}}
		check(t, tb, &client{preset: "carom", found: "v0", send: c.send})
		var open []string
		for _, r := range tb.sorted() {
			if r.Verdict == verdictOpen && strings.HasPrefix(r.Check, "wait") {
				open = append(open, r.Check)
			}
		}
		if !slices.Equal(open, c.open) {
			t.Errorf("open are %q, not %q", open, c.open)
		}
	}
}
