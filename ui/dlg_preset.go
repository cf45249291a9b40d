package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
)

// presetDialog chooses one of the policies of known clients: a list by ecosystem with a search, each policy tried out on
// the timeline as one comes to it, and what is known of the client beside it.
type presetDialog struct {
	all   []presets.Preset
	find  []string // what a search looks at, in small letters
	field field
	shown []presetRow // headings, and the presets that match
	at    int         // the preset in focus, an index of all
	none  bool        // nothing matches: the one in focus is not in sight
	list  list        // over shown
	rowN  int

	// reading says that the keys scroll the page of the preset.
	reading bool
	page    scroll
	pageN   int // lines of the page, and of them in sight
	pageH   int
}

// presetRow is a line of the list: a preset, or with -1 the heading of the group that begins below it.
type presetRow struct {
	preset int
	head   string
}

// newPresetDialog begins at the preset of that name.
func newPresetDialog(name string) *presetDialog {
	d := &presetDialog{all: presets.All(), rowN: 10, pageH: 1} // until it is drawn
	for i := range d.all {
		p := &d.all[i]
		d.find = append(d.find, strings.ToLower(strings.Join([]string{p.ID, p.Name, p.Library, p.Version, p.Ecosystem}, " ")))
		if p.ID == name {
			d.at = i
		}
	}
	d.filter()
	return d
}

func (d *presetDialog) title() string {
	if d.reading {
		return "Presets: " + d.all[d.at].ID
	}
	return "Presets"
}

func (d *presetDialog) foot() string {
	if d.reading {
		return "↑↓ scrolls  tab list  enter takes it  esc leaves"
	}
	return "↑↓ shows it  tab reads on  enter takes it  esc leaves  ctrl+o import"
}

func (d *presetDialog) rows(int) int { return len(d.all) }

// filter keeps the presets that hold every word that was typed, under the headings of their groups, and goes to the one
// that was meant most likely.
func (d *presetDialog) filter() {
	words := strings.Fields(strings.ToLower(d.field.String()))
	d.shown = d.shown[:0]
	group, best, rank := "", -1, -1
	for i := range d.all {
		if !holds(d.find[i], words) {
			continue
		}
		if d.all[i].Ecosystem != group {
			group = d.all[i].Ecosystem
			d.shown = append(d.shown, presetRow{-1, group})
		}
		d.shown = append(d.shown, presetRow{preset: i})
		if r := d.rank(i, words); r > rank {
			best, rank = i, r
		}
	}
	d.none = best < 0
	if !d.none {
		d.focus(best)
	}
}

// rank tells how well a preset that matches fits what was typed; the one in focus stays where none fits better.
func (d *presetDialog) rank(i int, words []string) int {
	id, stays := d.all[i].ID, 0
	if i == d.at {
		stays = 1
	}
	if len(words) == 0 {
		return stays
	}
	switch {
	case id == words[0]:
		return 6
	case strings.HasPrefix(id, words[0]):
		return 4 + stays
	case strings.Contains(id, words[0]):
		return 2 + stays
	default:
		return stays
	}
}

// focus goes to a preset that is in the list.
func (d *presetDialog) focus(preset int) {
	if preset != d.at {
		d.page = scroll{}
	}
	d.at = preset
	for y := range d.shown {
		if d.shown[y].preset == preset {
			d.list.at = y
		}
	}
	d.keepInSight()
}

// keepInSight scrolls the list; the heading above the first of a group comes with it.
func (d *presetDialog) keepInSight() {
	if d.none {
		return
	}
	if y := d.list.at; d.rowN > 1 && y > 0 && d.shown[y-1].preset < 0 {
		d.list.at--
		d.list.keep(len(d.shown), d.rowN)
		d.list.at = y
	}
	d.list.keep(len(d.shown), d.rowN)
}

func (d *presetDialog) key(k tea.KeyPressMsg) reply {
	moves := map[string]motion{
		"up": moveUp, "ctrl+p": moveUp, "down": moveDown, "ctrl+n": moveDown, "pgup": movePageUp, "pgdown": movePageDown,
		"home": moveFirst, "end": moveLast,
	}
	key := k.Keystroke()
	if m, ok := moves[key]; ok {
		return d.move(m)
	}
	switch key {
	case "esc":
		return closed{}
	case "enter":
		if d.none {
			return nil
		}
		return takes{d.edit()}
	case "tab", "shift+tab":
		d.reading = !d.reading && !d.none
		return nil
	case "ctrl+o":
		return imports{}
	}
	if d.field.key(k) {
		return d.typed()
	}
	return nil
}

// typed shows what the words that were typed lead to.
func (d *presetDialog) typed() reply {
	before, none := d.at, d.none
	d.reading = false
	d.filter()
	switch {
	case d.none:
		return restores{}
	case d.at == before && !none:
		return nil
	}
	return shows{d.edit()}
}

func (d *presetDialog) move(m motion) reply {
	if d.reading {
		d.page.move(m, d.pageN, d.pageH)
		return nil
	}
	if d.none {
		return nil
	}
	y := d.list.at
	d.list.move(m, len(d.shown), d.rowN)
	if d.shown[d.list.at].preset < 0 { // a heading: on, or back at the first of all
		switch {
		case d.list.at > y || d.list.at == 0:
			d.list.at++
		default:
			d.list.at--
		}
	}
	if p := d.shown[d.list.at].preset; p != d.at {
		d.focus(p)
		return shows{d.edit()}
	}
	d.keepInSight()
	return nil
}

func (d *presetDialog) edit() edit {
	p := &d.all[d.at]
	return namedEdit{p.Policy, p.ID, "preset " + p.ID}
}

// paste searches for a word or two; what is more than that is no name, and is read as a policy.
func (d *presetDialog) paste(text string) reply {
	if looksImported(text) {
		return imports{text: text}
	}
	d.field.paste(text)
	return d.typed()
}

// pageLine is a line of what is known of a preset.
type pageLine struct {
	style Style
	text  string
}

// about is what is known of the preset in focus, in lines of at most w cells: what it does first, where that was read last.
func (d *presetDialog) about(w int, gl *Glyphs) []pageLine {
	p := &d.all[d.at]
	var out []pageLine
	add := func(style Style, text string) {
		for _, line := range wrap(inSet(text, gl), w) {
			out = append(out, pageLine{style, line})
		}
	}
	add(Bold, p.Name)
	add(Dim, p.Library+" "+p.Version+", "+p.Evidence())
	const label = "own waits "
	cost := Cost{policy: inWaits(&p.Policy), Retries: retriesOf(&p.Policy)}
	add(RetriedText, label+cost.OwnWaits(w-len(label), gl))
	add(Plain, p.Notes)
	for _, l := range firesWords(p.Fires) {
		add(l.style, inSign(l.style, gl)+l.text)
	}
	for _, say := range p.CannotSay {
		add(Warn, string(gl.Warn)+" "+say)
	}
	differs := strings.TrimSpace(p.Policy.Short("", engine.Default()))
	if differs != "" {
		add(Dim, "policy: "+differs)
	}
	add(Dim, "source: "+p.Source)
	return out
}

// firesWords are the findings that a preset is known to have, the gravest first: the faults of the client.
func firesWords(ids []string) []pageLine {
	var out []pageLine
	for _, kind := range []struct {
		severity lint.Severity
		style    Style
		word     string
	}{{lint.Error, Warn, "findings (error): "}, {lint.Warning, Warn, "findings (warning): "}, {lint.Note, Dim, "findings (note): "}} {
		var of []string
		for _, id := range ids {
			if r, ok := lint.RuleOf(id); ok && r.Severity == kind.severity {
				of = append(of, id)
			}
		}
		if len(of) > 0 {
			out = append(out, pageLine{kind.style, kind.word + strings.Join(of, ", ")})
		}
	}
	return out
}

// inSign is the sign before a line that warns.
func inSign(s Style, gl *Glyphs) string {
	if s == Warn {
		return string(gl.Warn) + " "
	}
	return ""
}

const (
	presetBeside = 70  // from here the page stands beside the list, else below it
	presetNames  = 100 // from here the list has names too
	presetNameW  = 28
)

func (d *presetDialog) draw(g *Grid, gl *Glyphs) place {
	if d.reading {
		d.drawPage(g, gl)
		return place{}
	}
	ids := 0
	for i := range d.all {
		ids = max(ids, TextWidth(d.all[i].ID))
	}
	var left, page *Grid
	if g.W < presetBeside {
		h := max((g.H+1)/2, 2)
		left, page = g.Sub(0, 0, g.W, h), g.Sub(0, h+1, g.W, max(g.H-h-1, 0))
		g.Fill(0, h, g.W, gl.H, Rule)
	} else {
		w := ids + 2
		if g.W >= presetNames {
			w += presetNameW
		}
		left, page = g.Sub(0, 0, w, g.H), g.Sub(w+3, 0, g.W-w-3, g.H)
		for y := range g.H {
			g.Set(w+1, y, gl.V, Rule)
		}
	}
	x := left.Text(0, 0, Dim, "search ")
	if len(d.field.text) == 0 {
		left.TextCut(x+1, 0, left.W-x-1, Off, "name, library", gl.Ellipsis)
	}
	cur := drawField(left, x, 0, &d.field, true)
	d.drawList(left.Sub(0, 1, left.W, left.H-1), ids, gl)
	d.drawPage(page, gl)
	return cur
}

func (d *presetDialog) drawList(g *Grid, ids int, gl *Glyphs) {
	d.rowN = max(g.H, 1)
	d.keepInSight()
	if d.none {
		g.TextCut(0, 0, g.W, Dim, "no preset of that name", gl.Ellipsis)
		return
	}
	for y := 0; y < g.H && d.list.top+y < len(d.shown); y++ {
		row := d.shown[d.list.top+y]
		if row.preset < 0 {
			g.TextCut(0, y, g.W, Title, row.head, gl.Ellipsis)
			continue
		}
		p := &d.all[row.preset]
		style := Plain
		if row.preset == d.at {
			style = Focus
			g.Set(0, y, gl.Pointer, Focus)
		}
		g.TextCut(2, y, g.W-2, style, p.ID, gl.Ellipsis)
		if room := g.W - 4 - ids; room > 0 {
			g.TextCut(4+ids, y, room, Dim, p.Name, gl.Ellipsis)
		}
	}
}

// drawPage draws as much as there is room for; where something is left, the last line says so.
func (d *presetDialog) drawPage(g *Grid, gl *Glyphs) {
	if d.none || g.H < 1 {
		return
	}
	lines := d.about(g.W, gl)
	d.pageN, d.pageH = len(lines), g.H
	if d.pageN > g.H && g.H > 1 {
		d.pageH--
	}
	d.page.keep(d.pageN, d.pageH)
	for y := 0; y < d.pageH && d.page.top+y < len(lines); y++ {
		g.Text(0, y, lines[d.page.top+y].style, lines[d.page.top+y].text)
	}
	if d.pageH == g.H {
		return
	}
	more := "the end"
	if d.page.top+d.pageH < d.pageN {
		more = string(gl.MoreDown) + " more"
	}
	if !d.reading {
		more += ": tab reads on"
	}
	g.TextCut(0, g.H-1, g.W, Key, more, gl.Ellipsis)
}
