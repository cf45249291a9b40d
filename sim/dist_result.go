package sim

import (
	"math"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/internal/hist"
)

// DistHow is how a figure was found.
type DistHow uint8

// The two ways.
const (
	DistSampled DistHow = iota // from draws, with a standard error
	DistExact                  // from a closed form, to 8 digits or more
)

// String is "sampled" or "exact".
func (h DistHow) String() string {
	if h == DistExact {
		return "exact"
	}
	return "sampled"
}

// NoSE stands for the standard error of a time of which too few were drawn to tell.
const NoSE time.Duration = -1

// DistFigure is a number, the standard error it has (0 where it is exact, NaN where one draw cannot tell), and how it was
// found.
type DistFigure struct {
	Value, SE float64
	How       DistHow
}

// DistShares are the shares of the quantiles of a DistSpread, in its order.
var DistShares = [...]float64{0.05, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999}

// DistSpread is how a time is spread: the total wait, the time to success, the time at which a retry is sent.
type DistSpread struct {
	How DistHow
	// N is how many draws it was made of; 0 where it is exact.
	N int64
	// Mean and SD are the mean and the standard deviation; MeanSE is the standard error of the mean, or NoSE.
	Mean, SD, MeanSE time.Duration
	// Min and Max are the least and the greatest: what can be where exact, else what was drawn.
	Min, Max time.Duration
	// Q are the quantiles at DistShares (the smallest value with that share at or below it), QSE their standard errors, or
	// NoSE.
	Q, QSE [len(DistShares)]time.Duration
	// None says that there is nothing to tell of: no operation came so far. All else is 0.
	None bool

	cdf  func(ns float64) float64
	hist *hist.Hist
}

// CDF is the share at or below d, 0 to 1: for a histogram the share of (a, b] is CDF(b) - CDF(a). It is not safe for
// concurrent use.
func (s *DistSpread) CDF(d time.Duration) float64 {
	switch {
	case s.None:
		return 0
	case s.cdf != nil:
		return s.cdf(nanoseconds(d))
	default:
		return s.hist.CDF(d)
	}
}

// DistRetry is one retry: how often it is sent, and when.
type DistRetry struct {
	// Number is 1 for the second attempt.
	Number int
	// Sent is the share of operations that come to it.
	Sent DistFigure
	// At is when it is sent, since the start, among those that come to it.
	At DistSpread
}

// DistEnd is one way an operation ends, and the share that ends so.
type DistEnd struct {
	Result engine.Result
	Reason engine.Reason
	Share  DistFigure
}

// DistLane is all about one policy.
type DistLane struct {
	Policy engine.Policy
	// How is DistExact where every figure of the lane is; Why says what stood against it where it is not.
	How DistHow
	Why string
	// Success is the share of operations that succeed at all; Within the share that does so within the deadline, and
	// WaitWithin the share whose total wait is within it (both as without a deadline where there is none).
	Success, Within, WaitWithin DistFigure
	// Attempts is the mean number of sends, which is also the load against no retries; Counts[i] is the share of operations
	// that make i+1 of them.
	Attempts DistFigure
	Counts   []DistFigure
	// Wait is the total of an operation's waits, whether it succeeds or not; Time is from the start to the success, among
	// those that succeed.
	Wait, Time DistSpread
	// Retries are the retries in order, up to MaxDistRetries of them; Ends the ways to end, by result and reason.
	Retries []DistRetry
	Ends    []DistEnd
}

// MaxDistRetries is how many retries of a lane are told of one by one.
const MaxDistRetries = 100

// DistDiff is the second policy less the first, operation by operation on the same chance, so that a difference is the
// policies' and not the draws'.
type DistDiff struct {
	Success, Within, Attempts DistFigure
	// Wait is the difference of the mean total waits, WaitSE its standard error (0 where exact), or NoSE.
	Wait, WaitSE time.Duration
	WaitHow      DistHow
}

// DistResult is what there is to say of a policy, or of two.
type DistResult struct {
	A DistLane
	// B and Diff are there where there is a second policy.
	B    *DistLane
	Diff *DistDiff
	// Draws is how many operations were drawn for what is sampled, 0 where nothing is; Wanted how many were asked for.
	// Partial says that it was stopped before.
	Draws, Wanted int
	Partial       bool
	Deadline      time.Duration
	Seed          uint64
}

func formatShare(p float64) string { return strconv.FormatFloat(p, 'g', -1, 64) }

// sampledShare is n of all as a figure. Its standard error is that of the share with two more of each kind (Agresti and
// Coull): where none or all were drawn it is not 0, since that says only so much of those that were not.
func sampledShare(n, all int64) DistFigure {
	if all == 0 {
		return DistFigure{}
	}
	const more = 2
	p, of := float64(n+more)/float64(all+2*more), float64(all+2*more)
	return DistFigure{Value: float64(n) / float64(all), SE: math.Sqrt(p * (1 - p) / of)}
}

// sampledSpread reads a histogram.
func sampledSpread(h *hist.Hist) DistSpread {
	n := h.Count()
	if n == 0 {
		return DistSpread{None: true}
	}
	s := DistSpread{N: n, Mean: h.Mean(), SD: h.SD(), MeanSE: NoSE, Min: h.Min(), Max: h.Max(), hist: h}
	if n > 1 {
		s.MeanSE = duration(nanoseconds(s.SD) / math.Sqrt(float64(n)))
	}
	for i, q := range DistShares {
		s.Q[i], s.QSE[i] = h.Quantile(q), quantileSE(h, q)
	}
	return s
}

// quantileSE is the standard error of a quantile from the values that were drawn around it: those whose ranks are two, and
// four, standard errors of its own rank to either side. The farther of a pair is so many standard errors away. Where there
// is a jump within reach, as between calls that do not wait at all and those that do, that covers the jump: which side of
// it the quantile is on is chance. NoSE where the ranks go beyond what was drawn.
func quantileSE(h *hist.Hist, q float64) time.Duration {
	const near, far = 2, 4
	n := float64(h.Count())
	rank, step := q*n, math.Sqrt(q*(1-q)*n)
	if rank-near*step < 1 || rank+near*step > n {
		return NoSE
	}
	at := h.Quantile(q)
	farther := func(k float64) float64 {
		lo, hi := h.Quantile((rank-k*step)/n), h.Quantile((rank+k*step)/n)
		return nanoseconds(max(hi-at, at-lo)) / k
	}
	return duration(max(farther(near), farther(far)))
}
