package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	engine "github.com/duckdb/duckdb-go/v2"
)

// Options are what a database may use of the machine. The zero value is fine.
type Options struct {
	// Threads is how many threads all statements together may use; 0 is one for
	// each processor.
	Threads int
	// Memory is how many bytes the engine may hold; 0 is four fifths of the
	// machine's.
	Memory int64
}

// Open opens a file for reading. It must be there and is not written, nor is any
// other: what needs more memory than it may use fails. Statements can be nothing
// but SELECT and EXPLAIN, one in a text; they reach no other file, no network
// and no extension, and no statement can change that, or any other setting. Times
// are in UTC.
func Open(file string, o Options) (*sql.DB, error) {
	return open(file, o, true)
}

// OpenToLoad opens a file for loading, which is made where it is not there.
// While it is open nobody else can open it, in this process or another. Its
// statements reach no extension, and files only through ATTACH, COPY and the like,
// which Trellis does not write.
func OpenToLoad(file string, o Options) (*sql.DB, error) {
	return open(file, o, false)
}

func open(file string, o Options, read bool) (*sql.DB, error) {
	if file == "" || strings.HasPrefix(file, ":") || strings.ContainsAny(file, "?#\x00") {
		return nil, errors.New("duckdb: a database is a file, and its name has neither ? nor #")
	}
	path, err := filepath.Abs(file) // which cannot be the URL of a service
	if err != nil {
		return nil, fmt.Errorf("duckdb: %w", err)
	}
	config := url.Values{"access_mode": {"READ_WRITE"}}
	if read {
		config.Set("access_mode", "READ_ONLY")
	}
	for _, off := range []string{"autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions", "allow_unsigned_extensions"} {
		config.Set(off, "false")
	}
	if o.Threads > 0 {
		config.Set("threads", strconv.Itoa(o.Threads))
	}
	if o.Memory > 0 {
		config.Set("memory_limit", strconv.FormatInt(o.Memory, 10)+"B")
	}
	inner, err := engine.NewConnector(path+"?"+config.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("duckdb: %w", err)
	}
	if err := settle(inner, read); err != nil {
		return nil, errors.Join(fmt.Errorf("duckdb: %w", err), inner.Close())
	}
	return sql.OpenDB(&connector{inner: inner, read: read}), nil
}

// closing are the settings of a database for reading, in this order: the last
// has them last.
var closing = []string{"SET temp_directory = ''", "SET GLOBAL enable_external_access = false", "SET lock_configuration = true"}

// settle makes the settings that all connections share. Another handle of the
// same file has made them already, and then they are locked.
func settle(c driver.Connector, read bool) (err error) {
	ctx := context.Background()
	opened, err := c.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	conn, ok := opened.(*engine.Conn)
	if !ok {
		return errors.New("the driver has another kind of connections")
	}
	settings := []string{"SET GLOBAL TimeZone = 'UTC'", "SET GLOBAL disabled_optimizers = 'common_subplan'"}
	if read {
		locked, err := conn.QueryContext(ctx, "SELECT current_setting('lock_configuration')", nil)
		if err != nil {
			return err
		}
		value := make([]driver.Value, 1)
		err = locked.Next(value)
		if err = errors.Join(err, locked.Close()); err != nil || value[0] == true {
			return err
		}
		settings = append(settings, closing...)
	}
	for _, text := range settings {
		if _, err := conn.ExecContext(ctx, text, nil); err != nil {
			return err
		}
	}
	return nil
}
