package memory_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

const allTypes = `
format: trellis.schema.v1
nodes:
  thing:
    key: id
    properties:
      id: int64
      small: int32
      real: float
      yes: bool
      text: {type: string, index: true}
      label: {type: string, nullable: false}
      state: {type: enum, values: [open, shut], index: true}
      level: {type: enum, values: {10: low, 2: high}}
      day: {type: date, index: true}
      at: datetime
      uid: uuid
      price: {type: decimal, scale: 2}
      doc: json
  spot:
    key: [area, no]
    properties: {area: string, no: int32, name: string}
relationships:
  NEAR:
    - {from: thing, to: spot, to_column: [a, n], properties: {km: float, since: date}}
    - {from: spot, to: spot, table: spot_near_spot, from_column: [a1, n1], to_column: [a2, n2]}
  PAID: {from: thing, to: thing, table: payment, key: no, properties: {no: int64, amount: {type: decimal, scale: 2, nullable: false}}}
`

func parse(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse("schema.yaml", []byte(text))
	require.NoError(t, err)
	return s
}

func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{"nodes/.keep": {}}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

func load(t testing.TB, schemaText string, pairs ...string) *memory.Graph {
	t.Helper()
	g, err := memory.Load(context.Background(), parse(t, schemaText), files(pairs...), memory.Options{})
	require.NoError(t, err)
	return g
}

// dump writes every node and relationship of a graph, one a line.
func dump(g *memory.Graph) string {
	var b strings.Builder
	for l := range g.Schema().Labels() {
		for row := range uint32(g.NodeCount(l)) {
			b.WriteString(l.Name)
			for _, p := range l.Properties {
				fmt.Fprintf(&b, " %s=%s", p.Name, g.Value(l, row, p))
			}
			b.WriteByte('\n')
		}
	}
	for typ := range g.Schema().Relationships() {
		for _, p := range typ.Pairs {
			for rel := range uint32(g.RelCount(p)) {
				from, to := g.Ends(p, rel)
				fmt.Fprintf(&b, "%s %s/%d %s/%d", typ.Name, p.From.Name, from, p.To.Name, to)
				for _, prop := range p.Properties {
					fmt.Fprintf(&b, " %s=%s", prop.Name, g.RelValue(p, rel, prop))
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

const thingsCSV = `id,small,real,yes,text,label,state,level,day,at,uid,price,doc
9007199254740993,-2147483648,1e-7,true,"a ""quoted"",
line",,open,high,2024-02-29,2024-02-29T23:59:59.123456+02:00,6BA7B810-9DAD-11D1-80B4-00C04FD430C8,-0.5,"{""b"" : [1, 2],""a"":null}"
-5,,,,,x,,,,,,,
0,2147483647,-0,false,Ünïcödé 🙂 e` + "\u0301" + `,\N,shut,low,0001-01-01,9999-12-31 23:59:59.999999,6ba7b810-9dad-11d1-80b4-00c04fd430c9,12345678901234567890123456789012345.6,[]
`

const thingsJSON = `{"id": "9007199254740993", "small": -2147483648, "real": 0.0000001, "yes": true, "text": "a \"quoted\",\nline", "label": "", "state": "open", "level": "high", "day": "2024-02-29", "at": "2024-02-29T21:59:59.123456Z", "uid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "price": -0.50, "doc": {"b" : [1, 2], "a": null}}

{"id": -5, "label": "x", "small": null}
{"label": "", "id": 0, "small": 2147483647, "real": 0, "yes": false, "text": "\u00dcn\u00efc\u00f6d\u00e9 \ud83d\ude42 e\u0301", "state": "shut", "level": "low", "day": "0001-01-01", "at": "9999-12-31T23:59:59.999999Z", "uid": "6ba7b810-9dad-11d1-80b4-00c04fd430c9", "price": "12345678901234567890123456789012345.60", "doc": [ ]}
`

const spotsCSV = "area,no,name\nb,2,\na,10,ten\na,9,nine\n"

const nearCSV = `from_label,from,to_label,to,km,since
thing,0,spot,"[""a"",9]",1.5,2020-01-01
thing,-5,spot,"[""b"",""2""]",,
spot,"[""a"",10]",spot,"[""a"",9]",,
spot,"[""a"",10]",spot,"[""a"",10]",,\N
`

const nearJSON = `{"from_label": "thing", "from": 0, "to_label": "spot", "to": ["a", 9], "km": 1.5, "since": "2020-01-01"}
{"from_label": "thing", "from": "-5", "to_label": "spot", "to": "[\"b\",\"2\"]"}
{"from_label": "spot", "from": ["a", "10"], "to_label": "spot", "to": ["a", 9]}
{"from_label": "spot", "from": ["a", 10], "to_label": "spot", "to": ["a", 10], "km": null}
`

const paidCSV = "from,to,no,amount\n0,-5,7,1\n0,-5,6,2.5\n0,0,8,-0.00\n"

const wantAll = `spot area="a" no=9 name="nine"
spot area="a" no=10 name="ten"
spot area="b" no=2 name=null
thing id=-5 small=null real=null yes=null text=null label="x" state=null level=null day=null at=null uid=null price=null doc=null
thing id=0 small=2147483647 real=0 yes=false text="Ünïcödé 🙂 e` + "\u0301" + `" label="" state="shut" level="low" day="0001-01-01" at="9999-12-31T23:59:59.999999Z" uid="6ba7b810-9dad-11d1-80b4-00c04fd430c9" price="12345678901234567890123456789012345.60" doc=[]
thing id=9007199254740993 small=-2147483648 real=1e-7 yes=true text="a \"quoted\",\nline" label="" state="open" level="high" day="2024-02-29" at="2024-02-29T21:59:59.123456Z" uid="6ba7b810-9dad-11d1-80b4-00c04fd430c8" price="-0.50" doc={"a":null,"b":[1,2]}
NEAR thing/0 spot/2 km=null since=null
NEAR thing/1 spot/0 km=1.5 since="2020-01-01"
NEAR spot/1 spot/0
NEAR spot/1 spot/1
PAID thing/1 thing/0 no=6 amount="2.50"
PAID thing/1 thing/0 no=7 amount="1.00"
PAID thing/1 thing/1 no=8 amount="0.00"
`

func TestFormatsAgree(t *testing.T) {
	zip := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	press := func(text string) string {
		var b bytes.Buffer
		w, _ := zstd.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	crlf := func(text string) string { return "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n") }
	for name, pairs := range map[string][]string{
		"csv":      {"nodes/thing.csv", thingsCSV, "nodes/spot.csv", spotsCSV, "relationships/NEAR.csv", nearCSV, "relationships/PAID.csv", paidCSV},
		"crlf":     {"nodes/thing.csv", crlf(thingsCSV), "nodes/spot.csv", crlf(spotsCSV), "relationships/NEAR.csv", crlf(nearCSV), "relationships/PAID.csv", crlf(paidCSV)},
		"jsonl":    {"nodes/thing.jsonl", thingsJSON, "nodes/spot.csv", spotsCSV, "relationships/NEAR.jsonl", nearJSON, "relationships/PAID.csv", paidCSV},
		"csv.gz":   {"nodes/thing.csv.gz", zip(thingsCSV), "nodes/spot.csv.gz", zip(spotsCSV), "relationships/NEAR.csv.gz", zip(nearCSV), "relationships/PAID.csv.gz", zip(paidCSV)},
		"jsonl.gz": {"nodes/thing.jsonl.gz", zip(thingsJSON), "nodes/spot.csv", spotsCSV, "relationships/NEAR.jsonl.gz", zip(nearJSON), "relationships/PAID.csv", paidCSV},
		"zst":      {"nodes/thing.jsonl.zst", press(thingsJSON), "nodes/spot.csv.zst", press(spotsCSV), "relationships/NEAR.csv.zst", press(nearCSV), "relationships/PAID.csv", paidCSV},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, wantAll, dump(load(t, allTypes, pairs...)))
		})
	}
}

func TestOpenReadsSchemaAndData(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "nodes"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "schema.yaml"), []byte(allTypes), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nodes", "spot.csv"), []byte(spotsCSV), 0o644))
	g, err := memory.Open(context.Background(), dir, memory.Options{})
	require.NoError(t, err)
	spot, _ := g.Schema().Label("spot")
	require.Equal(t, 3, g.NodeCount(spot))

	_, err = memory.Open(context.Background(), t.TempDir(), memory.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestEmptyDirectoriesAndHeaders(t *testing.T) {
	require.Empty(t, dump(load(t, allTypes)))
	require.Empty(t, dump(load(t, allTypes, "nodes/spot.csv", "no,area", "relationships/PAID.jsonl", "\n\n")))
}

func TestProgressEndsWithEveryFile(t *testing.T) {
	var b strings.Builder
	b.WriteString("area,no\n")
	for i := range 40_000 {
		fmt.Fprintf(&b, "x,%d\n", i)
	}
	last := map[string]memory.Progress{}
	calls := 0
	_, err := memory.Load(context.Background(), parse(t, allTypes), files("nodes/spot.csv", b.String(), "nodes/thing.csv", "id,label\n1,\n"), memory.Options{
		Progress: func(p memory.Progress) {
			calls++
			require.False(t, last[p.File].Done, "a file goes on after its end")
			require.GreaterOrEqual(t, p.Rows, last[p.File].Rows)
			last[p.File] = p
		},
	})
	require.NoError(t, err)
	require.Equal(t, memory.Progress{File: "nodes/spot.csv", Rows: 40_000, Bytes: int64(b.Len()), Size: int64(b.Len()), Done: true}, last["nodes/spot.csv"])
	require.Equal(t, 1, last["nodes/thing.csv"].Rows)
	require.Equal(t, 4, calls)
}

func TestCanceledContextEndsLoading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := memory.Load(ctx, parse(t, allTypes), files("nodes/spot.csv", spotsCSV), memory.Options{})
	require.ErrorIs(t, err, context.Canceled)

	// In the middle of a file, too.
	ctx, cancel = context.WithCancel(context.Background())
	var b strings.Builder
	b.WriteString("area,no\n")
	for i := range 200_000 {
		fmt.Fprintf(&b, "x,%d\n", i)
	}
	rows := 0
	_, err = memory.Load(ctx, parse(t, allTypes), files("nodes/spot.csv", b.String()), memory.Options{
		Progress: func(p memory.Progress) { rows = p.Rows; cancel() },
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, rows, 200_000)
}

func TestLongFieldsAndQuotesOverManyLines(t *testing.T) {
	long := strings.Repeat("0123456789\n", 50_000) + `"` + strings.Repeat("é", 100_000)
	g := load(t, allTypes, "nodes/spot.csv", "name,area,no\n\""+strings.ReplaceAll(long, `"`, `""`)+"\",x,1\nafter,x,2\n")
	spot, _ := g.Schema().Label("spot")
	name, _ := spot.Property("name")
	require.Equal(t, graph.String(long), g.Value(spot, 0, name))
	require.Equal(t, graph.String("after"), g.Value(spot, 1, name))
}

func TestCutFilesAreReportedWhereTheyEnd(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, spotsCSV)
	w.Close()
	_, err := memory.Load(context.Background(), parse(t, allTypes), files("nodes/spot.csv.gz", b.String()[:b.Len()-6]), memory.Options{})
	require.EqualError(t, err, "1 problem in the data; nothing was loaded\nnodes/spot.csv.gz:5: cannot be read: unexpected EOF")
}
