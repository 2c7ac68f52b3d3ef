package explorer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools/tokens"
)

func gitlab(t *testing.T) *memory.Graph {
	g, err := memory.Open(t.Context(), "../../store/storetest/testdata/fixtures/gitlab", memory.Options{})
	require.NoError(t, err)
	return g
}

func nobody(*http.Request) (*graph.Scope, error) { return nil, nil }

// What a person does at first: look at the schema, ask, expand a node, look at the
// table and at the way of the call.
func TestAnswersAndTheirWay(t *testing.T) {
	b := open(t, serve(t, gitlab(t), engine.ShowStatements, nobody))
	b.prefer("light")
	b.do(chromedp.Navigate(b.url))
	b.ready()
	require.Contains(t, b.text("#summary"), "6 labels, 10 relationship types")
	require.Contains(t, b.text("#revision"), "2026-11-21")
	b.accessible()
	b.picture("schema")

	b.show("traverse_relationships", `{"from": {"label": "gl_user"}, "relationships": [{"type": "AUTHORED_ISSUE"}], "to": {"label": "gl_issue"}, "limit": 9}`)
	b.accessible()
	b.picture("answer")
	require.Contains(t, b.text("#summary"), "9 nodes asked for")
	require.Contains(t, b.text("#legend"), "gl_issue 9")
	pairs, shown := b.overlaps()
	require.Zero(t, pairs)
	require.Greater(t, shown, 8)
	require.Contains(t, b.text("#strip-plan"), "traverse gl_user")
	require.Contains(t, b.text("#strip-sql"), "FROM `gl_user` AS n0 JOIN `gl_issue` AS r1")
	require.Contains(t, b.text("#strip-sql"), "1: 10 (int64)")
	require.Contains(t, b.text("#strip-database"), "runs the plan itself")

	// Expanding with the keyboard alone.
	before := b.nodes()
	b.do(chromedp.Focus(chromedp.CSS("#canvas")), chromedp.KeyEvent(kb.ArrowRight), chromedp.WaitVisible(chromedp.CSS("#detail")), chromedp.KeyEvent(kb.Enter))
	b.until(`document.documentElement.dataset.state === "ready" && document.getElementById("summary").textContent.includes("more node")`)
	require.Greater(t, b.nodes(), before)
	b.picture("expanded")

	// Tabs by arrows.
	b.do(chromedp.Focus(chromedp.CSS("#tab-graph")), chromedp.KeyEvent(kb.ArrowRight), chromedp.WaitVisible(chromedp.CSS("#view-table")))
	b.show("aggregate_nodes", `{"node_label": "gl_issue", "group_by": [{"property": "state"}], "aggregations": [{"function": "count"}]}`)
	require.Contains(t, b.text("#view-table"), "opened")
	b.show("find_nodes", `{"node_label": "gl_user", "limit": 2, "properties": ["username", "name", "joined"]}`)
	require.Contains(t, b.text("#summary"), "cut off: by rows")
	b.do(chromedp.Click(chromedp.CSS("#more")))
	b.ready()
	b.do(chromedp.Click(chromedp.CSS("#tab-table")))
	require.Contains(t, b.text("#view-table"), "linus")
}

func (b *browser) nodes() int {
	return eval[int](b, `document.getElementById("canvas")._cyreg.cy.nodes().length`)
}

// A refusal says what is wrong and mends it with one click.
func TestRefusalsAreMended(t *testing.T) {
	b := open(t, serve(t, gitlab(t), engine.HideStatements, nobody))
	b.show("find_nodes", `{"node_label": "gl_issue", "filters": {"state": "open"}}`)
	require.Contains(t, b.text("#notices"), "INVALID_ENUM")
	require.Contains(t, b.text("#strip-plan"), "nothing was asked of the store")
	require.Contains(t, b.text("#fields"), "open (not one of its values)")
	b.accessible()
	b.picture("refusal")
	b.do(chromedp.Click(chromedp.CSS("#notices button")))
	b.until(`document.getElementById("arguments").value.includes("opened") && document.documentElement.dataset.state === "ready"`)
	require.Contains(t, b.text("#summary"), "nodes asked for")
	require.Contains(t, b.text("#strip-sql"), "hides its statements")
}

// The form is that of the tool's schema, and says the same as the text.
func TestCallsAreBuiltInTheForm(t *testing.T) {
	b := open(t, serve(t, gitlab(t), engine.HideStatements, nobody))
	b.show("find_nodes", `{"node_label": "gl_user"}`)
	add := func(what, field string) {
		eval[bool](b, `(() => {
			const select = document.querySelector('select[aria-label="add to `+what+`"]');
			select.value = "`+field+`";
			return select.dispatchEvent(new Event("change"));
		})()`)
	}
	add("argument", "filters")
	add("filters", "username")
	b.do(chromedp.SendKeys(chromedp.CSS(`input[aria-label="username"]`), "ada"))
	require.JSONEq(t, `{"node_label": "gl_user", "filters": {"username": "ada"}}`, b.value("#arguments"))
	b.do(chromedp.Click(chromedp.CSS("#run")))
	b.until(`document.getElementById("summary").textContent.startsWith("1 node asked for")`)
	b.picture("form")

	// A number that JavaScript would round is kept, and not put into a form.
	b.show("find_nodes", `{"node_label": "gl_user", "ids": [9007199254740993]}`)
	require.Contains(t, b.text("#fields"), "more digits")
	require.Contains(t, b.text("#notices"), "NOT_FOUND")
	require.Contains(t, b.text("#notices"), "9007199254740993")
}

// Names of 300 nodes around hubs do not cover each other, in both themes.
func TestManyNodesAreReadable(t *testing.T) {
	g, err := social.New(social.Options{Persons: 400})
	require.NoError(t, err)
	b := open(t, serve(t, g, engine.HideStatements, nobody))
	for _, theme := range []string{"light", "dark"} {
		b.prefer(theme)
		b.show("traverse_relationships", `{"from": {"label": "person"}, "relationships": [{"type": "KNOWS"}], "to": {"label": "person"}, "limit": 290}`)
		require.GreaterOrEqual(t, b.nodes(), 290)
		pairs, shown := b.overlaps()
		require.Zero(t, pairs)
		require.Greater(t, shown, 20, "names that are shown")
		b.accessible()
		b.picture("many-" + theme)
	}
}

// Texts of the graph are texts on the page.
func TestHostileTexts(t *testing.T) {
	sch := mustParse(t, `
format: trellis.schema.v1
nodes:
  note: {key: id, default_properties: [body], properties: {id: int64, body: string}}
`)
	builder := memory.NewBuilder(sch)
	builder.Node("note", memory.Values{"id": 1, "body": `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`})
	g, err := builder.Build()
	require.NoError(t, err)
	b := open(t, serve(t, g, engine.ShowStatements, nobody))
	b.show("find_nodes", `{"node_label": "note"}`)
	for _, tab := range []string{"#tab-table", "#tab-json", "#tab-graph"} {
		b.do(chromedp.Click(chromedp.CSS(tab)))
	}
	require.Equal(t, "Trellis explorer", eval[string](b, `document.title`))
	require.Zero(t, eval[int](b, `document.querySelectorAll("img, main script, iframe").length`))
}

// Without a token nothing is shown; with one what it may see.
func TestToken(t *testing.T) {
	who := func(r *http.Request) (*graph.Scope, error) {
		if strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") != "a-long-token" {
			return nil, tokens.ErrUnknown
		}
		return &graph.Scope{Principal: "ada"}, nil
	}
	b := open(t, serve(t, gitlab(t), engine.HideStatements, who))
	b.do(chromedp.Navigate(b.url), chromedp.WaitVisible(chromedp.CSS("#login")))
	require.Contains(t, b.text("#summary"), "a token is needed")
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), "a-long-token"+kb.Enter))
	b.until(`document.getElementById("summary").textContent.includes("6 labels")`)
}
