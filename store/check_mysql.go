package store

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// mysql checks the account's grants, as the server writes them down.
func (c *check) mysql() {
	c.missing(c.columnsBy("SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION"), func() []string {
		return c.texts("SELECT CASE WHEN TABLE_SCHEMA = DATABASE() THEN TABLE_NAME ELSE CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) END FROM information_schema.TABLES" +
			" WHERE TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys') ORDER BY 1")
	})
	c.mysqlTexts()
	grants := c.grants()
	if slices.ContainsFunc(grants, func(g grant) bool { return g.object == "*.*" && slices.Contains(g.privileges, "ALL PRIVILEGES") }) {
		c.report(Administers, "the account has all privileges on the server: use one that may only SELECT from the graph's tables")
		c.mysqlSession()
		return
	}
	var writes, administers []string
	files := false
	for _, g := range grants {
		for _, privilege := range g.privileges {
			switch {
			case privilege == "FILE":
				files = true
			case mysqlReads[privilege]:
			case mysqlWrites[privilege]:
				writes = append(writes, privilege+" on "+g.object)
			default:
				administers = append(administers, privilege+" on "+g.object)
			}
		}
	}
	if len(administers) > 0 {
		c.report(Administers, "the account may do more than read and write tables: %s", some(administers))
	}
	if files {
		c.report(Files, "the account may read and write files of the server: revoke FILE")
	}
	if len(writes) > 0 {
		c.report(Writes, "the account may write: %s; grant it nothing but SELECT", some(writes))
	}
	c.mysqlReadsMore(grants)
	if len(writes) > 0 || len(administers) > 0 {
		c.mysqlSession()
	}
}

// mysqlReads are the privileges that a store may have, and mysqlWrites those to
// change data or what keeps it. ALL PRIVILEGES stands here for those on a
// database or table. Routines may do whatever their definer may.
var (
	mysqlReads  = privileges("USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES", "SHOW CREATE ROUTINE")
	mysqlWrites = privileges("ALL PRIVILEGES", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX", "REFERENCES", "TRIGGER", "EVENT",
		"LOCK TABLES", "CREATE VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "EXECUTE", "CREATE TEMPORARY TABLES", "DELETE HISTORY", "DELETE VERSIONING ROWS")
)

func privileges(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// mysqlReadsMore reports the tables that are not the graph's and that the account
// may read. Those of performance_schema are every account's.
func (c *check) mysqlReadsMore(grants []grant) {
	readers := slices.DeleteFunc(slices.Clone(grants), func(g grant) bool {
		return !slices.Contains(g.privileges, "SELECT") && !slices.Contains(g.privileges, "ALL PRIVILEGES")
	})
	if slices.ContainsFunc(readers, func(g grant) bool { return g.object == "*.*" }) {
		c.report(ReadsMore, "the account may read every database of the server: grant it SELECT on the graph's tables only")
		return
	}
	here := append(c.texts("SELECT COALESCE(DATABASE(), '')"), "")[0]
	fold := slices.ContainsFunc(c.texts("SELECT CAST(@@lower_case_table_names AS CHAR)"), func(v string) bool { return v != "0" })
	same := func(a, b string) bool { return a == b || fold && strings.EqualFold(a, b) }
	// The database and the table in one text, apart by a character that no name has.
	list := c.texts("SELECT CONCAT(TABLE_SCHEMA, CHAR(0), TABLE_NAME) FROM information_schema.TABLES" +
		" WHERE TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema') ORDER BY TABLE_SCHEMA, TABLE_NAME")
	var more []string
	for _, both := range list {
		database, name, _ := strings.Cut(both, "\x00")
		own := slices.ContainsFunc(c.tables(), func(t schema.Table) bool {
			return same(name, t.Name) && (same(database, t.Schema) || t.Schema == "" && same(database, here))
		})
		if !own && slices.ContainsFunc(readers, func(g grant) bool { return g.covers(database, name, same) }) {
			more = append(more, database+"."+name)
		}
	}
	if len(more) > 0 {
		c.report(ReadsMore, "the account may read what is not the graph's: %s; grant it SELECT on the graph's tables only", some(more))
	}
}

// mysqlSession tries whether a session of the store may write, with a statement
// that would change nothing.
func (c *check) mysqlSession() {
	tables := c.tables()
	if c.failed != nil || len(tables) == 0 {
		return
	}
	c.later = append(c.later, func() {
		name := quoted(tables[0].Name)
		if tables[0].Schema != "" {
			name = quoted(tables[0].Schema) + "." + name
		}
		c.inSession("DELETE FROM "+name+" WHERE FALSE", func(_ string, err error) {
			if err == nil {
				c.report(NotReadOnly, "sessions of the store are not read-only: the driver or a proxy drops what asks for that")
			}
		})
	})
}

// A grant is what a line of SHOW GRANTS gives.
type grant struct {
	privileges []string
	object     string // as the server quotes it: *.*, `db`.*, `db`.`table`
}

// grants are those of the account and of all its roles, active or not.
func (c *check) grants() []grant {
	var out []grant
	var roles []string
	take := func(lines []string) {
		for _, line := range lines {
			g, of := parseGrant(line)
			if len(g.privileges) > 0 {
				out = append(out, g)
			}
			for _, role := range of {
				if !slices.Contains(roles, role) {
					roles = append(roles, role)
				}
			}
		}
	}
	take(c.texts("SHOW GRANTS"))
	if c.failed != nil {
		return nil
	}
	for i := 0; i < len(roles) && c.failed == nil; i++ {
		lines, err := readTexts(c.ctx, c.conn, "SHOW GRANTS FOR "+roles[i])
		switch {
		case err == nil:
			take(lines)
		case c.ctx.Err() != nil || isConnection(err):
			c.failed = err
		case !c.active(roles[i]): // an active one's are among the account's
			c.report(Unknown, "the account may take on the role %s, whose grants it may not see: take the role from it, or make it a default one", roles[i])
		}
	}
	if lines, err := readTexts(c.ctx, c.conn, "SHOW GRANTS FOR PUBLIC"); err == nil { // where there are such
		take(lines)
	}
	return out
}

func (c *check) active(role string) bool {
	roles, err := readTexts(c.ctx, c.conn, "SELECT CURRENT_ROLE()")
	return err == nil && len(roles) > 0 && strings.Contains(roles[0], role)
}

// parseGrant reads a line of SHOW GRANTS: either the privileges on an object, or
// the roles that it gives.
func parseGrant(line string) (g grant, roles []string) {
	rest, ok := strings.CutPrefix(line, "GRANT ")
	if !ok {
		return g, nil
	}
	what, to, _ := cutOutside(rest, " TO ")
	list, object, on := cutOutside(what, " ON ")
	for list != "" {
		var item string
		item, list, _ = cutOutside(list, ",")
		item = strings.TrimSpace(item)
		if on {
			item, _, _ = cutOutside(item, " (") // of some columns
			g.privileges = append(g.privileges, item)
		} else {
			roles = append(roles, item)
		}
	}
	if on && strings.HasSuffix(to, "WITH GRANT OPTION") {
		g.privileges = append(g.privileges, "GRANT OPTION")
	}
	g.object = object
	return g, roles
}

// cutOutside cuts a text around the first occurrence of sep that is in no quotes
// and in no parentheses.
func cutOutside(s, sep string) (before, after string, found bool) {
	quote, depth := byte(0), 0
	for i := range len(s) {
		switch b := s[i]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case depth == 0 && strings.HasPrefix(s[i:], sep):
			return s[:i], s[i+len(sep):], true
		case b == '`' || b == '\'' || b == '"':
			quote = b
		case b == '(':
			depth++
		case b == ')':
			depth--
		}
	}
	return s, "", false
}

// covers reports whether a grant is about a table.
func (g grant) covers(database, table string, same func(a, b string) bool) bool {
	d, t, ok := cutOutside(g.object, ".")
	if !ok {
		return false
	}
	if t == "*" {
		return d == "*" || matches(unquoted(d), database, same)
	}
	return same(unquoted(d), database) && same(unquoted(t), table)
}

func unquoted(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(name, "`"), "`"), "``", "`")
}

// matches reports whether a name fulfils a pattern of database names: % stands
// for any text, _ for any character, and a backslash before them for themselves.
func matches(pattern, name string, same func(a, b string) bool) bool {
	for pattern != "" {
		switch {
		case pattern[0] == '%':
			for i := range len(name) + 1 {
				if matches(pattern[1:], name[i:], same) {
					return true
				}
			}
			return false
		case name == "":
			return false
		case pattern[0] == '_':
			pattern, name = pattern[1:], name[1:]
		default:
			if pattern[0] == '\\' && len(pattern) > 1 {
				pattern = pattern[1:]
			}
			if !same(pattern[:1], name[:1]) {
				return false
			}
			pattern, name = pattern[1:], name[1:]
		}
	}
	return name == ""
}
