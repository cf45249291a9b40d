package sim

import (
	"math"
	"time"
)

// steady notes what had happened before the steady part of a run began.
type steady struct {
	at     int64 // when it begins; past every end once it has
	before Bucket
}

// steadyFrom is when the second half begins of what is left of a run after its trouble. A herd has no such part, nor has a
// run that its trouble outlasts: there it is all of the run.
func (c *Config) steadyFrom() time.Duration {
	end := c.troubleEnd()
	if c.Load.Kind == Herd || end >= c.Horizon {
		return 0
	}
	return end + (c.Horizon-end)/2
}

// steadyOf is goodput, amplification, success and wasted share of the steady part; a share of nothing is NaN.
func steadyOf(cfg *Config, r *Result) [4]float64 {
	from := cfg.steadyFrom()
	if from > r.End { // it was cut
		from = 0
	}
	part := r.Total
	if from > 0 {
		part.less(&r.before)
	}
	seconds := (r.End - from).Seconds()
	return [4]float64{float64(part.Useful) / math.Max(seconds, 1e-9), part.amplification(), part.success(), part.wasted()}
}

// less takes away what happened before. Levels stay.
func (a *Bucket) less(b *Bucket) {
	a.First -= b.First
	a.Retries -= b.Retries
	a.Served -= b.Served
	a.Useful -= b.Useful
	a.Late -= b.Late
	a.Failed -= b.Failed
}

// ratio is NaN where there is nothing to be a share of.
func ratio(part, all int64) float64 {
	if all == 0 {
		return math.NaN()
	}
	return float64(part) / float64(all)
}

func (a *Bucket) amplification() float64 { return ratio(a.Sent(), a.First) }
func (a *Bucket) success() float64       { return ratio(a.Useful, a.Ended()) }
func (a *Bucket) wasted() float64        { return ratio(a.Late, a.Served) }
