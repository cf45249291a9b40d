// Package lint says what is wrong with a policy, before it meets a server: findings with stable ids, the figures of that
// very policy, and a change that mends each. It runs nothing: what it says comes from the policy's text alone.
package lint

import (
	"slices"

	"github.com/retryscope/retryscope/engine"
)

// Severity is how much a finding matters.
type Severity uint8

// The severities, in order.
const (
	Note    Severity = iota // worth knowing
	Warning                 // it will hurt some day
	Error                   // it does what nobody wants
)

var severityWords = [...]string{"note", "warning", "error"}

// String is the severity's word.
func (s Severity) String() string {
	if int(s) < len(severityWords) {
		return severityWords[s]
	}
	return "invalid"
}

// ParseSeverity reads a severity's word.
func ParseSeverity(word string) (s Severity, ok bool) {
	i := slices.Index(severityWords[:], word)
	if i < 0 {
		return Note, false
	}
	return Severity(i), true //nolint:gosec // an index of three words
}

// Finding is one thing about a policy.
type Finding struct {
	// ID is the rule's: it never changes its meaning.
	ID       string
	Severity Severity
	// Says is a sentence with the figures of this policy.
	Says string
	// Change is one name=value, or a few, that mend it: on top of the policy they silence this finding.
	Change string
	// Common is whether nearly every policy has it: worth a line behind all others.
	Common bool
}

// Context is what a policy's text does not tell.
type Context struct {
	// Keyed says that every request carries an idempotency key.
	Keyed bool
	// Under are the layers that retry around this policy, the outermost first.
	Under []Layer
}

// Layer is a policy that retries the whole operation of another.
type Layer struct {
	Name   string
	Policy engine.Policy
}

// Rule is one kind of finding.
type Rule struct {
	ID       string
	Severity Severity
	// Title is what it finds, in a line; Why what comes of it, in a few sentences.
	Title, Why string
	// Fires is a policy that has it, on top of the default one, and Quiet the nearest that has not: one knob apart.
	Fires, Quiet string
	// Under is the policy around both; "" for none.
	Under string

	// common says that nearly every policy has it.
	common bool
	// alone says that it matters where nothing is ever sent again as well.
	alone bool
	check check
}

// check looks at a policy: a sentence, and changes of which the first that mends it is proposed; "" for nothing found.
type check func(v *view) (says string, changes []string)

// Rules are all rules, in the order of the document.
func Rules() []Rule { return slices.Clone(rules) }

// RuleOf is the rule of that id.
func RuleOf(id string) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// IDs are the ids of all rules, in the order of the document.
func IDs() []string {
	out := make([]string, 0, len(rules))
	for i := range rules {
		out = append(out, rules[i].ID)
	}
	return out
}

// Check is every finding about a valid policy: the gravest first, those that nearly every policy has last, and among
// equals in the order of Rules. It is a pure function.
func Check(p engine.Policy, ctx Context) []Finding {
	v := newView(&p, &ctx)
	var out []Finding
	for i := range rules {
		if f, ok := rules[i].find(v); ok {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return b.weight() - a.weight() })
	return out
}

// weight is what findings are sorted by.
func (f *Finding) weight() int {
	w := 2 * int(f.Severity)
	if !f.Common {
		w++
	}
	return w
}

// find is the rule's finding, if there is one.
func (r *Rule) find(v *view) (Finding, bool) {
	says, changes := r.look(v)
	if says == "" {
		return Finding{}, false
	}
	return Finding{ID: r.ID, Severity: r.Severity, Says: says, Change: r.mend(v, changes), Common: r.common}, true
}

// look asks the rule, where it applies.
func (r *Rule) look(v *view) (string, []string) {
	if v.retries == 0 && !r.alone {
		return "", nil
	}
	return r.check(v)
}

// mend is the first of the changes that silences the rule, else the last one.
func (r *Rule) mend(v *view, changes []string) string {
	for _, c := range changes {
		q, err := engine.ParsePolicy(c, *v.p)
		if err != nil {
			continue
		}
		if says, _ := r.look(newView(&q, v.ctx)); says == "" {
			return c
		}
	}
	if len(changes) == 0 {
		return ""
	}
	return changes[len(changes)-1]
}

// example is what the rule says of its own example.
func (r *Rule) example() Finding {
	p, err := engine.ParsePolicy(r.Fires, engine.Default())
	if err != nil {
		return Finding{}
	}
	var ctx Context
	if outer, err := engine.ParsePolicy(r.Under, engine.Default()); r.Under != "" && err == nil {
		ctx.Under = []Layer{{Name: "the outer layer", Policy: outer}}
	}
	f, _ := r.find(newView(&p, &ctx))
	return f
}
