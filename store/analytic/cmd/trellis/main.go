// Command trellis is the command line of Trellis with the databases of this
// module, beside those of the main one:
//
//	trellis call find_nodes '{"node_label": "person"}' --schema schema.yaml --dsn duckdb:graph.duckdb
package main

import (
	"database/sql"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
	"github.com/trellisgraph/trellis/tools/command"
)

func main() {
	command.Main(command.Driver{Scheme: "duckdb", Open: openDuckDB, Dialect: compile.DuckDB()})
}

// openDuckDB opens duckdb:FILE.
func openDuckDB(dsn string, write bool) (*sql.DB, error) {
	file := strings.TrimPrefix(dsn, "duckdb:")
	if write {
		return duckdb.OpenToLoad(file, duckdb.Options{})
	}
	return duckdb.Open(file, duckdb.Options{})
}
