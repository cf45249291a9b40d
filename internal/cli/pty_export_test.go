//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the screen saves is what the commands print, to the byte.
func TestPtyExports(t *testing.T) {
	t.Parallel()
	env, dir := environment(t), t.TempDir()
	c := newConsole(t, 80, 24).start(env, "--policy", "carom attempts=5", "--seed", "42")
	c.see("Timeline", "‹ 5 ›")
	for _, save := range []struct{ keys, at, file string }{
		{"E" + down + down + down, "▸ go-std", "retry.go"}, {"E" + strings.Repeat(down, 11), "▸ grpc", "svc.json"}, {"P", "▸ page", "page.md"},
	} {
		c.keys(save.keys).see("Export", save.at)
		c.keys("w").see("Save: ")
		path := filepath.Join(dir, save.file)
		c.keys("\x15" + path + enter).unsee("┌─")
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
	}
	c.keys("E").see("Export")
	c.keys("w\x15"+filepath.Join(dir, "retry.go")+enter).see("Replace it?", "it is there already")
	c.keys("n").see("Save: ")
	c.keys("\x1b").see("▸ line")
	c.keys("\x1b").unsee("┌─")
	c.keys("q").exits(0)

	for file, args := range map[string][]string{
		"retry.go": {"export", "go-std", "--policy", "carom attempts=5"}, "svc.json": {"export", "grpc", "--policy", "carom attempts=5"},
		"page.md": {"explain", "carom attempts=5", "--against", "carom"},
	} {
		got, err := os.ReadFile(filepath.Join(dir, file)) //nolint:gosec // of this test
		if err != nil {
			t.Fatal(err)
		}
		if want := execute(t, args...).out; string(got) != want {
			t.Errorf("%s holds\n%s\nand %v prints\n%s", file, got, args, want)
		}
	}
}

// paste is a text as a terminal pastes it.
func paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// What is pasted is one edit: of many lines, with keys in it, longer than a terminal hands over at once.
func TestPtyImportsAPaste(t *testing.T) {
	t.Parallel()
	config := `{
	"methodConfig": [{
		"name": [{"service": "q"}],
		"retryPolicy": {
			"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]
}
`
	c := newConsole(t, 80, 24).start(nil, "--seed", "42")
	c.see("Timeline", "‹ 4 ›")
	c.keys("I").see("Import", "Paste or type")
	c.keys(paste(strings.ReplaceAll(config, "\n", "\r"))).see("a gRPC service config (found out)", "of 3")
	c.keys(enter).unsee("┌─")
	c.see("imported", "‹ 3 ›  (2 retries)")
	c.keys("u").see("taken back: import of a gRPC service config", "‹ 4 ›  (3 retries)")
	yaml := "retry_policy:\r  retry_on: 5xx\r  num_retries: 6\r"
	c.keys("p").see("Presets")
	c.keys(paste(yaml)).see("an Envoy configuration, as YAML (found out)", "of 7")
	c.keys("\x1b").unsee("┌─")
	c.see("‹ 4 ›  (3 retries)")
	// Into the search of the picker, and so long that it comes in pieces.
	c.keys("p").see("Presets")
	long := strings.Replace(config, `"q"`, `"`+strings.Repeat("q", 20_000)+`"`, 1)
	c.keys(paste(strings.ReplaceAll(long, "\n", "\r"))).see("Import", "pasted: ", "of 3")
	c.keys("\x1b").unsee("┌─")
	c.see("‹ 4 ›  (3 retries)")
	// A file by its path.
	path := filepath.Join(t.TempDir(), "svc.json")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c.keys("I").see("Import")
	c.keys(paste(path)).see("enter reads the file")
	c.keys(enter).see("read from", "of 3")
	c.keys(enter).unsee("┌─")
	c.see("svc  ")
	c.keys("q").exits(0)
}
