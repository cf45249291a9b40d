package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
)

// exportDialog shows the policy in the language of another client: the list of them, and beside it what would be copied
// or saved. The page for a review is the last of the list.
type exportDialog struct {
	items []exportItem
	made  []*exported // by item; nil for one that was not looked at
	list  list
	rowN  int
	wrong string

	// reading says that the keys scroll what is shown; side is how many columns of it are out of sight to the left.
	reading      bool
	page         scroll
	side         int
	pageN, pageH int
	pageW        int // the longest line
}

// exportItem is one line of the list.
type exportItem struct {
	id, name, file string
	comment        string // begins a comment in its language; "" for none
	write          func() (export.Result, error)
}

// exported is what an item came to.
type exported struct {
	export.Result
	err error
}

// pageID is the page for a review in the list, lineID the policy's own text.
const (
	pageID = "page"
	lineID = "line"
)

// exportItems are the formats of package export and the page.
func exportItems(d *doc) []exportItem {
	formats := export.Formats()
	out := make([]exportItem, 0, len(formats)+1)
	p := d.policy
	for i := range formats {
		f := &formats[i]
		out = append(out, exportItem{f.ID, f.Name, f.File, f.Comment, func() (export.Result, error) { return f.Export(p) }})
	}
	about, against := subjects(d)
	return append(out, exportItem{pageID, "a page for a review, in Markdown", "retry-policy.md", "", func() (export.Result, error) {
		return export.Result{Text: lint.Page(about, against, lint.Context{}), Carried: p}, nil
	}})
}

// subjects are the policy of a doc as a page speaks of it, and where it was changed what it was before.
func subjects(d *doc) (about lint.Subject, against *lint.Subject) {
	about = lint.Subject{Name: d.policy.Short(d.name, d.base), Policy: d.policy}
	preset, ok := presets.Get(d.name)
	if ok = ok && preset.Policy == d.base; ok {
		about.Preset = d.name
	}
	if d.policy == d.base {
		return about, nil
	}
	before := lint.Subject{Name: d.name, Policy: d.base, Preset: about.Preset}
	return about, &before
}

// newExportDialog begins at the item of that id.
func newExportDialog(d *doc, id string) *exportDialog {
	e := &exportDialog{items: exportItems(d), rowN: 10, pageH: 1}
	e.made = make([]*exported, len(e.items))
	for i := range e.items {
		if e.items[i].id == id {
			e.list.at = i
		}
	}
	return e
}

// tall dialogs cover the timeline too: what they show is not on it.
func (d *exportDialog) tall() {}

func (d *exportDialog) title() string {
	if d.reading {
		return "Export: " + d.items[d.list.at].name
	}
	return "Export"
}

func (d *exportDialog) foot() string {
	if d.reading {
		return "↑↓←→ scroll  tab list  y copies  w saves  esc leaves"
	}
	return "↑↓ shows it  tab reads on  y copies  w saves  esc leaves"
}

func (d *exportDialog) rows(int) int { return len(d.items) }

// now is the item in focus, and what it came to.
func (d *exportDialog) now() (*exportItem, *exported) {
	at := d.list.at
	if d.made[at] == nil {
		r, err := d.items[at].write()
		d.made[at] = &exported{r, err}
	}
	return &d.items[at], d.made[at]
}

func (d *exportDialog) key(k tea.KeyPressMsg) reply {
	moves := map[string]motion{
		"up": moveUp, "k": moveUp, "down": moveDown, "j": moveDown, "pgup": movePageUp, "pgdown": movePageDown,
		"home": moveFirst, "g": moveFirst, "end": moveLast, "G": moveLast, "left": moveLeft, "h": moveLeft, "right": moveRight, "l": moveRight,
		"H": moveFarLeft, "shift+left": moveFarLeft, "L": moveFarRight, "shift+right": moveFarRight,
	}
	if m, ok := moves[k.String()]; ok {
		d.move(m)
		return nil
	}
	d.wrong = ""
	switch k.String() {
	case "esc":
		return closed{}
	case "tab", "shift+tab":
		d.reading = !d.reading
	case "y":
		item, made := d.now()
		if made.err == nil {
			return copies{made.Text, item.id}
		}
	case "w", "enter":
		return d.save()
	}
	return nil
}

// move goes through the list, or through what is shown.
func (d *exportDialog) move(m motion) {
	if !d.reading {
		if by, _ := m.sideways(); by == 0 {
			d.list.move(m, len(d.items), d.rowN)
			d.page, d.side = scroll{}, 0
		}
		return
	}
	if by, coarse := m.sideways(); by != 0 {
		const step, far = 8, 40
		if by *= step; coarse {
			by = by / step * far
		}
		d.side = max(min(d.side+by, d.pageW-step), 0)
		return
	}
	d.page.move(m, d.pageN, d.pageH)
}

// save asks for a path.
func (d *exportDialog) save() reply {
	item, made := d.now()
	if made.err != nil {
		return nil
	}
	return raises{&prompt{
		head: "Save: " + item.name, label: "path", hint: "a file; it is written whole or not at all", field: newField(item.file, false),
		footer: "enter saves  esc back to the list",
		check: func(text string) (reply, error) {
			if text == "" {
				return nil, errNoName
			}
			return saves{name: text, what: saveText, text: made.Text}, nil
		},
	}}
}

func (d *exportDialog) paste(string) reply { return nil }

func (d *exportDialog) fail(err error) { d.wrong = err.Error() }

// lines are what is lost, a line each, and then the text as it would be saved, but for the comments that say the same.
func (d *exportDialog) lines(w int, gl *Glyphs) []pageLine {
	item, made := d.now()
	if made.err != nil {
		var out []pageLine
		for _, line := range wrap(made.err.Error(), w) {
			out = append(out, pageLine{Err, line})
		}
		return out
	}
	var out []pageLine
	for _, l := range made.Lost {
		for i, line := range wrap(l, w-2) {
			sign := "  "
			if i == 0 {
				sign = string(gl.Warn) + " "
			}
			out = append(out, pageLine{Warn, sign + line})
		}
	}
	if len(out) > 0 {
		out = append(out, pageLine{})
	}
	for line := range strings.SplitSeq(strings.TrimRight(made.Text, "\n"), "\n") {
		style := Plain
		if item.comment != "" && strings.HasPrefix(line, item.comment+" ") {
			if style = Dim; strings.HasPrefix(line, item.comment+" NOT CARRIED: ") {
				continue
			}
		}
		out = append(out, d.flow(item, style, inSet(strings.ReplaceAll(line, "\t", "    "), gl), w)...)
	}
	return out
}

// flow is a line as it stands; but the one line that is a policy, and the prose and the commands of the page, are broken
// between words: nothing hangs on where they are.
func (d *exportDialog) flow(item *exportItem, s Style, line string, w int) []pageLine {
	const indent = "    "
	breaks := item.id == pageID && !strings.HasPrefix(line, "|") || item.id == lineID
	before := ""
	if strings.HasPrefix(line, indent) {
		before = indent
	}
	if !breaks || TextWidth(line) <= w || w <= 2*len(indent) {
		return []pageLine{{s, line}}
	}
	var out []pageLine
	for _, l := range wrap(line[len(before):], w-len(before)) {
		out = append(out, pageLine{s, before + l})
	}
	return out
}

// verdict says in a line whether the format carries the policy.
func (d *exportDialog) verdict(gl *Glyphs) pageLine {
	item, made := d.now()
	switch {
	case made.err != nil:
		return pageLine{Err, "it cannot be written"}
	case item.id == pageID:
		return pageLine{Bold, item.name}
	case len(made.Lost) == 0:
		return pageLine{OK, string(gl.Passed) + " carries all of it: " + item.name}
	case len(made.Lost) == 1:
		return pageLine{Warn, string(gl.Warn) + " 1 thing is not carried: " + item.name}
	default:
		return pageLine{Warn, string(gl.Warn) + " " + grouped(len(made.Lost)) + " things are not carried: " + item.name}
	}
}

// openExport opens the formats, openPage the page for a review.
func (m *Model) openExport() tea.Cmd {
	m.ask(newExportDialog(&m.doc, ""))
	return nil
}

func (m *Model) openPage() tea.Cmd {
	m.ask(newExportDialog(&m.doc, pageID))
	return nil
}
