package main

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// rule is how a target compares.
type rule int

const (
	// timesBest holds where ours is at most limit times the best of the others.
	timesBest rule = iota
	// belowBest holds where ours is lower than the best of the others.
	belowBest
	// atMost holds where ours is at most limit, whoever the others are.
	atMost
	// overBest holds where ours is at most limit above the best of the others.
	overBest
	// shown is no target: the ratio is printed for the reader.
	shown
)

// peersOnly stands for every contestant that is neither ours nor a floor.
const peersOnly = "peers"

// target is one line of the table.
type target struct {
	work    string // in words
	bench   string // the benchmark without its prefix
	ours    string // who of the benchmark is ours; "ours" where empty
	unit    string // as benchfmt names it: sec/op, allocs/op, B/op, or a metric of the benchmark
	against string // the contestant to beat, or peersOnly
	rule    rule
	limit   float64
}

// verdict is how a target came out.
type verdict string

const (
	met    verdict = "met"
	missed verdict = "MISSED"
	// absent is a target that was not measured. It counts as missed.
	absent verdict = "ABSENT"
	none   verdict = ""
)

// line is a target with what was measured.
type line struct {
	target

	ours, best benchmath.Summary
	bestName   string
	ratio      float64
	verdict    verdict
}

// choose keeps the targets whose benchmark matches the regexp.
func choose(all []target, only string) ([]target, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	var chosen []target
	for _, t := range all {
		if only == "." || match.MatchString("Benchmark"+t.bench) {
			chosen = append(chosen, t)
		}
	}
	return chosen, nil
}

// judge measures each target against the samples.
func judge(all []target, s samples) []line {
	lines := make([]line, 0, len(all))
	for _, t := range all {
		lines = append(lines, judgeOne(t, s))
	}
	return lines
}

func judgeOne(t target, s samples) line {
	who := t.ours
	if who == "" {
		who = "ours"
	}
	l := line{target: t, ratio: math.NaN(), verdict: absent}
	ours, haveOurs := s.summary(key{t.bench, who, t.unit})
	l.ours = ours
	var haveBest bool
	l.best, l.bestName, haveBest = fastest(t, s)
	if haveOurs && haveBest && l.best.Center > 0 {
		l.ratio = ours.Center / l.best.Center
	}
	if !haveOurs || (!haveBest && t.rule != atMost) {
		return l
	}
	if t.rule == shown {
		l.verdict = none
		return l
	}
	l.verdict = missed
	if holds(t, ours.Center, l.best.Center) {
		l.verdict = met
	}
	return l
}

// holds compares the medians.
func holds(t target, ours, best float64) bool {
	switch t.rule {
	case timesBest:
		return ours <= t.limit*best
	case belowBest:
		return ours < best
	case atMost:
		return ours <= t.limit
	case overBest:
		return ours-best <= t.limit
	case shown:
		return true
	}
	return false
}

// fastest is the lowest of those the target is measured against.
func fastest(t target, s samples) (best benchmath.Summary, name string, ok bool) {
	names := []string{t.against}
	if t.against == peersOnly {
		names = slices.DeleteFunc(s.contestants(t.bench, t.unit), func(name string) bool {
			return strings.HasPrefix(name, "ours") || strings.HasPrefix(name, "floor")
		})
		slices.Sort(names)
	}
	best.Center = math.NaN()
	for _, candidate := range names {
		sum, have := s.summary(key{t.bench, candidate, t.unit})
		if have && (!ok || sum.Center < best.Center) {
			best, name, ok = sum, candidate, true
		}
	}
	return best, name, ok
}

// missedIn counts the targets that were not met.
func missedIn(lines []line) int {
	n := 0
	for _, l := range lines {
		if l.verdict == missed || l.verdict == absent {
			n++
		}
	}
	return n
}
