package sim

import (
	"math"
	"time"
)

// The measures of health: a span is healthy where this share of what used to succeed does, and where no more calls are
// under way than so many times the usual.
const (
	healthyShare = 0.9
	healthyCalls = 2
)

// health is how well calls are without a trouble: the share of them that succeeds, and how many are under way.
type health struct{ share, calls float64 }

// cameBack tells whether a run came back to health after its trouble, and after how long.
func cameBack(cfg *Config, r *Result) (after time.Duration, ok bool, why string) {
	end := cfg.troubleEnd()
	spans, span := seconds(r)
	usual := usualOf(cfg, spans, span)
	first := min(int((end+span-1)/span), len(spans))
	well := len(spans)
	for i := len(spans) - 1; i >= first && usual.well(&spans[i]); i-- {
		well = i
	}
	// The last spans have to be well: two at least, and more where a run is long.
	need := min(max(2, (len(spans)-first)/20), max(len(spans)-first, 1))
	if len(spans)-well >= need {
		return max(time.Duration(well)*span-end, 0), true, ""
	}
	for i := len(spans) - need; i < len(spans); i++ {
		if i < 0 || !usual.keepsUp(&spans[i]) {
			return 0, false, ""
		}
	}
	// What comes is served, and only calls of the trouble itself are still under way: it takes as long as the run at least.
	return max(r.End-end, 0), true, "new calls are served; those of the trouble are still under way at the end"
}

// seconds are the buckets of a run, joined to whole spans of a second, or as they are where they are wider.
func seconds(r *Result) (spans []Bucket, span time.Duration) {
	n := max(int(time.Second/r.Width), 1)
	spans = Join(r.Buckets, n)
	if len(spans) > 1 && len(r.Buckets)%n != 0 {
		spans = spans[:len(spans)-1] // a part of a span is no measure
	}
	return spans, r.Width * time.Duration(n)
}

// usualOf is the health of a fleet before its trouble began; where that is too short to tell, of its twin to which none
// happens.
func usualOf(cfg *Config, spans []Bucket, span time.Duration) health {
	before := min(int(cfg.troubleBegin()/span), len(spans))
	h, ok := healthOf(spans[:before])
	if !ok {
		h = cfg.twin()
	}
	rate := 0.0
	for _, p := range cfg.Load.Rate {
		rate = max(rate, p.Rate)
	}
	if cfg.Load.Kind == Closed {
		rate = float64(cfg.Load.Clients) / (cfg.Load.Think + cfg.Server.Service + cfg.Latency).Seconds()
	}
	h.calls = max(h.calls, rate*(cfg.Server.Service+cfg.Latency).Seconds())
	return h
}

// healthOf is the health in some spans but the first, in which the fleet is still filling. ok is false where they are few.
func healthOf(spans []Bucket) (h health, ok bool) {
	if len(spans) < 3 {
		return h, false
	}
	var ended, good float64
	for _, b := range spans[1:] {
		ended += float64(b.Useful + b.Failed)
		good += float64(b.Useful)
		h.calls = max(h.calls, float64(b.Calls))
	}
	if ended < 20 {
		return h, false
	}
	h.share = good / ended
	return h, true
}

// The twin: for how long it runs at most, and how many events.
const (
	twinTime   = time.Minute
	twinEvents = 1 << 18
)

// twin is the health of the same fleet without faults, at the rate that it has in the end. Where not even that has calls
// enough to tell, all of them should succeed.
func (c *Config) twin() health {
	t := *c
	t.Faults, t.Horizon, t.Bucket = nil, min(c.Horizon, twinTime), time.Second
	if t.Load.Kind == Open {
		t.Load.Rate = []RatePoint{{Rate: lastRate(c)}}
	}
	if t.Horizon < 4*t.Bucket {
		t.Bucket = max(t.Horizon/4, time.Millisecond)
	}
	f, err := NewFleet(t)
	if err != nil {
		return health{share: 1}
	}
	for f.events < twinEvents && !f.Step(stride/4) {
		continue
	}
	b := f.Result().Buckets
	if !f.done {
		b = b[:len(b)-1]
	}
	h, ok := healthOf(b)
	if ok {
		if late, ok := healthOf(b[len(b)/2:]); ok {
			h.share = late.share
		}
		return h
	}
	h.share = 1
	return h
}

// well tells whether a span is healthy.
func (h health) well(b *Bucket) bool {
	ended := float64(b.Useful + b.Failed)
	// Few calls are a weak sign: allow for two standard deviations.
	slack := 2 * math.Sqrt(ended*h.share*(1-h.share))
	if float64(b.Useful) < healthyShare*h.share*ended-slack {
		return false
	}
	return float64(b.Calls) <= healthyCalls*h.calls+4*math.Sqrt(h.calls)+10
}

// keepsUp tells whether as many calls succeed in a span as begin in it.
func (h health) keepsUp(b *Bucket) bool {
	begun, ended := float64(b.Begun), float64(b.Useful+b.Failed)
	return float64(b.Useful) >= healthyShare*h.share*ended-2*math.Sqrt(ended*h.share*(1-h.share)) &&
		float64(b.Useful) >= healthyShare*h.share*begun-2*math.Sqrt(begun)
}
