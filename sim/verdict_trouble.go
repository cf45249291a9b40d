package sim

import (
	"time"
)

// troubleEnd is when all that is wrong is over: the faults, and, of a stream, the last time at which more came than the
// server can serve, where it is less from then on. 0 where nothing is wrong, or where it never ends.
func (c *Config) troubleEnd() time.Duration {
	return max(c.faultsEnd(), c.spikeEnd())
}

// spikeEnd is when the rate of a stream falls to the capacity for good; 0 where it never was above, or never falls.
func (c *Config) spikeEnd() time.Duration {
	limit, points := c.Server.Capacity(), c.Load.Rate
	if c.Load.Kind != Open || limit == 0 || points[len(points)-1].Rate > limit {
		return 0
	}
	for i := len(points) - 2; i >= 0; i-- {
		a, b := points[i], points[i+1]
		if a.Rate > limit {
			return a.At + time.Duration(float64(b.At-a.At)*(a.Rate-limit)/(a.Rate-b.Rate))
		}
	}
	return 0
}

// troubleBegin is when the first fault begins, or a stream first has a rate above the capacity; engine.Forever where none
// of them ever does.
func (c *Config) troubleBegin() time.Duration {
	begin := c.faultsBegin()
	limit, points := c.Server.Capacity(), c.Load.Rate
	if c.spikeEnd() == 0 {
		return begin
	}
	for i, b := range points {
		switch {
		case b.Rate <= limit:
		case i == 0 || points[i-1].Rate > limit:
			return min(begin, b.At)
		default:
			a := points[i-1]
			return min(begin, a.At+time.Duration(float64(b.At-a.At)*(limit-a.Rate)/(b.Rate-a.Rate)))
		}
	}
	return begin
}

// The heavier trouble: how many times as long, and, where there is no fault, how much slower the server is made and for
// which part of the run.
const (
	heavierTimes = 4
	heavierSlow  = 20
	heavierPart  = 10
)

// heavier is the same fleet with a trouble of the same kind four times as long, and four times the time to get over it;
// where there is no fault, with a server of a twentieth of its speed for a tenth of the time. It is what tells a fleet
// that recovers from one that was lucky. ok is false where there is none: for a herd, and where the run would be too long.
func (c *Config) heavier() (h Config, ok bool) {
	h = *c
	end, begin := c.faultsEnd(), c.faultsBegin()
	if c.Load.Kind == Herd || end > c.Horizon || c.Horizon > MaxHorizon/(2*heavierTimes) {
		return h, false
	}
	h.Faults = nil
	for _, f := range c.Faults {
		length := f.To - f.From
		f.From = begin + heavierTimes*(f.From-begin)
		f.To = f.From + heavierTimes*length
		h.Faults = append(h.Faults, f)
	}
	if len(c.Faults) == 0 {
		h.Faults = []Fault{{Kind: SlowDown, To: max(c.Horizon/heavierPart, time.Nanosecond), Amount: heavierSlow}}
	}
	h.Horizon = h.faultsEnd() + heavierTimes*max(c.Horizon-end, time.Second)
	h.Bucket = 0
	h.Bucket = max(c.Bucket, h.bucket())
	return h, true
}

// bucket is the width of a time bucket: what is said, or 100ms, or wider where a run has too many of those.
func (c *Config) bucket() time.Duration {
	if c.Bucket > 0 {
		return c.Bucket
	}
	return FitBucket(c.Horizon)
}

// FitBucket is the width of a time bucket where none is said, for a run of so long: 100ms, or in a long one the whole
// milliseconds that make at most MaxBuckets.
func FitBucket(horizon time.Duration) time.Duration {
	if horizon <= 0 {
		horizon = maxHerd
	}
	return max(DefaultBucket, (horizon/MaxBuckets + time.Millisecond).Truncate(time.Millisecond))
}

// fineBucket is the width of the buckets in which a run is watched where what is asked for is wider than a second, and how
// many of them are one of those: what a run comes to does not depend on how often one looks. It is never wider than asked.
func (c *Config) fineBucket() (width time.Duration, joined int) {
	asked := c.bucket()
	n := (asked + time.Second - 1) / time.Second
	if n <= 1 || asked%n != 0 || c.longest()/(asked/n) > MaxBuckets {
		return asked, 1
	}
	return asked / n, int(n)
}
