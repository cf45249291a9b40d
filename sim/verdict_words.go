package sim

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// judge gives the verdict over all runs, and its reason.
func (s *Summary) judge(cfg *Config, all []*digest, probed *digest) {
	var after []float64
	var why [GivesUp + 1]string
	var of [GivesUp + 1]int
	latest, shrink, trouble := time.Duration(0), true, false
	for _, d := range all {
		if d == nil {
			continue
		}
		v := d.outcome.Verdict
		if of[v]++; why[v] == "" {
			why[v] = d.outcome.Why
		}
		trouble = trouble || d.outcome.Trouble
		if v.Well() {
			after = append(after, d.outcome.After.Seconds())
			continue
		}
		latest, shrink = max(latest, d.outcome.Drained), shrink && d.outcome.Drained > 0
	}
	s.Recovered = len(after)
	if trouble || cfg.Load.Kind == Herd {
		s.Recover = statOf(after)
	}
	seeds := func(others Verdict) string {
		return fmt.Sprintf("%d of %d seeds recover; else %s", s.Recovered, s.Seeds, why[others])
	}
	switch {
	case s.Seeds == 0:
		s.Why = "no run came to its end"
	case s.Recovered == s.Seeds && probed != nil && probed.outcome.Verdict == Stuck:
		s.Verdict, s.Why = Vulnerable, heavierWords(cfg)
	case s.Recovered == s.Seeds && cfg.Load.Kind == Herd && s.Success.Mean < mostSucceed:
		s.Verdict, s.Why = GivesUp, cmp.Or(why[GivesUp], why[Recovers])
	case s.Recovered == s.Seeds:
		s.Verdict, s.Why = Recovers, cmp.Or(why[Recovers], why[GivesUp])
	case s.Recovered > 0 && of[Stuck] > 0:
		s.Verdict, s.Why = Vulnerable, seeds(Stuck)
	case s.Recovered > 0:
		s.Why = seeds(Unknown)
	case 2*of[Stuck] >= s.Seeds:
		s.Verdict, s.Why = Stuck, why[Stuck]
	default:
		s.Why = why[Unknown]
	}
	if s.Verdict == Unknown && shrink {
		s.Drained = latest
	}
}

func heavierWords(cfg *Config) string {
	if len(cfg.Faults) == 0 {
		return fmt.Sprintf("were the server %d times slower for %s, it would not recover", heavierSlow, span3(cfg.Horizon/heavierPart))
	}
	return "it does not recover from a trouble four times as long"
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

// lastPart is the last of so many parts of what comes after the trouble.
func lastPart(cfg *Config, r *Result, parts time.Duration) Bucket {
	var sum Bucket
	from := r.End - max(r.End-cfg.troubleEnd(), 0)/parts
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
