package clickhouse

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// Open opens a database for reading, by a URL whose path names it:
// clickhouse://user:password@host:9000/name with the native protocol, http:// or
// https:// with the other one. With TLS the native protocol is clickhouse://…?secure=true.
// The URL's other parameters are settings of the server.
//
// Every statement runs with readonly = 2, whatever the URL says: it may not write,
// and may not change that. A user to whom the server has given readonly = 1 cannot
// be used, for whom statements could not be given a time. It connects when it is
// first used.
//
// That does not keep a user from table functions such as file and url, which may
// even be written: only rights do. store.CheckConnection looks at them.
func Open(address string) (*sql.DB, error) { return open(address, "2") }

// OpenToLoad opens a database for writing, for package load. Large graphs take
// the native protocol: what a request of the other one holds is bounded.
func OpenToLoad(address string) (*sql.DB, error) { return open(address, "") }

func open(address, readonly string) (*sql.DB, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "clickhouse" && u.Scheme != "http" && u.Scheme != "https" {
		// What could not be read may have a password in it.
		return nil, errors.New("a database of ClickHouse has a URL: clickhouse://, http:// or https://")
	}
	o, err := driver.ParseDSN(address)
	if err != nil {
		return nil, fmt.Errorf("the URL of a database of ClickHouse: %w", err)
	}
	for _, own := range []string{"readonly", "default_format", "query", "session_id"} {
		delete(o.Settings, own)
	}
	if readonly != "" {
		o.Settings["readonly"] = readonly
		if o.Protocol == driver.HTTP { // the native protocol cancels in any case
			o.Settings["cancel_http_readonly_queries_on_client_close"] = "1"
		}
	}
	return sql.OpenDB(connector{driver.Connector(o)}), nil
}
