package cli

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

var (
	errRunning = errors.New("an operation is running")
	errNoSends = errors.New("no send is left in this session (--max-sends)")
	errCancel  = errors.New("cancelled on the screen")
)

// liveScreen sends for the screen: one operation at a time, on a goroutine of its own.
type liveScreen struct {
	ctx    context.Context
	stop   context.CancelCauseFunc // ends the screen
	base   http.RoundTripper       // nil is a real one
	config lab.Config
	sends  *engine.Sends

	mu      sync.Mutex
	live    *lab.Live
	cancel  context.CancelCauseFunc
	started time.Time
	ended   time.Duration
	running bool
}

func newLiveScreen(ctx context.Context, env *Env, p *plan, stop context.CancelCauseFunc) *liveScreen {
	config := p.config
	config.Script = nil // what is sent for real is answered by somebody else
	return &liveScreen{ctx: ctx, stop: stop, base: env.Transport, config: config, sends: engine.NewSends(p.sends)}
}

// Start begins an operation.
func (s *liveScreen) Start(policy engine.Policy, request lab.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running:
		return errRunning
	case s.sends.Used() >= s.sends.Limit():
		return errNoSends
	}
	c := s.config
	c.Policy, c.Request = policy, request
	live, err := lab.NewLive(lab.LiveConfig{Config: c, Base: s.base, Sends: s.sends})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.live, s.cancel, s.started, s.ended, s.running = live, cancel, time.Now(), 0, true
	go s.run(ctx, live, cancel)
	return nil
}

func (s *liveScreen) run(ctx context.Context, live *lab.Live, cancel context.CancelCauseFunc) {
	defer cancel(nil)
	// It recovers: what comes out is a panic of the engine or of a transport, and ends the screen.
	_, err := live.Run(ctx)
	s.mu.Lock()
	s.running, s.ended = false, time.Since(s.started)
	s.mu.Unlock()
	if err != nil {
		s.stop(err)
	}
}

// Snapshot is a copy of the trace so far.
func (s *liveScreen) Snapshot() *trace.Trace {
	s.mu.Lock()
	live := s.live
	s.mu.Unlock()
	if live == nil {
		return nil
	}
	return live.Snapshot()
}

// Elapsed is the time since the operation began.
func (s *liveScreen) Elapsed() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running:
		return time.Since(s.started)
	default:
		return s.ended
	}
}

// SetPolicy changes the policy of the operation that runs.
func (s *liveScreen) SetPolicy(policy engine.Policy) error {
	if live := s.current(); live != nil {
		return live.SetPolicy(policy)
	}
	return nil
}

// Cancel ends the operation that runs.
func (s *liveScreen) Cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		s.cancel(errCancel)
	}
}

// SignOut moves the session's generation on.
func (s *liveScreen) SignOut() {
	if live := s.current(); live != nil {
		live.SignOut()
	}
}

// Sends are the sends used and the most there may be.
func (s *liveScreen) Sends() (used, most int) { return s.sends.Used(), s.sends.Limit() }

func (s *liveScreen) current() *lab.Live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		return nil
	}
	return s.live
}
