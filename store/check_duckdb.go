package store

import (
	"database/sql"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
)

// A duckdbProbe is a statement whose rows tell what should not be.
type duckdbProbe struct {
	kind          FindingKind
	message, text string
}

// duckdbProbes read settings and databases: DuckDB has no accounts.
var duckdbProbes = []duckdbProbe{
	{Files, "statements can reach files and the network: turn off %s", `SELECT 'enable_external_access' WHERE current_setting('enable_external_access')`},
	{Files, "statements can reach files although external access is off: take these out of allowed_directories and allowed_paths: %s", duckdbAllowed},
	{Files, "statements can load extensions: turn off %s",
		`SELECT name FROM duckdb_settings() WHERE name IN ('autoload_known_extensions', 'autoinstall_known_extensions', 'allow_community_extensions', 'allow_unsigned_extensions') AND value = 'true' ORDER BY 1`},
	{Administers, "statements can change settings: turn on %s", `SELECT 'lock_configuration' WHERE NOT current_setting('lock_configuration')`},
	{Writes, "the connection can write %s: open the file with access_mode=READ_ONLY",
		`SELECT database_name FROM duckdb_databases() WHERE NOT internal AND NOT readonly ORDER BY 1`},
	{ReadsMore, "other databases are attached to the connection: %s",
		`SELECT database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> current_database() ORDER BY 1`},
}

// duckdbAllowed are what stays open when external access is off: all but the file
// of the database itself, and what the engine writes beside it. Where external
// access is on, that is found already.
const duckdbAllowed = `SELECT DISTINCT p FROM (SELECT unnest(current_setting('allowed_directories')) AS p UNION ALL SELECT unnest(current_setting('allowed_paths')))
WHERE NOT current_setting('enable_external_access') AND NOT EXISTS (SELECT 1 FROM duckdb_databases() AS d
WHERE NOT d.internal AND p IN (d.path, d.path || '.wal', d.path || '.wal.recovery', d.path || '.wal.checkpoint', d.path || '.tmp/')) ORDER BY 1`

// duckdbColumns are the columns of a table, as a statement finds it.
func (c *check) duckdbColumns(t schema.Table) ([]string, bool) {
	quote := func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
	name := quote(t.Name)
	if t.Schema != "" {
		name = quote(t.Schema) + "." + name
	}
	rows, err := c.conn.QueryContext(c.ctx, "SELECT * FROM "+name+" LIMIT 0")
	if err == nil {
		defer rows.Close()
		var columns []string
		if columns, err = rows.Columns(); err == nil {
			return append(columns, "rowid"), true
		}
	}
	if c.ctx.Err() != nil || isConnection(err) {
		c.failed = err
	}
	return nil, false
}

// duckdb checks what sessions of the store may do, and that they are in the
// state that answers rely on.
func (c *check) duckdb() {
	for _, p := range duckdbProbes {
		if found := c.texts(p.text); len(found) > 0 {
			c.report(p.kind, p.message, some(found))
		}
	}
	c.missing(c.duckdbColumns, func() []string {
		return c.texts("SELECT table_name FROM duckdb_tables() WHERE NOT internal UNION SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1")
	})
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
