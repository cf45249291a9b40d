package sim

import (
	"time"
)

// Verdict is what becomes of a fleet after the trouble is over.
type Verdict uint8

// The verdicts.
const (
	// Unknown: the run ends too early to tell: before the trouble does, or while the fleet still works off what it left.
	Unknown Verdict = iota
	// Recovers: calls succeed again as before the trouble, or there was none.
	Recovers
	// Vulnerable: it recovered this time, but not with every seed, or not from a heavier trouble of the same kind.
	Vulnerable
	// Stuck: the trouble is over and the fleet is not, and nothing gets better: its own retries keep it down, or more calls
	// come than can be served.
	Stuck
	// GivesUp: a herd that is over because its calls are: most of them failed. Of calls that keep coming it is never said.
	GivesUp
)

// String is unknown, recovers, vulnerable, stuck or gives up.
func (v Verdict) String() string {
	switch v {
	case Recovers:
		return "recovers"
	case Vulnerable:
		return "vulnerable"
	case Stuck:
		return "stuck"
	case GivesUp:
		return "gives up"
	case Unknown:
		return "unknown"
	default:
		return "unknown"
	}
}

// Well tells whether a single run with this verdict came back to health, as far as its calls did not end before.
func (v Verdict) Well() bool { return v == Recovers || v == GivesUp }

// mostSucceed is the share of its calls below which a herd is said to give up.
const mostSucceed = 0.5

// Outcome is what one run came to.
type Outcome struct {
	// Verdict is never Vulnerable: that takes more than one run.
	Verdict Verdict
	// After is the time from the end of the trouble to the first second from which on all are healthy; of a herd to the end
	// of its last call. It is 0 where there was no trouble (Trouble is false), and where the Verdict is not Well.
	After   time.Duration
	Trouble bool
	// Drained is when the queue is empty at the rate at which it shrinks, for an Unknown that is nothing else; 0 for others.
	Drained time.Duration
	// Why is the reason in words, "" where it is plain.
	Why string
}

// Judge is what a run of cfg came to. A second is healthy where nearly as large a share of its calls succeed as before the
// trouble, and not many more are under way. How wide the buckets of the run are does not matter up to a second.
func Judge(cfg *Config, r *Result) Outcome {
	o := Outcome{Trouble: cfg.troubleEnd() > 0 || len(cfg.Faults) > 0}
	switch {
	case cfg.Load.Kind == Herd:
		o.herd(cfg, r)
	case len(cfg.Faults) > 0 && cfg.faultsBegin() >= r.End:
		o.Why = "the trouble begins after the end of the run; a longer horizon shows what it does"
	case cfg.troubleEnd() >= r.End && o.Trouble:
		o.Why = lastsToTheEnd
	case r.Total.Begun == 0:
		o.Verdict, o.Why = Recovers, "no call comes"
	default:
		o.stream(cfg, r)
	}
	return o
}

const lastsToTheEnd = "the trouble lasts until the end of the run; a longer horizon shows what comes after"

// herd judges a run in which nobody comes later.
func (o *Outcome) herd(cfg *Config, r *Result) {
	end := cfg.troubleEnd()
	left := r.Unfinished
	switch {
	case r.Total.Begun < int64(cfg.Load.Clients):
		o.Why = "not all clients have begun at the end; a longer horizon shows what becomes of them"
	case left == 0:
		o.Verdict, o.After = Recovers, max(r.Last-end, 0)
		if r.Total.Failed > 0 {
			o.Why = herdWords(cfg, r)
		}
		if r.Success() < mostSucceed {
			o.Verdict = GivesUp
		}
	case r.Over && r.End < cfg.longest(): // nothing is left to happen
		o.Verdict, o.Why = Stuck, share3(left, r.Total.Begun)+" of the calls wait for an answer that never comes, and have no timeout"
	case end >= r.End:
		o.Why = lastsToTheEnd
	case r.Total.Useful == 0:
		o.Verdict, o.Why = Stuck, "no call succeeds, with the trouble or without"
	default:
		o.Why = "calls are still under way at the end; a longer horizon shows when the last of them is done"
	}
}

// longest is when a run is ended that has not come to its end by itself.
func (c *Config) longest() time.Duration {
	if c.Load.Kind == Herd && c.Horizon <= 0 {
		return maxHerd
	}
	return c.Horizon
}

// stream judges a run in which calls keep coming, and whose trouble, if there was one, is over.
func (o *Outcome) stream(cfg *Config, r *Result) {
	last := lastPart(cfg, r, 10)
	switch {
	case r.Total.Useful == 0 && r.Total.Failed+r.Total.TimedOut > 0:
		o.Verdict, o.Why = Stuck, "no call succeeds, with the trouble or without"
	case overloaded(cfg, r, &last):
		o.Verdict, o.Why = Stuck, "more calls come than the server can serve"
	case !o.Trouble:
		o.Verdict = Recovers
		if part := lastPart(cfg, r, 2); collapsed(&part) {
			o.Verdict, o.Why = Stuck, busyWith(&part)
		}
	default:
		if after, ok, why := cameBack(cfg, r); ok {
			o.Verdict, o.After, o.Why = Recovers, after, why
			return
		}
		o.notBack(cfg, r, &last)
	}
}

// overloaded tells whether more comes than can be served, and it shows: calls fail, or wait longer and longer.
func overloaded(cfg *Config, r *Result, last *Bucket) bool {
	limit := cfg.Server.Capacity()
	if limit == 0 || lastRate(cfg) <= limit {
		return false
	}
	return failing(last) || cfg.Load.Kind == Open && trendOf(cfg, r) > 0
}

// failing tells whether not even nine of ten calls succeed.
func failing(b *Bucket) bool { return float64(b.Useful) < healthyShare*float64(b.Useful+b.Failed) }

// endless tells whether all that is sent is served, sooner or later.
func endless(cfg *Config) bool {
	s := &cfg.Server
	return s.Queue == Endless && s.Workers > 0 && cfg.Load.Kind == Open && !s.Cancel && !s.DropExpired
}

// notBack says what keeps a run down whose trouble is over, and whether that ends.
func (o *Outcome) notBack(cfg *Config, r *Result, last *Bucket) {
	trend := trendOf(cfg, r)
	switch {
	case last.Held > last.First+last.Retries && cfg.Throttle.Kind == Breaker:
		o.Why = "the breaker still holds calls back; a longer horizon shows whether it recovers"
	case last.Held > last.First+last.Retries:
		o.Verdict, o.Why = Stuck, "the trouble is over, but the throttle still holds calls back"
	case trend < 0:
		o.Why, o.Drained = drainWords(cfg, r)
	case trend == 0 && endless(cfg):
		o.Why = "what waits neither grows nor shrinks by more than chance; a longer horizon shows whether it recovers"
	case r.Total.Retries > 0 && last.Retries > last.First/100:
		o.Verdict, o.Why = Stuck, "the trouble is over, but its own retries keep the server busy"
	case collapsed(last):
		o.Verdict, o.Why = Stuck, "the trouble is over, but "+busyWith(last)
	default:
		o.Verdict, o.Why = Stuck, "calls are not as well at the end as without the trouble"
	}
}

// collapsed tells whether most of what a server did was for calls that had given up, and many of them failed for it.
func collapsed(b *Bucket) bool {
	return 2*b.Late > b.Served && failing(b)
}

func busyWith(b *Bucket) string {
	if 100*b.Retries > b.First {
		return "its own retries keep the server busy"
	}
	return "the server works for calls that wait no longer"
}
