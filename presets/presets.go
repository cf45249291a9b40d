// Package presets holds the policies of known clients under names of their own.
package presets

import (
	"fmt"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// Preset is a policy with a name and where it comes from.
type Preset struct {
	// ID is what flags, files and the screen call it; Name is what it is.
	ID, Name string
	// Source says where the figures come from; Notes what is special about them.
	Source, Notes string
	Policy        engine.Policy
}

// DefaultID is the preset that applies where none is named.
const DefaultID = "default"

// All are the presets, in the order of the list.
func All() []Preset {
	out := make([]Preset, 0, len(table))
	for _, row := range table {
		out = append(out, row.preset())
	}
	return out
}

// Get is the preset of that id.
func Get(id string) (Preset, bool) {
	for _, row := range table {
		if row.id == id {
			return row.preset(), true
		}
	}
	return Preset{}, false
}

// IDs are the ids of all presets, in the order of the list.
func IDs() []string {
	out := make([]string, 0, len(table))
	for _, row := range table {
		out = append(out, row.id)
	}
	return out
}

// Parse reads a policy's text: name=value words on top of the default policy, or of the preset that the first word
// names ("carom attempts=6"). It returns the policy and the id of the preset under it.
func Parse(text string) (engine.Policy, string, error) {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if strings.Contains(first, "=") || first == "" {
		p, err := engine.ParsePolicy(text, engine.Default())
		return p, DefaultID, err
	}
	preset, ok := Get(first)
	if !ok {
		return engine.Default(), DefaultID, fmt.Errorf("%q is no preset (there are %s) and no name=value", first, strings.Join(IDs(), ", "))
	}
	p, err := engine.ParsePolicy(rest, preset.Policy)
	return p, preset.ID, err
}
