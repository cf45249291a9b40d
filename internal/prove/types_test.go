package prove_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/retryscope/retryscope/internal/prove"
)

// What does not compile is found, and of what uses an unknown package what is unused.
func TestCompiler(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", append(prove.ListCompiled(), "time")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	open := func(file string) (io.ReadCloser, error) { return os.Open(file) }
	c := prove.NewCompiler(string(out), open, map[string]string{"else.where/go-it": "it"})
	const strange = "package a\nimport (\n\"else.where/go-it\"\n\"time\"\n)\n"
	for text, right := range map[string]bool{
		"package a\nimport \"time\"\nfunc f() time.Duration { return 1 }": true,
		"package a\nfunc f() { x := 1 }":                                  false,
		"package a\nimport \"time\"":                                      false,
		"package a\nimport \"io\"\nvar x io.Reader":                       false, // not in the listing
		"package a\nfunc f() int { return \"\" }":                         false,
		"package a\nfunc":                                                 false,
		strange + "func f() time.Time { return it.Now(1) }":               true,
		strange + "func f() { x := it.X(time.Now()) }":                    false,
		strange + "func f() { it.X() }":                                   false,
		strange + "func f(x time.Time) { }":                               false,
	} {
		if err := c.Check(text); (err == nil) != right {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// The same policies come each time, and not twice the same.
func TestVaried(t *testing.T) {
	t.Parallel()
	a, b := prove.Varied(100), prove.Varied(100)
	seen := map[string]bool{}
	for i := range a {
		if a[i] != b[i] || seen[a[i].String()] {
			t.Fatalf("policy %d: %s and %s", i, &a[i], &b[i])
		}
		seen[a[i].String()] = true
	}
	if len(a) != 100 {
		t.Error(len(a))
	}
}
