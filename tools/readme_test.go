package tools_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/format"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// blocks returns the README's fenced blocks of a language.
func blocks(t *testing.T, language string) (out []string) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	parts := strings.Split("\n"+string(readme), "\n```")
	for i := 1; i < len(parts); i += 2 {
		if info, text, _ := strings.Cut(parts[i], "\n"); info == language {
			out = append(out, text)
		}
	}
	return out
}

// The README's program is the package's example, which is compiled and run.
func TestReadmeProgram(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "example_test.go", source, 0)
	require.NoError(t, err)
	var body string
	for _, decl := range tree.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "Example" {
			body = string(source[files.Position(f.Body.Lbrace).Offset+1 : files.Position(f.Body.Rbrace).Offset])
		}
	}
	body, _, _ = strings.Cut(body, "\n\n\t// Output:")
	body = strings.TrimPrefix(strings.ReplaceAll(body, "\n\t", "\n"), "\n")
	require.Equal(t, []string{body}, blocks(t, "go"))
}

// What the README shows of a call is what happens.
func TestReadmeCall(t *testing.T) {
	ctx := t.Context()
	g, err := memory.Open(ctx, "testdata/forge", memory.Options{})
	require.NoError(t, err)
	st := native.New(g, native.Options{})
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Statements: engine.HideStatements})
	offered := tools.New(eng, tools.Options{})

	documents, plans, statements := blocks(t, "json"), blocks(t, "text"), blocks(t, "sql")
	require.Len(t, documents, 4, "a call and its answer, a mistake and its refusal")
	answer, err := offered.Call(ctx, graph.ToolTraverse, []byte(documents[0]))
	require.NoError(t, err)
	require.JSONEq(t, string(answer), documents[1])
	refusal, err := offered.Call(ctx, graph.ToolTraverse, []byte(documents[2]))
	require.ErrorIs(t, err, graph.ImpossibleStep)
	require.JSONEq(t, string(refusal), documents[3])

	query, err := offered.Query(ctx, graph.ToolTraverse, []byte(documents[0]))
	require.NoError(t, err)
	plan, err := eng.Check(ctx, query)
	require.NoError(t, err)
	require.Equal(t, []string{plan.String()}, plans)

	program, err := compile.SQL(plan, compile.Postgres())
	require.NoError(t, err)
	_, parameters := program.Main.Bind(plan.Params)
	text := program.Main.Text(plan.Params)
	for _, p := range parameters {
		text += " -- " + p.Type + " " + p.Value.String()
	}
	require.Len(t, statements, 1)
	require.Equal(t, text, strings.Join(strings.Fields(statements[0]), " "))
}

// The README's diagram is what the command in it prints.
func TestReadmeDiagram(t *testing.T) {
	ctx := t.Context()
	g, err := memory.Open(ctx, "../store/storetest/testdata/fixtures/gitlab", memory.Options{})
	require.NoError(t, err)
	st := native.New(g, native.Options{})
	defer st.Close()
	offered := tools.New(engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{}), tools.Options{})
	res, err := offered.Result(ctx, graph.ToolDescribe, []byte("{}"))
	require.NoError(t, err)
	drawn, err := format.Append(nil, format.Mermaid, res)
	require.NoError(t, err)
	require.Equal(t, []string{strings.TrimSuffix(string(drawn), "\n")}, blocks(t, "mermaid"))
}

// What the README and CONTRIBUTING point to is there.
func TestReadmeLinks(t *testing.T) {
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		links := regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, links, name)
		for _, link := range links {
			require.FileExists(t, filepath.Join(root, link[1]), name)
		}
	}
}

// The README's policies are those of a schema that loads, and do what it says.
func TestReadmePolicies(t *testing.T) {
	files := blocks(t, "yaml")
	require.Len(t, files, 1)
	s, err := schema.Parse("README.yaml", []byte(files[0]))
	require.NoError(t, err)
	require.True(t, s.HasPolicies())
	v, err := s.View(&graph.Scope{Tenant: "acme", Claims: map[string]any{"folders": []any{"/a/", "/b/"}}})
	require.NoError(t, err)
	document, ok := v.Schema().Label("document")
	require.True(t, ok)
	require.NotNil(t, v.Guard(document))
	author, _ := document.Property("author")
	require.Equal(t, "last4", author.Masked)
	_, err = s.View(nil)
	require.ErrorIs(t, err, graph.NoScope)
}
