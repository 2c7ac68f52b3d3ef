package social

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A Question is a tool call that benchmarks ask.
type Question struct {
	Name      string // q1 to q10
	About     string // what is asked, in a few words
	Tool      string
	Arguments []byte // JSON
}

// Rows is the limit of rows that the questions need: see graph.Limits.
const Rows = 100

// Parameters are the values that the questions ask about. They are the same
// for every peer, so that statements in another language can bind them.
type Parameters struct {
	// Person is the one at whom walks begin, with about 13 friends; Other the
	// end of the path, with about 7.
	Person, Other int64
	FirstName     string // of q2
	BornSince     string // of q2: a date
	Browser       string // of q4
	Since         string // of q9: an instant, as RFC 3339
	Gender        string // of q9
	Until         string // of q10: an instant, as RFC 3339
}

// Pick chooses the parameters for a graph: always the same for the same graph.
// The error names what the graph lacks of what the questions are about.
func Pick(g *memory.Graph) (Parameters, error) {
	if err := needs(g.Schema()); err != nil {
		return Parameters{}, err
	}
	p := Parameters{
		FirstName: "Jan", BornSince: "1985-01-01", Browser: "Opera",
		Since: "2012-01-01T00:00:00Z", Gender: "female", Until: "2011-06-01T00:00:00Z",
	}
	person, _ := g.Schema().Label("person")
	if g.NodeCount(person) < 2 {
		return Parameters{}, fmt.Errorf("the questions are about two persons; the graph has %d", g.NodeCount(person))
	}
	first := withFriends(g, 13, -1)
	p.Person = keyOf(g, person, first)
	p.Other = keyOf(g, person, withFriends(g, 7, first))
	return p, nil
}

func keyOf(g *memory.Graph, l *schema.Label, row int) int64 {
	return g.Value(l, uint32(row), l.Key[0]).Int()
}

// withFriends returns the first person whose number of friends is nearest to
// what is wanted, leaving one row out.
func withFriends(g *memory.Graph, wanted, without int) int {
	person, _ := g.Schema().Label("person")
	pair, _ := pairOf(g.Schema(), "KNOWS", "person", "person")
	best, least := 0, -1
	for row := range g.NodeCount(person) {
		first, end := g.Out(pair, uint32(row))
		distance := int(end-first) - wanted
		if distance < 0 {
			distance = -distance
		}
		if row != without && (least < 0 || distance < least) {
			best, least = row, distance
		}
	}
	return best
}

// Questions returns the ten questions for graphs of a schema, in order.
func (p Parameters) Questions(s *schema.Schema) []Question {
	var none []string // of every label no property: its nodes show their ids
	for l := range s.Labels() {
		none = append(none, fmt.Sprintf("%q: []", l.Name))
	}
	ask := func(name, about, tool, arguments string, values ...any) Question {
		return Question{name, about, tool, fmt.Appendf(nil, arguments, values...)}
	}
	return []Question{
		ask("q1", "a person by id", "find_nodes",
			`{"node_label": "person", "ids": [%d]}`, p.Person),
		ask("q2", "persons by first name and birthday", "find_nodes",
			`{"node_label": "person", "filters": {"firstName": %q, "birthday": {"gte": %q}}, `+
				`"properties": ["firstName", "lastName", "birthday"], "order_by": [{"property": "id"}], "limit": 30}`, p.FirstName, p.BornSince),
		ask("q3", "friends, and since when", "traverse_relationships",
			`{"from": {"label": "person", "ids": [%d]}, "relationships": [{"type": "KNOWS"}], "to": {"label": "person"}, `+
				`"properties": {"person": ["firstName", "lastName"]}, "order_by": [{"property": "id"}], "limit": 30}`, p.Person),
		ask("q4", "friends of friends with a browser", "traverse_relationships",
			`{"from": {"label": "person", "ids": [%d]}, "relationships": [{"type": "KNOWS", "min_hops": 2, "max_hops": 2}], `+
				`"to": {"label": "person", "filters": {"browserUsed": %q}}, "properties": {"person": ["firstName", "lastName"]}, `+
				`"order_by": [{"property": "id"}], "connections": false, "limit": 30}`, p.Person, p.Browser),
		ask("q5", "how many within three hops", "aggregate_nodes",
			`{"node_label": "person", "related": [{"relationships": [{"type": "KNOWS", "max_hops": 3, "to": {"label": "person", "ids": [%d]}}]}], `+
				`"aggregations": [{"function": "count"}]}`, p.Person),
		ask("q6", "neighbourhood of two hops, every type", "explore_neighbors",
			`{"start_node": {"label": "person", "node_id": %d}, "max_hops": 2, "direction": "both", "properties": {%s}, "limit": 100}`,
			p.Person, strings.Join(none, ", ")),
		ask("q7", "shortest path", "find_paths",
			`{"from": {"label": "person", "node_id": %d}, "to": {"label": "person", "node_id": %d}, "max_hops": 6, "direction": "outgoing", `+
				`"relationship_types": ["KNOWS"], "properties": {"person": ["firstName", "lastName"]}}`, p.Person, p.Other),
		ask("q8", "posts by tag", "aggregate_nodes",
			`{"node_label": "post", "aggregations": [{"function": "count"}], "group_by": [{"relationships": [{"type": "HAS_TAG", "to": {"label": "tag"}}], `+
				`"property": "name"}], "order_by": [{"as": "count", "direction": "desc"}], "limit": 10}`),
		ask("q9", "recent posts of women by their city", "aggregate_nodes",
			`{"node_label": "post", "filters": {"creationDate": {"gte": %q}}, `+
				`"related": [{"relationships": [{"type": "HAS_CREATOR", "to": {"label": "person", "filters": {"gender": %q}}}]}], `+
				`"aggregations": [{"function": "count"}], "group_by": [{"relationships": [{"type": "HAS_CREATOR", "to": {"label": "person"}}, `+
				`{"type": "IS_LOCATED_IN", "to": {"label": "place"}}], "property": "name"}], "order_by": [{"as": "count", "direction": "desc"}], "limit": 10}`,
			p.Since, p.Gender),
		ask("q10", "newest posts of friends until a day", "traverse_relationships",
			`{"from": {"label": "person", "ids": [%d]}, "relationships": [{"type": "KNOWS", "to": {"label": "person"}}, {"type": "HAS_CREATOR", "direction": "incoming"}], `+
				`"to": {"label": "post", "filters": {"creationDate": {"lte": %q}}}, "properties": {"post": ["creationDate", "browserUsed"]}, `+
				`"order_by": [{"property": "creationDate", "direction": "desc"}], "connections": false, "limit": 20}`, p.Person, p.Until),
	}
}

// needs names what a schema lacks of what the questions are about.
func needs(s *schema.Schema) error {
	var lacks []string
	for _, l := range []struct {
		label      string
		properties []string
	}{
		{"person", []string{"id", "firstName", "lastName", "gender", "birthday", "browserUsed"}},
		{"place", []string{"id", "name"}},
		{"tag", []string{"id", "name"}},
		{"post", []string{"id", "creationDate", "browserUsed"}},
	} {
		label, ok := s.Label(l.label)
		if !ok {
			lacks = append(lacks, "label "+l.label)
			continue
		}
		for _, p := range l.properties {
			if _, ok := label.Property(p); !ok {
				lacks = append(lacks, l.label+"."+p)
			}
		}
		if len(label.Key) != 1 || label.Key[0].Type != schema.Int64 {
			lacks = append(lacks, "a key of type int64 of "+l.label)
		}
	}
	for _, p := range [][3]string{
		{"KNOWS", "person", "person"}, {"HAS_CREATOR", "post", "person"},
		{"HAS_TAG", "post", "tag"}, {"IS_LOCATED_IN", "person", "place"},
	} {
		if _, ok := pairOf(s, p[0], p[1], p[2]); !ok {
			lacks = append(lacks, p[0]+" from "+p[1]+" to "+p[2])
		}
	}
	if pair, ok := pairOf(s, "KNOWS", "person", "person"); ok {
		if _, ok := pair.Property("creationDate"); !ok {
			lacks = append(lacks, "KNOWS.creationDate")
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("the questions need what the graph does not have: %s", strings.Join(lacks, ", "))
	}
	return nil
}

func pairOf(s *schema.Schema, typ, from, to string) (*schema.Pair, bool) {
	t, ok := s.Relationship(typ)
	if !ok {
		return nil, false
	}
	for _, p := range t.Pairs {
		if p.From.Name == from && p.To.Name == to {
			return p, true
		}
	}
	return nil, false
}
