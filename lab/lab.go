package lab

import (
	"net/http"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// Limits of a run.
const (
	// BodyLimit is how much of a success's body is read inside the attempt, in bytes; nothing of it is kept. Whether what
	// is longer comes whole, nobody knows: Detail.BodyCut says so.
	BodyLimit = 8 << 20
	// GiveUp is after how many sends a scripted run of unlimited attempts is taken for endless.
	GiveUp = 10_000
)

// Config is one run. Policy, Seed and what is asked of whom make the same record each time a script is run.
type Config struct {
	Policy  engine.Policy
	Request Request
	// Script is who answers; a live run has none.
	Script *script.Script
	Seed   uint64
	// Draw is what every jitter draw is, from 0 to 1; below 0 they come from the seed. It is 0 in the zero Config.
	Draw float64
	// Wall is the wall clock at the start of a scripted run; the zero time is 2026-01-01T00:00:00Z, in real time now.
	Wall time.Time
	// CancelAt and SignOutAt are when a scripted run is cancelled and its session signed out, since the start; below 0
	// for never. They are 0, at once, in the zero Config.
	CancelAt, SignOutAt time.Duration
	// MaxSends is a hard stop on the sends of this run, reason max-sends; 0 for none.
	MaxSends int
	// GiveUp is after how many sends a scripted run that would make more is given up, so that it takes a bounded time: as
	// endless where its attempts are unlimited, else as by MaxSends. 0 is the constant GiveUp for unlimited attempts and no
	// limit for others.
	GiveUp int
	// Observe, if not nil, is told of each event once it is in the record, on the run's own goroutine. It may read the
	// record during the call, not change it.
	Observe func(*trace.Trace, trace.Event)
}

// defaultWall is the wall clock of a script that names none.
var defaultWall = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// run is one operation being recorded.
type run struct {
	rec       *trace.Recorder
	chain     *chain
	req       *http.Request
	transport *httpretry.Transport
	phases    bool
	lock      sync.Locker
	told      told
	// giveUp says that the limit on sends is not the user's: reaching it means that the run has no end.
	giveUp bool
}

// setup is what differs between a scripted and a live run.
type setup struct {
	base    http.RoundTripper
	clock   engine.Clock
	session *engine.Session
	sends   *engine.Sends
	observe engine.Observer // nil: the run's own
	lock    sync.Locker     // held while the record changes; nil where nobody else looks at it
	tell    func(*trace.Trace, trace.Event)
	head    trace.Head
	giveUp  bool
}

func newRun(cfg *Config, s *setup) (*run, error) {
	req, err := cfg.Request.build(s.head.Live)
	if err != nil {
		return nil, err
	}
	secrets := trace.Secrets(cfg.Request.URL, req.Header)
	h := &s.head
	h.Method, h.Policy, h.Seed = req.Method, cfg.Policy, cfg.Seed
	h.URL = trace.RedactURL(cfg.Request.URL)
	h.Keyed, h.Body = cfg.Request.keyed(), cfg.Request.body()
	r := &run{chain: &chain{base: s.base, sends: s.sends}, req: req, phases: h.Live, lock: s.lock, giveUp: s.giveUp}
	r.rec = trace.NewRecorder(*h, func(text string) string { return clip(trace.RedactText(text, secrets...), mostError) }, s.tell)
	observe := s.observe
	if observe == nil {
		observe = r.observe
	}
	opts := []engine.Option{engine.WithClock(s.clock), engine.WithSeed(cfg.Seed), engine.WithObserver(observe)}
	if cfg.Draw >= 0 {
		opts = append(opts, engine.WithDraw(cfg.Draw))
	}
	if s.session != nil {
		opts = append(opts, engine.WithSession(s.session))
	}
	if s.sends != nil {
		opts = append(opts, engine.WithSends(s.sends))
	}
	r.transport, err = httpretry.New(r.chain, cfg.Policy, httpretry.WithEngine(opts...), httpretry.WithRead(1), // what a sieve gives is its end
		httpretry.WithInspect(r.chain.inspect), httpretry.WithAttemptHook(r.detail))
	return r, err
}

// send makes the whole operation. How it went is in the record; the answer's body has been read as far as it ever is.
func (r *run) send(req *http.Request) {
	resp, err := r.transport.RoundTrip(req)
	if err == nil {
		// It was read as far as it ever is; that a connection could not be put back is of no matter.
		_ = resp.Body.Close()
	}
}

// observe records an event of the loop.
func (r *run) observe(e *engine.Event) {
	r.told.see(e)
	if r.giveUp {
		e = endless(e)
	}
	r.rec.Observe(e)
}

// endless puts the right name to the end of a run that was given up on: nobody set that limit on sends.
func endless(e *engine.Event) *engine.Event {
	if e.Decision.Reason != engine.ReasonMaxSends && e.Report.Reason != engine.ReasonMaxSends {
		return e
	}
	c := *e
	if c.Decision.Reason == engine.ReasonMaxSends {
		c.Decision.Reason = engine.ReasonNoLimit
	}
	if c.Report.Reason == engine.ReasonMaxSends {
		c.Report.Reason, c.Report.Result = engine.ReasonNoLimit, engine.ResultEndless
		last := c.Err
		if f, ok := c.Err.(*engine.FailedError); ok { //nolint:errorlint // the loop's own, not one it wraps
			last = f.Last
		}
		c.Err = &engine.FailedError{Reason: engine.ReasonNoLimit, Attempts: c.Report.Attempts, Last: last}
	}
	return &c
}

// detail takes what the transport knows of an attempt into the record: never a body, and headers by the allow-list.
func (r *run) detail(info httpretry.Info) {
	d := trace.Detail{
		RetryAfter: info.RetryAfter[:min(len(info.RetryAfter), mostHint)], HasRetryAfter: info.HasRetryAfter, Reason: clip(info.Reason, mostText), Proto: info.Proto,
		Reused: info.Reused, Redirects: r.chain.hops, Resent: info.Resent, BodyBytes: info.BodyBytes, BodyCut: info.BodyCut,
		Headers: allowed(info.Header), HasPhases: r.phases,
	}
	if s := r.chain.sieve; s != nil {
		d.BodyBytes, d.BodyCut = s.read, s.more
	} else if info.Status/100 != 2 {
		// Only a success is read inside the attempt: what a failure said is not waited for, and thrown away behind it.
		d.BodyBytes = r.chain.length
	}
	if r.phases {
		d.Phases = trace.Phases{DNS: info.DNS, Connect: info.Connect, TLS: info.TLS, Wait: info.Wait, Body: info.Body}
	}
	if r.lock != nil {
		r.lock.Lock()
		defer r.lock.Unlock()
	}
	r.rec.Detail(info.Attempt, d)
}
