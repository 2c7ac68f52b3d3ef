package introspect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

// Relationships that would have one name have names of their own, the same ones
// whatever else the database has.
func TestNamesThatMeet(t *testing.T) {
	person := tableOfColumns("people", column("id", schema.Int32))
	post := tableOfColumns("posts", column("id", schema.Int32), column("author_id", schema.Int32), column("author", schema.Int32), column("author_ref", schema.Int32), column("id_author", schema.Int32))
	for _, c := range post.Columns[1:] {
		post.Foreign = append(post.Foreign, ForeignKey{Columns: []string{c.Name}, Table: person.Name})
	}
	page := tableOfColumns("pages", column("id", schema.Int32), column("author_id", schema.Int32))
	page.Foreign = []ForeignKey{{Columns: []string{"author_id"}, Table: person.Name}}
	join := func(name schema.Table) *Table {
		j := tableOfColumns("", column("person_id", schema.Int32), column("post_id", schema.Int32))
		j.Name, j.Primary = name, []string{"person_id", "post_id"}
		j.Foreign = []ForeignKey{{Columns: []string{"person_id"}, Table: person.Name}, {Columns: []string{"post_id"}, Table: post.Name}}
		return j
	}
	likes, others := join(schema.Table{Name: "likes"}), join(schema.Table{Schema: "old", Name: "likes"})
	of := func(tables ...*Table) map[string][]schema.PairDefinition {
		d, _ := mustDraft(t, &Catalog{Tables: tables}, Options{}, nothing)
		out := map[string][]schema.PairDefinition{}
		for _, r := range d.Definition.Relationships {
			out[r.Type] = r.Pairs
		}
		return out
	}
	whole := of(person, post, page, likes, others)
	held := map[string][]string{}
	for name, pairs := range whole {
		for _, p := range pairs {
			at := p.Table.String()
			if p.ForeignKey != nil {
				at = p.From + "." + p.ForeignKey.Columns[0]
			}
			held[name] = append(held[name], at)
		}
	}
	require.Equal(t, map[string][]string{
		"AUTHOR": {"pages.author_id", "posts.author_id"}, "POSTS_AUTHOR": {"posts.author"}, "AUTHOR_REF": {"posts.author_ref"}, "ID_AUTHOR": {"posts.id_author"},
		"LIKES": {"likes"}, "OLD_LIKES": {"old.likes"},
	}, held)
	without := of(person, post, likes)
	for name, pairs := range without {
		require.Subset(t, whole[name], pairs, name)
	}
	require.Len(t, without, 5)
}
