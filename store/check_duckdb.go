package store

import (
	"database/sql"

	"github.com/trellisgraph/trellis/compile"
)

// A duckdbProbe is a statement whose rows tell what should not be.
type duckdbProbe struct {
	kind          FindingKind
	message, text string
}

// duckdbProbes read settings and databases: DuckDB has no accounts.
var duckdbProbes = []duckdbProbe{
	{Files, "statements can reach files and the network: turn off %s", `SELECT 'enable_external_access' WHERE current_setting('enable_external_access')`},
	{Files, "statements can load extensions: turn off %s",
		`SELECT name FROM duckdb_settings() WHERE name IN ('autoload_known_extensions', 'autoinstall_known_extensions', 'allow_community_extensions', 'allow_unsigned_extensions') AND value = 'true' ORDER BY 1`},
	{Administers, "statements can change settings: turn on %s", `SELECT 'lock_configuration' WHERE NOT current_setting('lock_configuration')`},
	{Writes, "the connection can write %s: open the file with access_mode=READ_ONLY",
		`SELECT database_name FROM duckdb_databases() WHERE NOT internal AND NOT readonly ORDER BY 1`},
	{ReadsMore, "other databases are attached to the connection: %s",
		`SELECT database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> current_database() ORDER BY 1`},
}

// duckdb checks what sessions of the store may do, and that they are in the
// state that answers rely on.
func (c *check) duckdb() {
	for _, p := range duckdbProbes {
		if found := c.texts(p.text); len(found) > 0 {
			c.report(p.kind, p.message, some(found))
		}
	}
	if c.failed != nil {
		return
	}
	tx, err := c.conn.BeginTx(c.ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil && c.ctx.Err() == nil {
		c.report(Unfit, "the driver begins no read-only transactions: open the file with package store/analytic/duckdb")
		return
	}
	if err == nil {
		err = rolledBack(tx)
	}
	if err != nil {
		c.failed = err
		return
	}
	if _, err := c.conn.ExecContext(c.ctx, compile.DuckDB().SessionSetup(0)); err != nil {
		c.report(Unfit, "answers would be wrong (%s): open the file with package store/analytic/duckdb", err)
		return
	}
	c.later = append(c.later, c.severalStatements)
}
