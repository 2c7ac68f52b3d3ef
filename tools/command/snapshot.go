package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
)

func snapshotCommand() *command {
	return &command{
		name:    "snapshot",
		args:    "--graph DIR | --schema FILE --dsn URL  --out FILE",
		summary: "Write a graph into one file that opens at once",
		help: `
Reads a graph directory, or all that a schema maps of a database, checks every
row, and writes the graph into one file. The file opens in a fraction of the
time, with --graph FILE wherever a directory may stand.

    trellis snapshot --graph DIR --out graph.trellis
    trellis snapshot --schema schema.yaml --dsn postgres://user@localhost:5432/name --out graph.trellis
    trellis call get_graph_schema '{}' --graph graph.trellis

Of a database it is one state, whoever writes meanwhile, and nothing is written
there; what its account may do beyond reading is told, or refused. If a row is wrong, every bad row is listed, by file and line or by table
and key, and there is no file; one that was there before stays.`,
		define: func(flags *flag.FlagSet) action {
			var s source
			flags.StringVar(&s.graph, "graph", "", "a graph `directory`: schema.yaml, nodes/, relationships/")
			flags.StringVar(&s.schema, "schema", "", "a schema `file` that describes the database of --dsn")
			flags.StringVar(&s.dsn, "dsn", "", "the database's `URL`: "+databaseKinds)
			s.defineReadOnly(flags)
			out := flags.String("out", "", "the `file` to write")
			return func(ctx context.Context, std streams, args []string) error {
				if len(args) > 0 {
					return usagef("snapshot takes flags only, not %q", args[0])
				}
				s.store = "memory"
				if err := s.check(); err != nil {
					return err
				}
				if *out == "" {
					return usagef("where to? Give --out FILE")
				}
				return snapshot(ctx, std, s, *out)
			}
		},
	}
}

// A snapshotReport is the document that snapshot prints.
type snapshotReport struct {
	graphReport
	Bytes int64 `json:"bytes"`
}

func snapshot(ctx context.Context, std streams, s source, out string) error {
	g, err := s.read(ctx, std)
	if err != nil {
		return refuseOpening(std, "", err)
	}
	if err := g.WriteFile(out); err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	return writeDocument(std.out, snapshotReport{reportOf(g), info.Size()})
}

// read brings the whole graph into memory.
func (s *source) read(ctx context.Context, std streams) (_ *memory.Graph, err error) {
	how := newProgress(std.err)
	defer how.end()
	if s.graph != "" {
		return openGraph(ctx, s.graph, 0, told(how))
	}
	sch, err := readSchema(s.schema, 0)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(s.dsn, false, std.drivers)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	dialect, err := db.dialect(ctx)
	if err != nil {
		return nil, db.withoutSecrets(err)
	}
	found, err := store.CheckConnection(ctx, db.DB, dialect, sch)
	if err != nil {
		return nil, db.withoutSecrets(causeOf(err))
	}
	for _, f := range found {
		switch {
		case f.Kind == store.Missing: // nothing would be read
			return nil, db.withoutSecrets(f)
		case s.readOnly && f.Kind != store.Unfit: // is about comparing there; every value that is read is checked
			return nil, db.withoutSecrets(f)
		default:
			fmt.Fprintf(std.err, "trellis: warning: %s\n", f)
		}
	}
	progress := func(p load.Progress) {
		if p.Done {
			how.line("%s: %d rows\n", p.Table, p.Rows)
			return
		}
		how.at(p.Table, int64(p.Rows), int64(p.Total), "rows")
	}
	g, err := load.Read(ctx, db.DB, sch, load.ReadOptions{Progress: progress})
	return g, db.withoutSecrets(err)
}
