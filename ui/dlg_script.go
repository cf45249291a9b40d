package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/script"
)

// scriptDialog edits the script. It is tried out as it is typed, whenever it is a right one; what is wrong is said, and
// shown where it stands.
type scriptDialog struct {
	field  field
	faults []*script.Error
	parsed *script.Script
	top    int
}

// mostFaults is how many faults are shown at once: a paste of something else has one at every word.
const mostFaults = 20

func newScriptDialog(text string) *scriptDialog {
	d := &scriptDialog{field: newField(text, true)}
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
	below := min(4, g.H/2)
	area := g.Sub(0, 0, g.W, g.H-below)
	cur := d.drawText(area)
	y := g.H - below
	if d.parsed != nil {
		g.TextCut(0, y+1, g.W, OK, string(gl.Passed)+" "+d.said(), gl.Ellipsis)
		g.TextCut(0, y+2, g.W, Dim, inSet("a status or refused dns tls reset eof cut garbage badjson hang · after= latency= xN · @3s · 20%", gl), gl.Ellipsis)
		return cur
	}
	for _, f := range d.faults {
		for _, line := range wrap(inSet(f.Error(), gl), g.W) {
			if y++; y < g.H {
				g.Text(0, y, Err, line)
			}
		}
	}
	return cur
}

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

// drawText draws the text, long lines broken at the edge, with faults in their own style.
func (d *scriptDialog) drawText(g *Grid) place {
	if g.W < 1 || g.H < 1 {
		return place{}
	}
	type cellAt struct{ x, y, line, col int }
	spots := make([]cellAt, 0, len(d.field.text)+1)
	c := cellAt{line: 1, col: 1}
	for i := 0; i <= len(d.field.text); i++ {
		if c.x == g.W {
			c.x, c.y = 0, c.y+1
		}
		spots = append(spots, c)
		if i < len(d.field.text) && d.field.text[i] == '\n' {
			c = cellAt{y: c.y + 1, line: c.line + 1, col: 1}
			continue
		}
		c.x++
		c.col++
	}
	at := spots[d.field.at]
	view := list{at: at.y, top: d.top}
	view.keep(c.y+1, g.H)
	d.top = view.top
	for i, r := range d.field.text {
		s := spots[i]
		style := Plain
		if d.faulty(s.line, s.col) {
			style = Err
		}
		if r != '\n' {
			g.Set(s.x, s.y-d.top, r, style)
		} else if style == Err {
			g.Set(s.x, s.y-d.top, '_', Err)
		}
	}
	// A fault at the end of the text has no rune of its own.
	if e := spots[len(spots)-1]; d.faulty(e.line, e.col) {
		g.Set(e.x, e.y-d.top, '_', Err)
	}
	return place{at.x, at.y - d.top, true}
}
