package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseGrant(t *testing.T) {
	for line, want := range map[string]grant{
		"GRANT ALL PRIVILEGES ON *.* TO `root`@`127.0.0.1` WITH GRANT OPTION":                               {[]string{"ALL PRIVILEGES", "GRANT OPTION"}, "*.*"},
		"GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*B69027D4'":                                  {[]string{"USAGE"}, "*.*"},
		"GRANT SELECT, SELECT (`id`, `a b`), INSERT (`id`) ON `d`.`a` TO `u`@`%`":                           {[]string{"SELECT", "SELECT", "INSERT"}, "`d`.`a`"},
		"GRANT CREATE TEMPORARY TABLES, SHOW VIEW ON `d\\_1`.* TO `u`@`%`":                                  {[]string{"CREATE TEMPORARY TABLES", "SHOW VIEW"}, "`d\\_1`.*"},
		"GRANT SELECT ON `x ON y`.`a TO b` TO `GRANT x ON y TO z`@`%`":                                      {[]string{"SELECT"}, "`x ON y`.`a TO b`"},
		"GRANT EXECUTE ON PROCEDURE `d`.`p` TO `u`@`%`":                                                     {[]string{"EXECUTE"}, "PROCEDURE `d`.`p`"},
		"GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION":                                     {[]string{"PROXY", "GRANT OPTION"}, "''@'%'"},
		"SET DEFAULT ROLE `r` FOR `u`@`%`":                                                                  {},
		"REVOKE SELECT ON `d`.* FROM `u`@`%`":                                                               {},
		"GRANT APPLICATION_PASSWORD_ADMIN,AUDIT_ADMIN ON *.* TO `u`@`localhost` WITH GRANT OPTION":          {[]string{"APPLICATION_PASSWORD_ADMIN", "AUDIT_ADMIN", "GRANT OPTION"}, "*.*"},
		"GRANT SELECT ON `d`.`it``s ``(` TO `u`@`%` REQUIRE SUBJECT 'WITH GRANT OPTION of ON and TO, etc.'": {[]string{"SELECT"}, "`d`.`it``s ``(`"},
	} {
		g, roles := parseGrant(line)
		require.Equal(t, want, g, line)
		require.Empty(t, roles, line)
	}
	for line, want := range map[string][]string{
		"GRANT `r` TO `u`@`%`":                        {"`r`"},
		"GRANT `a`@`%`,`b, c`@`%` TO `u`@`localhost`": {"`a`@`%`", "`b, c`@`%`"},
		"GRANT r TO `u`@`%` WITH ADMIN OPTION":        {"r"},
	} {
		g, roles := parseGrant(line)
		require.Empty(t, g, line)
		require.Equal(t, want, roles, line)
	}
}

func TestGrantCovers(t *testing.T) {
	same := func(a, b string) bool { return a == b }
	for _, c := range []struct {
		object, database, table string
		want                    bool
	}{
		{"*.*", "d", "t", true}, {"`d`.*", "d", "t", true}, {"`d`.*", "e", "t", false}, {"`d`.`t`", "d", "t", true}, {"`d`.`t`", "d", "u", false},
		{"`a_c`.*", "abc", "t", true}, {"`a\\_c`.*", "abc", "t", false}, {"`a\\_c`.*", "a_c", "t", true}, {"`a%`.*", "a", "t", true},
		{"`%z`.*", "xyz", "t", true}, {"`%z`.*", "xyzw", "t", false}, {"`d.e`.`t`", "d.e", "t", true}, {"`a``b`.*", "a`b", "t", true},
		{"PROCEDURE `d`.`p`", "d", "p", false}, {"''@'%'", "d", "t", false},
	} {
		require.Equal(t, c.want, grant{object: c.object}.covers(c.database, c.table, same), "%s of %s.%s", c.object, c.database, c.table)
	}
}
