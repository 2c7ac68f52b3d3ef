package embedded

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/memory"
)

// Every way in which a schema keeps nodes and relationships in tables.
func TestTablesOfEveryMapping(t *testing.T) {
	b := backend(t, fixture(t, "mapping"), Options{})
	for _, c := range []struct{ name, query, want string }{
		{"renamed columns", "SELECT person_no, full_name FROM staff ORDER BY person_no", "1|Ann 2|Bob 3|Cy"},
		{"reserved words and quotes", "SELECT `select`, `the ``title`` \"x\"` FROM `order` ORDER BY `select`", "11|Plan 12|Notes 13|Loose"},
		{"foreign keys of either side", "SELECT `select`, folder_id, author_ref, owner_id FROM `order` ORDER BY `select`", "11|2|1|2 12|2|1|NULL 13|NULL|NULL|3"},
		{"foreign key to the same label", "SELECT id, parent_id, owner_id FROM folder ORDER BY id", "1|NULL|1 2|1|2 3|2|NULL"},
		{"labels in one table", "SELECT kind, id, name, hours, severity FROM work_item ORDER BY kind, id", "bug|31|Leak|NULL|2 bug|32|Noise|NULL|1 bug|33|Smell|NULL|NULL task|21|Paint|3|NULL task|22|Sand|NULL|NULL"},
		{"one of them by key", "SELECT name FROM work_item WHERE kind = 'bug' AND id = 32", "Noise"},
		{"types in one table", "SELECT kind, target, source_id, target_id FROM edges ORDER BY kind, target, source_id, target_id", "ASSIGNED|Bug|1|31 ASSIGNED|Task|1|21 ASSIGNED|Task|2|21 WATCHES|Task|1|22 WATCHES|Task|3|21"},
		{"one of them by source", "SELECT target_id FROM edges WHERE kind = 'ASSIGNED' AND target = 'Task' AND source_id = 1", "21"},
		{"polymorphic reference", "SELECT id, noteable_type, noteable_id FROM note ORDER BY id", "41|Task|21 42|Bug|31 43|Bug|31 44|NULL|NULL"},
		{"polymorphic reference by its end", "SELECT id FROM note WHERE noteable_type = 'Bug' AND noteable_id = 31 ORDER BY id", "42 43"},
		{"join table with properties", "SELECT src, dst, since_day, close FROM acquaintance ORDER BY src", "1|2|2020-05-01T00:00:00|1 2|3|NULL|NULL 3|1|2021-06-02T00:00:00|0"},
		{"parallel relationships", "SELECT id, from_id, to_id, amount FROM payment ORDER BY id", "1|A|B|10.00 2|A|B|2.50 3|B|C|7.25 4|A|A|1.00"},
		{"text as key", "SELECT acct_code FROM crm_account WHERE acct_code = 'a'", ""},
		{"composite keys", "SELECT sheet, n, value FROM cell ORDER BY sheet, n", "a|1|one a|2|two b|1|NULL"},
		{"composite ends", "SELECT a_sheet, a_n, b_sheet, b_n, cost FROM NEXT_TO ORDER BY a_sheet, a_n", "a|1|a|2|1 a|2|b|1|NULL"},
		{"composite foreign key", "SELECT id, cell_sheet, cell_n FROM mark ORDER BY id", "51|a|2 52|b|1 53|NULL|NULL"},
		{"composite foreign key by its end", "SELECT id FROM mark WHERE cell_sheet = 'b' AND cell_n = 1", "52"},
		{"no foreign key", "SELECT id FROM mark WHERE cell_sheet IS NULL", "53"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, strings.Join(query(t, b, c.query), " "))
		})
	}
}

// Columns that serve two purposes.
func TestTablesOfOddMappings(t *testing.T) {
	b := backend(t, odd(t), Options{})
	for _, c := range []struct{ name, query, want string }{
		{"another schema", "SELECT code, parent_code FROM crm.site WHERE tenant = 'B' AND code > 3 ORDER BY code", "4|2 5|2"},
		{"key within a foreign key", "SELECT code FROM crm.site WHERE tenant = 'a ' AND parent_code = 1 ORDER BY code", "2 3"},
		{"composite target", "SELECT a, b FROM TWINNED WHERE to_tenant = 'a' AND b = 1", "2|1"},
		{"both ends given", "SELECT COUNT(*) FROM TWINNED WHERE from_tenant = 'a' AND a = 2 AND to_tenant = 'a' AND b = 1", "1"},
		{"neither", "SELECT COUNT(*) FROM TWINNED WHERE from_tenant = 'a' AND a = 2 AND to_tenant = 'a' AND b = 0", "0"},
		{"integers of two widths", "SELECT kind, v FROM `shared` WHERE id = 2 ORDER BY kind", "large|1 small|2"},
		{"keys of several types", "SELECT id, about_type, about_id FROM remark WHERE about_id = '0' ORDER BY id", "0|S|0 12|T|0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, strings.Join(query(t, b, c.query), " "))
		})
	}
}

// Every index finds, for random ranges, the rows that a scan finds, in the
// order of its columns and in the reverse.
func TestIndexesAgreeWithScans(t *testing.T) {
	for name, g := range map[string]*memory.Graph{"mapping": fixture(t, "mapping"), "types": fixture(t, "types"), "gitlab": fixture(t, "gitlab"), "odd": odd(t)} {
		c := newCatalog(g)
		ranges := 0
		for _, d := range c.databases {
			for _, table := range d.tables {
				for _, x := range table.indexes {
					x := x.(*index)
					t.Run(fmt.Sprintf("%s/%s/%s", name, table.name, strings.Join(x.Expressions(), ",")), func(t *testing.T) {
						ranges += checkIndex(t, table, x)
					})
				}
			}
		}
		require.Positive(t, ranges)
	}
}

func checkIndex(t *testing.T, table *table, x *index) int {
	ctx := sql.NewEmptyContext()
	all := scan(t, ctx, table)
	values := make([][]any, len(x.columns))
	for i, ordinal := range x.columns {
		for _, row := range all {
			if row[ordinal] != nil {
				values[i] = append(values[i], row[ordinal])
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		rang := make(sql.MySQLRange, len(x.columns))
		for i, ordinal := range x.columns {
			rang[i] = randomRange(r, values[i], table.schema.Schema[ordinal].Type)
		}
		for _, reverse := range []bool{false, true} {
			lookup := sql.NewIndexLookup(x, sql.MySQLRangeCollection{rang}, false, false, false, reverse)
			found := lookedUp(t, ctx, table, lookup)
			want := slices.DeleteFunc(slices.Clone(all), func(row sql.Row) bool {
				for i, ordinal := range x.columns {
					if !contains(t, ctx, rang[i], row[ordinal]) {
						return true
					}
				}
				return false
			})
			require.ElementsMatch(t, texts(want), texts(found), "%s", rang.DebugString())
			require.True(t, slices.IsSortedFunc(found, func(a, b sql.Row) int {
				for _, ordinal := range x.columns {
					if c := compareCells(a[ordinal], b[ordinal]); c != 0 && reverse {
						return -c
					} else if c != 0 {
						return c
					}
				}
				return 0
			}), "%s reverse %v: %v", rang.DebugString(), reverse, texts(found))
		}
	}
	return 60
}

// contains is what a range means, told apart from the finders.
func contains(t *testing.T, ctx *sql.Context, r sql.MySQLRangeColumnExpr, cell any) bool {
	if cell == nil {
		_, from := r.LowerBound.(sql.BelowNull)
		return from
	}
	if _, null := r.UpperBound.(sql.AboveNull); null {
		return false
	}
	at := func(cut sql.MySQLRangeCut) int {
		c, err := r.Typ.Compare(ctx, cell, sql.GetMySQLRangeCutKey(cut))
		require.NoError(t, err)
		return c
	}
	switch r.LowerBound.(type) {
	case sql.Below:
		if at(r.LowerBound) < 0 {
			return false
		}
	case sql.Above:
		if at(r.LowerBound) <= 0 {
			return false
		}
	}
	switch r.UpperBound.(type) {
	case sql.Below:
		return at(r.UpperBound) < 0
	case sql.Above:
		return at(r.UpperBound) <= 0
	}
	return true
}

func randomRange(r *rand.Rand, values []any, typ sql.Type) sql.MySQLRangeColumnExpr {
	if len(values) == 0 {
		return sql.AllRangeColumnExpr(typ)
	}
	a, b := values[r.IntN(len(values))], values[r.IntN(len(values))]
	if compareCells(a, b) > 0 {
		a, b = b, a
	}
	switch r.IntN(9) {
	case 0:
		return sql.AllRangeColumnExpr(typ)
	case 1:
		return sql.NullRangeColumnExpr(typ)
	case 2:
		return sql.NotNullRangeColumnExpr(typ)
	case 3:
		return sql.GreaterThanRangeColumnExpr(a, typ)
	case 4:
		return sql.LessOrEqualRangeColumnExpr(a, typ)
	case 5:
		return sql.OpenRangeColumnExpr(a, b, typ)
	case 6:
		return sql.ClosedRangeColumnExpr(a, b, typ)
	}
	return sql.ClosedRangeColumnExpr(a, a, typ)
}

func scan(t *testing.T, ctx *sql.Context, table *table) []sql.Row {
	parts, err := table.Partitions(ctx)
	require.NoError(t, err)
	return read(t, ctx, table, parts)
}

func lookedUp(t *testing.T, ctx *sql.Context, table *table, lookup sql.IndexLookup) []sql.Row {
	parts, err := table.LookupPartitions(ctx, lookup)
	require.NoError(t, err)
	return read(t, ctx, table, parts)
}

func read(t *testing.T, ctx *sql.Context, table *table, parts sql.PartitionIter) (out []sql.Row) {
	for {
		p, err := parts.Next(ctx)
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		it, err := table.PartitionRows(ctx, p)
		require.NoError(t, err)
		rows, err := sql.RowIterToRows(ctx, it)
		require.NoError(t, err)
		out = append(out, rows...)
	}
}

func texts(rows []sql.Row) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = fmt.Sprint(row...)
	}
	return out
}
