package sim

import (
	"math"
	"strconv"
	"time"
)

// draining tells whether less is left in the queue at the end than halfway from the end of the trouble, and no more is
// under way. Where the queue has shrunk by far more than by chance, what is under way may well be.
func draining(cfg *Config, r *Result) bool {
	if cfg.Load.Kind == Herd || len(r.Buckets) == 0 {
		return false
	}
	end := min(cfg.troubleEnd(), r.End)
	half := &r.Buckets[min(int((end+(r.End-end)/2)/r.Width), len(r.Buckets)-1)]
	calls, was, is := float64(half.Calls), float64(half.Queue), float64(r.Total.Queue)
	return is < 0.97*was && float64(r.Total.Calls) <= calls+3*math.Sqrt(calls) || is < 0.9*was-4*math.Sqrt(was)
}

// drainWords say how long the queue is at the end, and when it is empty if it goes on to shrink as it does: drained, 0
// where it is not in the longest run there may be.
func drainWords(cfg *Config, r *Result) (why string, drained time.Duration) {
	const works = "the server still works off what the trouble left: "
	left := grouped(r.Total.Queue) + " in the queue"
	at, ok := drainedAt(cfg, r)
	switch {
	case !ok:
		return works + left + ", and it does not shrink in time; a longer horizon shows whether it recovers", 0
	case at > MaxHorizon:
		return works + left + ", and at this rate for longer than the longest horizon, 720h", 0
	default:
		return works + left + ", at this rate until about " + span2(at) + "; a horizon beyond that shows whether it recovers", at
	}
}

// drainedAt is when the queue is empty if it goes on to shrink as it does. Where hardly anything is sent twice, that is by
// what the server can do beyond what comes; else by what was seen in the second half of the time after the trouble. ok is
// false where it does not shrink.
func drainedAt(cfg *Config, r *Result) (at time.Duration, ok bool) {
	begin := min(cfg.troubleEnd(), r.End)
	half := min(int((begin+(r.End-begin)/2)/r.Width), len(r.Buckets)-1)
	seen := (r.End - r.Width*time.Duration(half+1)).Seconds()
	rate := cfg.Server.Capacity() - lastRate(cfg)
	if last := lastPart(cfg, r); 100*last.Retries > last.First && seen > 0 {
		rate = float64(r.Buckets[half].Queue-r.Total.Queue) / seen
	}
	if rate <= 0 {
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
