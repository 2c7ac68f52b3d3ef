package tools_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file holds one idea.
func TestFilesAreShort(t *testing.T) {
	const most = 500
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		if lines := bytes.Count(text, []byte("\n")); !strings.HasSuffix(file, "_test.go") {
			require.LessOrEqual(t, lines, most, "%s holds more than one idea", file)
		}
	}
}

// Every exported name says what it promises.
func TestExportedNamesHaveComments(t *testing.T) {
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "examples/") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments)
		require.NoError(t, err)
		if tree.Name.Name == "main" {
			continue
		}
		for _, decl := range tree.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && receiverIsExported(d) {
					require.NotNil(t, d.Doc, "%s: %s has no comment", file, d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
						require.True(t, s.Doc != nil || d.Doc != nil, "%s: %s has no comment", file, s.Name)
					}
					if s, ok := spec.(*ast.ValueSpec); ok && s.Names[0].IsExported() {
						require.True(t, s.Doc != nil || d.Doc != nil || s.Comment != nil, "%s: %s has no comment", file, s.Names[0])
					}
				}
			}
		}
	}
}

// receiverIsExported reports whether a function stands alone or belongs to an
// exported type. Methods that implement interfaces of the standard library
// under their usual names speak for themselves.
func receiverIsExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	if slices.Contains([]string{"String", "Error", "Len", "Less", "Swap"}, f.Name.Name) {
		return false
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}
