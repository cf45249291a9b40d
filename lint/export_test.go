package lint

import "github.com/retryscope/retryscope/engine"

// Has tells whether Check would find that id: the one rule is asked, and no change is sought.
func Has(p engine.Policy, ctx Context, id string) bool {
	r, ok := RuleOf(id)
	if !ok {
		return false
	}
	says, _ := r.look(newView(&p, &ctx))
	return says != ""
}
