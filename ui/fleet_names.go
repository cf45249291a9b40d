package ui

import (
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// FleetNames are short names that tell policies apart: a policy's own name where it is one word, else the fewest knobs by
// which the others differ from each other.
func FleetNames(names []string, policies []engine.Policy) []string {
	fields := apart(policies)
	out := make([]string, len(policies))
	for i := range policies {
		if out[i] = names[i]; !strings.Contains(names[i], " ") {
			continue
		}
		var words []string
		for _, field := range fields {
			value := get(&policies[i], field)
			switch {
			case len(fields) > 1 && value == "none" && field != "jitter":
				continue // what it does not have need not be said
			case len(fields) > 1 && field != "jitter":
				value = field + "=" + value
			}
			words = append(words, value)
		}
		if len(words) > 0 {
			out[i] = strings.Join(words, " ")
		}
	}
	return out
}

// apart picks knobs until all policies that are different are told apart, each time the one that does most.
func apart(policies []engine.Policy) []string {
	var picked []string
	kinds := func(fields []string) int {
		seen := map[string]bool{}
		for i := range policies {
			key := ""
			for _, f := range fields {
				key += get(&policies[i], f) + "\x00"
			}
			seen[key] = true
		}
		return len(seen)
	}
	for now, all := 1, kinds(engine.Fields()); now < all; {
		best := ""
		for _, f := range engine.Fields() {
			if n := kinds(append(picked[:len(picked):len(picked)], f)); n > now {
				now, best = n, f
			}
		}
		if best == "" {
			break
		}
		picked = append(picked, best)
	}
	return picked
}

func get(p *engine.Policy, field string) string {
	v, _ := p.Get(field) // engine.Fields has no other names
	return v
}
