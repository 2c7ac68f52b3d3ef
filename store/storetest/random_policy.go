package storetest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// tenantNames are tenants that an engine may take for each other.
var tenantNames = [][3]string{
	{"acme", "globex", "initech"}, {"acme", "Acme", "acme "}, {"a%", "a_", "ab"}, {"é", "e\u0301", "e"}, {"' OR 1=1", "' OR '1'='1", "--"},
}

var (
	teamNames = []string{"red", "Red", "blue", "réd", "blue ", "%"}
	pathNames = []string{"/", "/a", "/a/", "/a/b", "/ab", "/A/b", "/a%/", "/a_b/", "/á/"}
	roleNames = []string{"admin", "user", "Admin"}
)

// A policyMaker gives a world tenants, and its schema policies.
type policyMaker struct {
	dice
	world *world
	names [3]string
	// strict says that nobody sees anything of another tenant.
	strict bool
	// keeps is the property that holds a label's tenant, "" where the label is
	// open to all.
	keeps map[string]string
	// walks are the labels whose policies walk.
	walks map[string]bool
	// owner is the tenant of a node, by its key's text.
	owner map[string]int
	// hops are what a policy may still walk.
	hops int
	// negated says that the condition in the making stands under an odd number of
	// negations, where walks go only over what is open to all.
	negated bool
	// open are the pairs of such walks.
	open map[*pairSpec]bool
}

// policyWorld makes a world of three tenants, with relationships between
// their nodes that nobody may see, and the scopes of a few callers.
func policyWorld(seed uint64, strict bool) *world {
	d := newDice(seed, 1)
	m := &policyMaker{dice: newDice(seed, 5), world: randomWorldOf(d, 2), strict: strict, names: pickOne(d, tenantNames),
		keeps: map[string]string{}, walks: map[string]bool{}, owner: map[string]int{}, open: map[*pairSpec]bool{}}
	m.world.negated = map[string]bool{}
	if m.chance(15) {
		m.world.lengthen(m.dice)
	}
	for i, l := range m.world.schema.labels {
		if i > 0 && m.chance(25) {
			m.keeps[l.name] = ""
			continue
		}
		m.properties(l)
	}
	for _, l := range m.world.schema.labels {
		if p := l.prop(m.keeps[l.name]); p != nil {
			p.unique = false // all of a tenant have the same
		}
	}
	m.tenants()
	m.world.keepUnique()
	m.within()
	for _, l := range m.world.schema.labels {
		m.visibility(l.props, l)
	}
	for _, l := range m.world.schema.labels {
		m.walks[l.name] = !strict && m.keeps[l.name] != "" && m.chance(50)
	}
	for _, l := range m.world.schema.labels {
		l.policy = m.policy(l)
	}
	m.relationships()
	m.callers()
	return m.world
}

// properties adds to a label what policies ask for.
func (m *policyMaker) properties(l *labelSpec) {
	add := func(name string, typ schema.Type, required bool) {
		p := &propSpec{name: name, typ: typ, required: required}
		if l.kind != "" {
			p.column = l.name + "_" + name
		}
		l.props = append(l.props, p)
	}
	if len(l.key) > 1 && m.chance(60) {
		m.keeps[l.name] = l.key[0] // equal numbers in each tenant
	} else {
		m.keeps[l.name] = "tenant"
		add("tenant", schema.String, m.chance(70))
		l.props[len(l.props)-1].hidden = m.chance(70)
	}
	for _, name := range some(m.dice, []string{"team", "path", "owner", "level"}, 1, 4) {
		typ := schema.String
		if name == "level" {
			typ = schema.Int32
		}
		add(name, typ, m.chance(50))
		switch last := l.props[len(l.props)-1]; m.IntN(3) {
		case 0:
			last.hidden = true
		case 1:
			last.visibleIf = m.onCaller()
		}
	}
}

func nodeText(id graph.NodeID) string { return id.Label + "\x00" + id.ID.String() }

// idOf is the id of a node in the making.
func (w *world) idOf(n nodeSpec) graph.NodeID {
	l := w.schema.label(n.label)
	var key []graph.Value
	for _, k := range l.key {
		key = append(key, n.values[k])
	}
	if len(key) > 1 {
		return graph.NodeID{Label: n.label, ID: graph.List(key...)}
	}
	return graph.NodeID{Label: n.label, ID: key[0]}
}

// tenants gives each node to a tenant, mostly that of a node it is related to.
func (m *policyMaker) tenants() {
	near := map[string][]string{}
	for _, r := range m.world.rels {
		a, b := nodeText(r.from), nodeText(r.to)
		near[a], near[b] = append(near[a], b), append(near[b], a)
	}
	renamed := map[string]graph.NodeID{}
	count := map[string]int{}
	for i, n := range m.world.nodes {
		old := m.world.idOf(n)
		tenant := m.IntN(3)
		if list := near[nodeText(old)]; len(list) > 0 && m.chance(85) {
			if t, ok := m.owner[pickOne(m.dice, list)]; ok {
				tenant = t
			}
		}
		m.owner[nodeText(old)] = tenant
		m.values(n, tenant, i)
		if l := m.world.schema.label(n.label); m.keeps[n.label] == l.key[0] && len(l.key) > 1 {
			at := fmt.Sprint(n.label, tenant)
			count[at]++
			n.values[l.key[1]] = graph.Int(int64(count[at]))
		}
		renamed[nodeText(old)] = m.world.idOf(n)
	}
	owners := map[string]int{}
	for old, id := range renamed {
		owners[nodeText(id)] = m.owner[old]
	}
	for i := range m.world.rels {
		r := &m.world.rels[i]
		r.from, r.to = renamed[nodeText(r.from)], renamed[nodeText(r.to)]
	}
	m.owner = owners
}

// within adds relationships between nodes of one tenant.
func (m *policyMaker) within() {
	if len(m.world.nodes) == 0 {
		return
	}
	c := &changer{dice: m.dice, world: m.world, made: 500}
	for _, t := range m.world.schema.types {
		for _, p := range t.pairs {
			for range 24 {
				r := relSpec{typ: t.name, from: m.world.idOf(pickOne(m.dice, m.world.nodes)), to: m.world.idOf(pickOne(m.dice, m.world.nodes)), values: map[string]graph.Value{}}
				if r.from.Label == p.from && r.to.Label == p.to && m.owner[nodeText(r.from)] == m.owner[nodeText(r.to)] {
					c.made++
					c.fill(&r, p, c.made)
					c.add(r)
				}
			}
		}
	}
}

// values gives a node the values that policies ask for, and canaries.
func (m *policyMaker) values(n nodeSpec, tenant, i int) {
	l := m.world.schema.label(n.label)
	if m.keeps[n.label] == "" {
		return
	}
	n.values[m.keeps[n.label]] = graph.String(m.names[tenant])
	for _, p := range l.props {
		set := func(v graph.Value) {
			if p.required || m.chance(80) {
				n.values[p.name] = v
			}
		}
		switch p.name {
		case "team":
			set(graph.String(pickOne(m.dice, teamNames)))
		case "path":
			set(graph.String(pickOne(m.dice, pathNames) + pickOne(m.dice, []string{"", "x", "/x"})))
		case "owner":
			set(graph.String(pickOne(m.dice, []string{"ada", "Ada", "bob"})))
		case "level":
			set(graph.Int(int64(m.IntN(5) * 10)))
		case "name", "title", "s":
			if m.chance(40) {
				n.values[p.name] = graph.String(canary(tenant, i))
			}
		}
	}
}

// canary is a text that only one tenant has.
func canary(tenant, n int) string { return fmt.Sprintf("%s%d-%d", canaryWord(tenant), tenant, n) }

// canaryWord begins all canaries of a tenant, and nothing else.
func canaryWord(tenant int) string { return [...]string{"cnryA", "cnryB", "cnryC", "cnryX"}[tenant] }

// nobody has the canaries of relationships between tenants.
const nobody = 3

// relationships gives pairs policies, and texts canaries.
func (m *policyMaker) relationships() {
	for _, t := range m.world.schema.types {
		for _, p := range t.pairs {
			if p.form == polymorphic {
				continue // written once for all its pairs
			}
			m.visibility(p.props, nil)
			switch {
			case m.open[p]:
			case len(p.props) > 0 && m.chance(30):
				p.policy = m.tree("relationship", p.props, nil, 2)
			case m.chance(12):
				p.policy = m.onCaller()
			}
		}
	}
	for i, r := range m.world.rels {
		a, okA := m.owner[nodeText(r.from)], m.keeps[r.from.Label] != ""
		b, okB := m.owner[nodeText(r.to)], m.keeps[r.to.Label] != ""
		of := a
		switch {
		case !okA && !okB:
			continue
		case okA && okB && a != b:
			of = nobody
		case !okA:
			of = b
		}
		for name, v := range r.values {
			if name == "note" && v.Kind() == graph.KindString && m.chance(50) {
				r.values[name] = graph.String(canary(of, i))
			}
		}
	}
}

// visibility hides and masks some properties.
func (m *policyMaker) visibility(props []*propSpec, l *labelSpec) {
	for _, p := range props {
		switch {
		case l != nil && (l.isKey(p.name) || l.display == p.name), l == nil && (p.name == "k" || p.name == "w"), p.hidden, p.visibleIf != "":
			continue
		case !p.search && m.chance(12) && (l == nil || !slices.Contains(l.defaults, p.name)):
			p.hidden = true
		case m.chance(20):
			p.visibleIf = m.onCaller()
			if m.chance(60) {
				p.mask = "null"
				if p.typ == schema.String {
					p.mask = pickOne(m.dice, []string{"null", "hash", "last4"})
				}
			}
		}
	}
}

// callers makes the scopes: one of each tenant, and one more.
func (m *policyMaker) callers() {
	for i := range 4 {
		s := &graph.Scope{Tenant: m.names[i%3], Principal: pickOne(m.dice, []string{"ada", "bob"}), TokenID: fmt.Sprint("token", i), Claims: map[string]any{}}
		claim := func(name string, percent int, v any) {
			if m.chance(percent) {
				s.Claims[name] = v
			}
		}
		claim("role", 85, pickOne(m.dice, roleNames))
		claim("vip", 80, m.chance(50))
		claim("boss", 50, "zed")
		claim("path", 85, pickOne(m.dice, pathNames))
		n := m.IntN(5) * 10
		claim("level", 85, pickOne(m.dice, []any{n, int64(n), float64(n), uint8(n), json.Number(fmt.Sprint(n))}))
		teams := some(m.dice, teamNames, 0, 3)
		claim("teams", 85, teams)
		claim("roles", 80, []any{pickOne(m.dice, []string{"audit", "Audit"}), "read"}[:m.IntN(3)])
		var grants []any
		for range m.IntN(4) {
			g := map[string]any{"path": pickOne(m.dice, pathNames), "level": m.IntN(4) * 10}
			if m.chance(10) {
				delete(g, "level")
			}
			grants = append(grants, g)
		}
		claim("grants", 85, grants)
		m.world.scopes = append(m.world.scopes, s)
	}
}
