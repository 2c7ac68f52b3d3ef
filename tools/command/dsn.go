package command

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/trellisgraph/trellis/compile"
)

// The kinds of databases that a DSN URL can name.
const (
	kindMySQL    = "mysql"
	kindPostgres = "postgres"
	kindSQLite   = "sqlite"
)

// A database is an open database/sql handle and the kind of server behind it.
type database struct {
	*sql.DB
	kind    string
	secrets []string // what no message may show
	linked  *compile.Dialect
}

// openDatabase opens the database that a URL names. It does not connect yet; a
// file is opened for reading, unless it is to be written. Messages never repeat
// the URL, which may hold a password.
func openDatabase(dsn string, write bool, drivers []Driver) (*database, error) {
	if db, known, err := openLinked(dsn, write, drivers); known {
		return db, err
	}
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		db, err := openSQLite(file, write)
		return &database{DB: db, kind: kindSQLite}, err
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, usagef("the --dsn is not a URL; write mysql://user:password@host:3306/name or postgres://user:password@host:5432/name, with %%XX for special characters in the password")
	}
	db := &database{secrets: secrets(u)}
	switch u.Scheme {
	case "mysql", "mariadb":
		db.kind = kindMySQL
		db.DB, err = openMySQL(u)
	case "postgres", "postgresql":
		db.kind = kindPostgres
		db.DB, err = openPostgres(dsn)
	default:
		also := ""
		if len(drivers) > 0 {
			also = "; this program takes " + linked(drivers)
		}
		return nil, usagef("a --dsn starts with mysql://, postgres:// or sqlite:%s", also)
	}
	return db, err
}

// openMySQL maps the URL's parts to the driver's configuration one by one: no
// text of the URL is pasted into a DSN, and no option comes through that would
// weaken the connection, such as several statements in one text.
func openMySQL(u *url.URL) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.DBName = strings.TrimPrefix(u.Path, "/")
	c.Net, c.Addr = "tcp", net.JoinHostPort(hostOr(u, "127.0.0.1"), portOr(u, "3306"))
	c.Timeout = 10 * time.Second
	if c.DBName == "" || strings.Contains(c.DBName, "/") {
		return nil, usagef("the --dsn names no database: mysql://user@host/NAME")
	}
	for name, values := range u.Query() {
		value := values[len(values)-1]
		switch name {
		case "socket":
			c.Net, c.Addr = "unix", path.Clean(value)
		case "tls":
			c.TLSConfig = value
		case "timeout":
			d, err := time.ParseDuration(value)
			if err != nil || d <= 0 {
				return nil, usagef("timeout in the --dsn is not a duration such as 5s")
			}
			c.Timeout = d
		default:
			return nil, usagef("the --dsn has an unknown option %q; a mysql:// URL takes socket, tls and timeout", name)
		}
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, usagef("the --dsn does not work: %s", redact(err.Error(), secrets(u)))
	}
	return sql.OpenDB(connector), nil
}

// openPostgres leaves the URL to the driver, which knows all of libpq's options.
func openPostgres(dsn string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		// The driver's message repeats the URL in part.
		return nil, usagef("the --dsn does not work: write postgres://user:password@host:5432/name, with options such as ?sslmode=require")
	}
	if config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		return nil, usagef("default_query_exec_mode in the --dsn must not be simple_protocol: it takes several statements in one text")
	}
	return stdlib.OpenDB(*config), nil
}

// dialect returns the SQL that the server speaks. It asks a MySQL server
// whether it is a MariaDB.
func (db *database) dialect(ctx context.Context) (*compile.Dialect, error) {
	if db.linked != nil {
		return db.linked, nil
	}
	switch db.kind {
	case kindPostgres:
		return compile.Postgres(), nil
	case kindSQLite:
		return compile.SQLite(), nil
	}
	var version string
	if err := db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version); err != nil {
		return nil, err
	}
	if strings.Contains(version, "MariaDB") {
		return compile.MariaDB(), nil
	}
	return compile.MySQL(), nil
}

// withoutSecrets returns err as a message that shows no password.
func (db *database) withoutSecrets(err error) error {
	if err == nil || errors.Is(err, errRefused) {
		return err
	}
	return errors.New(redact(err.Error(), db.secrets))
}

// secrets returns the passwords that stand in a URL or in the environment, as
// they are and as a URL shows them.
func secrets(u *url.URL) []string {
	var list []string
	add := func(s string) {
		if s != "" {
			list = append(list, s, url.QueryEscape(s), url.PathEscape(s))
		}
	}
	password, _ := u.User.Password()
	add(password)
	for name, values := range u.Query() {
		if strings.Contains(strings.ToLower(name), "password") {
			for _, v := range values {
				add(v)
			}
		}
	}
	add(os.Getenv("PGPASSWORD"))
	return list
}

func redact(message string, secrets []string) string {
	for _, s := range secrets {
		message = strings.ReplaceAll(message, s, "xxxxx")
	}
	return message
}

func hostOr(u *url.URL, other string) string {
	if h := u.Hostname(); h != "" {
		return h
	}
	return other
}

func portOr(u *url.URL, other string) string {
	if p := u.Port(); p != "" {
		return p
	}
	return other
}
