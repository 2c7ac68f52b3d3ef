package graph_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// Who among the friends of Ada's friends, born after 1990, has written three
// posts or more? An engine answers it; see package engine.
func Example_traverse() {
	wrote := graph.Related{
		Relationships: []graph.Step{{Types: []string{"WROTE"}}},
		Count:         []graph.CountBound{{Op: graph.Gte, N: 3}},
	}
	q := &graph.Traverse{
		From:          graph.NodePattern{Label: "person", IDs: graph.IDs("ada")},
		Relationships: []graph.Step{{Types: []string{"KNOWS"}, Direction: graph.Both, MaxHops: 2}},
		To: graph.NodePattern{
			Label:   "person",
			Filter:  graph.And{graph.Cmp("born", graph.Gt, "1990-12-31"), graph.Not{Filter: graph.OneOf("city", "Oslo", "Bergen")}},
			Related: []graph.Related{wrote},
		},
		Properties: map[string][]string{"person": {"name", "born"}},
		OrderBy:    []graph.Order{{Property: "born", Direction: graph.Desc}},
		Limit:      10,
	}
	fmt.Println(q.Tool())
	// Output: traverse_relationships
}

// How many posts were written each month, by the country of their authors?
func Example_aggregate() {
	q := &graph.Aggregate{
		NodePattern: graph.NodePattern{Label: "post", Where: "length > 100"},
		GroupBy: []graph.GroupKey{
			{Property: "created", Truncate: graph.Month, As: "month"},
			{Relationships: []graph.Step{
				{Types: []string{"WROTE"}, Direction: graph.Incoming, To: &graph.NodePattern{Label: "person"}},
				{Types: []string{"LIVES_IN"}, To: &graph.NodePattern{Label: "country"}},
			}, Property: "name", As: "country"},
		},
		Aggregations: []graph.Aggregation{{Function: graph.Count, As: "posts"}, {Function: graph.Avg, Property: "length"}},
		Having:       []graph.Having{{As: "posts", Op: graph.Gte, Value: graph.Int(10)}},
	}
	fmt.Println(q.Tool())
	// Output: aggregate_nodes
}

func ExampleScanNodes() {
	type person struct {
		ID    string `graph:"@id"`
		Name  string
		Email *string // nil where the property is null
		Born  time.Time
	}
	res := &graph.Result{ // as an engine returns it
		Nodes: []graph.Node{{Label: "person", ID: "ada", Properties: []graph.Property{
			{Name: "name", Value: graph.String("Ada")},
			{Name: "email", Value: graph.Null()},
			{Name: "born", Value: graph.Date(time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC))},
		}}},
		Summary: graph.Summary{Returned: 1},
	}
	people, err := graph.ScanNodes[person](res)
	for _, p := range people {
		fmt.Println(p.ID, p.Name, p.Email == nil, p.Born.Year())
	}
	fmt.Println(err)
	// Output:
	// ada Ada true 1815
	// <nil>
}

func ExampleScanRows() {
	type row struct {
		Country string
		Posts   int
		Length  float64 `graph:"avg_length"`
	}
	res := &graph.Result{ // as an engine returns it
		Columns: []graph.Column{{Name: "country", Type: "string"}, {Name: "posts", Type: "int64"}, {Name: "avg_length", Type: "float"}},
		Rows:    [][]graph.Value{{graph.String("Norway"), graph.Int(12), graph.Float(140.5)}},
	}
	rows, err := graph.ScanRows[row](res)
	fmt.Println(rows, err)
	// Output: [{Norway 12 140.5}] <nil>
}

// Errors of a call are found by their code, and read field by field.
func ExampleErrors() {
	var err error = graph.Errors{{ // as an engine returns it
		Code: graph.UnknownProperty, Path: "/filters/nam", Message: `no property "nam" of person`,
		Fix: []graph.Patch{{Op: "move", From: "/filters/nam", Path: "/filters/name"}},
	}}
	fmt.Println(errors.Is(err, graph.UnknownProperty), errors.Is(err, graph.Timeout))
	var mistake *graph.Error
	if errors.As(err, &mistake) {
		mended, err := graph.ApplyFix([]byte(`{"node_label": "person", "filters": {"nam": "Ada"}}`), mistake.Fix)
		fmt.Println(mistake.Path, string(mended), err)
	}
	// Output:
	// true false
	// /filters/nam {"node_label":"person","filters":{"name":"Ada"}} <nil>
}
