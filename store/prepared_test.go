package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// However many texts there are, those that run again and again are prepared, and no
// more of them than there may be.
func TestPreparedTextsGoAndCome(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	defer db.Close()
	p := &prepared{db: db}
	tx, err := db.Begin()
	require.NoError(t, err)
	defer tx.Rollback()
	// as a session does: what is not prepared is seen when it is over
	run := func(text string) bool {
		if st := p.in(t.Context(), tx, text); st != nil {
			var n int
			require.NoError(t, st.QueryRow().Scan(&n))
			return true
		}
		p.seen(t.Context(), text)
		return false
	}
	const usual = "SELECT 7"
	run(usual)
	run(usual)
	for i := range 3 * mostPrepared {
		text := fmt.Sprintf("SELECT %d", 1000+i)
		require.False(t, run(text))
		require.False(t, run(text))
		require.True(t, run(text), "after %d others", i)
		require.True(t, run(usual), "it has run all along")
		require.LessOrEqual(t, len(p.kept), mostPrepared)
	}
	require.False(t, run("SELECT 1000"), "it was used longest ago")

	// What is read goes on when its statement has gone.
	rows, err := p.in(t.Context(), tx, usual).Query()
	require.NoError(t, err)
	for i := range 2 * mostPrepared {
		run(fmt.Sprintf("SELECT %d", 9000+i))
	}
	require.Nil(t, p.in(t.Context(), tx, usual))
	require.True(t, rows.Next())
	require.NoError(t, rows.Close())
	require.NoError(t, p.close())
	require.Empty(t, p.kept)
}
