package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// TestFailure pins what callers learn of a backend's errors: a code, and none
// of its words.
func TestFailure(t *testing.T) {
	const secret = "dial tcp 10.0.0.7:3306: access denied for user root"
	open := context.Background()
	late, cancelLate := context.WithTimeout(open, -time.Second)
	defer cancelLate()
	canceled, cancel := context.WithCancel(open)
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		err   error
		code  graph.Code
		retry bool
	}{
		{"anything", open, errors.New(secret), graph.Internal, false},
		{"the deadline", open, fmt.Errorf("%s: %w", secret, context.DeadlineExceeded), graph.Timeout, true},
		{"anything after the deadline", late, errors.New(secret), graph.Timeout, true},
		{"a broken connection after the deadline", late, driver.ErrBadConn, graph.Timeout, true},
		{"cancellation", open, fmt.Errorf("%s: %w", secret, context.Canceled), graph.Canceled, false},
		{"anything after cancellation", canceled, errors.New(secret), graph.Canceled, false},
		{"no route", open, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New(secret)}, graph.Unavailable, true},
		{"a closed database", open, fmt.Errorf("%s: %w", secret, sql.ErrConnDone), graph.Unavailable, true},
		{"a bad connection", open, fmt.Errorf("%s: %w", secret, driver.ErrBadConn), graph.Unavailable, true},
		{"an end", open, io.EOF, graph.Unavailable, true},
		{"an early end", open, io.ErrUnexpectedEOF, graph.Unavailable, true},
		{"an invalid connection", open, errors.New("invalid connection"), graph.Unavailable, true},
		{"a closed connection", open, fmt.Errorf("rollback: %w", errors.New("conn closed")), graph.Unavailable, true},
		{"a shutdown", open, stated("57P01"), graph.Unavailable, true},
		{"a class of states", open, fmt.Errorf("%s: %w", secret, stated("08006")), graph.Unavailable, true},
		{"a full disk", open, stated("53100"), graph.StorageFull, false},
		{"a statement that the server stopped", open, stated("57014"), graph.Timeout, true},
		{"another state", open, stated("42P01"), graph.Internal, false},

		{"a killed connection", open, fmt.Errorf("reading: %w", errors.New("Error 1927 (70100): Connection was killed")), graph.Unavailable, true},
		{"no space", open, errors.New("Error 1021 (HY000): Disk full"), graph.StorageFull, false},
		{"time of the session", open, errors.New("Error 1969 (70100): Query execution was interrupted"), graph.Timeout, true},
		{"another number", open, errors.New("Error 1064 (42000): near 08"), graph.Internal, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Failure(c.ctx, c.err)
			require.Equal(t, c.code, e.Code)
			require.Equal(t, c.retry, e.Retryable)
			require.False(t, e.Code.Refusal())
			require.ErrorIs(t, e, c.err, "the host's log has the cause")
			document, err := json.Marshal(graph.NewErrorDocument("find_nodes", e))
			require.NoError(t, err)
			require.NotContains(t, string(document), "10.0.0.7")
		})
	}
	own := &graph.Error{Code: graph.InvalidData, Message: "x"}
	require.Same(t, own, Failure(late, fmt.Errorf("row 7: %w", own)), "what Trellis said stays")
}

// stated is an error with a SQLSTATE, as drivers have it.
type stated string

func (s stated) Error() string    { return "a server said so" }
func (s stated) SQLState() string { return string(s) }
