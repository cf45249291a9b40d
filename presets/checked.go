package presets

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// resultsText is what presets/conformance found when it ran the real clients; it is written by it alone.
//
//go:embed results.json
var resultsText []byte

// Check is one comparison of the real client with its preset.
type Check struct {
	// Preset is the preset's id; Client and Version are what was run.
	Preset, Client, Version string
	// Check is what was compared, Ours what the engine does under the preset, Theirs what the client did.
	Check, Ours, Theirs string
	// Verdict is "same", or "named" where they differ as the sentence Named, one of the preset's own, says.
	Verdict, Named string
}

// results are the checks by preset, read once, when they are first asked for.
var results = sync.OnceValue(func() map[string][]Check {
	var list []Check
	if err := json.Unmarshal(resultsText, &list); err != nil {
		return nil // found by the package's tests
	}
	out := map[string][]Check{}
	for i := range list {
		out[list[i].Preset] = append(out[list[i].Preset], list[i])
	}
	return out
})

// Checks are the comparisons of the preset with the real client, in the order they were made; none where it was only
// read in its source.
func Checks(id string) []Check { return append([]Check(nil), results()[id]...) }

// checked is what Preset.Checked says.
func checked(id string) string {
	list := results()[id]
	if len(list) == 0 {
		return ""
	}
	return "checked against " + list[0].Version
}
