package engine

import (
	"context"
	"sync"
	"time"
)

// Hold is a clock for tests that want to step in during a wait: each wait is announced on Waits and lasts until the
// test releases it or its context ends. Its time is virtual and moves by the waits that were released, so that its
// contexts' deadlines pass only then.
type Hold struct {
	*Virtual
	waits chan *Held
}

// Held is one announced wait.
type Held struct {
	// For is how long the wait was asked to last.
	For     time.Duration
	once    sync.Once
	release chan struct{}
}

// Release ends the wait as if its time were over. A second call does nothing.
func (h *Held) Release() { h.once.Do(func() { close(h.release) }) }

// NewHold is a holding clock at time 0 whose wall clock shows wall.
func NewHold(wall time.Time) *Hold {
	return &Hold{Virtual: NewVirtual(wall), waits: make(chan *Held)}
}

// Waits announces each wait as it begins.
func (h *Hold) Waits() <-chan *Held { return h.waits }

// Wait announces itself and lasts until it is released (then d of virtual time has passed) or ctx ends.
func (h *Hold) Wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	held := &Held{For: d, release: make(chan struct{})}
	select {
	case h.waits <- held:
	case <-ctx.Done():
		return ended(ctx)
	}
	select {
	case <-held.release:
		return h.Virtual.Wait(ctx, d)
	case <-ctx.Done():
		return ended(ctx)
	}
}
