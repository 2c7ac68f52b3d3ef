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
}

// policyWorld makes a world of three tenants, with relationships between
// their nodes that nobody may see, and the scopes of a few callers.
func policyWorld(seed uint64, strict bool) *world {
	d := newDice(seed, 1)
	m := &policyMaker{dice: newDice(seed, 5), world: randomWorldOf(d, 2), strict: strict, names: pickOne(d, tenantNames),
		keeps: map[string]string{}, walks: map[string]bool{}, owner: map[string]int{}}
	if m.chance(15) {
		m.world.lengthen(m.dice)
	}
	for i, l := range m.world.schema.labels {
		if i > 0 && m.chance(15) {
			m.keeps[l.name] = ""
			continue
		}
		m.properties(l)
	}
	m.tenants()
	m.within()
	for _, l := range m.world.schema.labels {
		m.visibility(l.props, l)
	}
	for _, l := range m.world.schema.labels {
		m.walks[l.name] = !strict && m.chance(40)
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

// policy makes that of a label.
func (m *policyMaker) policy(l *labelSpec) string {
	if m.keeps[l.name] == "" {
		return "public"
	}
	m.hops = 3
	own := "node." + m.keeps[l.name] + " == caller.tenant"
	if m.chance(40) {
		own = "caller.tenant == node." + m.keeps[l.name]
	}
	tree := m.tree("node", l.props, l, 2)
	if m.walks[l.name] && m.chance(60) { // who sees a node sees what it is related to
		if text, ok := m.walk("node", l, 2); ok {
			return pickOne(m.dice, []string{"", "!"}) + text + pickOne(m.dice, []string{"", " && " + m.atom("node", l.props)})
		}
	}
	switch {
	case m.strict && m.chance(50), m.chance(20):
		return own
	case m.strict, m.chance(50):
		return own + " && (" + tree + ")"
	case m.chance(30):
		return own + " || " + tree
	}
	return tree
}

// tree makes a condition on a node or a relationship. Its label, if there is
// one, says where it may walk.
func (m *policyMaker) tree(of string, props []*propSpec, l *labelSpec, depth int) string {
	if depth == 0 || m.chance(45) {
		if l != nil && m.walks[l.name] && m.chance(60) {
			if text, ok := m.walk(of, l, 1+m.IntN(2)); ok {
				return text
			}
		}
		return m.atom(of, props)
	}
	part := func() string { return m.tree(of, props, l, depth-1) }
	switch m.IntN(5) {
	case 0, 1:
		return "(" + part() + " && " + part() + ")"
	case 2, 3:
		return "(" + part() + " || " + part() + ")"
	}
	return "!(" + part() + ")"
}

// walk makes a condition on what a node is related to.
func (m *policyMaker) walk(of string, l *labelSpec, hops int) (string, bool) {
	type move struct {
		typ, way, to string
	}
	var moves []move
	for _, t := range m.world.schema.types {
		for _, p := range t.pairs {
			if p.from == l.name && !m.walks[p.to] {
				moves = append(moves, move{t.name, "outgoing", p.to})
			}
			if p.to == l.name && !m.walks[p.from] {
				moves = append(moves, move{t.name, "incoming", p.from})
			}
		}
	}
	if len(moves) == 0 || m.hops == 0 {
		return "", false
	}
	m.hops--
	to := pickOne(m.dice, moves)
	end := m.world.schema.label(to.to)
	x := "x"
	if of == "x" {
		x = "y"
	}
	inner := m.tree(x, end.props, nil, 1)
	if hops > 1 && m.chance(50) {
		if text, ok := m.walk(x, end, hops-1); ok {
			inner = pickOne(m.dice, []string{text, "(" + inner + " || " + text + ")"})
		}
	}
	return fmt.Sprintf("%s.%s(%s, %s).exists(%s, %s)", of, to.way, quotedText(to.typ), quotedText(to.to), x, inner), true
}

// atom makes a single condition.
func (m *policyMaker) atom(of string, props []*propSpec) string {
	if m.chance(12) || len(props) == 0 {
		return m.onCaller()
	}
	p := pickOne(m.dice, props)
	name := of + "." + p.name
	if !p.required && m.chance(12) {
		return name + pickOne(m.dice, []string{" == null", " != null"})
	}
	switch p.name {
	case "tenant", "part":
		return name + " == caller.tenant"
	case "team":
		return name + " in caller.teams"
	case "path":
		options := []string{name + ".startsWith(caller.path)", "caller.grants.exists(g, " + name + ".startsWith(g.path) && g.level >= 20)"}
		if propNamed(props, "level") != nil {
			options = append(options, "caller.grants.exists(g, "+name+".startsWith(g.path) && "+of+".level <= g.level)")
		}
		return pickOne(m.dice, options)
	case "owner":
		return name + " == caller.principal"
	case "level":
		return name + pickOne(m.dice, []string{" <= caller.level", " < 30", " >= caller.level", " in [0, 20]"})
	}
	sign := pickOne(m.dice, []string{" == ", " != ", " < ", " <= ", " > ", " >= "})
	literal := func() string { return celLiteral(m.value(p)) }
	switch p.typ {
	case schema.Bool:
		return pickOne(m.dice, []string{name, "!" + name, name + " == true", name + " != true"})
	case schema.Int32, schema.Int64:
		return pickOne(m.dice, []string{name + sign + fmt.Sprint(m.IntN(6)), fmt.Sprintf("%s in [%d, %d]", name, m.IntN(6), m.IntN(6)), name + " <= caller.level"})
	case schema.Float, schema.Date, schema.DateTime:
		return name + sign + literal()
	case schema.String:
		return pickOne(m.dice, []string{name + sign + literal(), name + ".contains(\"e\")", name + ".endsWith(\"d\")", fmt.Sprintf("%s in [%s, %s]", name, literal(), literal())})
	case schema.Enum, schema.UUID:
		return pickOne(m.dice, []string{name + " == " + literal(), name + " != " + literal(), fmt.Sprintf("%s in [%s, %s]", name, literal(), literal())})
	}
	return name + " != null"
}

// onCaller makes a condition on the caller alone.
func (m *policyMaker) onCaller() string {
	return pickOne(m.dice, []string{
		`caller.role == "admin"`, `caller.role != "user"`, `"audit" in caller.roles`, `caller.vip`, `caller.level >= 20`, `has(caller.boss)`,
		`!has(caller.boss)`, `!(caller.role == "admin")`, `caller.role in ["admin", "user"]`, `(caller.vip || caller.level < 10)`,
	})
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
