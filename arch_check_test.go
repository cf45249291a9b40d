package main_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	archMaxFile = 400 // lines of a file
	archMaxFunc = 60  // lines of a body, comment lines not counted
)

// archRow is what one package may know.
type archRow struct {
	pkg     string    // its directory in the module, "" for main
	ours    []string  // packages of this module it may import; "..." is all of them
	outside []string  // packages of other modules it may import; "x/..." is a tree
	why     string    // the reason for the imports
	bans    []archBan // what it may not use of the standard library
}

// archBan forbids the use of a package or of some of its names.
type archBan struct {
	pkg    string   // import paths, "|" between them; "x/..." is x and what is below it
	names  []string // what is forbidden, with * at the end; none means all of it
	allow  []string // what is allowed all the same, as a name or as path.Name
	except []string // files of the real thing, where the ban does not hold
	why    string
}

func (b archBan) but(files ...string) archBan {
	b.except = append(slices.Clone(b.except), files...)
	return b
}

// archFile is one parsed file that is no test.
type archFile struct {
	name  string // from the root of the module
	fset  *token.FileSet
	ast   *ast.File
	lines int
	src   []byte
}

type archTree struct {
	module string
	pkgs   map[string][]archFile
}

// archRead parses the Go files of the module at the root of fsys. Nested modules, test data and hidden directories are
// no part of it.
func archRead(fsys fs.FS) (archTree, error) {
	tree := archTree{pkgs: map[string][]archFile{}}
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return tree, fmt.Errorf("the module's own go.mod: %w", err)
	}
	for line := range strings.Lines(string(mod)) {
		if m, ok := strings.CutPrefix(line, "module "); ok {
			tree.module = strings.TrimSpace(m)
		}
	}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return archSkip(fsys, name)
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return tree.add(name, src)
	})
	return tree, err
}

func archSkip(fsys fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	base := path.Base(dir)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (t *archTree) add(name string, src []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	pkg := path.Dir(name)
	if pkg == "." {
		pkg = ""
	}
	t.pkgs[pkg] = append(t.pkgs[pkg], archFile{
		name: name, fset: fset, ast: f, src: src, lines: bytes.Count(src, []byte("\n")),
	})
	return nil
}

// archCheck returns a sentence for everything in the tree that the table does not allow.
func archCheck(tree archTree, table []archRow) []string {
	var out []string
	rows := map[string]archRow{}
	for _, row := range table {
		rows[row.pkg] = row
		if len(tree.pkgs[row.pkg]) == 0 {
			out = append(out, fmt.Sprintf("stale row: there is no package %q any more; take it out of the table", row.pkg))
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(tree.pkgs)) {
		row, ok := rows[pkg]
		if !ok {
			out = append(out, fmt.Sprintf("new package %q: add a row that says what it may import and what it may not call", pkg))
		}
		for _, f := range tree.pkgs[pkg] {
			if ok {
				out = append(out, f.imports(tree.module, row)...)
				out = append(out, f.uses(row)...)
			}
			out = append(out, f.sizes()...)
		}
		if ok && len(tree.pkgs[pkg]) > 0 {
			out = append(out, archStaleFiles(tree.pkgs[pkg], row)...)
		}
	}
	return out
}

func archStaleFiles(files []archFile, row archRow) []string {
	var out []string
	for _, b := range row.bans {
		for _, name := range b.except {
			if !slices.ContainsFunc(files, func(f archFile) bool { return f.name == name }) {
				out = append(out, fmt.Sprintf("stale exception: there is no file %s any more; take it out of the row", name))
			}
		}
	}
	return out
}

func (f archFile) problem(at token.Pos, format string, args ...any) string {
	p := f.fset.Position(at)
	return fmt.Sprintf("%s:%d: ", f.name, p.Line) + fmt.Sprintf(format, args...)
}

// imports checks packages of ours and of other modules against the row.
func (f archFile) imports(module string, row archRow) []string {
	var out []string
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			out = append(out, f.problem(spec.Pos(), "import path %s: %v", spec.Path.Value, err))
			continue
		}
		if spec.Name != nil && spec.Name.Name == "." {
			out = append(out, f.problem(spec.Pos(), "dot import of %s: a reader, and this test, cannot see what it brings in", p))
		}
		first, _, _ := strings.Cut(p, "/")
		own, isOwn := strings.CutPrefix(p, module+"/")
		allowed := true
		switch {
		case isOwn:
			allowed = archMatches(row.ours, own)
		case strings.Contains(first, "."):
			allowed = archMatches(row.outside, p)
		}
		if !allowed {
			out = append(out, f.problem(spec.Pos(), "may not import %s: %s", p, row.why))
		}
	}
	return out
}

// archMatches reports whether one of the patterns is p or a tree that holds it.
func archMatches(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pat string) bool {
		tree, ok := strings.CutSuffix(pat, "...")
		tree = strings.TrimSuffix(tree, "/")
		if !ok {
			return pat == p
		}
		return tree == "" || p == tree || strings.HasPrefix(p, tree+"/")
	})
}

// uses checks every package.Name of the file, and the print built-ins, against the bans of the row.
func (f archFile) uses(row archRow) []string {
	var out []string
	paths := map[string]string{}
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := archLocalName(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		paths[name] = p
		if why, bad := f.banned(row, p, "_"); bad && name == "_" {
			out = append(out, f.problem(spec.Pos(), "may not use %s: %s", p, why))
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok || paths[x.Name] == "" {
				return true
			}
			if why, bad := f.banned(row, paths[x.Name], n.Sel.Name); bad {
				out = append(out, f.problem(n.Pos(), "may not use %s.%s: %s", paths[x.Name], n.Sel.Name, why))
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && (fn.Name == "print" || fn.Name == "println") {
				out = append(out, f.problem(n.Pos(), "may not call %s: it writes to a stderr nobody handed in", fn.Name))
			}
		}
		return true
	})
	return out
}

// archLocalName is the name a standard package goes by: the last element that is no major version.
func archLocalName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		return path.Base(path.Dir(p))
	}
	return base
}

func (f archFile) banned(row archRow, pkg, name string) (why string, bad bool) {
	is := func(pat string) bool {
		q, sel := pkg+"."+name, pat
		if !strings.Contains(pat, ".") {
			q = name
		}
		prefix, open := strings.CutSuffix(sel, "*")
		return q == sel || open && strings.HasPrefix(q, prefix)
	}
	for _, b := range row.bans {
		if !archMatches(strings.Split(b.pkg, "|"), pkg) || slices.Contains(b.except, f.name) {
			continue
		}
		if slices.ContainsFunc(b.allow, is) {
			continue
		}
		if len(b.names) == 0 || slices.ContainsFunc(b.names, is) {
			return b.why, true
		}
	}
	return "", false
}

// sizes checks the lengths of the file and of its functions, and that nothing runs before main.
func (f archFile) sizes() []string {
	if ast.IsGenerated(f.ast) {
		return nil
	}
	var out []string
	funcs := 0
	for _, decl := range f.ast.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		funcs++
		if fn.Recv == nil && fn.Name.Name == "init" {
			out = append(out, f.problem(fn.Pos(), "init runs behind everyone's back: build the value where it is used"))
		}
		if n := f.bodyLines(fn); n > archMaxFunc {
			out = append(out, f.problem(fn.Pos(), "%s is %d lines long, at most %d: give its steps names", fn.Name.Name, n, archMaxFunc))
		}
	}
	if f.lines <= archMaxFile {
		return out
	}
	base := path.Base(f.name)
	isData := base == "data.go" || strings.HasSuffix(base, "_data.go")
	switch {
	case isData && funcs > 0:
		out = append(out, fmt.Sprintf("%s: %d lines: only a table may be longer than %d, and this file has functions too", f.name, f.lines, archMaxFile))
	case !isData:
		out = append(out, fmt.Sprintf("%s: %d lines, at most %d: one file a part (a table may be long, in a file of its own named *_data.go)", f.name, f.lines, archMaxFile))
	}
	return out
}

// bodyLines counts the lines between the braces that are more than a comment, as the linter does.
func (f archFile) bodyLines(fn *ast.FuncDecl) int {
	if fn.Body == nil {
		return 0
	}
	from, to := f.fset.Position(fn.Body.Lbrace).Line, f.fset.Position(fn.Body.Rbrace).Line
	n := 0
	lines := strings.Split(string(f.src), "\n")
	for _, line := range lines[from:max(from, to-1)] {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			n++
		}
	}
	return n
}
