package proof

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/internal/prove"
)

// What is exported for JavaScript runs under Node with the packages that js/package-lock.json pins.
func TestJavaScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	packages := nodePackages(t)
	whole := prove.Case{Name: "broken off", Policy: "attempts=3 base=10ms jitter=none", Script: "cut, 200", Method: "GET"}
	jobs := slices.Concat(jobsOf(t, "got", whole), jobsOf(t, "axios-retry", whole)) // the others leave the body to the caller
	for _, id := range []string{"ky", "p-retry"} {
		jobs = append(jobs, jobsOf(t, id)...)
	}
	dir := t.TempDir()
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for i, j := range jobs {
		if j.format.ID == "ky" && strings.Contains(j.text, "TimeoutError in place of the last failure") {
			j.Also = "error"
		}
		j.write(t, dir, fmt.Sprint(i)+".mjs")
	}
	proveAll(t, jobs, func(ctx context.Context, args []string) *exec.Cmd {
		return exec.CommandContext(ctx, node, scriptArgs(t, jobs, "js/run.mjs", dir, args)...)
	})
}

// nodePackages installs what the lock file names, where it is not there as it stands.
func nodePackages(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("js")
	if err != nil {
		t.Fatal(err)
	}
	packages := filepath.Join(dir, "node_modules")
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	stamp := filepath.Join(packages, ".installed")
	if was, err := os.ReadFile(stamp); err == nil && string(was) == string(lock) {
		return packages
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm to install packages with")
	}
	c := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(stamp, lock, 0o600); err != nil {
		t.Fatal(err)
	}
	return packages
}
