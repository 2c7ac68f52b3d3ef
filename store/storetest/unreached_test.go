package storetest_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// unreachable is how long the calls of these tests may take.
const unreachable = time.Second

// unreachedCode makes a call on a database that cannot be had. It ends in time,
// with a code that says so, and tells nothing of where and as whom.
func unreachedCode(t *testing.T, driver, dsn string, d *compile.Dialect) graph.Code {
	t.Helper()
	s, err := schema.Parse("shelf.yaml", []byte(shelfSchema))
	require.NoError(t, err)
	db := open(t, driver, dsn)
	eng := engine.New(schema.NewCatalog(s), store.SQL(db, d), engine.Options{Limits: graph.Limits{Timeout: unreachable}, Log: slog.New(slog.DiscardHandler)})
	start := time.Now()
	_, err = eng.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book"}})
	require.Less(t, time.Since(start), unreachable+250*time.Millisecond)
	var e *graph.Error
	require.ErrorAs(t, err, &e)
	for _, part := range []string{"127.0.0.1", "hunter2", "mallory", "nowhere", "trellis_book", "dial", "password", "certificate"} {
		require.NotContains(t, err.Error(), part)
	}
	require.Zero(t, db.Stats().InUse)
	return e.Code
}

// A database is how to reach one, by another address, as another user, or with
// TLS.
type databaseAt struct {
	driver  string
	dialect *compile.Dialect
	address string
	dsn     func(address, user, password, name string) string
}

// impatient has the server end connections that are idle for a second.
func (d databaseAt) impatient(dsn string) string {
	setting := "wait_timeout=1"
	if d.driver == "pgx" {
		setting = "idle_session_timeout=1000"
	}
	if strings.Contains(dsn, "?") {
		return dsn + "&" + setting
	}
	return dsn + "?" + setting
}

func databasesAt(t *testing.T) map[string]databaseAt {
	all := map[string]databaseAt{}
	if dsn := os.Getenv("TRELLIS_TEST_MARIADB"); dsn != "" {
		config, err := mysql.ParseDSN(dsn)
		require.NoError(t, err)
		all["MariaDB"] = databaseAt{"mysql", compile.MariaDB(), config.Addr, func(address, user, password, name string) string {
			c := config.Clone()
			c.Addr = address
			if user != "" {
				c.User, c.Passwd = user, password
			}
			if name != "" {
				c.DBName = name
			}
			return c.FormatDSN()
		}}
	}
	if dsn := os.Getenv("TRELLIS_TEST_POSTGRES"); dsn != "" {
		at, err := url.Parse(dsn)
		require.NoError(t, err)
		all["PostgreSQL"] = databaseAt{"pgx", compile.Postgres(), at.Host, func(address, user, password, name string) string {
			u := *at
			u.Host = address
			if user != "" {
				u.User = url.UserPassword(user, password)
			}
			if name != "" {
				u.Path = "/" + name
			}
			return u.String()
		}}
	}
	if len(all) == 0 {
		t.Skip("skipped: needs a server in TRELLIS_TEST_MARIADB or TRELLIS_TEST_POSTGRES")
	}
	return all
}

func TestT40DatabaseUnreached(t *testing.T) {
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			t.Run("absent", func(t *testing.T) {
				l := listen(t)
				address := l.Addr().String()
				require.NoError(t, l.Close())
				require.Equal(t, graph.Unavailable, unreachedCode(t, d.driver, d.dsn(address, "", "", ""), d.dialect))
			})
			t.Run("no such user", func(t *testing.T) {
				require.Equal(t, graph.Unavailable, unreachedCode(t, d.driver, d.dsn(d.address, "mallory", "hunter2", ""), d.dialect))
			})
			t.Run("no such database", func(t *testing.T) {
				require.Equal(t, graph.Unavailable, unreachedCode(t, d.driver, d.dsn(d.address, "", "", "nowhere"), d.dialect))
			})
			t.Run("no such table", func(t *testing.T) {
				name := map[string]string{"mysql": "mysql", "pgx": "postgres"}[d.driver]
				require.Equal(t, graph.Internal, unreachedCode(t, d.driver, d.dsn(d.address, "", "", name), d.dialect))
			})
			t.Run("a black hole", func(t *testing.T) {
				at := serve(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
				require.Equal(t, graph.Timeout, unreachedCode(t, d.driver, d.dsn(at, "", "", ""), d.dialect))
			})
			t.Run("another server", func(t *testing.T) {
				at := serve(t, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") })
				require.Equal(t, graph.Unavailable, unreachedCode(t, d.driver, d.dsn(at, "", "", ""), d.dialect))
			})
		})
	}
}

// The connection is cut after so many bytes of what the server says, wherever in
// the greeting, the session's setup, the statement's rows that is.
func TestT40ConnectionCut(t *testing.T) {
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			newShelf(t, open(t, d.driver, d.dsn(d.address, "", "", "")), d.dialect)
			cutEverywhere(t, d, func(address string) string { return d.dsn(address, "", "", "") }, func(c net.Conn) (net.Conn, error) { return c, nil })
		})
	}
}

// The same with TLS between: the cut falls into its records. PostgreSQL's
// clients ask for it with eight bytes of their own.
func TestT40TLSCut(t *testing.T) {
	d, ok := databasesAt(t)["PostgreSQL"]
	if !ok {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	newShelf(t, open(t, d.driver, d.dsn(d.address, "", "", "")), d.dialect)
	config := selfSigned(t)
	dsn := func(address string) string {
		return strings.Replace(d.dsn(address, "", "", ""), "sslmode=disable", "sslmode=require", 1)
	}
	require.Contains(t, dsn(d.address), "sslmode=require")
	cutEverywhere(t, d, dsn, func(c net.Conn) (net.Conn, error) {
		if _, err := io.ReadFull(c, make([]byte, 8)); err != nil {
			return nil, err
		}
		if _, err := c.Write([]byte("S")); err != nil {
			return nil, err
		}
		return tls.Server(c, config), nil
	})
}

// cutEverywhere calls through a proxy that cuts the connection after n bytes,
// for more and more n, until the call is answered.
func cutEverywhere(t *testing.T, d databaseAt, dsn func(address string) string, wrap func(net.Conn) (net.Conn, error)) {
	var left atomic.Int64
	at := serve(t, func(client net.Conn) {
		server, err := net.Dial("tcp", d.address)
		if err != nil {
			return
		}
		defer server.Close()
		outer, err := wrap(&cutConn{Conn: client, left: &left})
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(server, outer)
			_ = server.Close()
		}()
		_, _ = io.Copy(outer, server)
	})
	s, err := schema.Parse("shelf.yaml", []byte(shelfSchema))
	require.NoError(t, err)
	step := int64(7)
	if testing.Short() {
		step = 97
	}
	failed := 0
	for n := int64(0); ; n += step {
		require.Less(t, n, int64(100_000), "the call is never answered")
		left.Store(n)
		db := open(t, d.driver, dsn(at))
		db.SetMaxIdleConns(0)
		eng := engine.New(schema.NewCatalog(s), store.SQL(db, d.dialect), engine.Options{Limits: graph.Limits{Timeout: 30 * time.Second}, Log: slog.New(slog.DiscardHandler)})
		res, err := eng.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book"}})
		require.Zero(t, db.Stats().InUse)
		if err == nil {
			require.Equal(t, 10, res.Returned, "what was answered is whole")
			require.Greater(t, failed, 3)
			return
		}
		var e *graph.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, graph.Unavailable, e.Code, "cut after %d bytes: %v", n, e.Cause)
		failed++
	}
}

// A cutConn ends when it has written as many bytes as are left for all.
type cutConn struct {
	net.Conn
	left *atomic.Int64
}

func (c *cutConn) Write(p []byte) (int, error) {
	rest := c.left.Add(-int64(len(p)))
	if rest >= 0 {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:max(0, int64(len(p))+rest)])
	_ = c.Conn.Close()
	return n, errors.New("cut")
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// serve serves connections until the test ends, and returns its address.
func serve(t *testing.T, each func(net.Conn)) string {
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				each(c)
			}()
		}
	}()
	return l.Addr().String()
}

func selfSigned(t *testing.T) *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}
