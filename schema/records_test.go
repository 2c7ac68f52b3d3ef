package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

const shop = `
format: trellis.schema.v1
nodes:
  item:
    key: id
    policy: public
    records:
      tools: [list_ids, list]
      description: What the shop sells.
      summary: [title, cost]
      filters:
        tag: TAGGED
        tag_note: {relationship: TAGGED, property: note}
        maker: MADE_BY
    properties:
      id: string
      title: {type: string, index: true}
      cost: {type: int32, index: true, visible: caller.boss}
      maker_id: {type: string, index: true, exposes_key: true}
  tag:
    key: name
    policy: public
    records: true
    properties: {name: string, note: {type: string, visible: caller.boss, mask: "null"}}
  maker:
    key: id
    policy: caller.boss
    properties: {id: string}
relationships:
  TAGGED: {from: item, to: tag}
  MADE_BY: {from: item, to: maker, foreign_key: maker_id}
`

// told is what a caller is offered of the records of items.
func told(r *Records) (summary, filters []string) {
	for _, p := range r.Summary {
		summary = append(summary, p.Name)
	}
	for _, f := range r.Filters {
		filters = append(filters, f.Name+" "+f.Pair.To.Name+"."+f.Property.Name)
	}
	return summary, filters
}

func TestRecordsShowWhatTheCallerSees(t *testing.T) {
	s, err := Parse("s.yaml", []byte(shop))
	require.NoError(t, err)
	item, _ := s.Label("item")
	tag, _ := s.Label("tag")
	maker, _ := s.Label("maker")
	require.Equal(t, []string{"list_item", "list_item_ids"}, item.RecordTools())
	require.Equal(t, []string{"list_tag", "get_tag"}, tag.RecordTools())
	require.Empty(t, maker.RecordTools())
	require.True(t, s.HasRecords())
	makerID, _ := item.Property("maker_id")
	title, _ := item.Property("title")
	require.Equal(t, "MADE_BY", s.Reference(item, makerID).Type.Name)
	require.Nil(t, s.Reference(item, title))

	for _, c := range []struct {
		boss             bool
		summary, filters []string
	}{
		{true, []string{"title", "cost"}, []string{"tag tag.name", "tag_note tag.note", "maker maker.id"}},
		{false, []string{"title"}, []string{"tag tag.name"}},
	} {
		v, err := s.View(&graph.Scope{Claims: map[string]any{"boss": c.boss}})
		require.NoError(t, err)
		seen := v.Schema()
		item, _ := seen.Label("item")
		summary, filters := told(item.Records)
		require.Equal(t, c.summary, summary)
		require.Equal(t, c.filters, filters)
		for _, p := range item.Records.Summary {
			own, _ := item.Property(p.Name)
			require.Same(t, own, p, "they are the view's own")
		}
		makerID, _ := item.Property("maker_id")
		require.Equal(t, c.boss, seen.Reference(item, makerID) != nil)
	}
}

func TestRecordsHaveACanonicalForm(t *testing.T) {
	s, err := Parse("s.yaml", []byte(shop))
	require.NoError(t, err)
	again, err := FromDocument(s.Document())
	require.NoError(t, err)
	require.Equal(t, s.Hash(), again.Hash())
	item, _ := again.Label("item")
	require.Equal(t, "What the shop sells.", item.Records.Description)
	require.True(t, item.Records.List && item.Records.ListIDs && !item.Records.Get)

	hash := func(r *RecordsDefinition) string {
		d := library()
		d.Nodes[0].Records = r
		s, err := New(d)
		require.NoError(t, err)
		return s.Hash()
	}
	require.Equal(t, hash(&RecordsDefinition{}), hash(&RecordsDefinition{Tools: []string{"get", "list"}, Summary: []string{}, Filters: []RecordFilter{}}))
	require.NotEqual(t, hash(nil), hash(&RecordsDefinition{}))
	require.NotEqual(t, hash(&RecordsDefinition{Tools: []string{}}), hash(&RecordsDefinition{}))

	without, err := New(library())
	require.NoError(t, err)
	require.NotContains(t, string(without.Document()), "Records", "schemas of before keep their hashes")
}

// A filter on a text may tell its only values: they are checked as those of an
// enum are, kept by the written form, and part of the hash.
func TestRecordFilterValues(t *testing.T) {
	text := func(values, property string) string {
		return strings.Replace(shop, "relationships:\n", `  shelf:
    key: id
    policy: public
    records: {filters: {mood: {relationship: MOOD, property: `+property+`, values: `+values+`}}}
    properties: {id: string}
  mood: {key: name, policy: public, properties: {name: string, rank: int32}}
relationships:
  MOOD: {from: shelf, to: mood}
`, 1)
	}
	s, err := Parse("s.yaml", []byte(text("[warm, dark]", "name")))
	require.NoError(t, err)
	again, err := FromDocument(s.Document())
	require.NoError(t, err)
	require.Equal(t, s.Hash(), again.Hash())
	shelf, _ := again.Label("shelf")
	f := shelf.Records.Filters[0]
	require.Equal(t, "mood", f.Compared.Name)
	require.Equal(t, []string{"warm", "dark"}, f.Compared.EnumNames())
	require.Equal(t, String, f.Property.Type)

	other, err := Parse("s.yaml", []byte(text("[warm]", "name")))
	require.NoError(t, err)
	require.NotEqual(t, s.Hash(), other.Hash())
	_, err = Parse("s.yaml", []byte(text("[warm, warm]", "name")))
	require.ErrorContains(t, err, `the value "warm" is listed twice`)
	_, err = Parse("s.yaml", []byte(text("[warm]", "rank")))
	require.ErrorContains(t, err, `values are those of a string, and "rank" is of type int32`)
}
