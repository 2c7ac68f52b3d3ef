package clickhouse

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"
)

// A connector opens connections that hand the driver a text and the server's
// parameters, and never the arguments that it would put into the text.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	own, ok := inner.(driverConn)
	if !ok {
		_ = inner.Close()
		return nil, errors.New("clickhouse: the driver's connections are of another kind than expected")
	}
	return &conn{own}, nil
}

// driverConn is what the driver's connections do.
type driverConn interface {
	driver.Conn
	driver.QueryerContext
	driver.ExecerContext
	driver.Pinger
	driver.SessionResetter
}

type conn struct{ inner driverConn }

var errUnknownHere = errors.New("clickhouse: there are neither transactions nor prepared statements")

func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errUnknownHere }

func (c *conn) Begin() (driver.Tx, error) { return nil, errUnknownHere }

func (c *conn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, errUnknownHere
}

func (c *conn) Close() error { return c.inner.Close() }

func (c *conn) Ping(ctx context.Context) error { return c.inner.Ping(ctx) }

func (c *conn) ResetSession(ctx context.Context) error { return c.inner.ResetSession(ctx) }

// CheckNamedValue takes named texts and nulls only.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	switch v.Value.(type) {
	case nil, string:
		if v.Name != "" {
			return nil
		}
		return errors.New("clickhouse: an argument has no name")
	}
	return fmt.Errorf("clickhouse: argument %q is of type %T: only texts and nulls are bound", v.Name, v.Value)
}

func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	inner, err := c.inner.QueryContext(parametrized(ctx, args), text, nil)
	if err != nil {
		return nil, err
	}
	return rows{inner}, nil
}

// rows have the values that the driver points to, as it does those of a column
// that is LowCardinality(Nullable(…)).
type rows struct{ driver.Rows }

func (r rows) Next(to []driver.Value) error {
	if err := r.Rows.Next(to); err != nil {
		return err
	}
	for i, v := range to {
		switch at := reflect.ValueOf(v); {
		case at.Kind() != reflect.Pointer || !scalar[at.Type().Elem()]:
		case at.IsNil():
			to[i] = nil
		default:
			to[i] = at.Elem().Interface()
		}
	}
	return nil
}

// scalar are the types of values that the driver may point to.
var scalar = map[reflect.Type]bool{
	reflect.TypeFor[string](): true, reflect.TypeFor[bool](): true, reflect.TypeFor[time.Time](): true, reflect.TypeFor[float32](): true, reflect.TypeFor[float64](): true,
	reflect.TypeFor[int8](): true, reflect.TypeFor[int16](): true, reflect.TypeFor[int32](): true, reflect.TypeFor[int64](): true,
	reflect.TypeFor[uint8](): true, reflect.TypeFor[uint16](): true, reflect.TypeFor[uint32](): true, reflect.TypeFor[uint64](): true,
}

func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	return c.inner.ExecContext(parametrized(ctx, args), text, nil)
}

// parametrized is a context that has a statement's arguments as the server's
// parameters.
func parametrized(ctx context.Context, args []driver.NamedValue) context.Context {
	parameters := make(clickhouse.Parameters, len(args))
	for _, a := range args {
		parameters[a.Name] = `\N`
		if text, ok := a.Value.(string); ok {
			parameters[a.Name] = escaper.Replace(text)
		}
	}
	return clickhouse.Context(ctx, clickhouse.WithParameters(parameters))
}

// escaper writes a text as the server reads the values of parameters: as a field
// of a tab-separated line.
var escaper = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
