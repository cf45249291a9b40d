package lint_test

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
)

// FuzzCheck: whatever policy there is, each finding says something, its change mends it, and the page holds together.
func FuzzCheck(f *testing.F) {
	for _, p := range presets.All() {
		f.Add(p.Policy.String())
	}
	for _, r := range lint.Rules() {
		f.Add(r.Fires)
		f.Add(r.Quiet)
	}
	ctx := lint.Context{Under: []lint.Layer{{Name: "outer", Policy: engine.Default()}}}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := engine.ParsePolicy(text, engine.Default())
		if err != nil {
			return
		}
		for _, one := range lint.Check(p, ctx) {
			q, err := engine.ParsePolicy(one.Change, p)
			if err != nil {
				t.Errorf("%s\n%s: %q: %v", p, one.ID, one.Change, err)
			} else if _, still := find(lint.Check(q, ctx), one.ID); still {
				t.Errorf("%s\n%s: %q does not mend it", p, one.ID, one.Change)
			}
			if !strings.HasSuffix(one.Says, ".") {
				t.Errorf("%s: %q", one.ID, one.Says)
			}
		}
		wellFormed(t, lint.Page(lint.Subject{Name: "it", Policy: p}, &lint.Subject{Name: "default", Policy: engine.Default()}, ctx))
	})
}
