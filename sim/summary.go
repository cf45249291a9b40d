package sim

import (
	"math"
	"time"
)

// digest is what a Summary takes from a run. Thousands of runs are not kept whole.
type digest struct {
	sent, calls, useful, amplification, success, wasted, peak float64

	times   []float64 // the Quantiles of the time to success in seconds, nil where no call succeeded
	outcome Outcome
	steady  [4]float64
	cut     string
}

func digestOf(cfg *Config, r *Result, cut string) *digest {
	d := &digest{
		sent: float64(r.Total.Sent()), calls: float64(r.Total.Begun), useful: float64(r.Total.Useful),
		amplification: r.Amplification(), success: r.Success(), wasted: r.Wasted(), cut: cut, steady: steadyOf(cfg, r),
	}
	d.peak, _ = r.Peak()
	if r.Times.Count() > 0 {
		for _, q := range Quantiles() {
			d.times = append(d.times, r.Times.Quantile(q).Seconds())
		}
	}
	d.outcome = Judge(cfg, r)
	if cut != "" {
		d.outcome = Outcome{Trouble: d.outcome.Trouble, Why: cut}
	}
	return d
}

// steadyOf is goodput, amplification, success and wasted share of the steady part.
func steadyOf(cfg *Config, r *Result) [4]float64 {
	part := *r
	seconds := r.End.Seconds()
	if cfg.Load.Kind != Herd {
		end := min(cfg.troubleEnd(), r.End)
		from := min(int((end+(r.End-end)/2+r.Width-1)/r.Width), max(len(r.Buckets)-1, 0))
		part.Total = Bucket{}
		for i := from; i < len(r.Buckets); i++ {
			part.Total.flows(&r.Buckets[i])
		}
		seconds = (r.End - time.Duration(from)*r.Width).Seconds()
	}
	return [4]float64{float64(part.Total.Useful) / math.Max(seconds, 1e-9), part.Amplification(), part.Success(), part.Wasted()}
}

func summarize(cfg *Config, all []*digest) *Summary {
	s := &Summary{Config: *cfg, Asked: len(all)}
	stat := func(of func(*digest) float64) Stat {
		xs := make([]float64, 0, len(all))
		for _, d := range all {
			if d != nil {
				xs = append(xs, of(d))
			}
		}
		return statOf(xs)
	}
	for _, d := range all {
		if d != nil {
			s.Seeds++
			if s.Cut == "" {
				s.Cut = d.cut
			}
		}
	}
	s.Sent = stat(func(d *digest) float64 { return d.sent })
	s.Calls = stat(func(d *digest) float64 { return d.calls })
	s.Useful = stat(func(d *digest) float64 { return d.useful })
	s.Amplification = stat(func(d *digest) float64 { return d.amplification })
	s.Success = stat(func(d *digest) float64 { return d.success })
	s.Wasted = stat(func(d *digest) float64 { return d.wasted })
	s.Peak = stat(func(d *digest) float64 { return d.peak })
	for i, to := range []*Stat{&s.Steady.Goodput, &s.Steady.Amplification, &s.Steady.Success, &s.Steady.Wasted} {
		*to = stat(func(d *digest) float64 { return d.steady[i] })
	}
	for i := range Quantiles() {
		var xs []float64
		for _, d := range all {
			if d != nil && d.times != nil {
				xs = append(xs, d.times[i])
			}
		}
		s.Times = append(s.Times, statOf(xs))
	}
	return s
}
