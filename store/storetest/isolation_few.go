package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// fewSchema has readings of which not all have values, of every type.
const fewSchema = `
format: trellis.schema.v1
nodes:
  site: {key: id, properties: {id: int64}}
  reading:
    key: id
    properties:
      id: int64
      place: {type: string, nullable: false}
      small: int32
      large: int64
      ratio: float
      price: {type: decimal, scale: 2}
      word: string
      level: {type: enum, values: {2: low, 1: high}}
      kind: {type: enum, values: [new, old]}
      good: bool
      day: date
      time: datetime
relationships:
  AT: {from: reading, to: site}
`

// figures of a property, by its type.
var fewFigures = []struct{ property, functions string }{
	{"small", "count_distinct sum avg min max"}, {"large", "count_distinct sum avg min max"},
	{"ratio", "count_distinct sum avg min max"}, {"price", "count_distinct sum avg min max"},
	{"word", "count_distinct min max"}, {"level", "count_distinct min max"}, {"kind", "count_distinct min max"},
	{"good", "count_distinct min max"}, {"day", "count_distinct min max"}, {"time", "count_distinct min max"},
}

// fewValues asks for figures of groups that are large enough, of which few
// nodes have a value: they are null, also where no node has one, and the same
// as ever where enough have. Large has sums in the first group that do not fit.
func fewValues(t *testing.T, open Opener) {
	s, err := schema.Parse("few.yaml", []byte(fewSchema))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	b.Node("site", memory.Values{"id": 1})
	id := 0
	for _, place := range []struct {
		name          string
		nodes, values int
	}{{"few", 5, 2}, {"none", 4, 0}, {"enough", 4, 3}, {"all", 3, 3}, {"small", 2, 2}} {
		for i := range place.nodes {
			id++
			v := memory.Values{"id": id, "place": place.name}
			if i < place.values {
				for name, value := range map[string]any{
					"small": i, "large": i, "ratio": float64(i) / 2, "price": fmt.Sprintf("%d.25", i), "word": strings.Repeat("x", i),
					"level": []string{"high", "low"}[i%2], "kind": []string{"old", "new"}[i%2], "good": i%2 > 0,
					"day": fmt.Sprintf("2026-11-%02d", i+1), "time": fmt.Sprintf("2026-11-21T10:00:00.00000%dZ", i),
				} {
					v[name] = value
				}
				if place.name == "few" {
					v["large"] = int64(1)<<62 + int64(i)<<61
				}
			}
			b.Node("reading", v)
			b.Relationship("AT", graph.ID("reading", id), graph.ID("site", 1), memory.Values{})
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	st := open(t, g)
	defer func() { require.NoError(t, st.Close()) }()
	all := newCaller(s, st, engine.Options{})
	large := newCaller(s, st, engine.Options{MinGroup: 3})

	byPlace := `"group_by": [{"property": "place"}]`
	bySite := `"group_by": [{"property": "place"}, {"relationships": [{"type": "AT", "to": {"label": "site"}}]}]`
	for _, f := range fewFigures {
		for _, function := range strings.Fields(f.functions) {
			for _, by := range []string{byPlace, bySite} {
				args := fmt.Sprintf(`{"node_label": "reading", "aggregations": [{"function": %q, "property": %q, "as": "v"}, {"function": "count"}], %s}`, function, f.property, by)
				want := map[string]string{}
				without := args
				if f.property == "large" && function == "sum" { // which is refused where it is shown
					without = strings.Replace(args, `"group_by"`, `"filters": {"place": {"ne": "few"}}, "group_by"`, 1)
				}
				for _, row := range mustAnswer(t, all, graph.ToolAggregate, without).Rows {
					want[row[0].Text()] = renderRow(row[1:])
				}
				site := ""
				if by == bySite {
					site = "1 "
				}
				want["few"], want["none"] = site+"null 5", site+"null 4"
				delete(want, "small")
				got := map[string]string{}
				r := mustAnswer(t, large, graph.ToolAggregate, args)
				for _, row := range r.Rows {
					got[row[0].Text()] = renderRow(row[1:])
				}
				require.Equal(t, want, got, args)
				require.NotContains(t, got["enough"]+got["all"], "null")
			}
		}
	}
	// Conditions, orders and pages know no more than the rows.
	rows := func(rest string) string {
		r := mustAnswer(t, large, graph.ToolAggregate, `{"node_label": "reading", "aggregations": [{"function": "count_distinct", "property": "small", "as": "d"}, {"function": "max", "property": "level", "as": "m"}], `+byPlace+rest+`}`)
		var names []string
		for _, row := range r.Rows {
			names = append(names, row[0].Text())
		}
		if r.NextCursor != "" {
			names = append(names, "more")
		}
		return strings.Join(names, " ")
	}
	require.Equal(t, "all enough", rows(`, "having": [{"as": "d", "op": "gte", "value": 0}]`))
	require.Equal(t, "few none", rows(`, "having": [{"as": "m", "op": "is_null", "value": true}]`))
	require.Equal(t, "all enough few none", rows(`, "order_by": [{"as": "d"}]`))
	require.Equal(t, "all enough few none", rows(`, "order_by": [{"as": "m", "direction": "desc"}]`))
	for _, order := range []string{"d", "m"} {
		args := `{"node_label": "reading", "aggregations": [{"function": "count_distinct", "property": "small", "as": "d"}, {"function": "max", "property": "level", "as": "m"}], ` + byPlace + `, "order_by": [{"as": "` + order + `"}], "limit": 3`
		r := mustAnswer(t, large, graph.ToolAggregate, args+`}`)
		require.Len(t, r.Rows, 3)
		r = mustAnswer(t, large, graph.ToolAggregate, args+`, "cursor": `+quoteJSON(r.NextCursor)+`}`)
		require.Len(t, r.Rows, 1)
		require.Equal(t, "none", r.Rows[0][0].Text())
	}
	// Without groups, too, and only for properties that not all nodes have.
	r := mustAnswer(t, large, graph.ToolAggregate, `{"node_label": "reading", "filters": {"place": "few"}, "aggregations": [{"function": "sum", "property": "large"}, {"function": "avg", "property": "small"}, {"function": "max", "property": "place"}]}`)
	require.Equal(t, `null null "few"`, renderRow(r.Rows[0]))
	fewEnds(t, open)
}

// fewEnds asks for groups of ends that look the same: each of them alone would be too
// small, or have too few values.
func fewEnds(t *testing.T, open Opener) {
	s, err := schema.Parse("ends.yaml", []byte(`
format: trellis.schema.v1
nodes:
  site: {key: id, properties: {id: int64, name: {type: string, nullable: false}}}
  reading: {key: id, properties: {id: int64, value: int32}}
relationships:
  AT: {from: reading, to: site, foreign_key: site_id}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i, name := range []string{"twin", "twin", "lone", "most"} {
		b.Node("site", memory.Values{"id": i + 1, "name": name})
	}
	for i, site := range []int{1, 1, 2, 2, 3, 3, 4, 4, 4} {
		v := memory.Values{"id": i + 1}
		if site != 4 && i != 3 {
			v["value"] = i
		}
		b.Node("reading", v)
		b.Relationship("AT", graph.ID("reading", i+1), graph.ID("site", site), memory.Values{})
	}
	g, err := b.Build()
	require.NoError(t, err)
	st := open(t, g)
	defer func() { require.NoError(t, st.Close()) }()
	large := newCaller(s, st, engine.Options{MinGroup: 3})
	const groups = `"group_by": [{"relationships": [{"type": "AT", "to": {"label": "site"}}], "property": "name"}]`
	for functions, want := range map[string][]string{
		`{"function": "count"}`: {`"most" 3`, `"twin" 4`},
		`{"function": "count"}, {"function": "count_distinct", "property": "value"}`: {`"most" 3 null`, `"twin" 4 3`},
	} {
		var got []string
		for _, row := range mustAnswer(t, large, graph.ToolAggregate, `{"node_label": "reading", "aggregations": [`+functions+`], `+groups+`}`).Rows {
			got = append(got, renderRow(row))
		}
		require.Equal(t, want, got, functions)
	}
}
