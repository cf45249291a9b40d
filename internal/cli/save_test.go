//go:build unix

package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// What is there is replaced only by somebody who said so, and stays what it was: its mode, and a link to it.
func TestSaveReplacesNothingUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := engine.Default()
	precious := filepath.Join(dir, "precious.toml")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.toml")
	if err := os.Symlink(precious, link); err != nil {
		t.Fatal(err)
	}
	run := func(name string, over bool) (string, error) { return saveRun(name, &trace.Trace{}, over) }
	policy := func(name string, over bool) (string, error) { return savePolicy(name, &p, over) }
	text := func(name string, over bool) (string, error) { return saveText(name, "text\n", over) }
	for _, save := range []func(string, bool) (string, error){policy, run, text} {
		for _, path := range []string{precious, link} {
			if _, err := save(path, false); !errors.Is(err, fs.ErrExist) || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if data, err := os.ReadFile(precious); string(data) != "precious" {
		t.Fatalf("it holds %q, %v", data, err)
	}
	if _, err := policy(link, true); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if back, err := readPolicy(t.Context(), precious); err != nil || back != p {
		t.Errorf("%v", err)
	}
	if info, err := os.Stat(precious); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What cannot be written says so of the file that was meant.
func TestSaveErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := engine.Default()
	folder := filepath.Join(dir, "folder.toml")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "precious.txt"):                     "ends in .toml",
		filepath.Join(dir, "none", "mine.toml"):                "no such file or directory",
		folder:                                                 "it is a directory",
		"/dev/null.toml/x.toml":                                "",
		strings.Repeat("long", 40):                             "longer than a name may be",
		filepath.Join(dir, strings.Repeat("x", 300)) + ".toml": "name too long",
	} {
		_, err := savePolicy(name, &p, false)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".retryscope-") || len(err.Error()) > 160 {
			t.Errorf("%.80s: %v, want %s", name, err, want)
		}
	}
	if _, err := saveRun("/dev/null", &trace.Trace{}, true); !errors.Is(err, errNotRegular) {
		t.Errorf("a device: %v", err)
	}
	if _, err := saveText("/dev/null", "", true); !errors.Is(err, errNotRegular) {
		t.Errorf("a device: %v", err)
	}
	if _, err := saveText(dir, "", true); !errors.Is(err, errDirectory) {
		t.Errorf("a directory: %v", err)
	}
	for _, name := range []string{dir, dir + "/"} {
		if _, err := saveRun(name, &trace.Trace{}, true); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".retryscope-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestSaveAtHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	p := engine.Default()
	path, err := savePolicy("~/mine.toml", &p, false)
	if err != nil || path != filepath.Join(home, "mine.toml") {
		t.Fatalf("%s, %v", path, err)
	}
	if back, err := openPolicy("~/mine.toml"); err != nil || back != p {
		t.Error(err)
	}
	if path, err := saveRun("~/it", &trace.Trace{}, false); err != nil || path != filepath.Join(home, "it.jsonl") {
		t.Errorf("%s, %v", path, err)
	}
	const text = "resilience4j.retry:\n"
	if path, err := saveText("~/it.yml", text, false); err != nil || path != filepath.Join(home, "it.yml") {
		t.Errorf("%s, %v", path, err)
	}
	if got, err := readForeign("~/it.yml"); got != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := expandHome("~other/x"); got != "~other/x" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// A file without an end is not read to its end, and the screen opens none that it would have to wait for.
func TestOpenIsBounded(t *testing.T) {
	t.Parallel()
	if _, err := readPolicy(t.Context(), "/dev/zero"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v", err)
	}
	for path, want := range map[string]error{"/dev/zero": errNotRegular, t.TempDir() + "/": errDirectory, "/none.toml": fs.ErrNotExist} {
		if _, err := openPolicy(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if _, err := readForeign(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
