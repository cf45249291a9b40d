package export_test

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
)

// Where nothing is retried that a configuration can retry, it does not retry: not what nobody asked for instead.
func TestConfigurationsOfNothing(t *testing.T) {
	t.Parallel()
	retries := map[string]string{"curl": "--retry", "grpc": "retryPolicy", "envoy": "retry_policy", "istio": "retryOn", "resilience4j-yaml": "retryExceptions"}
	for id, word := range retries {
		f, ok := export.Get(id)
		if !ok {
			t.Fatalf("no format %s", id)
		}
		for _, c := range []struct {
			policy string
			any    bool // of it is retried by some of the formats
		}{{"retry-on=none", false}, {"retry-on=none timeout=30s attempts=9", false}, {"retry-on=cut", false}, {"retry-on=invalid-response", false}, {"retry-on=503,timeout", true}} {
			p, err := engine.ParsePolicy(c.policy, engine.Default())
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.Export(p)
			if err != nil {
				t.Fatal(err)
			}
			body := ""
			for line := range strings.Lines(r.Text) {
				if !strings.HasPrefix(strings.TrimSpace(line), "#") && !strings.Contains(line, "written as") {
					body += line
				}
			}
			if got := strings.Contains(body, word) || r.Carried.Attempts > 1; got != c.any {
				t.Errorf("%s of %s: retries is %v\n%s", id, c.policy, got, r.Text)
			}
		}
	}
	curl := exported(t, "curl", "retry-on=404 attempts=4").Text
	if strings.Contains(curl, " --retry") || !strings.Contains(curl, "attempts=4: written as 1 (curl retries nothing of what is to be retried)") {
		t.Errorf("curl retries no 404 alone\n%s", curl)
	}
}
