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
		for k, field := range fields {
			value := get(&policies[i], field)
			if k > 0 && value == usualOf(policies, field) {
				continue // what most of them have need not be said
			}
			words = append(words, knobWord(field, value, len(fields) > 1))
		}
		if len(words) > 0 {
			out[i] = strings.Join(words, " ")
		}
	}
	return out
}

// knobWord is a knob in few letters; several says that others stand beside it.
func knobWord(field, value string, several bool) string {
	switch {
	case field == "attempts" && value == "1":
		return "1 try"
	case field == "attempts" && value == "unlimited":
		return "no end"
	case field == "attempts":
		return value + " tries"
	case field == "jitter" && value == "none":
		return "no jitter"
	case field == "attempt-timeout" && value != "none":
		return value + " each"
	case several && field != "jitter":
		return field + "=" + value
	}
	return value
}

// usualOf is the value of a knob that more than half of the policies have; "" where there is none.
func usualOf(policies []engine.Policy, field string) string {
	count := map[string]int{}
	for i := range policies {
		value := get(&policies[i], field)
		if count[value]++; 2*count[value] > len(policies) {
			return value
		}
	}
	return ""
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
