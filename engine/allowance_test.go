package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// A shared allowance is that of the policy in force: a policy put in force while the operation runs moves it.
func TestSharedAllowanceFollowsThePolicy(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		from, to, at  int
		calls, inside int // inside: sends of a layer in each attempt
	}{
		{name: "more attempts", from: 2, to: 4, at: 1, calls: 4},
		{name: "more in the last one", from: 2, to: 3, at: 2, calls: 3},
		{name: "fewer attempts", from: 5, to: 2, at: 1, calls: 2},
		{name: "fewer than were made", from: 5, to: 1, at: 3, calls: 3},
		{name: "unlimited, then not", from: engine.Unlimited, to: 3, at: 1, calls: 3},
		{name: "and then unlimited", from: 2, to: engine.Unlimited, at: 1, calls: 7},
		{name: "for a layer inside as well", from: 3, to: 5, at: 1, calls: 2, inside: 3},
	}
	for _, tt := range tests {
		p := engine.Default()
		p.Attempts = tt.from
		r, err := engine.New(p, engine.Share(), engine.WithClock(engine.NewVirtual(time.Unix(0, 0))))
		if err != nil {
			t.Fatal(err)
		}
		calls, sends := 0, 0
		_, err = engine.Do(t.Context(), r, func(ctx context.Context) (int, error) {
			calls++
			if calls == tt.at {
				q := p
				q.Attempts = tt.to
				if err := r.SetPolicy(q); err != nil {
					t.Error(err)
				}
			}
			if calls == 7 {
				return 0, nil
			}
			if tt.inside > 0 {
				q := engine.Default()
				q.Attempts = tt.inside
				inner, err := engine.New(q, engine.WithClock(engine.NewVirtual(time.Unix(0, 0))))
				if err != nil {
					t.Error(err)
				}
				_, err = engine.Do(ctx, inner, func(context.Context) (int, error) {
					sends++
					return 0, engine.Transient(errors.New("no"))
				})
				return 0, err
			}
			return 0, engine.Transient(errors.New("no"))
		})
		if calls != tt.calls || (err == nil) != (calls == 7) {
			t.Errorf("%s: %d calls, want %d: %v", tt.name, calls, tt.calls, err)
		}
		if tt.inside > 0 && sends != 5 {
			t.Errorf("%s: %d sends inside, want 5", tt.name, sends)
		}
	}
}
