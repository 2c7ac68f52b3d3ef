package memory_test

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

func TestBuilderTakesGoValuesInAnyOrder(t *testing.T) {
	b := memory.NewBuilder(parse(t, allTypes))
	b.Relationship("PAID", graph.ID("thing", 0), graph.ID("thing", -5), memory.Values{"no": 7, "amount": 1})
	b.Relationship("NEAR", graph.ID("spot", []any{"a", 10}), graph.ID("spot", `["a",9]`), nil)
	type level string
	text := "a \"quoted\",\nline"
	b.Node("thing", memory.Values{
		"id": int64(9007199254740993), "small": int8(-5), "real": float32(0.5), "yes": true, "text": &text, "label": "",
		"state": level("open"), "level": "high", "day": time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		"at":  time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.FixedZone("", 7200)),
		"uid": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "price": json.Number("-0.5"), "doc": map[string]any{"b": []int{1, 2}},
	})
	b.Node("thing", memory.Values{"id": uint16(0), "label": "x", "doc": json.RawMessage(`[ null ]`), "price": "3", "day": graph.DateFromDays(0)})
	b.Node("thing", memory.Values{"id": -5, "label": "y", "doc": "text", "text": (*string)(nil)})
	b.Node("spot", memory.Values{"area": "a", "no": 10})
	b.Node("spot", memory.Values{"area": "a", "no": 9})
	g, err := b.Build()
	require.NoError(t, err)
	require.Equal(t, `spot area="a" no=9 name=null
spot area="a" no=10 name=null
thing id=-5 small=null real=null yes=null text=null label="y" state=null level=null day=null at=null uid=null price=null doc="text"
thing id=0 small=null real=null yes=null text=null label="x" state=null level=null day="1970-01-01" at=null uid=null price="3.00" doc=[null]
thing id=9007199254740993 small=-5 real=0.5 yes=true text="a \"quoted\",\nline" label="" state="open" level="high" day="2024-02-29" at="2024-02-29T21:59:59.123456Z" uid="6ba7b810-9dad-11d1-80b4-00c04fd430c8" price="-0.50" doc={"b":[1,2]}
NEAR spot/1 spot/0
PAID thing/1 thing/0 no=7 amount="1.00"
`, dump(g))
}

func TestBuilderReportsEverythingAtBuild(t *testing.T) {
	b := memory.NewBuilder(parse(t, allTypes))
	b.Node("thing", memory.Values{"id": 1, "label": "", "real": math.NaN()})
	b.Node("thing", memory.Values{"id": 2, "label": "", "small": int64(1 << 40), "labl": 1})
	b.Node("thing", memory.Values{"id": 3, "label": "", "at": time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC)})
	b.Node("thing", memory.Values{"id": 4, "label": "", "day": time.Date(2024, 1, 1, 1, 0, 0, 0, time.UTC)})
	b.Node("thing", memory.Values{"id": 5, "label": "", "text": struct{}{}})
	b.Node("thing", memory.Values{"id": 6, "label": "", "doc": func() {}})
	b.Node("thing", memory.Values{"id": 7, "label": "", "uid": graph.UUID("x")})
	b.Node("thing", memory.Values{"id": uint64(math.MaxUint64), "label": ""})
	b.Node("thing", memory.Values{"id": 9, "label": "", "price": 0.1})
	b.Node("thing", memory.Values{"id": 10, "label": "", "doc": graph.JSON("{")})
	b.Node("spot", memory.Values{"no": 1})
	b.Node("spott", nil)
	b.Relationship("PAYED", graph.NodeID{}, graph.NodeID{}, nil)
	b.Relationship("NEAR", graph.ID("spot", 1), graph.ID("spot", nil), nil)
	g, err := b.Build()
	require.Nil(t, g)
	require.EqualError(t, err, `16 problems in the data; nothing was loaded
NEAR:1: from: a number where the key of spot has 2 parts
NEAR:1: to: missing
PAYED:1: unknown relationship type "PAYED"
spot:1: area: missing
spott:1: unknown label "spott"; did you mean "spot"?
thing:1: real: a NaN where a float belongs
thing:2: unknown property "labl"; did you mean "label"?
thing:2: small: "1099511627776" does not fit an int32
thing:3: at: "300000-01-01 00:00:00 +0000 UTC" is outside the years 0001 to 9999
thing:4: day: a datetime where a date belongs
thing:5: text: a Go value of type struct {} where a string belongs
thing:6: doc: cannot be written as JSON: json: unsupported type: func()
thing:7: uid: "x" is not a uuid
thing:8: id: "18446744073709551615" does not fit an int64
thing:9: price: a float where a decimal belongs
thing:10: doc: "{" is not JSON`)
}

func TestBuilderTakesRows(t *testing.T) {
	b := memory.NewBuilder(parse(t, allTypes))
	rows := func(n int) iter.Seq2[[]graph.Value, error] {
		row := make([]graph.Value, 2)
		return func(yield func([]graph.Value, error) bool) {
			for i := range n {
				row[0], row[1] = graph.Int(int64(n-i)), graph.String("x")
				if !yield(row, nil) {
					return
				}
			}
		}
	}
	require.NoError(t, b.Nodes("thing", []string{"id", "label"}, rows(1000)))
	require.NoError(t, b.Relationships("PAID", []string{"from", "to", "no", "amount"}, func(yield func([]graph.Value, error) bool) {
		yield([]graph.Value{graph.Int(1), graph.String("1000"), graph.Int(1), graph.Decimal("2.5")}, nil)
	}))
	g, err := b.Build()
	require.NoError(t, err)
	thing, _ := g.Schema().Label("thing")
	paid, _ := g.Schema().Relationship("PAID")
	require.Equal(t, 1000, g.NodeCount(thing))
	from, to := g.Ends(paid.Pairs[0], 0)
	require.Equal(t, [2]uint32{0, 999}, [2]uint32{from, to})

	failed := errors.New("the source failed")
	b = memory.NewBuilder(parse(t, allTypes))
	require.ErrorIs(t, b.Nodes("thing", []string{"id"}, func(yield func([]graph.Value, error) bool) { yield(nil, failed) }), failed)
	require.NoError(t, b.Nodes("thing", []string{"id", "it", "id"}, rows(5)))
	require.NoError(t, b.Nodes("thing", []string{"id", "label", "text"}, rows(1)))
	_, err = b.Build()
	require.EqualError(t, err, `3 problems in the data; nothing was loaded
thing: unknown column "it"
thing: column "id" is there twice
thing:1: 2 fields where the header has 3`)
}
