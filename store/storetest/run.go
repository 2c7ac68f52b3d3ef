package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// Options say how the scripts are run.
type Options struct {
	// Store is the store's name, as an "except" of a script calls it: for a store
	// over a database the name of its dialect.
	Store string
	// Skip names what a store cannot do, and why: the key is a script, such as
	// "traverse_hops.txt", or a case, such as "traverse_hops.txt:12".
	Skip map[string]string
	// Update is the folder with the scripts whose plans and statements are to
	// be rewritten; "" compares them. Answers and errors are never rewritten.
	Update string
	// Unsupported names what a store refuses as UNSUPPORTED though the scripts
	// have an answer, and why: cases, as in Skip, that must be refused.
	Unsupported map[string]string
	// Capabilities is the file of what the store can do, which Run compares with
	// what the scripts have shown, or writes if Renew; "" is none.
	Capabilities string
	Renew        bool
}

// Run runs all scripts on a store and fails t where an answer is not the one
// written down. It opens the store once for each fixture.
func Run(t *testing.T, open Opener, opts Options) {
	r := newRunner(opts)
	r.open = func(t testing.TB, name string) *fixture {
		g := Fixture(t, name)
		return newFixture(g.Schema(), open(t, g))
	}
	r.scripts(t, scriptFolders...)
	if len(opts.Skip) == 0 {
		t.Run("coverage", func(t *testing.T) { r.coverage.require(t) })
	}
}

// scripts runs those of some folders, and closes what they opened.
func (r *runner) scripts(t *testing.T, folders ...string) {
	names := scriptNames(t, folders...)
	for _, name := range names {
		r.titles[name] = scriptTitle(t, name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r.script(t, name)
			r.ran++
		})
	}
	r.capabilities(t)
	for _, f := range r.stores {
		require.NoError(t, f.store.Close())
	}
}

func scriptNames(t testing.TB, folders ...string) []string {
	var names []string
	for _, folder := range folders {
		entries, err := fs.ReadDir(files, folder)
		require.NoError(t, err)
		for _, e := range entries {
			if !e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

// scriptFolders hold the scripts: those of what anyone may ask, and those of
// what policies make of it.
var scriptFolders = []string{"testdata/scripts", "testdata/policies"}

// scriptTitle is what a script says of itself first.
func scriptTitle(t testing.TB, name string) string {
	for line := range strings.Lines(scriptText(t, name)) {
		title, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
		if !ok {
			break
		}
		if i := strings.IndexAny(title, ".:"); i > 0 {
			title = title[:i]
		}
		return strings.TrimSuffix(name, ".txt") + ": " + title
	}
	return strings.TrimSuffix(name, ".txt")
}

func scriptText(t testing.TB, name string) string {
	var text []byte
	err := fs.ErrNotExist
	for _, folder := range append(scriptFolders, tableFolder) {
		if errors.Is(err, fs.ErrNotExist) {
			text, err = fs.ReadFile(files, folder+"/"+name)
		}
	}
	require.NoError(t, err)
	return string(text)
}

func readScript(t testing.TB, name string) []*testCase {
	cases, err := parse(name, scriptText(t, name))
	require.NoError(t, err)
	return cases
}

type runner struct {
	open     func(t testing.TB, name string) *fixture
	opts     Options
	stores   map[string]*fixture
	coverage *coverage
	// What came of the cases, by feature and by script; the titles of all scripts,
	// and how many have run.
	features, scriptTallies map[string]*tally
	titles                  map[string]string
	ran                     int
	scriptsOnly             bool // features are what other scripts are about
}

func newRunner(opts Options) *runner {
	return &runner{opts: opts, stores: map[string]*fixture{}, coverage: newCoverage(),
		features: map[string]*tally{}, scriptTallies: map[string]*tally{}, titles: map[string]string{}}
}

// A fixture is an opened store, and a caller for each set of limits.
type fixture struct {
	schema  *schema.Schema
	store   store.Store
	callers map[graph.Limits]*Caller
}

func newFixture(s *schema.Schema, st store.Store) *fixture {
	return &fixture{schema: s, store: st, callers: map[graph.Limits]*Caller{}}
}

// caller opens the case's fixture on first use. The store outlives the
// subtest, so it belongs to the whole run.
func (r *runner) caller(t testing.TB, c *testCase) *Caller {
	f := r.stores[c.fixture]
	if f == nil {
		f = r.open(t, c.fixture)
		r.stores[c.fixture] = f
	}
	caller := f.callers[c.limits]
	if caller == nil {
		caller = NewCaller(f.schema, f.store, c.limits)
		f.callers[c.limits] = caller
	}
	return caller.As(c.scope)
}

func (r *runner) script(t *testing.T, name string) {
	if reason, ok := r.opts.Skip[name]; ok {
		tallied(r.scriptTallies, r.titles[name]).miss(reason)
		r.ran++ // a skipped test does not come back
		t.Skip(reason)
	}
	var updated []*testCase
	for _, c := range readScript(t, name) {
		reason, ok := r.opts.Skip[c.where()]
		if !ok {
			reason, ok = c.except[r.opts.Store]
		}
		if ok {
			t.Logf("%s skipped: %s", c.where(), reason)
			if !refusedByCheck(c.want) {
				r.note(c, r.caller(t, c), reason)
			}
			continue
		}
		caller := r.caller(t, c)
		if reason, ok := r.opts.Unsupported[c.where()]; ok {
			_, err := caller.Call(c.tool, []byte(c.args))
			require.ErrorIs(t, err, graph.Unsupported, c.where())
			r.note(c, caller, fmt.Sprintf("UNSUPPORTED at %s: %s", renderPointer(Mistakes(err)[0].Path), reason))
			continue
		}
		r.answer(t, caller, c)
		r.note(c, caller, "")
		if len(c.sections) > 0 {
			r.sections(t, caller, c)
			updated = append(updated, c)
		}
	}
	if r.opts.Update != "" {
		rewrite(t, r.opts.Update, name, updated)
	}
}

// answer makes the call and compares what comes of it.
func (r *runner) answer(t testing.TB, caller *Caller, c *testCase) {
	result, err := caller.Call(c.tool, []byte(c.args))
	if isRefusal(c.want) {
		if err == nil {
			report(t, c, c.want, render(result), "")
			return
		}
		want, got := compareRefusal(c.want, err)
		report(t, c, want, got, caller.log.take())
		r.mend(t, caller, c, err)
		return
	}
	if err != nil {
		_, got := compareRefusal(nil, err)
		report(t, c, c.want, got, caller.log.take())
		return
	}
	if result.Schema != nil {
		want, got := compareJSON(strings.Join(c.want, "\n"), result)
		report(t, c, want, got, "")
		return
	}
	if result.Records != nil {
		r.records(t, caller, c, result)
		return
	}
	got := render(result)
	if c.brief {
		got = renderBrief(result)
	}
	report(t, c, c.want, got, "")
	consistent(t, c, result)
	if c.pages > 0 {
		r.pages(t, caller, c, result)
	}
	q, err := caller.Query(c.tool, []byte(c.args))
	require.NoError(t, err)
	r.coverage.add(caller.schema, q)
}

// records compares a document of records byte by byte.
func (r *runner) records(t testing.TB, caller *Caller, c *testCase, result *graph.Result) {
	direct, err := caller.tools.Call(caller.context(), c.tool, []byte(c.args))
	require.NoError(t, err)
	document, err := result.AppendJSON(nil) // which escapes nothing for HTML
	require.NoError(t, err)
	report(t, c, []string{string(document)}, []string{string(direct)}, "")
	report(t, c, c.want, []string{string(document)}, "")
	q, err := caller.Query(c.tool, []byte(c.args))
	require.NoError(t, err)
	r.coverage.add(caller.schema, q)
}

func report(t testing.TB, c *testCase, want, got []string, log string) {
	if slices.Equal(want, got) {
		return
	}
	if log != "" {
		log = "\n    log: " + log
	}
	t.Errorf("%s: %s %s%s%s", c.where(), c.tool, strings.Join(strings.Fields(c.args), " "), diff(want, got), log)
}

// consistent holds what must be true of every answer.
func consistent(t testing.TB, c *testCase, r *graph.Result) {
	want := func(ok bool, what string) {
		if !ok {
			t.Errorf("%s: %s", c.where(), what)
		}
	}
	tool, page := paged(c.tool)
	want(r.Tool == tool, "the answer names another tool")
	want((r.Total != nil) == (page != nil) && (page == nil || int64(r.Returned) <= *r.Total), "the total is missing, or not asked for, or too low")
	// What no database answers has no twin in SQL.
	want(r.Executed != "" && (len(r.Statements) > 0 || c.except != nil), "the answer does not tell what was executed")
	switch r.TruncatedBy {
	case graph.Complete:
		want(r.NextCursor == "", "a complete answer has a cursor")
	case graph.TruncatedRows:
		want(r.NextCursor != "" || r.Tool == graph.ToolPaths || page != nil, "an answer cut after its rows has no cursor")
	}
	switch {
	case r.Columns != nil:
		want(r.Returned == len(r.Rows), "rows are miscounted")
	case r.Tool == graph.ToolPaths:
		want(r.Returned == len(r.Paths), "paths are miscounted")
		for _, p := range r.Paths {
			want(p.Length == len(p.Relationships) && p.Length == len(p.Nodes)-1, "a path's length is wrong")
		}
	default:
		want(page == nil || r.NextCursor == "", "a page by its offset has a cursor")
		want(r.Returned <= len(r.Nodes), "more is returned than there is")
	}
	b, err := json.Marshal(r)
	want(err == nil && json.Valid(b), "the answer is not JSON")
}

// pages reads the answer once more in pages; together they must be the whole.
func (r *runner) pages(t testing.TB, caller *Caller, c *testCase, whole *graph.Result) {
	var args map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(c.args), &args))
	args["limit"] = json.RawMessage(fmt.Sprint(c.pages))
	all := &graph.Result{Columns: whole.Columns, Summary: graph.Summary{Warnings: whole.Warnings}}
	for {
		text, err := json.Marshal(args)
		require.NoError(t, err)
		page, err := caller.Call(c.tool, text)
		if err != nil {
			_, got := compareRefusal(nil, err)
			report(t, c, []string{fmt.Sprintf("page after %d", all.Returned)}, got, caller.log.take())
			return
		}
		all.Nodes = append(all.Nodes, page.Nodes[:min(page.Returned, len(page.Nodes))]...)
		all.Rows = append(all.Rows, page.Rows...)
		all.Returned += page.Returned
		if page.NextCursor == "" {
			break
		}
		if page.Returned != c.pages || all.Returned > whole.Returned {
			t.Errorf("%s: a page of %d rows after %d, of %d", c.where(), page.Returned, all.Returned, whole.Returned)
			return
		}
		args["cursor"], err = json.Marshal(page.NextCursor)
		require.NoError(t, err)
	}
	unpaged := *whole
	unpaged.Nodes, unpaged.Relationships = whole.Nodes[:min(whole.Returned, len(whole.Nodes))], nil
	report(t, c, render(&unpaged), render(all), "")
}

// sections compares, or renews, the plan and the statements of a case.
func (r *runner) sections(t testing.TB, caller *Caller, c *testCase) {
	plan, err := caller.Plan(c.tool, []byte(c.args))
	require.NoError(t, err, c.where())
	for i := range c.sections {
		s := &c.sections[i]
		got := strings.Split(strings.TrimRight(plan.String(), "\n"), "\n")
		if name, ok := strings.CutPrefix(s.name, "sql "); ok {
			got = statement(t, plan, name)
		}
		if r.opts.Update != "" {
			s.text = got
			continue
		}
		at := *c
		at.line = s.first
		report(t, &at, s.text, got, "")
	}
}

func statement(t testing.TB, plan *compile.Plan, dialect string) []string {
	d, ok := compile.DialectNamed(dialect)
	require.True(t, ok, "there is no dialect %q", dialect)
	program, err := compile.SQL(plan, d)
	require.NoError(t, err)
	lines := strings.Split(program.Main.Text(plan.Params), "\n")
	args := "args:"
	_, shown := program.Main.Bind(plan.Params)
	for _, p := range shown {
		args += " " + p.Value.String()
	}
	return append(lines, args)
}
