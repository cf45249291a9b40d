package engine

import (
	"context"
	"sync"
)

// Session is what a person is signed in to. Its generation moves on when they sign out: an operation begun in an older
// generation sends nothing more, its wait ends at once, and its late success is not handed over. Safe for concurrent use.
type Session struct {
	mu         sync.Mutex
	generation uint64
	ctx        context.Context
	cancel     context.CancelCauseFunc
}

// NewSession is a session in its first generation.
func NewSession() *Session {
	s := &Session{}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// Generation counts how often the session was signed out.
func (s *Session) Generation() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generation
}

// SignOut moves the session on to its next generation and ends the waits of the operations begun before.
func (s *Session) SignOut() {
	s.mu.Lock()
	cancel := s.cancel
	s.generation++
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.mu.Unlock()
	cancel(ErrStaleGeneration)
}

// current is the generation and the context that ends with it.
func (s *Session) current() (uint64, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generation, s.ctx
}

// bind derives from ctx a context that also ends when the generation does. AfterFunc would notice only from another
// goroutine, which a virtual clock cannot wait for, so the binding is asked each time (boundCtx.Err) as well.
func bind(ctx, generation context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(generation, func() { cancel(ErrStaleGeneration) })
	return &boundCtx{Context: inner, generation: generation}, func() {
		stop()
		cancel(context.Canceled)
	}
}

type boundCtx struct {
	context.Context
	generation context.Context
}

func (c *boundCtx) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	return c.generation.Err()
}
