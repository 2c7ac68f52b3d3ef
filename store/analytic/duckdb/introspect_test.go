package duckdb_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
	"github.com/trellisgraph/trellis/store/introspect"
)

func TestIntrospection(t *testing.T) {
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), "shop.duckdb")
	db, err := duckdb.OpenToLoad(file, small)
	require.NoError(t, err)
	for _, text := range []string{
		"CREATE TYPE mood AS ENUM ('glad', 'it''s so')",
		"CREATE TABLE customer (id BIGINT PRIMARY KEY, name VARCHAR NOT NULL, mood mood, since TIMESTAMP, parent_id BIGINT REFERENCES customer(id))",
		"CREATE TABLE product (code VARCHAR PRIMARY KEY, price DECIMAL(12,2) NOT NULL, kind VARCHAR CHECK (kind IN ('toy', 'tool')), more JSON, tags VARCHAR[])",
		"CREATE TABLE bought (customer_id BIGINT NOT NULL REFERENCES customer(id), product_code VARCHAR NOT NULL REFERENCES product(code), amount INTEGER, PRIMARY KEY (customer_id, product_code))",
		"CREATE TABLE keyless (x INTEGER)",
		"CREATE SCHEMA crm", "CREATE TABLE crm.slot (room VARCHAR, n INTEGER, PRIMARY KEY (room, n))",
		"CREATE VIEW dear AS SELECT * FROM product WHERE price > 100",
		"COMMENT ON TABLE customer IS 'Who buys.'", "COMMENT ON COLUMN customer.name IS 'As it is spoken.'",
	} {
		_, err := db.Exec(text)
		require.NoError(t, err, text)
	}
	require.NoError(t, db.Close())
	db = opened(t, file)
	draft, err := introspect.Read(ctx, db, introspect.Options{})
	require.NoError(t, err)
	text := string(draft.YAML())
	for _, want := range []string{"Who buys.", "As it is spoken.", "glad", "it's so", "toy", "scale: 2", "keyless", "tags", "customer_id", "product_code", "parent_id"} {
		require.Contains(t, text, want)
	}
	again, err := introspect.Read(ctx, db, introspect.Options{})
	require.NoError(t, err)
	require.Equal(t, text, string(again.YAML()))
	s, err := schema.Parse("schema.yaml", draft.YAML())
	require.NoError(t, err, text)
	report, err := introspect.Check(ctx, db, s, introspect.Options{})
	require.NoError(t, err)
	require.Empty(t, report.Drift, "%v", report)
}
