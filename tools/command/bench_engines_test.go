package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools/bench"
)

// What is written by hand gives the rows of the tools on every engine, on a
// graph with paths and on one with few.
func TestBenchEngines(t *testing.T) {
	for name, o := range map[string]social.Options{"usual": {Persons: 200}, "sparse": {Persons: 60, Friends: 2, Posts: 2}} {
		g, err := social.New(o)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "social.graph")
		require.NoError(t, g.WriteFile(file))
		for engine, open := range map[string]func(*testing.T) string{"MariaDB": mariaDB, "PostgreSQL": postgres, "SQLite": sqliteFile} {
			t.Run(name+" "+engine, func(t *testing.T) {
				dsn := open(t)
				loaded := trellis(t, "", "load", "--graph", file, "--dsn", dsn)
				require.Equal(t, 0, loaded.code, loaded.err)
				asked := trellis(t, "", "bench", "--graph", file, "--dsn", dsn, "--time", "1ms", "--format", "json")
				require.Equal(t, 0, asked.code, asked.err)
				var p bench.Plans
				require.NoError(t, json.Unmarshal([]byte(asked.out), &p))
				require.Equal(t, []string{engine}, p.Engines)
				require.Len(t, p.Questions, 10)
				for _, q := range p.Questions {
					require.Positive(t, q.Engines[0].Hand)
					require.InDelta(t, q.Engines[0].Generated/q.Engines[0].Hand, q.Engines[0].Statements, 1e-9)
					require.InDelta(t, q.Engines[0].Engine/q.Engines[0].Generated, q.Engines[0].Way, 1e-9)
				}
			})
		}
	}
}

// A database with other rows ends the run.
func TestBenchEnginesAgree(t *testing.T) {
	dir, dsn := t.TempDir(), sqliteFile(t)
	for i, persons := range []int{60, 61} {
		g, err := social.New(social.Options{Persons: persons})
		require.NoError(t, err)
		require.NoError(t, g.WriteFile(filepath.Join(dir, []string{"loaded", "asked"}[i])))
	}
	require.Equal(t, 0, trellis(t, "", "load", "--graph", filepath.Join(dir, "loaded"), "--dsn", dsn).code)
	o := trellis(t, "", "bench", "--graph", filepath.Join(dir, "asked"), "--dsn", dsn, "--time", "1ms")
	require.Equal(t, 3, o.code)
	require.Contains(t, o.err, "is answered differently")
	o = trellis(t, "", "bench", "--dsn", dsn)
	require.Equal(t, 2, o.code)
	require.True(t, strings.Contains(o.err, "--graph"), o.err)
}
