// Package presets holds the policies of known clients under names of their own, as their source says them.
package presets

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/retryscope/retryscope/engine"
)

// Preset is a policy with a name and where it comes from.
type Preset struct {
	// ID is what flags, files and the screen call it; Name is what it is.
	ID, Name string
	// Ecosystem is the group it is listed under: one of Ecosystems.
	Ecosystem string
	// Library and Version are what was read.
	Library, Version string
	// Source says where the figures come from: repository, file, function.
	Source string
	// Notes says what is special about it, surprises first.
	Notes string
	// CannotSay is what the real thing does and this policy does not, a sentence each; empty where there is nothing.
	CannotSay []string
	// Fires are the ids of the findings that package lint has about the policy, in the order of its rules: its known
	// faults, which belong to the client and are kept.
	Fires []string
	// Checked is "checked against VERSION" where the real thing was run, else empty: it was read in its source.
	Checked string
	Policy  engine.Policy
}

// Evidence is how well the preset is known: "read in source", or what it was checked against.
func (p *Preset) Evidence() string {
	if p.Checked == "" {
		return "read in source"
	}
	return p.Checked
}

// Missing is a client without a preset, and why.
type Missing struct{ Client, Why string }

// LeftOut are the clients that were looked at and have no preset.
func LeftOut() []Missing { return slices.Clone(leftOut) }

// Find are the presets, and the clients without one, that have the text in their id, name, library or ecosystem, in any
// case; all of them for no text.
func Find(text string) ([]Preset, []Missing) {
	text = strings.ToLower(strings.TrimSpace(text))
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.Contains(strings.ToLower(s), text) })
	}
	found := slices.DeleteFunc(All(), func(p Preset) bool { return !has(p.ID, p.Name, p.Library, p.Ecosystem) })
	missing := slices.DeleteFunc(LeftOut(), func(m Missing) bool { return !has(m.Client) })
	return found, missing
}

// DefaultID is the preset that applies where none is named.
const DefaultID = "default"

// row is a preset as data: its policy is written in the text form, as what differs from the default policy.
type row struct {
	id, name, library, version, source, policy, notes string
	cannot                                            []string
}

// group is the rows of one ecosystem.
type group struct {
	ecosystem string
	rows      []row
}

// groups are in the order of the list.
var groups = []group{
	{"retryscope", ownRows},
	{"Go", goRows},
	{"JavaScript", javascriptRows},
	{"Python", pythonRows},
	{"JVM", jvmRows},
	{".NET", dotnetRows},
	{"Rust", rustRows},
	{"Swift", swiftRows},
	{"Ruby", rubyRows},
	{"Proxies and tools", toolRows},
	{"Papers", paperRows},
}

// Ecosystems are the groups, in the order of the list.
func Ecosystems() []string {
	out := make([]string, 0, len(groups))
	for i := range groups {
		out = append(out, groups[i].ecosystem)
	}
	return out
}

// table is every preset, read once, when one is first asked for.
var table = sync.OnceValue(func() []Preset {
	var out []Preset
	for i := range groups {
		for j := range groups[i].rows {
			out = append(out, groups[i].rows[j].preset(groups[i].ecosystem))
		}
	}
	return out
})

// preset reads the row; a row that does not read is found by the package's tests.
func (r *row) preset(ecosystem string) Preset {
	p, err := engine.ParsePolicy(r.policy, engine.Default())
	if err != nil {
		p = engine.Default()
	}
	return Preset{
		ID: r.id, Name: r.name, Ecosystem: ecosystem, Library: r.library, Version: r.version,
		Source: r.source, Notes: r.notes, CannotSay: r.cannot, Checked: checked(r.id), Fires: strings.Fields(fires[r.id]), Policy: p,
	}
}

// copied is the preset with lists of its own.
func (p *Preset) copied() Preset {
	q := *p
	q.CannotSay = slices.Clone(p.CannotSay)
	q.Fires = slices.Clone(p.Fires)
	return q
}

// All are the presets, in the order of the list: by ecosystem, and within one by id.
func All() []Preset {
	all := table()
	out := make([]Preset, 0, len(all))
	for i := range all {
		out = append(out, all[i].copied())
	}
	return out
}

// Get is the preset of that id.
func Get(id string) (Preset, bool) {
	all := table()
	for i := range all {
		if all[i].ID == id {
			return all[i].copied(), true
		}
	}
	return Preset{}, false
}

// IDs are the ids of all presets, in the order of the list.
func IDs() []string {
	var out []string
	for i := range groups {
		for j := range groups[i].rows {
			out = append(out, groups[i].rows[j].id)
		}
	}
	return out
}

// Near are the ids that a wrong one may have meant: those that hold it or that it holds, or begin alike; where there
// are none, the presets of retryscope's own, as for what is too long to be meant as one.
func Near(id string) []string {
	var out []string
	low := strings.ToLower(id)
	if len(low) > longestShown {
		low = ""
	}
	for _, have := range IDs() {
		head := have[:min(len(have), 3)]
		if low != "" && (strings.Contains(have, low) || strings.Contains(low, have) || strings.HasPrefix(low, head)) {
			out = append(out, have)
		}
	}
	if len(out) > 0 {
		return out[:min(len(out), 8)]
	}
	for i := range ownRows {
		out = append(out, ownRows[i].id)
	}
	return out
}

// longestShown is how much of a wrong id an error repeats: it may be a whole file.
const longestShown = 40

// UnknownError is an id that no preset has.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	id := e.ID
	if runes := []rune(id); len(runes) > longestShown {
		id = string(runes[:longestShown]) + "…"
	}
	return fmt.Sprintf("%q is no preset (there are %s; all of them: retryscope presets)", id, strings.Join(Near(e.ID), ", "))
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
		return engine.Default(), DefaultID, fmt.Errorf("%w, and no name=value", &UnknownError{ID: first})
	}
	p, err := engine.ParsePolicy(rest, preset.Policy)
	return p, preset.ID, err
}
