package storetest

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A TableOpener makes a database of its own with statements, one after the other
// over one connection, and returns a store over it. other is the name of a second
// schema, which the statements make where the engine has schemas; if it outlives
// the database, the opener drops it in t.Cleanup.
type TableOpener func(t testing.TB, statements []string, other string) store.Store

// Tables runs the scripts of testdata/tables on a store over a database: those
// about tables that other programs made, with the engine's own types, loose
// collations, several schemas and values that do not fit. The statements that make
// them are in testdata/tables, in a file named after opts.Store, of a store that
// speaks that dialect.
func Tables(t *testing.T, open TableOpener, opts Options) {
	r := newRunner(opts)
	r.scriptsOnly = true
	r.open = func(_ testing.TB, name string) *fixture { // which lives as long as t
		other := fmt.Sprintf("trellis_other_%d_%d", os.Getpid(), time.Now().UnixNano())
		read := func(file string) string {
			text, err := fs.ReadFile(files, tableFolder+"/"+name+"/"+file)
			require.NoError(t, err)
			return strings.ReplaceAll(string(text), "$other", other)
		}
		s, err := schema.Parse(name+"/schema.yaml", []byte(read("schema.yaml")))
		require.NoError(t, err)
		var statements []string
		for text := range strings.SplitSeq(read(opts.Store+".sql"), ";\n") {
			if text = strings.TrimSpace(text); text != "" {
				statements = append(statements, text)
			}
		}
		return newFixture(s, open(t, statements, other))
	}
	r.scripts(t, tableFolder)
}

const tableFolder = "testdata/tables"
