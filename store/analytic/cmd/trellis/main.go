// Command trellis is the command line of Trellis with the databases of this
// module, beside those of the main one:
//
//	trellis call find_nodes '{"node_label": "person"}' --schema schema.yaml --dsn duckdb:graph.duckdb
//	trellis call find_nodes '{"node_label": "person"}' --schema schema.yaml --dsn clickhouse://reader:secret@host:9000/graph
//
// clickhouse:// is the native protocol of ClickHouse; clickhouse+http:// and
// clickhouse+https:// are the other one.
package main

import (
	"database/sql"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store/analytic/clickhouse"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
	"github.com/trellisgraph/trellis/tools/command"
)

func main() {
	drivers := []command.Driver{{Scheme: "duckdb", Open: openDuckDB, Dialect: compile.DuckDB()}}
	for _, scheme := range []string{"clickhouse", "clickhouse+http", "clickhouse+https"} {
		drivers = append(drivers, command.Driver{Scheme: scheme, Open: openClickHouse, Dialect: compile.ClickHouse()})
	}
	command.Main(drivers...)
}

// openDuckDB opens duckdb:FILE.
func openDuckDB(dsn string, write bool) (*sql.DB, error) {
	file := strings.TrimPrefix(dsn, "duckdb:")
	if write {
		return duckdb.OpenToLoad(file, duckdb.Options{})
	}
	return duckdb.Open(file, duckdb.Options{})
}

// openClickHouse opens clickhouse://user:password@host:port/name.
func openClickHouse(dsn string, write bool) (*sql.DB, error) {
	address := strings.TrimPrefix(dsn, "clickhouse+")
	if write {
		return clickhouse.OpenToLoad(address)
	}
	return clickhouse.Open(address)
}
