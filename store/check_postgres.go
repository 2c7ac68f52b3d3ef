package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// postgres checks the rights of the user that logged in and of every role that
// it is a member of, whether it inherits them or has to take the role on.
func (c *check) postgres() {
	c.later = append(c.later, func() {
		c.inSession("SELECT current_setting('transaction_read_only')", func(value string, err error) {
			if err != nil || value != "on" {
				c.report(NotReadOnly, "sessions of the store are not read-only: the driver or a proxy drops what asks for that")
			}
		})
	})
	c.missing(c.columnsBy(`SELECT a.attname::text FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND NOT a.attisdropped WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
AND ($1::text IS NULL AND pg_catalog.pg_table_is_visible(c.oid) OR n.nspname = $1::text) AND c.relname = $2::text ORDER BY a.attnum`), func() []string {
		return c.texts(`SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END || c.relname FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1`)
	})
	c.postgresUnreadable()
	c.postgresTexts()
	super := c.unsure("whether the user is a superuser", "SELECT rolname::text FROM pg_catalog.pg_roles WHERE rolsuper AND pg_catalog.pg_has_role(session_user, oid, 'MEMBER') ORDER BY 1")
	if len(super) > 0 {
		c.report(Administers, "the user is a superuser, or a member of one (%s): use one that may only SELECT from the graph's tables", some(super))
		return
	}
	for _, p := range postgresProbes {
		args := make([]any, 0, 1)
		if strings.Contains(p.text, "$1") {
			args = append(args, c.postgresTables())
		}
		if found := c.unsure("whether "+p.whether, postgresRoles+p.text, args...); len(found) > 0 {
			c.report(p.kind, p.message, some(found))
		}
	}
}

// postgresUnreadable reports tables and columns of the graph that are there and that
// the user may not read. It goes by the catalog, for a name in a schema that may not be
// used cannot be asked for.
func (c *check) postgresUnreadable() {
	unreadable := c.columnsBy(`SELECT a.attname::text FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
AND ($1::text IS NULL AND pg_catalog.pg_table_is_visible(c.oid) OR n.nspname = $1::text) AND c.relname = $2::text
AND NOT (pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')) ORDER BY a.attnum`)
	var found []string
	for _, m := range c.mapped() {
		closed, _ := unreadable(m.table)
		var own []string
		for _, name := range m.columns {
			if slices.Contains(closed, name) {
				own = append(own, fmt.Sprintf("%q", name))
			}
		}
		switch {
		case len(own) == len(m.columns) && len(own) > 0:
			found = append(found, fmt.Sprintf("%q", m.table))
		case len(own) > 0:
			found = append(found, fmt.Sprintf("%s of %q", some(own), m.table))
		}
	}
	if len(found) > 0 {
		c.report(Missing, "the user may not read tables that the schema maps: %s; grant it USAGE on their schemas and SELECT on them", some(found))
	}
}

// postgresTables are the graph's tables as to_regclass reads them, a JSON array.
func (c *check) postgresTables() string {
	var out []string
	for _, t := range c.tables() {
		out = append(out, postgresName(t))
	}
	list, err := json.Marshal(out)
	if err != nil {
		c.failed = err // no text fails
	}
	return string(list)
}

// A postgresProbe is a statement that finds what should not be, by name.
type postgresProbe struct {
	kind             FindingKind
	whether, message string
	text             string
}

// postgresRoles begins every probe: the roles that count, and the relations and
// routines that are neither the system's nor an extension's.
const postgresRoles = `WITH role AS (SELECT oid, rolname FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')),
space AS (SELECT oid, nspname FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
relation AS (SELECT c.oid, c.relkind, c.relowner, c.relnamespace, s.nspname || '.' || c.relname AS name FROM pg_catalog.pg_class AS c
  JOIN space AS s ON s.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = c.oid AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype = 'e'))
`

// postgresProbes leave out temporary tables, which everybody may make and which
// are nobody else's.
var postgresProbes = []postgresProbe{
	{Administers, "the user has rights over roles and databases", "the user has rights beyond tables: %s",
		`SELECT DISTINCT unnest(array_remove(ARRAY[CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END, CASE WHEN r.rolcreatedb THEN 'CREATEDB' END,
  CASE WHEN r.rolreplication THEN 'REPLICATION' END, CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END], NULL))::text
FROM pg_catalog.pg_roles AS r JOIN role USING (oid) ORDER BY 1`},
	{Administers, "the user may end other sessions", "the user is a member of %s",
		`SELECT rolname::text FROM role WHERE rolname IN ('pg_signal_backend', 'pg_monitor', 'pg_checkpoint', 'pg_maintain') ORDER BY 1`},
	{Files, "the user may reach files or programs of the server", "the user may reach files, programs or the network of the server: %s",
		`SELECT rolname::text FROM role WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
UNION SELECT p.proname::text FROM pg_catalog.pg_proc AS p WHERE (p.proname ~ '^(pg_read_(binary_)?file|pg_ls_dir|pg_stat_file|lo_import|lo_export)$'
  AND p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace OR p.proname ~ '^dblink')
  AND EXISTS (SELECT FROM role WHERE pg_catalog.has_function_privilege(role.oid, p.oid, 'EXECUTE')) ORDER BY 1`},
	{Writes, "the user may write tables", "the user may write %s; grant it nothing but SELECT",
		`SELECT name FROM relation AS r WHERE EXISTS (SELECT FROM role WHERE role.oid = r.relowner OR CASE WHEN r.relkind = 'S'
  THEN pg_catalog.has_sequence_privilege(role.oid, r.oid, 'USAGE, UPDATE')
  ELSE pg_catalog.has_table_privilege(role.oid, r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR pg_catalog.has_any_column_privilege(role.oid, r.oid, 'INSERT, UPDATE') END)
ORDER BY 1`},
	{Writes, "the user may make tables", "the user may make tables and functions in %s; revoke CREATE, from PUBLIC too",
		`SELECT 'schema ' || s.nspname FROM space AS s WHERE EXISTS (SELECT FROM role WHERE pg_catalog.has_schema_privilege(role.oid, s.oid, 'CREATE'))
UNION SELECT 'database ' || pg_catalog.current_database() FROM role WHERE pg_catalog.has_database_privilege(role.oid, pg_catalog.current_database(), 'CREATE') ORDER BY 1`},
	{Writes, "the user may run functions as somebody else", "the user may run functions with the rights of their owners: %s; revoke EXECUTE, from PUBLIC too",
		`SELECT DISTINCT s.nspname || '.' || p.proname FROM pg_catalog.pg_proc AS p JOIN space AS s ON s.oid = p.pronamespace
WHERE p.prosecdef AND p.proowner NOT IN (SELECT oid FROM role) AND EXISTS (SELECT FROM role WHERE pg_catalog.has_function_privilege(role.oid, p.oid, 'EXECUTE'))
AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = p.oid AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e') ORDER BY 1`},
	{ReadsMore, "the user may read other tables", "the user may read what is not the graph's: %s; grant it SELECT on the graph's tables only",
		`SELECT name FROM relation AS r WHERE r.relkind <> 'S' AND EXISTS (SELECT FROM role WHERE pg_catalog.has_schema_privilege(role.oid, r.relnamespace, 'USAGE')
  AND (pg_catalog.has_table_privilege(role.oid, r.oid, 'SELECT') OR pg_catalog.has_any_column_privilege(role.oid, r.oid, 'SELECT')))
AND NOT EXISTS (SELECT FROM json_array_elements_text($1::json) AS own(name) WHERE pg_catalog.to_regclass(own.name) = r.oid) ORDER BY 1`},
	{ReadsMore, "the user may read large objects or all data", "the user is a member of %s",
		`SELECT rolname::text FROM role WHERE rolname IN ('pg_read_all_data', 'pg_write_all_data') ORDER BY 1`},
}
