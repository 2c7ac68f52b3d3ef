package clickhouse_test

import (
	"database/sql"
	"testing"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store/introspect/introspecttest"
)

var introspected = introspecttest.Database{
	Name: "clickhouse", Dialect: compile.ClickHouse(), Undeclared: true,
	Open: func(t *testing.T, fill func(*sql.DB)) *sql.DB {
		writing, reading := fresh(t)
		fill(writing)
		return reading
	},
}

func TestDrafts(t *testing.T) {
	introspecttest.Drafts(t, introspected, "../../introspect/testdata", *update)
}

func TestRoundTrip(t *testing.T) { introspecttest.RoundTrip(t, introspected) }

func TestUniques(t *testing.T) { introspecttest.Uniques(t, introspected) }
