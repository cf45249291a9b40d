package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// listItem is one line of a dialog one chooses from.
type listItem struct {
	keys, name, about string
	// off says why it cannot be chosen now; "" where it can.
	off string
	// find is what a search looks at besides the name, in small letters.
	find string
}

// finder is a list with a search: everything the program can do, or the saved policies.
type finder struct {
	head, footer string
	items        []listItem
	field        field
	shown        []int // items that match, the best first
	list         list
	rowsShown    int
	wrong        string
	below        int // the most lines for the sentence of the item in focus
	// pick is the reply for an item (-1 for none) and what was typed.
	pick func(item int, typed string) reply
	// take may have a reply to a paste that is more than a search; nil for none.
	take func(text string) reply
}

func newFinder(head, footer string, items []listItem, pick func(int, string) reply) *finder {
	f := &finder{head: head, footer: footer, items: items, pick: pick, rowsShown: 10, below: fewBelow}
	f.filter()
	return f
}

func (f *finder) title() string { return f.head }

func (f *finder) foot() string { return f.footer }

func (f *finder) rows(int) int {
	if f.below > fewBelow {
		return len(f.items) + 2 + f.below
	}
	return len(f.items) + 2
}

// fewBelow is how many lines there are for a sentence where nothing else is said.
const fewBelow = 2

// filter keeps what holds every word that was typed: first the items whose name does, then the others.
func (f *finder) filter() {
	words := strings.Fields(strings.ToLower(f.field.String()))
	f.shown = f.shown[:0]
	for _, inName := range []bool{true, false} {
		for i := range f.items {
			it := &f.items[i]
			name := strings.ToLower(it.name)
			byName := holds(name, words)
			if byName == inName && (byName || holds(name+" "+strings.ToLower(it.about)+" "+it.find, words)) {
				f.shown = append(f.shown, i)
			}
		}
	}
	f.list = list{}
}

func holds(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func (f *finder) key(k tea.KeyPressMsg) reply {
	switch k.Keystroke() {
	case "esc":
		return closed{}
	case "enter":
		return f.choose()
	case "up", "ctrl+p":
		f.list.move(moveUp, len(f.shown), f.rowsShown)
	case "down", "ctrl+n", "tab":
		f.list.move(moveDown, len(f.shown), f.rowsShown)
	case "pgup":
		f.list.move(movePageUp, len(f.shown), f.rowsShown)
	case "pgdown":
		f.list.move(movePageDown, len(f.shown), f.rowsShown)
	case "home":
		f.list.move(moveFirst, len(f.shown), f.rowsShown)
	case "end":
		f.list.move(moveLast, len(f.shown), f.rowsShown)
	default:
		if f.field.key(k) {
			f.wrong = ""
			f.filter()
		}
	}
	return nil
}

func (f *finder) choose() reply {
	typed := strings.TrimSpace(f.field.String())
	if len(f.shown) == 0 {
		return f.pick(-1, typed)
	}
	at := f.shown[f.list.at]
	if f.items[at].off != "" {
		f.wrong = f.items[at].off
		return nil
	}
	return f.pick(at, typed)
}

func (f *finder) paste(text string) reply {
	if f.take != nil {
		if r := f.take(text); r != nil {
			return r
		}
	}
	f.field.paste(text)
	f.filter()
	return nil
}

func (f *finder) fail(err error) { f.wrong = err.Error() }

func (f *finder) draw(g *Grid, gl *Glyphs) place {
	x := g.Text(0, 0, Dim, "search ")
	cur := drawField(g, x, 0, &f.field, true)
	area := g.Sub(0, 1, g.W, g.H-1-f.drawBelow(g, gl))
	f.rowsShown = max(area.H, 1)
	f.list.keep(len(f.shown), f.rowsShown)
	if len(f.shown) == 0 {
		area.TextCut(0, 0, g.W, Dim, "nothing of that name", gl.Ellipsis)
	}
	keysW, nameW := f.widths(g.W)
	for y := 0; y < area.H && f.list.top+y < len(f.shown); y++ {
		it := &f.items[f.shown[f.list.top+y]]
		name, about := Plain, Dim
		if it.off != "" {
			name, about = Off, Off
		}
		if f.list.top+y == f.list.at {
			area.Set(0, y, gl.Pointer, Focus)
			name = Focus
		}
		area.TextCut(2, y, keysW, Key, it.keys, gl.Ellipsis)
		area.TextCut(3+keysW, y, nameW, name, it.name, gl.Ellipsis)
		area.TextCut(5+keysW+nameW, y, g.W-5-keysW-nameW, about, inSet(it.about, gl), gl.Ellipsis)
	}
	return cur
}

// drawBelow draws the sentence of the item in focus, or what is wrong with it, and tells how many lines it takes.
func (f *finder) drawBelow(g *Grid, gl *Glyphs) int {
	text, style := f.wrong, Err
	if text == "" && len(f.shown) > 0 {
		text, style = f.items[f.shown[min(f.list.at, len(f.shown)-1)]].about, Plain
	}
	lines := wrap(inSet(text, gl), g.W)
	lines = lines[:min(len(lines), f.below, max(g.H-3, 0))]
	for i, line := range lines {
		g.Text(0, g.H-len(lines)+i, style, line)
	}
	if len(lines) > 0 && g.H > 5 {
		return len(lines) + 1
	}
	return len(lines)
}

func (f *finder) widths(w int) (keys, name int) {
	for i := range f.items {
		keys = max(keys, TextWidth(f.items[i].keys))
		name = max(name, TextWidth(f.items[i].name))
	}
	return min(keys, w/5), min(name, w*2/5)
}
