// Package mcpserver offers tools over the Model Context Protocol, on standard
// input and output or over HTTP.
//
//	offered := tools.New(eng, tools.Options{})
//	server := mcpserver.New(offered, mcpserver.Options{})
//
//	err := server.Run(ctx, os.Stdin, os.Stdout) // in ctx's scope
//
//	mux := http.NewServeMux()
//	server.Mount(mux, mcpserver.HTTPOptions{Authenticate: scopeOf}) // on /mcp
//
// It speaks the protocol's revisions 2024-11-05, 2025-03-26, 2025-06-18,
// 2025-11-25 and 2026-07-28, and is stateless over HTTP: any process of a host
// answers any request.
//
// Who asks is settled anew at each request: over HTTP by Authenticate, over
// standard input by the scope of Run's context. Tools, resources, prompts and
// completions are made of what that caller may see, so that what is invisible
// is in none of them, and a tool of somebody else does not exist. A call goes
// through tools.Tools.Call, with its rates, limits and record.
//
// The answer of a call is its JSON document as text. A refusal is a tool error
// with the error document, which says what would have been right, and a rate
// limit one that says when to come back: a model reads both and can act on them.
// A tool that does not exist is an error of the protocol.
//
// A call that its client cancels, or whose HTTP connection ends, is canceled in
// the store too. One that has a progress token and takes long tells every
// second that it still runs.
package mcpserver
