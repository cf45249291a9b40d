package lab

import (
	"context"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// Scripted runs a script on a virtual clock and gives the record of it. The same Config gives the same record. A run
// that could not begin (no script, a policy that is not valid) is a record of a failure without an attempt.
func Scripted(cfg Config) *trace.Trace { return ScriptedContext(context.Background(), cfg) }

// ScriptedContext is Scripted until ctx ends: that cancels the run at the attempt it is in, wherever its clock stands. A
// run of a billion attempts takes minutes even in virtual time.
func ScriptedContext(ctx context.Context, cfg Config) *trace.Trace {
	wall := cfg.Wall
	if wall.IsZero() {
		wall = defaultWall
	}
	clock := engine.NewVirtual(wall)
	if cfg.CancelAt >= 0 {
		c, cancel := context.WithCancel(ctx)
		defer cancel()
		clock.At(cfg.CancelAt, engine.RankCancel, cancel)
		ctx = c
	}
	var session *engine.Session
	if cfg.SignOutAt >= 0 {
		session = engine.NewSession()
		clock.At(cfg.SignOutAt, engine.RankSignOut, session.SignOut)
	}
	return runScript(ctx, &cfg, clock, session)
}

// ScriptedRealtime runs a script on the machine's clock, until it is over or ctx ends. Answers are those of Scripted,
// times are what they are.
func ScriptedRealtime(ctx context.Context, cfg Config) *trace.Trace {
	clock := engine.Real()
	if !cfg.Wall.IsZero() {
		clock = &shifted{Clock: clock, wall: cfg.Wall, start: clock.Now()}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if cfg.CancelAt >= 0 {
		defer time.AfterFunc(cfg.CancelAt, cancel).Stop()
	}
	var session *engine.Session
	if cfg.SignOutAt >= 0 {
		session = engine.NewSession()
		defer time.AfterFunc(cfg.SignOutAt, session.SignOut).Stop()
	}
	return runScript(ctx, &cfg, clock, session)
}

// shifted is a clock whose wall clock was set to another time at its start.
type shifted struct {
	engine.Clock
	wall  time.Time
	start time.Duration
}

// Wall is the time it was set to, moved on by what has passed.
func (s *shifted) Wall() time.Time { return s.wall.Add(s.Now() - s.start) }

func runScript(ctx context.Context, cfg *Config, clock engine.Clock, session *engine.Session) *trace.Trace {
	s := setup{clock: clock, session: session, tell: cfg.Observe}
	s.head.Wall = clock.Wall()
	if cfg.Script == nil {
		return failed(cfg, &RequestError{Part: "script", Text: "there is none"})
	}
	s.head.Source = cfg.Script.String()
	s.base = script.NewTransport(cfg.Script, clock, cfg.Seed)
	limit, unlimited := cfg.GiveUp, cfg.Policy.Attempts == engine.Unlimited
	if limit <= 0 && unlimited {
		limit = GiveUp
	}
	switch {
	case limit > 0 && cfg.Policy.Attempts > limit && (cfg.MaxSends <= 0 || cfg.MaxSends > limit):
		s.sends, s.giveUp = engine.NewSends(limit), unlimited
	case cfg.MaxSends > 0:
		s.sends = engine.NewSends(cfg.MaxSends)
	}
	r, err := newRun(cfg, &s)
	if err != nil {
		return failed(cfg, err)
	}
	r.send(r.req.WithContext(ctx))
	return r.rec.Trace()
}

// failed is the record of a run that could not begin.
func failed(cfg *Config, err error) *trace.Trace {
	rec := trace.NewRecorder(trace.Head{Policy: cfg.Policy, Seed: cfg.Seed}, nil, cfg.Observe)
	rec.Observe(&engine.Event{Kind: engine.EventStart, Policy: &cfg.Policy})
	rec.Observe(&engine.Event{Kind: engine.EventDone, Policy: &cfg.Policy, Err: err, Report: engine.Report{Result: engine.ResultFailed}})
	return rec.Trace()
}
