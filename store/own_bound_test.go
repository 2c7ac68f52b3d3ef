package store_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store"
)

// setups is a driver whose connections have no rows, and which keeps for how many
// seconds they were set up.
type setups struct{ bounds []string }

func (d *setups) Connect(context.Context) (driver.Conn, error) { return &setupConn{d}, nil }
func (d *setups) Driver() driver.Driver                        { return nil }

type setupConn struct{ d *setups }

var bound = regexp.MustCompile(`'statement_timeout', '(\d+)s'`)

func (c *setupConn) ExecContext(_ context.Context, text string, _ []driver.NamedValue) (driver.Result, error) {
	c.d.bounds = append(c.d.bounds, bound.FindStringSubmatch(text)[1])
	return driver.ResultNoRows, nil
}

func (c *setupConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return noRows{}, nil
}

func (c *setupConn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (c *setupConn) Begin() (driver.Tx, error)           { return nil, driver.ErrSkip }
func (c *setupConn) Close() error                        { return nil }

type noRows struct{}

func (noRows) Columns() []string         { return nil }
func (noRows) Close() error              { return nil }
func (noRows) Next([]driver.Value) error { return io.EOF }

// A connection is not set up for each call where calls have different deadlines: one
// that has less time keeps the bound of one that had more, for a minute.
func TestOwnKeepsBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &setups{}
		db := sql.OpenDB(d)
		db.SetMaxOpenConns(1)
		st := store.Own(db, compile.Postgres())
		long, short := ownEngine(t, st, 30*time.Second), ownEngine(t, st, time.Second)
		ask := func(times int) {
			for range times {
				for _, eng := range []*engine.Engine{short, long} {
					_, err := eng.Run(context.Background(), find("cup"))
					require.NoError(t, err)
				}
			}
		}
		ask(20)
		require.Equal(t, []string{"4", "32"}, d.bounds)
		time.Sleep(time.Minute)
		ask(20)
		require.Equal(t, []string{"4", "32", "4", "32"}, d.bounds, "the bound of long ago is not kept")
		require.NoError(t, st.Close())
		require.NoError(t, db.Close())
	})
}
