package sim

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Stat is a figure over several seeds: its mean and the standard error of that, 0 where there is one seed only.
type Stat struct {
	Mean, SE float64
	N        int
}

func statOf(xs []float64) Stat {
	s := Stat{N: len(xs)}
	if s.N == 0 {
		return s
	}
	for _, x := range xs {
		s.Mean += x
	}
	s.Mean /= float64(s.N)
	if s.N < 2 {
		return s
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - s.Mean) * (x - s.Mean)
	}
	s.SE = math.Sqrt(sum / float64(s.N-1) / float64(s.N))
	return s
}

// Quantiles are those of the time to success that a Summary has.
func Quantiles() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999} }

// Summary is a fleet over some seeds.
type Summary struct {
	Config Config
	// First is the run of the first seed, whole.
	First *Result
	// Seeds is how many runs came to their end; Asked how many were asked for.
	Seeds, Asked int
	// Sent, Calls and Useful are counts of a run; Amplification is Sent over Calls, Success the share of the ended calls
	// that succeeded, Wasted the share of the served ones that nobody wanted, Peak the most attempts sent in a whole second.
	Sent, Calls, Useful, Amplification, Success, Wasted, Peak Stat
	// Times are the Quantiles of the time to success, in seconds, over the runs in which a call succeeded.
	Times []Stat
	// Verdict, and in how many runs it recovered; Recover is the time to that in seconds, over those.
	Verdict   Verdict
	Recovered int
	Recover   Stat
	// Why is the verdict's reason in words.
	Why string
}

// Options say how Runs goes about it. None of them changes a figure.
type Options struct {
	// Cores is how many runs are made at the same time, 0 for as many as there are cores.
	Cores int
	// Progress is told the share done, from several goroutines; nil for nobody.
	Progress func(share float64)
	// NoProbe leaves out the run with a heavier trouble: nothing is then called vulnerable for it.
	NoProbe bool
}

// stride is how many events a run makes before it looks up.
const stride = 1 << 16

// Runs simulates a fleet with so many seeds, from Config.Seed on. It ends early, with what was finished, when ctx does;
// then Seeds is below Asked, and the error is ctx's. Results do not depend on the number of cores.
func Runs(ctx context.Context, cfg Config, seeds int, o Options) (*Summary, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Bucket == 0 {
		cfg.Bucket = DefaultBucket
	}
	w := runs{cfg: cfg, heavy: cfg.heavier(), all: make([]*Result, max(seeds, 1)), progress: o.Progress}
	jobs := len(w.all)
	if cfg.Load.Kind != Herd && !o.NoProbe {
		jobs++
	}
	w.parts = make([]atomic.Uint64, jobs)
	cores := o.Cores
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(cores, jobs) {
		wg.Go(func() { w.work(ctx) })
	}
	wg.Wait()
	s := summarize(&cfg, w.all)
	s.judge(&cfg, &w.heavy, w.all, w.probed)
	return s, ctx.Err()
}

// runs is what the goroutines of Runs have in common.
type runs struct {
	cfg, heavy Config
	all        []*Result // by seed: each is written by one goroutine
	probed     *Result   // the run of the heavier trouble
	progress   func(float64)
	next       atomic.Int64
	parts      []atomic.Uint64 // each run's share done, in units of 2⁻³²
	mu         sync.Mutex
}

// work makes runs as long as there are any.
func (w *runs) work(ctx context.Context) {
	for i := int(w.next.Add(1)) - 1; i < len(w.parts); i = int(w.next.Add(1)) - 1 {
		if i == len(w.all) {
			w.probed = w.run(ctx, w.heavy, i)
			continue
		}
		c := w.cfg
		c.Seed += uint64(i)
		w.all[i] = w.run(ctx, c, i)
		if r := w.all[i]; r != nil && i > 0 {
			r.Heat = nil // only the first is shown whole
		}
	}
}

// run makes one run to its end, or is nil where ctx ended before.
func (w *runs) run(ctx context.Context, c Config, i int) *Result {
	f, err := NewFleet(c)
	if err != nil {
		return nil
	}
	for !f.Step(stride) {
		if ctx.Err() != nil {
			return nil
		}
		w.tell(i, f.Share())
	}
	w.tell(i, 1)
	return f.Result()
}

func (w *runs) tell(i int, share float64) {
	if w.progress == nil {
		return
	}
	w.parts[i].Store(uint64(share * (1 << 32)))
	sum := 0.0
	for j := range w.parts {
		sum += float64(w.parts[j].Load()) / (1 << 32)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.progress(sum / float64(len(w.parts)))
}

// Share is how much of the run is done, from 0 to 1: by ended calls for a herd, by time for the others.
func (f *Fleet) Share() float64 {
	if f.done {
		return 1
	}
	byTime := float64(f.now) / float64(f.horizon)
	if f.cfg.Load.Kind != Herd {
		return byTime
	}
	return max(byTime, 1-float64(f.calls)/float64(f.cfg.Load.Clients))
}

func summarize(cfg *Config, all []*Result) *Summary {
	s := &Summary{Config: *cfg, Asked: len(all), First: all[0]}
	var sent, calls, useful, amp, success, wasted, peak []float64
	times := make([][]float64, len(Quantiles()))
	for _, r := range all {
		if r == nil {
			continue
		}
		s.Seeds++
		sent = append(sent, float64(r.Total.Sent()))
		calls = append(calls, float64(r.Total.Begun))
		useful = append(useful, float64(r.Total.Useful))
		amp = append(amp, r.Amplification())
		success = append(success, r.Success())
		wasted = append(wasted, r.Wasted())
		p, _ := r.Peak()
		peak = append(peak, p)
		if r.Times.Count() == 0 {
			continue
		}
		for i, q := range Quantiles() {
			times[i] = append(times[i], r.Times.Quantile(q).Seconds())
		}
	}
	s.Sent, s.Calls, s.Useful = statOf(sent), statOf(calls), statOf(useful)
	s.Amplification, s.Success, s.Wasted, s.Peak = statOf(amp), statOf(success), statOf(wasted), statOf(peak)
	for i := range times {
		s.Times = append(s.Times, statOf(times[i]))
	}
	return s
}

// judge gives the verdict over all runs.
func (s *Summary) judge(cfg, heavy *Config, all []*Result, probed *Result) {
	var after []float64
	for _, r := range all {
		if r == nil {
			continue
		}
		if d, ok := Recovered(cfg, r); ok {
			after = append(after, d.Seconds())
		}
	}
	s.Recovered, s.Recover = len(after), statOf(after)
	switch {
	case s.Recovered == 0:
		s.Verdict, s.Why = Stuck, stuckWords(cfg)
	case s.Recovered < s.Seeds:
		s.Verdict, s.Why = Vulnerable, "some seeds recover and some do not"
	case probed != nil:
		if _, ok := Recovered(heavy, probed); !ok {
			s.Verdict, s.Why = Vulnerable, "a trouble four times as long is not recovered from"
		}
	}
}

func stuckWords(cfg *Config) string {
	rate := 0.0
	if cfg.Load.Kind == Open {
		rate = cfg.Load.Rate[len(cfg.Load.Rate)-1].Rate
	}
	if c := cfg.Server.Capacity(); c > 0 && rate > c {
		return "more calls come than the server can serve"
	}
	if cfg.Load.Kind == Herd {
		return "calls are still under way at the end"
	}
	return "the trouble is over, but its own retries keep the server busy"
}
