package sim

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Quantiles are those of the time to success that a Summary has.
func Quantiles() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999} }

// Summary is a fleet over some seeds.
type Summary struct {
	Config Config
	// First is the run of the first seed, whole.
	First *Result
	// Seeds is how many runs came to their end; Asked how many were asked for.
	Seeds, Asked int
	// Sent, Calls and Useful are counts of a run, Unfinished the calls under way at its end. Amplification is Sent over
	// Calls, Success the share of the ended calls that succeeded, Wasted the share of the served ones that nobody wanted,
	// each over the runs in which there is any to be a share of. Peak is the most attempts sent in a whole second.
	Sent, Calls, Useful, Unfinished, Amplification, Success, Wasted, Peak Stat
	// Times are the Quantiles of the time to success, in seconds, over the runs in which a call succeeded.
	Times []Stat
	// Verdict, and in how many runs it recovered; Recover is the time to that in seconds, over those, without any where there
	// was no trouble.
	Verdict   Verdict
	Recovered int
	Recover   Stat
	// Why is the verdict's reason in words, "" where it is plain.
	Why string
	// Drained is when the queue is empty of a fleet of which there is no more to know than that, at the rate at which it
	// shrinks: beyond the end of the run. 0 for any other. Of several runs it is the latest.
	Drained time.Duration
	// Cut says why runs were ended before their end, "" where none was: they would have taken all memory, or for ever.
	Cut string
	// Steady is what goes on in the long run.
	Steady Steady
}

// Steady are figures of the steady part of a run: the second half of what is left after the trouble. Of a herd, and of a
// run that its trouble outlasts, they are those of the whole run.
type Steady struct {
	// Goodput is calls that succeed in a second; the others are as in Summary.
	Goodput, Amplification, Success, Wasted Stat
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

// Runs simulates a fleet with so many seeds, from Config.Seed on. It ends at once, with what was finished, when ctx does;
// then Seeds is below Asked, and the error is ctx's. A panic in a run, or of Progress, ends all of them likewise: the error
// is a *engine.PanicError with the stack. Results do not depend on the number of cores.
func Runs(ctx context.Context, cfg Config, seeds int, o Options) (*Summary, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.Bucket = cfg.bucket()
	fine := cfg
	var wide int
	fine.Bucket, wide = cfg.fineBucket()
	w := runs{cfg: fine, wide: wide, limits: newLimits(), all: make([]*digest, max(seeds, 1)), progress: o.Progress}
	jobs := len(w.all)
	if heavy, ok := cfg.heavier(); ok && !o.NoProbe {
		w.heavy = heavy
		w.heavy.Bucket, _ = heavy.fineBucket()
		jobs++
	}
	w.parts = make([]atomic.Uint64, jobs)
	ctx, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	cores := o.Cores
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(cores, jobs) {
		wg.Go(func() {
			defer stopAt(w.stop)
			w.work(ctx)
		})
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-ctx.Done(): // a run in the middle of a step of millions of calls is not waited for
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	s := summarize(&cfg, w.all)
	s.First = w.first
	s.judge(&cfg, w.all, w.probed)
	return s, endOf(ctx, s.Seeds == s.Asked && (jobs == s.Asked || w.probed != nil))
}

// stopAt is deferred in a goroutine: a panic there, which nobody else could recover, ends all of them with itself as the
// cause.
func stopAt(stop context.CancelCauseFunc) {
	if v := recover(); v != nil {
		stop(&engine.PanicError{Value: v, Stack: debug.Stack()})
	}
}

// endOf is the error of what was done in several goroutines: a panic in one of them, else, where not all was done, ctx's.
func endOf(ctx context.Context, all bool) error {
	var panicked *engine.PanicError
	switch {
	case errors.As(context.Cause(ctx), &panicked):
		return panicked
	case all:
		return nil
	default:
		return ctx.Err()
	}
}

// runs is what the goroutines of Runs have in common.
type runs struct {
	cfg, heavy Config
	wide       int // buckets of a run that are one of the result
	progress   func(float64)
	stop       context.CancelCauseFunc
	limits     limits // of each run
	next       atomic.Int64
	parts      []atomic.Uint64 // each run's share done, in units of 2⁻³²

	mu     sync.Mutex
	closed bool      // Runs has returned: nothing is told or noted any more
	all    []*digest // by seed
	first  *Result   // of the first seed, the only one that is kept whole
	probed *digest   // of the heavier trouble
}

// work makes runs as long as there are any.
func (w *runs) work(ctx context.Context) {
	for i := int(w.next.Add(1)) - 1; i < len(w.parts); i = int(w.next.Add(1)) - 1 {
		c, probe := w.cfg, i == len(w.all)
		if probe {
			c = w.heavy
		} else {
			c.Seed += uint64(i)
		}
		r, cut := w.run(ctx, c, i)
		if r == nil {
			return
		}
		d := digestOf(&c, r, cut)
		w.mu.Lock()
		switch {
		case w.closed:
		case probe:
			w.probed = d
		default:
			w.all[i] = d
			if i == 0 {
				w.first = r.joined(w.wide)
			}
		}
		w.mu.Unlock()
	}
}

// run makes one run to its end, or is nil where ctx ended before. A run that would take more memory or time than there is
// ends early: cut says why.
func (w *runs) run(ctx context.Context, c Config, i int) (r *Result, cut string) {
	if ctx.Err() != nil {
		return nil, ""
	}
	f, err := NewFleet(c)
	if err != nil {
		return nil, ""
	}
	at := w.limits
	for !f.Step(stride) {
		if ctx.Err() != nil {
			return nil, ""
		}
		if cut = at.exceeded(f); cut != "" {
			break
		}
		w.tell(i, f.Share())
	}
	w.tell(i, 1)
	return f.Result(), cut
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
	if w.closed {
		return
	}
	w.progress(sum / float64(len(w.parts)))
}
