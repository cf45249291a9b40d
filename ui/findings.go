package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lint"
)

// findings are what lint has to say of a doc's policy, the gravest first.
func findings(d *doc) []lint.Finding {
	return lint.Check(d.policy, lint.Context{Keyed: keyed(&d.request)})
}

// foundLine is the gravest finding in a line, and how many there are; none where none is graver than a note.
type foundLine struct {
	text forms
	n    int
}

func findingNote(found []lint.Finding) foundLine {
	grave := 0
	for i := range found {
		if found[i].Severity > lint.Note {
			grave++
		}
	}
	if grave == 0 {
		return foundLine{}
	}
	rule, _ := lint.RuleOf(found[0].ID)
	how := found[0].Severity.String() + ": "
	return foundLine{forms{how + rule.Title, rule.Title, how + found[0].ID}, grave}
}

// findingKey names the key that reads n findings, in full and in short; shown says that the first is read already.
func findingKey(n int, shown bool) (long, short string) {
	switch {
	case n == 0:
		return "", ""
	case shown && n == 1:
		return "press !: read on", "!: read on"
	case shown:
		n--
		return "press !: " + strconv.Itoa(n) + " more", "!: " + strconv.Itoa(n) + " more"
	case n == 1:
		return "press !: 1 finding", "!: 1 more"
	}
	return "press !: " + strconv.Itoa(n) + " findings", "!: " + strconv.Itoa(n) + " more"
}

// showFindings lists what is wrong with the policy; enter changes what mends a finding.
func (m *Model) showFindings() tea.Cmd {
	policy := m.doc.policy
	found := findings(&m.doc)
	if len(found) == 0 {
		m.say("nothing is found in this policy")
		return nil
	}
	items := make([]listItem, len(found))
	for i := range found {
		items[i] = listItem{keys: found[i].Severity.String(), name: found[i].ID, about: found[i].Says}
		if found[i].Change != "" {
			items[i].about += " Enter sets " + found[i].Change + "."
		}
	}
	f := newFinder("Findings", "type to search  ↑↓ moves  enter mends it  esc leaves", items, nil)
	f.below = 4
	f.pick = func(item int, _ string) reply {
		if item < 0 {
			return nil
		}
		if found[item].Change == "" {
			f.wrong = "no change of one knob mends it"
			return nil
		}
		p, err := engine.ParsePolicy(found[item].Change, policy)
		if err != nil {
			f.fail(err)
			return nil
		}
		return takes{policyEdit{p, found[item].Change}}
	}
	m.ask(f)
	return nil
}
