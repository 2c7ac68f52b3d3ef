// Package audit keeps one record of each call.
//
//	file, err := os.OpenFile("audit.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
//	…
//	eng := engine.New(catalog, st, engine.Options{Audit: audit.NewJSONLines(file)})
//
// A record says who asked what, under which guards, and what came of it. What
// callers wrote reaches a sink's output only with its control characters
// escaped, so that no call can forge, split or hide a line.
package audit
