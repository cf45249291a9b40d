package engine

import (
	"context"
	"sync"
	"time"
)

// WithTimeout is a context that ends with context.DeadlineExceeded when the clock reaches now + d; at once where d is
// not above 0. A context derived from it by the standard library reports context.Canceled, with
// context.DeadlineExceeded as its cause.
func (v *Virtual) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	at := addTime(v.Now(), max(d, 0))
	c := &virtualCtx{Context: inner, parent: ctx, clock: v, at: at, deadline: v.wallAt(at)}
	if outer, ok := v.deadlineOf(ctx); ok && outer < at {
		c.at = outer
	}
	expire := func() {
		c.end(context.DeadlineExceeded)
		cancel(context.DeadlineExceeded)
	}
	if d <= 0 {
		expire()
		return c, func() {}
	}
	remove := v.At(at, RankDeadline, expire)
	return c, func() {
		remove()
		c.end(context.Canceled)
		cancel(context.Canceled)
	}
}

func (v *Virtual) wallAt(t time.Duration) time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.wall.Add(t)
}

// deadlineOf is the earliest deadline in this clock's time of ctx and the contexts around it.
func (v *Virtual) deadlineOf(ctx context.Context) (time.Duration, bool) {
	c, ok := ctx.Value(deadlineKey{v}).(*virtualCtx)
	if !ok {
		return 0, false
	}
	return c.at, true
}

type deadlineKey struct{ clock *Virtual }

type virtualCtx struct {
	context.Context // cancelled when the deadline passes
	parent          context.Context
	clock           *Virtual
	at              time.Duration // the deadline, or an earlier one around it
	deadline        time.Time     // on the wall clock as it was when the context was made

	mu  sync.Mutex
	own error // why it ended, where it did so by itself
}

// end notes why the context ends by itself, unless it has ended already.
func (c *virtualCtx) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == nil && c.Context.Err() == nil {
		c.own = err
	}
}

// Err is DeadlineExceeded where a deadline ended it: the inner context knows only that it was cancelled.
func (c *virtualCtx) Err() error {
	c.mu.Lock()
	own := c.own
	c.mu.Unlock()
	if own != nil {
		return own
	}
	err := c.Context.Err()
	if err == nil {
		return nil
	}
	if perr := c.parent.Err(); perr != nil {
		return perr
	}
	return err
}

func (c *virtualCtx) Deadline() (time.Time, bool) {
	if d, ok := c.parent.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}

func (c *virtualCtx) Value(key any) any {
	if k, ok := key.(deadlineKey); ok && k.clock == c.clock {
		return c
	}
	return c.Context.Value(key)
}
