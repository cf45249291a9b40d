package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
	"github.com/retryscope/retryscope/ui"
)

// fleetLabels are what the policies are called in the table.
const fleetLabels = "ABCDEFGH"

// fleetText is the table of a fleet: first what becomes of it, then what that costs.
func fleetText(p *fleetPlan, all []*sim.Summary, partial bool, width int, ascii bool) string {
	d := distText{ascii: ascii, width: width}
	d.fleetHead(p, all, partial)
	rows := [][]string{{"", "verdict", "after", "success", "sent/call", "peak/s", "wasted", "p50", "p99"}}
	for i, s := range all {
		row := []string{fleetLabels[i : i+1], "not run"}
		if s.Seeds > 0 {
			row = fleetRow(fleetLabels[i:i+1], s)
		}
		rows = append(rows, row)
	}
	d.line("")
	d.table(rows, width)
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
		d.wrapped(fleetLabels[i:i+1]+"  "+name, width, "   ")
		d.fleetReasons(all[i])
	}
	return d.set()
}

// fleetHead says what is simulated.
func (d *distText) fleetHead(p *fleetPlan, all []*sim.Summary, partial bool) {
	d.line("FLEET  " + p.scenario.Title)
	if story := strings.Join(strings.Fields(p.story), " "); story != "" {
		d.wrapped("  "+story, min(d.width, 120), "  ")
	}
	d.wrapped("  "+fleetWords(&p.fleets[0]), min(d.width, 120), "  ")
	if c := &p.fleets[0].Server; c.Limit > 0 && c.Workers > 0 && c.Service > 0 {
		d.line(fmt.Sprintf("  two limits: capacity lets in %s calls a second, and the workers serve %s", digits(c.Limit), digits(float64(c.Workers)/c.Service.Seconds())))
	}
	if p.seeds > 1 {
		d.line(fmt.Sprintf("  means of %d seeds; --json has their standard errors", p.seeds))
	}
	if partial {
		d.line("  partial: stopped before all runs were done" + doneWords(p, all))
	}
}

// fleetReasons say below a policy why it comes to what it does, and what the table leaves out.
func (d *distText) fleetReasons(s *sim.Summary) {
	if s.Why != "" && s.Seeds > 0 {
		d.wrapped("   "+verdictWords(s)+": "+s.Why, d.width, "   ")
	}
	if words := openWords(s); words != "" {
		d.wrapped("   "+words, d.width, "   ")
	}
}

// wrapped are the lines of wrapWords.
func (d *distText) wrapped(s string, width int, indent string) {
	for _, line := range wrapWords(s, width, indent) {
		d.line(line)
	}
}

// worthTelling is the share of its calls from which on those are told of that have not ended with a run: some are always
// under way.
const worthTelling = 0.005

// openWords tell of calls that are no part of the success, having not ended.
func openWords(s *sim.Summary) string {
	switch {
	case s.Unfinished.Mean == 0 || s.Unfinished.Mean < worthTelling*s.Calls.Mean:
		return ""
	case s.Success.N == 0:
		return "unfinished: none of the " + digits(s.Calls.Mean) + " calls had ended with the run"
	default:
		return fmt.Sprintf("unfinished: %s of the %s calls had not ended with the run, and success is that of the others; with them it is %s",
			digits(s.Unfinished.Mean), digits(s.Calls.Mean), share(s.Useful.Mean/s.Calls.Mean))
	}
}

// doneWords say which runs of each policy came to their end.
func doneWords(p *fleetPlan, all []*sim.Summary) string {
	if !slices.ContainsFunc(all, func(s *sim.Summary) bool { return s.Seeds > 0 }) {
		return "; no run was finished"
	}
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
func fleetWords(c *sim.Config) string {
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
	return strings.Join(words, " ")
}

// verdictWords are the verdict, and how many runs of how many recovered where that differs.
func verdictWords(s *sim.Summary) string {
	verdict := s.Verdict.String()
	if s.Recovered > 0 && s.Recovered < s.Seeds {
		verdict += fmt.Sprintf(" %d/%d", s.Recovered, s.Seeds)
	}
	return verdict
}

func fleetRow(label string, s *sim.Summary) []string {
	row := []string{
		label, verdictWords(s), "-", statText(s.Success, share), statText(s.Amplification, times), statText(s.Peak, digits), statText(s.Wasted, share),
	}
	if r, ok := recovery(s); ok {
		row[2] = ui.FleetTime(r.Mean)
	}
	if c := s.Config.Server.Capacity(); c > 0 {
		row[5] += " (" + times(s.Peak.Mean/c) + ")"
	}
	for _, q := range []float64{0.5, 0.99} {
		row = append(row, statText(s.Times[slices.Index(sim.Quantiles(), q)], ui.FleetTime))
	}
	return row
}

// recovery is the time to it. There is none where nothing was wrong, and none of a herd that gives up: what it is back from
// is not well.
func recovery(s *sim.Summary) (sim.Stat, bool) {
	return s.Recover, s.Recover.N > 0 && s.Verdict != sim.GivesUp
}

// statText is a figure's mean, - where there is none.
func statText(s sim.Stat, show func(float64) string) string {
	if s.N == 0 {
		return "-"
	}
	return show(s.Mean)
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

// table lines its columns up: words to the left, figures to the right, closer together where they would be too wide.
func (d *distText) table(rows [][]string, width int) {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	all, gap := 2*(len(wide)-1), "  "
	for _, w := range wide {
		all += w
	}
	if all > width {
		gap = " "
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 1 {
				b.WriteString(strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell)) + cell + gap)
			} else {
				b.WriteString(pad(cell, wide[i]) + gap)
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
