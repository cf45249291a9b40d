package ui

import "slices"

// drawWhy draws the parts from line top on and returns how many lines there are. Where there is room every gate has a
// line with the engine's own words; where there is not, two short ones share a line.
//
// What it comes to is the last part, and what one reads first: where not all can be seen it stays on the last line.
func drawWhy(g *Grid, w *whyText, top int, gl *Glyphs) int {
	const unseen = 1 << 20 // so far down that nothing of it is seen
	draw := drawWhyFlow
	if g.H >= len(w.parts)-1 && g.W >= 30 {
		draw = drawWhyList
		if g.H < len(w.parts) {
			w = w.merged()
		}
	}
	n := draw(g, w, unseen, gl)
	if n > g.H {
		if shorter := w.withoutSpare(); drawWhyFlow(g, shorter, unseen, gl) <= g.H {
			return drawWhyFlow(g, shorter, 0, gl)
		}
	}
	if n <= g.H || len(w.parts) < 3 || g.H < 3 {
		return draw(g, w, top, gl)
	}
	rest := *w
	rest.parts = w.parts[:len(w.parts)-1]
	upper := g.Sub(0, 0, g.W, g.H-1)
	n = draw(upper, &rest, top, gl)
	drawPart(g, 1, g.H-1, g.W-1, &w.parts[len(w.parts)-1], true, gl)
	return n + 1
}

// merged has the gate that the first line can say in that line.
func (w *whyText) merged() *whyText {
	out := *w
	i := slices.IndexFunc(w.parts, func(p part) bool { return p.first })
	if i < 1 {
		return w
	}
	out.parts = slices.Delete(slices.Clone(w.parts), i, i+1)
	out.parts[0].long = string(w.parts[i].sign) + " " + w.parts[i].short + ": " + w.parts[0].long
	return &out
}

// withoutSpare leaves out what can be spared, which no gate is.
func (w *whyText) withoutSpare() *whyText {
	out := *w.merged()
	out.parts = slices.DeleteFunc(slices.Clone(out.parts), func(p part) bool { return p.spare })
	return &out
}

func drawWhyList(g *Grid, w *whyText, top int, gl *Glyphs) int {
	y := 0
	for i := range w.parts {
		y += drawLine(g, y-top, &w.parts[i], gl)
	}
	return y
}

func drawWhyFlow(g *Grid, w *whyText, top int, gl *Glyphs) int {
	half := g.W / 2
	y := 0
	right := false // the right half of the line is free
	for i := range w.parts {
		p := &w.parts[i]
		wide := 2 + TextWidth(p.brief())
		if p.whole(half) {
			if right {
				y, right = y+1, false
			}
			y += drawLine(g, y-top, p, gl)
			continue
		}
		switch {
		case right && wide <= g.W-half:
			drawPart(g, half, y-top, g.W-half, p, false, gl)
			y, right = y+1, false
		default:
			if right {
				y++
			}
			drawPart(g, 1, y-top, g.W-1, p, false, gl)
			right = wide < half-1
			if !right {
				y++
			}
		}
	}
	if right {
		y++
	}
	return y
}

// brief is the short text, where there is one.
func (p *part) brief() string {
	if p.short == "" {
		return p.long
	}
	return p.short
}

// whole tells whether the part takes a line of its own; a gate that is shut does where it is longer than half of one.
func (p *part) whole(half int) bool {
	if !p.alone && p.short != "" {
		return false
	}
	return p.sign == 0 || p.style == Warn || 2+TextWidth(p.brief()) > half
}

// drawLine draws a part that has the width of the pane, and returns how many lines it took.
func drawLine(g *Grid, y int, p *part, gl *Glyphs) int {
	if p.alone && p.sign != 0 {
		return drawWhole(g, y, p)
	}
	drawPart(g, 1, y, g.W-1, p, true, gl)
	return 1
}

// drawWhole draws the one thing a reader came for, the gate that is shut: all of it, on as many lines as it takes. It
// returns how many.
func drawWhole(g *Grid, y int, p *part) int {
	lines := wrap(p.long, g.W-4)
	for i, line := range lines {
		if i == 0 {
			g.Set(1, y, p.sign, p.style)
		}
		g.Text(3, y+i, p.style, line)
	}
	return len(lines)
}

// secondX is where the second piece of a line of its own begins.
const secondX = 20

// drawPart draws one part; long asks for the long text.
func drawPart(g *Grid, x, y, w int, p *part, long bool, gl *Glyphs) {
	if y < 0 || y >= g.H {
		return
	}
	text, style := p.short, Plain
	if long {
		text = p.long
	}
	if text == "" {
		text = p.long
	}
	if p.sign != 0 {
		g.Set(x, y, p.sign, p.style)
		x, w = x+2, w-2
		if p.style == Neutral {
			style = Dim
		}
		if p.style == FinalBold || p.style == Warn {
			style = p.style
		}
		if long && p.short != "" && !p.alone && TextWidth(p.long) > w {
			text = p.short
		}
		g.TextCut(x, y, w, style, text, gl.Ellipsis)
		return
	}
	end := g.TextCut(x, y, w, p.style, p.long, gl.Ellipsis)
	if p.short != "" {
		at := max(end+2, x+secondX-1)
		if at+TextWidth(p.short) > x+w {
			at = end + 2
		}
		g.TextCut(at, y, x+w-at, Dim, p.short, gl.Ellipsis)
	}
}
