package ui

import "github.com/retryscope/retryscope/engine"

const (
	classLabelX = 10
	classCellW  = 22 // of a kind or a cause
	classShortW = 12 // of a status or a method
)

// width is how wide the cells of a group are.
func (c *classCell) width() int {
	switch c.group {
	case "statuses":
		return classShortW
	case "methods":
		return classShortW + 4 // [x] idempotent
	default:
		return classCellW
	}
}

// spot is the column in cells of the screen, and the line, of a switch.
func (d *classifierDialog) spot(i int) (x, line int) {
	line = -1
	group := ""
	for at := range d.cells[:i+1] {
		c := &d.cells[at]
		switch {
		case c.group != group:
			group, x = c.group, classLabelX
			line++
		case x+2*c.width() > d.cols:
			x = classLabelX
			line++
		default:
			x += c.width()
		}
	}
	return x, line
}

func (d *classifierDialog) lines(width int) int {
	d.cols = width
	_, line := d.spot(len(d.cells) - 1)
	return line + 1
}

func (d *classifierDialog) draw(g *Grid, gl *Glyphs) place {
	d.cols = g.W
	upper := g.Sub(0, 0, g.W, g.H-2)
	_, now := d.spot(d.at)
	lines := list{at: now, top: d.top}
	lines.keep(d.lines(g.W), upper.H)
	d.top = lines.top
	group := ""
	for i := range d.cells {
		c := &d.cells[i]
		x, y := d.spot(i)
		if c.group != group {
			group = c.group
			upper.Text(0, y-d.top, Title, group)
		}
		if y < d.top {
			continue
		}
		style := Dim
		if d.on(*c) {
			style = Plain
		}
		if i == d.at {
			style = Focus
		}
		upper.Text(x, y-d.top, style, d.mark(*c)+" "+c.label)
	}
	if d.top > 0 {
		upper.Set(upper.W-1, 0, gl.MoreUp, Key)
	}
	if d.top+upper.H < d.lines(g.W) {
		upper.Set(upper.W-1, upper.H-1, gl.MoreDown, Key)
	}
	g.TextCut(0, g.H-2, g.W, Dim, d.help(), gl.Ellipsis)
	g.TextCut(0, g.H-1, g.W, Plain, "retry-on="+d.policy.RetryOn.String(), gl.Ellipsis)
	return place{}
}

// help says what the switch in focus means.
func (d *classifierDialog) help() string {
	c := &d.cells[d.at]
	switch c.group {
	case "causes":
		return d.causeHelp(c.cause)
	case "statuses":
		if d.mark(*c) == someMark {
			return someMark + " some of them are retried, not all: space takes all in"
		}
		return "statuses are named one by one: no status is retried because of its kind"
	case "methods":
		return "what may be sent twice; an idempotency key makes any request safe"
	default:
		return "every failure of that kind, but for causes named out"
	}
}

// causeHelp says what becomes of a cause, and who says so.
func (d *classifierDialog) causeHelp(c engine.Cause) string {
	kind, permanent := natureOf(c)
	r := &d.policy.RetryOn
	switch {
	case r.HasCause(c):
		return "[+] named in: it is retried, whatever becomes of " + kind.String()
	case r.LacksCause(c):
		return "[-] named out: it is not retried, whatever becomes of " + kind.String()
	case permanent:
		return "not named: what does not heal by itself is retried only where it is named in"
	case d.inherits(c):
		return "not named: retried, for it is of the kind " + kind.String()
	default:
		return "not named: not retried, for its kind " + kind.String() + " is not"
	}
}
