package export_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/retryscope/retryscope/export"
)

// The real curl does under an exported command what our own run of the carried policy does.
func TestCurlExportsRun(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl")
	}
	t.Logf("%s", curl)
	for _, tt := range []struct{ name, policy, script string }{
		{"two", "attempts=3 base=1s curve=constant jitter=none", "503, 429, 200"},
		{"given up", "attempts=2 base=1s curve=constant jitter=none attempt-timeout=3s", "503 x5"},
		{"final", "attempts=4 base=1s jitter=none", "404, 200"},
		{"server", "attempts=3 base=30s curve=constant jitter=none", "503 after=1, 200"},
		{"reset", "attempts=2 base=1s curve=constant jitter=none", "reset, 200"},
		{"not asked to", "attempts=2 base=1s curve=constant jitter=none retry-on=timeout,429", "reset, 200"},
		{"everything", "attempts=2 base=1s curve=constant jitter=none retry-on=transport,4xx,5xx", "404, 200"},
		{"slow", "attempts=2 base=1s curve=constant jitter=none attempt-timeout=300ms", "hang, 200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := exported(t, "curl", tt.policy)
			agree(t, &r.Carried, tt.script, "GET", func(url string) {
				c := exec.CommandContext(t.Context(), "sh", "-c", r.Text)
				c.Env = append(os.Environ(), "URL="+url)
				out, err := c.CombinedOutput()
				t.Logf("%v: %s", err, out) // curl has exit codes of its own for how it ended
			})
		})
	}
}

// Configurations are what a parser of their language reads.
func TestConfigurationsParse(t *testing.T) {
	t.Parallel()
	for _, f := range export.Formats() {
		for _, g := range goldens {
			text := []byte(exported(t, f.ID, g.policy).Text)
			var v any
			var err error
			switch filepath.Ext(f.File) {
			case ".json":
				err = json.Unmarshal(text, &v)
			case ".yaml":
				err = yaml.Unmarshal(text, &v)
			default:
				continue
			}
			if _, ok := v.(map[string]any); err != nil || !ok {
				t.Errorf("%s of %s: %v\n%s", f.ID, g.name, err, text)
			}
		}
	}
}
