package ui

import (
	"errors"
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
		return saves{name: text, run: d.run}, nil
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

// newOpenDialog lists the saved policies; a path may be typed too.
func newOpenDialog(names []string) *finder {
	items := make([]listItem, len(names))
	for i, n := range names {
		items[i] = listItem{name: n}
	}
	f := newFinder("Open a policy", "type a name or a path  enter opens  esc leaves", items, nil)
	f.pick = func(item int, typed string) reply {
		switch {
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
