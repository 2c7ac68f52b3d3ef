package schema_test

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func TestDocumentIsTheSchema(t *testing.T) {
	files, err := filepath.Glob("../store/storetest/testdata/fixtures/*/schema.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, "testdata/forms.yaml") {
		s, err := schema.ReadFile(file)
		require.NoError(t, err)
		again, err := schema.FromDocument(s.Document())
		require.NoError(t, err, file)
		require.Equal(t, string(s.Document()), string(again.Document()), file)
		require.Equal(t, s.Revised(), again.Revised())
		require.Equal(t, s.HasPolicies(), again.HasPolicies())
		require.Equal(t, slices.Collect(s.Labels()), slices.Collect(again.Labels()), file)
		for typ := range s.Relationships() {
			other, ok := again.Relationship(typ.Name)
			require.True(t, ok)
			require.Equal(t, typ.Policy, other.Policy)
			require.Len(t, other.Pairs, len(typ.Pairs))
			for i, p := range typ.Pairs {
				q := other.Pairs[i]
				require.Equal(t, []any{p.From.Name, p.To.Name, p.Table, p.Match, p.FromColumns, p.ToColumns, p.HolderIsTo, p.UniqueFrom, p.UniqueTo, p.Policy, p.Key, p.Properties},
					[]any{q.From.Name, q.To.Name, q.Table, q.Match, q.FromColumns, q.ToColumns, q.HolderIsTo, q.UniqueFrom, q.UniqueTo, q.Policy, q.Key, q.Properties}, file)
			}
		}
		sum := sha256.Sum256(s.Document())
		require.Equal(t, s.Hash(), hex.EncodeToString(sum[:]), file)
	}
}

func TestDocumentKeepsThatNothingIsShownByDefault(t *testing.T) {
	s, err := schema.Parse("s.yaml", []byte(`
format: trellis.schema.v1
nodes: {a: {key: id, default_properties: [], properties: {id: int64, name: string}}}`))
	require.NoError(t, err)
	again, err := schema.FromDocument(s.Document())
	require.NoError(t, err)
	l, _ := again.Label("a")
	require.Empty(t, l.Default)
	require.Equal(t, s.Hash(), again.Hash())
}

func TestDocumentOfAViewIsThatOfItsBase(t *testing.T) {
	s, err := schema.Parse("s.yaml", []byte(`
format: trellis.schema.v1
nodes: {a: {key: id, policy: node.tenant == caller.tenant, properties: {id: int64, tenant: string}}}`))
	require.NoError(t, err)
	v, err := s.View(&graph.Scope{Tenant: "x"})
	require.NoError(t, err)
	require.Equal(t, s.Document(), v.Schema().Document())
}

func TestWrongDocumentsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":        "",
		"cut":            `{"Revised":`,
		"no labels":      `{"Revised":"2026-11-21T00:00:00Z"}`,
		"unknown member": `{"Nodes":[],"Edges":[]}`,
		"unknown type":   `{"Nodes":[{"Label":"a","Key":["id"],"Properties":[{"Name":"id","Type":"int65"}]}]}`,
		"type 0":         `{"Nodes":[{"Label":"a","Key":["id"],"Properties":[{"Name":"id"}]}]}`,
		"more":           `{"Nodes":[{"Label":"a","Key":["id"],"Properties":[{"Name":"id","Type":"int64"}]}]} {}`,
		"long":           `{"Revised":"` + strings.Repeat("x", 5<<20) + `"}`,
	} {
		_, err := schema.FromDocument([]byte(text))
		require.Error(t, err, name)
	}
}
