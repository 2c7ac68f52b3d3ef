package command

import (
	"database/sql"
	"net/url"
	"strings"

	"github.com/trellisgraph/trellis/compile"
)

// A Driver is a kind of database that a program links beside those of this
// package.
type Driver struct {
	// Scheme is what a --dsn of this kind begins with, before the colon.
	Scheme string
	// Open opens what a --dsn names, for reading, so that its connections can do
	// nothing else, or for writing. Errors do not repeat passwords.
	Open func(dsn string, write bool) (*sql.DB, error)
	// Dialect is the SQL that it speaks.
	Dialect *compile.Dialect
}

// databaseKinds stands in the help for the kinds of databases that the program links.
const databaseKinds = "a database that is linked in"

// linked names the kinds of databases that a program links, as a --dsn begins.
func linked(drivers []Driver) string {
	list := []string{"mysql://…", "postgres://…", "sqlite:FILE"}
	for _, d := range drivers {
		if d.Dialect.InProcess() {
			list = append(list, d.Scheme+":FILE")
		} else {
			list = append(list, d.Scheme+"://…")
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// elsewhere are the kinds of databases that other programs link.
var elsewhere = []string{"duckdb", "clickhouse", "clickhouse+http", "clickhouse+https"}

// openLinked opens a database of one of the drivers. It reports false where the
// --dsn is of no such kind.
func openLinked(dsn string, write bool, drivers []Driver) (*database, bool, error) {
	scheme, _, _ := strings.Cut(dsn, ":")
	for _, d := range drivers {
		if d.Scheme == scheme {
			db, err := d.Open(dsn, write)
			if err != nil {
				return nil, true, usagef("the --dsn does not work: %s", err)
			}
			opened := &database{DB: db, kind: scheme, linked: d.Dialect}
			if u, err := url.Parse(dsn); err == nil {
				opened.secrets = secrets(u)
			}
			return opened, true, nil
		}
	}
	for _, name := range elsewhere {
		if name == scheme {
			return nil, true, usagef("this program links no driver for %s:, which needs more than Go: the program of the module store/analytic does, go run ./cmd/trellis there", scheme)
		}
	}
	return nil, false, nil
}
