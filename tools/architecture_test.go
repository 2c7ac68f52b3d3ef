package tools_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/trellisgraph/trellis"

// The third-party modules.
const (
	cel          = "cel.dev/cel-go"
	gms          = "github.com/dolthub/go-mysql-server"
	mcpSDK       = "github.com/modelcontextprotocol/go-sdk"
	mysqlDriver  = "github.com/go-sql-driver/mysql"
	pgx          = "github.com/jackc/pgx/v5"
	compress     = "github.com/klauspost/compress"
	testify      = "github.com/stretchr/testify"
	vitess       = "github.com/dolthub/vitess" // go-mysql-server's column types
	gojsonschema = "github.com/xeipuuv/gojsonschema"
	santhosh     = "github.com/santhosh-tekuri/jsonschema/v6"
	decimal      = "github.com/shopspring/decimal" // go-mysql-server's decimal values
	yaml         = "go.yaml.in/yaml/v3"
	sqlite       = "modernc.org/sqlite"
	xsync        = "golang.org/x/sync"
	xtime        = "golang.org/x/time"
	xterm        = "golang.org/x/term"
	chromedp     = "github.com/chromedp/chromedp"
	cdproto      = "github.com/chromedp/cdproto"

	otel          = "go.opentelemetry.io/otel"
	otelMetric    = otel + "/metric"
	otelTrace     = otel + "/trace"
	otelSDK       = otel + "/sdk"
	otelSDKMetric = otelSDK + "/metric"
)

// An arrow leads from a package to what it uses.
type arrow struct {
	pkg  string
	uses []string
}

// arrows says what each package may import beside the standard library: other
// packages of the module, and modules. A package stands below all that it uses. Tests may import more: see testArrows.
var arrows = []arrow{
	{"graph", nil},
	{"graph/format", []string{"graph"}},
	{"schema", []string{"graph", cel, gojsonschema, yaml}},
	{"schema/bundle", []string{"graph", "schema", santhosh, yaml}},
	{"compile", []string{"graph", "schema", cel}},
	{"store", []string{"graph", "schema", "compile"}},
	{"store/memory", []string{"graph", "schema", "compile", compress, xsync}},
	{"store/social", []string{"graph", "schema", "store/memory"}},
	{"store/load", []string{"graph", "schema", "compile", "store", "store/memory", xsync}},
	{"store/introspect", []string{"schema"}},
	{"store/native", []string{"graph", "schema", "compile", "store", "store/memory"}},
	{"store/embedded", []string{"graph", "schema", "compile", "store", "store/memory", gms, vitess, decimal}},
	{"graph/engine/audit", []string{"graph"}},
	{"graph/engine", []string{"graph", "schema", "compile", "store", "graph/engine/audit", xsync, xtime}},
	{"store/repository", []string{"graph", "store"}},
	{"graph/engine/opentelemetry", []string{"graph", "graph/engine", "graph/engine/audit", otel, otelMetric, otelTrace}},
	{"tools", []string{"graph", "schema", "compile", "graph/engine", gojsonschema}},
	{"store/bundles", []string{"graph", "schema", "schema/bundle", "store/memory", "store/native", "graph/engine", "store/repository", "tools", yaml}},
	{"tools/tokens", []string{"graph", yaml}},
	{"tools/httpapi", []string{"graph", "graph/format", "graph/engine/audit", "graph/engine", "tools", "tools/tokens"}},
	{"tools/bench", []string{"graph", "schema", "compile", "store", "store/memory", "store/native", "store/social", "graph/engine", "tools"}},
	{"tools/verify", []string{"graph", "schema", "compile", "store", "store/memory", "graph/engine", "tools"}},
	{"store/storetest", []string{"graph", "schema", "compile", "store", "store/memory", "graph/engine", "tools", cel, testify}},
	{"store/introspect/introspecttest", []string{"graph", "schema", "compile", "store", "store/introspect", "store/load", "store/memory", "graph/engine", "tools", "store/storetest", testify}},
	{"tools/mcpserver", []string{"graph", "schema", "tools", "tools/tokens", mcpSDK}},
	{"tools/explorer", []string{"graph", "tools", "tools/tokens"}},
	{"tools/command", []string{"graph", "graph/format", "schema", "schema/bundle", "store/repository", "store/bundles", "compile", "store", "store/memory", "store/load", "store/introspect", "store/native", "store/embedded", "store/social", "graph/engine/audit", "graph/engine", "tools", "tools/bench", "tools/verify", "tools/tokens", "tools/httpapi", "tools/mcpserver", "tools/explorer", mysqlDriver, pgx, sqlite, xterm}},
	{"tools/cmd/trellis", []string{"tools/command"}},
	{"examples/quickstart/forge", []string{"graph", "schema", "store", "store/memory", "graph/engine", "tools"}},
	{"examples/quickstart", []string{"store/native", "examples/quickstart/forge"}},
	{"examples/quickstart/embedded", []string{"store/embedded", "examples/quickstart/forge"}},
	{"examples/tenants", []string{"graph", "schema", "store/memory", "store/native", "graph/engine/audit", "graph/engine", "tools"}},
	{"examples/catalog/generate", nil},
	{"examples/catalog", []string{"graph", "schema", "schema/bundle", "store/native", "store/bundles", "graph/engine", "tools", "tools/mcpserver", "examples/catalog/generate"}},
	{"examples/repograph", []string{"graph", "schema", "store/memory", "store/native", "graph/engine", "tools"}},
}

// testArrows are modules that tests may import wherever they stand.
var testArrows = []string{testify, chromedp, cdproto, gojsonschema, santhosh, mcpSDK, mysqlDriver, pgx, sqlite, yaml, otelSDK, otelSDKMetric}

// An imported is one import of one package.
type imported struct {
	pkg, path string
	test      bool
}

func TestArchitecture(t *testing.T) {
	allowed := map[string][]string{}
	for i, a := range arrows {
		for _, use := range a.uses {
			if inside := !strings.Contains(use, "."); inside {
				require.True(t, slices.ContainsFunc(arrows[:i], func(b arrow) bool { return b.pkg == use }), "%s may not use %s, which stands below it", a.pkg, use)
			}
		}
		allowed[a.pkg] = a.uses
	}
	used := map[[2]string]bool{}
	for _, imp := range imports(t) {
		uses, known := allowed[imp.pkg]
		assert.True(t, known, "package %s is not in the list of arrows", imp.pkg)
		target := targetOf(imp.path)
		switch {
		case target == "", target == imp.pkg: // the standard library; a test from outside
		case imp.test && (slices.Contains(testArrows, target) || strings.HasPrefix(imp.path, module)):
		default:
			assert.Contains(t, uses, target, "package %s imports %s: a new arrow", imp.pkg, imp.path)
			used[[2]string{imp.pkg, target}] = true
		}
	}
	for _, a := range arrows {
		for _, use := range a.uses {
			assert.True(t, used[[2]string{a.pkg, use}], "package %s no longer imports %s: take it off the list", a.pkg, use)
		}
	}
}

// Nothing but the embedded store links go-mysql-server, only the adapter links
// OpenTelemetry, and only programs and tests link drivers: whoever brings an own
// *sql.DB pays for none of them.
func TestHeavyDependenciesStayAtTheEdge(t *testing.T) {
	edge := map[string][]string{
		gms:         {"store/embedded"},
		vitess:      {"store/embedded"},
		decimal:     {"store/embedded"},
		mcpSDK:      {"tools/mcpserver"},
		mysqlDriver: {"tools/command"},
		pgx:         {"tools/command"},
		sqlite:      {"tools/command"},
		otel:        {"graph/engine/opentelemetry"},
		otelMetric:  {"graph/engine/opentelemetry"},
		otelTrace:   {"graph/engine/opentelemetry"},
	}
	for _, imp := range imports(t) {
		if homes, heavy := edge[targetOf(imp.path)]; heavy && !imp.test {
			assert.Contains(t, homes, imp.pkg, "%s imports %s", imp.pkg, imp.path)
		}
	}
}

// The module of heavy drivers requires this one, and never the other way round.
func TestHeavyDriversAreAModuleOfTheirOwn(t *testing.T) {
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	require.NotContains(t, string(goMod), "duckdb")
	require.NotContains(t, string(goMod), module+"/store/analytic")
	for _, imp := range imports(t) {
		require.False(t, strings.HasPrefix(imp.path, module+"/store/analytic"), "%s imports %s", imp.pkg, imp.path)
	}
	require.True(t, isModule(filepath.Join(root, "store", "analytic")))
}

// Every direct dependency is listed above, used, and explained in CONTRIBUTING.
func TestDirectDependencies(t *testing.T) {
	used := map[string]bool{}
	for _, imp := range imports(t) {
		if target := targetOf(imp.path); strings.Contains(target, ".") {
			used[target] = true
		}
	}
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	contributing, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	direct := 0
	for line := range strings.Lines(string(goMod)) {
		fields := strings.Fields(line)
		if len(fields) != 2 || !strings.Contains(fields[0], ".") {
			continue // not a requirement, or an indirect one
		}
		direct++
		assert.True(t, used[fields[0]], "go.mod requires %s, which nothing imports", fields[0])
		assert.Contains(t, string(contributing), "| `"+fields[0]+"` |", "the dependency table must say why %s is needed", fields[0])
	}
	require.Len(t, used, direct)
}

// root leads from this directory to the module's.
const root = ".."

// goFiles returns the module's Go files, with slashes, from the module's root;
// not those of modules below it.
func goFiles(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && rel != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || isModule(name)) {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(base, ".go") {
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// imports returns every import of every package of the module.
func imports(t *testing.T) []imported {
	var all []imported
	for _, file := range goFiles(t) {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range tree.Imports {
			all = append(all, imported{path.Dir(file), strings.Trim(spec.Path.Value, `"`), strings.HasSuffix(file, "_test.go")})
		}
	}
	return all
}

// targetOf returns what an import path counts as: a package of the module, a
// third-party module, or "" for the standard library.
func targetOf(importPath string) string {
	if rest, inside := strings.CutPrefix(importPath, module+"/"); inside {
		return rest
	}
	if first, _, _ := strings.Cut(importPath, "/"); !strings.Contains(first, ".") {
		return ""
	}
	for _, m := range []string{cel, chromedp, cdproto, gms, vitess, decimal, mcpSDK, mysqlDriver, pgx, sqlite, compress, testify, gojsonschema, santhosh, yaml, xsync, xtime, otelSDKMetric, otelSDK, otelMetric, otelTrace, otel} { // a module before the one around it
		if importPath == m || strings.HasPrefix(importPath, m+"/") {
			return m
		}
	}
	return importPath // a module that nobody listed
}
