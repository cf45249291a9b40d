package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
)

var errNoName = errors.New("a name is needed")

// saveDialog asks for a name: for the policy, or for the run.
type saveDialog struct {
	prompt
	canRun bool
	run    bool
}

func newSaveDialog(name string, canRun, run bool) *saveDialog {
	d := &saveDialog{canRun: canRun, run: run && canRun}
	d.field = newField(name, false)
	d.label = "name"
	d.check = func(text string) (reply, error) {
		if text == "" {
			return nil, errNoName
		}
		return saves{text, d.run}, nil
	}
	d.name()
	return d
}

func (d *saveDialog) name() {
	d.head, d.hint = "Save the policy", "a name, to be opened again with o, or a path that ends in .toml"
	if d.run {
		d.head, d.hint = "Write the run", "a path; one event a line, as run --json gives it"
	}
}

func (d *saveDialog) foot() string {
	if d.canRun {
		return "enter saves  tab the policy or the run  esc leaves"
	}
	return "enter saves  esc leaves"
}

func (d *saveDialog) key(k tea.KeyPressMsg) reply {
	if k.Keystroke() == "tab" && d.canRun {
		d.run = !d.run
		d.name()
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
