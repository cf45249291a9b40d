package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program in the README is one, and short: pasted into a file it compiles. So is the README.
func TestReadmeProgram(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```go\n")
	program, _, end := strings.Cut(rest, "```\n")
	if !ok || !end || strings.Contains(program, "```go") {
		t.Fatal("the README has no program")
	}
	lines := 0
	for line := range strings.Lines(program) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > 15 {
		t.Errorf("the program has %d lines", lines)
	}
	if n := len(strings.Fields(string(text))); n >= 900 {
		t.Errorf("the README has %d words", n)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
