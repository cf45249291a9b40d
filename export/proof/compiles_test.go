package proof

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/internal/prove"
	"github.com/retryscope/retryscope/presets"
)

// imports are what exported code for Go may import.
var imports = []string{
	"context", "crypto/tls", "errors", "io", "math", "math/rand/v2", "net", "net/http", "slices", "strconv", "sync", "time",
	"github.com/retryscope/retryscope/engine", "github.com/retryscope/retryscope/httpretry",
	"github.com/cenkalti/backoff/v5", "github.com/avast/retry-go/v5", "github.com/sethvargo/go-retry",
	"github.com/failsafe-go/failsafe-go", "github.com/failsafe-go/failsafe-go/retrypolicy", "github.com/hashicorp/go-retryablehttp",
	"github.com/aws/aws-sdk-go-v2/aws", "github.com/aws/aws-sdk-go-v2/aws/ratelimit", "github.com/aws/aws-sdk-go-v2/aws/retry",
}

// Code for each of Go's libraries compiles with that library, for every preset and whatever features a policy has.
func TestGoCompiles(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", append(prove.ListCompiled(), imports...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	policies := prove.Varied(1000)
	for _, p := range presets.All() {
		policies = append(policies, p.Policy)
	}
	open := func(file string) (io.ReadCloser, error) { return os.Open(file) }
	c := prove.NewCompiler(string(out), open, map[string]string{"go.temporal.io/sdk/temporal": "temporal", "go.temporal.io/sdk/workflow": "workflow"})
	for _, f := range export.Formats() {
		if !strings.HasSuffix(f.File, ".go") {
			continue
		}
		seen := map[string]bool{}
		for i := range policies {
			r, err := f.Export(policies[i])
			if err != nil {
				t.Fatal(err)
			}
			if seen[r.Text] {
				continue
			}
			seen[r.Text] = true
			if err := c.Check(r.Text); err != nil {
				t.Fatalf("%s: %s: %v\n%s", f.ID, &policies[i], err, r.Text)
			}
		}
		t.Logf("%s: %d texts compile", f.ID, len(seen))
	}
}
