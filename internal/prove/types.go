package prove

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"strings"
)

// Compiler says what the Go compiler has against code, without making a program of it: thousands of files in the time in
// which that builds a few. Only one check at a time may be made.
type Compiler struct {
	files    *token.FileSet
	compiled types.Importer
	strange  map[string]string
}

// ListCompiled are the arguments of the go command that make the listing which NewCompiler wants, before the packages.
func ListCompiled() []string {
	return []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
}

// NewCompiler knows the packages of a listing, and reads them from the files it names as open opens them. Strange are
// packages, by path the name of each, that it takes as they come: nothing is said of what is used of them.
func NewCompiler(listing string, open func(file string) (io.ReadCloser, error), strange map[string]string) *Compiler {
	compiled := map[string]string{}
	for line := range strings.Lines(listing) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			compiled[name] = file
		}
	}
	c := &Compiler{files: token.NewFileSet(), strange: strange}
	c.compiled = importer.ForCompiler(c.files, "gc", func(name string) (io.ReadCloser, error) {
		if compiled[name] == "" {
			return nil, fmt.Errorf("%s is not in the listing", name)
		}
		return open(compiled[name])
	})
	return c
}

// Import is for go/types.
func (c *Compiler) Import(name string) (*types.Package, error) {
	as, strange := c.strange[name]
	if !strange {
		return c.compiled.Import(name)
	}
	p := types.NewPackage(name, as)
	p.MarkComplete()
	return p, nil
}

// Check is what is wrong with a file that is a package of its own; nil for one that compiles. Of one that imports a
// strange package it is what is unused alone.
func (c *Compiler) Check(text string) error {
	file, err := parser.ParseFile(c.files, "retry.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	strange := false
	for _, i := range file.Imports {
		strange = strange || c.strange[strings.Trim(i.Path.Value, `"`)] != ""
	}
	var all []error
	conf := types.Config{Importer: c, Error: func(err error) {
		if e := (types.Error{}); !strange || errors.As(err, &e) && e.Soft {
			all = append(all, err)
		}
	}}
	_, _ = conf.Check("retry", c.files, []*ast.File{file}, nil) // its error is the first of all
	return errors.Join(all...)
}
