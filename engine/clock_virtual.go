package engine

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// Rank orders what falls on one and the same instant of a virtual clock: the lower comes first. The end of a wait comes
// after all of them.
type Rank uint8

// The ranks of events at one instant.
const (
	RankCancel   Rank = iota // the caller cancels
	RankSignOut              // the session's generation moves on
	RankDeadline             // a deadline passes
)

// Virtual is a clock whose time stands still but in Wait, which jumps to the next event. An operation of hours takes
// microseconds and runs the same each time. It serves one goroutine; its methods may be called from the events it runs.
type Virtual struct {
	mu     sync.Mutex
	now    time.Duration
	wall   time.Time
	seq    uint64
	events eventHeap
}

// NewVirtual is a virtual clock at time 0 whose wall clock shows wall.
func NewVirtual(wall time.Time) *Virtual { return &Virtual{wall: wall} }

// Now is the virtual time since the clock was made.
func (v *Virtual) Now() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Wall is the virtual wall clock.
func (v *Virtual) Wall() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.wall.Add(v.now)
}

// StepWall moves the wall clock by d, as a time server or a person does; Now does not notice.
func (v *Virtual) StepWall(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wall = v.wall.Add(d)
}

// At has f run when the clock reaches t (at once in the next Wait if that is past). The returned function takes it back.
func (v *Virtual) At(t time.Duration, rank Rank, f func()) (remove func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seq++
	e := &event{at: t, rank: rank, seq: v.seq, run: f}
	heap.Push(&v.events, e)
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if e.index >= 0 {
			heap.Remove(&v.events, e.index)
		}
	}
}

// Wait jumps to the end of the wait, running on its way what is scheduled up to and including that instant. It returns
// the cause if ctx ends on the way, and ErrNeverEnds where the wait would end at Forever or beyond it and nothing
// scheduled ends ctx: to cut it there would be to end it too soon.
func (v *Virtual) Wait(ctx context.Context, d time.Duration) error {
	target := addTime(v.Now(), max(d, 0))
	for {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		run, ok := v.next(target)
		if !ok {
			break
		}
		run()
	}
	if target == Forever {
		return ErrNeverEnds
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = max(v.now, target)
	return nil
}

// next takes the first event up to target and moves the clock to it.
func (v *Virtual) next(target time.Duration) (func(), bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.events) == 0 || v.events[0].at > target {
		return nil, false
	}
	e, ok := heap.Pop(&v.events).(*event)
	if !ok {
		return nil, false
	}
	v.now = max(v.now, e.at)
	return e.run, true
}

// Settle runs what is scheduled for this very instant or before it: a cancel at time 0 comes before the first attempt.
func (v *Virtual) Settle() {
	for {
		run, ok := v.next(v.Now())
		if !ok {
			return
		}
		run()
	}
}

type event struct {
	at    time.Duration
	rank  Rank
	seq   uint64
	run   func()
	index int
}

type eventHeap []*event

func (h eventHeap) Len() int { return len(h) }

func (h eventHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.at != b.at {
		return a.at < b.at
	}
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return a.seq < b.seq
}

func (h eventHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *eventHeap) Push(x any) {
	if e, ok := x.(*event); ok {
		e.index = len(*h)
		*h = append(*h, e)
	}
}

func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	e.index = -1
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
