// Package httpapi offers tools over HTTP, to programs that speak JSON.
//
//	metrics := httpapi.NewMetrics()
//	eng := engine.New(catalog, st, engine.Options{Statements: engine.HideStatements, Observer: metrics})
//	api := httpapi.New(tools.New(eng, tools.Options{}), httpapi.Options{
//		Authenticate: tokens.Bearer(file.Verify), Metrics: metrics,
//	})
//	api.Mount(mux)
//
//	GET  /tools          the caller's tools, with the JSON Schemas of their arguments
//	POST /tools/{name}   a call: the body is the tool's arguments, the answer its document
//	GET  /schema         what get_graph_schema tells with everything expanded
//	GET  /openapi.json   all this as OpenAPI 3.1, made of the caller's tools
//	GET  /llms.txt       a guide for language models: what the caller may ask, and how
//	GET  /metrics        counts and times of calls, for Prometheus
//	GET  /healthz        200 while the process lives; for everybody
//	GET  /readyz         200 while the host says that it can answer; for everybody
//
// A call may be answered in another form, which the header Accept or the query
// ?format= names: those of package format. A refusal is always JSON: a problem
// (RFC 9457) with the members of the error document, under the status that goes
// with the code of its first error.
//
// Who calls is what Authenticate tells of a request. Nothing else of a request
// is part of the scope. What the caller may not see is in no tool, no schema and
// no problem.
//
// Answers are compressed with gzip for who takes it, kept by no cache, and lists
// and schemas carry an ETag, which changes with the revision of the caller's
// schema. A body has ten seconds to come and an answer half a minute to be taken.
// A call whose client goes away is canceled in the store. Web pages of other
// origins get nothing, unless Origins lists theirs.
package httpapi
