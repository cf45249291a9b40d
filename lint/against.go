package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// against is what differs from an older policy, and what that changes.
func (d *page) against(old *Subject) {
	o := newPage(old, d.v.ctx)
	d.head("Against " + o.name)
	if old.Policy == d.s.Policy {
		d.b.WriteString("Both are the same policy.\n")
		return
	}
	d.table("knob", "before: "+o.name, "now: "+d.name)
	for _, name := range engine.Fields() {
		was, _ := old.Policy.Get(name)
		is, _ := d.s.Policy.Get(name)
		if was != is {
			d.row(name, strings.ReplaceAll(was, ",", ", "), strings.ReplaceAll(is, ",", ", "))
		}
	}
	d.b.WriteString("\nWhat that changes:\n\n")
	lines := d.changes(o)
	if len(lines) == 0 {
		lines = []string{"none of the figures below"}
	}
	for _, line := range lines {
		d.b.WriteString("- " + line + "\n")
	}
}

func (d *page) changes(o *page) []string {
	var out []string
	add := func(what string, words []string) {
		if len(words) > 0 {
			out = append(out, what+": "+strings.Join(words, ", "))
		}
	}
	oldIn, newIn := retriedWords(o.v.p), retriedWords(d.v.p)
	add("retried now", less(newIn, oldIn))
	add("no longer retried", less(oldIn, newIn))
	oldSafe, _ := methods(o.v.p)
	newSafe, _ := methods(d.v.p)
	add("methods repeated now", less(newSafe, oldSafe))
	add("methods no longer repeated", less(oldSafe, newSafe))
	was, is := o.v.figures(), d.v.figures()
	for _, f := range is {
		i := slices.IndexFunc(was, func(w figure) bool { return w.name == f.name })
		if i >= 0 && was[i].value != f.value {
			out = append(out, fmt.Sprintf("%s: %s, was %s", f.name, f.value, was[i].value))
		} else if i < 0 {
			out = append(out, fmt.Sprintf("%s: %s, was %s", f.name, f.value, absent(f.name)))
		}
	}
	for _, w := range was {
		if !slices.ContainsFunc(is, func(f figure) bool { return f.name == w.name }) {
			out = append(out, fmt.Sprintf("%s: %s, was %s", w.name, absent(w.name), w.value))
		}
	}
	oldIDs, newIDs := ids(Check(*o.v.p, *d.v.ctx)), ids(Check(*d.v.p, *d.v.ctx))
	add("findings that are new", less(newIDs, oldIDs))
	add("findings that are gone", less(oldIDs, newIDs))
	return out
}

// absent says why a policy has no such figure: none would read as 0.
func absent(name string) string {
	if name == figureServer {
		return "Retry-After is not heard"
	}
	return "no timeout"
}

// retriedWords are the outcomes that are retried, each status alone.
func retriedWords(p *engine.Policy) []string {
	var out []string
	for _, k := range engine.RetryKinds() {
		if p.RetryOn.HasKind(k) {
			out = append(out, k.String())
		}
	}
	for _, c := range engine.Causes() {
		if p.RetryOn.HasCause(c) {
			out = append(out, c.String())
		}
	}
	for s := 100; s < 600; s++ {
		if p.RetryOn.Statuses.Has(s) {
			out = append(out, fmt.Sprint(s))
		}
	}
	return out
}

// less are the words of a that b has not. Statuses come out as a policy writes them.
func less(a, b []string) []string {
	var out []string
	var r engine.RetryOn
	for _, w := range a {
		if slices.Contains(b, w) {
			continue
		}
		if s, ok := status(w); ok {
			r.Statuses.Add(s)
			continue
		}
		out = append(out, w)
	}
	return append(out, statuses(&r)...)
}

func status(word string) (int, bool) {
	if len(word) != 3 || strings.Trim(word, "0123456789") != "" {
		return 0, false
	}
	return int(word[0]-'0')*100 + int(word[1]-'0')*10 + int(word[2]-'0'), true
}

func ids(all []Finding) []string {
	out := make([]string, 0, len(all))
	for _, f := range all {
		out = append(out, f.ID)
	}
	return out
}
