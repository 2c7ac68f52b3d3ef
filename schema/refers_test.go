package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// Every way to tell the id of another node: a foreign key on either side, columns of
// a join table that is a label's own too, a polymorphic reference, a list of ids, a
// composite key, and a whole record.
const telling = `
format: trellis.schema.v1
nodes:
  item:
    key: id
    policy: public
    display: maker_id
    default_properties: [id, maker_id, parts, title]
    records: {document: record, tools: [list, get, list_ids], summary: [maker_id, title], filters: {maker: MADE_BY}}
    properties:
      id: string
      title: string
      maker_id: {type: string, index: true, search: true, exposes_key: true}
      about_id: {type: string, exposes_key: true}
      parts: {type: json, refers: HAS, exposes_key: true}
      shop_town: {type: string, exposes_key: true}
      masked: {type: string, column: other_id, visible: caller.boss, mask: hash, exposes_key: true}
      record: {type: json, exposes_key: true}
      part_id: {type: string, exposes_key: true}
  maker: {key: id, policy: caller.makers, properties: {id: string}}
  part: {key: id, policy: caller.parts, properties: {id: string}}
  shop: {key: [town, nr], policy: caller.shops, properties: {town: string, nr: int32}}
  stock:
    table: stock
    key: [item_id, maker_id]
    policy: public
    properties: {item_id: {type: string, exposes_key: true}, maker_id: {type: string, exposes_key: true}, from_part: {type: string, exposes_key: true}, to_part: {type: string, exposes_key: true}}
relationships:
  MADE_BY: {from: item, to: maker, foreign_key: maker_id, policy: '!caller.blind', description: Who made it.}
  OTHER: {from: item, to: maker, foreign_key: other_id}
  USED_IN: {from: part, to: item, foreign_key: {side: to, column: part_id}}
  ABOUT: {from: item, to: {type_column: about, id_column: about_id, values: {Maker: maker, Part: part}}}
  HAS:
    description: All.
    pairs:
      - {from: item, to: part, description: Its parts.}
      - {from: item, to: shop, table: has_shop, to_column: [town, nr], description: Its shops.}
  SOLD: {from: item, to: shop, foreign_key: [shop_town, shop_nr]}
  STOCKED: {from: item, to: maker, table: stock, from_column: item_id, to_column: maker_id}
  MOVED: {from: part, to: part, table: stock, from_column: from_part, to_column: to_part, policy: '!caller.blind'}
`

// What is a reference to what a caller sees nothing of is hidden, wherever the id
// stands; the key stays.
func TestReferencesToTheInvisible(t *testing.T) {
	base, err := Parse("t.yaml", []byte(strings.Replace(telling, "records: {document: record, tools", "records: {tools", 1)))
	require.NoError(t, err)
	whole, err := Parse("t.yaml", []byte(strings.Replace(telling, "visible: caller.boss, mask: hash, ", "", 1)))
	require.NoError(t, err)
	for _, c := range []struct {
		name, claims              string
		item, stock, summary      string
		shown, filters, described string
		document                  bool
	}{
		{"all", "makers parts shops boss", "id title maker_id about_id parts shop_town masked record part_id", "item_id maker_id from_part to_part", "maker_id title",
			"id maker_id parts title", "maker maker.id", "All. Its parts. Its shops.", true},
		{"no shops", "makers parts", "id title maker_id about_id masked record part_id", "item_id maker_id from_part to_part", "maker_id title",
			"id maker_id title", "maker maker.id", "All. Its parts.", false},
		{"no makers", "parts shops boss", "id title parts shop_town record part_id", "item_id maker_id from_part to_part", "title",
			"id parts title", "", "All. Its parts. Its shops.", false},
		{"no parts", "makers shops boss", "id title maker_id shop_town masked record", "item_id maker_id", "maker_id title",
			"id maker_id title", "maker maker.id", "All. Its shops.", false},
		{"nothing but items", "", "id title record", "item_id maker_id", "title", "id title", "", "", false},
		// Of a relationship that nobody may see, the property that is it tells nothing;
		// the columns of a join table are about nodes.
		{"blind", "makers parts shops boss blind", "id title about_id parts shop_town masked record part_id", "item_id maker_id from_part to_part", "title",
			"id parts title", "", "All. Its parts. Its shops.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			had := map[string]any{"blind": false, "makers": false, "parts": false, "shops": false, "boss": false}
			for _, name := range strings.Fields(c.claims) {
				had[name] = true
			}
			view, err := base.View(&graph.Scope{Claims: had})
			require.NoError(t, err)
			s := view.Schema()
			seen := func(label string) string {
				l, ok := s.Label(label)
				require.True(t, ok)
				return strings.Join(propertyNames(l.Properties, true), " ")
			}
			require.Equal(t, c.item, seen("item"))
			require.Equal(t, c.stock, seen("stock"))
			item, _ := s.Label("item")
			require.Equal(t, c.shown, strings.Join(propertyNames(item.Default, false), " "))
			require.Equal(t, c.summary, strings.Join(propertyNames(item.Records.Summary, false), " "))
			_, filters := told(item.Records)
			require.Equal(t, c.filters, strings.Join(filters, " "))
			require.Equal(t, strings.Contains(c.item, "maker_id"), item.Display != nil)
			require.Equal(t, strings.Contains(c.item, "maker_id"), len(item.Searchable()) == 1)
			if has, ok := s.Relationship("HAS"); ok {
				require.Equal(t, c.described, has.Description)
			} else {
				require.Empty(t, c.described)
			}

			view, err = whole.View(&graph.Scope{Claims: had})
			require.NoError(t, err)
			item, _ = view.Schema().Label("item")
			record, _ := item.Property("record")
			require.Equal(t, c.document, item.Records.Document != nil)
			require.Equal(t, c.document, !record.Hidden)
		})
	}
	require.True(t, base.HasPolicies())
}

func TestReferencesAreChecked(t *testing.T) {
	const shop = `
format: trellis.schema.v1
nodes:
  item: {key: id, properties: {id: {type: string, KEY}, tags: {type: json, PROPERTY}}}
  tag: {key: id, properties: {id: string}}
relationships:
  TAGGED: {from: item, to: tag, properties: {note: {type: json, PAIR}}}
  OF: {from: tag, to: item}
`
	parse := func(at, what string) error {
		_, err := Parse("s.yaml", []byte(strings.NewReplacer(at, what, "KEY", "", "PROPERTY", "", "PAIR", "").Replace(shop)))
		return err
	}
	require.NoError(t, parse("PROPERTY", "refers: TAGGED"))
	require.ErrorContains(t, parse("PROPERTY", "refers: TAGED"), `"TAGED" is no relationship type; did you mean "TAGGED"?`)
	require.ErrorContains(t, parse("PROPERTY", "refers: OF"), `"OF" does not lead from "item" anywhere`)
	require.ErrorContains(t, parse("KEY", "refers: TAGGED"), `"id" is the key, which is the node's own`)
	require.ErrorContains(t, parse("PAIR", "refers: TAGGED"), `only a node's property refers to other nodes, and "note" is a relationship's`)

	_, err := Parse("s.yaml", []byte(strings.Replace(telling, "refers: HAS, exposes_key: true", "refers: HAS", 1)))
	require.ErrorContains(t, err, `the property "parts" refers to other nodes for HAS (policies may hide those nodes but not their ids here; use the relationship, or say `+"`exposes_key: true`)")
	_, err = New(Definition{Nodes: []NodeDefinition{{Label: "a", Key: []string{"id"}, Properties: []PropertyDefinition{{Name: "id", Type: String, Without: []string{"x"}}}}}})
	require.ErrorContains(t, err, `only json has members to be shown without, and "id" is of type string`)
}

// The descriptions of a type and of its pairs are one text, which has a length.
func TestDescriptionsOfPairs(t *testing.T) {
	def := library()
	r := &def.Relationships[0]
	r.Description = strings.Repeat("x", MaxDescription-1)
	for i := range r.Pairs {
		r.Pairs[i].Description = "yy"
	}
	_, err := New(def)
	require.ErrorContains(t, err, "the descriptions of the type and of its pairs are together longer than")
	r.Description = ""
	s, err := New(def)
	require.NoError(t, err)
	typ, _ := s.Relationship(r.Type)
	require.Equal(t, "yy", typ.Description, "said once")
	back, err := FromDocument(s.Document())
	require.NoError(t, err)
	require.Equal(t, s.Hash(), back.Hash())
}
