package engine

import (
	"context"
	"sync/atomic"
)

type allowanceKey struct{}

// allowance is the number of sends one operation may make through all its layers. It is its own context, so that a
// shared operation allocates once.
type allowance struct {
	context.Context
	left  atomic.Int64
	outer *allowance
	// prepaid is 1 while an enclosing layer has paid for the attempt under way: its first send inside is that attempt.
	prepaid atomic.Int32
}

func (a *allowance) Value(key any) any {
	if _, ok := key.(allowanceKey); ok {
		return a
	}
	return a.Context.Value(key)
}

// WithAllowance is a context under which every operation, through all layers inside it, makes at most n sends together.
// A negative n is 0. A send
// inside two allowances counts against both.
func WithAllowance(ctx context.Context, n int) context.Context {
	return newAllowance(ctx, n)
}

func newAllowance(ctx context.Context, n int) *allowance {
	a := &allowance{Context: ctx, outer: allowanceOf(ctx)}
	a.left.Store(int64(max(n, 0)))
	return a
}

// AllowanceLeft is how many sends are left under ctx; ok is false where there is no allowance.
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

// take pays for one send, unless an enclosing layer has paid for it already.
func (a *allowance) take() bool {
	if a == nil {
		return true
	}
	paid := a.prepaid.CompareAndSwap(1, 0)
	if !paid && !a.pay() {
		return false
	}
	if !a.outer.take() {
		if !paid {
			a.left.Add(1)
		}
		return false
	}
	a.prepaid.Store(1)
	return true
}

func (a *allowance) pay() bool {
	for {
		left := a.left.Load()
		if left <= 0 {
			return false
		}
		if a.left.CompareAndSwap(left, left-1) {
			return true
		}
	}
}

// done ends the attempt that was paid for: what no inner layer used is spent.
func (a *allowance) done() {
	if a != nil {
		a.prepaid.Store(0)
		a.outer.done()
	}
}

func (a *allowance) remaining() int {
	if a == nil {
		return NoLimit
	}
	left := int(a.left.Load())
	if a.outer != nil {
		left = min(left, a.outer.remaining())
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

func (s *Sends) take() bool {
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
