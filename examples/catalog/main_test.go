package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/examples/catalog/generate"
	"github.com/trellisgraph/trellis/schema/bundle"
)

// A record is an entity as the YAML library reads it, without any schema.
type record map[string]any

func (r record) text(name string) string { s, _ := r[name].(string); return s }

func (r record) list(name string) []string {
	var out []string
	items, _ := r[name].([]any)
	for _, item := range items {
		out = append(out, item.(string))
	}
	return out
}

func (r record) number(name string) float64 {
	switch n := r[name].(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return -1
}

// entities reads a file of the bundle.
func entities(t *testing.T, plural string) []record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("bundle", "entities", plural+".yaml"))
	require.NoError(t, err)
	var out []record
	require.NoError(t, yaml.Unmarshal(data, &out))
	return out
}

func workshop(t testing.TB) *bundle.Bundle {
	t.Helper()
	b, err := bundle.ReadDir("bundle", bundle.Options{})
	require.NoError(t, err)
	return b
}

// output makes the calls of the program.
func output(t *testing.T) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, run(t.Context(), nil, file, false, 0, ""))
	data, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	return string(data)
}

// ids are the values of a member of the lines of a section.
func ids(t *testing.T, section, name string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(section) {
		if text, ok := strings.CutPrefix(line, "=> {"); ok {
			var r map[string]any
			require.NoError(t, json.Unmarshal([]byte("{"+text), &r))
			id, _ := r[name].(string)
			out = append(out, id)
		}
	}
	return out
}

// What is answered is what the YAML says, read by nothing of ours.
func TestAnswers(t *testing.T) {
	sections := strings.Split(output(t), "\n# ")[1:]
	require.Len(t, sections, len(questions))
	components, bulletins := entities(t, "components"), entities(t, "bulletins")

	var pads []record
	for _, c := range components {
		if c.text("category") == "disc-pads" && slices.Contains(c.list("tags"), "quiet") && c.number("in_stock") >= 1 {
			pads = append(pads, c)
		}
	}
	slices.SortFunc(pads, func(a, b record) int { return cmp.Compare(a.number("price"), b.number("price")) })
	require.Greater(t, len(pads), 1)
	require.Equal(t, names(pads, "sku"), ids(t, sections[0], "sku"))

	require.Equal(t, []string{"PAD-H2-ORG"}, ids(t, sections[1], "sku"))
	require.Contains(t, sections[1], `there is no "PAD-H2-XXL"`)

	var grave []record
	for _, s := range entities(t, "symptoms") {
		if s.text("severity") == "do-not-ride" && slices.Contains([]string{"disc-calipers", "disc-pads"}, s.text("area")) {
			grave = append(grave, s)
		}
	}
	require.Greater(t, len(grave), 1)
	require.Equal(t, names(grave, "id"), ids(t, sections[2], "id"))

	var recalls []record
	for _, b := range bulletins {
		if b.text("kind") == "recall" && b.text("brand") == "hexley" && b.text("issued") >= "2020-01-01" {
			recalls = append(recalls, b)
		}
	}
	slices.SortFunc(recalls, func(a, b record) int { return strings.Compare(b.text("issued"), a.text("issued")) })
	require.Equal(t, names(recalls, "number"), ids(t, sections[3], "number"))

	needed := map[string]bool{}
	for _, s := range entities(t, "symptoms") {
		for _, r := range entities(t, "repairs") {
			if s.text("id") == "brake-lever-soft" && slices.Contains(s.list("likely_repairs"), r.text("id")) {
				needed[s.text("id")], needed[r.text("id")] = true, true
				for _, tool := range r.list("needs_tools") {
					needed[tool] = true
				}
			}
		}
	}
	got := ids(t, sections[4], "id")
	require.Len(t, got, len(needed))
	for _, id := range got {
		require.True(t, needed[id], id)
	}

	count := map[string]int{}
	for _, c := range components {
		for _, tag := range c.list("tags") {
			count[tag]++
		}
	}
	var tags []string
	for tag := range count {
		tags = append(tags, tag)
	}
	slices.SortFunc(tags, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	require.Equal(t, tags[:5], ids(t, sections[5], "tag"))

	require.Contains(t, sections[6], `UNKNOWN_PROPERTY /filters/brnd: [INVALID_INPUT]`)
	var chains []record
	for _, c := range components {
		if c.text("category") == "chains" && c.text("brand") == "nozomi" {
			chains = append(chains, c)
		}
	}
	require.Equal(t, names(chains, "sku"), ids(t, sections[6], "sku"))
}

func names(records []record, name string) []string {
	var out []string
	for _, r := range records {
		out = append(out, r.text(name))
	}
	return out
}

// A client of the Model Context Protocol finds the tools, and gets a record whole.
func TestServe(t *testing.T) {
	in, requests := io.Pipe()
	responses, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(t.Context(), in, out, true, 0, "") }()
	lines := bufio.NewReader(responses)
	ask := func(request string) json.RawMessage {
		_, err := io.WriteString(requests, request+"\n")
		require.NoError(t, err)
		line, err := lines.ReadBytes('\n')
		require.NoError(t, err)
		var m struct{ Result json.RawMessage }
		require.NoError(t, json.Unmarshal(line, &m))
		return m.Result
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	_, err := io.WriteString(requests, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(t, err)
	list := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	got := ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_symptom","arguments":{"id":"chain-skips-under-load"}}}`)
	require.NoError(t, requests.Close())
	require.NoError(t, <-done)
	for _, typ := range workshop(t).Types() {
		for _, tool := range typ.Expose {
			require.Contains(t, string(list), `"name":"`+typ.ToolName(tool)+`"`)
		}
	}
	var answer struct{ Content []struct{ Text string } }
	require.NoError(t, json.Unmarshal(got, &answer))
	require.Len(t, answer.Content, 1)
	symptoms := entities(t, "symptoms")
	i := slices.IndexFunc(symptoms, func(r record) bool { return r.text("id") == "chain-skips-under-load" })
	want, err := json.Marshal(symptoms[i])
	require.NoError(t, err)
	require.JSONEq(t, string(want), answer.Content[0].Text)
}

// The files are in the form that apply and export write.
func TestCanonical(t *testing.T) {
	total := 0
	for _, f := range workshop(t).Files() {
		data, err := os.ReadFile(filepath.Join("bundle", filepath.FromSlash(f.Path)))
		require.NoError(t, err)
		require.Equal(t, string(data), string(f.Data), f.Path)
		if path.Dir(f.Path) == "entities" {
			total += len(entities(t, strings.TrimSuffix(path.Base(f.Path), ".yaml")))
		}
	}
	require.GreaterOrEqual(t, total, 300)
}

// What people would expect of such records beyond what a schema says.
func TestConsistent(t *testing.T) {
	byID := map[string]record{}
	for _, c := range entities(t, "components") {
		byID[c.text("sku")] = c
	}
	for sku, c := range byID {
		for _, other := range c.list("compatible_with") {
			require.Contains(t, byID[other].list("compatible_with"), sku, "%s works with %s, which does not know", sku, other)
		}
		if c["discontinued"] == true {
			require.True(t, c["replaced_by"] != nil || c["condition"] == "used", "%s: what to order instead?", sku)
		}
	}
	symptoms := entities(t, "symptoms")
	for _, r := range entities(t, "repairs") {
		for _, s := range symptoms {
			helps := slices.Contains(s.list("likely_repairs"), r.text("id"))
			require.Equal(t, helps, slices.Contains(r.list("fixes"), s.text("id")), "%s and %s", s.text("id"), r.text("id"))
		}
		for _, step := range r["steps"].([]any) {
			if tool, ok := step.(record)["tool"].(string); ok {
				require.Contains(t, r.list("needs_tools"), tool, r.text("id"))
			}
		}
	}
}

// A generated bundle is a bundle, in canonical form, of as many entities as were
// asked for.
func TestGenerate(t *testing.T) {
	for _, count := range []int{generate.Least, 999} {
		dir := t.TempDir()
		require.NoError(t, run(t.Context(), nil, nil, false, count, dir))
		b, err := bundle.ReadDir(dir, bundle.Options{})
		require.NoError(t, err)
		total := 0
		for _, typ := range b.Types() {
			total += len(typ.Entities)
			require.NotEmpty(t, typ.Entities, typ.Name)
		}
		require.Equal(t, count, total)
		for _, f := range b.Files() {
			data, err := fs.ReadFile(os.DirFS(dir), f.Path)
			require.NoError(t, err)
			require.Equal(t, string(data), string(f.Data), f.Path)
		}
	}
	require.ErrorContains(t, run(t.Context(), nil, nil, false, 10, t.TempDir()), "too few")
	require.ErrorContains(t, run(t.Context(), nil, nil, false, 1000, ""), "no directory")
}
