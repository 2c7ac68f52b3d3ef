package storetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// Hostile checks that a caller's text is either refused before the store is
// asked, or is data and nothing else. Its subtests are named after the rows of
// a list of threats: T01 to T21 about arguments, T34 about cursors, T61 to T64
// about values.
func Hostile(t *testing.T, open Opener) {
	texts := hostileGraph(t)
	st := open(t, texts)
	c := NewCaller(texts.Schema(), st, graph.Limits{Rows: 1000})
	t.Run("T01 injected values are data", func(t *testing.T) { injectedValues(t, c) })
	t.Run("T01 injected literals of where are data", func(t *testing.T) { injectedLiterals(t, c) })
	t.Run("T01 injected values of steps and groups are data", func(t *testing.T) { injectedSteps(t, c) })
	require.NoError(t, st.Close())

	for _, name := range FixtureNames() {
		g := Fixture(t, name)
		st := open(t, g)
		for _, threat := range threats() {
			if threat.fixture == name {
				t.Run(threat.name, func(t *testing.T) { threat.check(t, g.Schema(), st) })
			}
		}
		require.NoError(t, st.Close())
	}
}

// hostileStrings are more than 200 texts that mean something in SQL, in a
// pattern, in a shell or in another language, and must mean nothing here.
func hostileStrings() []string {
	closers := []string{"'", `"`, "`", `\'`, "''", "')", "'))", `")`, "%'", "1", "\\", "\u2019", "\u02bc'", "x' "}
	payloads := []string{
		" OR 1=1 -- ", " OR '1'='1", " AND 1=0 UNION SELECT id, s FROM text -- ", "; DROP TABLE text; -- ",
		"; DELETE FROM text WHERE 1=1; #", " OR SLEEP(3) -- ", "||pg_sleep(3)||", " UNION ALL SELECT NULL,NULL,version() /*",
		"/*!50000 OR 1=1*/", " LIKE '%", " COLLATE utf8mb4_general_ci = 'a", " INTO OUTFILE '/tmp/x' -- ", " ESCAPE '!", "::int; SELECT 1",
		" = '' OR TRUE)", "$1", "?",
	}
	list := []string{
		"", " ", "'", "''", "'''", `"`, "`", `\`, `\\`, "%", "%%", "_", "__", "!", "!%", "!!", "[a]", "[^a]", "$$", "$1", "$2::text", "?", ":name", "@@version",
		"@x", "--", "-- ", "#", "/*", "*/", "/* */", ";", ";;", "NULL", "null", "\\N", "true", "0", "-1", "1e309", "0x27", "%27", "%2527", "&#39;", "\\u0027", "{}", "[]",
		"${jndi:ldap://x}", "{{7*7}}", "$(id)", "`id`", "<script>", "a\nb", "a\r\nb", "\t", "a\x01b", "\x7f", "\u00a0", "\u200b", "\u202e", "\ufeff", "\ufffd", "\uff07", "K", "k", "\u212a",
		"\u0130", "i", "\u0131", "ſ", "s", "S", "ß", "ss", "a", "A", "á", "a\u0301", "a ", " a", "ä", "\U0001F600", "\U0010FFFF", "\ue000",
	}
	for _, c := range closers {
		for _, p := range payloads {
			list = append(list, c+p)
		}
	}
	return list
}

const hostileSchema = `
format: trellis.schema.v1
nodes:
  text:
    key: id
    default_properties: []
    properties:
      id: int32
      s: {type: string, nullable: false}
      maybe: string
  name:
    key: s
    default_properties: []
    properties: {s: string}
relationships:
  SAYS: {from: name, to: text, properties: {s: string}}
`

// hostileGraph holds each hostile text as a property, as a key and on a
// relationship. Node i of text has the text hostileStrings()[i].
func hostileGraph(t testing.TB) *memory.Graph {
	s, err := schema.Parse("hostile.yaml", []byte(hostileSchema))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i, h := range hostileStrings() {
		b.Node("text", memory.Values{"id": i, "s": h, "maybe": maybe(i, h)})
		b.Node("name", memory.Values{"s": h})
		b.Relationship("SAYS", graph.ID("name", h), graph.ID("text", i), memory.Values{"s": h})
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// maybe leaves every third text out.
func maybe(i int, h string) any {
	if i%3 == 0 {
		return nil
	}
	return h
}

// matches is what an operator means, said plainly.
func matches(op graph.Op, have, want string) bool {
	switch op {
	case graph.Eq, graph.In:
		return have == want
	case graph.Ne, graph.NotIn:
		return have != want
	case graph.Lt:
		return have < want
	case graph.Lte:
		return have <= want
	case graph.Gt:
		return have > want
	case graph.Gte:
		return have >= want
	case graph.Contains:
		return strings.Contains(have, want)
	case graph.StartsWith:
		return strings.HasPrefix(have, want)
	case graph.EndsWith:
		return strings.HasSuffix(have, want)
	}
	return false
}

// matching lists the ids of the texts that match, of s or of maybe.
func matching(op graph.Op, want string, nullable bool) []string {
	var ids []string
	for i, h := range hostileStrings() {
		if nullable && i%3 == 0 {
			continue
		}
		if matches(op, h, want) {
			ids = append(ids, fmt.Sprint(i))
		}
	}
	return ids
}

func ids(r *graph.Result) []string {
	var out []string
	for _, n := range r.Answers() {
		out = append(out, n.ID)
	}
	return out
}

// sameIDs compares ids of hostile texts, and shows those that make the
// difference.
func sameIDs(t testing.TB, want, got []string, args string) {
	t.Helper()
	if slices.Equal(want, got) {
		return
	}
	show := func(these, without []string) string {
		var out []string
		for _, id := range these {
			if i, err := strconv.Atoi(id); err == nil && !slices.Contains(without, id) {
				out = append(out, strconv.QuoteToASCII(hostileStrings()[i]))
			}
		}
		return strings.Join(out, " ")
	}
	t.Errorf("%s\n    missing: %s\n    too many: %s", args, show(want, got), show(got, want))
}

func quoteJSON(s string) string { return string(graph.AppendJSONString(nil, s)) }

// mustAnswer makes a call that must be answered.
func mustAnswer(t testing.TB, c *Caller, tool, args string) *graph.Result {
	t.Helper()
	r, err := c.Call(tool, []byte(args))
	if err != nil {
		require.FailNow(t, args, "%v %s", err, c.log.take())
	}
	return r
}

// oneText fails unless all calls of one shape ran the same statement.
func oneText(t testing.TB, texts map[string]string, shape string, r *graph.Result) {
	t.Helper()
	require.NotEmpty(t, r.Statements)
	text, ok := texts[shape]
	if !ok {
		texts[shape] = r.Statements[0].SQL
		return
	}
	require.Equal(t, text, r.Statements[0].SQL, "the statement depends on a value")
}

func injectedValues(t *testing.T, c *Caller) {
	texts := map[string]string{}
	for _, op := range graph.Ops() {
		if op == graph.IsNull {
			continue
		}
		for _, h := range hostileStrings() {
			value := quoteJSON(h)
			if op == graph.In || op == graph.NotIn {
				value = "[" + value + "]"
			}
			for _, property := range []string{"s", "maybe"} {
				args := fmt.Sprintf(`{"node_label": "text", "filters": {%q: {%q: %s}}, "limit": 1000}`, property, op, value)
				r, err := c.Call(graph.ToolFindNodes, []byte(args))
				if err != nil {
					t.Errorf("%s\n    %v %s", args, err, c.log.take())
					continue
				}
				sameIDs(t, matching(op, h, property == "maybe"), ids(r), args)
				oneText(t, texts, string(op)+property, r)
			}
		}
	}
}

func injectedLiterals(t *testing.T, c *Caller) {
	texts := map[string]string{}
	for _, h := range hostileStrings() {
		where := "s == " + quoteJSON(h) + " || maybe.contains(" + quoteJSON(h) + ")"
		args := fmt.Sprintf(`{"node_label": "text", "where": %s, "limit": 1000}`, quoteJSON(where))
		var want []string
		for i, have := range hostileStrings() {
			if have == h || i%3 != 0 && strings.Contains(have, h) {
				want = append(want, fmt.Sprint(i))
			}
		}
		r := mustAnswer(t, c, graph.ToolFindNodes, args)
		sameIDs(t, want, ids(r), args)
		oneText(t, texts, "where", r)
	}
}

// injectedSteps puts the texts into ids, conditions of relationships and of
// aggregations, and having.
func injectedSteps(t *testing.T, c *Caller) {
	all := hostileStrings()
	texts := map[string]string{}
	for i, h := range all {
		id := fmt.Sprint(i)
		args := fmt.Sprintf(`{"from": {"label": "name", "ids": [%s]}, "relationships": [{"type": "SAYS", "filters": {"s": %s}}], "to": {"label": "text"}}`, quoteJSON(h), quoteJSON(h))
		r := mustAnswer(t, c, graph.ToolTraverse, args)
		require.Equal(t, []string{id}, ids(r), args)
		require.Equal(t, []graph.NodeKey{{Label: "name", ID: h}}, starts(r), args)
		oneText(t, texts, "traverse", r)

		args = fmt.Sprintf(`{"node_label": "text", "aggregations": [{"function": "count", "filters": {"s": %s}}, {"function": "count", "as": "all"}]}`, quoteJSON(h))
		r = mustAnswer(t, c, graph.ToolAggregate, args)
		require.Equal(t, [][]graph.Value{{graph.Int(1), graph.Int(int64(len(all)))}}, r.Rows, args)
		oneText(t, texts, "aggregate", r)

		args = fmt.Sprintf(`{"node_label": "text", "group_by": [{"property": "s"}], "aggregations": [{"function": "count"}], "having": [{"as": "s", "op": "eq", "value": %s}]}`, quoteJSON(h))
		r = mustAnswer(t, c, graph.ToolAggregate, args)
		require.Equal(t, [][]graph.Value{{graph.String(h), graph.Int(1)}}, r.Rows, args)
		oneText(t, texts, "having", r)
	}
	sorted := slices.Clone(all)
	slices.Sort(sorted)
	r := mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "name", "limit": 1000}`)
	require.Equal(t, sorted, ids(r), "keys come by their bytes")
}

// starts are the nodes that connect an answer.
func starts(r *graph.Result) []graph.NodeKey {
	var out []graph.NodeKey
	for _, n := range r.Nodes[r.Returned:] {
		out = append(out, graph.NodeKey{Label: n.Label, ID: n.ID})
	}
	return out
}

// unreached is a store that must not be asked.
type unreached struct{ t testing.TB }

func (u unreached) Run(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
	u.t.Error("a refused call reached the store")
	return store.Outcome{}, nil
}

func (u unreached) Explain(context.Context, *compile.Plan) (store.Explanation, error) {
	return store.Explanation{}, nil
}

func (u unreached) Close() error { return nil }
