package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// judge gives the verdict over all runs, and its reason.
func (s *Summary) judge(cfg *Config, all []*digest, probed *digest) {
	var after []float64
	stuck, well := "", ""
	latest, shrink := time.Duration(0), true
	for _, d := range all {
		switch {
		case d == nil:
		case d.recovered:
			after = append(after, d.after)
			if well == "" {
				well = d.why
			}
		default:
			if stuck == "" {
				stuck = d.why
			}
			latest, shrink = max(latest, d.drained), shrink && d.drained > 0
		}
	}
	if shrink {
		s.Drained = latest
	}
	s.Recovered, s.Recover = len(after), statOf(after)
	switch {
	case s.Seeds == 0:
	case s.Recovered == 0:
		s.Verdict, s.Why = Stuck, stuck
	case s.Recovered < s.Seeds:
		s.Verdict, s.Why = Vulnerable, fmt.Sprintf("%d of %d seeds recover; else %s", s.Recovered, s.Seeds, stuck)
	case probed != nil && !probed.recovered && !probed.draining:
		s.Verdict, s.Why = Vulnerable, heavierWords(cfg)
	default:
		s.Verdict, s.Why = VerdictOf(cfg, true, s.Success.Mean), well
	}
}

func heavierWords(cfg *Config) string {
	if len(cfg.Faults) == 0 {
		return fmt.Sprintf("were the server %d times slower for %s, it would not recover", heavierSlow, span3(cfg.Horizon/heavierPart))
	}
	return "it does not recover from a trouble four times as long"
}

// recoverWords say what is worth telling of a run that recovers.
func recoverWords(cfg *Config, r *Result, after time.Duration) string {
	t := &r.Total
	switch {
	case t.Begun == 0:
		return "no call comes"
	case cfg.Load.Kind != Herd && after > 0 && after >= r.End-cfg.troubleEnd():
		return "new calls are served; those of the trouble are still under way at the end"
	case cfg.Load.Kind == Herd && t.Failed > 0:
		return herdWords(cfg, r)
	default:
		return ""
	}
}

// herdWords say how many calls of a herd are not there any more when the server is back.
func herdWords(cfg *Config, r *Result) string {
	var before int64
	end := cfg.faultsEnd()
	for i := range r.Buckets {
		if time.Duration(i+1)*r.Width <= end {
			before += r.Buckets[i].Failed
		}
	}
	failed, begun := r.Total.Failed, r.Total.Begun
	switch {
	case end == 0:
		return fmt.Sprintf("%s of the calls gave up", share3(failed, begun))
	case r.Last <= end:
		return fmt.Sprintf("%s of the calls had given up before the server was back", share3(failed, begun))
	case before > 0 && before < failed:
		return fmt.Sprintf("%s of the calls had given up before the server was back, %s gave up later", share3(before, begun), share3(failed-before, begun))
	case before > 0:
		return fmt.Sprintf("%s of the calls had given up before the server was back", share3(before, begun))
	default:
		return fmt.Sprintf("%s of the calls gave up", share3(failed, begun))
	}
}

// stuckWords say why a run does not recover; drained is when its queue is empty, 0 where it is not for that.
func stuckWords(cfg *Config, r *Result) (why string, drained time.Duration) {
	last := lastPart(cfg, r)
	if why = stuckFor(cfg, r, &last); why != "" {
		return why, 0
	}
	switch {
	case draining(cfg, r) || last.Retries == 0 && last.Queue > 0:
		return drainWords(cfg, r)
	case r.Total.Retries > 0 && last.Retries > last.First/100:
		return "the trouble is over, but its own retries keep the server busy", 0
	default:
		return "calls are not as well at the end as without the trouble", 0
	}
}

// stuckFor is a reason that is none of the queue, "" where there is none; last is the last part of the run.
func stuckFor(cfg *Config, r *Result, last *Bucket) string {
	c := cfg.Server.Capacity()
	switch {
	case cfg.Load.Kind == Herd:
		return "calls are still under way at the end"
	case cfg.faultsEnd() >= r.End && len(cfg.Faults) > 0:
		return "the trouble lasts until the end of the run; a longer horizon shows what comes after"
	case r.Total.Useful == 0 && r.Total.Failed > 0:
		return "no call succeeds, with the trouble or without"
	case c > 0 && lastRate(cfg) > c:
		return "more calls come than the server can serve"
	case last.Held > last.First+last.Retries:
		return "the trouble is over, but the throttle still holds calls back"
	default:
		return ""
	}
}

// lastRate is how many calls come in a second at the end.
func lastRate(cfg *Config) float64 {
	switch cfg.Load.Kind {
	case Open:
		points := cfg.Load.Rate
		i := len(points) - 1
		for i > 0 && points[i].At >= cfg.Horizon {
			i--
		}
		if i == len(points)-1 {
			return points[i].Rate
		}
		a, b := points[i], points[i+1]
		return a.Rate + (b.Rate-a.Rate)*float64(cfg.Horizon-a.At)/float64(b.At-a.At)
	case Closed:
		return float64(cfg.Load.Clients) / (cfg.Load.Think + cfg.Server.Service + cfg.Latency).Seconds()
	case Herd:
		return 0
	default:
		return 0
	}
}

// lastPart is the last tenth of what comes after the trouble.
func lastPart(cfg *Config, r *Result) Bucket {
	var sum Bucket
	from := r.End - max(r.End-cfg.troubleEnd(), 0)/10
	for i := min(int(from/r.Width), len(r.Buckets)-1); i >= 0 && i < len(r.Buckets); i++ {
		sum.flows(&r.Buckets[i])
	}
	return sum
}

// span3 is a time in three digits.
func span3(d time.Duration) string {
	unit := time.Millisecond
	for _, at := range []time.Duration{time.Second, 10 * time.Second, 100 * time.Second} {
		if d >= at {
			unit *= 10
		}
	}
	return engine.FormatDuration(d.Round(unit))
}

// share3 is a share in three digits, never 0% or 100% where it is not.
func share3(part, all int64) string {
	x := 100 * float64(part) / float64(all)
	switch {
	case part > 0 && x < 0.1:
		return "<0.1%"
	case part < all && x > 99.9:
		return ">99.9%"
	default:
		return strconv.FormatFloat(x, 'g', 3, 64) + "%"
	}
}
