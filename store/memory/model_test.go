package memory_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// randomSchema writes a schema with all types of properties, keys of one and of
// two parts, relationships with and without keys, and pairs in join tables and
// by foreign keys.
func randomSchema(r *rand.Rand) string {
	types := []string{"int32", "int64", "float", "bool", "string", "date", "datetime", "uuid", "json", "decimal, scale: 1", "enum, values: [x, y, z]"}
	property := func(name string) string {
		text := fmt.Sprintf("%s: {type: %s, nullable: %t", name, types[r.IntN(len(types))], r.IntN(3) > 0)
		if r.IntN(2) == 0 && !strings.Contains(text, "json") {
			text += ", index: true"
		}
		return text + "}"
	}
	properties := func(first ...string) string {
		for i := range r.IntN(5) {
			first = append(first, property(fmt.Sprintf("p%d", i)))
		}
		return "properties: {" + strings.Join(first, ", ") + "}"
	}
	var b strings.Builder
	b.WriteString("format: trellis.schema.v1\nnodes:\n")
	labels := []string{"a", "b", "c"}[:1+r.IntN(3)]
	single := map[string]bool{}
	for _, l := range labels {
		single[l] = r.IntN(3) > 0
		if single[l] {
			fmt.Fprintf(&b, "  %s: {key: id, %s}\n", l, properties("id: {type: "+[]string{"int64", "int32", "string", "date"}[r.IntN(4)]+"}"))
		} else {
			fmt.Fprintf(&b, "  %s: {key: [k1, k2], %s}\n", l, properties("k1: string", "k2: int32"))
		}
	}
	b.WriteString("relationships:\n")
	for i := range 1 + r.IntN(3) {
		from, to := labels[r.IntN(len(labels))], labels[r.IntN(len(labels))]
		switch {
		case r.IntN(3) == 0 && single[to]:
			fmt.Fprintf(&b, "  T%d: {from: %s, to: %s, foreign_key: t%d_id}\n", i, from, to, i)
		case r.IntN(3) == 0 && single[from]:
			fmt.Fprintf(&b, "  T%d: {from: %s, to: %s, foreign_key: {side: to, column: t%d_id}}\n", i, from, to, i)
		default:
			columns := func(end, l string) string {
				if single[l] {
					return fmt.Sprintf("%s_column: %s1", end, end)
				}
				return fmt.Sprintf("%s_column: [%s1, %s2]", end, end, end)
			}
			fmt.Fprintf(&b, "  T%d: {from: %s, to: %s, table: t%d, %s, %s, ", i, from, to, i, columns("from", from), columns("to", to))
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "key: no, %s}\n", properties("no: "+[]string{"int64", "string"}[r.IntN(2)]))
			} else {
				fmt.Fprintf(&b, "%s}\n", properties())
			}
		}
	}
	return b.String()
}

// A model is the contents of a graph, kept the plainest way.
type model struct {
	schema *schema.Schema
	dice   *rand.Rand
	nodes  map[string]memory.Values // by label and key
	rels   map[string]relation      // by pair and key, or pair and ends
}

type relation struct {
	typ      string
	from, to graph.NodeID
	values   memory.Values
}

func newModel(s *schema.Schema, dice *rand.Rand) *model {
	return &model{schema: s, dice: dice, nodes: map[string]memory.Values{}, rels: map[string]relation{}}
}

func (m *model) clone() *model {
	out := newModel(m.schema, m.dice)
	for id, v := range m.nodes {
		out.nodes[id] = v
	}
	for id, rel := range m.rels {
		out.rels[id] = rel
	}
	return out
}

// build makes a graph of the same contents from nothing, in random order.
func (m *model) build() (*memory.Graph, error) {
	b := memory.NewBuilder(m.schema)
	for _, id := range shuffled(m.nodes) {
		label, _, _ := strings.Cut(id, " ")
		b.Node(label, m.nodes[id])
	}
	for _, id := range shuffled(m.rels) {
		rel := m.rels[id]
		b.Relationship(rel.typ, rel.from, rel.to, rel.values)
	}
	return b.Build()
}

// shuffled returns the keys of a map in an order that is always the same, so
// that what goes wrong once does so again.
func shuffled[T any](of map[string]T) []string {
	keys := slices.Sorted(maps.Keys(of))
	rand.New(rand.NewPCG(uint64(len(keys)), 1)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

func idOf(id graph.NodeID) string { return id.Label + " " + id.ID.Text() }

// value makes one of few values of a property's type.
func (m *model) value(p *schema.Property) any {
	r := m.dice
	if p.Nullable && r.IntN(4) == 0 {
		return nil
	}
	n := r.IntN(12)
	switch p.Type {
	case schema.Int32, schema.Int64:
		return n - 6
	case schema.Float:
		return float64(n)/4 - 1
	case schema.Bool:
		return n%2 == 0
	case schema.Enum:
		return p.Values[n%len(p.Values)].Name
	case schema.Date:
		return fmt.Sprintf("2024-01-%02d", n+1)
	case schema.DateTime:
		return fmt.Sprintf("2024-01-01T00:00:%02d.5Z", n)
	case schema.UUID:
		return fmt.Sprintf("6ba7b810-9dad-11d1-80b4-00c04fd430%02x", n)
	case schema.Decimal:
		return fmt.Sprintf("%d.5", n-6)
	case schema.JSON:
		return map[string]any{"n": n}
	}
	// Some texts that are there seldom, so that dictionaries grow.
	if n == 0 {
		return fmt.Sprintf("text %d", r.IntN(1000))
	}
	return []string{"", "a", "A", "ab", "é", "\U0001F642", "z", "m", "b", "c", "d"}[n-1]
}

func (m *model) values(props []*schema.Property) memory.Values {
	out := memory.Values{}
	for _, p := range props {
		if v := m.value(p); v != nil || m.dice.IntN(2) == 0 {
			out[p.Name] = v
		}
	}
	return out
}

func (m *model) key(l *schema.Label) (graph.NodeID, memory.Values) {
	v := memory.Values{}
	var parts []any
	for _, p := range l.Key {
		v[p.Name] = m.value(p)
		parts = append(parts, v[p.Name])
	}
	if len(parts) == 1 {
		return graph.ID(l.Name, parts[0]), v
	}
	return graph.ID(l.Name, parts), v
}

// node returns a node that is there, mostly.
func (m *model) node(l *schema.Label) graph.NodeID {
	for range 20 {
		if id, _ := m.key(l); m.nodes[idOf(id)] != nil {
			return id
		}
	}
	id, _ := m.key(l)
	return id
}

func relID(p *schema.Pair, from, to graph.NodeID, key any) string {
	name := p.Type.Name + " " + p.From.Name + " " + p.To.Name
	if p.Key != nil {
		return fmt.Sprint(name, " ", key)
	}
	return name + " " + idOf(from) + " " + idOf(to)
}

// change does something random to the model and to a batch. It reports whether
// the batch may be refused for it.
func (m *model) change(b *memory.Batch) (bad bool) {
	labels := slices.Collect(m.schema.Labels())
	var pairs []*schema.Pair
	for t := range m.schema.Relationships() {
		pairs = append(pairs, t.Pairs...)
	}
	l, p := labels[m.dice.IntN(len(labels))], pairs[m.dice.IntN(len(pairs))]
	switch n := m.dice.IntN(100); {
	case n < 35:
		id, key := m.key(l)
		v := m.values(l.Properties)
		for name, part := range key {
			v[name] = part
		}
		m.nodes[idOf(id)] = v
		b.Node(l.Name, v)
	case n < 45:
		id := m.node(l)
		delete(m.nodes, idOf(id))
		for at, rel := range m.rels {
			if idOf(rel.from) == idOf(id) || idOf(rel.to) == idOf(id) {
				delete(m.rels, at)
			}
		}
		b.DeleteNode(id)
	case n < 85:
		from, to := m.node(p.From), m.node(p.To)
		if (m.nodes[idOf(from)] == nil || m.nodes[idOf(to)] == nil) && m.dice.IntN(30) > 0 {
			return false
		}
		v := m.values(p.Properties)
		var key any
		if p.Key != nil {
			key = m.value(p.Key)
			v[p.Key.Name] = key
		}
		m.rels[relID(p, from, to, key)] = relation{p.Type.Name, from, to, v}
		b.Relationship(p.Type.Name, from, to, v)
		return m.nodes[idOf(from)] == nil || m.nodes[idOf(to)] == nil
	case n < 98:
		from, to, key := m.node(p.From), m.node(p.To), any(nil)
		for _, id := range shuffled(m.rels) { // one that is there, mostly
			rel := m.rels[id]
			if rel.typ == p.Type.Name && rel.from.Label == p.From.Name && rel.to.Label == p.To.Name && m.dice.IntN(3) > 0 {
				from, to = rel.from, rel.to
				if p.Key != nil {
					key = rel.values[p.Key.Name]
				}
				break
			}
		}
		if p.Key != nil && key == nil {
			key = m.value(p.Key)
		}
		if rel, ok := m.rels[relID(p, from, to, key)]; ok && idOf(rel.from) == idOf(from) && idOf(rel.to) == idOf(to) {
			delete(m.rels, relID(p, from, to, key))
		}
		b.DeleteRelationship(p.Type.Name, from, to, key)
	case n == 98:
		return false
	default:
		switch m.dice.IntN(4) {
		case 0:
			b.Node(l.Name, memory.Values{})
		case 1:
			b.Node("nothing", nil)
		case 2:
			b.DeleteNode(graph.ID(l.Name, []any{1, 2, 3}))
		case 3:
			b.Relationship(p.Type.Name, m.node(p.From), m.node(p.To), memory.Values{"nothing": 1})
		}
		return true
	}
	return false
}

// A course is a Live and what it should hold.
type course struct {
	live *memory.Live
	*model
}

// fork returns a Live that goes on from the newest snapshot of another one,
// which goes on, too.
func (c *course) fork() *course {
	return &course{memory.NewLive(c.live.Graph()), c.clone()}
}

// play changes Lives by random batches, some of which begin with what another
// one has, and calls check with each snapshot and a graph of the same contents
// that was built at once.
func play(t *testing.T, s *schema.Schema, dice *rand.Rand, batches int, check func(live *memory.Live, want *memory.Graph)) {
	empty := newModel(s, dice)
	g, err := empty.build()
	if err != nil {
		t.Fatal(err)
	}
	slack := []int{0, 5, 20, 4096}
	first := &course{memory.NewLive(g), empty}
	hubs := func(l *memory.Live) {
		l.SetHubs([]int{1, 2, 4, 1024}[dice.IntN(4)], []int{0, 1, 3, 1024}[dice.IntN(4)])
	}
	first.live.SetSlack(slack[dice.IntN(4)])
	hubs(first.live)
	courses := []*course{first}
	applied := 0
	for range batches {
		c := courses[dice.IntN(len(courses))]
		if dice.IntN(8) == 0 {
			c = c.fork()
			c.live.SetSlack(slack[dice.IntN(4)])
			hubs(c.live)
			courses = append(courses, c)
		}
		next, b := c.clone(), memory.NewBatch(s)
		bad := false
		for range 1 + dice.IntN(25) {
			bad = next.change(b) || bad
		}
		before := c.live.Graph()
		got, err := c.live.Apply(b)
		want, wrong := next.build()
		if bad || wrong != nil {
			if err == nil {
				t.Fatalf("a batch was applied that had to be refused: %v", wrong)
			}
			if c.live.Graph() != before {
				t.Fatal("a refused batch changed the graph")
			}
			continue
		}
		if err != nil {
			t.Fatalf("a batch was refused: %v", err)
		}
		if got != c.live.Graph() {
			t.Fatal("what was returned is not what is read")
		}
		applied++
		c.model = next
		check(c.live, want)
	}
	if batches >= 25 && applied == 0 {
		t.Error("no batch was applied")
	}
}
