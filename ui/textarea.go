package ui

// rowEnd tells where a row of at most w cells ends that begins at a rune of the text: behind a blank or a comma where
// there is one, so that no word is torn.
func rowEnd(text []rune, from, w int) int {
	end := from
	for end < len(text) && text[end] != '\n' && end-from < w {
		end++
	}
	if end == len(text) || text[end] == '\n' {
		return end
	}
	for i := end; i > from; i-- {
		if text[i-1] == ' ' || text[i-1] == ',' {
			return i
		}
	}
	return end
}

// textArea is a field of many lines as it shows.
type textArea struct {
	field
	top int // the first row that shows
}

// rows is how many rows of w cells the text takes.
func (a *textArea) rows(w int) int {
	n := 1
	for i := 0; w > 0; n++ {
		if i = rowEnd(a.text, i, w); i >= len(a.text) {
			break
		}
		if a.text[i] == '\n' {
			i++
		}
	}
	return n
}

// draw draws the text, long lines broken between words; what faulty tells to be wrong, by line and column from 1, has a
// style of its own.
func (a *textArea) draw(g *Grid, faulty func(line, col int) bool) place {
	if g.W < 1 || g.H < 1 {
		return place{}
	}
	type cellAt struct{ x, y, line, col int }
	spots := make([]cellAt, 0, len(a.text)+1)
	c := cellAt{line: 1, col: 1}
	end := rowEnd(a.text, 0, g.W)
	for i := 0; i <= len(a.text); i++ {
		if i == end && c.x > 0 && (c.x == g.W || i < len(a.text) && a.text[i] != '\n') {
			c.x, c.y = 0, c.y+1
			end = rowEnd(a.text, i, g.W)
		}
		spots = append(spots, c)
		if i < len(a.text) && a.text[i] == '\n' {
			c = cellAt{y: c.y + 1, line: c.line + 1, col: 1}
			end = rowEnd(a.text, i+1, g.W)
			continue
		}
		c.x++
		c.col++
	}
	at := spots[a.at]
	view := list{at: at.y, top: a.top}
	view.keep(c.y+1, g.H)
	a.top = view.top
	for i, r := range a.text {
		s := spots[i]
		style := Plain
		if faulty(s.line, s.col) {
			style = Err
		}
		if r != '\n' {
			g.Set(s.x, s.y-a.top, r, style)
		} else if style == Err {
			g.Set(s.x, s.y-a.top, '_', Err)
		}
	}
	// A fault at the end of the text has no rune of its own.
	if e := spots[len(spots)-1]; faulty(e.line, e.col) {
		g.Set(e.x, e.y-a.top, '_', Err)
	}
	return place{at.x, at.y - a.top, true}
}
