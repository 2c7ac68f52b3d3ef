package explorer_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store/memory"
)

// From the schema to the records of a label, to one, and along its references.
func TestRecords(t *testing.T) {
	b := open(t, serve(t, instruments(t), engine.HideStatements, nobody))
	b.prefer("light")
	b.do(chromedp.Navigate(b.url))
	b.ready()
	require.Equal(t, "Records: makerpartproduct", b.text("#labels"))
	b.accessible()
	b.picture("records-schema")
	b.do(chromedp.Click(chromedp.CSS("#labels a:last-child")))
	b.shown("1–6 of 6")
	require.Equal(t, "record-title", eval[string](b, `document.activeElement.id`))
	require.Contains(t, b.text("#view-table"), "The instruments of the catalogue.")
	b.accessible()
	b.picture("records")

	// With the keyboard: the first record, and from it to another.
	b.do(chromedp.Focus(chromedp.CSS("#view-table tbody th a")), chromedp.KeyEvent(kb.Enter))
	b.shown("product aria-1")
	require.Contains(t, b.text(".referrers"), "aria-2 Aria Two")
	b.accessible()
	b.picture("record")
	b.do(chromedp.Click(chromedp.CSS(`#view-table .referrers a[href*="get_part"]`)))
	b.shown("part 1")
	eval[bool](b, `(history.back(), true)`)
	b.shown("product aria-1")
	b.do(chromedp.Click(chromedp.CSS("#view-table button")))
	b.until(`document.documentElement.dataset.state === "ready" && !document.getElementById("view-graph").hidden`)
	require.Contains(t, b.text("#legend"), "product")
}

// shown waits for the view that sums itself up so.
func (b *browser) shown(summary string) {
	b.t.Helper()
	b.until(`document.documentElement.dataset.state === "ready" && document.getElementById("summary").textContent === "` + summary + `"`)
}

// Lists are paged, sorted by what their tool sorts by, and filtered in the form.
func TestListsOfRecords(t *testing.T) {
	b := open(t, serve(t, instruments(t), engine.HideStatements, nobody))
	b.show("list_product", `{"sort": "-title", "limit": 2}`)
	b.shown("1–2 of 6")
	require.Equal(t, "title ▼", b.text(`#view-table th[aria-sort="descending"]`))
	b.do(chromedp.Click(chromedp.CSS(".pages a")))
	b.shown("3–4 of 6")
	b.do(chromedp.Click(chromedp.CSS(".pages a:last-child")))
	b.shown("5–6 of 6")
	require.Equal(t, 1, eval[int](b, `document.querySelectorAll(".pages a").length`))
	b.do(chromedp.Click(chromedp.CSS(`#view-table th[aria-sort="descending"] a`)))
	b.shown("1–2 of 6")
	require.Contains(t, b.text("#view-table"), "title ▲")

	b.show("list_product", `{"filters": {}}`)
	require.Equal(t, "student,stage,collector", eval[string](b, `(() => {
		const add = document.querySelector('select[aria-label="add to filters"]');
		add.value = "grade";
		add.dispatchEvent(new Event("change"));
		return [...document.querySelectorAll('select[aria-label="grade"] option')].map((o) => o.value).join();
	})()`))
	eval[bool](b, `(() => {
		const grade = document.querySelector('select[aria-label="grade"]');
		grade.value = "stage";
		return grade.dispatchEvent(new Event("change"));
	})()`)
	b.do(chromedp.Click(chromedp.CSS("#run")))
	b.shown("1–2 of 2")
	require.Contains(t, b.text("#view-table"), "bass-b")

	b.show("get_product", `{"id": "none"}`)
	require.Contains(t, b.text("#view-table"), "There is no such record.")
	b.show("get_product", `{"ids": ["drone", "none"]}`)
	require.Contains(t, b.text("#view-table"), "not found: none")
	b.show("get_product", `{"id": "élan"}`)
	require.Contains(t, b.text(".members"), "9223372036854775807", "JavaScript would round it")
}

// What a record holds is text, whatever it looks like, and says nothing about the
// answer that it is.
func TestHostileRecords(t *testing.T) {
	sch := mustParse(t, `
format: trellis.schema.v1
nodes:
  note: {key: id, records: true, properties: {id: string, body: string, warnings: string, nodes: json, see: {type: string, index: true}}}
relationships:
  SEE: {from: note, to: note, foreign_key: see}
`)
	id := `a"><script>document.title='owned'</script>&=#`
	builder := memory.NewBuilder(sch)
	builder.Node("note", memory.Values{"id": id, "body": "[x](javascript:alert(1))\n<img src=x onerror=\"document.title='owned'\">\n\x1b[31m \u202e", "warnings": "x", "nodes": []int{1}, "see": "b"})
	builder.Node("note", memory.Values{"id": "b"})
	builder.Relationship("SEE", graph.ID("note", id), graph.ID("note", "b"), nil)
	g, err := builder.Build()
	require.NoError(t, err)
	b := open(t, serve(t, g, engine.HideStatements, nobody))
	b.show("list_note", `{}`)
	b.shown("1–2 of 2")
	b.do(chromedp.Click(chromedp.CSS("#view-table tbody th a")))
	b.shown("note " + `a\"><script>document.title='owned'</script>&=#`)
	require.Contains(t, b.text(".members"), `\u001b[31m \u202e`)
	require.Equal(t, "b", b.text(".members a"))
	require.Equal(t, "Trellis explorer", eval[string](b, `document.title`))
	require.Zero(t, eval[int](b, `document.querySelectorAll("img, main script, iframe, a:not([href^='#'])").length`))
}
