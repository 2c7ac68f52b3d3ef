package command

import (
	"context"
	"errors"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools/bench"
)

// engineNames are the engines as their makers write them, by dialect.
var engineNames = map[string]string{
	"mariadb": "MariaDB", "mysql": "MySQL", "postgres": "PostgreSQL", "sqlite": "SQLite", "duckdb": "DuckDB",
}

// runEngines asks the databases of --dsn, which hold the graph already.
func (b *benchmark) runEngines(ctx context.Context, std streams) (err error) {
	n, err := b.open(ctx, std)
	if err != nil {
		return err
	}
	g, p := n.graph, n.parameters
	peers := []*bench.Peer{bench.Native(g)}
	for _, dsn := range b.dsns {
		db, err := openDatabase(dsn, false, std.drivers)
		if err != nil {
			return err
		}
		of, closeStore, err := engineOf(ctx, std, db, g, p)
		if err != nil {
			return errors.Join(db.withoutSecrets(causeOf(err)), db.Close())
		}
		defer func() { err = errors.Join(err, closeStore(), db.Close()) }()
		peers = append(peers, of...)
	}
	report, err := n.ask(ctx, std, peers, bench.Options{Time: b.time})
	if err != nil {
		return err
	}
	plans := report.Plans()
	switch b.format {
	case "json":
		return plans.JSON(std.out)
	case "markdown":
		return plans.Markdown(std.out)
	}
	return plans.Table(std.out)
}

// engineOf returns the peers of a database.
func engineOf(ctx context.Context, std streams, db *database, g *memory.Graph, p social.Parameters) ([]*bench.Peer, func() error, error) {
	d, err := db.dialect(ctx)
	if err != nil {
		return nil, nil, err
	}
	st, err := (&source{direct: true}).checked(ctx, std, db, d, g.Schema(), false)
	if err != nil {
		return nil, nil, err
	}
	peers, err := bench.Engine(ctx, engineName(d), db.DB, d, st, g.Schema(), p)
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return peers, st.Close, nil
}

func engineName(d *compile.Dialect) string {
	if name, ok := engineNames[d.Name()]; ok {
		return name
	}
	return d.Name()
}
