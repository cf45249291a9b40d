package engine_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestEveryEntryPointHasAnExample: each exported function is shown at work, with its output, and the first example of
// the package is the one that says how often a plain error is sent.
func TestEveryEntryPointHasAnExample(t *testing.T) {
	t.Parallel()
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(fset, n.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, "github.com/retryscope/retryscope/engine")
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, examples []*doc.Example) {
		shown := false
		for _, e := range examples {
			shown = shown || e.Output != ""
		}
		if !shown {
			t.Errorf("%s has no example with an output", name)
		}
	}
	check("the package", pkg.Examples)
	if len(pkg.Examples) > 0 && !strings.HasPrefix(pkg.Examples[0].Doc, "A PLAIN ERROR IS SENT ONCE") {
		t.Errorf("the first example begins %q", pkg.Examples[0].Doc)
	}
	n := 0
	for _, f := range pkg.Funcs {
		check(f.Name, f.Examples)
		n++
	}
	for _, typ := range pkg.Types {
		for _, f := range typ.Funcs { // constructors
			check(f.Name, f.Examples)
			n++
		}
		if typ.Doc == "" {
			t.Errorf("%s is not documented", typ.Name)
		}
	}
	if n < 30 {
		t.Errorf("only %d functions were looked at", n)
	}
}
