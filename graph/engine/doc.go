// Package engine answers queries over a graph.
//
//	eng := engine.New(schema.NewCatalog(s), st, engine.Options{})
//	res, err := eng.Run(ctx, &graph.FindNodes{
//		NodePattern: graph.NodePattern{Label: "person", Filter: graph.Where("name", "Ada")},
//	})
//
// An Engine is the one place through which every call goes, whichever surface
// it came from: a query of a program (Run), a tool call that may be unreadable
// (Call), or a question how there would be an answer (Explain, DryRun, and
// ExplainCall, DryRunCall for tool calls). RunJSON and CallJSON answer with the
// document's bytes. Each goes the same way, to its end or to the first refusal:
//
//	snapshot   the Source's, for the scope  NO_SCOPE
//	rate       Options.Rates                RATE_LIMITED
//	reading    Request.Decode, and the check against what the caller may see
//	cost       Options.Cost                 TOO_COSTLY
//	turn       Options.Concurrency          OVERLOADED
//	store      until its deadline           TIMEOUT, UNAVAILABLE
//	redaction  Options.Redact
//	record     Options.Audit, always one      UNAVAILABLE, if so configured
//
// New makes an engine over one graph. NewFrom makes one that works, in each call,
// on what a Source has for the caller's tenant and view: another schema, another
// store. Nothing that depends on either is shared between them.
//
// Who asks is in the context, see graph.WithScope; a server sets at least
//
//	engine.Options{
//		Cursors:    keys,                   // the same in all its processes
//		Statements: engine.HideStatements,
//		Rates:      engine.Rates{PerPrincipal: engine.Rate{PerSecond: 5, Burst: 20}},
//		Audit:      audit.NewJSONLines(file),
//	}
package engine
