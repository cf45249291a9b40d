package ui

const (
	exportBeside = 70 // from here what is shown stands beside the list, else below it
	exportNames  = 100
	exportNameW  = 34
)

func (d *exportDialog) draw(g *Grid, gl *Glyphs) place {
	switch {
	case d.reading:
		d.drawPage(g, gl)
		return place{}
	case g.W < exportBeside:
		h := max((g.H+1)/3, 2)
		d.drawList(g.Sub(0, 0, g.W, h), gl)
		g.Fill(0, h, g.W, gl.H, Rule)
		d.drawPage(g.Sub(0, h+1, g.W, max(g.H-h-1, 0)), gl)
		return place{}
	}
	w := d.idWidth() + 2
	if g.W >= exportNames {
		w += exportNameW
	}
	d.drawList(g.Sub(0, 0, w, g.H), gl)
	for y := range g.H {
		g.Set(w+1, y, gl.V, Rule)
	}
	d.drawPage(g.Sub(w+3, 0, g.W-w-3, g.H), gl)
	return place{}
}

func (d *exportDialog) idWidth() int {
	w := 0
	for i := range d.items {
		w = max(w, TextWidth(d.items[i].id))
	}
	return w
}

func (d *exportDialog) drawList(g *Grid, gl *Glyphs) {
	d.rowN = max(g.H, 1)
	d.list.keep(len(d.items), d.rowN)
	ids := d.idWidth()
	for y := 0; y < g.H && d.list.top+y < len(d.items); y++ {
		item := &d.items[d.list.top+y]
		style := Plain
		if d.list.top+y == d.list.at {
			style = Focus
			g.Set(0, y, gl.Pointer, Focus)
		}
		g.TextCut(2, y, g.W-2, style, item.id, gl.Ellipsis)
		if room := g.W - 4 - ids; room > 0 {
			g.TextCut(4+ids, y, room, Dim, item.name, gl.Ellipsis)
		}
	}
	if d.list.top > 0 {
		g.Set(g.W-1, 0, gl.MoreUp, Dim)
	}
	if d.list.top+g.H < len(d.items) {
		g.Set(g.W-1, g.H-1, gl.MoreDown, Dim)
	}
}

// drawPage draws the verdict, and below it as much as there is room for of what would be written.
func (d *exportDialog) drawPage(g *Grid, gl *Glyphs) {
	if g.H < 2 {
		return
	}
	head := d.verdict(gl)
	g.TextCut(0, 0, g.W, head.style, head.text, gl.Ellipsis)
	area := g.Sub(0, 1, g.W, g.H-1)
	lines := d.lines(area.W, gl)
	d.pageN, d.pageH, d.pageW = len(lines), area.H, 0
	for i := range lines {
		d.pageW = max(d.pageW, TextWidth(lines[i].text))
	}
	wrong := wrap(d.wrong, area.W)
	wrong = wrong[:min(len(wrong), area.H/2)]
	if d.pageN > area.H || len(wrong) > 0 {
		d.pageH -= max(len(wrong), 1)
	}
	d.page.keep(d.pageN, d.pageH)
	for y := 0; y < d.pageH && d.page.top+y < len(lines); y++ {
		l := &lines[d.page.top+y]
		text := []rune(l.text)
		area.TextCut(0, y, area.W, l.style, string(text[min(d.side, len(text)):]), gl.Ellipsis)
	}
	for i, line := range wrong {
		area.Text(0, d.pageH+i, Err, line)
	}
	if len(wrong) == 0 {
		d.drawLast(area, gl)
	}
}

// drawLast says on the last line that there is more to read.
func (d *exportDialog) drawLast(g *Grid, gl *Glyphs) {
	y := g.H - 1
	switch {
	case d.pageH == g.H:
	case d.page.top+d.pageH >= d.pageN:
		g.TextCut(0, y, g.W, Key, "the end", gl.Ellipsis)
	case d.reading:
		g.TextCut(0, y, g.W, Key, string(gl.MoreDown)+" more", gl.Ellipsis)
	default:
		g.TextCut(0, y, g.W, Key, string(gl.MoreDown)+" more: tab reads on", gl.Ellipsis)
	}
}
