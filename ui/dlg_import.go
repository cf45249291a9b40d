package ui

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/importer"
	"github.com/retryscope/retryscope/trace"
)

// importDialog reads a policy from what another client is told: a text that is typed or pasted, or a file that is named.
// What it comes to is tried out at once, and what is not in it is listed.
type importDialog struct {
	field   textArea
	held    *heldText // what is read instead of the field
	langs   []importLang
	forced  int // the language to read it as; -1 has it found out
	canRead bool

	at     int // the language it was read as, or would be; -1 for none
	result importer.Result
	err    error // why nothing was read; nil where the text is empty too
	unread bool  // err is about the file

	page         scroll
	pageN, pageH int
}

// heldText is a text that is not in the field: that of a file, or a paste too long to be edited.
type heldText struct{ name, file, text string }

// mostTyped is how much of a paste goes into the field, mostRead how much is read at all, in bytes.
const (
	mostTyped = 8 << 10
	mostRead  = 1 << 20
)

var (
	errEmptyText = errors.New("nothing stands in it")
	errLongText  = errors.New("too large for a policy")
)

func newImportDialog(langs []importLang, canRead bool) *importDialog {
	return &importDialog{field: textArea{field: newField("", true)}, langs: langs, forced: -1, at: -1, canRead: canRead, pageH: 1}
}

func (d *importDialog) title() string { return "Import" }

func (d *importDialog) foot() string {
	switch {
	case d.ok():
		return "enter takes it  tab language  alt+enter new line  esc leaves the old"
	case d.file() != "":
		return "enter reads the file  tab language  alt+enter new line  esc leaves"
	}
	return "tab language  alt+enter new line  esc leaves"
}

func (d *importDialog) rows(int) int { return 14 }

// ok tells whether a policy was read.
func (d *importDialog) ok() bool { return d.err == nil && d.at >= 0 }

// text is what is read.
func (d *importDialog) text() string {
	if d.held != nil {
		return d.held.text
	}
	return d.field.String()
}

// file is the path that stands in the field, where it can be one: a line that is no policy.
func (d *importDialog) file() string {
	line := strings.TrimSpace(d.field.String())
	switch {
	case !d.canRead || d.ok() || d.held != nil || line == "" || strings.ContainsAny(line, "\n{"):
		return ""
	case strings.Contains(line, "=") && !strings.ContainsAny(line[:1], "/.~"):
		return "" // a policy that is not right yet
	}
	return line
}

func (d *importDialog) key(k tea.KeyPressMsg) reply {
	switch k.Keystroke() {
	case "esc":
		return closed{}
	case "enter":
		return d.enter()
	case "tab":
		return d.force(1)
	case "shift+tab":
		return d.force(-1)
	case "pgup":
		d.page.move(movePageUp, d.pageN, d.pageH)
		return nil
	case "pgdown":
		d.page.move(movePageDown, d.pageN, d.pageH)
		return nil
	case "alt+enter", "shift+enter", "ctrl+j":
		d.field.insert("\n")
	default:
		before := d.field.String()
		if !d.field.key(k) || d.field.String() == before && d.held == nil {
			return nil
		}
	}
	d.held = nil
	return d.show()
}

func (d *importDialog) enter() reply {
	switch path := d.file(); {
	case d.ok():
		name := "imported"
		if d.held != nil && d.held.file != "" {
			name = trace.Clean(stem(d.held.file))
		}
		return takes{namedEdit{d.result.Policy, name, "import of " + d.langs[d.at].name}}
	case path != "":
		return reads{path}
	}
	return nil
}

// stem is the name of a file without its folder and its extension.
func stem(path string) string {
	base := baseName(path)
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}

// force goes to another language to read it as; before the first it is found out.
func (d *importDialog) force(by int) reply {
	n := len(d.langs) + 1
	d.forced = (d.forced+1+by+n)%n - 1
	return d.show()
}

func (d *importDialog) paste(text string) reply {
	text = lineBreaks.Replace(text)
	if len(text) > mostTyped {
		d.field.cut(0, len(d.field.text))
		d.held = &heldText{name: "pasted: " + grouped(len(text)) + " bytes", text: text}
		return d.show()
	}
	d.held = nil
	d.field.paste(text)
	return d.show()
}

// lineBreaks makes one kind of them: a terminal pastes a line break as the key enter sends it.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// read takes what is in a file.
func (d *importDialog) read(path, text string) reply {
	d.held = &heldText{name: "read from " + path, file: path, text: lineBreaks.Replace(text)}
	r := d.show()
	if strings.TrimSpace(text) == "" {
		d.err = errEmptyText
	}
	return r
}

// fail says why a file was not read.
func (d *importDialog) fail(err error) { d.err, d.unread = err, true }

// show reads the text and tries out what it comes to.
func (d *importDialog) show() reply {
	d.page = scroll{}
	was := d.ok()
	d.at, d.result, d.err, d.unread = -1, importer.Result{}, nil, false
	if text := d.text(); len(text) > mostRead {
		d.at, d.err = -1, errLongText
	} else if strings.TrimSpace(text) != "" {
		d.at, d.result, d.err = readAs(d.langs, d.forced, text)
	}
	switch {
	case d.ok():
		return shows{namedEdit{d.result.Policy, "imported", ""}}
	case was:
		return restores{}
	}
	return nil
}

// openImport asks for a text to read a policy from.
func (m *Model) openImport() tea.Cmd { return m.importFrom(imports{}) }

// importFrom opens the dialog on a text or a file.
func (m *Model) importFrom(a imports) tea.Cmd {
	d := newImportDialog(importLangs(m.opts.TOML), m.opts.Read != nil)
	m.ask(d)
	switch {
	case a.text != "":
		return m.reply(d.paste(a.text))
	case a.file != "":
		d.field.insert(a.file)
		return tea.Batch(m.reply(d.show()), m.reply(reads{a.file}))
	}
	return nil
}

func (d *importDialog) draw(g *Grid, gl *Glyphs) place {
	x := g.Text(0, 0, Dim, "language  ")
	switch {
	case d.forced >= 0:
		g.TextCut(x, 0, g.W-x, Focus, d.langs[d.forced].name, gl.Ellipsis)
	case d.ok():
		g.TextCut(x, 0, g.W-x, Plain, d.langs[d.at].name+" (found out)", gl.Ellipsis)
	default:
		g.TextCut(x, 0, g.W-x, Dim, "found out from the text", gl.Ellipsis)
	}
	rows := max(min(d.field.rows(g.W), g.H/2-1, 8), 2)
	var cur place
	if area := g.Sub(0, 1, g.W, rows); d.held != nil {
		area.TextCut(0, 0, area.W, Focus, d.held.name, gl.Ellipsis)
		area.TextCut(0, 1, area.W, Dim, "typing begins another text", gl.Ellipsis)
	} else if cur = d.field.draw(area, noFault); cur.shown {
		cur.y++
	}
	g.Fill(0, rows+1, g.W, gl.H, Rule)
	d.drawPage(g.Sub(0, rows+2, g.W, max(g.H-rows-2, 0)), gl)
	return cur
}

func noFault(int, int) bool { return false }

// drawPage draws what the text came to, as much as there is room for.
func (d *importDialog) drawPage(g *Grid, gl *Glyphs) {
	lines := d.lines(g.W, gl)
	d.pageN, d.pageH = len(lines), g.H
	if d.pageN > g.H && g.H > 1 {
		d.pageH--
	}
	d.page.keep(d.pageN, d.pageH)
	for y := 0; y < d.pageH && d.page.top+y < len(lines); y++ {
		l := &lines[d.page.top+y]
		g.TextCut(0, y, g.W, l.style, l.text, gl.Ellipsis)
	}
	if rest := d.pageN - d.pageH - d.page.top; d.pageH < g.H {
		more := "the end: pgup goes back"
		if rest > 0 {
			more = string(gl.MoreDown) + " " + strconv.Itoa(rest) + " more: pgdown"
		}
		g.TextCut(0, g.H-1, g.W, Key, more, gl.Ellipsis)
	}
}

// lines are what the text came to: the policy, and what of the text is not in it; else why there is none.
func (d *importDialog) lines(w int, gl *Glyphs) []pageLine {
	var out []pageLine
	add := func(style Style, text string) {
		for _, line := range wrap(inSet(text, gl), w) {
			out = append(out, pageLine{style, line})
		}
	}
	switch path := d.file(); {
	case d.ok():
		n := "all of it is in the policy"
		if len(d.result.Ignored) == 1 {
			n = "1 thing in it has no place in the policy:"
		} else if len(d.result.Ignored) > 1 {
			n = strconv.Itoa(len(d.result.Ignored)) + " things in it have no place in the policy:"
		}
		add(OK, string(gl.Passed)+" read as "+d.langs[d.at].name+"; "+n)
		for _, l := range d.result.Ignored {
			add(Warn, string(gl.Warn)+" "+l)
		}
		p := d.result.Policy
		add(Dim, "policy: "+orDefault(strings.TrimSpace(p.Short("", engine.Default()))))
	case d.err != nil:
		style := Err
		if path != "" {
			add(Plain, "enter reads the file "+path)
		}
		if path != "" && !d.unread {
			style = Dim
		}
		add(style, trace.Clean(strings.ReplaceAll(d.err.Error(), "\n", "; ")))
	default:
		names := make([]string, len(d.langs))
		for i := range d.langs {
			names[i] = d.langs[i].name
		}
		add(Dim, "Paste or type "+strings.Join(names, ", ")+"; or the path of a file that holds one.")
	}
	return out
}

func orDefault(text string) string {
	if text == "" {
		return "the default one"
	}
	return text
}
