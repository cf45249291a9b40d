package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// distView is the view of a distribution.
type distView struct {
	runs   distRuns
	lane   int
	fields list
	linear bool
	bins   distBins

	// What was made of the result.
	of    *sim.DistResult
	ascii bool
	what  string
	head  ResultText
	note  string
}

// chosen is the lane in focus.
func (v *distView) chosen(d *doc) int {
	v.lane = max(min(v.lane, d.distLanes()-1), 0)
	return v.lane
}

func (m *Model) takeDrawn(msg drawnMsg) (tea.Cmd, bool) { return m.dist.runs.take(msg) }

// prepareDist makes the words where the result changed.
func (m *Model) prepareDist() {
	v, d := &m.dist, m.shownDoc()
	if !v.runs.made { // a frame before the first message
		_ = v.runs.sync(d, m.opts.Wall)
		v.runs.stop()
	}
	if r := v.runs.result; r == v.of && r != nil && v.ascii == m.paint.glyphs.ASCII {
		return
	}
	v.of, v.ascii = v.runs.result, m.paint.glyphs.ASCII
	v.what = distWhat(d)
	if v.of == nil {
		v.head = ResultText{Glyph: m.paint.glyphs.Warn, Style: FinalBold, Parts: []string{v.runs.wrong}}
		v.note = "the settings to the right choose what the calls meet"
		return
	}
	v.head = distHead(v.of, m.paint.glyphs)
	v.note = distHow(v.of)
}

// distWhat is what the calls meet, in a few words.
func distWhat(d *doc) string {
	m := d.meets()
	text := "calls that "
	switch m.kind {
	case distScript:
		text += "each meet the " + sourceText(d)
	case distChance:
		text += "fail by chance, " + strconv.FormatFloat(m.p*100, 'g', 3, 64) + "% of attempts"
	case distOutage:
		text += "begin in an outage of " + engine.FormatDuration(m.outage)
	case numDistKinds:
	}
	if m.deadline > 0 {
		text += ", deadline " + engine.FormatDuration(m.deadline)
	}
	return text
}

// distHead is how one policy fares, or which of two fares better.
func distHead(r *sim.DistResult, gl *Glyphs) ResultText {
	h := ResultText{Glyph: gl.OK, Style: OKBold}
	a := &r.A
	if r.B == nil {
		if a.Success.Value < 0.5 {
			h.Glyph, h.Style = gl.Final, FinalBold
		} else if a.Success.Value < 0.99 {
			h.Glyph, h.Style = gl.Warn, RetryBold
		}
		h.Parts = append(h.Parts, percentFine(a.Success.Value)+" of calls succeed")
		if r.Deadline > 0 {
			h.Parts = append(h.Parts, percentFine(a.Within.Value)+" within "+engine.FormatDuration(r.Deadline))
		}
		h.Parts = append(h.Parts, fmt.Sprintf("%.2f sends a call", a.Attempts.Value))
		if !a.Wait.None {
			h.Parts = append(h.Parts, "waits "+shortTime(a.Wait.Q[distP50])+", 1 in 100 over "+shortTime(a.Wait.Q[distP99]))
		}
		return h
	}
	b, diff := r.B, r.Diff
	first := diff.Success
	what := "succeeds"
	if r.Deadline > 0 {
		first, what = diff.Within, "succeeds within "+engine.FormatDuration(r.Deadline)
	}
	switch better := "B"; {
	case math.Abs(first.Value) <= 3*first.SE || math.Abs(first.Value) < 1e-6:
		h.Glyph, h.Style = gl.Due, Bold
		h.Parts = append(h.Parts, "no difference in what "+what)
	default:
		if first.Value < 0 {
			better = "A"
		}
		h.Parts = append(h.Parts, fmt.Sprintf("%s %s more often, by %.1f%% of calls", better, what, math.Abs(first.Value)*100))
	}
	h.Parts = append(h.Parts, "A "+percentFine(a.Success.Value)+", B "+percentFine(b.Success.Value)+" succeed",
		fmt.Sprintf("sends A %.2f, B %.2f", a.Attempts.Value, b.Attempts.Value))
	return h
}

// percentFine is a share in percent with one decimal where it says something.
func percentFine(x float64) string {
	switch {
	case x > 0 && x < 0.001:
		return "<0.1%"
	case x < 1 && x > 0.999:
		return ">99.9%"
	}
	return strconv.FormatFloat(math.Round(x*1000)/10, 'f', -1, 64) + "%"
}

// distHow says how the figures were found.
func distHow(r *sim.DistResult) string {
	if r.A.How == sim.DistExact && (r.B == nil || r.B.How == sim.DistExact) {
		return "every figure is exact, from a closed form"
	}
	why := r.A.Why
	if why == "" && r.B != nil {
		why = r.B.Why
	}
	text := "drawn: " + grouped(r.Draws) + " calls"
	if r.Partial {
		text += " of " + grouped(r.Wanted)
	}
	if why != "" {
		text += "; no closed form: " + why
	}
	return text
}

func (m *Model) drawDistChart() {
	p, v := &m.paint, &m.dist
	r := p.lay.parts[partChart]
	if r.W == 0 {
		return
	}
	g := p.grid.sub(r.X, r.Y, r.W, r.H)
	if v.runs.wrong != "" && v.runs.result == nil {
		drawWrapped(&g, 0, g.H, Err, v.runs.wrong, p.glyphs)
		return
	}
	drawDist(&g, &DistInput{Result: v.runs.result, Chosen: v.chosen(m.shownDoc()), Linear: v.linear, Glyphs: p.glyphs}, &v.bins)
}

// drawDistReading are the figures of the chosen lane, with their standard errors where they are drawn.
func (m *Model) drawDistReading() {
	p, v := &m.paint, &m.dist
	r := v.runs.result
	if r == nil {
		return
	}
	i := v.chosen(m.shownDoc())
	l := distLanesOf(r)[min(i, len(distLanesOf(r))-1)]
	g := p.grid.sub(1, p.lay.read, p.grid.W-2, 1)
	x := g.Text(0, 0, Bold, laneLetter(i)+" "+l.How.String()) + 2
	for _, piece := range distFigures(l, r) {
		if x+TextWidth(piece.name)+1+TextWidth(piece.value) > g.W {
			break
		}
		x = g.Text(x, 0, Dim, piece.name) + 1
		x = g.Text(x, 0, piece.style, plusMinus(piece.value, p.glyphs)) + 2
	}
}

// plusMinus is a figure in the set of signs in use.
func plusMinus(text string, gl *Glyphs) string {
	if gl.ASCII {
		return strings.ReplaceAll(text, "±", "+-")
	}
	return text
}

func distFigures(l *sim.DistLane, r *sim.DistResult) []reading {
	share := func(f sim.DistFigure) string {
		text := percentFine(f.Value)
		if f.SE > 0 {
			text += "±" + strconv.FormatFloat(f.SE*100, 'g', 1, 64)
		}
		return text
	}
	out := []reading{{"succeed", share(l.Success), OKText}}
	if r.Deadline > 0 {
		out = append(out, reading{"in time", share(l.Within), OKText})
	}
	sends := fmt.Sprintf("%.2f", l.Attempts.Value)
	if l.Attempts.SE > 0 {
		sends += fmt.Sprintf("±%.2f", l.Attempts.SE)
	}
	out = append(out, reading{"sends", sends, RetriedText})
	if !l.Wait.None {
		q := &l.Wait.Q
		out = append(out, reading{"wait p50", shortTime(q[distP50]), Plain}, reading{"p90", shortTime(q[distP90]), Plain}, reading{"p99", shortTime(q[distP99]), Plain},
			reading{"p99.9", shortTime(q[distP999]), Plain}, reading{"longest", shortTime(l.Wait.Max), Plain})
	}
	if !l.Time.None {
		out = append(out, reading{"success after p50", shortTime(l.Time.Q[distP50]), Plain}, reading{"p99", shortTime(l.Time.Q[distP99]), Plain})
	}
	return out
}

// moveDist chooses a lane.
func (m *Model) moveDist(mo motion, by int) {
	if by != 0 {
		m.say("nothing moves here: these are the figures of all calls")
		return
	}
	l := list{at: m.dist.chosen(&m.doc)}
	l.move(mo, m.doc.distLanes(), m.doc.distLanes())
	m.dist.lane = l.at
}

// turnDist moves a setting by a step.
func (m *Model) turnDist(by int, coarse bool) {
	k := &distKnobs[m.dist.fields.at]
	next := *m.doc.meets()
	k.next(&next, by, coarse)
	if next == *m.doc.meets() {
		m.say(k.label + " goes no further this way; enter types any value")
		return
	}
	m.commit(distEdit{next, k.label})
}

// typeDist asks for the exact value of a setting.
func (m *Model) typeDist() {
	k := &distKnobs[m.dist.fields.at]
	m.ask(&prompt{
		head: "Type " + k.label, label: k.label + " =", hint: k.words + ": " + k.hint, field: newField(k.get(m.doc.meets()), false),
		check: func(text string) (reply, error) {
			next := *m.doc.meets()
			if err := k.set(&next, text); err != nil {
				return nil, err
			}
			return takes{distEdit{next, k.label}}, nil
		},
	})
}

// addAgainst puts a copy of the screen's policy beside it.
func (m *Model) addAgainst() {
	if m.doc.distLanes() > 1 {
		m.say("two policies are compared here; the fleet (7) compares five. d drops B")
		return
	}
	next := *m.doc.meets()
	l := m.doc.distLane(0)
	next.against = &l
	m.commit(distEdit{next, "policy added"})
	m.dist.lane = 1
	m.say("B is a copy of A on the same chance: turn its knobs, or p takes a preset")
}

func (m *Model) dropAgainst() {
	if m.doc.distLanes() == 1 {
		m.say("A is the policy of all views and stays")
		return
	}
	next := *m.doc.meets()
	next.against = nil
	m.commit(distEdit{next, "policy B dropped"})
	m.say("B is dropped: u brings it back")
}
