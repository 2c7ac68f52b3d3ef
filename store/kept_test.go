package store_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A connection to MariaDB prepares a statement once and keeps it, alone and in a
// transaction, but not too many of them.
func TestOwnKeepsStatements(t *testing.T) {
	s, ok := servers(t)["MariaDB"]
	if !ok {
		t.Skip("skipped: needs a MariaDB server in TRELLIS_TEST_MARIADB")
	}
	s.fill(t)
	db := s.open(t, 1)
	st := store.Own(db, s.dialect)
	eng := ownEngine(t, st, time.Minute)
	status := func(name string) int {
		var n string
		require.NoError(t, db.QueryRow("SHOW SESSION STATUS LIKE '"+name+"'").Scan(new(string), &n))
		count, err := strconv.Atoi(n)
		require.NoError(t, err)
		return count
	}
	ask := func(q graph.Query) {
		_, err := eng.Run(context.Background(), q)
		require.NoError(t, err)
	}
	single, several := find("cup"), &graph.Neighbors{Start: graph.ID("cup", 1)}
	for range 3 {
		ask(single)
		ask(several)
	}
	before := status("Com_stmt_prepare")
	for range 20 {
		ask(single)
		ask(several)
	}
	require.Equal(t, before, status("Com_stmt_prepare"))

	for _, property := range []string{"id", "name"} {
		for _, op := range []graph.Op{graph.Eq, graph.Ne, graph.Gt, graph.Gte, graph.Lt, graph.Lte} {
			for _, order := range []string{"id", "name"} {
				for _, direction := range []graph.SortDirection{graph.Asc, graph.Desc} {
					for _, shown := range []string{"id", "name"} {
						value := any(1)
						if property == "name" {
							value = "red"
						}
						ask(&graph.FindNodes{NodePattern: graph.NodePattern{Label: "cup", Filter: graph.Cmp(property, op, value)},
							OrderBy: []graph.Order{{Property: order, Direction: direction}}, Properties: []string{shown}})
					}
				}
			}
		}
	}
	require.Greater(t, status("Com_stmt_prepare"), before+64)
	require.LessOrEqual(t, status("Com_stmt_prepare")-status("Com_stmt_close"), 64)
	ask(single)
	require.NoError(t, st.Close())
}
