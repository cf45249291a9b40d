package ui

import (
	"math"
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// fleetWords is what is said of a fleet, in sentences.
type fleetWords struct {
	stale, ascii bool
	seed         uint64
	what         string    // what is simulated
	head         fleetHead // what becomes of it
	notes        []string  // what there is to know of each lane
}

func fleetWordsOf(d *doc, r *fleetRuns, gl *Glyphs) fleetWords {
	w := fleetWords{seed: d.seed, ascii: gl.ASCII}
	f := d.inFleet()
	w.what = f.scenario + ": " + fleetWhat(f.config, gl)
	w.head = headOf(r, gl)
	for i := range r.lanes {
		w.notes = append(w.notes, laneNote(i, &r.lanes[i], f))
	}
	return w
}

// laneNote is why a lane came to what it did, else what the scenario is about.
func laneNote(i int, l *laneRun, f *fleetDoc) string {
	switch {
	case l.sum == nil || l.small:
		return "a smaller fleet stands in while the whole one is simulated"
	case l.sum.Why != "":
		return laneLetter(i) + " " + l.sum.Verdict.String() + ": " + l.sum.Why
	}
	return f.scenario + ": " + f.title
}

// pending is how many calls were under way at the end of a run, 0 where that is no more than there always are.
func pending(s *sim.Summary) int64 {
	if s.First == nil || !s.First.Over {
		return 0
	}
	left, c := float64(s.First.Unfinished), &s.Config
	usual, each := 0.0, (c.Server.Service + c.Latency).Seconds()
	switch c.Load.Kind {
	case sim.Open:
		usual = c.Load.Rate[len(c.Load.Rate)-1].Rate * each
	case sim.Closed:
		usual = float64(c.Load.Clients) * each / max((c.Load.Think+c.Server.Service+c.Latency).Seconds(), 1e-9)
	case sim.Herd:
		return s.First.Unfinished
	}
	if left <= 2*usual+4*math.Sqrt(usual)+10 {
		return 0
	}
	return s.First.Unfinished
}

// fleetWhat is who calls whom, and what is wrong meanwhile.
func fleetWhat(c *sim.Config, gl *Glyphs) string {
	parts := []string{loadWords(&c.Load, gl), serverWords(&c.Server, gl)}
	for i := range c.Faults {
		f := &c.Faults[i]
		parts = append(parts, faultWord(f)+" "+engine.FormatDuration(f.From)+gl.To+engine.FormatDuration(f.To))
	}
	if c.Layers > 1 {
		parts = append(parts, strconv.Itoa(c.Layers)+" layers")
	}
	return strings.Join(parts, ", ")
}

func loadWords(l *sim.Load, gl *Glyphs) string {
	n := fleetNumber(float64(l.Clients))
	switch l.Kind {
	case sim.Open:
		low, high := l.Rate[0].Rate, l.Rate[0].Rate
		for _, p := range l.Rate {
			low, high = min(low, p.Rate), max(high, p.Rate)
		}
		if low < high {
			return fleetNumber(low) + gl.To + fleetNumber(high) + " calls/s"
		}
		return fleetNumber(high) + " calls/s"
	case sim.Closed:
		return n + " clients that think " + engine.FormatDuration(l.Think)
	case sim.Herd:
	}
	if l.Stagger > 0 {
		return n + " clients within " + engine.FormatDuration(l.Stagger)
	}
	return n + " clients at once"
}

func serverWords(s *sim.Server, gl *Glyphs) string {
	switch c := s.Capacity(); {
	case c == 0:
		return "a server without limit"
	case s.Workers == 0:
		return "server lets in " + fleetNumber(c) + "/s"
	default:
		queue := "no queue"
		if s.Queue == sim.Endless {
			queue = "endless queue"
		} else if s.Queue > 0 {
			queue = "queue " + strconv.Itoa(s.Queue)
		}
		return "server " + strconv.Itoa(s.Workers) + gl.Times + engine.FormatDuration(s.Service) + " = " + fleetNumber(c) + "/s, " + queue
	}
}
