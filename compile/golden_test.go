package compile_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files; read what has changed")

// TestGolden compiles the calls of all scripts. For a script with a file of the
// same name in testdata/golden it compares plans, statements and refusals with
// what stands there. The scripts say what must be answered; these files show
// how, so that a change of the emitter is read before it is made. An empty file
// and -update begin a new one.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(storetest, "scripts", "*.txt"))
	require.NoError(t, err)
	paths = append(paths, filepath.Join("testdata", "policies.txt"))
	fixtures := readers{}
	shown := goldenWriter{seen: map[string]bool{}}
	compared := 0
	for _, path := range paths {
		name := filepath.Base(path)
		golden := filepath.Join("testdata", "golden", name)
		w := &shown
		_, err := os.Stat(golden)
		if err != nil {
			w = &goldenWriter{seen: map[string]bool{}}
		}
		for _, c := range scriptCalls(t, path) {
			w.call(t, fixtures.of(t, c), c, name)
		}
		if err == nil {
			compared++
			t.Run(name, func(t *testing.T) { compareGolden(t, golden, w.String()) })
		}
		w.Reset()
	}
	have, err := os.ReadDir(filepath.Join("testdata", "golden"))
	require.NoError(t, err)
	require.Len(t, have, compared, "a golden file belongs to no script")
}

func compareGolden(t *testing.T, path, got string) {
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./compile -update and read the new file")
	if want := string(text); want != got {
		wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
		i := 0
		for i < len(wants) && i < len(gots) && wants[i] == gots[i] {
			i++
		}
		t.Fatalf("%s:%d differs (go test ./compile -update rewrites it)\nwant %s\ngot  %s", path, i+1,
			strings.Join(wants[i:min(i+3, len(wants))], "\n     "), strings.Join(gots[i:min(i+3, len(gots))], "\n     "))
	}
}

// A goldenWriter writes what becomes of calls.
type goldenWriter struct {
	strings.Builder
	seen map[string]bool // statements that were shown already
}

// call writes a call that is refused with its mistakes, one that is not with
// its plan and statements. Of a call whose shape was shown before only the
// arguments of its statements are new.
func (w *goldenWriter) call(t *testing.T, r *reader, c call, name string) {
	plan, err := r.plan(c)
	if err != nil {
		fmt.Fprintf(w, "%s %s %s\n", c.fixture, c.tool, oneLine(c.args))
		var errs graph.Errors
		require.ErrorAs(t, err, &errs)
		for _, e := range errs {
			w.line(t, "  refused ", e)
		}
		w.WriteByte('\n')
		return
	}
	if shape := c.fixture + plan.Shape(); !w.seen[shape] {
		w.seen[shape] = true
		fmt.Fprintf(w, "%s %s\n", c.fixture, plan)
	}
	for _, warning := range append(plan.Warnings, plan.IfEmpty()...) {
		w.line(t, "  warns ", warning)
	}
	if c.tool != graph.ToolDescribe {
		w.programs(t, plan, name)
	}
	w.WriteByte('\n')
}

// line writes a JSON document on a line.
func (w *goldenWriter) line(t *testing.T, intro string, doc any) {
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	fmt.Fprintf(w, "%s%s\n", intro, strings.ReplaceAll(string(text), `,"retryable":false`, ""))
}

// programs shows a plan's statements: for PostgreSQL all of them, with their
// arguments; = stands for a text that was shown before. For MariaDB, and in
// some scripts for the engine in memory, SQLite, DuckDB or ClickHouse, those new ones follow that differ in
// more than quotes, placeholders, casts, written limits and the name of the collation.
func (w *goldenWriter) programs(t *testing.T, plan *compile.Plan, name string) {
	plain := map[string]bool{}
	end := ""
	fresh := !w.seen[plan.Shape()+" rows"]
	w.seen[plan.Shape()+" rows"] = true
	for _, d := range []*compile.Dialect{compile.Postgres(), compile.MariaDB(), compile.Embedded(), compile.SQLite(), compile.DuckDB(), compile.ClickHouse()} {
		prog, err := compile.SQL(plan, d)
		if err != nil {
			var e *graph.Error
			require.ErrorAs(t, err, &e)
			w.line(t, end+"  "+d.Name()+" refuses ", e)
			end = ""
			continue
		}
		if d.Name() == "postgres" && fresh && prog.Main != nil {
			fmt.Fprintf(w, "  rows %s\n", rowsOf(prog))
		}
		for _, st := range prog.Statements() {
			text := readable(st.Text(plan.Params))
			for _, f := range st.Fields { // so that INVALID_DATA says where
				require.True(t, f.Owner != "" || f.Type.Name == "", "nobody owns %s in %s", f.Type.Name, text)
			}
			seen := w.seen[d.Name()+text]
			w.seen[d.Name()+text] = true
			switch {
			case d.Name() == "postgres":
				plain[plainly(text)] = true
				if seen && takesList(plan, st) {
					continue
				}
				if seen {
					fmt.Fprintf(w, "=%s", argsOf(plan, st))
					end = "\n"
					continue
				}
			case seen || plain[plainly(text)]:
				continue
			case !slices.Contains(dialectsOf(name), d.Name()) && name != "policies.txt":
				continue
			}
			fmt.Fprintf(w, "%s%s: %s%s\n", end, d.Name(), text, argsOf(plan, st))
			end = ""
		}
	}
	w.WriteString(end)
}

// rowsOf tells what the rows of the main statement hold: its fields, and which
// of them are the node asked for, its distance, the row's order, the columns.
func rowsOf(prog *compile.Program) string {
	var b strings.Builder
	for i, f := range prog.Main.Fields {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(cmp.Or(f.Type.Name, f.Type.Type.String()))
		if f.Ordinal {
			b.WriteString("#")
		}
		if f.Sum != "" {
			b.WriteString(" sum of " + f.Sum)
		}
	}
	if t := prog.Target; t != nil {
		fmt.Fprintf(&b, "; %s by %v", t.Label.Name, t.Key)
		for _, s := range t.Shown {
			fmt.Fprintf(&b, " %s:%d", s.Property.Name, s.Field)
		}
	}
	if prog.Distance >= 0 {
		fmt.Fprintf(&b, "; distance %d", prog.Distance)
	} else if prog.Length > 0 {
		fmt.Fprintf(&b, "; distance always %d", prog.Length)
	}
	b.WriteString("; order")
	for _, o := range prog.Order {
		if o.Field < 0 {
			fmt.Fprintf(&b, " =%s", o.Value)
			continue
		}
		fmt.Fprintf(&b, " %d", o.Field)
		if o.Ordinal != nil {
			b.WriteString("#")
		}
	}
	for i, c := range prog.Columns {
		fmt.Fprintf(&b, "; %s %s %v", c.Name, c.Type.Type, prog.Outputs[i])
	}
	return b.String()
}

// dialectsOf are the dialects that are shown beside PostgreSQL: in some scripts
// that of the engine in memory, with its hints and its substrings, that of
// SQLite, that of DuckDB or that of ClickHouse.
func dialectsOf(script string) []string {
	switch script {
	case "find_text.txt", "traverse_answers.txt", "paths.txt":
		return []string{"embedded", "sqlite"}
	case "aggregate_functions.txt", "find_numbers.txt", "find_values.txt":
		return []string{"mariadb", "sqlite", "duckdb"}
	case "related.txt":
		return []string{"mariadb", "sqlite"}
	case "find_ids.txt":
		return []string{"mariadb", "duckdb", "clickhouse"}
	}
	return []string{"mariadb"}
}

// takesList reports whether a statement takes the keys that another one found,
// and nothing else.
func takesList(plan *compile.Plan, st *compile.Statement) bool {
	_, shown := st.Bind(plan.Params)
	return len(shown) == 1 && shown[0].Type == "list"
}

func argsOf(plan *compile.Plan, st *compile.Statement) string {
	_, shown := st.Bind(plan.Params)
	args := make([]string, len(shown))
	for i, p := range shown {
		args[i] = p.Value.String()
	}
	return " [" + strings.Join(args, " ") + "]"
}

var trifles = regexp.MustCompile("LIMIT [0-9]+|`|\"|[$?][0-9]*|::[a-z]+( precision)?|::[A-Z]+| COLLATE ([a-z0-9_]+|\"C\"|\"binary\"|BINARY)")

// plainly is a statement without what all dialects write in their own way.
func plainly(sql string) string {
	return trifles.ReplaceAllStringFunc(sql, func(trifle string) string {
		if strings.HasPrefix(trifle, "LIMIT ") { // elsewhere it is an argument
			return "LIMIT "
		}
		return ""
	})
}

// readable shortens the folding of letters in dialects that need 26 calls for
// it.
func readable(sql string) string {
	const head = "REPLACE("
	for {
		i := strings.Index(sql, strings.Repeat(head, 26))
		if i < 0 {
			return sql
		}
		end := strings.Index(sql[i:], ",'Z','z')")
		operand, _, _ := strings.Cut(sql[i+26*len(head):], ",'A','a')")
		sql = sql[:i] + "FOLD(" + operand + ")" + sql[i+end+len(",'Z','z')"):]
	}
}

// A reader decodes and checks the calls of one fixture under one set of limits.
type reader struct {
	schema   *schema.Schema
	tools    *tools.Registry
	compiler *compile.Compiler
}

// readers are made once: tools are dear.
type readers map[string]*reader

func (rs readers) of(t testing.TB, c call) *reader {
	key := fmt.Sprint(c.fixture, c.limits)
	if rs[key] == nil {
		s := fixtureSchema(t, c.fixture)
		rs[key] = &reader{s, tools.Graph(s, c.limits), compile.New(compile.Options{Limits: c.limits})}
	}
	return rs[key]
}

// plan decodes and checks a call, with all its mistakes.
func (r *reader) plan(c call) (*compile.Plan, error) {
	q, errs := c.decode(r.tools)
	if q == nil {
		return nil, errs
	}
	plan, err := r.compiler.Check(r.schema, c.scope, q)
	var checked graph.Errors
	errors.As(err, &checked)
	if all := errs.Merge(checked); len(all) > 0 {
		return nil, all
	}
	return plan, err
}
