package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/presets"
)

var errNoName = errors.New("a name is needed")

// saveDialog asks for a name: for the policy, or for the run.
type saveDialog struct {
	prompt
	canRun bool
	run    bool
	other  field // what is typed for the one that is not asked for
}

// newSaveDialog proposes a name that is taken: that of a preset is not.
func newSaveDialog(name string, canRun, run bool) *saveDialog {
	if _, preset := presets.Get(name); preset || name == "" {
		name = "my-" + name
	}
	d := &saveDialog{canRun: canRun, other: newField("run.jsonl", false)}
	d.field = newField(name, false)
	d.check = func(text string) (reply, error) {
		if text == "" {
			return nil, errNoName
		}
		a := saves{name: text, what: savePolicy}
		if d.run {
			a.what = saveRun
		}
		return a, nil
	}
	d.name()
	if run && canRun {
		d.turn()
	}
	return d
}

func (d *saveDialog) name() {
	d.head, d.label, d.hint = "Save the policy", "name", "a name, to be opened again with o, or a path that ends in .toml"
	if d.run {
		d.head, d.label, d.hint = "Write the run", "path", "one event a line, as run --json gives it"
	}
}

// turn goes from the policy to the run, or back.
func (d *saveDialog) turn() {
	d.run = !d.run
	d.field, d.other = d.other, d.field
	d.wrong = ""
	d.name()
}

func (d *saveDialog) foot() string {
	if d.canRun {
		return "enter saves  tab the policy or the run  esc leaves"
	}
	return "enter saves  esc leaves"
}

func (d *saveDialog) key(k tea.KeyPressMsg) reply {
	if k.Keystroke() == "tab" && d.canRun {
		d.turn()
		return nil
	}
	return d.prompt.key(k)
}

// foreignFiles are the extensions of files that no policy of ours is in.
var foreignFiles = []string{".json", ".yaml", ".yml", ".sh", ".txt"}

// newOpenDialog lists the saved policies; a path may be typed too. A file of another client is imported.
func newOpenDialog(names []string) *finder {
	items := make([]listItem, len(names), len(names)+1)
	for i, n := range names {
		items[i] = listItem{name: n}
	}
	items = append(items, listItem{name: "import", about: "Reads a policy from a text or a file of another client."})
	f := newFinder("Open a policy", "type a name or a path  enter opens  esc leaves", items, nil)
	f.take = func(text string) reply {
		if looksImported(text) {
			return imports{text: text}
		}
		return nil
	}
	f.pick = func(item int, typed string) reply {
		foreign := slices.ContainsFunc(foreignFiles, func(ext string) bool { return strings.HasSuffix(strings.ToLower(typed), ext) })
		switch {
		case foreign && (item < 0 || item == len(names)):
			return imports{file: typed}
		case item == len(names):
			return imports{}
		case typed != "" && strings.ContainsAny(typed, "/\\"):
			return opens{typed}
		case item >= 0:
			return opens{names[item]}
		case typed != "":
			return opens{typed}
		}
		f.wrong = errNoName.Error()
		return nil
	}
	return f
}
