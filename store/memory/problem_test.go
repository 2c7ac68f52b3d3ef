package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

const mapped = `
format: trellis.schema.v1
nodes:
  user: {key: id, properties: {id: int32, name: {type: string, nullable: false}}}
  issue: {key: id, properties: {id: int64, author: {type: int32, column: author_id}, title: string}}
  change: {key: id, properties: {id: int64}}
  note: {key: id, properties: {id: int64, on: {type: string, column: noteable_type}}}
  cat: {table: animal, match: {kind: cat}, key: id, properties: {id: int64, kind: string}}
relationships:
  WROTE: {from: user, to: issue, foreign_key: {side: to, column: author_id}}
  BLOCKS: {from: issue, to: issue, foreign_key: blocked_id}
  NOTED: {from: note, to: {type_column: noteable_type, id_column: noteable_id, values: {Issue: issue, Change: change}}}
`

func TestBadInputIsReportedExactly(t *testing.T) {
	things := func(column, value string) []string {
		return []string{"nodes/thing.csv", "id,label," + column + "\n1,x," + value + "\n"}
	}
	line := func(object string) []string { return []string{"nodes/thing.jsonl", object + "\n"} }
	near := func(rows string) []string {
		return []string{"nodes/thing.csv", "id,label\n1,\n", "nodes/spot.csv", "area,no\na,1\n", "relationships/NEAR.csv", "from,to,from_label,to_label,km,since\n" + rows}
	}
	users := "id,name\n1,a\n2,b\n"
	for _, tt := range []struct {
		name   string
		schema string
		files  []string
		want   string
	}{
		{"int32 over", "", things("small", "2147483648"), `nodes/thing.csv:2: small: "2147483648" does not fit an int32`},
		{"int32 under", "", things("small", "-2147483649"), `nodes/thing.csv:2: small: "-2147483649" does not fit an int32`},
		{"int text", "", things("small", "12x"), `nodes/thing.csv:2: small: "12x" is not an int32`},
		{"int space", "", things("small", " 1"), `nodes/thing.csv:2: small: " 1" is not an int32`},
		{"int plus", "", things("small", "+1"), `nodes/thing.csv:2: small: "+1" is not an int32`},
		{"int zeros", "", things("small", "007"), `nodes/thing.csv:2: small: "007" is not an int32`},
		{"int minus zero", "", things("small", "-0"), `nodes/thing.csv:2: small: "-0" is not an int32`},
		{"int point", "", things("small", "1.0"), `nodes/thing.csv:2: small: "1.0" is not an int32`},
		{"int64 over", "", []string{"nodes/thing.csv", "id,label\n9223372036854775808,\n"}, `nodes/thing.csv:2: id: "9223372036854775808" does not fit an int64`},
		{"NaN", "", things("real", "NaN"), `nodes/thing.csv:2: real: "NaN" is not a finite number`},
		{"infinity", "", things("real", "-Inf"), `nodes/thing.csv:2: real: "-Inf" is not a finite number`},
		{"float over", "", things("real", "1e309"), `nodes/thing.csv:2: real: "1e309" does not fit a float`},
		{"float hex", "", things("real", "0x1p-2"), `nodes/thing.csv:2: real: "0x1p-2" is not a finite number`},
		{"bool", "", things("yes", "True"), `nodes/thing.csv:2: yes: "True" is not a bool: want true or false`},
		{"enum", "", things("state", "opne"), `nodes/thing.csv:2: state: "opne" is not one of open, shut; did you mean "open"?`},
		{"enum by number", "", things("level", "10"), `nodes/thing.csv:2: level: "10" is not one of low, high`},
		{"date month", "", things("day", "2023-13-01"), `nodes/thing.csv:2: day: "2023-13-01" is not a date: want YYYY-MM-DD`},
		{"date leap", "", things("day", "1900-02-29"), `nodes/thing.csv:2: day: "1900-02-29" is not a date: want YYYY-MM-DD`},
		{"date year 0", "", things("day", "0000-12-31"), `nodes/thing.csv:2: day: "0000-12-31" is outside the years 0001 to 9999`},
		{"date year 10000", "", things("day", "10000-01-01"), `nodes/thing.csv:2: day: "10000-01-01" is not a date: want YYYY-MM-DD`},
		{"datetime date only", "", things("at", "2024-01-01"), `nodes/thing.csv:2: at: "2024-01-01" is not a datetime: want RFC 3339, such as 2006-01-02T15:04:05Z`},
		{"datetime hour", "", things("at", "2024-01-01T24:00:00Z"), `nodes/thing.csv:2: at: "2024-01-01T24:00:00Z" is not a datetime: want RFC 3339, such as 2006-01-02T15:04:05Z`},
		{"datetime leap second", "", things("at", "2016-12-31T23:59:60Z"), `nodes/thing.csv:2: at: "2016-12-31T23:59:60Z" is not a datetime: want RFC 3339, such as 2006-01-02T15:04:05Z`},
		{"datetime digits", "", things("at", "2024-01-01T00:00:00.1234567Z"), `nodes/thing.csv:2: at: "2024-01-01T00:00:00.1234567Z" has more than six digits of a second`},
		{"datetime before year 1", "", things("at", "0001-01-01T00:30:00+01:00"), `nodes/thing.csv:2: at: "0001-01-01T00:30:00+01:00" is outside the years 0001 to 9999`},
		{"datetime after year 9999", "", things("at", "9999-12-31T23:30:00-01:00"), `nodes/thing.csv:2: at: "9999-12-31T23:30:00-01:00" is outside the years 0001 to 9999`},
		{"datetime zone", "", things("at", "2024-01-01T00:00:00+0100"), `nodes/thing.csv:2: at: "2024-01-01T00:00:00+0100" is not a datetime: want RFC 3339, such as 2006-01-02T15:04:05Z`},
		{"uuid", "", things("uid", "6ba7b810-9dad-11d1-80b4-00c04fd430cX"), `nodes/thing.csv:2: uid: "6ba7b810-9dad-11d1-80b4-00c04fd430cX" is not a uuid`},
		{"decimal digits", "", things("price", "1.005"), `nodes/thing.csv:2: price: "1.005" has more than 2 digits after the point`},
		{"decimal long", "", things("price", "1234567890123456789012345678901234567"), `nodes/thing.csv:2: price: "1234567890123456789012345678901234567" has more than 38 digits`},
		{"decimal exponent", "", things("price", "1e2"), `nodes/thing.csv:2: price: "1e2" is not a decimal`},
		{"decimal point", "", things("price", "1."), `nodes/thing.csv:2: price: "1." is not a decimal`},
		{"json", "", things("doc", "{1}"), `nodes/thing.csv:2: doc: "{1}" is not JSON`},
		{"utf-8", "", things("text", "a\xffb"), `nodes/thing.csv:2: text: "a\xffb" is not valid UTF-8`},
		{"nul", "", things("text", "a\x00b"), `nodes/thing.csv:2: text: "a\x00b" holds a NUL character`},
		{"null key", "", []string{"nodes/spot.csv", "area,no\nx,\n"}, `nodes/spot.csv:2: no: empty, but the property is not nullable`},
		{"two at once", "", []string{"nodes/thing.csv", "id,label,small,real\nx,,y,1\n1,,2,z\n"}, "nodes/thing.csv:2: id: \"x\" is not an int64\nnodes/thing.csv:2: small: \"y\" is not an int32\nnodes/thing.csv:3: real: \"z\" is not a finite number"},
		{"line after line breaks", "", []string{"nodes/thing.csv", "id,label,text\n1,,\"a\nb\n\"\n2,,x\n3,,\"a\n\"\n2,,y\n"}, `nodes/thing.csv:8: duplicate key "2", as in line 5`},
		{"duplicate key unsorted", "", []string{"nodes/thing.csv", "id,label\n3,\n1,\n3,\n2,\n1,\n"}, "nodes/thing.csv:4: duplicate key \"3\", as in line 2\nnodes/thing.csv:6: duplicate key \"1\", as in line 3"},
		{"duplicate composite key", "", []string{"nodes/spot.csv", "area,no\na,1\nb,1\na,1\n"}, `nodes/spot.csv:4: duplicate key "a", "1", as in line 2`},
		{"short row", "", []string{"nodes/thing.csv", "id,label,small\n1,x\n"}, `nodes/thing.csv:2: 2 fields where the header has 3`},
		{"long row", "", []string{"nodes/thing.csv", "id,label\n1,x,\n\n"}, `nodes/thing.csv:2: 3 fields where the header has 2`},
		{"quote inside", "", []string{"nodes/thing.csv", "id,label\n1,a\"b\"\n2,\"a\"b\n"}, "nodes/thing.csv:2: a quote inside a field that is not quoted\nnodes/thing.csv:3: text after the closing quote of a field"},
		{"open quote", "", []string{"nodes/thing.csv", "id,label\n1,\"a\n2,b\n"}, `nodes/thing.csv:2: a quoted field does not end`},
		{"no header", "", []string{"nodes/thing.csv", ""}, `nodes/thing.csv: no header`},
		{"unknown column", "", []string{"nodes/thing.csv", "id,label,prize\n"}, `nodes/thing.csv:1: unknown column "prize"; did you mean "price"?`},
		{"column twice", "", []string{"nodes/thing.csv", "id,label,id\n"}, `nodes/thing.csv:1: column "id" is there twice`},
		{"column missing", "", []string{"nodes/thing.csv", "small\n1\n"}, "nodes/thing.csv:1: column \"id\" is missing\nnodes/thing.csv:1: column \"label\" is missing"},
		{"unknown file", "", []string{"nodes/thign.csv", "id\n"}, `nodes/thign.csv: unknown label "thign"; did you mean "thing"?`},
		{"unknown type", "", []string{"relationships/NEAR_.csv", "id\n"}, `relationships/NEAR_.csv: unknown relationship type "NEAR_"; did you mean "NEAR"?`},
		{"unknown format", "", []string{"nodes/thing.tsv", "id\n"}, `nodes/thing.tsv: not a data file: want NAME.csv or NAME.jsonl, also with .gz or .zst`},
		{"two files", "", []string{"nodes/thing.csv", "id,label\n", "nodes/thing.jsonl", ""}, `nodes/thing.jsonl: there is also nodes/thing.csv`},
		{"not gzip", "", []string{"nodes/thing.csv.gz", "id,label\n"}, `nodes/thing.csv.gz: cannot be read: unexpected EOF`},

		{"line not an object", "", line(`[1]`), `nodes/thing.jsonl:1: not a JSON object`},
		{"line member twice", "", line(`{"id": 1, "label": "", "\u0069d": 2}`), `nodes/thing.jsonl:1: column "id" is there twice`},
		{"line unknown member", "", line(`{"id": 1, "label": "", "labl": 2}`), `nodes/thing.jsonl:1: unknown column "labl"; did you mean "label"?`},
		{"line without key", "", line(`{"label": ""}`), `nodes/thing.jsonl:1: id: missing`},
		{"line null key", "", line(`{"label": "", "id": null}`), `nodes/thing.jsonl:1: id: null, but the property is not nullable`},
		{"line text for int", "", line(`{"id": 1, "label": "", "small": "5"}`), `nodes/thing.jsonl:1: small: a string where an int32 belongs`},
		{"line float for int", "", line(`{"id": 1e2, "label": ""}`), `nodes/thing.jsonl:1: id: "1e2" is not an int64`},
		{"line number for text", "", line(`{"id": 1, "label": 5}`), `nodes/thing.jsonl:1: label: a number where a string belongs`},
		{"line array for text", "", line(`{"id": 1, "label": ["a"]}`), `nodes/thing.jsonl:1: label: a JSON array where a string belongs`},
		{"line lone surrogate", "", line(`{"id": 1, "label": "\ud800"}`), `nodes/thing.jsonl:1: not JSON: a broken \u escape`},
		{"line bad escape", "", line(`{"id": 1, "label": "\x"}`), `nodes/thing.jsonl:1: not JSON: unexpected 'x' at byte 22`},
		{"line trailing comma", "", line(`{"id": 1,}`), `nodes/thing.jsonl:1: not JSON: unexpected '}' at byte 10`},
		{"line two objects", "", line(`{"id": 1, "label": ""} {}`), `nodes/thing.jsonl:1: text after the JSON object`},
		{"line cut", "", line(`{"id": 1, "label": "a`), `nodes/thing.jsonl:1: the JSON text ends too early`},
		{"line nan", "", line(`{"id": 1, "label": "", "real": NaN}`), `nodes/thing.jsonl:1: not JSON: unexpected 'N' at byte 32`},
		{"line number", "", line(`{"id": 01, "label": ""}`), `nodes/thing.jsonl:1: "01" is not a JSON number`},
		{"line bad nested", "", line(`{"id": 1, "label": "", "doc": {"a" 1}}`), `nodes/thing.jsonl:1: "{\"a\" 1}" is not JSON`},

		{"dangling from", "", near("2,\"[\"\"a\"\",1]\",thing,spot,,\n"), `relationships/NEAR.csv:2: from: there is no thing "2"`},
		{"dangling to", "", near("1,\"[\"\"a\"\",2]\",thing,spot,,\n"), `relationships/NEAR.csv:2: to: there is no spot "a", "2"`},
		{"end empty", "", near(",\"[\"\"a\"\",1]\",thing,spot,,\n"), `relationships/NEAR.csv:2: from: empty, but the property is not nullable`},
		{"end not composite", "", near("1,a,thing,spot,,\n"), `relationships/NEAR.csv:2: to: "a" is not the JSON array of a key of 2 parts`},
		{"end of wrong parts", "", near("1,\"[\"\"a\"\"]\",thing,spot,,\n"), `relationships/NEAR.csv:2: to: the key of spot has 2 parts, not 1`},
		{"end of wrong type", "", near("1,\"[\"\"a\"\",true]\",thing,spot,,\n"), `relationships/NEAR.csv:2: to: no: a bool where an int32 belongs`},
		{"no pair", "", near("1,1,thing,thing,,\n"), `relationships/NEAR.csv:2: NEAR does not lead from "thing" to "thing"; it leads from thing to spot, spot to spot`},
		{"pair unsaid", "", near("1,1,,,,\n"), `relationships/NEAR.csv:2: from_label and to_label must say which of thing to spot, spot to spot is meant`},
		{"property of another pair", "", near("\"[\"\"a\"\",1]\",\"[\"\"a\"\",1]\",spot,spot,2,\n"), `relationships/NEAR.csv:2: km: not a property of NEAR from spot to spot`},
		{"duplicate relationship", "", near("1,\"[\"\"a\"\",1]\",thing,spot,1,\n1,\"[\"\"a\"\",\"\"1\"\"]\",thing,spot,2,\n"), `relationships/NEAR.csv:3: duplicate relationship from "1" to "a", "1", as in line 2`},
		{"labels missing", "", []string{"relationships/NEAR.csv", "from,to\n"}, "relationships/NEAR.csv:1: column \"from_label\" is missing\nrelationships/NEAR.csv:1: column \"to_label\" is missing"},
		{"relationship property", "", []string{"nodes/thing.csv", "id,label\n1,\n", "relationships/PAID.csv", "from,to,no,amount\n1,1,1,x\n1,1,2,\n1,1,,1\n"}, "relationships/PAID.csv:2: amount: \"x\" is not a decimal\nrelationships/PAID.csv:3: amount: empty, but the property is not nullable\nrelationships/PAID.csv:4: no: empty, but the property is not nullable"},
		{"duplicate relationship key", "", []string{"nodes/thing.csv", "id,label\n1,\n2,\n", "relationships/PAID.csv", "from,to,no,amount\n1,2,5,1\n1,1,5,1\n1,2,5,3\n"}, "relationships/PAID.csv:3: no: duplicate key \"5\", as in line 2\nrelationships/PAID.csv:4: duplicate relationship from \"1\" to \"2\", as in line 2"},
		{"no false dangling", "", []string{"nodes/thing.csv", "id,label\nx,\n1,\n", "relationships/PAID.csv", "from,to,no,amount\n7,1,5,1\n"}, `nodes/thing.csv:2: id: "x" is not an int64`},

		{"two targets", mapped, []string{"nodes/user.csv", users, "nodes/issue.csv", "id,author\n7,1\n", "relationships/WROTE.csv", "from,to\n1,7\n2,7\n"}, `relationships/WROTE.csv:3: issue "7" leads to user "1" and to user "2", but its foreign key author_id holds one`},
		{"two labels", mapped, []string{"nodes/issue.csv", "id\n1\n", "nodes/change.csv", "id\n1\n", "nodes/note.csv", "id,on\n5,Issue\n", "relationships/NOTED.csv", "from,to,from_label,to_label\n5,1,note,issue\n5,1,note,change\n"}, `relationships/NOTED.csv:3: note "5" leads to issue "1" and to change "1", but its foreign key noteable_id holds one`},
		{"other type", mapped, []string{"nodes/issue.csv", "id\n1\n", "nodes/note.csv", "id,on\n5,Change\n", "relationships/NOTED.csv", "from,to,from_label,to_label\n5,1,note,issue\n"}, `relationships/NOTED.csv:2: note "5" leads to issue "1", but its on is "Change"`},
		{"other key", mapped, []string{"nodes/user.csv", users, "nodes/issue.csv", "id,author\n7,2\n", "relationships/WROTE.csv", "from,to\n1,7\n"}, `relationships/WROTE.csv:2: issue "7" leads to user "1", but its author is "2"`},
		{"key without relationship", mapped, []string{"nodes/user.csv", users, "nodes/issue.csv", "id,author\n8,\n7,2\n"}, `nodes/issue.csv:3: author: "2", but no WROTE says so`},
		{"other match", mapped, []string{"nodes/cat.csv", "id,kind\n1,cat\n2,dog\n"}, `nodes/cat.csv:3: kind: "dog", but every cat has "cat"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.schema
			if text == "" {
				text = allTypes
			}
			g, err := memory.Load(context.Background(), parse(t, text), files(tt.files...), memory.Options{})
			require.Nil(t, g)
			var le *memory.LoadError
			require.ErrorAs(t, err, &le)
			require.ErrorIs(t, err, graph.InvalidData)
			var got []string
			for _, p := range le.Problems {
				got = append(got, p.String())
			}
			require.Equal(t, tt.want, strings.Join(got, "\n"))
			require.Equal(t, len(got), le.Total)
		})
	}
}

func TestMissingNodesFolder(t *testing.T) {
	fsys := files("node/thing.csv", "")
	delete(fsys, "nodes/.keep")
	_, err := memory.Load(context.Background(), parse(t, allTypes), fsys, memory.Options{})
	require.EqualError(t, err, "1 problem in the data; nothing was loaded\nnodes: there is no such folder")
}

func TestProblemsAreCappedAndCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,label\n")
	for i := range 250 {
		fmt.Fprintf(&b, "x%d,\n", i)
	}
	pairs := []string{"nodes/thing.csv", b.String(), "nodes/spot.csv", "area,no\na,x\n"}
	_, err := memory.Load(context.Background(), parse(t, allTypes), files(pairs...), memory.Options{})
	var le *memory.LoadError
	require.ErrorAs(t, err, &le)
	require.Equal(t, 251, le.Total)
	require.Len(t, le.Problems, 100)
	require.Equal(t, "nodes/spot.csv", le.Problems[0].File)
	require.Equal(t, memory.Problem{File: "nodes/thing.csv", Line: 100, Reason: `id: "x98" is not an int64`}, le.Problems[99])
	require.True(t, strings.HasSuffix(err.Error(), "\nand 151 more"))

	_, err = memory.Load(context.Background(), parse(t, allTypes), files(pairs...), memory.Options{MaxProblems: 3})
	require.True(t, errors.As(err, &le))
	require.Len(t, le.Problems, 3)
}
