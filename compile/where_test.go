package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// whereProps has a property of every type and of every restriction.
func whereProps() []*schema.Property {
	enum := func(names ...string) (out []schema.EnumValue) {
		for i, n := range names {
			out = append(out, schema.EnumValue{Name: n, IsInt: true, Int: int64(i + 1)})
		}
		return out
	}
	return []*schema.Property{
		{Name: "id", Type: schema.Int64},
		{Name: "iid", Type: schema.Int32, Nullable: true, Synonyms: []string{"number"}},
		{Name: "title", Type: schema.String, Nullable: true},
		{Name: "body", Type: schema.String, NoPatterns: true},
		{Name: "secret", Type: schema.String, NotFilterable: true},
		{Name: "state", Type: schema.Enum, Values: []schema.EnumValue{{Name: "opened"}, {Name: "closed"}, {Name: "locked"}}},
		{Name: "priority", Type: schema.Enum, Values: enum("low", "high")},
		{Name: "active", Type: schema.Bool},
		{Name: "score", Type: schema.Float},
		{Name: "amount", Type: schema.Decimal, Scale: 2},
		{Name: "day", Type: schema.Date},
		{Name: "created_at", Type: schema.DateTime},
		{Name: "ref", Type: schema.UUID},
		{Name: "meta", Type: schema.JSON},
		{Name: "ghost", Type: schema.String, Hidden: true},
		{Name: "package", Type: schema.String},
	}
}

// whereTree writes a filter so that every value shows its kind.
func whereTree(f graph.Filter) string {
	join := func(word string, list []graph.Filter) string {
		parts := make([]string, len(list))
		for i, g := range list {
			parts[i] = whereTree(g)
		}
		return word + "(" + strings.Join(parts, ", ") + ")"
	}
	switch f := f.(type) {
	case graph.And:
		return join("and", f)
	case graph.Or:
		return join("or", f)
	case graph.Not:
		return "not(" + whereTree(f.Filter) + ")"
	case graph.Compare:
		if f.Value.Kind() != graph.KindList {
			return fmt.Sprintf("%s %s %s:%s", f.Property, f.Op, f.Value.Kind(), f.Value)
		}
		parts := []string{}
		for _, v := range f.Value.List() {
			parts = append(parts, v.Kind().String()+":"+v.String())
		}
		return fmt.Sprintf("%s %s [%s]", f.Property, f.Op, strings.Join(parts, " "))
	}
	return fmt.Sprintf("%T", f)
}

func TestWhereAccepts(t *testing.T) {
	for _, c := range []struct{ text, tree string }{
		// Integers.
		{`id == 3`, `id eq int:3`},
		{`id != 3`, `id ne int:3`},
		{`id < 3`, `id lt int:3`},
		{`id <= 3`, `id lte int:3`},
		{`id > 3`, `id gt int:3`},
		{`id >= 3`, `id gte int:3`},
		{`3 == id`, `id eq int:3`},
		{`3 != id`, `id ne int:3`},
		{`3 < id`, `id gt int:3`},
		{`3 <= id`, `id gte int:3`},
		{`3 > id`, `id lt int:3`},
		{`3 >= id`, `id lte int:3`},
		{`id == -3`, `id eq int:-3`},
		{`id == - 3`, `id eq int:-3`},
		{`id == 0x1F`, `id eq int:31`},
		{`id == -0`, `id eq int:0`},
		{`id == 9223372036854775807`, `id eq int:9223372036854775807`},
		{`id == -9223372036854775808`, `id eq int:-9223372036854775808`},
		{`id == 9007199254740993`, `id eq int:9007199254740993`},
		{`iid == 2147483647`, `iid eq int:2147483647`},
		{`iid == -2147483648`, `iid eq int:-2147483648`},
		{`id in [1, 2, 2]`, `id in [int:1 int:2 int:2]`},
		{`id in []`, `id in []`},
		{`id in [1,]`, `id in [int:1]`},
		// Floats and decimals.
		{`score == 1`, `score eq float:1`},
		{`score > 1.5`, `score gt float:1.5`},
		{`score > .5`, `score gt float:0.5`},
		{`score > 1e3`, `score gt float:1000`},
		{`score < -2.5e-3`, `score lt float:-0.0025`},
		{`score == -0.0`, `score eq float:0`},
		{`score in [1, 2.5]`, `score in [float:1 float:2.5]`},
		{`amount == 12.50`, `amount eq decimal:"12.50"`},
		{`amount == 12345678901234567.89`, `amount eq decimal:"12345678901234567.89"`},
		{`amount == -12345678901234567.89`, `amount eq decimal:"-12345678901234567.89"`},
		{`amount == - 1.10`, `amount eq decimal:"-1.10"`},
		{`amount == 007.10`, `amount eq decimal:"7.10"`},
		{"amount == - // one\n 1.5", `amount eq decimal:"-1.5"`},
		{`amount == .10`, `amount eq decimal:"0.10"`},
		{`amount == 3`, `amount eq decimal:"3"`},
		{`amount == -0.0`, `amount eq decimal:"0.0"`},
		{`amount == 1e3`, `amount eq decimal:"1000"`},
		{`amount > "12.505"`, `amount gt decimal:"12.505"`},
		{`amount in [1, 2.50, "3"]`, `amount in [decimal:"1" decimal:"2.50" decimal:"3"]`},
		// Text.
		{`title == "a"`, `title eq string:"a"`},
		{`title == 'a'`, `title eq string:"a"`},
		{`title != ""`, `title ne string:""`},
		{`title < "b"`, `title lt string:"b"`},
		{`"b" < title`, `title gt string:"b"`},
		{`title == "a\"b"`, `title eq string:"a\"b"`},
		{`title == 'it\'s'`, `title eq string:"it's"`},
		{`title == r"a\b"`, `title eq string:"a\\b"`},
		{`title == """a"b"""`, `title eq string:"a\"b"`},
		{`title == "\u00e9"`, `title eq string:"é"`},
		{`title == "e\u0301"`, "title eq string:\"e\u0301\""},
		{`title == "ſK"`, `title eq string:"ſK"`},
		{`title == "' OR 1=1 --"`, `title eq string:"' OR 1=1 --"`},
		{`title == "state == 'opened'"`, `title eq string:"state == 'opened'"`},
		{`title in ["a", 'b']`, `title in [string:"a" string:"b"]`},
		{`title.contains("a%b_")`, `title contains string:"a%b_"`},
		{`title.startsWith("a")`, `title starts_with string:"a"`},
		{`title.endsWith("a")`, `title ends_with string:"a"`},
		{`title . contains ( "a" )`, `title contains string:"a"`},
		{`!title.contains("a")`, `not(title contains string:"a")`},
		{`body == "a"`, `body eq string:"a"`},
		{`body > "a"`, `body gt string:"a"`},
		// Enums and uuids.
		{`state == "opened"`, `state eq string:"opened"`},
		{`"opened" != state`, `state ne string:"opened"`},
		{`state in ["opened", "closed"]`, `state in [string:"opened" string:"closed"]`},
		{`priority == "low"`, `priority eq string:"low"`},
		{`ref == "00000000-0000-4000-8000-0000000000ab"`, `ref eq uuid:"00000000-0000-4000-8000-0000000000ab"`},
		{`ref in ["00000000-0000-4000-8000-0000000000ab"]`, `ref in [uuid:"00000000-0000-4000-8000-0000000000ab"]`},
		// Times.
		{`day == date("2026-11-21")`, `day eq date:"2026-11-21"`},
		{`day >= date('0001-01-01')`, `day gte date:"0001-01-01"`},
		{`date("2024-02-29") > day`, `day lt date:"2024-02-29"`},
		{`day in [date("2026-11-21"), date("9999-12-31")]`, `day in [date:"2026-11-21" date:"9999-12-31"]`},
		{`created_at < timestamp("2026-11-21T09:30:00Z")`, `created_at lt datetime:"2026-11-21T09:30:00Z"`},
		{`created_at < timestamp("2026-11-21T09:30:00.123456+02:00")`, `created_at lt datetime:"2026-11-21T07:30:00.123456Z"`},
		{`created_at in [timestamp("1969-12-31T23:59:59Z")]`, `created_at in [datetime:"1969-12-31T23:59:59Z"]`},
		// Booleans.
		{`active`, `active eq bool:true`},
		{`!active`, `not(active eq bool:true)`},
		{`active == true`, `active eq bool:true`},
		{`active == false`, `active eq bool:false`},
		{`false != active`, `active ne bool:false`},
		// Nulls.
		{`title == null`, `title is_null bool:true`},
		{`title != null`, `title is_null bool:false`},
		{`null == title`, `title is_null bool:true`},
		{`null != title`, `title is_null bool:false`},
		{`active == null`, `active is_null bool:true`},
		{`meta == null`, `meta is_null bool:true`},
		{`meta != null`, `meta is_null bool:false`},
		{`!(meta == null)`, `not(meta is_null bool:true)`},
		// Joining.
		{`id == 1 && iid == 2`, `and(id eq int:1, iid eq int:2)`},
		{`id == 1 || iid == 2`, `or(id eq int:1, iid eq int:2)`},
		{`id == 1 && iid == 2 && active`, `and(id eq int:1, iid eq int:2, active eq bool:true)`},
		{`(id == 1 && iid == 2) && active`, `and(id eq int:1, iid eq int:2, active eq bool:true)`},
		{`id == 1 && (iid == 2 && active)`, `and(id eq int:1, iid eq int:2, active eq bool:true)`},
		{`id == 1 || (iid == 2 || active)`, `or(id eq int:1, iid eq int:2, active eq bool:true)`},
		{`id == 1 || iid == 2 && active`, `or(id eq int:1, and(iid eq int:2, active eq bool:true))`},
		{`(id == 1 || iid == 2) && active`, `and(or(id eq int:1, iid eq int:2), active eq bool:true)`},
		{`!(id == 1 && active)`, `not(and(id eq int:1, active eq bool:true))`},
		{`!(id in [1])`, `not(id in [int:1])`},
		{`!(title < "a")`, `not(title lt string:"a")`},
		{`!!active`, `active eq bool:true`},
		{`!(!active)`, `active eq bool:true`},
		{`!!!active`, `not(active eq bool:true)`},
		{`!(!(!active))`, `not(active eq bool:true)`},
		{`((((id == 1))))`, `id eq int:1`},
		{"id == 1 // a comment\n && active", `and(id eq int:1, active eq bool:true)`},
		{"\n\tid\n==\n1\n", `id eq int:1`},
	} {
		t.Run(c.text, func(t *testing.T) {
			f, errs := parseWhere(whereProps(), c.text, graph.Limits{})
			require.Empty(t, errs)
			require.Equal(t, c.tree, whereTree(f))
		})
	}
}

func TestWhereRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // of the first mistake, its code and the start of its message
		fix  string // the mended expression; "" for none
	}{
		// Names.
		{`stat == "opened"`, `UNKNOWN_PROPERTY 1:1: no property "stat"; did you mean "state"?`, `state == "opened"`},
		{`id == 1 && stat == "opened"`, `UNKNOWN_PROPERTY 1:12: no property "stat"`, `id == 1 && state == "opened"`},
		{"id == 1 &&\n  stat == 'opened'", `UNKNOWN_PROPERTY 2:3: no property "stat"`, "id == 1 &&\n  state == 'opened'"},
		{`title == "é" && stat == "opened"`, `UNKNOWN_PROPERTY 1:17: no property "stat"`, `title == "é" && state == "opened"`},
		{`State == "opened"`, `UNKNOWN_PROPERTY 1:1: no property "State"`, `state == "opened"`},
		{`createdAt == null`, `UNKNOWN_PROPERTY 1:1: no property "createdAt"`, `created_at == null`},
		{`number == 1`, `UNKNOWN_PROPERTY 1:1: no property "number"`, `iid == 1`},
		{`titles.contains("a")`, `UNKNOWN_PROPERTY 1:1: no property "titles"`, `title.contains("a")`},
		{`stat in ["opened"]`, `UNKNOWN_PROPERTY 1:1: no property "stat"`, `state in ["opened"]`},
		{`stat == "opened" || stat == "closed"`, `UNKNOWN_PROPERTY 1:1: no property "stat"`, `state == "opened" || state == "closed"`},
		{`xyzzy == 1`, `UNKNOWN_PROPERTY 1:1: no property "xyzzy"`, ``},
		{`xyzzy`, `UNKNOWN_PROPERTY 1:1: no property "xyzzy"`, ``},
		{`.state == "opened"`, `UNKNOWN_PROPERTY 1:1: no property ".state"`, `state == "opened"`},
		{`ghost == "a"`, `UNKNOWN_PROPERTY 1:1: no property "ghost"`, ``},
		{`title == NULL`, `UNKNOWN_PROPERTY 1:10: no property "NULL"`, `title == null`},
		{`title != None`, `UNKNOWN_PROPERTY 1:10: no property "None"`, `title != null`},
		{`active == True`, `UNKNOWN_PROPERTY 1:11: no property "True"`, `active == true`},
		{`node.state == "opened"`, `INVALID_EXPRESSION 1:5: field selection (.state) is not supported`, `state == "opened"`},
		{`a.b.state == "opened"`, `INVALID_EXPRESSION 1:4: field selection (.state)`, ``},
		{`title.size == 1`, `INVALID_EXPRESSION 1:6: field selection (.size) is not supported`, ``},
		{`"state" == "opened"`, `INVALID_EXPRESSION 1:9: two literals are compared`, `state == "opened"`},
		{`secret == "a"`, `INVALID_EXPRESSION 1:1: "secret" cannot be filtered`, ``},
		{`secret == null`, `INVALID_EXPRESSION 1:1: "secret" cannot be filtered`, ``},
		{`package == "a"`, `INVALID_EXPRESSION 1:1: "package" is a reserved word of CEL`, ``},
		{"`state` == 'opened'", "INVALID_EXPRESSION 1:1: unexpected \"`\"", ``},
		{`ſtate == "opened"`, `INVALID_EXPRESSION 1:1: unexpected "ſ"`, ``},
		{`größe == 1`, `INVALID_EXPRESSION 1:3: unexpected "ö"`, ``},
		{`stаte == "opened"`, `INVALID_EXPRESSION 1:3: unexpected "а"`, ``}, // a Cyrillic letter
		// Types.
		{`id == "3"`, `INVALID_EXPRESSION 1:7: "id" is of type int64 and takes an integer, not "3"`, `id == 3`},
		{`id == 3.0`, `INVALID_EXPRESSION 1:7: "id" is of type int64 and takes an integer`, `id == 3`},
		{`id == -3.0`, `INVALID_EXPRESSION 1:7: "id" is of type int64 and takes an integer`, `id == -3`},
		{`id == 3.5`, `INVALID_EXPRESSION 1:7: "id" is of type int64 and takes an integer`, ``},
		{`id == 3u`, `INVALID_EXPRESSION 1:7: unsigned numbers are not supported`, `id == 3`},
		{`id == true`, `INVALID_EXPRESSION 1:7: "id" is of type int64 and takes an integer`, ``},
		{`id == b"3"`, `INVALID_EXPRESSION 1:7: bytes are not supported`, ``},
		{`id == 9223372036854775808`, `INVALID_EXPRESSION 1:7: invalid int literal`, ``},
		{`iid == 2147483648`, `INVALID_EXPRESSION 1:8: 2147483648 is out of range for "iid"`, ``},
		{`iid in [1, -2147483649]`, `INVALID_EXPRESSION 1:12: -2147483649 is out of range for "iid"`, ``},
		{`score == "1.5"`, `INVALID_EXPRESSION 1:10: "score" is of type float`, `score == 1.5`},
		{`score == 1e999`, `INVALID_EXPRESSION 1:10: invalid double literal`, ``},
		{`score == NaN`, `UNKNOWN_PROPERTY 1:10: no property "NaN"`, ``},
		{`amount == "1,50"`, `INVALID_EXPRESSION 1:11: "amount" is of type decimal`, ``},
		{`amount == 1e300`, `INVALID_EXPRESSION 1:11: 1e300 is out of range for "amount"`, ``},
		{`title == 3`, `INVALID_EXPRESSION 1:10: "title" is of type string and takes a text, not 3`, `title == "3"`},
		{`title == -1.50`, `INVALID_EXPRESSION 1:10: "title" is of type string`, `title == "-1.50"`},
		{`title == "a\u0000b"`, `INVALID_EXPRESSION 1:10: a text must not hold the character NUL`, ``},
		{`title == date("2026-11-21")`, `INVALID_EXPRESSION 1:10: "title" is of type string`, ``},
		{`title == 0x1F`, `INVALID_EXPRESSION 1:10: "title" is of type string`, `title == "31"`},
		{`title == true`, `INVALID_EXPRESSION 1:10: "title" is of type string`, `title == "true"`},
		{"id == - // three\n 3.0", `INVALID_EXPRESSION 1:7: "id" is of type int64`, ``},
		{`title`, `INVALID_EXPRESSION 1:1: "title" is of type string, which is no condition by itself`, ``},
		{`!title`, `INVALID_EXPRESSION 1:2: "title" is of type string, which is no condition by itself`, ``},
		{`active && id`, `INVALID_EXPRESSION 1:11: "id" is of type int64`, ``},
		{`active == 1`, `INVALID_EXPRESSION 1:11: "active" is of type bool`, `active == true`},
		{`active == 2`, `INVALID_EXPRESSION 1:11: "active" is of type bool`, ``},
		{`title.includes("a")`, `INVALID_EXPRESSION 1:7: the function includes is not supported`, `title.contains("a")`},
		{`active == "true"`, `INVALID_EXPRESSION 1:11: "active" is of type bool`, `active == true`},
		{`active < true`, `INVALID_EXPRESSION 1:8: "active" is of type bool and does not take <`, ``},
		{`active in [true]`, `INVALID_EXPRESSION 1:8: "active" is of type bool and does not take in`, ``},
		{`state == "open"`, `INVALID_EXPRESSION 1:10: "open" is not a value of "state"`, `state == "opened"`},
		{`state in ["open", "closed"]`, `INVALID_EXPRESSION 1:11: "open" is not a value of "state"`, `state in ["opened", "closed"]`},
		{`state < "opened"`, `INVALID_EXPRESSION 1:7: "state" is of type enum and does not take <`, ``},
		{`state.contains("o")`, `INVALID_EXPRESSION 1:7: "state" is of type enum and does not take contains`, ``},
		{`priority == 1`, `INVALID_EXPRESSION 1:13: "priority" is of type enum and takes the name of a value`, `priority == "low"`},
		{`stat == "open"`, `UNKNOWN_PROPERTY 1:1: no property "stat"`, `state == "opened"`},
		{`ref == "x"`, `INVALID_EXPRESSION 1:8: "ref" is of type uuid`, ``},
		{`ref == "00000000-0000-4000-8000-0000000000AB"`, `INVALID_EXPRESSION 1:8: "ref" is of type uuid and takes a UUID in lower case`, `ref == "00000000-0000-4000-8000-0000000000ab"`},
		{`ref > "00000000-0000-4000-8000-0000000000ab"`, `INVALID_EXPRESSION 1:5: "ref" is of type uuid and does not take >`, ``},
		{`meta == "a"`, `INVALID_EXPRESSION 1:6: "meta" is of type json and does not take ==`, ``},
		{`meta.contains("a")`, `INVALID_EXPRESSION 1:6: "meta" is of type json and does not take contains`, ``},
		{`body.contains("a")`, `INVALID_EXPRESSION 1:6: "body" has no text patterns and does not take contains`, ``},
		{`id.contains("3")`, `INVALID_EXPRESSION 1:4: "id" is of type int64 and does not take contains`, ``},
		// Times.
		{`day == "2026-11-21"`, `INVALID_EXPRESSION 1:8: "day" is of type date; write date("2026-11-21")`, `day == date("2026-11-21")`},
		{`day == "21 Nov 2026"`, `INVALID_EXPRESSION 1:8: "day" is of type date`, `day == date("2026-11-21")`},
		{`day == date("2026-02-29")`, `INVALID_EXPRESSION 1:13: date reads texts such as`, ``},
		{`day == date("0000-01-01")`, `INVALID_EXPRESSION 1:13: date reads texts such as`, ``},
		{`day == date("2026/11/21")`, `INVALID_EXPRESSION 1:13: date reads texts such as`, `day == date("2026-11-21")`},
		{`day == date(20261121)`, `INVALID_EXPRESSION 1:8: date takes one text`, ``},
		{`day == date(title)`, `INVALID_EXPRESSION 1:8: date takes one text`, ``},
		{`day == date()`, `INVALID_EXPRESSION 1:8: date takes one text`, ``},
		{`day == timestamp("2026-11-21T09:30:00Z")`, `INVALID_EXPRESSION 1:8: "day" is of type date`, `day == date("2026-11-21")`},
		{`created_at > date("2026-11-21")`, `INVALID_EXPRESSION 1:14: "created_at" is of type datetime`, `created_at > timestamp("2026-11-21T00:00:00Z")`},
		{`created_at > "2026-11-21"`, `INVALID_EXPRESSION 1:14: "created_at" is of type datetime`, `created_at > timestamp("2026-11-21T00:00:00Z")`},
		{`created_at > "2026-11-21T09:30:00.5+01:00"`, `INVALID_EXPRESSION 1:14: "created_at" is of type datetime`, `created_at > timestamp("2026-11-21T08:30:00.5Z")`},
		{`created_at > timestamp("2026-11-21")`, `INVALID_EXPRESSION 1:24: timestamp reads texts such as`, `created_at > timestamp("2026-11-21T00:00:00Z")`},
		{`created_at > timestamp("2026-11-21T09:30:60Z")`, `INVALID_EXPRESSION 1:24: timestamp reads texts such as`, ``},
		{`created_at > timestamp("0001-01-01T00:00:00+01:00")`, `INVALID_EXPRESSION 1:24: timestamp reads texts such as`, ``},
		{`created_at > 1700000000`, `INVALID_EXPRESSION 1:14: "created_at" is of type datetime`, ``},
		{`created_at > duration("1h")`, `INVALID_EXPRESSION 1:14: the function duration is not supported`, ``},
		// Nulls.
		{`title < null`, `INVALID_EXPRESSION 1:7: null has no order`, ``},
		{`title in [null]`, `INVALID_EXPRESSION 1:11: null is not a value to look for`, ``},
		{`null == null`, `INVALID_EXPRESSION 1:6: two literals are compared`, ``},
		{`title.contains(null)`, `INVALID_EXPRESSION 1:16: contains takes a text in quotes`, ``},
		// What is CEL but not a condition on one property.
		{`id == iid`, `INVALID_EXPRESSION 1:4: two properties, "id" and "iid", are compared`, ``},
		{`1 == 1`, `INVALID_EXPRESSION 1:3: two literals are compared`, ``},
		{`true`, `INVALID_EXPRESSION 1:1: a literal is no condition by itself`, ``},
		{`"a"`, `INVALID_EXPRESSION 1:1: a literal is no condition by itself`, ``},
		{`active || true`, `INVALID_EXPRESSION 1:11: a literal is no condition by itself`, ``},
		{`id + 1 == 3`, `INVALID_EXPRESSION 1:4: arithmetic (+) is not supported`, ``},
		{`id == 1 - 2`, `INVALID_EXPRESSION 1:9: arithmetic (-) is not supported`, ``},
		{`id % 2 == 0`, `INVALID_EXPRESSION 1:4: arithmetic (%) is not supported`, ``},
		{`-id == 3`, `INVALID_EXPRESSION 1:1: arithmetic (-) is not supported`, ``},
		{`id == -(3)`, `INVALID_EXPRESSION 1:7: arithmetic (-) is not supported`, ``},
		{`active ? true : false`, `INVALID_EXPRESSION 1:8: the conditional ? : is not supported`, ``},
		{`meta["a"] == 1`, `INVALID_EXPRESSION 1:5: indexing [ ] is not supported`, ``},
		{`meta.a == 1`, `INVALID_EXPRESSION 1:5: field selection (.a) is not supported`, ``},
		{`[1, 2]`, `INVALID_EXPRESSION 1:1: a list stands only on the right of in`, ``},
		{`id == [1]`, `INVALID_EXPRESSION 1:7: a list stands only on the right of in`, ``},
		{`{"a": 1}`, `INVALID_EXPRESSION 1:1: maps are not supported`, ``},
		{`Issue{id: 1}`, `INVALID_EXPRESSION 1:6: messages are not supported`, ``},
		{`1 < id < 3`, `INVALID_EXPRESSION 1:3: < gives a condition, not a value to compare`, ``},
		{`(id == 1) == true`, `INVALID_EXPRESSION 1:5: == gives a condition`, ``},
		{`(active && active) == true`, `INVALID_EXPRESSION 1:9: && gives a condition`, ``},
		{`!active == true`, `INVALID_EXPRESSION 1:1: ! gives a condition`, ``},
		{`id in 3`, `INVALID_EXPRESSION 1:4: in takes a list of literals on its right`, ``},
		{`id in iid`, `INVALID_EXPRESSION 1:4: in takes a list of literals on its right`, ``},
		{`3 in [1, 2]`, `INVALID_EXPRESSION 1:3: in takes a property on its left`, ``},
		{`id in [iid]`, `INVALID_EXPRESSION 1:8: the list of in holds literals only`, ``},
		{`id in [[1]]`, `INVALID_EXPRESSION 1:8: the list of in holds literals only`, ``},
		{`id in [1 + 1]`, `INVALID_EXPRESSION 1:10: arithmetic (+)`, ``},
		{`size(title) > 3`, `INVALID_EXPRESSION 1:1: the function size is not supported`, ``},
		{`has(title)`, `INVALID_EXPRESSION 1:1: the function has is not supported`, ``},
		{`title.matches("(a+)+$")`, `INVALID_EXPRESSION 1:7: the function matches is not supported`, ``},
		{`title.size() > 3`, `INVALID_EXPRESSION 1:7: the function size is not supported`, ``},
		{`title.lowerAscii() == "a"`, `INVALID_EXPRESSION 1:7: the function lowerAscii is not supported`, ``},
		{`title.exists(x, x == "a")`, `INVALID_EXPRESSION 1:7: the function exists is not supported`, ``},
		{`[1, 2].all(x, x > 0)`, `INVALID_EXPRESSION 1:8: the function all is not supported`, ``},
		{`[1].map(x, x) == [1]`, `INVALID_EXPRESSION 1:5: the function map is not supported`, ``},
		{`title.starts_with("a")`, `INVALID_EXPRESSION 1:7: the function starts_with is not supported`, `title.startsWith("a")`},
		{`title.endswith("a")`, `INVALID_EXPRESSION 1:7: the function endswith is not supported`, `title.endsWith("a")`},
		{`contains(title, "a")`, `INVALID_EXPRESSION 1:1: the function contains is not supported`, ``},
		{`"abc".contains(title)`, `INVALID_EXPRESSION 1:7: contains is written property.contains("text")`, ``},
		{`title.contains()`, `INVALID_EXPRESSION 1:7: contains is written property.contains("text")`, ``},
		{`title.contains("a", "b")`, `INVALID_EXPRESSION 1:7: contains is written property.contains("text")`, ``},
		{`title.contains(body)`, `INVALID_EXPRESSION 1:16: contains takes a text in quotes`, ``},
		{`title.contains(3)`, `INVALID_EXPRESSION 1:16: contains takes a text in quotes`, ``},
		// What is not CEL.
		{` `, `INVALID_EXPRESSION 1:2: the expression ends where more is expected`, ``},
		{`id ==`, `INVALID_EXPRESSION 1:6: the expression ends where more is expected`, ``},
		{`id == 1)`, `INVALID_EXPRESSION 1:8: unexpected ")"`, ``},
		{`(id == 1`, `INVALID_EXPRESSION 1:9: the expression ends where more is expected`, ``},
		{`id == 1;`, `INVALID_EXPRESSION 1:8: unexpected ";"`, ``},
		{`title == "a`, `INVALID_EXPRESSION 1:10: a text has no closing quote`, ``},
		{`title == "\q"`, `INVALID_EXPRESSION 1:10: unable to unescape string`, ``},
		{`title == "\ud800"`, `INVALID_EXPRESSION 1:10: `, ``},
		{`id = 3`, `INVALID_EXPRESSION 1:4: unexpected "="`, `id == 3`},
		{`id <> 3`, `INVALID_EXPRESSION 1:5: unexpected ">"`, `id != 3`},
		{`id === 3`, `INVALID_EXPRESSION 1:6: unexpected "="`, `id == 3`},
		{`id == 3 AND active`, `INVALID_EXPRESSION 1:9: unexpected "AND"`, `id == 3 && active`},
		{`id = 3 or not active`, `INVALID_EXPRESSION 1:4: unexpected "="`, `id == 3 || ! active`},
		{`title IS NULL`, `INVALID_EXPRESSION 1:7: unexpected "IS"`, `title == null`},
		{`title is not null and active`, `INVALID_EXPRESSION 1:7: unexpected "is"`, `title != null && active`},
		{`id IN (1, 2) AND state = 'opened'`, `INVALID_EXPRESSION 1:4: unexpected "IN"`, `id in [1, 2] && state == 'opened'`},
		{`title = 'a and b'`, `INVALID_EXPRESSION 1:7: unexpected "="`, `title == 'a and b'`},
		{`stat = 'open'`, `INVALID_EXPRESSION 1:6: unexpected "="`, `state == "opened"`},
		{`title LIKE '%a%'`, `INVALID_EXPRESSION 1:7: unexpected "LIKE"`, ``},
		{`id == 1 & active`, `INVALID_EXPRESSION 1:9: unexpected "&"`, ``},
	} {
		t.Run(c.text, func(t *testing.T) {
			f, errs := parseWhere(whereProps(), c.text, graph.Limits{})
			require.Nil(t, f)
			require.NotEmpty(t, errs)
			got := string(errs[0].Code) + " " + errs[0].Message
			require.True(t, strings.HasPrefix(got, c.want), "got %s", got)
			require.Empty(t, errs[0].Path)
			if c.fix == "" {
				require.Empty(t, errs[0].Fix)
				return
			}
			require.Equal(t, replace("", c.fix), errs[0].Fix)
			_, errs = parseWhere(whereProps(), c.fix, graph.Limits{})
			require.Empty(t, errs, "the fix must be accepted")
		})
	}
}
