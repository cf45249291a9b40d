package ui

import "strconv"

// drawStage draws a view of many calls.
func (m *Model) drawStage() {
	m.prepareStage()
	m.drawStageHead()
	m.drawStageRules()
	if m.stage == stageDist {
		m.drawDistChart()
		m.drawDistReading()
	} else {
		m.drawFleetChart()
		m.drawReading()
	}
	m.drawStageKnobs()
	m.drawStageNote()
	m.drawStageFoot()
	m.drawDialog()
}

// prepareStage makes the rows and the words where something changed.
func (m *Model) prepareStage() {
	f, d := &m.fleet, m.shownDoc()
	if m.stage == stageDist {
		m.prepareDist()
	} else {
		m.prepareFleet()
	}
	l := m.stageLane(d)
	key := rowsKey{l.policy, l.base, d.inFleet().config, d.meets(), m.stage == stageDist, m.paint.glyphs.ASCII}
	if key == f.rowsOf {
		return
	}
	f.rowsOf = key
	f.rows = knobRows(&l.policy, &l.base, &d.request, "")[:knobMethod]
	if m.stage == stageDist {
		f.others = distRows(d.meets())
	} else {
		f.others = fieldRows(d.inFleet())
	}
	for _, rows := range [][]knobRow{f.rows, f.others} {
		for i := range rows {
			rows[i].value = inSet(rows[i].value, m.paint.glyphs)
		}
	}
}

// stageLane is the chosen policy of the view in front.
func (m *Model) stageLane(d *doc) laneDoc {
	if m.stage == stageDist {
		return d.distLane(m.dist.chosen(d))
	}
	return d.lane(m.fleet.chosen(d))
}

func (m *Model) drawStageHead() {
	p := &m.paint
	g := &p.grid
	f := &m.fleet
	what := &f.words.what
	if m.stage == stageDist {
		what = &m.dist.what
		m.dist.head.Draw(g, 1, 1, g.W-2, p.glyphs)
	} else {
		f.words.head.draw(g, 1, 1, g.W-2, p.glyphs)
	}
	right := "seed " + strconv.FormatUint(m.shownDoc().seed, 10)
	if c := &f.cursor; c.playing {
		right += "  playing " + speedWords[c.speed] + p.glyphs.Times
	}
	const name = "retryscope"
	at, x := 1, g.W-1
	if g.W >= wholeW {
		x = g.TextRight(x, 0, Plain, right) - 2
	}
	if w := len(name) + 2; at+w+TextWidth(*what) < x { // its own name is the first to give way
		at = g.Text(at, 0, Bold, name) + 2
	}
	g.TextCut(at, 0, x-at, Plain, *what, p.glyphs.Ellipsis)
}

// stageTabs are the views that one gets to, and their digits.
var stageTabs = [...]struct {
	name  string
	stage stage
}{{" 1 Timeline ", stageCall}, {" 6 Distribution ", stageDist}, {" 7 Fleet ", stageFleet}, {" 8 Heat map ", stageHeat}}

func (m *Model) drawStageRules() {
	p := &m.paint
	g, gl := &p.grid, p.glyphs
	for _, y := range p.lay.rules {
		g.Fill(0, y, g.W, gl.H, Rule)
	}
	x, y := 2, p.lay.rules[0]
	for _, t := range stageTabs {
		style := Title
		if t.stage == m.stage {
			style = TitleOn
			if m.fleet.focus == partChart {
				g.Set(x-1, y, gl.Pointer, style)
			}
		}
		name := t.name
		if p.lay.single && t.stage != m.stage {
			name = name[:2] + " " // its digit; the room is for the part that shows
		}
		x = g.Text(x, y, style, name) + 1
	}
	if p.lay.single {
		m.drawPartTabs(x)
		return
	}
	for _, x := range p.lay.cols {
		for y := p.lay.rules[1] + 1; y < p.lay.note; y++ {
			g.Set(x, y, gl.V, Rule)
		}
		g.Set(x, p.lay.rules[1], gl.TeeDown, Rule)
	}
	for _, q := range [...]stagePart{partPolicy, partFields} {
		r := p.lay.parts[q]
		style := Title
		if q == m.fleet.focus {
			style = TitleOn
			g.Set(r.X+1, r.Y-1, gl.Pointer, style)
		}
		g.TextCut(r.X+2, r.Y-1, r.W-4, style, " "+m.partTitle(q)+" ", gl.Ellipsis)
	}
}

// drawPartTabs names the part that shows, where one fills the screen.
func (m *Model) drawPartTabs(x int) {
	p := &m.paint
	if m.fleet.focus == partChart {
		return
	}
	text := " " + m.partTitle(m.fleet.focus) + " "
	w := min(TextWidth(text), p.grid.W-x-3)
	p.grid.Set(p.grid.W-w-2, p.lay.rules[0], p.glyphs.Pointer, TitleOn)
	p.grid.TextCut(p.grid.W-w-1, p.lay.rules[0], w, TitleOn, text, p.glyphs.Ellipsis)
}

func (m *Model) partTitle(q stagePart) string {
	f := &m.fleet
	switch {
	case q == partPolicy && m.stage == stageDist:
		i := m.dist.chosen(m.shownDoc())
		l := m.shownDoc().distLane(i)
		return "Policy " + laneLetter(i) + ": " + l.label()
	case q == partFields && m.stage == stageDist:
		return "What the calls meet"
	case q == partPolicy:
		i := f.chosen(m.shownDoc())
		return "Policy " + laneLetter(i) + ": " + f.runs.names[i]
	case q == partFields:
		return "Fleet: " + m.shownDoc().inFleet().scenario
	}
	return ""
}

func (m *Model) drawStageKnobs() {
	p, f := &m.paint, &m.fleet
	if r := p.lay.parts[partPolicy]; r.W > 0 {
		g := p.grid.sub(r.X, r.Y, r.W, r.H)
		f.policy.draw(&g, f.rows, p.glyphs, f.focus == partPolicy)
	}
	if r := p.lay.parts[partFields]; r.W > 0 {
		g := p.grid.sub(r.X, r.Y, r.W, r.H)
		at := m.fieldList()
		k := knobs{*at}
		k.draw(&g, f.others, p.glyphs, f.focus == partFields)
		*at = k.list
	}
}

// drawStageNote is what the latest key came to, else what there is to know of the thing in focus.
func (m *Model) drawStageNote() {
	p, f := &m.paint, &m.fleet
	g := &p.grid
	if m.note.text != "" {
		m.drawNote()
		return
	}
	text := ""
	switch {
	case m.stage == stageDist && f.focus == partFields:
		k := &distKnobs[m.dist.fields.at]
		text = k.label + ": " + k.words
	case m.stage == stageDist:
		text = m.dist.note
	case f.focus == partFields:
		k := &fieldKnobs()[f.fields.at]
		text = k.label + ": " + k.words
	default:
		text = f.words.notes[f.chosen(m.shownDoc())]
	}
	g.TextCut(1, p.lay.note, g.W-2, Dim, inSet(text, p.glyphs), p.glyphs.Ellipsis)
}

// stageFootKey is what the foot line depends on.
type stageFootKey struct {
	focus stagePart
	stage stage
}

func (m *Model) drawStageFoot() {
	p := &m.paint
	if m.dialog() != nil {
		return
	}
	p.footKey = footKey{}
	x := 1
	p.foot = m.fitHints(p.foot[:0], stageHints(stageFootKey{m.fleet.focus, m.stage}), p.grid.W)
	for _, f := range p.foot {
		x = p.grid.Text(x, p.lay.foot, Key, f.keys)
		x = p.grid.Text(x+1, p.lay.foot, Dim, f.word) + 2
	}
}

func stageHints(k stageFootKey) []hint {
	var out []hint
	switch k.focus {
	case partChart:
		out = []hint{{"up down", "lane"}}
		if k.stage != stageDist {
			out = append(out, hint{"left right", "scrub"})
		}
	case partPolicy, partFields:
		out = []hint{{"up down", "knob"}, {"left right", "change"}, {"enter", "type"}}
	case numParts:
	}
	if k.stage == stageDist {
		return append(out, hint{"next-pane", "part"}, hint{"presets", "preset"}, hint{"add-lane", "compare"}, hint{"drop-lane", "drop"}, hint{"undo", "undo"},
			hint{"seed", "seed"}, hint{"script", "script"}, hint{"full", "full"}, hint{"axis", "axis"}, hint{"copy", "copy"})
	}
	return append(out, hint{"next-pane", "part"}, hint{"scenario", "scenario"}, hint{"play", "play"}, hint{"presets", "preset"}, hint{"add-lane", "add"},
		hint{"drop-lane", "drop"}, hint{"undo", "undo"}, hint{"seed", "seed"}, hint{"full", "full"}, hint{"copy", "copy"}, hint{"prev-event next-event", "step"},
		hint{"zoom-in zoom-out", "zoom"}, hint{"slower faster", "speed"})
}
