package sim

import (
	"cmp"
	"math"
	"strconv"
	"time"
)

// trendOf tells whether what waits, for a worker or in backoff, grows or shrinks in the second half of the time after the
// trouble: 1, -1, or 0 where that cannot be told. Where all that is sent is served, it is by how much is sent; else, or
// where that is within a percent of what can be served, by what waits, if it changes by more than chance, two standard
// deviations of what comes and goes.
func trendOf(cfg *Config, r *Result) int {
	if len(r.Buckets) < 2 {
		return 0
	}
	if load := offered(cfg, r) / cfg.Server.Capacity(); endless(cfg) && math.Abs(load-1) > 0.01 {
		return cmp.Compare(load, 1)
	}
	half := halfway(cfg, r)
	var flow float64
	for i := half + 1; i < len(r.Buckets); i++ {
		b := &r.Buckets[i]
		flow += float64(b.Accepted + b.Served + b.Expired + 2*b.Retries)
	}
	from := &r.Buckets[half]
	change := float64(r.Total.Waiting + r.Total.Queue - from.Waiting - from.Queue)
	switch limit := 2 * math.Sqrt(flow); {
	case change < -limit:
		return -1
	case change > limit:
		return 1
	default:
		return 0
	}
}

// offered is how many attempts are sent in a second in the end: the calls that come, known, and the attempts of each, seen.
func offered(cfg *Config, r *Result) float64 {
	part := lastPart(cfg, r, 2)
	return lastRate(cfg) * float64(part.First+part.Retries) / max(float64(part.First), 1)
}

// halfway is the bucket halfway from the end of the trouble to the end of the run.
func halfway(cfg *Config, r *Result) int {
	end := min(cfg.troubleEnd(), r.End)
	return min(int((end+(r.End-end)/2)/r.Width), len(r.Buckets)-1)
}

// drainWords say how long the queue is at the end, and when it is empty if it goes on to shrink as it does: drained, 0
// where it is not in the longest run there may be.
func drainWords(cfg *Config, r *Result) (why string, drained time.Duration) {
	const works = "the server still works off what the trouble left: "
	left := grouped(r.Total.Queue) + " in the queue"
	at, ok := drainedAt(cfg, r)
	switch {
	case r.Total.Queue == 0:
		return grouped(r.Total.Waiting) + " calls still wait in backoff, fewer and fewer; a longer horizon shows whether it recovers", 0
	case !ok:
		return works + left + ", and it does not shrink in time; a longer horizon shows whether it recovers", 0
	case at > MaxHorizon:
		return works + left + ", and at this rate for longer than the longest horizon, 720h", 0
	default:
		return works + left + ", at this rate until about " + span2(at) + "; a horizon beyond that shows whether it recovers", at
	}
}

// drainedAt is when the queue is empty if it goes on to shrink as it does: as was seen in the second half of the time after
// the trouble, or, where hardly anything is sent twice or too little was seen, by what the server can do beyond what is
// sent. ok is false where it does not shrink.
func drainedAt(cfg *Config, r *Result) (at time.Duration, ok bool) {
	half := halfway(cfg, r)
	seen := (r.End - r.Width*time.Duration(half+1)).Seconds()
	rate := cfg.Server.Capacity() - offered(cfg, r)
	if last := lastPart(cfg, r, 10); 100*last.Retries > last.First && seen > 0 {
		if shrunk := float64(r.Buckets[half].Queue - r.Total.Queue); shrunk > 2*math.Sqrt(float64(r.Buckets[half].Queue)) {
			rate = shrunk / seen
		}
	}
	if rate <= 0 || r.Total.Queue == 0 {
		return 0, false
	}
	left := float64(r.Total.Queue) / rate
	if left > (2 * MaxHorizon).Seconds() {
		return 2 * MaxHorizon, true
	}
	return r.End + time.Duration(left*float64(time.Second)), true
}

// span2 is a time in two digits or, from a minute on, in whole seconds.
func span2(d time.Duration) string {
	switch {
	case d < time.Minute:
		return span3(d.Round(100 * time.Millisecond))
	case d < time.Hour:
		return span3(d.Round(time.Second))
	default:
		return span3(d.Round(time.Minute))
	}
}

// grouped is a count with a comma before each three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
