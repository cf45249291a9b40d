package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMigrating compiles every Go block of the migration guide: this is the module that knows the libraries it comes from.
func TestMigrating(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "MIGRATING.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(".", "_migrating")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a scratch directory
	args := []string{"vet"}
	for i, block := range strings.Split(string(text), "```go\n")[1:] {
		code, _, closed := strings.Cut(block, "```")
		if !closed {
			t.Fatalf("block %d is not closed", i+1)
		}
		pkg := filepath.Join(dir, fmt.Sprintf("block%d", i+1))
		if err := os.Mkdir(pkg, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(pkg, "block.go"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "./"+filepath.ToSlash(pkg))
	}
	if len(args) != 1+6 {
		t.Errorf("%d blocks, want a before and an after for each of three libraries", len(args)-1)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
