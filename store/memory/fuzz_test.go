package memory_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

const textSchema = `
format: trellis.schema.v1
nodes:
  row: {key: a, properties: {a: string, b: {type: string, nullable: false}, c: string}}
`

// FuzzCSV checks that whatever loads is what the standard library reads, and
// that whatever does not is refused with a LoadError.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"1,2,3\n", "\"a\"\"b\",\"x\ny\",\\N\r\n", "a,b\n", "\"a", "a\"b,,\n", "é,\xff,\x00\n", "\n\n1,,\n"} {
		f.Add(seed)
	}
	s := parse(f, textSchema)
	row, _ := s.Label("row")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := memory.Load(context.Background(), s, files("nodes/row.csv", "a,b,c\n"+text), memory.Options{})
		if err != nil {
			var le *memory.LoadError
			if !errors.As(err, &le) || len(le.Problems) == 0 {
				t.Fatalf("not a LoadError: %v", err)
			}
			return
		}
		want := map[string][]string{}
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = 3
		records, err := r.ReadAll()
		if err != nil {
			t.Fatalf("loaded what encoding/csv refuses: %v", err)
		}
		for _, rec := range records {
			want[empty(rec[0])] = rec
		}
		if g.NodeCount(row) != len(records) {
			t.Fatalf("%d rows of %d", g.NodeCount(row), len(records))
		}
		for i := range uint32(len(records)) {
			rec := want[g.Value(row, i, row.Key[0]).Text()]
			for j, p := range row.Properties {
				if got := g.Value(row, i, p); got.Text() != empty(rec[j]) || got.IsNull() != (p.Nullable && empty(rec[j]) == "") {
					t.Fatalf("%s is %s, not %q", p.Name, got, rec[j])
				}
			}
		}
	})
}

func empty(field string) string {
	if field == `\N` {
		return ""
	}
	return field
}

// FuzzJSONLines checks that whatever loads is what the standard library reads,
// and that whatever does not is refused with a LoadError.
func FuzzJSONLines(f *testing.F) {
	for _, seed := range []string{`{"a": "1", "b": "x"}`, `{"a": "\ud83d\ude42", "b": "", "c": null}`, `{"a":"1","a":"2","b":""}`, `{"a": 1, "b": [}]`, `{"a":"\ud800","b":""}`, `{`, `[]`, "{\"a\":\"\xff\",\"b\":\"\"}"} {
		f.Add(seed)
	}
	s := parse(f, textSchema)
	row, _ := s.Label("row")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") {
			return
		}
		g, err := memory.Load(context.Background(), s, files("nodes/row.jsonl", line), memory.Options{})
		if err != nil {
			var le *memory.LoadError
			if !errors.As(err, &le) || len(le.Problems) == 0 {
				t.Fatalf("not a LoadError: %v", err)
			}
			return
		}
		if g.NodeCount(row) == 0 {
			if strings.Trim(strings.TrimPrefix(line, "\uFEFF"), " \t\r") != "" {
				t.Fatalf("%q got lost", line)
			}
			return
		}
		if !utf8.ValidString(line) {
			t.Fatal("loaded invalid UTF-8")
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "\uFEFF")), &want); err != nil {
			t.Fatalf("loaded what encoding/json refuses: %v", err)
		}
		for _, p := range row.Properties {
			if got := g.Value(row, 0, p); !got.Equal(graph.Of(want[p.Name])) {
				t.Fatalf("%s is %s, not %v", p.Name, got, want[p.Name])
			}
		}
	})
}
