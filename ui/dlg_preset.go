package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

// presetDialog chooses one of the policies of known clients, each tried out on the timeline as one comes to it.
type presetDialog struct {
	all  []presets.Preset
	list list
	rowN int
}

// newPresetDialog begins at the preset of that name.
func newPresetDialog(name string) *presetDialog {
	d := &presetDialog{all: presets.All(), rowN: 1}
	for i := range d.all {
		if d.all[i].ID == name {
			d.list.at = i
		}
	}
	return d
}

func (d *presetDialog) title() string { return "Presets" }

func (d *presetDialog) foot() string { return "↑↓ shows it  enter takes it  esc leaves the old" }

func (d *presetDialog) rows(int) int { return len(d.all) + 4 }

func (d *presetDialog) key(k tea.KeyPressMsg) reply {
	moves := map[string]motion{
		"up": moveUp, "k": moveUp, "down": moveDown, "j": moveDown, "tab": moveDown, "pgup": movePageUp, "pgdown": movePageDown,
		"g": moveFirst, "home": moveFirst, "G": moveLast, "shift+g": moveLast, "end": moveLast,
	}
	switch key := k.Keystroke(); key {
	case "esc", "q":
		return closed{}
	case "enter":
		return takes{d.edit()}
	default:
		m, ok := moves[key]
		if !ok {
			return nil
		}
		d.list.move(m, len(d.all), d.rowN)
	}
	return shows{d.edit()}
}

func (d *presetDialog) edit() edit {
	p := &d.all[d.list.at]
	return namedEdit{p.Policy, p.ID, "preset " + p.ID}
}

func (d *presetDialog) paste(string) reply { return nil }

func (d *presetDialog) draw(g *Grid, gl *Glyphs) place {
	const below = 4
	area := g.Sub(0, 0, g.W, g.H-below)
	d.rowN = max(area.H, 1)
	d.list.keep(len(d.all), d.rowN)
	w := 0
	for i := range d.all {
		w = max(w, TextWidth(d.all[i].ID))
	}
	for y := 0; y < area.H && d.list.top+y < len(d.all); y++ {
		p := &d.all[d.list.top+y]
		style := Plain
		if d.list.top+y == d.list.at {
			style = Focus
			area.Set(0, y, gl.Pointer, Focus)
		}
		area.Text(2, y, style, p.ID)
		area.TextCut(4+w, y, g.W-4-w, Dim, p.Name, gl.Ellipsis)
	}
	p := &d.all[d.list.at]
	def := engine.Default()
	differs := strings.TrimSpace(p.Policy.Short("", def))
	if differs == "" {
		differs = "what a newcomer gets"
	}
	notes := p.Notes + "  (" + p.Source + ")"
	if len(wrap(notes, g.W)) > len(wrap(p.Notes, g.W)) {
		notes = p.Notes
	}
	said := min(len(wrap(notes, g.W)), 2)
	y := g.H - below
	drawWrapped(g, y, below-said, Plain, differs, gl)
	drawWrapped(g, g.H-said, said, Dim, notes, gl)
	return place{}
}
