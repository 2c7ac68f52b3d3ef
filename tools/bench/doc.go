// Package bench asks the ten questions of package social of several peers in
// one run, and compares what each takes.
//
//	g, _ := social.New(social.Options{})
//	p, _ := social.Pick(g)
//	lite, _ := bench.SQLite(ctx, db, g, p)
//	peers := []*bench.Peer{bench.Native(g, p), lite}
//	report, err := bench.Run(ctx, p.Questions(g.Schema()), peers, bench.Options{})
//	report.Table(os.Stdout)
//
// A peer of Trellis answers whole tool calls: JSON in, JSON out, decoded,
// checked, run and written, without policies and without telling its
// statements. SQLite answers statements written by hand, prepared once, over
// tables and indexes made for these questions; its rows are read through
// database/sql and written as JSON.
//
// Before anything is timed, every peer answers every question, and rows that
// differ end the run. Then the peers take turns, half a millisecond each, so
// that what else the machine does meets them alike. A time is the median of the
// turns.
package bench
