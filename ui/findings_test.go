package ui

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/lint"
)

func TestFindings(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	wantsNot(t, m, "!: ") // two notes are no warning
	press(m, "p")
	typeText(m, "carom")
	press(m, "enter")
	m.note = note{}
	m.paint.stale = true
	rule, _ := lint.RuleOf("non-idempotent")
	wants(t, m, "! error: "+rule.Title+"  ", "!: 5 more")
	press(m, "!")
	wants(t, m, "┌─ Findings", "▸ error", "non-idempotent", "warning retries-501", "Enter sets methods=idempotent.")
	press(m, "enter")
	if m.doc.policy.Methods != "idempotent" {
		t.Errorf("methods=%s", m.doc.policy.Methods)
	}
	press(m, "!")
	wantsNot(t, m, "non-idempotent")
	press(m, "esc", "u")
	if m.doc.policy.Methods != "any" {
		t.Errorf("undo leaves methods=%s", m.doc.policy.Methods)
	}
}

// Each change that a finding proposes is one that the screen can make, and silences it.
func TestFindingsAreMended(t *testing.T) {
	t.Parallel()
	for _, r := range lint.Rules() {
		if r.Under != "" {
			continue
		}
		m := newScreen(t, 80, 24, func(o *Options) { o.Policy = parsePolicy(t, r.Fires) })
		found := findings(&m.doc)
		at := -1
		for i := range found {
			if found[i].ID == r.ID {
				at = i
			}
		}
		if at < 0 {
			t.Errorf("%s: %s does not fire it", r.ID, r.Fires)
			continue
		}
		screen(t, m)
		if len(m.paint.warns) == 0 && found[0].Severity > lint.Note {
			rule, _ := lint.RuleOf(found[0].ID)
			line := m.paint.found.text.in(80 - 3 - len("  !: 9 more "))
			if !strings.Contains(line, rule.Title) && !strings.Contains(line, found[0].ID) {
				t.Errorf("%s: %q", r.ID, line)
			}
			wants(t, m, "! "+line+"  ", "!: ")
		}
		press(m, "!")
		typeText(m, r.ID)
		wants(t, m, "Findings", r.ID)
		// The sentence is read whole at the smallest whole screen.
		frame := strings.Join(strings.Fields(strings.ReplaceAll(screen(t, m), "│", " ")), " ")
		if says := found[at].Says; !strings.Contains(frame, says) {
			t.Errorf("%s: %q is cut:\n%s", r.ID, says, screen(t, m))
		}
		press(m, "enter")
		for _, f := range findings(&m.doc) {
			if f.ID == r.ID && found[at].Change != "" {
				t.Errorf("%s: %s does not mend it", r.ID, found[at].Change)
			}
		}
	}
}
