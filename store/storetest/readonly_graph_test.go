package storetest_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
)

// canaryGraph holds what canaries has in a database. What tells whether it has
// changed is the checksum of all of it, as it would be in a file.
func canaryGraph(t *testing.T) (g *memory.Graph, content func() string) {
	s, err := schema.Parse("canary.yaml", []byte(canarySchema))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	b.Node("bird", memory.Values{"id": "1", "name": "tweety"})
	b.Node("bird", memory.Values{"id": "2", "name": "yellow", "note": "sings"})
	b.Node("bird", memory.Values{"id": "3", "name": "coal mine"})
	b.Relationship("FOLLOWS", graph.ID("bird", "1"), graph.ID("bird", "2"), nil)
	b.Relationship("FOLLOWS", graph.ID("bird", "2"), graph.ID("bird", "3"), nil)
	g, err = b.Build()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "content.trellis")
	return g, func() string {
		t.Helper()
		require.NoError(t, g.WriteFile(file))
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return fmt.Sprintf("%x", sha256.Sum256(data))
	}
}

// T47: no call changes a graph in memory, whichever engine answers from it.
func TestT47NothingIsWrittenNative(t *testing.T) {
	g, content := canaryGraph(t)
	callsWriteNothing(t, content, inMemory(t, g))
}

func TestT47NothingIsWrittenEmbedded(t *testing.T) {
	g, content := canaryGraph(t)
	st := inProcess(t, g)
	callsWriteNothing(t, content, st)
	require.NoError(t, st.Close())
}

// Nor does a statement that would, were one ever made: the engine runs one query
// in a text and nothing else.
func TestT47EmbeddedSessionsOnlyRead(t *testing.T) {
	g, content := canaryGraph(t)
	before := content()
	b, err := embedded.NewBackend(g, embedded.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	ask := func(text string) (rows int, err error) {
		session, err := b.Begin(t.Context())
		require.NoError(t, err)
		defer session.Close()
		found, err := session.Query(t.Context(), text, nil)
		if err != nil {
			return 0, err
		}
		for found.Next() {
			rows++
		}
		return rows, errors.Join(found.Err(), found.Close())
	}
	for _, text := range []string{
		"INSERT INTO trellis_canary (id, name) VALUES ('9', 'cuckoo')", "UPDATE trellis_canary SET name = 'dead'", "DELETE FROM trellis_canary", "REPLACE INTO trellis_canary (id, name) VALUES ('1', 'x')",
		"TRUNCATE TABLE trellis_canary", "DROP TABLE trellis_canary", "ALTER TABLE trellis_canary ADD COLUMN z INT", "CREATE TABLE t (id INT)", "CREATE VIEW v AS SELECT 1", "RENAME TABLE trellis_canary TO dead",
		"SELECT 1; DELETE FROM trellis_canary", "SELECT 1; DROP TABLE trellis_canary; SELECT 2", "DELETE FROM trellis_canary; SELECT 1", "BEGIN; DELETE FROM trellis_canary; COMMIT",
	} {
		_, err := ask(text)
		require.Error(t, err, text)
		require.Equal(t, before, content(), text)
		rows, err := ask("SELECT id FROM trellis_canary")
		require.NoError(t, err)
		require.Equal(t, 3, rows, text)
	}
}
