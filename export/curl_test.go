package export_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/presets"
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

// Configurations are what a parser of their language reads, whatever the policy: the numbers of the policy stand in them.
func TestConfigurationsParse(t *testing.T) {
	t.Parallel()
	read := map[string]func([]byte, any) error{
		".json": json.Unmarshal, ".yaml": yaml.Unmarshal,
		".toml": func(text []byte, v any) error { return toml.Unmarshal(text, v) },
	}
	for _, f := range export.Formats() {
		parse := read[filepath.Ext(f.File)]
		if parse == nil {
			continue
		}
		for _, p := range presets.All() {
			r, err := f.Export(p.Policy)
			if err != nil {
				t.Fatal(err)
			}
			var v map[string]any
			if err := parse([]byte(r.Text), &v); err != nil || len(v) == 0 {
				t.Errorf("%s of %s: %v\n%s", f.ID, p.ID, err, r.Text)
			}
			if where := attemptsIn[f.ID]; where.path != nil && r.Carried.Attempts > 1 {
				if got := fmt.Sprint(at(v, where.path...)); got != fmt.Sprint(r.Carried.Attempts-where.less) {
					t.Errorf("%s of %s: %v attempts less %d stand as %s\n%s", f.ID, p.ID, r.Carried.Attempts, where.less, got, r.Text)
				}
			}
		}
	}
}

// attemptsIn is where a configuration says how often, and whether it leaves the first send out.
var attemptsIn = map[string]struct {
	path []any
	less int
}{
	"grpc":              {[]any{"methodConfig", 0, "retryPolicy", "maxAttempts"}, 0},
	"envoy":             {[]any{"route", "retry_policy", "num_retries"}, 1},
	"istio":             {[]any{"spec", "http", 0, "retries", "attempts"}, 1},
	"resilience4j-yaml": {[]any{"resilience4j.retry", "instances", "service", "maxAttempts"}, 0},
}

// at walks into what was parsed.
func at(v any, path ...any) any {
	for _, step := range path {
		switch in := v.(type) {
		case map[string]any:
			name, _ := step.(string)
			v = in[name]
		case []any:
			if i, ok := step.(int); ok && i < len(in) {
				v = in[i]
			}
		}
	}
	return v
}
