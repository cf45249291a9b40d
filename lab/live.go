package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// LiveConfig is one live run. Script, CancelAt, SignOutAt, Wall and GiveUp of its Config are of no meaning to it: a person
// cancels by the context of Run and signs out with SignOut.
type LiveConfig struct {
	Config
	// Base sends the requests; nil is a transport of this run's own, which is closed with it.
	Base http.RoundTripper
	// Sends, if not nil, is the hard stop shared by all runs of a session, in place of MaxSends.
	Sends *engine.Sends
}

// Errors of a Live.
var (
	// ErrScripted: a live run has no script.
	ErrScripted = errors.New("a live run has no script")
	// ErrRan: a Live runs one operation, once.
	ErrRan = errors.New("this run has been started already")
)

// Live is one operation against a live server. Nothing is sent before Run. All but Run may be called from any goroutine
// at any time.
type Live struct {
	run     *run
	own     *http.Transport
	clock   engine.Clock
	session *engine.Session
	request Request
	tell    func(*trace.Trace, trace.Event)

	mu      sync.Mutex
	ran     bool
	started time.Duration
	// policy is the one in force; change is what was made of it and has not yet counted.
	policy  engine.Policy
	change  *change
	told    []trace.Event // by the recorder, not yet passed on
	version uint64
	// kept is the snapshot of version keptAt.
	kept   *trace.Trace
	keptAt uint64
}

// LivePolicy is what a live run obeys of p: a method that is not idempotent is sent to a real server once unless it carries
// an idempotency key, whatever the policy's methods say. held tells whether they say more than that.
func LivePolicy(p engine.Policy, r *Request) (obeyed engine.Policy, held bool) {
	switch p.Safety(cmp.Or(Method(r.Method), http.MethodGet), r.keyed()) {
	case engine.SafeAny, engine.SafeListed:
		p.Methods = engine.MethodsIdempotent
		return p, true
	case engine.Unsafe, engine.Unlisted, engine.SafeMethod, engine.SafeKey:
		return p, false
	default:
		return p, false
	}
}

// NewLive prepares a run and sends nothing. The policy it obeys, and the one of its record, is what LivePolicy gives.
//
// Errors: *RequestError; the policy's *engine.FieldError; ErrScripted.
func NewLive(cfg LiveConfig) (*Live, error) {
	if cfg.Script != nil {
		return nil, ErrScripted
	}
	cfg.Policy, _ = LivePolicy(cfg.Policy, &cfg.Request)
	l := &Live{clock: engine.Real(), session: engine.NewSession(), request: cfg.Request, policy: cfg.Policy, tell: cfg.Observe}
	s := setup{base: cfg.Base, clock: l.clock, session: l.session, sends: cfg.Sends, observe: l.observe, tell: l.note, lock: &l.mu}
	if s.base == nil {
		l.own = newTransport()
		s.base = l.own
	}
	if s.sends == nil && cfg.MaxSends > 0 {
		s.sends = engine.NewSends(cfg.MaxSends)
	}
	s.head.Live, s.head.Wall = true, l.clock.Wall()
	s.head.Source = trace.RedactURL(cfg.Request.URL)
	var err error
	l.run, err = newRun(&cfg.Config, &s)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Run sends the request under the policy until the operation is over or ctx ends, and gives the record of it. It may be
// called once. A panic on the way is an error of type *engine.PanicError, beside the record as far as it came.
func (l *Live) Run(ctx context.Context) (tr *trace.Trace, err error) {
	l.mu.Lock()
	ran := l.ran
	l.ran = true
	l.mu.Unlock()
	if ran {
		return nil, ErrRan
	}
	defer func() {
		if v := recover(); v != nil {
			err = &engine.PanicError{Value: v, Stack: debug.Stack()}
			l.panicked(v)
		}
		if l.own != nil {
			l.own.CloseIdleConnections()
		}
		tr = l.Snapshot()
	}()
	l.run.send(l.run.req.WithContext(ctx))
	return nil, nil //nolint:nilnil // the record is taken last, in any case
}

// panicked ends the record of a run that panicked, and tells of its end as of any other.
func (l *Live) panicked(v any) {
	// Whoever is told may be who panicked; the record is whole by then.
	defer func() { _ = recover() }()
	l.mu.Lock()
	t, at, policy := l.run.rec.Trace(), l.clock.Now()-l.started, l.policy
	l.mu.Unlock()
	if t.Done != nil {
		return
	}
	n := 0
	if a := t.Last(); a != nil {
		n = a.N
	}
	l.observe(&engine.Event{
		Kind: engine.EventDone, At: at, Attempt: n, Policy: &policy,
		Err: fmt.Errorf("panic: %v", v), Report: engine.Report{Result: engine.ResultFailed, Attempts: n},
	})
}

// SignOut signs the session out: the operation sends nothing more.
func (l *Live) SignOut() { l.session.SignOut() }

// SetPolicy puts another policy in force, from the next decision on, and notes in the record what changed and from where
// it counts. A policy that is not valid is refused and changes nothing.
func (l *Live) SetPolicy(p engine.Policy) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, _ = LivePolicy(p, &l.request)
	if err := l.run.transport.SetPolicy(p); err != nil {
		return err
	}
	t := l.run.rec.Trace()
	switch {
	case !l.ran || t.Head.ID == "": // it has not begun
		t.Head.Policy = p
		l.version++
	case t.Done == nil:
		if l.change == nil {
			l.change = &change{from: l.policy}
		}
		l.change.to, l.change.at = p, l.clock.Now()-l.started
		l.change.counts(t)
		if l.change.from == p {
			l.change = nil
		}
		l.version++
	}
	l.policy = p
	return nil
}

// Elapsed is the time since the operation began, 0 before that.
func (l *Live) Elapsed() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ran || l.run.rec.Trace().Head.ID == "" {
		return 0
	}
	return l.clock.Now() - l.started
}

// Snapshot is the record so far. It does not change; as long as nothing happens it is the same one again.
func (l *Live) Snapshot() *trace.Trace {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept != nil && l.keptAt == l.version {
		return l.kept
	}
	t := *l.run.rec.Trace()
	t.Attempts = slices.Clone(t.Attempts)
	t.Broken = slices.Clone(t.Broken)
	t.Notes = slices.Clone(t.Notes)
	if t.Done != nil {
		d := *t.Done
		t.Done = &d
	}
	if l.change != nil {
		t.Notes = append(t.Notes, l.change.note())
	}
	l.kept, l.keptAt = &t, l.version
	return l.kept
}

// observe records an event of the loop, and passes on what the record told of once nobody is locked out any more: who
// is told may ask for a snapshot.
func (l *Live) observe(e *engine.Event) {
	for _, told := range l.fold(e) {
		if l.tell != nil {
			l.tell(l.run.rec.Trace(), told)
		}
	}
}

func (l *Live) fold(e *engine.Event) []trace.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = l.told[:0]
	l.run.told.see(e)
	if e.Kind == engine.EventStart {
		l.started = l.clock.Now() - e.At
	}
	if e.Kind == engine.EventDecision && l.change != nil {
		l.decide(e)
	}
	if e.Kind == engine.EventDone {
		l.change = nil // it never counted
	}
	l.run.rec.Observe(e)
	l.version++
	return l.told
}

// decide writes the change down where it counts for this decision. One made too late for it counts for the next.
func (l *Live) decide(e *engine.Event) {
	if *e.Policy != l.change.to {
		l.change.after = e.Attempt + 1
		return
	}
	l.change.after = e.Attempt
	l.run.rec.Note(l.change.note())
	l.change = nil
}

// note is told by the recorder.
func (l *Live) note(_ *trace.Trace, e trace.Event) { l.told = append(l.told, e) }
