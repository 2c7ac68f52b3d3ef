// Package engine answers queries over a graph.
//
//	eng := engine.New(schema.NewCatalog(s), st, engine.Options{})
//	res, err := eng.Run(ctx, &graph.FindNodes{
//		NodePattern: graph.NodePattern{Label: "person", Filter: graph.Where("name", "Ada")},
//	})
//
// An Engine is the one place through which every call goes, whichever surface
// it came from: schema, scope, limits, deadline, store, answer.
package engine
