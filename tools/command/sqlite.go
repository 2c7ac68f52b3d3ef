package command

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"

	"github.com/trellisgraph/trellis/graph"
)

// openSQLite opens a file. For reading, the file must be there, and its
// connections can do nothing else: the file is opened read-only, and an
// authorizer refuses every statement that is not a SELECT of the file.
func openSQLite(file string, write bool) (*sql.DB, error) {
	if file == "" || strings.HasPrefix(file, ":") {
		return nil, usagef("the --dsn names no file: sqlite:FILE")
	}
	if strings.ContainsRune(file, 0) {
		return nil, usagef("the --dsn names no file: there is a NUL in it")
	}
	// A name may hold what means something in a URI.
	path := (&url.URL{Path: filepath.ToSlash(filepath.Clean(file))}).EscapedPath()
	mode := "ro&_query_only=1"
	if write {
		mode = "rwc"
	} else if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s", file)
	}
	connector, err := sqlite.NewConnector("file:" + path + "?_busy_timeout=5000&_defensive=1&_dqs=0&mode=" + mode)
	if err != nil {
		return nil, usagef("the --dsn does not work: %s", err)
	}
	if !write {
		connector = readingConnector{connector}
	}
	return sql.OpenDB(connector), nil
}

// A readingConnector opens connections that may only read.
type readingConnector struct{ driver.Connector }

func (c readingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	guarded, ok := conn.(sqlite.AuthorizerRegisterer)
	if !ok {
		return nil, errors.Join(errors.New("the driver of SQLite cannot keep a connection from writing"), conn.Close())
	}
	if err := guarded.RegisterAuthorizer(mayRead); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// outward are the functions of SQLite that reach beyond the file, in builds
// that have them.
var outward = map[string]bool{
	"load_extension": true, "readfile": true, "writefile": true, "edit": true, "fts3_tokenizer": true, "sqlar_compress": true, "lsdir": true, "fsdir": true,
}

// mayRead allows what the statements of a store do.
func mayRead(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthTransaction, sqlite.AuthRecursive:
		return sqlite.AuthorizerOK
	case sqlite.AuthFunction:
		if !outward[strings.ToLower(arg2)] {
			return sqlite.AuthorizerOK
		}
	case sqlite.AuthPragma:
		switch arg1 {
		case "query_only":
			if arg2 == "" || arg2 == "1" {
				return sqlite.AuthorizerOK
			}
		case "database_list", "encoding", "table_list":
			if arg2 == "" {
				return sqlite.AuthorizerOK
			}
		case "table_info", "table_xinfo", "index_list", "index_info", "foreign_key_list", "foreign_key_check": // what introspect reads
			return sqlite.AuthorizerOK
		}
	}
	return sqlite.AuthorizerDeny
}

// causeOf is what the store knows of its own failure: this command is its host.
func causeOf(err error) error {
	var e *graph.Error
	if errors.As(err, &e) && e.Cause != nil {
		return e.Cause
	}
	return err
}
