package clickhouse_test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/clickhouse"
	"github.com/trellisgraph/trellis/store/storetest"
)

// Every string of bytes comes back as it was bound, whatever it would mean to
// the server or to the driver.
func TestBoundValuesComeBack(t *testing.T) {
	_, db := fresh(t)
	texts := []string{"", `\N`, `\`, `\\`, "\\t\t\n\r\x00\b\f\a\v\x1b", "NULL", "{p1:String}", "?", "$1", "@p1", ":p1", "'", "''", `\'`, "`", ";", "--", "/*", "a\x00", "\x00", "\xff\xfe", "é😀"}
	for b := range 256 {
		texts = append(texts, string([]byte{byte(b)}), string([]byte{'\\', byte(b)}), string([]byte{byte(b), '\\'}))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		b := make([]byte, random.IntN(40))
		for i := range b {
			b[i] = byte(random.IntN(256))
			if random.IntN(3) == 0 {
				b[i] = "\\\t\n\r\x00'N{}?"[random.IntN(10)]
			}
		}
		texts = append(texts, string(b))
	}
	for _, text := range texts {
		var back string
		var null bool
		require.NoError(t, db.QueryRow("SELECT {p1:String}, {p2:Nullable(String)} IS NULL", sql.Named("p1", text), sql.Named("p2", nil)).Scan(&back, &null), "%q", text)
		require.Equal(t, text, back)
		require.True(t, null)
	}
}

// What the driver would put into a statement's text is not taken.
func TestNothingIsPutIntoTexts(t *testing.T) {
	_, db := fresh(t)
	for _, args := range [][]any{{"a"}, {1}, {sql.Named("p1", 1)}, {sql.Named("p1", time.Now())}, {sql.Named("p1", []string{"a"})}} {
		for _, text := range []string{"SELECT ?", "SELECT $1", "SELECT @p1", "SELECT {p1:String}"} {
			_, err := db.Query(text, args...)
			require.ErrorContains(t, err, "clickhouse: a", "%s %v", text, args)
		}
	}
	_, err := db.Query("SELECT @p1", sql.Named("p1", "x"))
	require.Error(t, err, "the server knows parameters only as {p1:Type}")
	_, err = db.Begin()
	require.Error(t, err)
	_, err = db.Prepare("INSERT INTO t")
	require.Error(t, err)
	for _, address := range []string{"", "host:9000", "mysql://host/x", "clickhouse://", "clickhouse://u:secret%zz@host/x"} {
		_, err := clickhouse.Open(address)
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestT47NothingIsWritten(t *testing.T) {
	writing, db := fresh(t)
	exec(t, writing, "CREATE TABLE canary (x Int64) ENGINE = MergeTree ORDER BY x")
	exec(t, writing, "INSERT INTO canary SELECT 1")
	for _, text := range []string{
		"INSERT INTO canary SELECT 2", "DROP TABLE canary", "TRUNCATE TABLE canary", "ALTER TABLE canary DELETE WHERE 1", "CREATE TABLE other (x Int64) ENGINE = Memory",
		"RENAME TABLE canary TO dead", "SET readonly = 0", "SELECT 1 SETTINGS readonly = 0; SELECT 2", "SELECT 1; DROP TABLE canary",
	} {
		_, err := db.Exec(text)
		require.Error(t, err, text)
	}
	var n int
	require.NoError(t, db.QueryRow("SELECT count() FROM canary").Scan(&n))
	require.Equal(t, 1, n)
}

func TestT48WhatConnectionsMay(t *testing.T) {
	writing, reading := fresh(t)
	s := storetest.Fixture(t, "gitlab").Schema()
	kinds := func(db *sql.DB) map[store.FindingKind]string {
		found, err := store.CheckConnection(context.Background(), db, compile.ClickHouse(), s)
		require.NoError(t, err)
		out := map[store.FindingKind]string{}
		for _, f := range found {
			out[f.Kind] += f.Message
		}
		return out
	}
	found := kinds(reading)
	for _, kind := range []store.FindingKind{store.Writes, store.ReadsMore, store.Administers, store.Files} {
		require.NotEmpty(t, found[kind], "the engine's one user may do everything")
	}
	require.Empty(t, found[store.NotReadOnly])
	require.Empty(t, found[store.ManyStatements])
	require.NotEmpty(t, kinds(writing)[store.NotReadOnly])
	_, err := store.Checked(context.Background(), reading, compile.ClickHouse(), s, nil)
	require.Error(t, err)
}

// The server ends what takes longer than its statement says.
func TestStatementsEnd(t *testing.T) {
	_, db := fresh(t)
	_, err := db.Query("SELECT sum(sipHash64(number)) FROM numbers(1000000000000)" + compile.ClickHouse().SessionSetup(1))
	require.ErrorContains(t, err, "code: 159")
	require.Equal(t, "TIMEOUT", string(store.Failure(context.Background(), err).Code))
}
