package store

import (
	"regexp"
	"slices"
	"strings"
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
	for _, grant := range c.unsure("what the user may do", "SHOW GRANTS") {
		parts := clickhouseGrant.FindStringSubmatch(grant)
		if parts == nil {
			c.report(Unknown, "a right of the user is not understood: it is a role, or of another kind than GRANT … ON … TO …")
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

var (
	clickhouseGrant   = regexp.MustCompile(`^GRANT (.+) ON (\S+|\x60.+\x60) TO (.+)$`)
	clickhouseColumns = regexp.MustCompile(`\([^)]*\)`)
	// clickhouseWrites are the first words of rights to change data or tables.
	clickhouseWrites = []string{"INSERT", "ALTER", "CREATE", "DROP", "UNDROP", "TRUNCATE", "OPTIMIZE", "MOVE", "BACKUP"}
)
