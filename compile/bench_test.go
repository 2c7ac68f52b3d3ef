package compile

import (
	"testing"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func benchSchema(b testing.TB) *schema.Schema {
	s, err := schema.New(schema.Definition{
		Nodes: []schema.NodeDefinition{
			{Label: "person", Key: []string{"id"}, Properties: []schema.PropertyDefinition{
				{Name: "id", Type: schema.Int64}, {Name: "firstName", Type: schema.String, Index: true},
				{Name: "browserUsed", Type: schema.String}, {Name: "birthday", Type: schema.Date}}},
			{Label: "post", Key: []string{"id"}, Properties: []schema.PropertyDefinition{
				{Name: "id", Type: schema.Int64}, {Name: "creationDate", Type: schema.DateTime}, {Name: "language", Type: schema.String}}},
		},
		Relationships: []schema.RelationshipDefinition{
			{Type: "KNOWS", Pairs: []schema.PairDefinition{{From: "person", To: "person"}}},
			{Type: "HAS_CREATOR", Pairs: []schema.PairDefinition{{From: "post", To: "person"}}},
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// twoHop is a traversal of two steps, with a condition at its end.
func twoHop(id int64) *graph.Traverse {
	return &graph.Traverse{
		From: graph.NodePattern{Label: "person", IDs: []graph.Value{graph.Int(id)}},
		Relationships: []graph.Step{
			{Types: []string{"KNOWS"}},
			{Types: []string{"HAS_CREATOR"}, Direction: graph.Incoming},
		},
		To:         graph.NodePattern{Label: "post", Filter: graph.And{graph.Compare{Property: "creationDate", Op: graph.Lte, Value: graph.String("2012-01-01T00:00:00Z")}}},
		Properties: map[string][]string{"post": {"creationDate"}},
		OrderBy:    []graph.Order{{Property: "creationDate", Direction: graph.Desc}},
		Limit:      20,
	}
}

// forgetter returns what has a query be like none before.
func (c *Compiler) forgetter(s *schema.Schema, q graph.Query) func() {
	var f fingerprint
	f.query(q)
	place := &c.prepared.seen[c.prepared.hash(preparedKey{schema: s}, f.bytes)%seenPlaces]
	return func() { place.Store(0) }
}

// BenchmarkCheck checks a call that is like none before.
func BenchmarkCheck(b *testing.B) {
	s, c, q := benchSchema(b), New(Options{}), twoHop(933)
	forget := c.forgetter(s, q)
	b.ReportAllocs()
	for b.Loop() {
		forget()
		if _, err := c.Check(s, nil, q); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKnown checks a call that differs from one before in values only.
func BenchmarkKnown(b *testing.B) {
	s, c := benchSchema(b), New(Options{})
	queries := [2]*graph.Traverse{twoHop(933), twoHop(4139)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p, err := c.Check(s, nil, queries[i&1])
		if err != nil {
			b.Fatal(err)
		}
		if i > 1 && !p.Kept() {
			b.Fatal("the plan is not known")
		}
	}
}

// BenchmarkKnownIn is BenchmarkKnown for who says when a plan is done with.
func BenchmarkKnownIn(b *testing.B) {
	s, c := benchSchema(b), New(Options{})
	queries := [2]*graph.Traverse{twoHop(933), twoHop(4139)}
	var room Room
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p, err := c.CheckWith(&room, nil, s, nil, queries[i&1])
		if err != nil {
			b.Fatal(err)
		}
		if i > 1 && !p.Kept() {
			b.Fatal("the plan is not known")
		}
	}
}

func BenchmarkSQL(b *testing.B) {
	s, c := benchSchema(b), New(Options{})
	p, err := c.Check(s, nil, twoHop(933))
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range []*Dialect{MariaDB(), Postgres()} {
		b.Run(d.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := SQL(p, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkColdCompile checks and lowers a call of a shape never seen before.
func BenchmarkColdCompile(b *testing.B) {
	s, c, d, q := benchSchema(b), New(Options{}), Postgres(), twoHop(933)
	forget := c.forgetter(s, q)
	b.ReportAllocs()
	for b.Loop() {
		forget()
		p, err := c.Check(s, nil, q)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := SQL(p, d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWhereCall is a call with an expression: one that was read for another
// query, and one of a query that is known. BenchmarkWhere reads one.
func BenchmarkWhereCall(b *testing.B) {
	const text = `firstName.startsWith("J") && birthday >= date("1985-01-01") || browserUsed in ["Opera", "Firefox"]`
	q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Where: text}, Limit: 30}
	s := benchSchema(b)
	b.Run("new", func(b *testing.B) {
		c := New(Options{})
		forget := c.forgetter(s, q)
		b.ReportAllocs()
		for b.Loop() {
			forget()
			if _, err := c.Check(s, nil, q); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("known", func(b *testing.B) {
		c := New(Options{})
		var room Room
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.CheckWith(&room, nil, s, nil, q); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkShape(b *testing.B) {
	s, c := benchSchema(b), New(Options{})
	p, err := c.Check(s, nil, twoHop(933))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Shape()
	}
}
