package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// clickhouse checks whether sessions are read-only, and what the user may do.
// Table functions are no writing: only rights keep a user from files and from the
// network.
func (c *check) clickhouse() {
	for _, readonly := range c.texts("SELECT toString(getSetting('readonly'))") {
		switch readonly {
		case "0":
			c.report(NotReadOnly, "statements are not read-only: open the database with the setting readonly = 2")
		case "1":
			c.report(Unfit, "the user has the setting readonly = 1, with which statements cannot be given a time: let it have 2")
		}
	}
	c.clickhouseJoins()
	own := map[string]bool{}
	for _, database := range c.texts("SELECT currentDatabase()") {
		for _, t := range c.tables() {
			if t.Schema == "" {
				t.Schema = database
			}
			own[t.Schema+"."+t.Name] = true
		}
	}
	var writes, reads, administers, files []string
	for _, grant := range c.clickhouseGrants() {
		parts := clickhouseGrant.FindStringSubmatch(grant)
		if parts == nil {
			c.report(Unknown, "a right of the user is not understood: it is a role of a server that does not tell what roles may, or of another kind than GRANT … ON … TO …")
			continue
		}
		on := strings.ReplaceAll(parts[2], "`", "")
		if strings.Contains(parts[3], "WITH GRANT OPTION") {
			administers = append(administers, "GRANT OPTION ON "+on)
		}
		for _, right := range strings.Split(clickhouseColumns.ReplaceAllString(parts[1], ""), ", ") {
			what := right + " ON " + on
			switch {
			case right == "SELECT" && own[on] || strings.HasPrefix(right, "SHOW") || right == "CHECK":
			case right == "SELECT" || right == "dictGet":
				reads = append(reads, what)
			case slices.Contains(clickhouseWrites, strings.Fields(right)[0]):
				writes = append(writes, what)
			case strings.HasPrefix(right, "SYSTEM") || strings.HasPrefix(right, "KILL") || strings.Contains(right, "ADMIN") || strings.Contains(right, "ACCESS") ||
				strings.Contains(right, "USER") || strings.Contains(right, "ROLE") || strings.Contains(right, "POLICY") || right == "SET DEFINER" || right == "ALL":
				administers = append(administers, what)
			default: // the sources of table functions are many, and there are new ones
				files = append(files, what)
			}
		}
	}
	for _, f := range []struct {
		kind FindingKind
		what string
		list []string
	}{{Writes, "may write", writes}, {ReadsMore, "may read what is not the graph's", reads}, {Administers, "may administer", administers},
		{Files, "may reach files, the network or the server's insides", files}} {
		if len(f.list) > 0 {
			c.report(f.kind, "the user %s: %s; grant it nothing but SELECT on the graph's tables", f.what, some(f.list))
		}
	}
}

// clickhouseJoins reports columns that cannot be compared with the keys that they
// hold: no type has a UInt64 and numbers below zero.
func (c *check) clickhouseJoins() {
	types := map[string]string{}
	for _, row := range c.texts("SELECT concat(database = currentDatabase() ? '' : concat(database, '.'), table, '\\0', name, '\\0', type) FROM system.columns WHERE position(type, 'Int') > 0") {
		if part := strings.Split(row, "\x00"); len(part) == 3 {
			types[part[0]+"\x00"+part[1]] = part[2]
		}
	}
	of := func(t schema.Table, column string) string { return types[t.String()+"\x00"+column] }
	wide := func(t string) bool { return strings.Contains(t, "UInt64") }
	var found []string
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			for _, end := range []struct {
				to      *schema.Label
				columns []string
			}{{p.From, p.FromColumns}, {p.To, p.ToColumns}} {
				for i, key := range end.to.Key {
					a, b := of(p.Table, end.columns[i]), of(end.to.Table, key.Column)
					what := fmt.Sprintf("%q of table %q (%s) and %q of table %q (%s)", end.columns[i], p.Table, a, key.Column, end.to.Table, b)
					if (wide(a) && clickhouseSigned.MatchString(b) || wide(b) && clickhouseSigned.MatchString(a)) && !slices.Contains(found, what) {
						found = append(found, what)
					}
				}
			}
		}
	}
	if len(found) > 0 {
		c.report(Unfit, "columns of a relationship cannot be joined, as one is a UInt64 and the other has a sign: %s; map a view that casts one of them", some(found))
	}
}

// clickhouseSigned finds the integers that have a sign, in whatever they are in.
var clickhouseSigned = regexp.MustCompile(`(^|\()Int[0-9]+\)*$`)

// clickhouseGrants are the user's rights and, where the server can tell, those of
// all roles that it has, of which each may have others.
func (c *check) clickhouseGrants() []string {
	if c.failed != nil {
		return nil
	}
	whole, err := readTexts(c.ctx, c.conn, "SHOW GRANTS FINAL")
	if err != nil { // servers that do not know it, too
		return c.unsure("what the user may do", "SHOW GRANTS")
	}
	return slices.DeleteFunc(whole, clickhouseRoles.MatchString)
}

var (
	// clickhouseRoles is the right to be somebody, whose rights are there as well.
	clickhouseRoles   = regexp.MustCompile("^GRANT (?:[^ `]+|`(?:[^`\\\\]|\\\\.|``)*`)(?:, ?(?:[^ `]+|`(?:[^`\\\\]|\\\\.|``)*`))* TO .+$")
	clickhouseGrant   = regexp.MustCompile(`^GRANT (.+) ON (\S+|\x60.+\x60) TO (.+)$`)
	clickhouseColumns = regexp.MustCompile(`\([^)]*\)`)
	// clickhouseWrites are the first words of rights to change data or tables.
	clickhouseWrites = []string{"INSERT", "ALTER", "CREATE", "DROP", "UNDROP", "TRUNCATE", "OPTIMIZE", "MOVE", "BACKUP"}
)
