package presets_test

import (
	"slices"
	"testing"

	"github.com/retryscope/retryscope/presets"
)

// TestChecked: who was compared with the real client says so, and every difference stands in the preset itself.
func TestChecked(t *testing.T) {
	n := 0
	for _, p := range presets.All() {
		list := presets.Checks(p.ID)
		if len(list) == 0 {
			if p.Checked != "" || p.Evidence() != "read in source" {
				t.Errorf("%s: %q without a check", p.ID, p.Evidence())
			}
			continue
		}
		n++
		if want := "checked against " + list[0].Version; p.Checked != want || p.Evidence() != want {
			t.Errorf("%s: %q, not %q", p.ID, p.Checked, want)
		}
		for _, c := range list {
			says := slices.Contains(append(slices.Clone(p.CannotSay), p.Notes), c.Named)
			switch {
			case c.Preset != p.ID || c.Check == "" || c.Ours == "" || c.Theirs == "" || c.Version != list[0].Version:
				t.Errorf("%+v", c)
			case c.Verdict == "same" && c.Named == "", c.Verdict == "named" && says:
			default:
				t.Errorf("%s: %s differs and the preset does not say so: %+v", p.ID, c.Check, c)
			}
		}
	}
	if n < 34 {
		t.Errorf("%d presets were compared with the real thing", n)
	}
}

// TestChecksAreCopies: whoever gets them may change them.
func TestChecksAreCopies(t *testing.T) {
	presets.Checks("cenkalti-backoff-v5")[0].Verdict = "changed"
	if presets.Checks("cenkalti-backoff-v5")[0].Verdict == "changed" || presets.Checks("no such preset") != nil {
		t.Error("the list is shared")
	}
}
