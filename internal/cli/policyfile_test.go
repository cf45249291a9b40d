package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/trace"
)

// policies are some of every kind.
func policies(t testing.TB) []engine.Policy {
	t.Helper()
	out := []engine.Policy{engine.Default()}
	for _, p := range presets.All() {
		out = append(out, p.Policy)
	}
	for _, text := range []string{
		"attempts=unlimited cap=none ceiling=none timeout=1h30m attempt-timeout=none", "attempts=1000000000 base=0s",
		"jitter=scale:0.5..1.5 factor=1.25 curve=linear shift=1", "jitter=additive:100ms cap-stage=both least=1ms first=immediate",
		"jitter=decorrelated retry-after=clamp:5s spread=1s", "budget=tokens:500/14/1 methods=any", "budget=ratio:20%/10 methods=GET,HEAD,POST",
		"retry-on=transport,-reset,tls,408,429,500-504,-501", "factor=3 curve=fibonacci", "factor=100000000000000000000",
	} {
		p, err := engine.ParsePolicy(text, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// What is saved is read back to the same policy.
func TestPolicyTOMLRoundTrip(t *testing.T) {
	t.Parallel()
	for _, p := range policies(t) {
		data := policyTOML(&p)
		back, err := parsePolicyTOML(data)
		if err != nil || back != p {
			t.Errorf("%s\nis read back as %s: %v\n%s", p, back, err, data)
		}
	}
}

func TestSavePolicy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := policies(t)[5]
	path := filepath.Join(dir, "mine.toml")
	for range 2 { // the second takes the place of the first
		if got, err := savePolicy(path, &p, true); err != nil || got != path {
			t.Fatalf("%q, %v", got, err)
		}
	}
	back, base, name, err := loadPolicy(t.Context(), path)
	if err != nil || back != p || base != p || name != "mine" {
		t.Errorf("%s, %s, %q, %v", back, base, name, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left beside it: %v, %v", entries, err)
	}
	if _, err := savePolicy(filepath.Join(dir, "none", "mine.toml"), &p, true); err == nil {
		t.Error("saved in a directory that is not there")
	}
	// A name it could not be opened by is refused.
	for _, name := range []string{"", " ", "default", "carom", "carom x", "a=b", " mine", ".mine"} {
		if got, err := savePolicy(name, &p, true); err == nil {
			t.Errorf("%q: saved as %s", name, got)
		}
	}
}

func TestLoadPolicy(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"":                   "default",
		"carom":              "carom",
		" carom  attempts=6": "carom attempts=6",
		"attempts=6":         "default attempts=6",
		"carom\tattempts=6":  "carom attempts=6",
	} {
		p, base, name, err := loadPolicy(t.Context(), arg)
		if got := p.Short(name, base); err != nil || got != want {
			t.Errorf("%q: %s, %v", arg, got, err)
		}
	}
	if _, _, _, err := loadPolicy(t.Context(), t.TempDir()+"/none.toml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	big := filepath.Join(t.TempDir(), "big.toml")
	if err := os.WriteFile(big, make([]byte, maxPolicyFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := loadPolicy(t.Context(), big); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a large file: %v", err)
	}
}

// FuzzPolicyTOML: no document panics; one that is taken is a valid policy, and is saved to what is read back the same.
func FuzzPolicyTOML(f *testing.F) {
	for _, p := range policies(f) {
		f.Add(policyTOML(&p))
	}
	for _, s := range []string{
		"preset='carom'\nretries=2", "attempts = 3\nattempts = 4", "[a]\nb=1", "retry-on=['503', 429]", "a.b = 1", "factor=1e3",
		"factor=inf", "attempts=0x10", "base=1979-05-27T07:32:00Z", "methods=[[1]]", "\"attempts\" = '3'", "attempts=", "\x00", "preset=[1]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePolicyTOML(data)
		if err != nil {
			if p != engine.Default() {
				t.Errorf("half applied: %s", p)
			}
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without a word")
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("taken, and not valid: %v", err)
		}
		if back, err := parsePolicyTOML(policyTOML(&p)); err != nil || back != p {
			t.Errorf("%s is read back as %s: %v", p, back, err)
		}
	})
}

// A file's name may hold anything but what ends it.
func TestPolicyNameIsClean(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a\x1b[31mred", "two\nlines", "back\u202ewards", "no\xfftext"} {
		path := filepath.Join(t.TempDir(), name+".toml")
		if err := os.WriteFile(path, []byte("attempts = 1\n"), 0o600); err != nil {
			t.Skip(err) // a system that has no such names
		}
		var out strings.Builder
		code := Main(t.Context(), Env{Args: []string{"run", "--policy", path, "--script", "200"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})
		if s := out.String(); code != ExitSucceeded || trace.Clean(strings.ReplaceAll(s, "\n", "")) != strings.ReplaceAll(s, "\n", "") || strings.Contains(s, "\nlines") {
			t.Errorf("%q: exit %d\n%q", name, code, s)
		}
		if err := os.WriteFile(path, []byte("attempts = 0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readPolicy(t.Context(), path); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %q", name, err)
		}
	}
}
