package command

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/trellisgraph/trellis/store/load"
)

func loadCommand() *command {
	return &command{
		name:    "load",
		args:    "--graph DIR --dsn URL",
		summary: "Write a graph directory into a database",
		help: `
Reads a graph directory, checks every row, and creates and fills the tables that
its schema names, with their keys and indexes. TABLES OF THESE NAMES THAT ARE
THERE ALREADY ARE REPLACED, all at once and at the end: until then readers see
what was there before. Nothing is written if a row is wrong: every bad row is
listed with its file and line. Nor is anything if other tables' foreign keys or
views lead to a table that would be replaced, or if it has row security, policies,
rules or triggers, which would be lost. How far it is is told on standard error.

    trellis load --graph DIR --dsn mysql://user:password@localhost:3306/name
    trellis load --graph DIR --dsn 'postgres://user@localhost:5432/name?sslmode=disable'
    trellis load --graph DIR --dsn sqlite:graph.db

With --role an account of the database may read these tables, and nothing else
if it is made for this. Its password is in an environment variable; an account
that is there keeps its own. PostgreSQL forgets who may read a table when it is
replaced, so give --role each time.

    trellis load --graph DIR --dsn postgres://admin@localhost:5432/name \
        --role reader --role-password-env READER_PASSWORD

Relationships are declared as foreign keys where the database takes them in any
order: on MariaDB, MySQL, PostgreSQL and SQLite. With --no-foreign-keys they are
not, and "introspect --check" then takes --undeclared. What the schema says to be
"unique" becomes a key wherever there are such: on all but ClickHouse. Data that
break it are among the bad rows.

With --keep the tables are there already, made by somebody else with partitions or
over shards (store/SCALING.md): they are emptied and filled, and stay.

Afterwards the same calls work with --schema DIR/schema.yaml and that --dsn.`,
		define: func(flags *flag.FlagSet) action {
			dir := flags.String("graph", "", "the graph `directory`, or a file that snapshot wrote")
			dsn := flags.String("dsn", "", "the database's `URL`: "+databaseKinds)
			role := flags.String("role", "", "the `name` of an account that may read the tables; it is made if it is not there")
			password := flags.String("role-password-env", "", "the environment `variable` with the password of --role, if it is to be made")
			keep := flags.Bool("keep", false, "empty and fill the tables that are there, and make none")
			bare := flags.Bool("no-foreign-keys", false, "declare no relationships as foreign keys, for databases that do not take them")
			return func(ctx context.Context, std streams, args []string) error {
				switch {
				case len(args) > 0:
					return usagef("load takes flags only, not %q", args[0])
				case *dir == "":
					return usagef("what to load? Give --graph DIR")
				case *dsn == "":
					return usagef("where to? Give --dsn URL")
				case *keep && *bare:
					return usagef("--keep makes no tables, and so no foreign keys: leave --no-foreign-keys out")
				}
				reader, err := readerOf(*role, *password)
				if err != nil {
					return err
				}
				return loadGraph(ctx, std, *dir, *dsn, load.Options{Role: reader, Keep: *keep, NoForeignKeys: *bare})
			}
		},
	}
}

// A loadReport is the document that load prints.
type loadReport struct {
	graphReport
	Tables int `json:"tables"`
}

// readerOf is the account that the flags tell of; nil for none.
func readerOf(name, variable string) (*load.Role, error) {
	switch {
	case name == "" && variable == "":
		return nil, nil
	case name == "":
		return nil, usagef("--role-password-env is the password of a --role NAME")
	case variable == "":
		return &load.Role{Name: name}, nil
	}
	password := os.Getenv(variable)
	if password == "" {
		return nil, usagef("the environment variable %s of --role-password-env is empty", variable)
	}
	return &load.Role{Name: name, Password: password}, nil
}

func loadGraph(ctx context.Context, std streams, dir, dsn string, opts load.Options) (err error) {
	db, err := openDatabase(dsn, true, std.drivers) // a mistake in the URL shows before the reading starts
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	how := newProgress(std.err)
	defer how.end()
	g, err := openGraph(ctx, dir, 0, told(how))
	if err != nil {
		return refuseOpening(std, "", err)
	}
	if opts.Role != nil && opts.Role.Password != "" {
		db.secrets = append(db.secrets, opts.Role.Password)
	}
	report := loadReport{graphReport: reportOf(g)}
	opts.Progress = func(p load.Progress) {
		if p.Done {
			report.Tables++
			how.line("%s: %d rows\n", p.Table, p.Rows)
			for _, columns := range p.Unkept {
				how.line("%s: no key keeps %s unique, since there are texts too long for one\n", p.Table, columns)
			}
			return
		}
		how.at(p.Table, int64(p.Rows), int64(p.Total), "rows")
	}
	if err := load.Load(ctx, db.DB, g, opts); err != nil {
		return db.withoutSecrets(err)
	}
	return writeDocument(std.out, report)
}
