package storetest

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

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
		not, text, ok := "!", "", false
		if m.chance(85) { // few labels are open to all
			m.negated = true
			text, ok = m.walk("node", l, 2)
			m.negated = false
		}
		if !ok {
			not = ""
			text, ok = m.walk("node", l, 2)
		}
		if ok {
			return not + text + pickOne(m.dice, []string{"", " && " + m.atom("node", l.props)})
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
	m.negated = !m.negated
	text := "!(" + part() + ")"
	m.negated = !m.negated
	return text
}

// walk makes a condition on what a node is related to.
func (m *policyMaker) walk(of string, l *labelSpec, hops int) (string, bool) {
	type move struct {
		typ, way, to string
		pair         *pairSpec
	}
	var moves []move
	may := func(to string) bool { return !m.walks[to] && (!m.negated || m.keeps[to] == "") }
	for _, t := range m.world.schema.types {
		for _, p := range t.pairs {
			if p.from == l.name && may(p.to) {
				moves = append(moves, move{t.name, "outgoing", p.to, p})
			}
			if p.to == l.name && may(p.from) {
				moves = append(moves, move{t.name, "incoming", p.from, p})
			}
		}
	}
	if len(moves) == 0 || m.hops == 0 {
		return "", false
	}
	m.hops--
	to := pickOne(m.dice, moves)
	if m.negated {
		m.open[to.pair] = true
	}
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
	text := m.comparison(of, props)
	for _, list := range []string{"teams", "grants", "roles"} {
		if m.negated && strings.Contains(text, "caller."+list) {
			m.world.negated[list] = true
		}
	}
	return text
}

func (m *policyMaker) comparison(of string, props []*propSpec) string {
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
