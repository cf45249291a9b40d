package sim

import "math"

// stages is how operations come from one retry to the next. Its shares are of all operations.
type stages interface {
	begin(e *exactLane)
	// reach is the share that sends retry j (0: the first attempt); above the last retry the share whose last attempt fails.
	reach(j int) float64
	// fired is the share that sends retry j, from 1, at or before t.
	fired(j int, t float64) float64
	// succeeded is the share that succeeds at retry j at or before t.
	succeeded(j int, t float64) float64
	// sent are the share, the sum of the times and of their squares of what sends retry j, the times counted from ref;
	// moments those of what succeeds at it, and exhausted those of what is given up after it, as the last.
	ref() float64
	sent(j int) [3]float64
	moments(j int) [3]float64
	exhausted(j int) [3]float64
	// given is the share that is given up after retry j, the last, with a total wait at or before t.
	given(j int, t float64) float64
	// span is the least and the greatest time at which retry j succeeds, and at which it is sent.
	span(j int, success bool) (lo, hi float64)
}

// failingStages is the law of attempts that fail independently: how long an operation waited says nothing about what comes.
type failingStages struct {
	p float64
	e *exactLane
}

func (s *failingStages) ref() float64 { return 0 }

func (s *failingStages) begin(e *exactLane)  { s.e = e }
func (s *failingStages) reach(j int) float64 { return math.Pow(s.p, float64(j)) }

func (s *failingStages) fired(j int, t float64) float64 {
	return s.reach(j) * s.e.sums[j].excess(0, t)
}

func (s *failingStages) succeeded(j int, t float64) float64 { return (1 - s.p) * s.fired(j, t) }

func (s *failingStages) given(j int, t float64) float64 { return s.p * s.fired(j, t) }

func (s *failingStages) sent(j int) [3]float64 { return s.all(j, s.reach(j)) }

func (s *failingStages) moments(j int) [3]float64 { return s.all(j, (1-s.p)*s.reach(j)) }

func (s *failingStages) exhausted(j int) [3]float64 { return s.all(j, s.reach(j+1)) }

func (s *failingStages) all(j int, share float64) [3]float64 {
	sum := s.e.sums[j]
	mean := sum.mean()
	return [3]float64{share, share * mean, share * (mean*mean + sum.variance())}
}

func (s *failingStages) span(j int, _ bool) (lo, hi float64) { return s.e.sums[j].span() }

// outageStages is the law of a server that is down from the start up to a moment: an attempt fails if, and only if, it is
// sent before that.
type outageStages struct {
	down  float64
	e     *exactLane
	known []early
}

// early is what is asked of a sum again and again: P(T < down) and E[(down - T)₊].
type early struct{ share, left float64 }

func (s *outageStages) early(j int) early {
	for len(s.known) <= j {
		sum := s.e.sums[len(s.known)]
		s.known = append(s.known, early{sum.below(s.down), sum.excess(1, s.down)})
	}
	return s.known[j]
}

func (s *outageStages) begin(e *exactLane) { s.e = e }

func (s *outageStages) reach(j int) float64 {
	if j == 0 {
		return 1
	}
	return s.early(j - 1).share
}

// fired is P(T of the retry before < down, T of this one <= t): the wait between is independent of what came before. Of
// smooth draws the points are independent, and the earlier is never above the later.
func (s *outageStages) fired(j int, t float64) float64 {
	before, was := s.e.sums[j-1], s.early(j-1)
	if s.e.smooth {
		return was.share * s.e.sums[j].excess(0, t)
	}
	lo, hi := s.e.lo[j-1], s.e.hi[j-1]
	if hi <= lo {
		if t-lo >= s.down {
			return was.share
		}
		return before.excess(0, t-lo)
	}
	short := func(t float64) float64 { // E[(t - T)₊; T < down]
		if t <= s.down {
			return before.excess(1, t)
		}
		return (t-s.down)*was.share + was.left
	}
	return (short(t-lo) - short(t-hi)) / (hi - lo)
}

func (s *outageStages) succeeded(j int, t float64) float64 {
	if j == 0 || t < s.down {
		return 0
	}
	return max(s.fired(j, t)-s.early(j).share, 0)
}

func (s *outageStages) given(j int, t float64) float64 {
	if t >= s.down {
		return s.early(j).share
	}
	return s.e.sums[j].excess(0, t)
}

func (s *outageStages) exhausted(j int) [3]float64 { return s.before(j) }

// ref is the end of the outage, or the latest that is sent: about 0 what is much shorter than an outage would be lost in its
// square.
func (s *outageStages) ref() float64 {
	_, hi := s.e.sums[s.e.last()].span()
	return min(s.down, hi)
}

// before are those of what sends retry j before the end of the outage, if all were to.
func (s *outageStages) before(j int) [3]float64 {
	sum := s.e.sums[j]
	if _, hi := sum.span(); hi < s.down || j == 0 {
		return s.of(sum)
	}
	return [3]float64{s.early(j).share, -s.early(j).left, 2 * sum.excess(2, s.down)}
}

// of are those of a whole sum.
func (s *outageStages) of(sum waitSum) [3]float64 {
	mean := sum.mean() - s.ref()
	return [3]float64{1, mean, mean*mean + sum.variance()}
}

// moments are those of what sends the retry at all, less those of what sends it too early.
func (s *outageStages) moments(j int) [3]float64 {
	if j == 0 {
		return [3]float64{}
	}
	sent, early := s.sent(j), s.before(j)
	return [3]float64{sent[0] - early[0], sent[1] - early[1], sent[2] - early[2]}
}

func (s *outageStages) sent(j int) [3]float64 {
	was := s.before(j - 1)
	if s.e.smooth {
		all := s.of(s.e.sums[j])
		return [3]float64{was[0], was[0] * all[1], was[0] * all[2]}
	}
	lo, hi := s.e.lo[j-1], s.e.hi[j-1]
	mean, square := (lo+hi)/2, (lo*lo+lo*hi+hi*hi)/3
	return [3]float64{was[0], was[1] + mean*was[0], was[2] + 2*mean*was[1] + square*was[0]}
}

func (s *outageStages) span(j int, success bool) (lo, hi float64) {
	lo, hi = s.e.sums[j].span()
	if j > 0 {
		_, reached := s.e.sums[j-1].span()
		if s.e.smooth {
			return s.clip(lo, success), hi
		}
		hi = min(hi, min(reached, s.down)+s.e.hi[j-1])
	}
	return s.clip(lo, success), hi
}

func (s *outageStages) clip(lo float64, success bool) float64 {
	if success {
		return max(lo, s.down)
	}
	return lo
}
