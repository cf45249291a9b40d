package presets

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
)

// TestRowsNameTheirKnobs: a client's policy says everything that matters itself. What it does not name would come from
// retryscope's own default, which no client follows.
func TestRowsNameTheirKnobs(t *testing.T) {
	for _, g := range groups {
		for i := range g.rows {
			r := &g.rows[i]
			if _, err := engine.ParsePolicy(r.policy, engine.Default()); err != nil {
				t.Errorf("%s: %v", r.id, err)
			}
			if g.ecosystem == "retryscope" {
				continue
			}
			names := []string{"attempts", "base", "jitter", "retry-after", "timeout", "attempt-timeout", "retry-on", "methods"}
			if !strings.Contains(r.policy, "retry-after=ignore") {
				names = append(names, "ceiling")
			}
			if !strings.Contains(r.policy, "curve=none") {
				names = append(names, "cap")
			}
			for _, name := range names {
				if !strings.Contains(" "+r.policy, " "+name+"=") {
					t.Errorf("%s leaves %s to the default policy", r.id, name)
				}
			}
		}
	}
}
