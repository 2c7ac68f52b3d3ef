package clickhouse_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/clickhouse"
)

// said serves the answers of a server to statements, one text in each row. The
// engine of other tests has one user and takes no roles; what servers answer about
// them is written down here as their documents tell.
func said(t *testing.T, answers map[string][]string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		version := r.URL.Query().Get("client_protocol_version")
		if strings.Contains(string(text), "displayName()") {
			greet(t, w, version)
			return
		}
		rows, ok := answers[strings.TrimSpace(string(text))]
		ok = ok || strings.Contains(string(text), "system.columns")
		if !ok {
			w.Header().Set("X-ClickHouse-Exception-Code", "62")
			http.Error(w, "Code: 62. DB::Exception: Syntax error", http.StatusBadRequest)
			return
		}
		revision, err := strconv.ParseUint(version, 10, 64)
		assert.NoError(t, err)
		block := proto.NewBlock()
		assert.NoError(t, block.AddColumn("x", column.Type("String")))
		for _, row := range rows {
			assert.NoError(t, block.Append(row))
		}
		var buffer chproto.Buffer
		assert.NoError(t, block.Encode(&buffer, revision))
		_, _ = w.Write(buffer.Buf)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/graph"
}

// T48: what a user may through its roles counts.
func TestGrantsOfRoles(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte("{format: trellis.schema.v1, nodes: {a: {key: id, properties: {id: int64}}, b: {table: {schema: crm, name: b}, key: id, properties: {id: int64}}}}"))
	require.NoError(t, err)
	const graph, crm = "GRANT SELECT ON graph.a TO reader", "GRANT SELECT(id) ON crm.b TO reader"
	for name, test := range map[string]struct {
		final, own []string
		want       map[store.FindingKind]string
	}{
		"all of it is told": {[]string{graph, crm, "GRANT `role, of (x) TO` TO reader", "GRANT r1, r2 TO reader WITH ADMIN OPTION"}, nil, nil},
		"a role may write": {[]string{graph, crm, "GRANT INSERT, ALTER UPDATE ON graph.a TO reader"}, nil,
			map[store.FindingKind]string{store.Writes: "INSERT ON graph.a, ALTER UPDATE ON graph.a"}},
		"a role may read more":   {[]string{graph, crm, "GRANT SELECT ON hr.* TO reader"}, nil, map[store.FindingKind]string{store.ReadsMore: "SELECT ON hr.*"}},
		"a role may reach files": {[]string{graph, crm, "GRANT SOURCES ON *.* TO reader"}, nil, map[store.FindingKind]string{store.Files: "SOURCES ON *.*"}},
		"an older server tells of its roles only": {nil, []string{graph, crm, "GRANT r1 TO reader"},
			map[store.FindingKind]string{store.Unknown: "it is a role of a server that does not tell what roles may"}},
		"an older server without roles": {nil, []string{graph, crm}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			answers := map[string][]string{"SELECT toString(getSetting('readonly'))": {"2"}, "SELECT currentDatabase()": {"graph"}}
			if test.final != nil {
				answers["SHOW GRANTS FINAL"] = test.final
			}
			if test.own != nil {
				answers["SHOW GRANTS"] = test.own
			}
			db, err := clickhouse.Open(said(t, answers))
			require.NoError(t, err)
			defer db.Close()
			found, err := store.CheckConnection(context.Background(), db, compile.ClickHouse(), s)
			require.NoError(t, err)
			require.Len(t, found, len(test.want), "%v", found)
			for _, f := range found {
				require.Contains(t, f.Message, test.want[f.Kind])
			}
		})
	}
}

// Columns that no statement could join are found before one fails.
func TestJoinsThatCannotBe(t *testing.T) {
	writing, reading := fresh(t)
	for _, text := range []string{
		"CREATE TABLE a (id UInt64, b Nullable(Int64), c LowCardinality(Nullable(UInt32))) ENGINE = MergeTree ORDER BY id SETTINGS allow_suspicious_low_cardinality_types = 1",
		"CREATE TABLE b (id UInt64) ENGINE = MergeTree ORDER BY id",
	} {
		exec(t, writing, text)
	}
	s, err := schema.Parse("schema.yaml", []byte(`{format: trellis.schema.v1, nodes: {a: {key: id, properties: {id: int64}}, b: {key: id, properties: {id: int64}}},
relationships: {B: {from: a, to: b, foreign_key: b}, C: {from: a, to: b, foreign_key: c}}}`))
	require.NoError(t, err)
	found, err := store.CheckConnection(context.Background(), reading, compile.ClickHouse(), s)
	require.NoError(t, err)
	var unfit []string
	for _, f := range found {
		if f.Kind == store.Unfit {
			unfit = append(unfit, f.Message)
		}
	}
	require.Len(t, unfit, 1)
	require.Contains(t, unfit[0], `has a sign: "b" of table "a" (Nullable(Int64)) and "id" of table "b" (UInt64); map a view`)
}

// On the real engine the statement is known, and its one user may do everything.
func TestGrantsOfTheEngine(t *testing.T) {
	_, reading := fresh(t)
	rows, err := reading.Query("SHOW GRANTS FINAL")
	require.NoError(t, err)
	defer rows.Close()
	require.True(t, rows.Next())
}
