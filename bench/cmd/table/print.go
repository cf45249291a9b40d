package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// printTable writes the table.
func printTable(w io.Writer, machine string, lines []line) error {
	var text bytes.Buffer
	_, _ = fmt.Fprintf(&text, "%s, %d cores, %s\n\n", machine, runtime.NumCPU(), runtime.Version())
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(columns, "work\tours\tbest of the others\tratio\ttarget\tverdict")
	for _, l := range lines {
		_, _ = fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\t%s\n",
			l.work, quantity(l.ours, l.unit), rival(l), ratio(l), wanted(l.target), l.verdict)
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(&text, "\n%d lines, %d not met\n", len(lines), missedIn(lines))
	for row := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(row, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// quantity is a median with its unit, and how far it may be off where the rounds were enough to say.
func quantity(s benchmath.Summary, unit string) string {
	if math.IsNaN(s.Center) {
		return "-"
	}
	text := value(s.Center, unit)
	off := s.PctRangeString()
	if s.Center == 0 || s.Lo == s.Hi || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return text
	}
	return text + " " + off
}

// value is a number in its unit: 1.02µs, 3 allocs, 48B.
func value(v float64, unit string) string {
	switch base := strings.TrimSuffix(unit, "/op"); base {
	case "sec":
		return strings.Replace(benchunit.Scale(v, benchunit.Decimal), "n", " n", 1) + "s"
	case "B":
		if v < 1024 {
			return fmt.Sprintf("%.0f B", v)
		}
		return benchunit.Scale(v, benchunit.Binary) + "B"
	default:
		return strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00") + " " + base
	}
}

func rival(l line) string {
	if l.bestName == "" {
		return "-"
	}
	return l.bestName + " " + quantity(l.best, l.unit)
}

func ratio(l line) string {
	if math.IsNaN(l.ratio) {
		return "-"
	}
	return fmt.Sprintf("%.2f×", l.ratio)
}

// wanted is the target in words.
func wanted(t target) string {
	switch t.rule {
	case timesBest:
		return fmt.Sprintf("≤ %.4g×", t.limit)
	case belowBest:
		return "< 1×"
	case atMost:
		return "≤ " + value(t.limit, t.unit)
	case overBest:
		return "≤ " + value(t.limit, t.unit) + " more"
	case shown:
		return "-"
	}
	return "?"
}
