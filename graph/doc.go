// Package graph holds the words in which a graph is asked and answers:
// queries, filters, values, answers and errors. It knows no storage, and it
// imports nothing.
//
//	q := &graph.Traverse{
//		From:          graph.NodePattern{Label: "person", IDs: graph.IDs("ada")},
//		Relationships: []graph.Step{{Types: []string{"KNOWS"}, MaxHops: 2}},
//		To:            graph.NodePattern{Label: "person", Filter: graph.Cmp("born", graph.Gte, 1900)},
//	}
//	res, err := eng.Run(ctx, q)
//	for _, n := range res.Answers() {
//		fmt.Println(n.ID, n.Distance, n.Value("name").Text())
//	}
//
// A Query is data that anyone may have written: names are strings, values have
// no type yet. Package compile turns it into a plan; only plans are run. An
// answer is a Result, or, for whoever wants no copy, a stream of events to a
// Writer. A refusal is a list of Errors, each with a code, a JSON Pointer to
// the mistake, what would have been right, and often a patch that mends it.
package graph
