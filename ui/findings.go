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

// foundLine is the gravest finding in a line, and the key that reads it and the others, in full and in short; all are ""
// where none is graver than a note.
type foundLine struct{ text, reads, short string }

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
	n := strconv.Itoa(grave)
	line := foundLine{found[0].Severity.String() + ": " + rule.Title, "! reads on", "! " + n}
	if grave > 1 {
		line.reads = "! reads " + n
	}
	return line
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
