package duckdb

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	engine "github.com/duckdb/duckdb-go/v2"
)

// Options are what a database may use of the machine.
type Options struct {
	// Threads is how many threads all statements together may use; 0 is one for
	// each processor.
	Threads int
	// Memory is how many bytes the engine may hold; 0 is four fifths of the
	// machine's.
	Memory int64
}

// Open opens a file for reading: it must be there, and is not written. Its
// statements reach no other file, no network and no extension.
func Open(file string, o Options) (*sql.DB, error) {
	return open(file, o, url.Values{"access_mode": {"READ_ONLY"}, "enable_external_access": {"false"}})
}

// OpenToLoad opens a file for writing, which is made where it is not there.
// While it is open nobody else can open it.
func OpenToLoad(file string, o Options) (*sql.DB, error) {
	return open(file, o, url.Values{"access_mode": {"READ_WRITE"}})
}

func open(file string, o Options, config url.Values) (*sql.DB, error) {
	if file == "" || strings.HasPrefix(file, ":") || strings.ContainsAny(file, "?#\x00") {
		return nil, errors.New("a database of DuckDB is a file whose name has neither ? nor #")
	}
	// An absolute name is no URL of a service.
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
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
	connector, err := engine.NewConnector(path+"?"+config.Encode(), func(driver.ExecerContext) error { return nil })
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
