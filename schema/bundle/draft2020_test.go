package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// minCases is the least number of schemas with a value, or without a meaning,
// in testdata/draft2020.
const minCases = 700

// A rule is what Draft 2020-12 says of a keyword, with values to try it by.
type rule struct {
	Rule     string
	Schema   json.RawMessage
	Accepts  []json.RawMessage
	Refuses  []json.RawMessage
	NoSchema []json.RawMessage `json:"no_schema"` // schemas that the draft's own schema refuses
}

// through takes a schema through the fence and compiles it, as for a bundle.
func through(t *testing.T, text []byte) (*jsonschema.Schema, Problems) {
	t.Helper()
	r := &reader{limits: Limits{}.filled(), bundle: &Bundle{}}
	root := readJSON("x", text, r.limits.SchemaDepth, &r.found)
	if root == nil {
		return nil, r.found.list
	}
	f := &fence{file: "x", limits: r.limits, found: &r.found, root: root}
	if !f.check() {
		return nil, r.found.list
	}
	typ := &Type{Name: "x", file: "x", tree: root}
	return r.compile(typ, root), r.found.list
}

// instance reads a value as that of an entity.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	var f found
	n := readJSON("x", text, maxDepth, &f)
	require.NotNil(t, n, "%s: %v", text, f.list)
	return n.plain()
}

// Values are accepted and refused as Draft 2020-12 says, keyword by keyword. The
// cases were written from its text, a file for each keyword that is read.
func TestDraft2020ByKeyword(t *testing.T) {
	dir := filepath.Join("testdata", "draft2020")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	var covered []string
	cases := 0
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".json")
		covered = append(covered, name)
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		require.NoError(t, err)
		var rules []rule
		require.NoError(t, json.Unmarshal(data, &rules), file.Name())
		accepts, refuses := 0, 0
		for _, r := range rules {
			require.Contains(t, string(r.Schema), `"`+name+`"`, "%s: %s", name, r.Rule)
			s, problems := through(t, r.Schema)
			require.Empty(t, problems, "%s: %s", name, r.Schema)
			for _, v := range r.Accepts {
				require.NoError(t, s.Validate(instance(t, v)), "%s: %s\n%s\naccepts %s", name, r.Rule, r.Schema, v)
			}
			for _, v := range r.Refuses {
				require.Error(t, s.Validate(instance(t, v)), "%s: %s\n%s\nrefuses %s", name, r.Rule, r.Schema, v)
			}
			for _, v := range r.NoSchema {
				_, problems := through(t, v)
				require.NotEmpty(t, problems, "%s is no schema", v)
			}
			accepts, refuses = accepts+len(r.Accepts), refuses+len(r.Refuses)
			cases += len(r.NoSchema)
		}
		require.Positive(t, accepts, "%s accepts something", name)
		require.Positive(t, refuses, "%s refuses something", name)
		cases += accepts + refuses
	}
	names := keywordNames()
	slices.Sort(names)
	slices.Sort(covered)
	require.Equal(t, names, covered, "each keyword has its file")
	require.GreaterOrEqual(t, cases, minCases)
	t.Logf("%d cases of %d keywords", cases, len(covered))
}

// What the draft allows, or leaves open, and is refused all the same; the
// reasons stand in the file.
func TestFenceRefusesMore(t *testing.T) {
	data, err := os.ReadFile("testdata/fence.json")
	require.NoError(t, err)
	var table []struct {
		Schema       json.RawMessage
		Says, Reason string
	}
	require.NoError(t, json.Unmarshal(data, &table))
	require.NotEmpty(t, table)
	for _, row := range table {
		_, problems := through(t, row.Schema)
		require.NotEmpty(t, problems, "%s", row.Schema)
		require.Contains(t, problems.Error(), row.Says, "%s", row.Schema)
		require.NotEmpty(t, row.Reason)
	}
}
