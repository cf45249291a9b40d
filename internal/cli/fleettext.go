package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
	"github.com/retryscope/retryscope/ui"
)

// fleetLabels are what the policies are called in the table.
const fleetLabels = "ABCDEFGH"

// fleetText is the table of a fleet: first what becomes of it, then what that costs.
func fleetText(p *fleetPlan, all []*sim.Summary, partial bool, width int, ascii bool) string {
	d := distText{ascii: ascii, width: width}
	d.line("FLEET  " + p.scenario.Title)
	for _, line := range wrapWords(strings.Join(strings.Fields(p.story), " "), min(width, 120)-2, "") {
		if line != "" {
			d.line("  " + line)
		}
	}
	for _, line := range fleetWords(&p.fleets[0], min(width, 120)-2) {
		d.line("  " + line)
	}
	if p.seeds > 1 {
		d.line(fmt.Sprintf("  means of %d seeds; --json has their standard errors", p.seeds))
	}
	if partial {
		d.line("  partial: stopped before all runs were done" + doneWords(p, all))
	}
	d.line("")
	heads := []string{"policy", "verdict", "after", "success", "load", "peak/s", "wasted", "p50", "p99"}
	rows := [][]string{heads}
	for i, s := range all {
		row := []string{fleetLabels[i : i+1], "not run"}
		if s.Seeds > 0 {
			row = fleetRow(fleetLabels[i:i+1], s)
		}
		rows = append(rows, row)
	}
	d.table(rows)
	d.line("")
	in := ui.FleetInput{Chosen: -1, Now: -1, Glyphs: ui.Unicode()}
	if ascii {
		in.Glyphs = ui.ASCII()
	}
	policies := make([]engine.Policy, len(all))
	for i := range all {
		policies[i] = p.fleets[i].Policy
	}
	short := ui.FleetNames(p.names, policies)
	for i, s := range all {
		in.Lanes = append(in.Lanes, ui.FleetLane{Name: short[i], Run: s})
	}
	d.b.WriteString(ui.FleetText(&in, min(width, 140)))
	d.line("")
	for i, name := range p.names {
		for _, line := range wrapWords(fleetLabels[i:i+1]+"  "+name, width, "   ") {
			d.line(line)
		}
		if s := all[i]; s.Why != "" {
			for _, line := range wrapWords("   "+fleetRow("", s)[1]+": "+s.Why, width, "   ") {
				d.line(line)
			}
		}
	}
	return d.set()
}

// doneWords say which runs of each policy came to their end.
func doneWords(p *fleetPlan, all []*sim.Summary) string {
	if p.seeds == 1 {
		return ""
	}
	var parts []string
	for i, s := range all {
		parts = append(parts, fmt.Sprintf("%s %d", fleetLabels[i:i+1], s.Seeds))
	}
	return ": " + strings.Join(parts, ", ") + fmt.Sprintf(" of %d seeds", p.seeds)
}

// fleetWords tell of the load, the server and what is wrong with it.
func fleetWords(c *sim.Config, width int) []string {
	skip := map[string]bool{"bucket": true, "method": c.Method == "GET"}
	defaults := sim.Config{Layers: 1, Server: sim.Server{Refusal: 503}, Budget: sim.Guard{Kind: sim.PolicyBudget}}
	var words []string
	for _, f := range sim.Fields() {
		value := f.Get(c)
		if skip[f.Name] || value == f.Get(&defaults) && f.Name != "load" {
			continue
		}
		if strings.Contains(value, " ") {
			value = "'" + value + "'"
		}
		words = append(words, f.Name+"="+value)
	}
	return wrapWords(strings.Join(words, " "), width, "")
}

func fleetRow(label string, s *sim.Summary) []string {
	verdict, after := s.Verdict.String(), "-"
	if s.Recovered > 0 {
		after = ui.FleetTime(s.Recover.Mean)
	}
	if s.Recovered > 0 && s.Recovered < s.Seeds {
		verdict += fmt.Sprintf(" %d/%d", s.Recovered, s.Seeds)
	}
	row := []string{label, verdict, after, share(s.Success.Mean), times(s.Amplification.Mean), digits(s.Peak.Mean), share(s.Wasted.Mean)}
	if c := s.Config.Server.Capacity(); c > 0 {
		row[5] += " (" + times(s.Peak.Mean/c) + ")"
	}
	for _, q := range []float64{0.5, 0.99} {
		i := slices.Index(sim.Quantiles(), q)
		if s.Times[i].N == 0 {
			row = append(row, "-")
			continue
		}
		row = append(row, ui.FleetTime(s.Times[i].Mean))
	}
	return row
}

// digits is a number in three digits, or whole.
func digits(x float64) string {
	for i, at := range []float64{10, 100} {
		if math.Abs(x) < at-0.5*math.Pow10(i-2) {
			return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 2-i, 64), "."+strings.Repeat("0", 2-i))
		}
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// times is a factor in three digits.
func times(x float64) string {
	switch {
	case x >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64) + "x"
	case x >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64) + "x"
	default:
		return strconv.FormatFloat(x, 'f', 2, 64) + "x"
	}
}

// share is a part of a whole in percent and three digits; it is 0% and 100% only where it is all or nothing.
func share(x float64) string {
	switch {
	case x > 0 && x < 0.001:
		return "<0.1%"
	case x < 1 && x >= 0.9995:
		return ">99.9%"
	default:
		return digits(x*100) + "%"
	}
}

// table lines its columns up: words to the left, figures to the right.
func (d *distText) table(rows [][]string) {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 1 {
				b.WriteString(strings.Repeat(" ", wide[i]-len([]rune(cell))) + cell + "  ")
			} else {
				b.WriteString(pad(cell, wide[i]) + "  ")
			}
		}
		d.line(b.String())
	}
}

// wrapWords breaks a text at blanks, so that no line is longer than width if it can be; later lines begin with indent.
func wrapWords(s string, width int, indent string) []string {
	var lines []string
	for {
		if len([]rune(s)) <= width {
			return append(lines, s)
		}
		cut := strings.LastIndexByte(string([]rune(s)[:width+1]), ' ')
		if cut <= len(indent) {
			return append(lines, s)
		}
		lines = append(lines, s[:cut])
		s = indent + s[cut+1:]
	}
}
