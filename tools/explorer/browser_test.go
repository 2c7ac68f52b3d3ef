package explorer_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/explorer"
	"github.com/trellisgraph/trellis/tools/httpapi"
)

// A browser is a headless Chromium that shows the explorer of a graph. What its
// console complains of fails the test.
type browser struct {
	t   *testing.T
	ctx context.Context
	url string
}

// serve serves the explorer over a graph.
func serve(t *testing.T, g *memory.Graph, statements engine.Statements, who func(*http.Request) (*graph.Scope, error)) string {
	st := native.New(g, native.Options{})
	opts := engine.Options{Statements: statements, Limits: graph.Limits{Rows: 300, Connections: 2000}}
	offered := tools.New(engine.New(schema.NewCatalog(g.Schema()), st, opts), tools.Options{})
	mux := http.NewServeMux()
	httpapi.New(offered, httpapi.Options{Authenticate: who}).Mount(mux)
	explorer.New(offered, explorer.Options{Authenticate: who}).Mount(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, st.Close())
	})
	return server.URL + "/explorer/"
}

// open starts a Chromium; without one the test is skipped.
func open(t *testing.T, address string) *browser {
	if testing.Short() {
		t.Skip("skipped: starts a browser")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("skipped: needs Chromium")
	}
	opts := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.WindowSize(1400, 900), chromedp.Headless, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true)}
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); stop() })
	b := &browser{t, ctx, address}
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page throws: %s", (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		case *runtime.EventConsoleAPICalled:
			for _, arg := range e.Args {
				t.Errorf("the console: %s: %s%s", e.Type, arg.Value, arg.Description)
			}
		case *log.EventEntryAdded: // a forbidden load or style, an answer that is missing
			if e.Entry.Source != log.EntrySourceNetwork { // refused calls are answered with 4xx
				t.Errorf("the log: %s %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
			}
		}
	}))
	_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	b.ctx, stop = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	return b
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// show opens the page with a call, and waits for its answer.
func (b *browser) show(tool, args string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"#"+url.Values{"tool": {tool}, "args": {args}}.Encode()))
	b.ready()
}

func (b *browser) ready() {
	b.t.Helper()
	b.until(`document.documentElement.dataset.state === "ready"`)
}

// until waits for a condition of the page.
func (b *browser) until(condition string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(time.Minute)))
	require.NoError(b.t, err, "%s; the page says %q", condition, b.text("#summary"))
}

// text is what an element shows.
func (b *browser) text(selector string) string {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.TextContent(chromedp.CSS(selector)))
	require.NoError(b.t, err)
	return out
}

// value is what stands in a field.
func (b *browser) value(selector string) string {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Value(chromedp.CSS(selector)))
	require.NoError(b.t, err)
	return out
}

// eval is the value of some JavaScript.
func eval[T any](b *browser, script string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, func(p *runtime.EvaluateParams) { p.AwaitPromise = new(true) }))
	require.NoError(b.t, err)
	return out
}

// accessible checks the page as it is with axe-core, where TRELLIS_AXE names its
// file: nothing that it calls serious or critical.
func (b *browser) accessible() {
	b.t.Helper()
	file := os.Getenv("TRELLIS_AXE")
	if file == "" {
		return
	}
	script, err := os.ReadFile(file)
	require.NoError(b.t, err)
	eval[bool](b, string(script)+"\n;true")
	require.Empty(b.t, eval[[]string](b, `axe.run().then((found) => found.violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")))`))
}

// picture leaves a screenshot in the directory that TRELLIS_SCREENSHOTS names.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("TRELLIS_SCREENSHOTS")
	if dir == "" {
		return
	}
	b.do(chromedp.Sleep(300 * time.Millisecond))
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// prefer sets what the browser says its reader prefers.
func (b *browser) prefer(scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	require.NoError(b.t, err)
}

// overlaps is how many pairs of names that the picture shows cover each other, and
// how many it shows.
func (b *browser) overlaps() (pairs, shown int) {
	b.t.Helper()
	// Names are culled a frame later.
	eval[bool](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	out := eval[[2]int](b, `(() => {
		const cy = document.getElementById("canvas")._cyreg.cy;
		const boxes = cy.nodes().filter((n) => n.numericStyle("text-opacity") > 0)
			.map((n) => n.renderedBoundingBox({includeNodes: false, includeEdges: false, includeOverlays: false, includeLabels: true}));
		let pairs = 0;
		for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
			const a = boxes[i], b = boxes[j];
			if (a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2) pairs++;
		}
		return [pairs, boxes.length];
	})()`)
	return out[0], out[1]
}
