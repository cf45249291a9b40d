package engine_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// documented are the packages that a program uses, by their folders.
var documented = map[string]struct {
	dir   string
	least int // the fewest functions and methods there may be to look at
}{
	"engine":    {".", 90},
	"httpretry": {"../httpretry", 19},
}

// TestEveryEntryPointHasAnExample: each exported function is shown at work, with its output, and each exported method by
// an example of its own or of its type.
func TestEveryEntryPointHasAnExample(t *testing.T) {
	t.Parallel()
	for name, where := range documented {
		pkg := read(t, where.dir, name)
		n := 0
		check := func(name string, shown bool) {
			n++
			if !shown {
				t.Errorf("%s has no example with an output", name)
			}
		}
		check(name, shown(pkg.Examples))
		for _, f := range pkg.Funcs {
			check(name+"."+f.Name, shown(f.Examples))
		}
		for _, typ := range pkg.Types {
			if typ.Doc == "" {
				t.Errorf("%s.%s is not documented", name, typ.Name)
			}
			all := typ.Examples
			for _, f := range slices.Concat(typ.Funcs, typ.Methods) { // constructors are among them
				all = append(all, f.Examples...)
			}
			for _, f := range typ.Funcs {
				check(name+"."+f.Name, shown(f.Examples))
			}
			for _, m := range typ.Methods {
				if !asked(m.Name) {
					check(name+"."+typ.Name+"."+m.Name, shown(m.Examples) || calls(all, m.Name))
				}
			}
		}
		if n < where.least {
			t.Errorf("%s: only %d entry points were looked at", name, n)
		}
	}
}

// The first example of the engine is the one that says how often a plain error is sent.
func TestFirstExample(t *testing.T) {
	t.Parallel()
	pkg := read(t, ".", "engine")
	if len(pkg.Examples) == 0 || !strings.HasPrefix(pkg.Examples[0].Doc, "A PLAIN ERROR IS SENT ONCE") {
		t.Errorf("it is not the first of %d", len(pkg.Examples))
	}
}

// read gives a package with its examples.
func read(t *testing.T, dir, name string) *doc.Package {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, n.Name()), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, "github.com/retryscope/retryscope/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// shown tells whether one of the examples has an output: go test holds it to that.
func shown(examples []*doc.Example) bool {
	return slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" })
}

// calls tells whether one of the examples that have an output uses a method.
func calls(examples []*doc.Example, method string) bool {
	found := false
	for _, e := range examples {
		if e.Output == "" {
			continue
		}
		ast.Inspect(e.Code, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			found = found || ok && sel.Sel.Name == method
			return !found
		})
	}
	return found
}

// asked tells whether a method is there for an interface of the standard library: who calls it is fmt, errors or an
// encoding, and its name says all.
func asked(method string) bool {
	switch method {
	case "Error", "Is", "Unwrap", "Timeout", "String", "UnmarshalText":
		return true
	default:
		return false
	}
}
