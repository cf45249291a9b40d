package export_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/internal/prove"
	"github.com/retryscope/retryscope/presets"
)

// goImports are what exported code for Go may import that the module has.
var goImports = []string{
	"context", "crypto/tls", "errors", "io", "math", "math/rand/v2", "net", "net/http", "slices", "strconv", "sync", "time",
	"github.com/retryscope/retryscope/engine", "github.com/retryscope/retryscope/httpretry",
}

// goLibraries are those it has not; package proof, which has, looks at them more closely.
var goLibraries = map[string]string{
	"github.com/cenkalti/backoff/v5": "backoff", "github.com/avast/retry-go/v5": "retry", "github.com/sethvargo/go-retry": "retry",
	"github.com/failsafe-go/failsafe-go": "failsafe", "github.com/failsafe-go/failsafe-go/retrypolicy": "retrypolicy",
	"github.com/hashicorp/go-retryablehttp": "retryablehttp", "github.com/aws/aws-sdk-go-v2/aws": "aws",
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit": "ratelimit", "github.com/aws/aws-sdk-go-v2/aws/retry": "retry",
	"go.temporal.io/sdk/temporal": "temporal", "go.temporal.io/sdk/workflow": "workflow",
}

// Code for Go compiles, whatever features a policy has.
func TestGoCompiles(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", append(prove.ListCompiled(), goImports...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 600
	if raced {
		n = 60
	}
	policies := prove.Varied(n)
	for _, p := range presets.All() {
		policies = append(policies, p.Policy)
	}
	for _, f := range export.Formats() {
		policies := policies
		if slices.Contains([]string{"avast", "sethvargo", "failsafe"}, f.ID) { // all but a few lines as for cenkalti
			policies = policies[len(policies)-len(presets.IDs()):]
		}
		if strings.HasSuffix(f.File, ".go") {
			t.Run(f.ID, func(t *testing.T) {
				t.Parallel()
				open := func(file string) (io.ReadCloser, error) { return os.Open(file) }
				compileAll(t, prove.NewCompiler(string(out), open, goLibraries), &f, policies)
			})
		}
	}
}

func compileAll(t *testing.T, c *prove.Compiler, f *export.Format, policies []engine.Policy) {
	t.Helper()
	seen, wrong := map[string]bool{}, 0
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
			if wrong++; wrong <= 3 {
				t.Errorf("%s: %v\n%s", &policies[i], err, r.Text)
			}
		}
	}
	if wrong > 0 {
		t.Error(fmt.Sprint(wrong) + " do not compile")
	}
	t.Log(len(seen), "texts")
}
