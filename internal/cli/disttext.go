package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
	"github.com/retryscope/retryscope/trace"
)

// distText sets a distribution as text.
type distText struct {
	b     strings.Builder
	ascii bool
	width int
}

// laneNames are what the lanes are called in tables.
var laneNames = [...]string{"policy", "against"}

func (d *distText) text(p *distPlan, r *sim.DistResult) string {
	lanes := lanesOf(r)
	d.head(p, r, lanes)
	if r.Draws == 0 && !allExact(lanes) {
		d.b.WriteString("\nstopped before the first call was drawn\n")
		return d.set()
	}
	d.shares(r, lanes)
	d.times(lanes)
	for i, l := range lanes {
		d.counts(l, lanesLabel(lanes, i))
	}
	d.fans(r, lanes)
	d.histogram(r, lanes)
	return d.set()
}

// set is the text, in ASCII where that is asked for.
func (d *distText) set() string {
	out := d.b.String()
	if d.ascii {
		out = strings.NewReplacer("±", "+-", "−", "-", "◀", "<", "│", "|", "┊", ":").Replace(out)
		var lines []string
		for line := range strings.Lines(out) {
			lines = append(lines, asciiOnly(strings.TrimRight(line, "\n")))
		}
		return strings.Join(lines, "\n") + "\n"
	}
	return out
}

func lanesOf(r *sim.DistResult) []*sim.DistLane {
	if r.B == nil {
		return []*sim.DistLane{&r.A}
	}
	return []*sim.DistLane{&r.A, r.B}
}

func allExact(lanes []*sim.DistLane) bool {
	for _, l := range lanes {
		if l.How != sim.DistExact {
			return false
		}
	}
	return true
}

// lanesLabel is a lane's name where there are two.
func lanesLabel(lanes []*sim.DistLane, i int) string {
	if len(lanes) == 1 {
		return ""
	}
	return laneNames[i]
}

func (d *distText) row(label, text string) {
	const gutter = 9
	d.b.WriteString(strings.TrimRight(fmt.Sprintf("%-8s %s", label, shorten(text, d.width-gutter, d.ascii)), " ") + "\n")
}

func (d *distText) head(p *distPlan, r *sim.DistResult, lanes []*sim.DistLane) {
	for i, name := range p.names {
		d.row(laneNames[i], trace.Clean(name))
	}
	d.row("source", trace.Clean(p.source.words))
	if r.Deadline > 0 {
		d.row("deadline", engine.FormatDuration(r.Deadline))
	}
	if allExact(lanes) {
		d.row("figures", "exact, nothing was drawn")
		return
	}
	d.row("seed", strconv.FormatUint(r.Seed, 10))
	how := fmt.Sprintf("from %d calls drawn (± is one standard error)", r.Draws)
	if r.Partial {
		how = fmt.Sprintf("partial: %d of %d calls drawn before it was stopped", r.Draws, r.Wanted)
	}
	d.row("figures", how)
	for i, l := range lanes {
		switch {
		case l.How == sim.DistExact:
			d.row("", laneNames[i]+" is exact")
		case l.Why != "":
			d.row("", laneNames[i]+" is drawn: "+l.Why)
		}
	}
	if r.Diff != nil {
		d.row("", "difference is call by call, both drawn on the same chance")
	}
}

// shares is the table of what can be said in one figure a lane.
func (d *distText) shares(r *sim.DistResult, lanes []*sim.DistLane) {
	type line struct {
		label string
		of    func(*sim.DistLane) sim.DistFigure
		diff  func(*sim.DistDiff) sim.DistFigure
		show  func(float64) string
		less  func(sim.DistFigure) string // a difference
	}
	lines := []line{{"success", func(l *sim.DistLane) sim.DistFigure { return l.Success }, func(d *sim.DistDiff) sim.DistFigure { return d.Success }, percent, signedPoints}}
	if r.Deadline > 0 {
		at := engine.FormatDuration(r.Deadline)
		lines = append(lines,
			line{"success within " + at, func(l *sim.DistLane) sim.DistFigure { return l.Within }, func(d *sim.DistDiff) sim.DistFigure { return d.Within }, percent, signedPoints},
			line{"waits within " + at, func(l *sim.DistLane) sim.DistFigure { return l.WaitWithin }, nil, percent, nil})
	}
	lines = append(lines, line{"sends a call (load)", func(l *sim.DistLane) sim.DistFigure { return l.Attempts }, func(d *sim.DistDiff) sim.DistFigure { return d.Attempts }, number, signedNumber})
	d.b.WriteString("\n")
	const labels, columns = 24, 18
	if len(lanes) > 1 {
		d.line(fmt.Sprintf("%-*s%-*s%-*s%s", labels, "", columns, laneNames[0], columns, laneNames[1], "difference"))
	}
	for _, l := range lines {
		text := pad(l.label, labels)
		for _, lane := range lanes {
			text += pad(figure(l.of(lane), l.show), columns)
		}
		if r.Diff != nil && l.diff != nil {
			text += l.less(l.diff(r.Diff))
		}
		d.line(text)
	}
	for i, lane := range lanes {
		var ends []string
		for _, e := range lane.Ends {
			word := e.Result.String()
			if e.Reason != engine.ReasonNone {
				word = e.Reason.String()
			}
			ends = append(ends, word+" "+percent(e.Share.Value))
		}
		d.line(pad(strings.TrimLeft(lanesLabel(lanes, i)+" ends", " "), labels) + strings.Join(ends, ", "))
	}
}

func (d *distText) line(s string) { d.b.WriteString(strings.TrimRight(s, " ") + "\n") }

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(n-utf8.RuneCountInString(s), 0))
}

// figure is a number with its standard error, where it has one.
func figure(f sim.DistFigure, show func(float64) string) string {
	if f.How == sim.DistExact {
		return show(f.Value)
	}
	if math.IsNaN(f.SE) {
		return show(f.Value) + " (one draw)"
	}
	return show(f.Value) + " ±" + rough(f.SE, show)
}

// signed is a difference with its sign.
func signed(f sim.DistFigure, show func(float64) string) string {
	switch {
	case f.Value == 0 && f.SE == 0:
		return "none"
	case f.Value == 0 && math.IsNaN(f.SE):
		return "none (one draw)"
	}
	sign := "+"
	if f.Value < 0 {
		sign = "−"
		f.Value = -f.Value
	}
	return sign + figure(f, show)
}

// signedPoints is a difference of two shares: in points, since a percentage of it would be taken for a share of the first.
func signedPoints(f sim.DistFigure) string {
	text := signed(f, func(x float64) string { return strings.TrimSuffix(percent(x), "%") })
	if strings.HasPrefix(text, "none") {
		return text
	}
	return text + " points"
}

func signedNumber(f sim.DistFigure) string { return signed(f, number) }

// rough is a standard error in two digits.
func rough(x float64, show func(float64) string) string {
	if x == 0 {
		return "0"
	}
	digits := math.Pow(10, 1-math.Floor(math.Log10(x)))
	return show(math.Round(x*digits) / digits)
}

// percent is a share in four digits. Only 0 and 1 are said to be 0% and 100%.
func percent(x float64) string {
	p := x * 100
	text := strconv.FormatFloat(p, 'g', 4, 64)
	switch {
	case x > 0 && x < 1 && text == "100":
		return ">99.99%"
	case x > 0 && p < 0.001:
		return "<0.001%"
	}
	return text + "%"
}

// number is a count in four digits or whole.
func number(x float64) string {
	if x >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// times is the table of how long it takes.
func (d *distText) times(lanes []*sim.DistLane) {
	const cells = 6
	labels := d.width - 11*cells
	labels = max(min(labels, 24), 13)
	cell := func(s string) string { return strings.Repeat(" ", max(cells-utf8.RuneCountInString(s), 0)) + s }
	head := pad("", labels)
	for _, name := range []string{"mean", "sd", "p5", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "most"} {
		head += cell(name)
	}
	d.b.WriteString("\n")
	d.line(head)
	table := func(what string, of func(*sim.DistLane) *sim.DistSpread) {
		for i, lane := range lanes {
			s := of(lane)
			label := what
			if i > 0 {
				label = "  " + laneNames[i]
			}
			if s.None {
				d.line(pad(label, labels) + cell("none"))
				continue
			}
			d.line(pad(label, labels) + cell(brief(s.Mean)) + cell(brief(s.SD)) + briefs(s.Q[:], cell) + cell(brief(s.Max)))
			if s.How == sim.DistSampled {
				d.line(pad("  ±", labels) + cell(brief(s.MeanSE)) + cell("") + briefs(s.QSE[:], cell))
			}
		}
	}
	table("total wait", func(l *sim.DistLane) *sim.DistSpread { return &l.Wait })
	table("to success", func(l *sim.DistLane) *sim.DistSpread { return &l.Time })
}

func briefs(list []time.Duration, cell func(string) string) string {
	out := ""
	for _, t := range list {
		out += cell(brief(t))
	}
	return out
}

// brief is a time in three digits and a unit, in five columns.
func brief(d time.Duration) string {
	if d == engine.Forever {
		return "ever"
	}
	units := []struct {
		name string
		of   time.Duration
	}{{"ns", 1}, {"µs", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour}}
	if d == 0 {
		return "0"
	}
	if d == sim.NoSE {
		return "-"
	}
	if d < 0 {
		return "-" + brief(-d)
	}
	at := 0
	for at+1 < len(units) {
		next := units[at+1].of
		if next <= time.Second {
			next -= next / 2000 // what would be rounded to a thousand
		}
		if d < next {
			break
		}
		at++
	}
	x := float64(d) / float64(units[at].of)
	decimals := 0
	switch {
	case x < 9.995:
		decimals = 2
	case x < 99.95:
		decimals = 1
	}
	const columns = 5
	text := ""
	for ; decimals >= 0; decimals-- {
		text = strconv.FormatFloat(x, 'f', decimals, 64) + units[at].name
		if utf8.RuneCountInString(text) <= columns {
			break
		}
	}
	if whole := strconv.FormatFloat(x, 'f', -1, 64); !strings.Contains(whole, ".") {
		return whole + units[at].name
	}
	return text
}

// counts is how often calls send.
func (d *distText) counts(l *sim.DistLane, name string) {
	title := "sends: share of calls"
	if name != "" {
		title = name + ", " + title
	}
	var parts []string
	const most = 24
	for i, c := range l.Counts {
		if c.Value > 0 {
			parts = append(parts, strconv.Itoa(i+1)+": "+percent(c.Value))
		}
	}
	if len(parts) > most {
		parts = append(parts[:most-1], "…")
	}
	d.b.WriteString("\n" + title + "\n")
	line := ""
	for _, p := range parts {
		const column = 13
		if p = pad("  "+p, column+2); len(line)+len(p) > d.width && line != "" {
			d.line(line)
			line = ""
		}
		line += p
	}
	d.line(line)
}
