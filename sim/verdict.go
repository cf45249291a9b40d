package sim

import (
	"math"
	"time"
)

// Verdict is what becomes of a fleet after the trouble is over.
type Verdict uint8

// The verdicts.
const (
	// Recovers: calls succeed again as before the trouble.
	Recovers Verdict = iota
	// Vulnerable: it recovered this time, but not with every seed, or not from a heavier trouble of the same kind.
	Vulnerable
	// Stuck: the trouble is over and the fleet is not: its own retries keep it down, or a queue is still worked off.
	Stuck
	// GivesUp: a herd that is over because its calls are: most of them failed. Of calls that keep coming it is never said.
	GivesUp
)

// String is recovers, vulnerable, stuck or gives up.
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
	default:
		return "unknown"
	}
}

// VerdictOf is the verdict of one run: of a fleet, whether it Recovered, and the share of its ended calls that succeeded.
// Whether it is vulnerable takes more than one.
func VerdictOf(cfg *Config, recovered bool, success float64) Verdict {
	switch {
	case !recovered:
		return Stuck
	case cfg.Load.Kind == Herd && success < mostSucceed:
		return GivesUp
	default:
		return Recovers
	}
}

// mostSucceed is the share of its calls below which a herd is said to give up.
const mostSucceed = 0.5

// The measures of health: a span is healthy where this share of what used to succeed does, and where no more calls are
// under way than so many times the usual.
const (
	healthyShare = 0.9
	healthyCalls = 2
)

// Recovered tells whether a run came back to health after its trouble (the last fault, or a rate above the capacity), and
// after how long: the time from the trouble's end to the first span of a second from which on all are healthy. A herd has
// recovered with the end of its last call.
func Recovered(cfg *Config, r *Result) (after time.Duration, ok bool) {
	end := cfg.troubleEnd()
	if cfg.Load.Kind == Herd {
		return max(r.Last-end, 0), r.Unfinished == 0
	}
	if end > 0 && end >= r.End {
		return 0, false // it is not over
	}
	if r.Total.Useful == 0 && r.Total.Failed > 0 {
		return 0, false // there is no health to come back to
	}
	n := max(int(time.Second/r.Width), 1)
	span := r.Width * time.Duration(n)
	spans := Join(r.Buckets, n)
	if len(spans) > 1 && len(r.Buckets)%n != 0 {
		spans = spans[:len(spans)-1] // a part of a span is no measure
	}
	share, calls := usual(cfg, spans, span)
	first := min(int((end+span-1)/span), len(spans))
	well := len(spans)
	for i := len(spans) - 1; i >= first && healthy(&spans[i], share, calls); i-- {
		well = i
	}
	// The last spans have to be well: two at least, and more where a run is long.
	need := min(max(2, (len(spans)-first)/20), max(len(spans)-first, 1))
	if len(spans)-well >= need {
		return max(time.Duration(well)*span-end, 0), true
	}
	for i := len(spans) - need; i < len(spans); i++ {
		if i < 0 || !keepsUp(&spans[i], share) {
			return 0, false
		}
	}
	// What comes is served, and only calls of the trouble itself are still under way: it takes as long as the run at least.
	return max(r.End-end, 0), true
}

// keepsUp tells whether as many calls succeed in a span as begin in it.
func keepsUp(b *Bucket, share float64) bool {
	begun, ended := float64(b.Begun), float64(b.Useful+b.Failed)
	return float64(b.Useful) >= healthyShare*share*ended-2*math.Sqrt(ended*share*(1-share)) &&
		float64(b.Useful) >= healthyShare*share*begun-2*math.Sqrt(begun)
}

// usual is the share of calls that succeed and how many are under way without a fault: as they were before the first one,
// or as they would be on an idle server.
func usual(cfg *Config, spans []Bucket, span time.Duration) (share, calls float64) {
	share = 1 - math.Pow(cfg.Server.Fail, float64(min(cfg.Policy.Attempts, 1000)))
	rate := 0.0
	for _, p := range cfg.Load.Rate {
		rate = max(rate, p.Rate)
	}
	if cfg.Load.Kind == Closed {
		rate = float64(cfg.Load.Clients) / (cfg.Load.Think + cfg.Server.Service + cfg.Latency).Seconds()
	}
	calls = rate * (cfg.Server.Service + cfg.Latency).Seconds()
	before := int(cfg.faultsBegin() / span)
	if len(cfg.Faults) == 0 || before < 3 {
		return share, calls
	}
	var ended, good, under float64
	for _, b := range spans[1:min(before, len(spans))] { // the first is still filling
		ended += float64(b.Useful + b.Failed)
		good += float64(b.Useful)
		under = max(under, float64(b.Calls))
	}
	if ended < 20 {
		return share, calls
	}
	return good / ended, max(under, calls)
}

func healthy(b *Bucket, share, calls float64) bool {
	ended := float64(b.Useful + b.Failed)
	// Few calls are a weak sign: allow for two standard deviations.
	slack := 2 * math.Sqrt(ended*share*(1-share))
	if float64(b.Useful) < healthyShare*share*ended-slack {
		return false
	}
	return float64(b.Calls) <= healthyCalls*calls+4*math.Sqrt(calls)+10
}
