package lint

import (
	"fmt"
	"strings"
)

// Explain is what a rule is about, as Markdown.
func (r *Rule) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s: %s.\n\n%s\n\n", r.ID, title(r.Severity.String()), r.Title, r.Why)
	under := ""
	if r.Under != "" {
		under = fmt.Sprintf(" --under '%s'", r.Under)
	}
	fmt.Fprintf(&b, "    retryscope lint '%s'%s\n\n", r.Fires, under)
	if f := r.example(); f.ID != "" {
		fmt.Fprintf(&b, "> %s\n>\n> Change: `%s`\n\n", f.Says, f.Change)
	}
	fmt.Fprintf(&b, "The nearest policy without it: `%s`.\n", r.Quiet)
	return b.String()
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// Document is the page of all rules, as Markdown.
func Document() string {
	var b strings.Builder
	b.WriteString(`# Findings

What ` + "`retryscope lint`" + ` says about a policy, by its id. An id never changes its meaning. This page is made from the
rules (` + "`go test ./lint -update`" + `), and ` + "`retryscope lint --explain ID`" + ` prints one section of it.

An **error** does what nobody wants, a **warning** will hurt some day, a **note** is worth knowing. The gravest stand first,
and last, in a line each, those that nearly every policy has (cap-never-reached and no-spread). Each finding proposes a
change: on top of the policy it silences that finding. Examples are on top of the default policy.

| id | severity | finds that |
|---|---|---|
`)
	for i := range rules {
		r := &rules[i]
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, r.Severity, r.Title)
	}
	for i := range rules {
		b.WriteString("\n" + rules[i].Explain())
	}
	return b.String()
}
