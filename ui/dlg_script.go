package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// scriptDialog edits the script. It is tried out as it is typed, whenever it is a right one; what is wrong is said, and
// shown where it stands.
type scriptDialog struct {
	field  textArea
	faults []*script.Error
	parsed *script.Script
	warns  []string
	wall   time.Time // dates are read against it
}

// mostFaults is how many faults are shown at once: a paste of something else has one at every word.
const mostFaults = 20

func newScriptDialog(text string, wall time.Time) *scriptDialog {
	d := &scriptDialog{field: textArea{field: newField(text, true)}, wall: wall}
	d.parse()
	return d
}

func (d *scriptDialog) title() string { return "Script" }

func (d *scriptDialog) foot() string {
	return "enter takes it  alt+enter new line  esc leaves the old"
}

func (d *scriptDialog) rows(int) int { return 10 }

func (d *scriptDialog) parse() {
	s, err := script.Parse(d.field.String())
	d.parsed, d.faults = s, script.Faults(err)
	d.faults = d.faults[:min(len(d.faults), mostFaults)]
	d.warns = nil
	if s != nil {
		d.warns = lab.Warnings(s, d.wall)
	}
}

func (d *scriptDialog) key(k tea.KeyPressMsg) reply {
	switch k.Keystroke() {
	case "esc":
		return closed{}
	case "enter":
		if d.parsed != nil {
			return takes{scriptEdit{d.field.String(), d.parsed}}
		}
		d.toFault()
		return nil
	case "alt+enter", "shift+enter", "ctrl+j":
		d.field.insert("\n")
	default:
		if !d.field.key(k) {
			return nil
		}
	}
	return d.show()
}

func (d *scriptDialog) paste(text string) reply {
	d.field.paste(text)
	return d.show()
}

func (d *scriptDialog) show() reply {
	d.parse()
	if d.parsed == nil {
		return nil
	}
	return shows{scriptEdit{d.field.String(), d.parsed}}
}

// toFault puts the cursor where the first fault is.
func (d *scriptDialog) toFault() {
	if len(d.faults) == 0 {
		return
	}
	line, col := 1, 1
	for i := 0; i <= len(d.field.text); i++ {
		if line == d.faults[0].Line && col == d.faults[0].Column {
			d.field.at = i
			return
		}
		if i < len(d.field.text) && d.field.text[i] == '\n' {
			line, col = line+1, 0
		}
		col++
	}
}

// faulty tells whether a rune, by line and column from 1, is part of a fault.
func (d *scriptDialog) faulty(line, col int) bool {
	for _, f := range d.faults {
		if f.Line == line && col >= f.Column && col < max(f.EndColumn, f.Column+1) {
			return true
		}
	}
	return false
}

func (d *scriptDialog) draw(g *Grid, gl *Glyphs) place {
	// The text has the rows it takes, what is said of it the rest.
	below := max(min(4, g.H/2), g.H-d.field.rows(g.W))
	area := g.Sub(0, 0, g.W, g.H-below)
	cur := d.field.draw(area, d.faulty)
	said := g.Sub(0, g.H-below+1, g.W, max(below-1, 0))
	if d.parsed == nil {
		d.drawFaults(said, gl)
		return cur
	}
	said.TextCut(0, 0, g.W, OK, string(gl.Passed)+" "+d.said(), gl.Ellipsis)
	if len(d.warns) == 0 {
		drawWrapped(said, 1, said.H-1, Dim, inSet(scriptHint, gl), gl)
		return cur
	}
	y := 1
	for i, text := range d.warns {
		text = string(gl.Warn) + " " + text
		if rest := len(d.warns) - i - 1; rest > 0 && y+len(wrap(text, g.W)) >= said.H {
			text += "; " + strconv.Itoa(rest) + " more like it"
		}
		y += drawWrapped(said, y, said.H-y, Warn, text, gl)
	}
	return cur
}

// drawFaults draws as much as there is room for of what is wrong; that there is more shows.
func (d *scriptDialog) drawFaults(g *Grid, gl *Glyphs) {
	y := 0
	for i, f := range d.faults {
		if y >= g.H {
			return
		}
		text := inSet(f.Error(), gl)
		if rest := len(d.faults) - i - 1; rest > 0 && y+len(wrap(text, g.W)) >= g.H {
			text += "  (" + strconv.Itoa(rest) + " more)"
		}
		y += drawWrapped(g, y, g.H-y, Err, text, gl)
	}
}

// scriptHint is the language in two lines.
const scriptHint = "a status, or refused dns tls reset eof cut garbage badjson hang, then after=2 latency=80ms x3; " +
	"from 3s on: @3s 503; by chance: 20% 503"

// said is what a right script comes to.
func (d *scriptDialog) said() string {
	n := strconv.Itoa(d.parsed.Len()) + " steps"
	if d.parsed.Len() == 1 {
		n = "1 step"
	}
	switch d.parsed.Mode() {
	case script.ByCount:
		return n + ", one a request; the last goes on for ever"
	case script.ByTime:
		return n + ", by when a request arrives"
	case script.ByChance:
		return n + ", by chance from the seed"
	}
	return n
}
