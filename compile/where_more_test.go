package compile

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func whereCodes(errs []*graph.Error) []string {
	out := []string{}
	for _, e := range errs {
		out = append(out, fmt.Sprintf("%s %s", e.Code, e.Message))
	}
	return out
}

func TestWhereReportsAllMistakesTogether(t *testing.T) {
	_, errs := parseWhere(whereProps(), `stat == "open" && titel == "a" && id == "3" && size(title) > 1`, graph.Limits{})
	require.Equal(t, []string{
		`UNKNOWN_PROPERTY 1:1: no property "stat"; did you mean "state"?`,
		`UNKNOWN_PROPERTY 1:19: no property "titel"; did you mean "title"?`,
		`INVALID_EXPRESSION 1:41: "id" is of type int64 and takes an integer, not "3"`,
		`INVALID_EXPRESSION 1:48: the function size is not supported`,
	}, whereCodes(errs))
	// One fix mends all that can be mended, even what only the mending of a
	// name has brought to light; the rest has none.
	want := replace("", `state == "opened" && title == "a" && id == 3 && size(title) > 1`)
	for _, e := range errs[:3] {
		require.Equal(t, want, e.Fix)
	}
	require.Empty(t, errs[3].Fix)
}

func TestWhereNamesWhatIsAllowed(t *testing.T) {
	_, errs := parseWhere(whereProps(), `stat == 1 || stat == 2`, graph.Limits{})
	require.Len(t, errs, 1, "a wrong name is reported once")
	require.Equal(t, "stat", errs[0].Got)
	require.Equal(t, []string{"state"}, errs[0].DidYouMean)
	require.Equal(t, 14, errs[0].AllowedTotal)
	require.NotContains(t, errs[0].Allowed, "ghost")
	require.NotContains(t, errs[0].Allowed, "secret")
	require.Contains(t, errs[0].Allowed, "created_at")

	_, errs = parseWhere(whereProps(), `state == "open"`, graph.Limits{})
	require.Equal(t, []string{"opened", "closed", "locked"}, errs[0].Allowed)
	require.Equal(t, []string{"opened"}, errs[0].DidYouMean)

	_, errs = parseWhere(whereProps(), `active < true`, graph.Limits{})
	require.Equal(t, []string{"==", "!="}, errs[0].Allowed)
	_, errs = parseWhere(whereProps(), `body.contains("a")`, graph.Limits{})
	require.Equal(t, []string{"==", "!=", "<", "<=", ">", ">=", "in"}, errs[0].Allowed)

	_, errs = parseWhere(whereProps(), `id + 1 == 2`, graph.Limits{})
	require.Equal(t, whereSubset, errs[0].Hint)
}

func TestWhereLimits(t *testing.T) {
	limits := graph.Limits{WhereBytes: 400, WhereNodes: 12, ListValues: 3, PatternBytes: 4}
	for _, c := range []struct{ text, want string }{
		{`title == "` + strings.Repeat("a", 388) + `"`, ``},
		{`title == "` + strings.Repeat("a", 390) + `"`, `LIMIT_EXCEEDED bytes of where: 401 is over the cap of 400`},
		{`active && active && active && active && active && active && active && active && active && active && active`, ``},
		{`active && active && active && active && active && active && active && active && active && active && active && active`, `LIMIT_EXCEEDED nodes of where: 13 is over the cap of 12`},
		{`id in [1, 2, 3]`, ``},
		{`id in [1, 2, 3, 4]`, `LIMIT_EXCEEDED 1:4: values of in: 4 is over the cap of 3`},
		{`title.contains("abcd")`, ``},
		{`title.contains("äé")`, ``},
		{`title.contains("äéa")`, `LIMIT_EXCEEDED 1:16: bytes of a pattern: 5 is over the cap of 4`},
		{strings.Repeat("(", schema.ExpressionDepth) + "active" + strings.Repeat(")", schema.ExpressionDepth), ``},
		{strings.Repeat("(", schema.ExpressionDepth+1) + "active" + strings.Repeat(")", schema.ExpressionDepth+1), `LIMIT_EXCEEDED the expression nests deeper than 64 levels`},
	} {
		_, errs := parseWhere(whereProps(), c.text, limits)
		if c.want == "" {
			require.Empty(t, errs, c.text)
			continue
		}
		require.Equal(t, []string{c.want}, whereCodes(errs), c.text)
	}
}

// T07, T08, T10, T14, T18, T19: hostile expressions are refused, in bounded time.
func TestWhereHostile(t *testing.T) {
	deep := func(open, inner, shut string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	for name, c := range map[string]struct {
		text string
		code graph.Code
	}{
		"10,000 parentheses":       {deep("(", "active", ")", 10_000), graph.LimitExceeded},
		"2,000 parentheses":        {deep("(", "active", ")", 2_000), graph.LimitExceeded},
		"2,000 open parentheses":   {deep("(", "", "", 2_000), graph.LimitExceeded},
		"2,000 open brackets":      {deep("[", "", "", 2_000), graph.LimitExceeded},
		"2,000 open braces":        {deep("{", "", "", 2_000), graph.LimitExceeded},
		"nested negations":         {deep("!(", "active", ")", 1_000), graph.LimitExceeded},
		"nested lists":             {"id in " + deep("[", "1", "]", 1_000), graph.LimitExceeded},
		"nested calls":             {deep("f(", "1", ")", 1_000), graph.LimitExceeded},
		"a chain of fields":        {"a" + deep(".a", "", "", 1_500), graph.LimitExceeded},
		"a chain of sums":          {"1" + deep("+1", "", "", 1_500), graph.LimitExceeded},
		"a chain of conditionals":  {deep("active?active:", "active", "", 250), graph.LimitExceeded},
		"a chain of conditions":    {"active" + strings.Repeat("||active", 400), graph.LimitExceeded},
		"an odd number of signs":   {"id == " + strings.Repeat("-", 2_001) + "1", graph.InvalidExpression},
		"a text of 4 KiB":          {`title == "` + strings.Repeat("a", 4096) + `"`, graph.LimitExceeded},
		"a pattern of 2,000 parts": {`title.contains("` + strings.Repeat("%a", 1_000) + `")`, graph.LimitExceeded},
		"a list of 600":            {"id in [" + strings.Repeat("1,", 600) + "1]", graph.LimitExceeded},
		"a list of 10,000":         {"id in [" + strings.Repeat("1,", 10_000) + "1]", graph.LimitExceeded},
		"a name of 4,000":          {strings.Repeat("a", 4_000) + " == 1", graph.UnknownProperty},
		"a number of 4,000":        {"amount == " + strings.Repeat("9", 4_000) + ".0", graph.InvalidExpression},
		"a great exponent":         {"amount == 1e-300", graph.InvalidExpression},
		"the character NUL":        {"title == \"a\x00\"", graph.InvalidExpression},
		"no UTF-8":                 {"title == \"\xff\"", graph.InvalidExpression},
		"an overlong NUL":          {"title == \"\xc0\x80\"", graph.InvalidExpression},
		"a surrogate":              {"title == \"\xed\xa0\x80\"", graph.InvalidExpression},
		"a byte order mark":        {"\ufeffactive", graph.InvalidExpression},
		"a folded name":            {"ſtate == \"opened\"", graph.InvalidExpression},
		"a zero-width space":       {"active\u200b", graph.InvalidExpression},
		"a fullwidth name":         {"ａctive", graph.InvalidExpression},
		"a right-to-left override": {"\u202eactive", graph.InvalidExpression},
		"a statement":              {"id == 1; DROP TABLE x", graph.InvalidExpression},
		"a path of JSON":           {"meta->>'k' == 'a'", graph.InvalidExpression},
	} {
		t.Run(name, func(t *testing.T) {
			f, errs := parseWhere(whereProps(), c.text, graph.Limits{})
			require.Nil(t, f)
			require.NotEmpty(t, errs)
			require.Equal(t, c.code, errs[0].Code, errs[0].Message)
			for _, e := range errs {
				require.Less(t, len(e.Message), 400)
				require.Less(t, len(e.Got), 100)
			}
		})
	}
}

// What a fix writes as a literal is read as the same text again.
func TestWhereQuote(t *testing.T) {
	for _, text := range []string{"", "a", `"`, `\`, `\"`, `\n`, "a\nb\r\tc", "\x01\x1f\x7f", "it's", "é\u2028\ufffd\U0001F600", `"" + "`} {
		f, errs := parseWhere(whereProps(), "title == "+whereQuote(text), graph.Limits{})
		require.Empty(t, errs, text)
		require.Equal(t, graph.Cmp("title", graph.Eq, text), f)
	}
}

func TestWhereCacheRemembersWhatWasAccepted(t *testing.T) {
	c := newWhereCache(2)
	issue, user := &schema.Label{Name: "issue"}, &schema.Label{Name: "user"}
	props := whereProps()
	read := func(of any, text string) graph.Filter {
		f, errs := c.parse(of, props, text, graph.Limits{})
		require.Empty(t, errs)
		return f
	}
	first := read(issue, "id == 1 && active").(graph.And)
	again := read(issue, "id == 1 && active").(graph.And)
	require.Same(t, &first[0], &again[0], "the second reading is the first one's filter")
	other := read(user, "id == 1 && active").(graph.And)
	require.NotSame(t, &first[0], &other[0], "labels share nothing")

	_, errs := c.parse(issue, props, "nothing", graph.Limits{})
	require.Len(t, errs, 1)
	require.Len(t, c.entries, 2, "mistakes are not kept")

	read(issue, "id == 1 && active") // now user's is the older one
	read(issue, "id == 2")
	require.Len(t, c.entries, 2)
	require.Equal(t, 2, c.recent.Len())
	third := read(issue, "id == 1 && active").(graph.And)
	require.Same(t, &first[0], &third[0], "the least recently used one went")

	_, errs = c.parse(issue, props, "id == 1 && active", graph.Limits{WhereNodes: 2})
	require.Len(t, errs, 1, "a narrower limit holds for what was read under a wider one")
}

func TestWhereCacheConcurrently(t *testing.T) {
	c := newWhereCache(8)
	props := whereProps()
	var wg sync.WaitGroup
	failures := make(chan error, 8)
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				n := (g + i) % 24
				f, errs := c.parse(c, props, fmt.Sprintf("id == %d", n), graph.Limits{})
				if len(errs) > 0 || whereTree(f) != fmt.Sprintf("id eq int:%d", n) {
					failures <- errors.New(whereTree(f))
					return
				}
			}
		})
	}
	wg.Wait()
	require.Empty(t, failures)
	require.LessOrEqual(t, len(c.entries), 8)
}

// FuzzWhere: any text gives a filter or mistakes, within bounds; a filter names
// only properties that may be filtered, whatever stands in its texts; and a fix
// is no larger than an expression may be.
func FuzzWhere(f *testing.F) {
	for _, seed := range []string{
		`id == 3`, `!(title.contains("a") || state in ["opened"])`, `day < date("2026-11-21")`, `stat = 'open' and id IS NOT NULL`,
		`created_at == "2026-11-21"`, `amount == -1.50e3`, `ghost == "id"`, `title == "ghost == 1"`, "((((", "`a`", `a.?b[?c]`, `- -1`, "\"\\",
		`title is not null and x in (1, (2), 'a)')`, `package`, `title.starts_with(r"a")`, "id == - // x\n 5.5",
	} {
		f.Add(seed)
	}
	names := map[string]bool{}
	for _, p := range whereProps() {
		names[p.Name] = !p.Hidden && !p.NotFilterable
	}
	f.Fuzz(func(t *testing.T, text string) {
		limits := graph.Limits{WhereNodes: 40, WhereBytes: 512}
		filter, errs := parseWhere(whereProps(), text, limits)
		if (filter == nil) != (len(errs) > 0) {
			t.Fatalf("neither or both of filter and mistakes: %v, %v", filter, errs)
		}
		nodes := 0
		var walk func(graph.Filter)
		walk = func(f graph.Filter) {
			if nodes++; nodes > 40 {
				t.Fatal("more nodes than may be")
			}
			switch f := f.(type) {
			case graph.And:
				for _, g := range f {
					walk(g)
				}
			case graph.Or:
				for _, g := range f {
					walk(g)
				}
			case graph.Not:
				walk(f.Filter)
			case graph.Compare:
				if !names[f.Property] {
					t.Fatalf("%q is no property", f.Property)
				}
				if k := f.Value.Kind(); k == graph.KindInvalid || k == graph.KindNumber || k == graph.KindNull {
					t.Fatalf("%s has a value without type: %s", f.Property, f.Value)
				}
			default:
				t.Fatalf("a filter of type %T", f)
			}
		}
		if filter != nil {
			walk(filter)
		}
		for _, e := range errs {
			if e.Code != graph.InvalidExpression && e.Code != graph.UnknownProperty && e.Code != graph.LimitExceeded {
				t.Fatalf("code %s", e.Code)
			}
			if e.Message == "" || e.Path != "" {
				t.Fatalf("%+v", e)
			}
			if len(e.Fix) > 0 {
				fixed := e.Fix[0].Value.(string)
				if _, left := parseWhere(whereProps(), fixed, limits); len(fixed) > 512 || len(left) >= len(errs) {
					t.Fatalf("the fix %q mends nothing", fixed)
				}
			}
		}
	})
}

func BenchmarkWhere(b *testing.B) {
	const text = `state == "opened" && (iid >= 10 || title.contains("crash")) && created_at < timestamp("2026-11-21T09:30:00Z")`
	props := whereProps()
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, errs := parseWhere(props, text, graph.Limits{}); len(errs) > 0 {
				b.Fatal(errs)
			}
		}
	})
	b.Run("cached", func(b *testing.B) {
		c := newWhereCache(16)
		b.ReportAllocs()
		for b.Loop() {
			if _, errs := c.parse(c, props, text, graph.Limits{}); len(errs) > 0 {
				b.Fatal(errs)
			}
		}
	})
	b.Run("refused", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, errs := parseWhere(props, `stat = "open" and titel LIKE "a"`, graph.Limits{}); len(errs) == 0 {
				b.Fatal("accepted")
			}
		}
	})
}
