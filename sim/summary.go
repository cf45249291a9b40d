package sim

import (
	"math"
	"slices"
)

// digest is what a Summary takes from a run. Thousands of runs are not kept whole.
type digest struct {
	sent, calls, useful, unfinished, peak float64
	amplification, success, wasted        float64 // NaN where there is nothing that they are shares of

	times   []float64 // the Quantiles of the time to success in seconds, nil where no call succeeded
	outcome Outcome
	steady  [4]float64
	cut     string
}

func digestOf(cfg *Config, r *Result, cut string) *digest {
	d := &digest{
		sent: float64(r.Total.Sent()), calls: float64(r.Total.Begun), useful: float64(r.Total.Useful), unfinished: float64(r.Unfinished),
		amplification: r.Total.amplification(), success: r.Total.success(), wasted: r.Total.wasted(), cut: cut, steady: steadyOf(cfg, r),
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

func summarize(cfg *Config, all []*digest) *Summary {
	s := &Summary{Config: *cfg, Asked: len(all)}
	all = slices.DeleteFunc(slices.Clone(all), func(d *digest) bool { return d == nil })
	s.Seeds = len(all)
	if i := slices.IndexFunc(all, func(d *digest) bool { return d.cut != "" }); i >= 0 {
		s.Cut = all[i].cut
	}
	stat := func(of func(*digest) float64) Stat {
		xs := make([]float64, 0, len(all))
		for _, d := range all {
			if x := of(d); !math.IsNaN(x) {
				xs = append(xs, x)
			}
		}
		return statOf(xs)
	}
	s.Sent = stat(func(d *digest) float64 { return d.sent })
	s.Calls = stat(func(d *digest) float64 { return d.calls })
	s.Useful = stat(func(d *digest) float64 { return d.useful })
	s.Unfinished = stat(func(d *digest) float64 { return d.unfinished })
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
			if d.times != nil {
				xs = append(xs, d.times[i])
			}
		}
		s.Times = append(s.Times, statOf(xs))
	}
	return s
}
