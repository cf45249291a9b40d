package lint_test

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
)

var update = flag.Bool("update", false, "write the files that are made from the rules")

// TestPresetsNameTheirFindings: no preset has a finding that it does not own to, and none owns to one it has not.
func TestPresetsNameTheirFindings(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("package presets\n\n// fires are the findings about each preset's policy, held by the tests of package lint (-update writes them).\nvar fires = map[string]string{\n")
	for _, p := range presets.All() {
		var ids []string
		for _, id := range lint.IDs() {
			if _, ok := find(lint.Check(p.Policy, lint.Context{}), id); ok {
				ids = append(ids, id)
			}
		}
		fmt.Fprintf(&b, "\t%q: %q,\n", p.ID, strings.Join(ids, " "))
		if !*update && !slices.Equal(ids, p.Fires) {
			t.Errorf("%s has the findings %v and names %v: go test ./lint -update writes presets/fires_data.go", p.ID, ids, p.Fires)
		}
	}
	b.WriteString("}\n")
	if *update {
		write(t, "../presets/fires_data.go", gofmt(t, b.String()))
	}
}

// TestFindingsDocument: docs/FINDINGS.md is what the rules say.
func TestFindingsDocument(t *testing.T) {
	t.Parallel()
	const path = "../docs/FINDINGS.md"
	want := lint.Document()
	if *update {
		write(t, path, want)
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the rules say (%v): go test ./lint -update writes it", path, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // a file of the repository
		t.Fatal(err)
	}
}

func gofmt(t *testing.T, text string) string {
	t.Helper()
	b, err := format.Source([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
