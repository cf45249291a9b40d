package sim

import (
	"math"
	"time"
)

// Bucket is what happened in a span of time, in counts; its levels are those at its end.
type Bucket struct {
	Begun          int64 // calls that began
	First, Retries int64 // attempts sent
	// At the server's door: let in, turned away with an answer, and swallowed without one.
	Accepted, Refused, Dropped int64
	Served                     int64 // calls the server has worked off
	Useful                     int64 // calls that succeeded
	Late                       int64 // answers of a success to a client that had given up on that attempt
	Expired                    int64 // waiting calls left out, or work stopped, since the client had gone
	Failed                     int64 // calls that ended without a success
	TimedOut                   int64 // attempts whose time ran out
	Denied                     int64 // retries a budget forbade
	Held                       int64 // sends an adaptive throttle or a breaker forbade
	// Levels at the end: calls under way, of them waiting in backoff, attempts on the wire to the server, waiting for a
	// worker, being served; QueueMax is the longest queue within.
	Calls, Waiting, Wire, Queue, Serving, QueueMax int64
}

// flows adds up what happened in two spans, b after a.
func (a *Bucket) flows(b *Bucket) {
	a.Begun += b.Begun
	a.First += b.First
	a.Retries += b.Retries
	a.Accepted += b.Accepted
	a.Refused += b.Refused
	a.Dropped += b.Dropped
	a.Served += b.Served
	a.Useful += b.Useful
	a.Late += b.Late
	a.Expired += b.Expired
	a.Failed += b.Failed
	a.TimedOut += b.TimedOut
	a.Denied += b.Denied
	a.Held += b.Held
	a.Calls, a.Waiting, a.Wire, a.Queue, a.Serving = b.Calls, b.Waiting, b.Wire, b.Queue, b.Serving
	a.QueueMax = max(a.QueueMax, b.QueueMax)
}

// Join is the buckets in groups of n, the last perhaps smaller.
func Join(buckets []Bucket, n int) []Bucket {
	n = max(n, 1)
	out := make([]Bucket, 0, (len(buckets)+n-1)/n)
	for i := 0; i < len(buckets); i += n {
		var a Bucket
		for j := i; j < min(i+n, len(buckets)); j++ {
			a.flows(&buckets[j])
		}
		out = append(out, a)
	}
	return out
}

// HeatRows is how many rows of latency a heat map has: up to 1 ms, 3 ms, 10 ms, … 100 s, and longer.
const HeatRows = 12

// HeatLimit is the longest latency of a row, the last row's being endless.
func HeatLimit(row int) time.Duration {
	d := time.Millisecond
	for ; row >= 2; row -= 2 {
		d *= 10
	}
	if row == 1 {
		d *= 3
	}
	return d
}

func heatRow(d time.Duration) int {
	for row := range HeatRows - 1 {
		if d <= HeatLimit(row) {
			return row
		}
	}
	return HeatRows - 1
}

// advance closes the buckets that end before or at now, and the second.
func (f *Fleet) advance(now int64) {
	f.busiest.advance(now, f.total.Sent()+f.cur.Sent())
	if now >= f.steady.at {
		f.steady = steady{at: math.MaxInt64, before: f.sum()}
	}
	for now >= f.bucketEnd {
		f.closeBucket()
	}
	f.edge = min(f.bucketEnd, f.busiest.end, f.steady.at)
}

// sum is all that has happened so far.
func (f *Fleet) sum() Bucket {
	all := f.total
	all.flows(&f.cur)
	return all
}

// busiest finds the whole second in which most was sent, whatever the width of the buckets.
type busiest struct {
	end   int64 // of the open one
	from  int64 // sent before it
	most  int64 // sent in one that is closed
	start int64 // of that one
}

// advance closes the open second, where it ends before or at now; so many attempts were sent up to there.
func (s *busiest) advance(now, sent int64) {
	if now < s.end {
		return
	}
	s.most, s.start = s.peak(sent)
	s.from = sent
	s.end = now - now%second + second
}

// peak is the most that was sent in a second, the open one too, and when that began.
func (s *busiest) peak(sent int64) (most, start int64) {
	if n := sent - s.from; n > s.most {
		return n, s.end - second
	}
	return s.most, s.start
}

func (f *Fleet) closeBucket() {
	f.levels(&f.cur)
	f.total.flows(&f.cur)
	f.buckets = append(f.buckets, f.cur)
	f.heat = append(f.heat, f.curHeat)
	f.cur, f.curHeat = Bucket{QueueMax: f.queued}, [HeatRows]uint32{}
	f.bucketEnd += f.width
}

// levels notes how things stand.
func (f *Fleet) levels(b *Bucket) {
	b.Calls, b.Waiting, b.Wire, b.Queue, b.Serving = f.calls, f.waiting, f.wire, f.queued, int64(f.serving)
}
