package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// rare is the share below which what is told of those few would have no digits left.
const rare = 1e-7

func exactFigure(x float64) DistFigure {
	return DistFigure{Value: min(max(x, 0), math.Inf(1)), How: DistExact}
}

// lane is all figures in closed form.
func (e *exactLane) lane(deadline time.Duration) DistLane {
	n := e.last()
	failed := e.law.reach(n + 1)
	l := DistLane{How: DistExact, Success: exactFigure(1 - failed)}
	l.Within, l.WaitWithin = l.Success, exactFigure(1)
	if deadline > 0 {
		l.Within, l.WaitWithin = exactFigure(e.successes(nanoseconds(deadline))), exactFigure(e.waited(nanoseconds(deadline)))
	}
	attempts := 0.0
	for j := range n + 1 {
		reached, next := e.law.reach(j), e.law.reach(j+1)
		attempts += reached
		if j == n {
			next = 0
		}
		l.Counts = append(l.Counts, exactFigure(reached-next))
	}
	l.Attempts = exactFigure(attempts)
	l.Wait, l.Time = e.waitSpread(), e.timeSpread()
	for j := 1; j <= min(n, MaxDistRetries) && e.law.reach(j) > rare; j++ {
		l.Retries = append(l.Retries, e.retry(j))
	}
	if l.Success.Value > 0 {
		l.Ends = append(l.Ends, DistEnd{Result: engine.ResultSucceeded, Share: l.Success})
	}
	if failed >= nothing {
		l.Ends = append(l.Ends, DistEnd{Result: engine.ResultFailed, Reason: e.end.Reason, Share: exactFigure(failed)})
	}
	return l
}

// successes is the share that succeeds at or before t.
func (e *exactLane) successes(t float64) float64 {
	sum := 0.0
	for j := range e.sums {
		sum += e.law.succeeded(j, t)
	}
	return min(sum, 1)
}

// waited is the share whose total wait is t or less. Answers take no time, so that a success comes when the waits are over.
func (e *exactLane) waited(t float64) float64 { return min(e.successes(t)+e.law.given(e.last(), t), 1) }

func (e *exactLane) waitSpread() DistSpread {
	n := e.last()
	all, lo, hi := e.law.exhausted(n), math.Inf(1), 0.0
	if all[0] > 0 {
		lo, hi = e.sums[n].span()
		if o, ok := e.law.(*outageStages); ok {
			hi = min(hi, o.down)
		}
	}
	return e.spread(all, lo, hi, e.waited)
}

func (e *exactLane) timeSpread() DistSpread {
	return e.spread([3]float64{}, math.Inf(1), 0, e.successes)
}

// spread adds up what succeeds at each retry with what is there already.
func (e *exactLane) spread(all [3]float64, lo, hi float64, cdf func(float64) float64) DistSpread {
	for j := range e.sums {
		m := e.law.moments(j)
		if m[0] < nothing {
			continue
		}
		for i := range all {
			all[i] += m[i]
		}
		from, to := e.law.span(j, true)
		lo, hi = min(lo, from), max(hi, to)
	}
	return exactSpread(all, e.law.ref(), lo, hi, cdf)
}

// retry is when retry j is sent, by those who send it.
func (e *exactLane) retry(j int) DistRetry {
	lo, hi := e.law.span(j, false)
	at := exactSpread(e.law.sent(j), e.law.ref(), lo, hi, func(t float64) float64 { return e.law.fired(j, t) })
	return DistRetry{Number: j, Sent: exactFigure(e.law.reach(j)), At: at}
}

// exactSpread is the law of a share of all: its moments about ref, its span, and how much of it lies at or below a time.
func exactSpread(all [3]float64, ref, lo, hi float64, below func(float64) float64) DistSpread {
	share := all[0]
	if share < rare {
		return DistSpread{None: true, How: DistExact}
	}
	cdf := func(t float64) float64 {
		if t >= hi {
			return 1
		}
		return min(below(t)/share, 1)
	}
	mean, square := all[1]/share, all[2]/share
	variance := square - mean*mean
	if variance < 4e-15*square { // no more than the rounding
		variance = 0
	}
	s := DistSpread{
		How: DistExact, Mean: duration(ref + mean), SD: duration(math.Sqrt(variance)),
		Min: duration(lo), Max: duration(hi), cdf: cdf,
	}
	for i, q := range DistShares {
		s.Q[i] = duration(quantile(cdf, lo, hi, q))
	}
	return s
}

// quantile is the smallest time whose share is q or more, to a quarter of a nanosecond. It closes in by T. R. Chandrupatla's
// method (1997): by an inverse parabola where that gets nearer, by halves where the share jumps.
func quantile(cdf func(float64) float64, lo, hi, q float64) float64 {
	hair := 1e-12 * q // shares that are q up to rounding are q
	f := func(t float64) float64 { return cdf(t) - q + hair }
	a, b := hi, lo
	fa, fb := f(a), f(b)
	if fb >= 0 || fa < 0 {
		return b
	}
	step := 0.5
	for range 200 {
		x := a + step*(b-a)
		fx := f(x)
		var c, fc float64
		if (fx >= 0) == (fa >= 0) {
			c, fc = a, fa
		} else {
			c, b, fc, fb = b, a, fb, fa
		}
		a, fa = x, fx
		width := math.Abs(b - a)
		if width <= max(0.25, 1e-15*math.Abs(a)) {
			break
		}
		step = 0.5
		xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			step = fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
		}
		edge := 0.1 / width
		step = min(max(step, edge), 1-edge)
	}
	if fa >= 0 {
		return a
	}
	return b
}
