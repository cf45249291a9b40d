package engine

import (
	"sync"
	"sync/atomic"
)

// Retrier runs operations under a policy. It is safe for use by many goroutines, unless its clock is not.
type Retrier struct {
	setting  sync.Mutex // one policy at a time is put in force, with its budget
	policy   atomic.Pointer[Policy]
	budget   atomic.Pointer[Budget]
	clock    Clock
	seed     uint64
	draw     float64 // a fixed draw, or -1
	observer Observer
	when     func(error) bool
	session  *Session
	sends    *Sends
	shared   *Budget // given with WithBudget
	share    bool
	real     bool // the clock is the machine's
	ops      atomic.Uint64
	// plain says that a first try needs nothing set up: no timeout, no observer, nothing shared, and no clock that may
	// hold something due this very instant.
	plain atomic.Bool
}

// Option changes a Retrier as it is made.
type Option func(*Retrier)

// WithClock runs the loop on another clock than the real one; nil is the real one.
func WithClock(c Clock) Option { return func(r *Retrier) { r.clock = c } }

// WithSeed makes the draws repeatable; without it every retrier draws its own.
func WithSeed(seed uint64) Option { return func(r *Retrier) { r.seed = seed } }

// WithDraw makes every jitter draw u, from 0 to 1: for tests and for showing the ends of a window.
func WithDraw(u float64) Option { return func(r *Retrier) { r.draw = clampUnit(u) } }

// WithObserver has f told of every event.
func WithObserver(f Observer) Option { return func(r *Retrier) { r.observer = f } }

// WithWhen has f decide which errors may heal, in place of the policy's RetryOn. It is never asked about a cancel, nor
// about an error that a marker (Transient, Permanent, RetryAfter) has spoken for, and the other gates hold all the same.
func WithWhen(f func(error) bool) Option { return func(r *Retrier) { r.when = f } }

// WithSession ends operations whose session was signed out.
func WithSession(s *Session) Option { return func(r *Retrier) { r.session = s } }

// WithSends puts a hard stop on the sends of a whole session. Of retriers inside each other only one should have it: each
// that has counts the same send.
func WithSends(s *Sends) Option { return func(r *Retrier) { r.sends = s } }

// WithBudget shares a budget between retriers; without it a policy that has one gets a budget of this retrier's own.
// The budget must count by the policy's own rule: New and SetPolicy refuse any other.
func WithBudget(b *Budget) Option { return func(r *Retrier) { r.shared = b } }

// Share puts an allowance of the policy's attempts in the context of each operation, so that retriers inside it count
// against it: an outer 3 and an inner 3 send 3 times, not 9. Inside an allowance already there it adds none.
func Share() Option { return func(r *Retrier) { r.share = true } }

// New is a retrier for a policy. A policy that is not valid is refused with every bad field named, as *FieldError.
func New(p Policy, opts ...Option) (*Retrier, error) {
	r := &Retrier{draw: -1, seed: freshSeed()}
	for _, o := range opts {
		o(r)
	}
	if r.clock == nil {
		r.clock = Real()
	}
	_, r.real = r.clock.(realClock)
	if err := r.set(&p); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Retrier) set(p *Policy) error {
	if err := p.Validate(); err != nil {
		return err
	}
	r.setting.Lock()
	defer r.setting.Unlock()
	switch {
	case r.shared != nil && r.shared.rule != p.Budget:
		return &FieldError{Field: "budget", Value: p.Budget.String(), Allowed: "the shared budget counts by " + r.shared.rule.String()}
	case r.shared != nil:
		r.budget.Store(r.shared)
	default:
		// A budget in use keeps what was spent of it.
		if b := r.budget.Load(); b == nil || b.rule != p.Budget {
			r.budget.Store(NewBudget(p.Budget))
		}
	}
	r.policy.Store(p)
	r.plain.Store(r.real && r.observer == nil && r.session == nil && r.sends == nil && !r.share &&
		p.Budget.Kind == BudgetNone && p.Timeout == 0 && p.AttemptTimeout == 0)
	return nil
}

// Policy is the policy in force.
func (r *Retrier) Policy() Policy { return *r.policy.Load() }

// Reading is what the policy in force reads a server's wait with. It is asked after every failed answer, and a whole
// Policy is long to copy.
func (r *Retrier) Reading() (Hints, Reads) {
	p := r.policy.Load()
	return p.Hints, p.Reads
}

// SetPolicy puts another policy in force. It counts from the next decision of operations under way: a timeout then
// counts from the operation's start, an attempt under way keeps the limits it was sent with. A policy that is not valid
// is refused as by New, and the one in force stays.
func (r *Retrier) SetPolicy(p Policy) error { return r.set(&p) }

// Sends is the hard stop on sends it was given with WithSends; nil for none.
func (r *Retrier) Sends() *Sends { return r.sends }

// Clock is the clock the loop runs on.
func (r *Retrier) Clock() Clock { return r.clock }
