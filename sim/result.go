package sim

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/internal/hist"
)

// Result is what became of a fleet, so far or in the end.
type Result struct {
	// Total adds up all buckets; its levels are those at the end.
	Total Bucket
	// Buckets are Width wide, from time 0 on.
	Buckets []Bucket
	Width   time.Duration
	// Heat counts the successes of each bucket by their time (see HeatLimit).
	Heat [][HeatRows]uint32
	// Times has the time to success of every call that succeeded.
	Times hist.Hist
	// Reasons counts the calls that failed by the gate that ended them, Held those a throttle ended.
	Reasons map[engine.Reason]int64
	Held    int64
	// Events is how many events were simulated, End when the run ended, Last when the last call ended.
	Events    int64
	End, Last time.Duration
	// Over tells whether the run came to its end; Unfinished how many calls were under way then.
	Over       bool
	Unfinished int64

	peak, peakAt int64
	before       Bucket // the steady part
}

// Result is how things stand. It may be asked for at any time and changes nothing.
func (f *Fleet) Result() *Result {
	r := &Result{
		Width: time.Duration(f.width), Reasons: map[engine.Reason]int64{}, Held: f.held,
		Events: f.events, End: time.Duration(f.now), Last: time.Duration(f.last), Over: f.done, Unfinished: f.calls,
	}
	r.peak, r.peakAt = f.busiest.peak(f.total.Sent() + f.cur.Sent())
	r.before = f.steady.before
	r.Times.Merge(&f.times)
	r.Buckets = append(r.Buckets, f.buckets...)
	r.Heat = append(r.Heat, f.heat...)
	if !f.done {
		open := f.cur
		f.levels(&open)
		r.Buckets = append(r.Buckets, open)
		r.Heat = append(r.Heat, f.curHeat)
	}
	for i := range r.Buckets {
		r.Total.flows(&r.Buckets[i])
	}
	for reason, n := range f.reasons {
		if n > 0 {
			r.Reasons[engine.Reason(reason)] = n
		}
	}
	return r
}

// Sent is how many attempts were sent.
func (b *Bucket) Sent() int64 { return b.First + b.Retries }

// Amplification is attempts sent over first tries: what the server gets for each call. 1 where nothing was sent.
func (r *Result) Amplification() float64 {
	if r.Total.First == 0 {
		return 1
	}
	return float64(r.Total.Sent()) / float64(r.Total.First)
}

// Ended is how many calls have come to their end. Those that have not are neither successes nor failures.
func (b *Bucket) Ended() int64 { return b.Useful + b.Failed }

// Success is the share of the ended calls that succeeded; 0 where none has ended, which Ended tells from that none succeeded.
func (r *Result) Success() float64 {
	if r.Total.Ended() == 0 {
		return 0
	}
	return float64(r.Total.Useful) / float64(r.Total.Ended())
}

// Wasted is the share of the served calls that were of no use to anybody.
func (r *Result) Wasted() float64 {
	if r.Total.Served == 0 {
		return 0
	}
	return float64(r.Total.Late) / float64(r.Total.Served)
}

// Peak is the most attempts sent in a whole second, from 0s on, and when that second began. The width of the buckets has
// no part in it.
func (r *Result) Peak() (perSecond float64, at time.Duration) {
	return float64(r.peak), time.Duration(r.peakAt)
}

// joined is the same with buckets of n together.
func (r *Result) joined(n int) *Result {
	if n <= 1 {
		return r
	}
	j := *r
	j.Width, j.Buckets = r.Width*time.Duration(n), Join(r.Buckets, n)
	j.Heat = make([][HeatRows]uint32, 0, len(j.Buckets))
	for i := range r.Heat {
		if i%n == 0 {
			j.Heat = append(j.Heat, [HeatRows]uint32{})
		}
		to := &j.Heat[len(j.Heat)-1]
		for row, count := range r.Heat[i] {
			to[row] += count
		}
	}
	return &j
}
