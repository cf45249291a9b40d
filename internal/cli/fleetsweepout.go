package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retryscope/retryscope/sim"
)

// sweepColumn is one of the CSV of a sweep.
type sweepColumn struct {
	name string
	of   func(*point) string
}

// sweepColumns are all of them, in their order.
func sweepColumns() []sweepColumn {
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', 8, 64)
	}
	columns := []sweepColumn{
		{"policy", func(pt *point) string { return pt.Policy }},
		{"over", func(pt *point) string { return pt.Over }},
		{"value", func(pt *point) string { return number(&pt.Value) }},
	}
	stat := func(name string, of func(*point) *statOut) {
		part := func(pick func(*statOut) *float64) func(*point) string {
			return func(pt *point) string {
				if s := of(pt); s != nil {
					return number(pick(s))
				}
				return ""
			}
		}
		columns = append(columns,
			sweepColumn{name, part(func(s *statOut) *float64 { return &s.Mean })},
			sweepColumn{name + "_se", part(func(s *statOut) *float64 { return &s.SE })})
	}
	stat("goodput_per_s", func(pt *point) *statOut { return pt.Goodput })
	columns = append(columns, sweepColumn{"goodput_over_capacity", func(pt *point) string { return number(pt.OfCapacity) }})
	stat("amplification", func(pt *point) *statOut { return pt.Amplification })
	stat("success", func(pt *point) *statOut { return pt.Success })
	stat("wasted", func(pt *point) *statOut { return pt.Wasted })
	return append(columns,
		sweepColumn{"verdict", func(pt *point) string { return pt.Verdict }},
		sweepColumn{"why", func(pt *point) string { return pt.Why }},
		sweepColumn{"load_threshold", func(pt *point) string { return number(pt.Threshold) }})
}

// sweepHeader are the names of the columns.
func sweepHeader() []string {
	var names []string
	for _, c := range sweepColumns() {
		names = append(names, c.name)
	}
	return names
}

func sweepCSV(w io.Writer, points []point) error {
	c := csv.NewWriter(w)
	rows := [][]string{sweepHeader()}
	for i := range points {
		var row []string
		for _, column := range sweepColumns() {
			row = append(row, column.of(&points[i]))
		}
		rows = append(rows, row)
	}
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	return c.Error()
}

// sweepHeads are the columns of the table behind that of the setting; the verdict is words, and a bar comes after it.
var sweepHeads = [...]string{"goodput/s", "sent/call", "success", "wasted", "verdict"}

// show is the sweep as a table, with a bar for the goodput and a rule where load times attempts meets the capacity.
func (p *sweepPlan) show(points []point, width int, ascii bool) string {
	d := distText{ascii: ascii, width: width}
	for len(points) > 0 {
		n := 1
		for n < len(points) && points[n].at/len(p.values) == points[0].at/len(p.values) {
			n++
		}
		if d.b.Len() > 0 {
			d.line("")
		}
		p.showPolicy(&d, points[:n])
		points = points[n:]
	}
	return d.set()
}

// showPolicy is the table of one policy, and why it comes to what it does.
func (p *sweepPlan) showPolicy(d *distText, points []point) {
	block, rule := "█", "┈┈"
	if d.ascii {
		block, rule = "#", "--"
	}
	d.wrapped("policy  "+points[0].Policy, d.width, "        ")
	rows := [][]string{append([]string{p.over}, sweepHeads[:]...)}
	most := 1e-9
	for i := range points {
		rows = append(rows, p.cells(&points[i]))
		most = max(most, points[i].Goodput.Mean)
	}
	lines := columns(rows)
	bar := min(max(d.width-utf8.RuneCountInString(lines[0]), 4), 40)
	d.line(lines[0] + "goodput")
	for i := range points {
		pt := &points[i]
		if t := pt.Threshold; p.over == "load" && t != nil && pt.Value > *t+1e-9 && (i == 0 || points[i-1].Value <= *t+1e-9) {
			d.wrapped("      "+p.ruleWords(pt, rule), d.width, "         ")
		}
		d.line(lines[i+1] + strings.Repeat(block, int(math.Round(pt.Goodput.Mean/most*float64(bar)))))
	}
	p.reasons(d, points)
}

// columns set rows of figures to the right, and the words in the last column to the left.
func columns(rows [][]string) []string {
	lines := make([]string, len(rows))
	for i := range rows[0] {
		wide := 0
		for _, row := range rows {
			wide = max(wide, utf8.RuneCountInString(row[i]))
		}
		for j, row := range rows {
			cell, gap := row[i], strings.Repeat(" ", wide-utf8.RuneCountInString(row[i]))
			if i == len(row)-1 {
				cell, gap = gap, cell
			}
			lines[j] += gap + cell + "  "
		}
	}
	return lines
}

// cells are those of a row.
func (p *sweepPlan) cells(pt *point) []string {
	s := &pt.run.Steady
	return []string{
		p.value(pt), plusMinus(s.Goodput, digits, 1), plusMinus(s.Amplification, times, 1), plusMinus(s.Success, share, 100),
		plusMinus(s.Wasted, share, 100), verdictWords(pt.run),
	}
}

func (p *sweepPlan) value(pt *point) string { return p.text(p.values[pt.at%len(p.values)]) }

// plusMinus is a figure with its standard error in two digits, times scale, where there are several runs.
func plusMinus(s sim.Stat, show func(float64) string, scale float64) string {
	text := statText(s, show)
	switch x := s.SE * scale; {
	case s.N < 2:
		return text
	case x > 0 && x < 0.01:
		return text + " ±<0.01"
	default:
		return text + " ±" + rough(x, func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) })
	}
}

// reasons say of each verdict why it is, once.
func (p *sweepPlan) reasons(d *distText, points []point) {
	var told []string
	for i := range points {
		pt := &points[i]
		if pt.Why == "" || slices.Contains(told, pt.Verdict) {
			continue
		}
		told = append(told, pt.Verdict)
		last := i
		for j := i; j < len(points) && points[j].Why == pt.Why; j++ {
			last = j
		}
		at := "at " + p.value(pt)
		if last > i {
			at = "from " + p.value(pt) + " to " + p.value(&points[last])
		}
		d.wrapped(fmt.Sprintf("%s %s: %s", pt.Verdict, at, pt.Why), d.width, "  ")
	}
}

// ruleWords tell of the threshold between two loads.
func (p *sweepPlan) ruleWords(pt *point, rule string) string {
	c := &p.fleets[pt.at]
	if *pt.Threshold == 1 {
		return rule + " the capacity"
	}
	what := fmt.Sprintf("capacity / %d attempts", c.Policy.Attempts)
	if c.Layers > 1 {
		what += fmt.Sprintf(" in each of %d layers", c.Layers)
	}
	return fmt.Sprintf("%s %s = %s: above, timeouts can keep it down", rule, what, strconv.FormatFloat(*pt.Threshold, 'g', 3, 64))
}
