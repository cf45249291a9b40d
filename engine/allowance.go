package engine

import (
	"context"
	"sync/atomic"
)

type allowanceKey struct{}

// allowance is one layer under a number of sends shared by all layers of an operation: the layer that grants it
// (limited), or an operation inside, which marks its own attempts. It is its own context, so that a layer allocates once.
type allowance struct {
	context.Context
	outer   *allowance
	limited bool
	left    atomic.Int64 // of this layer's own limit
	// prepaid is true while this layer has paid for an attempt under way: the first send inside is that attempt. Each
	// operation has a mark of its own, so that operations running beside each other cannot ride on one payment.
	prepaid atomic.Bool
}

func (a *allowance) Value(key any) any {
	if _, ok := key.(allowanceKey); ok {
		return a
	}
	return a.Context.Value(key)
}

// WithAllowance is a context under which every operation, through all layers inside it, makes at most n sends together.
// A negative n is 0. A send inside two allowances counts against both.
func WithAllowance(ctx context.Context, n int) context.Context {
	return newAllowance(ctx, n)
}

func newAllowance(ctx context.Context, n int) *allowance {
	a := newLayer(ctx, allowanceOf(ctx))
	a.limited = true
	a.left.Store(int64(max(n, 0)))
	return a
}

func newLayer(ctx context.Context, outer *allowance) *allowance {
	return &allowance{Context: ctx, outer: outer}
}

// AllowanceLeft is how many sends are left under ctx, not counting an attempt under way around it; ok is false where
// there is no allowance.
func AllowanceLeft(ctx context.Context) (left int, ok bool) {
	a := allowanceOf(ctx)
	if a == nil {
		return 0, false
	}
	return a.remaining(), true
}

func allowanceOf(ctx context.Context) *allowance {
	a, ok := ctx.Value(allowanceKey{}).(*allowance)
	if !ok {
		return nil
	}
	return a
}

// take pays for one send of the layer's own.
func (a *allowance) take() bool {
	if a == nil {
		return true
	}
	if !a.pay() {
		return false
	}
	a.prepaid.Store(true)
	return true
}

// pay pays for one send inside the layer, unless the layer has paid for it already.
func (a *allowance) pay() bool {
	if a == nil || a.prepaid.CompareAndSwap(true, false) {
		return true
	}
	if !a.limited {
		return a.outer.pay()
	}
	if !takeOne(&a.left) {
		return false
	}
	if !a.outer.pay() {
		a.left.Add(1)
		return false
	}
	return true
}

// takeOne takes one of what is left, if there is one.
func takeOne(left *atomic.Int64) bool {
	for {
		n := left.Load()
		if n <= 0 {
			return false
		}
		if left.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// follow moves the limit of this layer by delta: the policy it came from was changed while the operation runs.
func (a *allowance) follow(delta int) {
	if a != nil && a.limited {
		a.left.Add(int64(delta))
	}
}

// done ends the attempt that was paid for: what no inner layer used is spent.
func (a *allowance) done() {
	if a != nil {
		a.prepaid.Store(false)
	}
}

// remaining is the least of what is left in this layer and those around it; NoLimit where none is limited.
func (a *allowance) remaining() int {
	left := NoLimit
	for ; a != nil; a = a.outer {
		if a.limited {
			if n := max(int(a.left.Load()), 0); left == NoLimit || n < left {
				left = n
			}
		}
	}
	return left
}

// Sends is a hard stop on the number of sends of a whole session, shared by its operations. Safe for concurrent use.
type Sends struct {
	limit int64
	used  atomic.Int64
}

// NewSends allows n sends; a negative n allows none.
func NewSends(n int) *Sends { return &Sends{limit: int64(max(n, 0))} }

// Used is how many sends were made.
func (s *Sends) Used() int { return int(min(s.used.Load(), s.limit)) }

// Limit is how many sends there may be.
func (s *Sends) Limit() int { return int(s.limit) }

// Take counts one send more, and tells whether it may be made. The loop does so before each attempt: it is for who sends
// by other means in the same session, as a transport that repeats a request by itself. A nil Sends allows any number.
func (s *Sends) Take() bool {
	if s == nil {
		return true
	}
	for {
		used := s.used.Load()
		if used >= s.limit {
			return false
		}
		if s.used.CompareAndSwap(used, used+1) {
			return true
		}
	}
}

func (s *Sends) remaining() int {
	if s == nil {
		return NoLimit
	}
	return int(s.limit - s.used.Load())
}
