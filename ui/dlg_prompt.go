package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// prompt asks for one line of text.
type prompt struct {
	head, label, hint string
	footer            string // the keys; "" for those of an edit
	field             field
	wrong             string
	check             func(text string) (reply, error)
}

func (p *prompt) title() string { return p.head }

func (p *prompt) foot() string {
	if p.footer != "" {
		return p.footer
	}
	return "enter takes it  esc leaves the old"
}

func (p *prompt) rows(width int) int { return 4 + max(len(wrap(p.hint, width)), 1) }

func (p *prompt) key(k tea.KeyPressMsg) reply {
	switch k.Keystroke() {
	case "esc":
		return closed{}
	case "enter":
		a, err := p.check(strings.TrimSpace(p.field.String()))
		if err == nil {
			return a
		}
		p.wrong = err.Error()
	default:
		if p.field.key(k) {
			p.wrong = ""
		}
	}
	return nil
}

func (p *prompt) paste(text string) reply {
	p.field.paste(text)
	p.wrong = ""
	return nil
}

func (p *prompt) draw(g *Grid, gl *Glyphs) place {
	y := max(drawWrapped(g, 0, 3, Dim, p.hint, gl), 1)
	x := g.Text(0, y, Plain, p.label+" ")
	cur := drawField(g, x, y, &p.field, true)
	for i, line := range wrap(p.wrong, g.W) {
		g.Text(0, y+1+i, Err, line)
	}
	return cur
}

// fail says what went wrong after the reply was given.
func (p *prompt) fail(err error) { p.wrong = err.Error() }

// confirm asks for a yes.
type confirm struct {
	head  string
	lines []string
	yes   reply
}

func (c *confirm) title() string { return c.head }

func (c *confirm) foot() string { return "y does it  n or esc does not" }

func (c *confirm) rows(width int) int {
	n := 2
	for _, line := range c.lines {
		n += max(len(wrap(line, width)), 1)
	}
	return n
}

func (c *confirm) key(k tea.KeyPressMsg) reply {
	switch k.Keystroke() {
	case "y", "Y", "shift+y":
		return c.yes
	case "n", "N", "shift+n", "esc", "q":
		return closed{}
	}
	return nil
}

func (c *confirm) paste(string) reply { return nil }

func (c *confirm) draw(g *Grid, _ *Glyphs) place {
	y := 0
	for _, line := range c.lines {
		for _, part := range wrap(line, g.W) {
			g.Text(0, y, Plain, part)
			y++
		}
	}
	return place{}
}

// drawWrapped draws a text on at most n lines from y on, and returns how many it took; of one that is longer the last line
// ends in an ellipsis.
func drawWrapped(g *Grid, y, n int, s Style, text string, gl *Glyphs) int {
	lines := wrap(text, g.W)
	for i := range min(len(lines), n) {
		if i == n-1 && len(lines) > n {
			g.TextCut(0, y+i, g.W, s, strings.Join(lines[i:], " "), gl.Ellipsis)
		} else {
			g.Text(0, y+i, s, lines[i])
		}
	}
	return min(len(lines), n)
}

// tornAt is where a word is broken that is longer than width cells: behind a comma, where its first part has one.
func tornAt(word string, width int) int {
	r := []rune(word)
	head := string(r[:width])
	if i := strings.LastIndexByte(head, ','); i >= 0 {
		return i + 1
	}
	return len(head)
}

// wrap breaks a text into lines of at most width cells, between words where it can.
func wrap(text string, width int) []string {
	if width < 1 || text == "" {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		row := ""
		for word := range strings.FieldsSeq(line) {
			for TextWidth(word) > width {
				if row != "" {
					out, row = append(out, row), ""
				}
				head := tornAt(word, width)
				out, word = append(out, word[:head]), word[head:]
			}
			switch {
			case row == "":
				row = word
			case TextWidth(row)+1+TextWidth(word) <= width:
				row += " " + word
			default:
				out, row = append(out, row), word
			}
		}
		out = append(out, row)
	}
	return out
}
