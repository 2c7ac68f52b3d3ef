package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// Failure turns the error of a backend, in the middle of a call with this
// context, into one of Trellis's: TIMEOUT, CANCELED, UNAVAILABLE, STORAGE_FULL,
// or else INTERNAL. It keeps one that is Trellis's already. The backend's own
// words become the cause, which goes no further than the host's log.
func Failure(ctx context.Context, err error) *graph.Error {
	var known *graph.Error
	if errors.As(err, &known) {
		return known
	}
	code := graph.Internal
	switch said := codeOf(err); {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		code = graph.Timeout
	case errors.Is(err, context.Canceled) || errors.Is(ctx.Err(), context.Canceled):
		code = graph.Canceled
	case said != "":
		code = said
	case isConnection(err):
		code = graph.Unavailable
	}
	return failed(code, err)
}

// failed is the error of a code that a backend's error amounts to.
func failed(code graph.Code, cause error) *graph.Error {
	e := &graph.Error{Code: code, Message: "the store could not answer", Cause: cause}
	switch code {
	case graph.Timeout:
		e.Message, e.Retryable = "the call took longer than it may", true
		e.Hint = "narrow the call: add ids or filters, or fewer hops"
	case graph.Canceled:
		e.Message = "the call was canceled"
	case graph.Unavailable:
		e.Message, e.Retryable = "the store cannot be reached", true
	case graph.StorageFull:
		e.Message = "the store has no room left for what the call needs"
	}
	return e
}

// unreached turns the error of opening a session into UNAVAILABLE, whatever the
// driver has to say about addresses, certificates and passwords; unless it was
// the call that ended.
func unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return failed(graph.Unavailable, err)
}

// isConnection tells an error of the connection from one of what was asked. Some are
// what PostgreSQL says last on a connection that it ends: as it is shut down, after
// another's crash, or as it was idle for long.
func isConnection(err error) bool {
	var state interface{ SQLState() string }
	if errors.As(err, &state) && slices.Contains([]string{"57P01", "57P02", "57P05"}, state.SQLState()) {
		return true
	}
	var netErr net.Error
	if errors.As(err, &netErr) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	for e := err; e != nil; e = errors.Unwrap(e) { // of the two drivers, without a type
		if strings.Contains(e.Error(), "invalid connection") || strings.Contains(e.Error(), "conn closed") {
			return true
		}
	}
	return false
}

// states are the SQLSTATEs, or their first two characters, that mean something
// to callers (PostgreSQL, appendix A), and the numbers for which MySQL and
// MariaDB have no SQLSTATE of their own.
var states = map[string]graph.Code{
	"08": graph.Unavailable, "57P01": graph.Unavailable, "57P02": graph.Unavailable, "57P03": graph.Unavailable, "57P05": graph.Unavailable,
	"40": graph.Unavailable, "1213": graph.Unavailable, "1412": graph.Unavailable, // tables were replaced in the middle of a session
	"53300": graph.Unavailable, "53100": graph.StorageFull, "57014": graph.Timeout,
	"1021": graph.StorageFull, "1114": graph.StorageFull, "3": graph.StorageFull, // disk full, table full, error writing a file
	"1040": graph.Unavailable, "1053": graph.Unavailable, "1927": graph.Unavailable, "3169": graph.Unavailable, // too many, shut down, killed
	"1429": graph.Unavailable, "1430": graph.Unavailable, "12701": graph.Unavailable, // a shard of Spider's
	"1158": graph.Unavailable, "1159": graph.Unavailable, "1160": graph.Unavailable, "1161": graph.Unavailable, // and its packets
	"2006": graph.Unavailable, "2013": graph.Unavailable, // its connection
	"1969": graph.Timeout, "3024": graph.Timeout, // the time that the session was given
}

// sqliteTexts are SQLite's own words for its result codes, which its drivers
// have no one form for.
var sqliteTexts = map[string]graph.Code{
	"database is locked": graph.Unavailable, "database table is locked": graph.Unavailable, "unable to open database file": graph.Unavailable,
	"disk I/O error": graph.Unavailable, "database or disk is full": graph.StorageFull,
}

// clickhouseCodes are the numbers of ClickHouse's exceptions that mean something
// to callers.
var clickhouseCodes = map[string]graph.Code{
	"159": graph.Timeout, "160": graph.Timeout, // took too long, or would
	"60": graph.Unavailable, "218": graph.Unavailable, // a table is exchanged just then
	"202": graph.Unavailable, "203": graph.Unavailable, "209": graph.Unavailable, "210": graph.Unavailable, "241": graph.Unavailable, // busy, network, memory
	"394": graph.Unavailable, "236": graph.Unavailable, // killed
	"243": graph.StorageFull,
}

// codeOf is what an error of a database's own amounts to, "" where it says
// nothing special.
func codeOf(err error) graph.Code {
	var state interface{ SQLState() string }
	if outlived(err) {
		return graph.Unavailable
	}
	if errors.As(err, &state) {
		return stateCode(state.SQLState())
	}
	for text, code := range sqliteTexts {
		if strings.Contains(err.Error(), text) {
			return code
		}
	}
	for e := err; e != nil; e = errors.Unwrap(e) { // the form of go-sql-driver/mysql: Error 1927 (70100): ...
		text, ok := strings.CutPrefix(e.Error(), "Error ")
		number, _, colon := strings.Cut(text, ":")
		if ok && colon {
			number, _, _ = strings.Cut(number, " ")
			return states[number]
		}
		text, ok = strings.CutPrefix(e.Error(), "code: ") // clickhouse-go's: code: 159, message: ...
		number, _, comma := strings.Cut(text, ",")
		if ok && comma {
			return clickhouseCodes[number]
		}
	}
	return ""
}

// outlived reports whether a statement was prepared before the types of its tables'
// columns changed. The driver prepares it anew when it is asked again.
func outlived(err error) bool {
	var state interface{ SQLState() string }
	return errors.As(err, &state) && state.SQLState() == "0A000" && strings.Contains(err.Error(), "cached plan must not change result type")
}

func stateCode(state string) graph.Code {
	if code, ok := states[state]; ok || len(state) != 5 {
		return code
	}
	return states[state[:2]]
}
