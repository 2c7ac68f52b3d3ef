package schema

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func policedSchema(t testing.TB, policy string) *Schema {
	s, err := Parse("p.yaml", []byte(policed(policy)))
	require.NoError(t, err)
	return s
}

// A tenant that is missing is refused; any other is compared as it is, byte by
// byte, and is nothing but a value.
func TestT31TenantsAreExact(t *testing.T) {
	s := policedSchema(t, `node.tenant == caller.tenant || node.path.startsWith(caller.tenant)`)
	for _, scope := range []*graph.Scope{nil, {}, {Principal: "ann", Claims: map[string]any{"tenant": "acme"}}} {
		v, err := s.View(scope)
		require.Nil(t, v)
		require.ErrorIs(t, err, graph.NoScope)
	}
	for _, tenant := range []string{"acme", "' OR 1=1", "acme%", "ACME", "acme ", " acme", "acme_", `acme\`, "7", "аcme"} {
		v, err := s.View(&graph.Scope{Tenant: tenant, Claims: map[string]any{"tenant": "other"}})
		require.NoError(t, err)
		doc, _ := v.Schema().Label("doc")
		require.Equal(t, graph.Or{
			graph.Compare{Property: "tenant", Op: graph.Eq, Value: graph.String(tenant)},
			graph.Compare{Property: "path", Op: graph.StartsWith, Value: graph.String(tenant)},
		}, v.Guard(doc))
	}
	for _, tenant := range []string{"acme\x00", "acme\xff"} {
		v, err := s.View(&graph.Scope{Tenant: tenant})
		require.NoError(t, err)
		_, ok := v.Schema().Label("doc")
		require.False(t, ok, "no row has such a tenant")
	}
	// Without a policy that asks for the tenant, none is needed.
	_, err := policedSchema(t, `node.path == caller.principal`).View(&graph.Scope{})
	require.NoError(t, err)
}

// Callers whose claims differ have views of their own, however their texts are
// put together.
func TestT33ViewsNeverCross(t *testing.T) {
	s := policedSchema(t, `node.tenant == caller.tenant && (node.path == caller.a.b || node.path in caller.l || caller.o.exists(x, node.title == x.p && node.path == x.q))`)
	obj := func(p, q any) map[string]any { return map[string]any{"p": p, "q": q} }
	texts := []string{"a", "b", "a:b", "b:a", "a|b", "a&b", "a=b", "", ":", "|", "s1:a", "1:a", "a;", "i1;", "n", "l1", "t", "-", "?", "a\x01b", "o", "::", "a:b:"}
	scopes := []*graph.Scope{}
	for _, x := range texts {
		for _, y := range texts {
			tenant := "t" + x
			scopes = append(scopes,
				&graph.Scope{Tenant: tenant, Claims: map[string]any{"a": map[string]any{"b": y}}},
				&graph.Scope{Tenant: tenant, Claims: map[string]any{"l": []any{y}}},
				&graph.Scope{Tenant: tenant, Claims: map[string]any{"l": []string{y, x}}},
				&graph.Scope{Tenant: tenant, Claims: map[string]any{"o": []any{obj(x, y)}}},
				&graph.Scope{Tenant: tenant, Claims: map[string]any{"o": []any{obj(nil, x), obj(x, "z"+y)}}},
			)
		}
	}
	want := make([]string, len(scopes))
	for i, scope := range scopes {
		want[i] = guardText(t, forgetful(s), scope)
	}
	for range 2 {
		for i, scope := range scopes {
			require.Equal(t, want[i], guardText(t, s, scope), "%v", scope)
		}
	}
}

// Claims that would look the same without the lengths of texts and lists.
func TestT33LengthsTellClaimsApart(t *testing.T) {
	odd := func() {}
	for policy, scopes := range map[string][]*graph.Scope{
		`node.tenant == caller.tenant && (node.open || node.path == caller.a.b || node.path in caller.l || node.path in caller.m)`: {
			{Tenant: "t", Claims: map[string]any{"a": map[string]any{"b": "x-"}}}, {Tenant: "tosx"},
			{Tenant: "t", Claims: map[string]any{"a": map[string]any{"b": "1-"}}}, {Tenant: "tos1"},
		},
		`node.path in caller.l || node.path in caller.m || node.path in caller.n`: {
			claims("l", []any{"p", "q"}, "m", []any{}, "n", odd), claims("l", []any{"p"}, "m", "q", "n", []any{odd}),
		},
		`node.level == caller.a || node.level == caller.b || node.score == caller.c`: {
			claims("a", 1, "b", 23, "c", 4), claims("a", 12, "b", 3, "c", 4), claims("a", 1, "b", 2, "c", 34), claims("a", "1", "b", 23, "c", 4),
		},
	} {
		s := policedSchema(t, policy)
		seen := map[string]bool{}
		for _, scope := range scopes {
			require.Equal(t, guardText(t, forgetful(s), scope), guardText(t, s, scope), "%v", scope)
			seen[guardText(t, s, scope)] = true
		}
		require.Len(t, seen, len(scopes), policy)
	}
}

// forgetful is the schema with nothing kept of its views.
func forgetful(s *Schema) *Schema {
	out, set := *s, s.policySet
	out.policySet = &policySet{labels: set.labels, pairs: set.pairs, visible: set.visible, claims: set.claims, tenant: set.tenant}
	return &out
}

func guardText(t testing.TB, s *Schema, scope *graph.Scope) string {
	v, err := s.View(scope)
	require.NoError(t, err)
	doc, ok := v.Schema().Label("doc")
	if !ok {
		return "never"
	}
	return filterText(v.Guard(doc))
}

// The key of a view is made of the claims that policies read, and of no other.
func TestViewsAreShared(t *testing.T) {
	s := policedSchema(t, `node.tenant == caller.tenant && node.path in caller.l`)
	view := func(scope *graph.Scope) *View {
		v, err := s.View(scope)
		require.NoError(t, err)
		return v
	}
	a := view(&graph.Scope{Tenant: "t", Principal: "ann", TokenID: "1", Claims: map[string]any{"l": []any{"a"}, "x": 1}})
	require.Same(t, a, view(&graph.Scope{Tenant: "t", Principal: "bob", Claims: map[string]any{"l": []string{"a"}}}))
	b := view(&graph.Scope{Tenant: "u", Claims: map[string]any{"l": []any{"a"}}})
	require.NotSame(t, a, b)
	require.Same(t, a.Schema(), b.Schema(), "the same is visible, apart from rows")
	require.Same(t, s, a.Schema(), "everything is")

	closed := view(&graph.Scope{Tenant: "t"})
	require.NotSame(t, s, closed.Schema())
	require.NotEqual(t, s.Hash(), closed.Schema().Hash())
	require.NotEqual(t, s.ViewHash(), closed.Schema().ViewHash())
	again := view(&graph.Scope{Tenant: "u", Claims: map[string]any{"l": 7}})
	require.NotSame(t, closed, again)
	require.Same(t, closed.Schema(), again.Schema())
	require.True(t, closed.Schema().HasPolicies())

	// A view's schema makes the views of the schema that it shows.
	v, err := closed.Schema().View(&graph.Scope{Tenant: "t", Claims: map[string]any{"l": []any{"a"}}})
	require.NoError(t, err)
	require.Same(t, a, v)
	_, err = closed.Schema().View(nil)
	require.ErrorIs(t, err, graph.NoScope)
}

func TestViewsAreMadeAtTheSameTime(t *testing.T) {
	s := policedSchema(t, `node.tenant == caller.tenant && (caller.admin || node.path in caller.l)`)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 400 {
				n := (i*7 + g) % 50
				scope := &graph.Scope{Tenant: fmt.Sprint("t", n), Claims: map[string]any{"admin": n%2 == 0, "l": []any{fmt.Sprint("l", n)}}}
				v, err := s.View(scope)
				if err != nil {
					t.Error(err)
					return
				}
				doc, _ := v.Schema().Label("doc")
				want := fmt.Sprintf(`tenant eq "t%d"`, n)
				if n%2 == 1 {
					want = fmt.Sprintf(`(tenant eq "t%d" & path eq "l%d")`, n, n)
				}
				if got := filterText(v.Guard(doc)); got != want {
					t.Errorf("%s instead of %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

// What is kept of views is bounded, in number and in weight.
func TestViewsKeptAreBounded(t *testing.T) {
	s := policedSchema(t, `node.path in caller.l`)
	for i := range maxViews + 100 {
		_, err := s.View(claims("l", []any{fmt.Sprint(i)}))
		require.NoError(t, err)
	}
	kept := &s.policySet.views.views
	require.Equal(t, maxViews, kept.order.Len())
	require.Len(t, kept.byKey, maxViews)
	list := make([]string, maxClaimItems)
	for i := range 600 {
		for j := range list {
			list[j] = fmt.Sprint(i, "-", j)
		}
		_, err := s.View(claims("l", list))
		require.NoError(t, err)
	}
	require.LessOrEqual(t, kept.weight, maxViewWeight)
	require.Len(t, kept.byKey, kept.order.Len())

	var r recent[int, int]
	for i := range 10 {
		r.keep(i, i, 1, 3, 100)
		_, ok := r.get(0)
		require.True(t, ok, "what is used stays")
	}
	require.Equal(t, 1, r.keep(9, 1, 1, 3, 100)-8, "what was kept first")
	require.Equal(t, 3, r.weight)
}

// Claims that would make too much of a policy are refused, and nothing is
// answered.
func TestTooManyClaims(t *testing.T) {
	many := func(n int, prefix string) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = fmt.Sprintf("%s%04d", prefix, i)
		}
		return out
	}
	nested := func(n, m int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = map[string]any{"p": fmt.Sprint(i), "l": many(m, fmt.Sprint("q", i, "-"))}
		}
		return out
	}
	for _, c := range []struct {
		policy string
		claims []any
		ok     bool
	}{
		{`node.path in caller.l`, []any{"l", many(1000, "")}, true},
		{`node.path in caller.l`, []any{"l", many(1001, "")}, false},
		{`caller.l.exists(p, node.path.startsWith(p))`, []any{"l", many(1000, "")}, true},
		{`caller.l.exists(p, node.path.startsWith(p) || node.title.contains(p) || node.bio == p)`, []any{"l", many(1000, "")}, false},
		{`caller.o.exists(o, node.title == o.p && o.l.exists(q, node.path.contains(q)))`, []any{"o", nested(50, 50)}, false},
		{`caller.o.exists(o, o.l.exists(q, q == "none"))`, []any{"o", nested(1000, 1000)}, false},
		{`caller.a.exists(x, caller.a.exists(y, caller.a.exists(z, x == y && y == z)))`, []any{"a", many(1000, "")}, false},
		{`caller.a == "x"`, []any{"a", strings.Repeat("x", maxClaimBytes-20)}, true},
		{`caller.a == "x"`, []any{"a", strings.Repeat("x", maxClaimBytes)}, false},
		{`caller.a == "x" || caller.b == "x"`, []any{"a", strings.Repeat("x", maxClaimBytes-20), "b", strings.Repeat("x", 20)}, false},
	} {
		_, err := policedSchema(t, c.policy).View(claims(c.claims...))
		if c.ok {
			require.NoError(t, err, c.policy)
			continue
		}
		require.ErrorIs(t, err, graph.Forbidden, c.policy)
		require.ErrorContains(t, err, "the caller's claims are too many to evaluate")
	}
}

// Whatever a host puts into the claims, it is a value or it is missing.
func TestOddClaims(t *testing.T) {
	type named map[string]any
	type word string
	var cycle []any
	cycle = append(cycle, &cycle)
	loop := map[string]any{}
	loop["a"] = loop
	var none *graph.Scope
	for want, list := range map[string][]any{
		"never": {nil, none, &graph.Scope{}, struct{ a string }{"x"}, func() {}, make(chan int), &loop, cycle, loop, []byte("x"), 1i, word(""),
			map[int]string{1: "x"}, map[string]any(nil), map[word]any{"a": nil}, []any{"x"}, named{"b": "x"}, [1]string{"x"}},
		`path eq "x"`: {named{"a": "x"}, map[string]string{"a": "x"}, map[word]word{"a": "x"}, map[string]any{"a": word("x")}},
	} {
		for _, v := range list {
			require.Equal(t, want, guardOf(t, `node.path == caller.c.a`, claims("c", v)), "%T", v)
		}
	}
	for want, list := range map[string][]any{
		"never":        {"7", 7.5, true, nil, uint64(1 << 63), 1e300, "x"},
		`level eq 7`:   {7, int8(7), uint(7), float32(7), 7.0},
		`level eq -7`:  {-7, int64(-7)},
		`level eq 100`: {100, 1e2},
	} {
		for _, v := range list {
			require.Equal(t, want, guardOf(t, `node.level == caller.n`, claims("n", v)), "%T %v", v, v)
		}
	}
}

func BenchmarkView(b *testing.B) {
	s := policedSchema(b, `node.tenant == caller.tenant && (caller.role == "admin" || caller.grants.exists(g, node.path.startsWith(g.path) && g.level >= 20))`)
	small := claims("role", "user", "grants", []any{map[string]any{"path": "a/", "level": 30.0}, map[string]any{"path": "b/", "level": 20.0}})
	grants := make([]any, 200)
	for i := range grants {
		grants[i] = map[string]any{"path": fmt.Sprintf("group/%d/", i), "level": 30.0}
	}
	b.Run("kept", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.View(small); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("kept, 200 grants", func(b *testing.B) {
		b.ReportAllocs()
		scope := claims("role", "user", "grants", grants)
		for b.Loop() {
			if _, err := s.View(scope); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("evaluated", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.policySet.evaluate(s, small); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("evaluated, 200 grants", func(b *testing.B) {
		b.ReportAllocs()
		scope := claims("role", "user", "grants", grants)
		for b.Loop() {
			if _, err := s.policySet.evaluate(s, scope); err != nil {
				b.Fatal(err)
			}
		}
	})
}
