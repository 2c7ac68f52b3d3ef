package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine/audit"
)

// full is a record with every field.
func full() *audit.Record {
	return &audit.Record{
		Time: time.Date(2026, 11, 21, 13, 45, 45, 123456000, time.UTC), Duration: 812 * time.Microsecond,
		Tenant: "acme", Principal: "ada", TokenID: "t1", Tool: "find_nodes", Arguments: `{"limit":3}`,
		Fingerprint: "f0", SchemaRevision: "r1", Statements: []string{"SELECT\n1"}, Guards: []string{"person: tenant = ?"},
		Rows: 3, TruncatedBy: graph.TruncatedRows, Outcome: audit.OK, Codes: []graph.Code{graph.Timeout}, ErrorID: "e1",
	}
}

func TestJSONLines(t *testing.T) {
	var out bytes.Buffer
	sink := audit.NewJSONLines(&out)
	require.NoError(t, sink.Write(t.Context(), full()))
	require.NoError(t, sink.Write(t.Context(), &audit.Record{Outcome: audit.Refused}))
	require.Equal(t, `{"time":"2026-11-21T13:45:45.123456Z","duration_us":812,"tenant":"acme","principal":"ada","token_id":"t1","tool":"find_nodes","arguments":{"limit":3},`+
		`"fingerprint":"f0","schema_revision":"r1","statements":["SELECT\u000a1"],"guards":["person: tenant = ?"],"rows":3,"truncated_by":"rows","outcome":"ok","codes":["TIMEOUT"],"error_id":"e1"}
{"time":"0001-01-01T00:00:00Z","duration_us":0,"tenant":null,"principal":null,"token_id":null,"tool":null,"arguments":null,`+
		`"fingerprint":null,"schema_revision":null,"statements":[],"guards":[],"rows":0,"truncated_by":null,"outcome":"refused","codes":[],"error_id":null}
`, out.String())
}

func TestSlog(t *testing.T) {
	var out bytes.Buffer
	// Records come through although the log is set to errors only.
	sink := audit.NewSlog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError})))
	require.NoError(t, sink.Write(t.Context(), full()))
	require.NoError(t, sink.Write(t.Context(), &audit.Record{Time: full().Time, Outcome: audit.Refused}))
	require.Equal(t, `time=2026-11-21T13:45:45.123Z level=INFO msg=call duration_us=812 tenant=acme principal=ada token_id=t1 tool=find_nodes arguments="{\"limit\":3}" `+
		`fingerprint=f0 schema_revision=r1 statements=[SELECT\u000a1] guards="[person: tenant = ?]" rows=3 truncated_by=rows outcome=ok codes=[TIMEOUT] error_id=e1
time=2026-11-21T13:45:45.123Z level=INFO msg=call duration_us=0 rows=0 outcome=refused
`, out.String())

	lost := errors.New("lost")
	require.ErrorIs(t, audit.NewSlog(slog.New(failing{lost})).Write(t.Context(), full()), lost)
}

type failing struct{ err error }

func (failing) Enabled(context.Context, slog.Level) bool    { return true }
func (f failing) Handle(context.Context, slog.Record) error { return f.err }
func (f failing) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f failing) WithGroup(string) slog.Handler             { return f }

// hostile are texts that try to end a line, to begin another, to colour a
// terminal, to be a format, or not to be text.
var hostile = []string{
	"a\nb", "a\r\nb", "a\x00b", "\x1b[2J\x1b[1;31mred", "\u009b31m", "%s%d%!n%x", "\"},{\"outcome\":\"ok", `\u000a\n\`, "\u2028\u2029\u0085",
	"\u202e\u200b\ufeff\U000e0041", "\xff\xfe\xc0\x80\xed\xa0\x80", "\x7f", "{}\n{\"outcome\":\"ok\"}", "Ω 漢 🜁",
}

func TestT60InjectionIsImpossible(t *testing.T) {
	for i, h := range hostile {
		arguments := string(graph.AppendJSONString(nil, h))
		r := &audit.Record{Tenant: h, Principal: h, TokenID: h, Tool: h, Arguments: arguments, Fingerprint: h, SchemaRevision: h,
			Statements: []string{h, h}, Guards: []string{h}, TruncatedBy: graph.Truncation(h), Outcome: audit.Outcome(h), Codes: []graph.Code{graph.Code(h)}, ErrorID: h}
		var lines bytes.Buffer
		require.NoError(t, audit.NewJSONLines(&lines).Write(t.Context(), r))
		oneLine(t, lines.Bytes())
		var back struct {
			Tenant, Tool, Arguments, Outcome string
			Statements                       []string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &back))
		want := string([]rune(h)) // every invalid byte is one U+FFFD
		require.Equal(t, []string{want, want, want, want, want, want}, []string{back.Tenant, back.Tool, back.Arguments, back.Outcome, back.Statements[0], back.Statements[1]}, "%d", i)

		for name, handler := range map[string]func(io.Writer) slog.Handler{
			"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
			"json": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		} {
			var log bytes.Buffer
			require.NoError(t, audit.NewSlog(slog.New(handler(&log))).Write(t.Context(), r), name)
			oneLine(t, log.Bytes())
		}
	}
}

// oneLine demands one line of visible characters.
func oneLine(t *testing.T, line []byte) {
	t.Helper()
	require.True(t, utf8.Valid(line))
	require.Equal(t, len(line)-1, bytes.IndexByte(line, '\n'), "%q", line)
	for _, r := range string(line[:len(line)-1]) {
		require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp), "%q in %q", r, line)
	}
}

// Arguments that are not JSON do not break the line that they stand in.
func TestJSONLinesOfForeignArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		"{\"a\":1,\n\t\"b\": [\"\\n\"]}": `{"a":1,"b": ["\n"]}`,
		"{\"a\":\"\u202e\"}":             `{"a":"\u202e"}`,
		"{\"a\":1}}":                     `"{\"a\":1}}"`,
		"{} {}":                          `"{} {}"`,
		"no":                             `"no"`,
	} {
		var out bytes.Buffer
		require.NoError(t, audit.NewJSONLines(&out).Write(t.Context(), &audit.Record{Arguments: arguments}))
		oneLine(t, out.Bytes())
		require.Contains(t, out.String(), `"arguments":`+want+`,`)
	}
}

func TestT60SizesAreBounded(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	r := &audit.Record{Tenant: big, Tool: big, Arguments: `"` + big + `"`, Statements: []string{big}, Guards: []string{big}}
	var out bytes.Buffer
	require.NoError(t, audit.NewJSONLines(&out).Write(t.Context(), r))
	require.Less(t, out.Len(), 512<<10)
	require.Contains(t, out.String(), `x…[1048576 bytes]","principal"`)
	require.True(t, json.Valid(out.Bytes()))
}

// counted lets many callers write, and remembers whether two writes overlapped.
type counted struct {
	busy sync.Mutex
	n    int
	lap  bool
	bytes.Buffer
}

func (c *counted) Write(p []byte) (int, error) {
	if !c.busy.TryLock() {
		c.lap = true
		return len(p), nil
	}
	defer c.busy.Unlock()
	c.n++
	return c.Buffer.Write(p)
}

func TestT60NothingIsLost(t *testing.T) {
	const callers, each = 100, 1000
	var out counted
	sink := audit.NewJSONLines(&out)
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := range each {
				r := &audit.Record{Principal: strconv.Itoa(c), Rows: i, Tool: hostile[i%len(hostile)], Outcome: audit.OK}
				if err := sink.Write(context.Background(), r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.False(t, out.lap)
	require.Equal(t, callers*each, out.n, "one write for each record")
	next := map[string]int{}
	lines := 0
	for line := range bytes.Lines(out.Bytes()) {
		var r struct {
			Principal string
			Rows      int
		}
		require.NoError(t, json.Unmarshal(line, &r))
		require.Equal(t, next[r.Principal], r.Rows, "the order of caller %s", r.Principal)
		next[r.Principal]++
		lines++
	}
	require.Equal(t, callers*each, lines)
}

// tearing writes half of a line once, as a full disk does.
type tearing struct {
	bytes.Buffer
	torn bool
}

func (w *tearing) Write(p []byte) (int, error) {
	if !w.torn {
		w.torn = true
		n, _ := w.Buffer.Write(p[:len(p)/2])
		return n, errors.New("no space left")
	}
	return w.Buffer.Write(p)
}

func TestT44ATornLineSpoilsNoOther(t *testing.T) {
	var out tearing
	sink := audit.NewJSONLines(&out)
	require.Error(t, sink.Write(t.Context(), full()))
	require.NoError(t, sink.Write(t.Context(), full()))
	require.NoError(t, sink.Write(t.Context(), full()))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	require.False(t, json.Valid([]byte(lines[0])))
	require.True(t, json.Valid([]byte(lines[1])))
	require.True(t, json.Valid([]byte(lines[2])))
}

func TestT44AFullDiskIsAnError(t *testing.T) {
	disk, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer disk.Close()
	require.Error(t, audit.NewJSONLines(disk).Write(t.Context(), full()))
	require.Error(t, audit.NewSlog(slog.New(slog.NewJSONHandler(disk, nil))).Write(t.Context(), full()))
}

func FuzzAuditLine(f *testing.F) {
	for _, h := range hostile {
		f.Add(h, `{"a":["`+h+`"]}`, true)
		f.Add(h, string(graph.AppendJSONString(nil, h)), false)
	}
	f.Fuzz(func(t *testing.T, text, arguments string, show bool) {
		args := audit.NewArguments(audit.Values{Show: show, Key: []byte("k"), Bytes: 4 << 10})
		shown := args.Text([]byte(arguments), audit.Known{})
		if shown != "" {
			require.True(t, json.Valid([]byte(shown)), "%q", shown)
		}
		for _, a := range []string{shown, arguments} {
			r := &audit.Record{Tenant: text, Tool: text, Arguments: a, Statements: []string{text}, Codes: []graph.Code{graph.Code(text)}}
			var out bytes.Buffer
			require.NoError(t, audit.NewJSONLines(&out).Write(context.Background(), r))
			require.True(t, json.Valid(out.Bytes()), "%q", out.Bytes())
			oneLine(t, out.Bytes())
			out.Reset()
			require.NoError(t, audit.NewSlog(slog.New(slog.NewTextHandler(&out, nil))).Write(context.Background(), r))
			oneLine(t, out.Bytes())
		}
	})
}

func ExampleNewJSONLines() {
	sink := audit.NewJSONLines(os.Stdout)
	args := audit.NewArguments(audit.Values{Key: []byte("the host's key")})
	sink.Write(context.Background(), &audit.Record{
		Time: time.Unix(0, 0), Tool: "find_nodes", Outcome: audit.OK, Rows: 1,
		Arguments: args.Text([]byte(`{"node_label": "person", "ids": ["ada"]}`), audit.Known{Word: func(text string) bool { return text == "person" }}),
	})
	fmt.Println("kept")
	// Output:
	// {"time":"1970-01-01T00:00:00Z","duration_us":0,"tenant":null,"principal":null,"token_id":null,"tool":"find_nodes","arguments":{"ids":["h:df221bafb7c31ad8d0ba92066acf9a40"],"node_label":"person"},"fingerprint":null,"schema_revision":null,"statements":[],"guards":[],"rows":1,"truncated_by":null,"outcome":"ok","codes":[],"error_id":null}
	// kept
}
