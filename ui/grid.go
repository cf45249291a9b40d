package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Grid is a rectangle of cells, each one rune wide, with a style. Everything on the screen is drawn into one grid, which
// then becomes one string. Drawing outside of it is cut off and never an error. A Grid made by Sub shares its cells.
type Grid struct {
	// W and H are the size in cells, 0 or more.
	W, H int

	cells  []cell
	stride int
	out    []byte
}

type cell struct {
	r rune
	s Style
}

// maxSide keeps a size that went wrong somewhere above from asking for all memory.
const maxSide = 4096

// NewGrid is an empty grid of w by h cells; a negative size is 0.
func NewGrid(w, h int) *Grid {
	g := &Grid{}
	g.Reset(w, h)
	return g
}

// Reset makes the grid w by h blank cells, in the memory it has. It is not for a grid made by Sub.
func (g *Grid) Reset(w, h int) {
	g.W, g.H = min(max(w, 0), maxSide), min(max(h, 0), maxSide)
	g.stride = g.W
	if n := g.W * g.H; cap(g.cells) >= n {
		g.cells = g.cells[:n]
	} else {
		g.cells = make([]cell, n)
	}
	for i := range g.cells {
		g.cells[i] = cell{r: ' '}
	}
}

// Sub is the part of the grid from (x, y), w by h, cut to the grid. What is drawn into it shows in g, and nothing beside
// it does.
func (g *Grid) Sub(x, y, w, h int) *Grid {
	s := g.sub(x, y, w, h)
	return &s
}

func (g *Grid) sub(x, y, w, h int) Grid {
	if x < 0 {
		w, x = w+x, 0
	}
	if y < 0 {
		h, y = h+y, 0
	}
	w, h = min(w, g.W-x), min(h, g.H-y)
	if w <= 0 || h <= 0 {
		return Grid{}
	}
	from := y*g.stride + x
	return Grid{W: w, H: h, stride: g.stride, cells: g.cells[from : from+(h-1)*g.stride+w]}
}

// Set puts one rune into a cell. A rune that is not one cell wide is replaced as in Text.
func (g *Grid) Set(x, y int, r rune, s Style) {
	if x < 0 || y < 0 || x >= g.W || y >= g.H {
		return
	}
	if r = safeRune(r); r == 0 {
		r = ' '
	}
	g.cells[y*g.stride+x] = cell{r, s}
}

// At is the rune and the style of a cell; a blank outside of the grid.
func (g *Grid) At(x, y int) (rune, Style) {
	if x < 0 || y < 0 || x >= g.W || y >= g.H {
		return ' ', Plain
	}
	c := g.cells[y*g.stride+x]
	return c.r, c.s
}

// Text writes s from (x, y) to the right, one rune a cell, and returns the x after it, whether or not it was cut off at
// the edge. Line breaks and tabs become a blank; other control bytes, and runes without a width (joiners, direction
// marks), are left out; a wide rune becomes a question mark, so that the grid stays one rune a cell.
func (g *Grid) Text(x, y int, s Style, text string) int {
	for _, r := range text {
		if r = safeRune(r); r != 0 {
			if x >= 0 && y >= 0 && x < g.W && y < g.H {
				g.cells[y*g.stride+x] = cell{r, s}
			}
			x++
		}
	}
	return x
}

// TextCut is Text, cut to w cells with an ellipsis at the end where it is longer.
func (g *Grid) TextCut(x, y, w int, s Style, text, ellipsis string) int {
	if w <= 0 {
		return x
	}
	if TextWidth(text) <= w {
		return g.Text(x, y, s, text)
	}
	keep := max(w-TextWidth(ellipsis), 0)
	v := g.sub(x, y, w, 1)
	v.Text(0, 0, s, text)
	v.Fill(keep, 0, w-keep, ' ', s)
	v.Text(keep, 0, s, ellipsis)
	return x + w
}

// TextRight writes s so that its last cell is at x-1, and returns the x of its first.
func (g *Grid) TextRight(x, y int, s Style, text string) int {
	x -= TextWidth(text)
	g.Text(x, y, s, text)
	return x
}

// Fill puts a rune into w cells from (x, y).
func (g *Grid) Fill(x, y, w int, r rune, s Style) {
	if y < 0 || y >= g.H {
		return
	}
	if r = safeRune(r); r == 0 {
		r = ' '
	}
	for i := max(x, 0); i < min(x+w, g.W); i++ {
		g.cells[y*g.stride+i] = cell{r, s}
	}
}

// Restyle gives w cells from (x, y) another style and leaves their runes.
func (g *Grid) Restyle(x, y, w int, s Style) {
	if y < 0 || y >= g.H {
		return
	}
	for i := max(x, 0); i < min(x+w, g.W); i++ {
		g.cells[y*g.stride+i].s = s
	}
}

// Stamp writes plain lines from (x, y) down, in one style.
func (g *Grid) Stamp(x, y int, s Style, lines []string) {
	for i, line := range lines {
		g.Text(x, y+i, s, line)
	}
}

// String is the grid as H lines of exactly W cells, a line break between them, with an escape sequence where the style
// changes. Under a theme without styles there is no escape byte. Each line ends in the plain style.
func (g *Grid) String(t *Theme) string {
	out := g.out[:0]
	for y := range g.H {
		if y > 0 {
			out = append(out, '\n')
		}
		last := ""
		for _, c := range g.cells[y*g.stride : y*g.stride+g.W] {
			if sgr := t.sgr[c.s]; sgr != last {
				// One sequence both ends the style before and begins the next.
				out = append(out, "\x1b[0"...)
				if sgr != "" {
					out = append(out, ';')
					out = append(out, sgr...)
				}
				out = append(out, 'm')
				last = sgr
			}
			out = appendRune(out, c.r)
		}
		if last != "" {
			out = append(out, "\x1b[0m"...)
		}
	}
	g.out = out
	return string(out)
}

// Plain is the grid as text: H lines without an escape byte and without the blanks at their ends.
func (g *Grid) Plain() string {
	var b strings.Builder
	for y := range g.H {
		if y > 0 {
			b.WriteByte('\n')
		}
		row := g.cells[y*g.stride : y*g.stride+g.W]
		n := len(row)
		for n > 0 && row[n-1].r == ' ' {
			n--
		}
		for _, c := range row[:n] {
			b.WriteRune(c.r)
		}
	}
	return b.String()
}

func appendRune(b []byte, r rune) []byte {
	if r < 0x80 {
		return append(b, byte(r))
	}
	return append(b, string(r)...)
}

// TextWidth is how many cells Text takes for s.
func TextWidth(s string) int {
	n := 0
	for _, r := range s {
		if safeRune(r) != 0 {
			n++
		}
	}
	return n
}

// safeRune is a rune that takes exactly one cell and does nothing else; 0 for one that is to be left out.
func safeRune(r rune) rune {
	switch {
	case r >= ' ' && r < 0x7f:
		return r
	case r == '\n' || r == '\t' || r == '\r':
		return ' '
	case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xad:
		return 0
	case r < 0x300 || r >= 0x2190 && r < 0x2300 || r >= 0x2500 && r < 0x25fd:
		return r // Latin, arrows, mathematical signs, boxes, blocks and shapes: one cell
	case r == 0xfffd:
		return '?'
	case r >= 0x2010 && r < 0x2028 || r == 0x2039 || r == 0x203a || r == 0x2713 || r == 0x2717:
		return r // dashes, the ellipsis, small angles, the signs of the gates: so frequent that the long way costs
	}
	return narrow(r)
}

// narrow lets a rune through that is one cell wide also between others: some stand alone and join a neighbor.
func narrow(r rune) rune {
	one := string(r)
	switch ansi.StringWidth(one) {
	case 0:
		return 0
	case 1:
		if ansi.StringWidth("a"+one+one+"a") == 4 {
			return r
		}
	}
	return '?'
}
