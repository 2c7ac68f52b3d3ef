package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is wrong with a policy is said when the schema loads, with its place.
func TestPolicyMistakes(t *testing.T) {
	for _, c := range []struct{ policy, want string }{
		{`node.titel == "a"`, `1:1: "titel" is no property of "doc"; did you mean "title"?`},
		{`node.tenat == "a"`, `1:1: "tenat" is no property of "doc"; did you mean "tenant"?`},
		{`node.title == "a" && node.x == 1 && node.y == 2`, `1:22: "x" is no property of "doc"` + "\n" + `1:37: "y" is no property of "doc"`},
		{`node == 1`, `1:1: node is no value; name a property of it`},
		{`node.path.a == 1`, `1:1: a property has no parts (write node.path)`},
		{`caller == "a"`, `1:1: the caller is no value; name a claim, such as caller.tenant`},
		{`Caller.a == "a"`, `1:1: there is no "Caller" here; did you mean "caller"? (only node, caller)`},
		{`relationship.since == 1`, `1:1: there is no "relationship" here (only node, caller)`},
		{`node.path`, `1:1: "path" is of type string, which is no condition by itself; compare it`},
		{`1 + 1 == 2`, `1:3: "+" has no place here (` + policySubset + ")"},
		{`node.open ? true : false`, `1:11: "?:" has no place here (` + policySubset + ")"},
		{`node["path"] == "a"`, `1:5: "[ ]" has no place here (` + policySubset + ")"},
		{`caller["a"] == "a"`, `1:7: "[ ]" has no place here (` + policySubset + ")"},
		{`size(node.path) == 1`, `1:1: "size" has no place here (` + policySubset + ")"},
		{`node.path.matches("a")`, `1:1: "matches" has no place here (` + policySubset + ")"},
		{`caller.l.all(g, g)`, `1:1: "all" has no place here (` + policySubset + ")"},
		{`"a"`, `1:1: a literal has no place here (` + policySubset + ")"},
		{`[1]`, `1:1: a list has no place here (` + policySubset + ")"},
		{`{"a": 1}.a`, `1:1: a map has no place here (` + policySubset + ")"},
		{`-node.level == 1`, `1:1: "-" has no place here (` + policySubset + ")"},
		{`node.level == 1u`, `1:15: bytes and unsigned numbers are not supported (` + policySubset + ")"},
		{`node.path == b"a"`, `1:14: bytes and unsigned numbers are not supported (` + policySubset + ")"},
		{`node.path == "a\u0000"`, `1:14: a text must not hold the character NUL`},
		{`node.path == node.tenant`, `1:11: two properties, "path" and "tenant", are compared; one side must be a claim or a literal`},
		{`1 == 1`, `1:3: two literals are compared; one side must be a property or a claim`},
		{`"a" in ["a"]`, `1:9: two literals are compared; one side must be a property or a claim`},
		{`node.open == true && node.level == "3"`, `1:33: "level" is of type int32 and takes an integer, not "3"`},
		{`node.level == 3000000000`, `1:12: 3000000000 is out of range for "level": an integer of 32 bits`},
		{`node.state == "lvie"`, `1:12: "lvie" is not a value of "state"; use one of draft, live; did you mean "live"?`},
		{`node.state < "live"`, `1:12: "state" is of type enum and does not take this comparison`},
		{`node.open < true`, `1:11: "open" is of type bool and does not take this comparison`},
		{`node.notes == "{}"`, `1:12: "notes" is of type json and does not take this comparison`},
		{`node.level.contains("a")`, `1:1: "level" is of type int32 and does not take this comparison`},
		{`node.day == "2026-01-01"`, `1:10: "day" is of type date; write date("2026-11-21")`},
		{`node.at == date("2026-01-01")`, `1:9: "at" is of type datetime; write timestamp("2026-11-21T09:30:00Z")`},
		{`node.day == date("1.1.2026")`, `1:13: date takes one text, such as date("2026-11-21")`},
		{`node.at == timestamp(caller.t)`, `1:12: timestamp takes one text, such as timestamp("2026-11-21T09:30:00Z")`},
		{`caller.at == date("2026-01-01")`, `1:11: claims have no times, so none can be compared with a claim`},
		{`caller.on < true`, `1:11: true and false take == and != only`},
		{`caller.on.contains(3)`, `1:1: only a text can be looked for in a text`},
		{`node.path < null`, `1:11: null takes == and != only`},
		{`node.path.startsWith("")`, `1:22: every text has the empty text in it; look for something`},
		{`node.path.startsWith()`, `1:1: startsWith takes one text`},
		{`caller.path.startsWith(node.path)`, `1:1: the text that is looked into must be a property or a claim, and what is looked for a claim or a literal`},
		{`node.path in node.path`, `1:14: in takes a list: of the caller, or written out (such as ["a", "b"])`},
		{`node.path in [node.tenant]`, `1:15: a list holds claims and literals only`},
		{`node.path in [null]`, `1:15: null is not a value to look for (compare with null)`},
		{`null in caller.l`, `1:6: null is in no list`},
		{`node.state in ["live", "x"]`, `1:24: "x" is not a value of "state"; use one of draft, live`},
		{`has(node.path)`, `1:1: has is about claims (a property is compared with null: node.path != null)`},
		{`has(caller)`, `1:1: has takes one claim, such as has(caller.level)`},
		{`caller.l.exists(g)`, `1:1: exists takes a name and a condition, such as exists(g, g.level > 3)`},
		{`caller.l.exists(caller, true)`, `1:17: the name "caller" is taken here; use another`},
		{`caller.l.exists(g, g.m.exists(g, true))`, `1:31: the name "g" is taken here; use another`},
		{`caller.l.exists(g, g == 1) && g == 1`, `1:31: there is no "g" here (only node, caller)`},
		{`node.path.exists(g, true)`, `1:1: exists goes over a list of the caller, or over nodes (such as caller.groups, or node.outgoing("TYPE"))`},
		{`node.outgoing("IN")`, `1:1: "outgoing" has no place here (` + policySubset + ")"},
		{`node.outgoing("INN").exists(f, true)`, `1:1: there is no relationship type "INN"; did you mean "IN"?`},
		{`node.outgoing("IN", "foldr").exists(f, true)`, `1:1: there is no label "foldr"; did you mean "folder"?`},
		{`node.outgoing("IN", "user").exists(f, true)`, `1:1: IN of "doc" does not lead to "user" (but to "folder")`},
		{`node.incoming("IN").exists(f, true)`, `1:1: no IN is incoming at "doc" (it is in the other direction)`},
		{`node.outgoing("OWNS").exists(f, true)`, `1:1: no OWNS is outgoing at "doc"`},
		{`node.outgoing("LINKED").exists(f, true)`, `1:1: LINKED of "doc" leads to several labels; name one (one of "folder", "user")`},
		{`node.outgoing(caller.t).exists(f, true)`, `1:1: outgoing takes a relationship type and, if there are several, a label: outgoing("TYPE", "label")`},
		{`node.outgoing("IN").exists(f, f.name == "a")`, `1:31: "name" is no property of "folder"`},
		{`node.outgoing("IN").exists(f, node.open)`, `1:31: there is no "node" here (only f, caller)`},
		{`node.outgoing("IN").exists(f, node.outgoing("IN").exists(g, true))`, `1:31: a walk does not start here (write f.outgoing)`},
		{`caller.outgoing("IN").exists(f, true)`, `1:1: a walk does not start here (write node.outgoing)`},
		{`node.outgoing("IN").exists(f, f.outgoing("PART_OF").exists(g, g.outgoing("PART_OF").exists(h, h.outgoing("PART_OF").exists(i, true))))`, `1:95: a policy walks at most 3 hops`},
		{"node.open &&\n  node.x", `2:3: "x" is no property of "doc"`},
		{`"ä" == caller.a && node.x`, `1:20: "x" is no property of "doc"`},
		{`node.open &&`, `1:13: the expression ends where more is expected`},
		{`node.open == `, `1:14: the expression ends where more is expected`},
		{`node.open) `, `1:10: unexpected token after expression`},
	} {
		_, err := Parse("p.yaml", []byte(policed(c.policy)))
		require.Error(t, err, c.policy)
		var got []string
		for _, p := range err.(Problems) {
			require.Equal(t, "/nodes/doc/policy", p.Path)
			text := Problem{Message: p.Message, Hint: p.Hint, DidYouMean: p.DidYouMean}.String()
			got = append(got, strings.Replace(strings.TrimPrefix(text, "at "), " of the expression", "", 1))
		}
		require.Equal(t, c.want, strings.Join(got, "\n"), c.policy)
	}
}

func TestPolicyLimits(t *testing.T) {
	for _, c := range []struct {
		policy, want string
	}{
		{`node.path in [` + strings.Repeat(`"a",`, 600) + `"a"]`, "the expression has 605 parts, and 500 are the most"},
		{strings.Repeat("(", 70) + "node.open" + strings.Repeat(")", 70), "nests deeper than 64 levels"},
		{"node.path == '" + strings.Repeat("a", 4100) + "'", "the expression is longer than 4096 bytes or is not UTF-8"},
		{"node.path == '\xff'", "the expression is longer than 4096 bytes or is not UTF-8"},
		{"node.path == '\x00'", "the expression holds the character NUL"},
	} {
		d := library()
		d.Nodes[0].Properties = append(d.Nodes[0].Properties, PropertyDefinition{Name: "path", Type: String}, PropertyDefinition{Name: "open", Type: Bool})
		d.Nodes[0].Policy, d.Nodes[1].Policy = c.policy, public
		_, err := New(d)
		require.ErrorContains(t, err, c.want)
	}
}

// A negated walk over what is not open to all would show more to those who see
// less, so it is refused, however it comes to be negated.
func TestNegatedWalksGoOverWhatIsOpen(t *testing.T) {
	const schema = `
format: trellis.schema.v1
nodes:
  doc: {key: id, policy: %q, properties: {id: int64}}
  block: {key: id, policy: %q, properties: {id: int64, who: string, secret: {type: string, visible: false}}}
  site: {key: id, policy: %q, properties: {id: int64, open: bool}}
relationships:
  BLOCKED: {from: doc, to: block, policy: %q}
  AT: {from: block, to: site, policy: %q}
  ON:
    - {from: doc, to: block, table: on1, policy: caller.admin}
    - {from: doc, to: site, table: on2}
`
	const (
		who   = `node.outgoing("BLOCKED").exists(b, b.who == caller.principal)`
		at    = `node.outgoing("BLOCKED").exists(b, b.outgoing("AT").exists(s, s.open))`
		notAt = `node.outgoing("BLOCKED").exists(b, !b.outgoing("AT").exists(s, s.open))`
		block = `"block" has a policy, so who sees less of it would see more here: no walk over it can be negated (mark it public, or say the rule positively)`
		admin = `caller.admin == true`
		level = `node.id <= caller.level`
	)
	swap := strings.NewReplacer
	for _, c := range []struct {
		doc, block, site, blocked, at string
		want                          string // of the doc's policy
	}{
		{doc: who, block: admin, blocked: admin},
		{doc: "!" + who, block: admin, want: "1:2: " + block},
		{doc: "!" + who, block: level, want: "1:2: " + block},
		{doc: "!" + who, block: level, blocked: admin, want: "1:2: " + block},
		{doc: "!" + who, blocked: admin, want: "1:2: " + swap(`"block"`, `BLOCKED from "doc" to "block"`).Replace(block)},
		{doc: "!" + who, site: admin, at: admin},
		{doc: `!node.outgoing("BLOCKED").exists(b, b.secret == caller.secret)`},
		{doc: "!!" + who, block: admin},
		{doc: "!(!(" + who + ") || caller.staff)", block: admin},
		{doc: "!!!" + who, block: admin, want: "1:4: " + block},
		{doc: "!(node.id > 3 || caller.staff && " + who + ")", block: admin, want: "1:34: " + block},
		{doc: "!caller.groups.exists(g, g == 1 && " + who + ")", block: admin, want: "1:36: " + block},
		{doc: "caller.groups.exists(g, g == 1 && !(" + who + "))", block: admin, want: "1:37: " + block},
		{doc: "!node.open_ || !" + who, want: `1:2: "open_" is no property of "doc"`},
		{doc: `!node.outgoing("ON", "block").exists(b, true)`, want: "1:2: " + swap(`"block"`, `ON from "doc" to "block"`).Replace(block)},
		{doc: `!node.outgoing("ON", "site").exists(s, s.open)`},
		// What is negated lies further away.
		{doc: at, block: admin, site: admin, blocked: admin, at: admin},
		{doc: notAt, block: admin, blocked: admin},
		{doc: notAt, site: admin, want: "1:37: " + swap(`"block"`, `"site"`).Replace(block)},
		{doc: notAt, at: admin, want: "1:37: " + swap(`"block"`, `AT from "block" to "site"`).Replace(block)},
		{doc: "!" + notAt, site: admin, at: admin},
		{doc: "!" + notAt, block: admin, want: "1:2: " + block},
		{doc: "!" + at, site: admin, want: "1:37: " + swap(`"block"`, `"site"`).Replace(block)},
		{doc: "!" + at, block: admin, site: admin, want: "1:2: " + block + "\n1:37: " + swap(`"block"`, `"site"`).Replace(block)},
	} {
		or := func(policy string) string {
			if policy == "" {
				return public
			}
			return policy
		}
		_, err := Parse("n.yaml", []byte(fmt.Sprintf(schema, c.doc, or(c.block), or(c.site), or(c.blocked), or(c.at))))
		if c.want == "" {
			require.NoError(t, err, c.doc)
			continue
		}
		require.Error(t, err, c.doc)
		var got []string
		for _, p := range err.(Problems) {
			require.Equal(t, "/nodes/doc/policy", p.Path)
			text := Problem{Message: p.Message, Hint: p.Hint}.String()
			got = append(got, strings.Replace(strings.TrimPrefix(text, "at "), " of the expression", "", 1))
		}
		require.Equal(t, c.want, strings.Join(got, "\n"), c.doc)
	}
}

// Mistakes in other places than the policy of a label.
func TestPoliciesEverywhere(t *testing.T) {
	schema := `
format: trellis.schema.v1
nodes:
  a: {key: id, policy: %q, properties: {id: int64, kind: string, s: {type: string, visible: %q, mask: hash}}}
  b: {key: id, policy: %q, properties: {id: int64}}
relationships:
  R: {policy: %q, pairs: [{from: a, to: b, table: r1, properties: {x: int64, y: int64}}, {from: b, to: a, table: r2, properties: {x: int64}}]}
  S: {from: b, to: a, foreign_key: a_id, policy: %q, properties: {x: {type: int64, visible: %q}}}
  P: {from: a, to: {type_column: kind, id_column: ref, values: {A: a, B: b}}, policy: %q, properties: {z: bool}}
`
	good := []any{"public", `caller.admin`, `node.outgoing("R", "a").exists(x, x.s == "")`, `relationship.x == 1`, `relationship.x == caller.n`, `caller.admin`, `relationship.z`}
	_, err := Parse("p.yaml", []byte(fmt.Sprintf(schema, good...)))
	require.NoError(t, err)
	for _, c := range []struct {
		at   int
		text string
		want string
	}{
		{0, `node.outgoing("R", "b").exists(x, true)`, `/nodes/b/policy: at 1:1 of the expression: the policy of "a" walks itself, so no policy can walk to it` + "\n" +
			`/nodes/a/policy: at 1:1 of the expression: the policy of "b" walks itself, so no policy can walk to it`},
		{1, `node.kind == "a"`, `/nodes/a/properties/s/visible: at 1:1 of the expression: there is no "node" here (what is visible to whom depends on the caller only)`},
		{1, `caller.x == y`, `/nodes/a/properties/s/visible: at 1:13 of the expression: there is no "y" here (only caller)`},
		{3, `relationship.y == 1`, `/relationships/R/policy: at 1:1 of the expression: "y" is no property of every R`},
		{3, `node.id == 1`, `/relationships/R/policy: at 1:1 of the expression: there is no "node" here (only relationship, caller)`},
		{3, `relationship.outgoing("S").exists(x, true)`, `/relationships/R/policy: at 1:1 of the expression: a walk does not start here (the policy of a label walks from its node)`},
		{4, `relationship.a_id == 1`, `/relationships/S/policy: at 1:1 of the expression: "a_id" is no property of every S`},
		{5, `caller.`, `/relationships/S/properties/x/visible: at 1:8 of the expression: the expression ends where more is expected`},
		{6, `relationship.w`, `/relationships/P/policy: at 1:1 of the expression: "w" is no property of every P`},
	} {
		args := append([]any(nil), good...)
		args[c.at] = c.text
		_, err := Parse("p.yaml", []byte(fmt.Sprintf(schema, args...)))
		require.Error(t, err, c.text)
		var got []string
		for _, p := range err.(Problems) {
			got = append(got, Problem{Path: p.Path, Message: p.Message, Hint: p.Hint, DidYouMean: p.DidYouMean}.String())
		}
		require.ElementsMatch(t, strings.Split(c.want, "\n"), got, c.text)
	}
}
