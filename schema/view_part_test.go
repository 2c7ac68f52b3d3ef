package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

const company = `
format: trellis.schema.v1
nodes:
  person:
    key: id
    display: name
    default_properties: [id, name, email, pay]
    policy: public
    properties:
      id: int64
      name: {type: string, search: true, visible: caller.staff}
      email: {type: string, search: true, visible: 'caller.role == "admin"', mask: last4}
      pay: {type: decimal, scale: 2, visible: 'caller.role == "admin"', mask: null}
      note: {type: string, visible: 'caller.role in ["admin", "hr"]'}
      secret: {type: string, visible: false}
  file: {key: id, policy: 'caller.staff && node.dept == caller.dept', properties: {id: int64, dept: {type: string, visible: false}}}
  audit: {key: id, policy: 'caller.role == "admin"', properties: {id: int64}}
relationships:
  KNOWS: {from: person, to: person, key: id, properties: {id: int64, since: {type: date, visible: caller.staff}}}
  OWNS: {policy: relationship.open || caller.staff, from: person, to: file, properties: {open: bool}}
  LOGGED: {from: audit, to: person}
  TOUCHED:
    - {from: person, to: file, table: t1}
    - {from: person, to: audit, table: t2}
    - {from: person, to: person, table: t3, policy: 'caller.role == "admin"'}
  SECRET: {from: person, to: person, table: t4, policy: 'caller.role == "admin"'}
  FILED: {from: file, to: person, foreign_key: person_id}
`

func TestViewsShowAPart(t *testing.T) {
	base, err := Parse("c.yaml", []byte(company))
	require.NoError(t, err)
	names := func(props []*Property) (out []string) {
		for _, p := range props {
			switch {
			case p.Hidden:
				out = append(out, "-"+p.Name)
			case p.Masked != "":
				out = append(out, p.Name+"="+p.Masked)
			default:
				out = append(out, p.Name)
			}
		}
		return out
	}
	pairs := func(list []*Pair) (out []string) {
		for _, p := range list {
			out = append(out, p.From.Name+" "+p.Type.Name+" "+p.To.Name)
		}
		return out
	}
	for _, c := range []struct {
		name                        string
		scope                       *graph.Scope
		labels, types               []string
		person, shown, searched     []string
		display                     string
		outgoing, incoming, knows   []string
		fileGuard, ownsGuard, whole string
	}{
		{
			name: "a stranger", scope: &graph.Scope{},
			labels: []string{"person"}, types: []string{"KNOWS"},
			person: []string{"id", "-name", "email=last4", "pay=null", "-note", "-secret"},
			shown:  []string{"id", "email=last4", "pay=null"},
			knows:  []string{"id", "-since"}, outgoing: []string{"person KNOWS person"}, incoming: []string{"person KNOWS person"},
		},
		{
			name: "staff", scope: claims("staff", true, "dept", "it"),
			labels: []string{"file", "person"}, types: []string{"FILED", "KNOWS", "OWNS", "TOUCHED"},
			person: []string{"id", "name", "email=last4", "pay=null", "-note", "-secret"},
			shown:  []string{"id", "name", "email=last4", "pay=null"}, searched: []string{"name"}, display: "name",
			knows:    []string{"id", "since"},
			outgoing: []string{"person KNOWS person", "person OWNS file", "person TOUCHED file"}, incoming: []string{"file FILED person", "person KNOWS person"},
			fileGuard: `dept eq "it"`, ownsGuard: "open",
		},
		{
			name: "an admin of staff", scope: claims("staff", true, "dept", "it", "role", "admin"), whole: "whole",
			labels: []string{"audit", "file", "person"}, types: []string{"FILED", "KNOWS", "LOGGED", "OWNS", "SECRET", "TOUCHED"},
			person: []string{"id", "name", "email", "pay", "note", "-secret"},
			shown:  []string{"id", "name", "email", "pay"}, searched: []string{"name", "email"}, display: "name",
			knows:     []string{"id", "since"},
			outgoing:  []string{"person KNOWS person", "person OWNS file", "person SECRET person", "person TOUCHED file", "person TOUCHED audit", "person TOUCHED person"},
			incoming:  []string{"file FILED person", "person KNOWS person", "audit LOGGED person", "person SECRET person", "person TOUCHED person"},
			fileGuard: `dept eq "it"`, ownsGuard: "open",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := base.View(c.scope)
			require.NoError(t, err)
			s := v.Schema()
			var labels, types []string
			for l := range s.Labels() {
				labels = append(labels, l.Name)
				same, _ := s.Label(l.Name)
				require.Same(t, l, same)
				for _, p := range slices.Concat(l.Key, l.Default, l.Searchable()) {
					own, _ := l.Property(p.Name)
					require.Same(t, own, p, "the view's own")
					require.Contains(t, l.Properties, p)
				}
			}
			for r := range s.Relationships() {
				types = append(types, r.Name)
				for _, p := range r.Pairs {
					require.Same(t, r, p.Type)
					require.Same(t, s.byLabel[p.From.Name], p.From)
					require.Same(t, s.byLabel[p.To.Name], p.To)
					if p.Holder != nil {
						require.Same(t, s.byLabel[p.Holder.Name], p.Holder)
					}
					if p.Key != nil {
						require.Same(t, p.byName[p.Key.Name], p.Key)
					}
				}
			}
			require.Equal(t, c.labels, labels)
			require.Equal(t, c.types, types)
			person, _ := s.Label("person")
			require.Equal(t, c.person, names(person.Properties))
			require.Equal(t, c.shown, names(person.Default))
			require.Equal(t, c.searched, names(person.Searchable()))
			if c.display == "" {
				require.Nil(t, person.Display)
			} else {
				require.Equal(t, c.display, person.Display.Name)
			}
			require.Equal(t, c.outgoing, pairs(s.Outgoing(person)))
			require.Equal(t, c.incoming, pairs(s.Incoming(person)))
			knows, _ := s.Relationship("KNOWS")
			require.Equal(t, c.knows, names(knows.Pairs[0].Properties))
			require.Equal(t, c.whole != "", s == base)
			require.Equal(t, c.whole != "", s.Hash() == base.Hash())
			require.Equal(t, c.whole != "", s.ViewHash() == base.ViewHash())
			require.Equal(t, base.Revised(), s.Revised())
			if file, ok := s.Label("file"); ok {
				owns, _ := s.Relationship("OWNS")
				require.Equal(t, c.fileGuard, filterText(v.Guard(file)))
				require.Equal(t, c.ownsGuard, filterText(v.PairGuard(owns.Pairs[0])))
			}
			require.Nil(t, v.Guard(person))
			require.Nil(t, v.PairGuard(knows.Pairs[0]))
			if s != base {
				require.Equal(t, graph.Or{}, v.Guard(base.byLabel["person"]), "of another schema's label nothing is known, so nothing is shown")
				require.Equal(t, graph.Or{}, v.PairGuard(base.byType["KNOWS"].Pairs[0]))
			}
		})
	}
	require.Equal(t, []string{"id", "name", "email", "pay"}, names(base.byLabel["person"].Default), "the schema itself is as it was")
}

// Two callers see different parts, and the hash of each says so.
func TestViewHashesDiffer(t *testing.T) {
	base, err := Parse("c.yaml", []byte(company))
	require.NoError(t, err)
	hashes, shown := map[string]bool{}, map[string]bool{}
	for _, scope := range []*graph.Scope{{}, claims("staff", true, "dept", "a"), claims("role", "hr"), claims("role", "admin"), claims("staff", true, "dept", "a", "role", "admin")} {
		v, err := base.View(scope)
		require.NoError(t, err)
		require.Len(t, v.Schema().Hash(), 64)
		hashes[v.Schema().Hash()], shown[v.Schema().ViewHash()] = true, true
	}
	require.Len(t, hashes, 5)
	require.Len(t, shown, 5)
	// The same structure in another schema is another thing, even if it looks
	// the same.
	other, err := Parse("c.yaml", []byte(strings.Replace(company, "display: name", "display: name\n    table: people", 1)))
	require.NoError(t, err)
	a, err := base.View(&graph.Scope{})
	require.NoError(t, err)
	b, err := other.View(&graph.Scope{})
	require.NoError(t, err)
	require.NotEqual(t, a.Schema().Hash(), b.Schema().Hash())
	require.Equal(t, a.Schema().ViewHash(), b.Schema().ViewHash())
}

// A schema without policies is its own view, for anyone.
func TestViewsWithoutPolicies(t *testing.T) {
	s, err := New(library())
	require.NoError(t, err)
	for _, scope := range []*graph.Scope{nil, {}, claims("a", 1)} {
		v, err := s.View(scope)
		require.NoError(t, err)
		require.Same(t, s, v.Schema())
		require.Nil(t, v.Guard(s.byLabel["author"]))
		require.Nil(t, v.PairGuard(s.byType["WROTE"].Pairs[0]))
	}
}

// A walk over what a caller cannot see at all leads nowhere, and a negated one
// over what is open depends on no view.
func TestWalksOverTheInvisible(t *testing.T) {
	schema := `
format: trellis.schema.v1
nodes:
  doc: {key: id, policy: 'node.outgoing("IN").exists(f, f.open)', properties: {id: int64}}
  leaf: {key: id, policy: '!node.outgoing("UNDER").exists(f, f.open) && node.id > 0', properties: {id: int64}}
  folder: {key: id, policy: 'caller.staff', properties: {id: int64, open: bool}}
  branch: {key: id, policy: public, properties: {id: int64, open: bool}}
  twig: {key: id, policy: 'node.outgoing("ON").exists(f, !f.outgoing("UNDER").exists(b, b.open))', properties: {id: int64}}
relationships:
  IN: {from: doc, to: folder, policy: caller.under}
  UNDER:
    - {from: leaf, to: branch, table: u1}
    - {from: folder, to: branch, table: u2}
  ON: {from: twig, to: folder}
`
	const notUnder = "!{outgoing UNDER branch: (open eq true | open is_null true)}"
	s, err := Parse("w.yaml", []byte(schema))
	require.NoError(t, err)
	for _, c := range []struct {
		scope     *graph.Scope
		doc, twig string
	}{
		{claims("staff", true, "under", true), "{outgoing IN folder: open eq true}", "{outgoing ON folder: " + notUnder + "}"},
		{claims("staff", true), "", "{outgoing ON folder: " + notUnder + "}"},
		{claims("under", true), "", ""},
		{claims(), "", ""},
	} {
		v, err := s.View(c.scope)
		require.NoError(t, err)
		guard := func(name string) string {
			if l, ok := v.Schema().Label(name); ok {
				return filterText(v.Guard(l))
			}
			return ""
		}
		require.Equal(t, c.doc, guard("doc"))
		require.Equal(t, c.twig, guard("twig"))
		require.Equal(t, "("+notUnder+" & id gt 0)", guard("leaf"))
	}
}

// FuzzPolicy reads any text as a policy and evaluates it for a few callers.
// Nothing panics, guards are bounded, and they name only what there is.
func FuzzPolicy(f *testing.F) {
	for _, text := range []string{
		`node.tenant == caller.tenant`, `!(node.path in caller.l) || caller.staff`, `caller.o.exists(g, node.path.startsWith(g.path) && g.level >= 20)`,
		`node.outgoing("IN").exists(f, !f.open && f.incoming("OWNS").exists(u, u.id == caller.principal))`, `node.price < -1.50e3 && has(caller.a.b)`,
		`node.day >= date("2026-01-01") || node.at < timestamp("2026-01-01T00:00:00Z") || node.state in ["live"]`, `node.notes == null && "a" in caller.l`,
		`!node.outgoing("IN").exists(f, f.path == caller.a && !f.outgoing("PART_OF").exists(g, g.open))`, `!!node.outgoing("LINKED", "user").exists(u, u.id in caller.l)`,
	} {
		f.Add(text, "a", 3.0, true)
	}
	def, err := definitionOf(policed("public"))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text, word string, n float64, flag bool) {
		def := def
		def.Nodes = slices.Clone(def.Nodes)
		def.Nodes[0].Policy = text
		s, err := New(def)
		if err != nil {
			require.ErrorAs(t, err, new(Problems))
			return
		}
		object := map[string]any{"path": word, "level": n, "a": flag, "b": word, "l": []any{word, n}}
		for _, scope := range []*graph.Scope{
			{Tenant: "t"}, {Tenant: word, Claims: object},
			{Tenant: "t", Claims: map[string]any{"a": object, "o": []any{object, word, nil}, "l": []string{word, "x"}, "staff": flag, "tenant": word}},
		} {
			v, err := s.View(scope)
			if err != nil {
				continue
			}
			if l, ok := v.Schema().Label("doc"); ok {
				requireKnown(t, v.Schema(), l, v.Guard(l))
			}
		}
	})
}

func definitionOf(text string) (Definition, error) {
	doc, problems := readDocument("p.yaml", []byte(text), publishedSchema)
	if len(problems) > 0 {
		return Definition{}, problems
	}
	def, problems := decode(doc.root)
	if len(problems) > 0 {
		return Definition{}, problems
	}
	return def, nil
}

// requireKnown holds a guard to what it promises: known names, typed values,
// negation normal form, bounded size.
func requireKnown(t *testing.T, s *Schema, l *Label, f graph.Filter) {
	comparisons, values := weigh(f)
	require.LessOrEqual(t, comparisons, maxComparisons)
	require.LessOrEqual(t, values, maxGuardValues)
	var walk func(l *Label, f graph.Filter)
	walk = func(l *Label, f graph.Filter) {
		switch f := f.(type) {
		case nil:
		case graph.And:
			for _, p := range f {
				walk(l, p)
			}
		case graph.Or:
			for _, p := range f {
				walk(l, p)
			}
		case graph.Not:
			_, isExists := f.Filter.(graph.Exists)
			c, isCompare := f.Filter.(graph.Compare)
			require.True(t, isExists || isCompare && opposite[c.Op] == "" && c.Op != graph.IsNull)
			walk(l, f.Filter)
		case graph.Compare:
			p, ok := l.Property(f.Property)
			require.True(t, ok, f.Property)
			for _, v := range slices.Concat(f.Value.List(), []graph.Value{f.Value}) {
				if f.Op != graph.IsNull && v.Kind() != graph.KindList {
					same, e := p.Coerce(v, false)
					require.Nil(t, e)
					require.True(t, same.Equal(v))
				}
			}
		case graph.Exists:
			for _, step := range f.Relationships {
				to, ok := s.Label(step.To.Label)
				require.True(t, ok)
				_, ok = s.Relationship(step.Types[0])
				require.True(t, ok)
				walk(to, step.To.Filter)
			}
		default:
			t.Fatalf("no filter: %T", f)
		}
	}
	walk(l, f)
}
