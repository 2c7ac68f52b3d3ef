package storetest

import (
	"context"
	"embed"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

//go:embed testdata/fixtures testdata/scripts testdata/policies testdata/tables
var files embed.FS

// Fixture returns one of the graphs that the tests ask about: "gitlab", a small
// issue tracker; "types", every property type with the values where stores
// differ; "figures", numbers whose sums are longer than a float; "mapping", every
// way to keep a relationship in tables; "clinic", tenants and policies of every
// kind; "records", a catalogue whose nodes are offered as records.
func Fixture(t testing.TB, name string) *memory.Graph {
	t.Helper()
	dir, err := fs.Sub(files, "testdata/fixtures/"+name)
	require.NoError(t, err)
	text, err := fs.ReadFile(dir, "schema.yaml")
	require.NoError(t, err, "there is no fixture %q", name)
	s, err := schema.Parse(name+"/schema.yaml", text)
	require.NoError(t, err)
	g, err := memory.Load(context.Background(), s, dir, memory.Options{})
	require.NoError(t, err)
	return g
}

// FixtureNames lists the fixtures that answer without a scope, have relationships,
// and are about no single thing.
func FixtureNames() []string { return []string{"gitlab", "types", "mapping"} }
