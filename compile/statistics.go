package compile

import (
	"math"

	"github.com/trellisgraph/trellis/schema"
)

// Statistics are what an Estimate knows of the data: how much there is, and how
// evenly it is spread. They are plain data without a value of any node, may be
// kept as JSON beside the schema, and must not be changed while they are in
// use. A store's own package makes them; how old they are, and how exact, is
// the host's to decide, since an estimate is no more than that.
//
// What is missing in them counts as 1,000 nodes, 10 relationships a node, and
// a tenth of the nodes for each value.
type Statistics struct {
	// Labels are by the label's name.
	Labels map[string]LabelStatistics `json:"labels"`
	// Relationships are by the name of a pair: see PairName.
	Relationships map[string]PairStatistics `json:"relationships"`
}

// LabelStatistics are about the nodes of one label.
type LabelStatistics struct {
	Nodes int `json:"nodes"`
	// Properties are by name.
	Properties map[string]PropertyStatistics `json:"properties,omitempty"`
}

// PropertyStatistics are about one property of a label.
type PropertyStatistics struct {
	// Distinct counts the different values, null aside.
	Distinct int `json:"distinct"`
	// Nulls is the share of the nodes that have no value, from 0 to 1.
	Nulls float64 `json:"nulls"`
}

// PairStatistics are about the relationships of one pair.
type PairStatistics struct {
	Relationships int `json:"relationships"`
	// Out is how they leave nodes, In how they arrive.
	Out Degree `json:"out"`
	In  Degree `json:"in"`
}

// A Degree is how many relationships of a pair nodes have in one direction.
type Degree struct {
	// Average is over all nodes of the label, Most is the highest.
	Average float64 `json:"average"`
	Most    int     `json:"most"`
	// Nodes counts those that have any.
	Nodes int `json:"nodes"`
}

// PairName is the name of a pair in Statistics: "person KNOWS person".
func PairName(p *schema.Pair) string {
	return p.From.Name + " " + p.Type.Name + " " + p.To.Name
}

// What is assumed where nothing is known.
const (
	unknownNodes  = 1000
	unknownDegree = 10
	unknownShare  = 0.1 // of the nodes that have one value of a property
)

// nodes is the number of nodes of a label.
func (s *Statistics) nodes(l *schema.Label) float64 {
	if of, ok := s.Labels[l.Name]; ok {
		return math.Max(0, float64(of.Nodes))
	}
	return unknownNodes
}

// values returns the share of the nodes that have a value of a property, and
// how many different ones there are. l is nil for properties of relationships.
func (s *Statistics) values(l *schema.Label, p *schema.Property) (share, distinct float64) {
	if l != nil {
		if len(l.Key) == 1 && l.Key[0] == p {
			return 1, math.Max(1, s.nodes(l))
		}
		if of, ok := s.Labels[l.Name].Properties[p.Name]; ok {
			share = math.Min(1, math.Max(0, 1-of.Nulls))
			if share != share { // not a number
				share = 1
			}
			return share, math.Max(1, float64(of.Distinct))
		}
	}
	switch p.Type {
	case schema.Bool:
		return 1, 2
	case schema.Enum:
		return 1, math.Max(1, float64(len(p.Values)))
	}
	return 1, 1 / unknownShare
}

// degree is how many relationships a move, or the same one backwards, takes
// from one node.
func (s *Statistics) degree(m *Move, backwards bool) Degree {
	of, ok := s.Relationships[PairName(m.Rel.pair)]
	if !ok {
		return Degree{Average: unknownDegree, Most: unknownDegree, Nodes: math.MaxInt}
	}
	d := of.Out
	if m.Incoming != backwards {
		d = of.In
	}
	if !(d.Average >= 0) { // not a number
		d.Average = 0
	}
	d.Average = math.Min(d.Average, math.Max(0, float64(of.Relationships)))
	return d
}
