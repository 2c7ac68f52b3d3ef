package compile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// The stores' scripts hold calls of every kind with the answers they must get.
// The tests of this package read the calls alone.
const storetest = "../store/storetest/testdata"

// A call is one call of a script.
type call struct {
	fixture string
	limits  graph.Limits
	scope   *graph.Scope
	tool    string
	args    string
}

// scriptCalls reads the calls of a script. Its tables stand for a call for each
// row; what is expected of a store is passed over.
func scriptCalls(t testing.TB, path string) []call {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var calls []call
	var now call
	for _, block := range strings.Split(string(text), "\n\n") {
		lines := withoutComments(block)
		for len(lines) > 0 {
			word, rest, _ := strings.Cut(lines[0], " ")
			switch word {
			case "graph":
				now.fixture, now.limits, now.scope = rest, graph.Limits{}, nil
				lines = lines[1:]
				continue
			case "limits":
				now.limits = limitsOf(t, rest)
				lines = lines[1:]
				continue
			case "scope":
				now.scope = scopeOf(t, rest)
				lines = lines[1:]
				continue
			case "except":
				lines = lines[1:]
				continue
			case "call", "table":
				now.tool = rest
				args, rows := arguments(lines[1:])
				if word == "call" {
					now.args = args
					calls = append(calls, now)
				} else {
					calls = append(calls, now.rows(args, rows)...)
				}
			}
			break
		}
	}
	require.NotEmpty(t, calls, path)
	return calls
}

// decode reads a call's arguments. "find_nodes page 3" asks for a page by its
// offset, which is no argument.
func (c call) decode(r *tools.Registry) (graph.Query, graph.Errors) {
	offset, paged := strings.CutPrefix(c.tool, graph.ToolFindNodes+" page ")
	if !paged {
		return r.Decode(c.tool, []byte(c.args))
	}
	q, errs := r.Decode(graph.ToolFindNodes, []byte(c.args))
	if f, ok := q.(*graph.FindNodes); ok {
		n, _ := strconv.Atoi(offset)
		f.Page = &graph.Page{Offset: n}
	}
	return q, errs
}

func withoutComments(block string) (lines []string) {
	for _, line := range strings.Split(block, "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// arguments returns what stands before the rule, and the lines after it.
func arguments(lines []string) (args string, rest []string) {
	var parts []string
	for i, line := range lines {
		if line == "----" {
			return strings.Join(parts, "\n"), lines[i+1:]
		}
		if !strings.HasPrefix(line, "pages ") {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "\n"), nil
}

// rows are the calls of a table, with a row's value or values in the place of
// VALUE, or VALUE1 and VALUE2.
func (c call) rows(template string, rows []string) (calls []call) {
	tool := c.tool
	for _, row := range rows {
		value := strings.TrimSpace(row[:strings.LastIndex(row, " => ")])
		replacer := strings.NewReplacer("VALUE", value)
		if first, second, ok := strings.Cut(value, " | "); ok && strings.Contains(template, "VALUE2") {
			replacer = strings.NewReplacer("VALUE1", strings.TrimSpace(first), "VALUE2", strings.TrimSpace(second))
		}
		c.tool, c.args = replacer.Replace(tool), replacer.Replace(template)
		calls = append(calls, c)
	}
	return calls
}

// limitsOf reads "rows=5 step_hops=2".
func limitsOf(t testing.TB, text string) (l graph.Limits) {
	fields := map[string]int{}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		require.NoError(t, err, text)
		fields[name] = n
	}
	for i := range reflect.TypeFor[graph.Limits]().NumField() {
		name := reflect.TypeFor[graph.Limits]().Field(i).Tag.Get("json")
		if n, ok := fields[name]; ok {
			reflect.ValueOf(&l).Elem().Field(i).SetInt(int64(n))
			delete(fields, name)
		}
	}
	require.Empty(t, fields, "there are no such limits")
	return l
}

// scopeOf reads {"tenant": "a", "claims": {"role": "admin"}}.
func scopeOf(t testing.TB, text string) *graph.Scope {
	var doc struct {
		Tenant, Principal string
		Claims            map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	return &graph.Scope{Tenant: doc.Tenant, Principal: doc.Principal, Claims: doc.Claims}
}

// fixtureSchema reads the schema of one of the stores' fixtures, or ward, which
// has policies of every kind and no data.
func fixtureSchema(t testing.TB, name string) *schema.Schema {
	path := filepath.Join(storetest, "fixtures", name, "schema.yaml")
	if name == "ward" {
		path = filepath.Join("testdata", "ward.yaml")
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := schema.Parse(path, text)
	require.NoError(t, err)
	return s
}

// oneLine writes JSON on one line where it is JSON, and quotes it otherwise.
func oneLine(args string) string {
	fields := strings.Fields(args)
	if line := strings.Join(fields, " "); json.Valid([]byte(args)) && len(line) < 2000 && line == strings.Join(strings.Split(strings.TrimSpace(args), "\n"), " ") {
		return line
	}
	q := strconv.Quote(args)
	if len(q) > 300 {
		q = q[:300] + "… " + strconv.Itoa(len(args)) + " bytes"
	}
	return q
}
