package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func readForms(t testing.TB) []byte {
	data, err := os.ReadFile("testdata/forms.yaml")
	require.NoError(t, err)
	return data
}

// pairLines prints where a schema keeps its relationships.
func pairLines(s *Schema) string {
	var b strings.Builder
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			fmt.Fprintf(&b, "%s %s>%s in %s %v %v>%v", t.Name, p.From.Name, p.To.Name, p.Table, p.Match, p.FromColumns, p.ToColumns)
			switch {
			case p.HolderIsTo:
				b.WriteString(" held by to " + p.Holder.Name)
			case p.Holder != nil:
				b.WriteString(" held by from " + p.Holder.Name)
			}
			if p.UniqueFrom {
				b.WriteString(" unique from")
			}
			if p.UniqueTo {
				b.WriteString(" unique to")
			}
			if p.Key != nil {
				b.WriteString(" key " + p.Key.Name)
			}
			if p.Policy != "" {
				b.WriteString(" policy " + p.Policy)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestEveryMappingFormIsReduced(t *testing.T) {
	s, err := Parse("forms.yaml", readForms(t))
	require.NoError(t, err)
	require.Equal(t, "Who wrote what.", s.Description())
	require.Equal(t, strings.TrimLeft(`
ABOUT note>author in note [{kind Author}] [id]>[target_id] held by from note unique from
ABOUT note>note in note [{kind Note}] [id]>[target_id] held by from note unique from
BASED_ON book>book in book [] [shop code]>[base_shop base_code] held by from book unique from
EDITED_BY book>author in book [{edited yes}] [shop code]>[editor_id] held by from book unique from
EDITED_BY note>author in note [] [id]>[editor_id] held by from note unique from unique to policy public
LIKES author>author in LIKES [] [from_id]>[to_id] unique from unique to
PAID author>author in payment [] [from_id]>[to_id] unique from key id
SHELVED author>book in crm.shelf [] [person_id]>[book_shop book_code] policy relationship.since != null
TAGGED author>note in edges [{kind TAGGED} {target Note}] [source_id]>[target_id]
TAGGED author>author in edges [{kind TAGGED} {target Author}] [source_id]>[target_id]
WROTE author>book in book [] [authorId]>[shop code] held by to book unique to
`, "\n"), pairLines(s))
}

func TestEveryLabelFormIsRead(t *testing.T) {
	s, err := Parse("forms.yaml", readForms(t))
	require.NoError(t, err)
	require.True(t, s.HasPolicies())
	require.Equal(t, "2026-03-01T08:30:00Z#0123456789ab", s.Revision("0123456789abcdef"))

	author, ok := s.Label("author")
	require.True(t, ok)
	require.Equal(t, Table{"crm", "people"}, author.Table)
	require.Equal(t, []Match{{"kind", "author"}, {"level", "3"}}, author.Match)
	require.Equal(t, []string{"writer"}, author.Synonyms)
	require.Equal(t, "public", author.Policy)
	require.Equal(t, "name", author.Display.Name)
	require.Equal(t, []string{"id", "name"}, propertyNames(author.Default, false))
	require.Equal(t, []string{"name"}, propertyNames(author.Searchable(), false))

	var types []string
	for _, p := range author.Properties {
		types = append(types, p.Name+" "+p.Type.String())
	}
	require.Equal(t, []string{
		"id int64", "name string", "born date", "seen datetime", "rating float", "active bool", "token uuid",
		"fee decimal", "plain_fee decimal", "state enum", "rank enum", "notes json", "bio string",
		"tenant string", "phone string", "email string", "tax int32",
	}, types)

	require.Equal(t, &Property{Name: "name", Description: "As printed.", Synonyms: []string{"title"}, Type: String,
		Column: "full_name", Index: true, Search: true}, author.byName["name"])
	require.Equal(t, &Property{Name: "id", Type: Int64, Column: "id"}, author.byName["id"], "a key is never null")
	require.Equal(t, 2, author.byName["fee"].Scale)
	require.Equal(t, []EnumValue{{Name: "draft"}, {Name: "live"}, {Name: "gone"}}, author.byName["state"].Values)
	require.Equal(t, []EnumValue{{"gold", true, 3}, {"none", true, -1}, {"silver", true, 2}}, author.byName["rank"].Values, "in written order")
	require.Equal(t, 1, author.byName["rank"].EnumIndex("none"))
	require.Equal(t, -1, author.byName["rank"].EnumIndex("tin"))
	require.True(t, author.byName["notes"].NotFilterable)
	require.True(t, author.byName["token"].Unique)
	require.True(t, author.Unique(author.byName["id"]))
	require.False(t, author.Unique(author.byName["token"]), "two may have none")
	require.True(t, author.byName["bio"].NoPatterns)
	require.True(t, author.byName["tenant"].Hidden)
	require.False(t, author.byName["phone"].Hidden)
	require.Equal(t, "last4", author.byName["email"].Mask)
	require.Equal(t, `caller.role == "admin"`, author.byName["email"].VisibleIf)
	require.Equal(t, "null", author.byName["tax"].Mask)

	book, _ := s.Label("book")
	require.Equal(t, []string{"shop", "code"}, propertyNames(book.Key, false))
	require.True(t, book.IsKey(book.byName["code"]))
	require.False(t, book.IsKey(book.byName["authorId"]))
	require.NotNil(t, book.Default)
	require.Empty(t, book.Default, "an empty list shows nothing")
	require.Nil(t, book.Display)

	note, _ := s.Label("note")
	require.Equal(t, Table{Name: "note"}, note.Table)
	require.Equal(t, []string{"id", "kind"}, propertyNames(note.Default, false), "all visible ones by default")

	var sides []string
	for _, p := range s.Outgoing(note) {
		sides = append(sides, p.Type.Name+">"+p.To.Name)
	}
	for _, p := range s.Incoming(note) {
		sides = append(sides, p.From.Name+">"+p.Type.Name)
	}
	require.Equal(t, []string{"ABOUT>author", "ABOUT>note", "EDITED_BY>author", "note>ABOUT", "author>TAGGED"}, sides)
}

// toJSON writes a tree as JSON, its members in their order.
func toJSON(b *strings.Builder, n *yaml.Node) {
	write := func(open, end string, each int) {
		b.WriteString(open)
		for i, c := range n.Content {
			if each == 2 && i%2 == 0 {
				c = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.Value}
			}
			toJSON(b, c)
			switch {
			case each == 2 && i%2 == 0:
				b.WriteString(": ")
			case i < len(n.Content)-1:
				b.WriteString(",\n\t")
			}
		}
		b.WriteString(end)
	}
	switch n.Kind {
	case yaml.MappingNode:
		write("{", "}", 2)
	case yaml.SequenceNode:
		write("[", "]", 1)
	default:
		text, _ := json.Marshal(plain(n))
		b.Write(text)
	}
}

func TestJSONFormIsTheSameSchema(t *testing.T) {
	var root yaml.Node
	require.NoError(t, yaml.Unmarshal(readForms(t), &root))
	var b strings.Builder
	toJSON(&b, root.Content[0])
	fromYAML, err := Parse("forms.yaml", readForms(t))
	require.NoError(t, err)
	fromJSON, err := Parse("forms.json", []byte(b.String()))
	require.NoError(t, err)
	require.Equal(t, fromYAML.Hash(), fromJSON.Hash())
	require.Equal(t, fromYAML.ViewHash(), fromJSON.ViewHash())
	require.Equal(t, pairLines(fromYAML), pairLines(fromJSON))
}

// What a file can leave out and what it can spell out are the same schema.
func TestDefaultsSpelledOutAreTheSameSchema(t *testing.T) {
	short, err := Parse("a.yaml", []byte(`
format: trellis.schema.v1
nodes:
  a: {key: id, properties: {id: int64, x: string}}
  b: {key: id, properties: {id: int64}}
relationships:
  R: {from: a, to: b}
  S: {from: a, to: b, foreign_key: b_id}
`))
	require.NoError(t, err)
	long, err := Parse("b.yaml", []byte(`
format: trellis.schema.v1
revised: 1970-01-01T00:00:00Z
relationships:
  S: {pairs: [{from: a, to: b, foreign_key: {side: from, column: [b_id]}}]}
  R: [{from: a, to: b, table: {name: R}, from_column: [from_id], to_column: to_id, properties: {}}]
nodes:
  b: {table: b, key: [id], properties: {id: {type: int64, column: id, nullable: false}}}
  a: {key: id, default_properties: [id, x], match: {}, properties: {id: int64, x: {type: string, nullable: true, visible: true, synonyms: []}}}
`))
	require.NoError(t, err)
	require.Equal(t, short.Hash(), long.Hash())
	require.Equal(t, "1970-01-01T00:00:00Z", long.Revised().Format("2006-01-02T15:04:05Z07:00"))
}

func TestReading(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadDir(dir)
	require.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(dir+"/schema.json", []byte(`{"format": "trellis.schema.v1", "nodes": {"a": {"key": "id", "properties": {"id": "int64"}}}}`), 0o600))
	s, err := ReadDir(dir)
	require.NoError(t, err)
	_, ok := s.Label("a")
	require.True(t, ok)

	require.NoError(t, os.WriteFile(dir+"/schema.yaml", []byte("nodes: 1"), 0o600))
	_, err = ReadDir(dir)
	require.ErrorContains(t, err, dir+"/schema.yaml:1:1: \"format\" is missing")
	require.ErrorContains(t, err, dir+"/schema.yaml:1:8: expected a map, got 1")
}

func TestUnreadableFiles(t *testing.T) {
	for text, want := range map[string]string{
		"format: x\nnodes: {\"é\xff\": 1}\n":              ":2:11: the file is not UTF-8",
		strings.Repeat(" ", maxBytes+1):                   ":1:1: the file is larger than 1048576 bytes",
		strings.Repeat("[", 40) + strings.Repeat("]", 40): ":1:34: the nesting is deeper than 32",
	} {
		for _, file := range []string{"s.yaml", "s.json"} {
			_, err := Parse(file, []byte(text))
			require.ErrorContains(t, err, file+want)
		}
	}
	_, err := Parse("s.yaml", []byte("format: x\n---\n}"))
	require.EqualError(t, err, "s.yaml:3:1: no YAML: did not find expected node content")
}

func BenchmarkParse(b *testing.B) {
	data := readForms(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("forms.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}
