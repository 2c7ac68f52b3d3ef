package clickhouse_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/clickhouse"
)

const long = "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)"

// A statement that nobody waits for any more ends at the engine, long before its
// own time is over.
func TestCanceledStatementsEnd(t *testing.T) {
	_, db := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := db.QueryContext(ctx, long+compile.ClickHouse().SessionSetup(600))
		ended <- err
	}()
	running := func() bool {
		var n int
		require.NoError(t, db.QueryRow("SELECT count() FROM system.processes WHERE position(query, 'sipHash64(number)') > 0 AND position(query, 'system.processes') = 0").Scan(&n))
		return n > 0
	}
	require.Eventually(t, running, time.Minute, 50*time.Millisecond)
	cancel()
	err := <-ended
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "CANCELED", string(store.Failure(ctx, err).Code))
	// Its list of processes keeps the statement, as canceled, until the connection
	// has another one: that the call of the engine is over is what counts.
	require.Eventually(t, func() bool { return server.Running() == 0 }, time.Minute, 50*time.Millisecond)
}

// Over HTTP a server ends a statement whose connection is closed if it is asked
// to, and only where the statement is read-only. So both are said with each
// statement, and giving up closes the connection.
func TestGivingUpReachesTheServer(t *testing.T) {
	asked, gone := make(chan url.Values, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !strings.Contains(string(text), "sipHash64") {
			greet(t, w, r.URL.Query().Get("client_protocol_version"))
			return
		}
		asked <- r.URL.Query()
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	db, err := clickhouse.Open(server.URL + "/graph?readonly=0&cancel_http_readonly_queries_on_client_close=0")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := db.QueryContext(ctx, long)
		ended <- err
	}()
	settings := <-asked
	require.Equal(t, []string{"2"}, settings["readonly"])
	require.Equal(t, []string{"1"}, settings["cancel_http_readonly_queries_on_client_close"])
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Fatal("the connection is still open")
	}
}

// greet answers what the driver asks of a server first.
func greet(t *testing.T, w io.Writer, version string) {
	revision, err := strconv.ParseUint(version, 10, 64)
	assert.NoError(t, err)
	block := proto.NewBlock()
	for _, c := range [][2]string{{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"}} {
		assert.NoError(t, block.AddColumn(c[0], column.Type(c[1])))
	}
	assert.NoError(t, block.Append("fake", "25.8.1.1", uint32(revision), "UTC"))
	var buffer chproto.Buffer
	assert.NoError(t, block.Encode(&buffer, revision))
	_, err = w.Write(buffer.Buf)
	assert.NoError(t, err)
}
