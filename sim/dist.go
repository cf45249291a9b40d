package sim

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// DefaultDraws is how many operations are drawn where no number is given; MaxDraws is the most.
const (
	DefaultDraws = 20_000
	MaxDraws     = 100_000_000
)

// DistConfig is a policy and what it meets.
type DistConfig struct {
	Policy engine.Policy
	// Against is a second policy, to be held against the first on the same chance; nil for none.
	Against *engine.Policy
	// Source answers; AgainstSource answers the second policy, nil where Source does. (One script may read as two answers: a
	// policy says which headers it looks at.)
	Source, AgainstSource DistSource
	// Deadline is how long one would like to wait, 0 for no such wish. It is measured by and changes nothing: what ends an
	// operation is the policy's own timeout.
	Deadline time.Duration
	// Draws is how many operations Dist draws of what is not exact, 0 for DefaultDraws.
	Draws int
	Seed  uint64
	// Method is the operations' method ("" is GET), Keyed whether they carry an idempotency key.
	Method string
	Keyed  bool
	// Sampled draws even what has a closed form.
	Sampled bool
}

// Validate names everything that cannot be, at once.
func (c *DistConfig) Validate() error {
	errs := []error{c.Policy.Validate(), distSourceFault(c.Source)}
	if c.Against != nil {
		errs = append(errs, c.Against.Validate())
	}
	if c.AgainstSource != nil {
		errs = append(errs, distSourceFault(c.AgainstSource))
	}
	if c.Deadline < 0 || c.Deadline > MaxDistTime {
		errs = append(errs, &FieldError{"deadline", c.Deadline.String(), "0s to " + engine.FormatDuration(MaxDistTime)})
	}
	if c.Draws < 0 || c.Draws > MaxDraws {
		errs = append(errs, &FieldError{"draws", strconv.Itoa(c.Draws), "1 to " + strconv.Itoa(MaxDraws)})
	}
	return errors.Join(errs...)
}

// Dist is the distribution of a policy. Where ctx ends before all is drawn, what was drawn comes back, marked as partial,
// with the cause. An error without a result is a config that cannot be.
func Dist(ctx context.Context, cfg DistConfig) (*DistResult, error) {
	run, err := NewDist(cfg)
	if err != nil {
		return nil, err
	}
	err = run.More(ctx, run.Wanted())
	return run.Result(), err
}

// DistRun is a distribution that is refined step by step: a first picture of few draws, then more. However the draws are
// dealt out to the steps, the same number of them gives the same result.
type DistRun struct {
	cfg    DistConfig
	lanes  []*distLane
	tally  *distTally
	draws  int
	wanted int
}

// distLane is one policy of a run.
type distLane struct {
	policy engine.Policy
	safety engine.Safety
	source DistSource
	chancy bool
	exact  *exactLane // nil where it has to be sampled
	why    string
	budget bool
}

// NewDist makes a run, without a draw so far. What has a closed form is exact at once.
func NewDist(cfg DistConfig) (*DistRun, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := &DistRun{cfg: cfg, wanted: cfg.Draws}
	if r.wanted == 0 {
		r.wanted = DefaultDraws
	}
	r.lane(cfg.Policy, cfg.Source)
	if cfg.Against != nil {
		source := cfg.AgainstSource
		if source == nil {
			source = cfg.Source
		}
		r.lane(*cfg.Against, source)
	}
	if r.Exact() {
		r.wanted = 0
	}
	r.tally = newTally(len(r.lanes))
	return r, nil
}

func (r *DistRun) lane(p engine.Policy, source DistSource) {
	l := &distLane{
		policy: p, safety: p.Safety(r.cfg.Method, r.cfg.Keyed), budget: p.Budget.Kind != engine.BudgetNone,
		source: source, chancy: source.ByChance(),
	}
	if r.cfg.Sampled {
		l.why = "asked for"
	} else {
		l.exact, l.why = exactly(l, r.cfg.Method)
	}
	r.lanes = append(r.lanes, l)
}

// Exact tells whether nothing has to be drawn at all.
func (r *DistRun) Exact() bool {
	for _, l := range r.lanes {
		if l.exact == nil {
			return false
		}
	}
	return true
}

// Wanted is how many draws the config asks for, 0 where nothing has to be drawn.
func (r *DistRun) Wanted() int { return r.wanted }

// Draws is how many were drawn so far.
func (r *DistRun) Draws() int { return r.draws }

// chunk is how many operations are drawn between two looks at the context.
const distChunk = 64

// More draws up to n more operations, on all processors, and stops soon after ctx ends, with its cause. It does nothing
// where nothing has to be drawn. A panic on the way, like one of the source, is an error of type *engine.PanicError; what
// was drawn before this call stays.
func (r *DistRun) More(ctx context.Context, n int) error {
	n = min(n, MaxDraws-r.draws)
	if n <= 0 || r.Exact() {
		return nil
	}
	chunks := (n + distChunk - 1) / distChunk
	workers := min(runtime.GOMAXPROCS(0), chunks)
	tallies := make([]*distTally, workers)
	var next atomic.Int64
	var wg sync.WaitGroup
	drawing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for w := range workers {
		t := newTally(len(r.lanes))
		tallies[w] = t
		wg.Go(func() {
			defer stopAt(stop)
			for drawing.Err() == nil {
				c := int(next.Add(1)) - 1
				if c >= chunks {
					return
				}
				from := r.draws + c*distChunk
				r.sample(t, from, min(from+distChunk, r.draws+n))
			}
		})
	}
	wg.Wait()
	if err := endOf(drawing, true); err != nil {
		return err // a chunk has a hole: nothing of it counts
	}
	// Chunks are taken in order and each one taken is finished, so that what is drawn has no holes.
	for _, t := range tallies {
		r.draws += t.n
		r.tally.merge(t)
	}
	if r.draws < r.wanted {
		return context.Cause(ctx)
	}
	return nil
}

// Result is what there is to say so far. It may be asked for between two steps; a later step leaves it as it is.
func (r *DistRun) Result() *DistResult {
	out := &DistResult{Draws: r.draws, Wanted: r.wanted, Partial: r.draws < r.wanted, Deadline: r.cfg.Deadline, Seed: r.cfg.Seed}
	out.A = r.result(0)
	if len(r.lanes) > 1 {
		b := r.result(1)
		out.B = &b
		out.Diff = r.diff(&out.A, &b)
	}
	return out
}

func (r *DistRun) result(i int) DistLane {
	l := r.lanes[i]
	if l.exact != nil {
		lane := l.exact.lane(r.cfg.Deadline)
		lane.Policy = l.policy
		return lane
	}
	lane := r.tally.lanes[i].lane(r.draws)
	lane.Policy, lane.Why = l.policy, l.why
	return lane
}
