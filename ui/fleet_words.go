package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// fleetWords is what is said of a fleet, in sentences.
type fleetWords struct {
	stale, ascii bool
	seed         uint64
	what         string     // what is simulated
	head         ResultText // what becomes of it
	notes        []string   // what there is to know of each lane
}

func fleetWordsOf(d *doc, r *fleetRuns, gl *Glyphs) fleetWords {
	w := fleetWords{seed: d.seed, ascii: gl.ASCII}
	f := d.inFleet()
	w.what = f.scenario + ": " + fleetWhat(f.config, gl)
	w.head = headline(r, len(f.config.Faults) > 0, gl)
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
	case gaveUp(l.sum):
		return laneLetter(i) + " gives up: the calls end before the server is back"
	case l.sum.Why != "":
		return laneLetter(i) + " " + l.sum.Verdict.String() + ": " + l.sum.Why
	}
	return f.scenario + ": " + f.title
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

// gaveUp tells of a herd that is over because its calls are: most of them failed.
func gaveUp(s *sim.Summary) bool { return s.Seeds > 0 && s.Verdict == sim.GivesUp }

// headline is what becomes of the fleet, the gravest first: who stays stuck, who recovers first, who last.
func headline(r *fleetRuns, trouble bool, gl *Glyphs) ResultText {
	var stuck, well, gone []int
	waiting := 0
	for i := range r.lanes {
		switch s := r.lanes[i].sum; {
		case s == nil || s.Seeds == 0:
			waiting++
		case gaveUp(s):
			gone = append(gone, i)
		case s.Verdict == sim.Stuck:
			stuck = append(stuck, i)
		default:
			well = append(well, i)
		}
	}
	slices.SortStableFunc(well, func(a, b int) int {
		return cmp.Compare(r.lanes[a].sum.Recover.Mean, r.lanes[b].sum.Recover.Mean)
	})
	h := ResultText{Glyph: gl.OK, Style: OKBold}
	if len(gone) > 0 {
		h.Glyph, h.Style = gl.Warn, RetryBold
	}
	if len(stuck) > 0 {
		h.Glyph, h.Style = gl.Final, FinalBold
		h.Parts = append(h.Parts, lanesList(stuck)+stuckWords(r.lanes[stuck[0]].sum, len(stuck)))
	}
	if len(gone) > 0 {
		h.Parts = append(h.Parts, lanesList(gone)+verb(len(gone), " gives", " give")+" up")
	}
	h.Parts = append(h.Parts, recoverWords(r, well, len(r.lanes), trouble)...)
	if waiting > 0 {
		h.Parts = append(h.Parts, "still simulating")
		if len(h.Parts) == 1 {
			h.Glyph, h.Style = gl.Due, Neutral
		}
	}
	return h
}

// stuckWords are the verdict of some lanes, with the reason of the first. One whose queue shrinks does not stay as it is.
func stuckWords(s *sim.Summary, lanes int) string {
	if s.Drained > 0 {
		return verb(lanes, " is", " are") + " still stuck at the end: a queue until about " + FleetTime(s.Drained.Seconds())
	}
	return verb(lanes, " stays", " stay") + " stuck: " + stuckWhy(s)
}

// stuckWhy is the reason of a verdict, short.
func stuckWhy(s *sim.Summary) string {
	switch {
	case s.Why == "" || strings.Contains(s.Why, "own retries"):
		return "retries alone keep the server busy"
	default:
		return s.Why
	}
}

// recoverWords say who recovers, who first and who last; well is in that order.
func recoverWords(r *fleetRuns, well []int, all int, trouble bool) []string {
	if len(well) == 0 {
		return nil
	}
	after := ""
	if trouble {
		after = " after the trouble"
	}
	at := func(i int) string { return FleetTime(r.lanes[i].sum.Recover.Mean) }
	var frail []int
	for _, i := range well {
		if r.lanes[i].sum.Verdict == sim.Vulnerable {
			frail = append(frail, i)
		}
	}
	first, last := well[0], well[len(well)-1]
	var out []string
	switch {
	case len(well) == 1 && all > 1:
		out = []string{laneLetter(first) + " alone recovers, " + afterText(at(first), after)}
	case at(first) == at(last):
		out = []string{lanesList(sorted(well)) + verb(len(well), " recovers ", " recover ") + afterText(at(first), after)}
	case len(well) < all:
		out = []string{lanesList(sorted(well)) + " recover", laneLetter(first) + " first, " + at(first), laneLetter(last) + " last, " + at(last)}
	case at(first) == at(well[1]):
		same := 2
		for at(well[same]) == at(first) {
			same++
		}
		out = []string{lanesList(sorted(well[:same])) + " recover first, " + afterText(at(first), after), laneLetter(last) + " last, " + at(last)}
	default:
		out = []string{laneLetter(first) + " recovers first, " + afterText(at(first), after), laneLetter(last) + " last, " + at(last)}
	}
	out = append(out, differences(r, well)...)
	if len(frail) > 0 {
		out = append(out, lanesList(sorted(frail))+verb(len(frail), " is", " are")+" vulnerable")
	}
	return out
}

// afterText is how long after the trouble, "at once" where it takes no time.
func afterText(at, after string) string {
	if at == FleetTime(0) {
		return "at once"
	}
	return at + after
}

// differences say what the lanes that recover differ in besides: how many calls succeed, and at what load.
func differences(r *fleetRuns, well []int) []string {
	least, most, light, heavy := well[0], well[0], well[0], well[0]
	for _, i := range well {
		s := r.lanes[i].sum
		if s.Success.Mean < r.lanes[least].sum.Success.Mean {
			least = i
		}
		if s.Success.Mean > r.lanes[most].sum.Success.Mean {
			most = i
		}
		if s.Amplification.Mean < r.lanes[light].sum.Amplification.Mean {
			light = i
		}
		if s.Amplification.Mean > r.lanes[heavy].sum.Amplification.Mean {
			heavy = i
		}
	}
	var out []string
	if s, t := r.lanes[least].sum, r.lanes[most].sum; t.Success.Mean-s.Success.Mean > 0.05 {
		out = append(out, laneLetter(most)+" saves most calls, "+fleetPercent(t.Success.Mean)+"; "+laneLetter(least)+" fewest, "+fleetPercent(s.Success.Mean))
	}
	if s, t := r.lanes[light].sum, r.lanes[heavy].sum; t.Amplification.Mean > 1.2*s.Amplification.Mean {
		out = append(out, fmt.Sprintf("%s sends most, %.1f a call", laneLetter(heavy), t.Amplification.Mean))
	}
	return out
}

func sorted(x []int) []int {
	x = slices.Clone(x)
	slices.Sort(x)
	return x
}

// lanesList is "A", "A and C", "A, B and C".
func lanesList(lanes []int) string {
	out := ""
	for i, l := range lanes {
		switch {
		case i == 0:
		case i == len(lanes)-1:
			out += " and "
		default:
			out += ", "
		}
		out += laneLetter(l)
	}
	return out
}

// verb is the form of a verb for one or for several.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
