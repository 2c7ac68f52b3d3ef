package storetest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// shardCount is how many servers the tables of a graph are spread over, by the
// first column of their keys: nodes by their key, or its first part, and
// relationships by that of their start.
const shardCount = 2

// A cluster is a database of several servers: what is asked of the head is
// answered with the tables of the shards.
type cluster struct {
	head   *privateServer
	shards []*privateServer
	// database makes an empty database of that name on all servers, and names it
	// in the DSN of one of them.
	database func(t testing.TB, name string)
	in       func(s *privateServer, name string) string
	drop     func(t testing.TB, name string)
	target   load.Target
	// made has a shard do what else it must when a table is made; it may be nil.
	made func(t testing.TB, table load.Table, shard *sql.DB)
	// spread makes a table on the head that stands for those of the shards.
	spread func(t testing.TB, name string, table load.Table, head *sql.DB)
	// sent counts the statements that shards were asked, and the rows that they
	// have answered.
	sent func(t testing.TB) (statements, rows int)
	// named asks for the name of the database, running for the number of statements
	// about slow books, and sleep is an expression that takes its time.
	named, running, sleep string
	// filled tells the head what its tables hold.
	filled func(t testing.TB, table load.Table, head *sql.DB)
}

// open returns a database that holds a graph, spread over the shards.
func (c *cluster) open(t testing.TB, g *memory.Graph) *sql.DB {
	tables, err := load.Tables(g, c.target)
	require.NoError(t, err)
	name := unique()
	c.database(t, name)
	t.Cleanup(func() { c.drop(t, name) })
	head := open(t, c.head.driver, c.in(c.head, name))
	for _, s := range c.shards {
		shard := open(t, s.driver, c.in(s, name))
		for _, table := range tables {
			for _, text := range append([]string{table.Create}, table.Finish...) {
				exec(t, shard, text)
			}
			if c.made != nil {
				c.made(t, table, shard)
			}
		}
	}
	for _, table := range tables {
		c.spread(t, name, table, head)
	}
	require.NoError(t, load.Load(context.Background(), head, g, load.Options{Keep: true}))
	for _, table := range tables {
		c.filled(t, table, head)
	}
	return head
}

// each opens a store that is dropped with the part of the test that opened it.
func (c *cluster) each(t testing.TB, g *memory.Graph) store.Store {
	return store.SQL(c.open(t, g), c.head.dialect)
}

// whole opens stores that last as long as a test.
func (c *cluster) whole(t testing.TB) storetest.Opener {
	return func(_ testing.TB, g *memory.Graph) store.Store { return c.each(t, g) }
}

// needsDatabases skips where no database is to be tested at all: starting six
// servers takes its time.
func needsDatabases(t testing.TB, variable string) {
	if os.Getenv(variable) == "" {
		t.Skip("skipped: needs databases to be tested, as " + variable + " says")
	}
}

func fullName(t schema.Table, quote string) string {
	if t.Schema == "" {
		return quoted(t.Name, quote)
	}
	return quoted(t.Schema, quote) + "." + quoted(t.Name, quote)
}

func quoted(name, quote string) string {
	return quote + strings.ReplaceAll(name, quote, quote+quote) + quote
}

// spiderHead are the options of a head. Rows are looked up at the shards many at
// a time, not one by one. Joins and groups are not handed to one shard as a whole:
// in a subquery that is materialized their rows get lost. A result is read with
// one statement, not in parts that no order keeps apart.
var spiderHead = []string{"--plugin-load-add=ha_spider.so", "--join-cache-level=8", "--optimizer-switch=mrr=on,mrr_cost_based=off",
	"--join-buffer-size=4M", "--join-buffer-space-limit=64M", "--spider-bulk-size=1000000",
	"--spider-disable-group-by-handler=ON", "--spider-direct-aggregate=OFF", "--spider-semi-split-read=0"}

// spiderScans in a table's comment make its scan cost 100 times 100 bytes times 1000
// rows, whatever Spider learns of the table, or has not learnt yet.
const spiderScans = `scan_rate "100", static_mean_rec_length "100", static_records_for_status "1000"`

// spider starts a MariaDB server whose tables are those of two others, through
// the storage engine Spider.
func spider(t testing.TB) *cluster {
	needsDatabases(t, "TRELLIS_TEST_MARIADB")
	program(t, "ha_spider.so", "/usr/lib/mysql/plugin", "/usr/lib64/mysql/plugin")
	servers := privateMariaDBs(t, spiderHead, nil, nil)
	c := &cluster{target: load.MariaDB, head: servers[0], shards: servers[1:]}
	all := func(t testing.TB, text string) {
		for _, s := range append([]*privateServer{c.head}, c.shards...) {
			exec(t, open(t, s.driver, s.dsn), text)
		}
	}
	c.named, c.sleep = "SELECT DATABASE()", "SLEEP(0.2)"
	c.running = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%`trellis_slow_book`%' AND ID <> CONNECTION_ID()"
	c.database = func(t testing.TB, name string) { all(t, "CREATE DATABASE "+name) }
	c.drop = func(t testing.TB, name string) { all(t, "DROP DATABASE "+name) }
	c.in = func(s *privateServer, name string) string { return strings.TrimSuffix(s.dsn, "/mysql") + "/" + name }
	server := open(t, c.head.driver, c.head.dsn)
	for i, s := range c.shards {
		exec(t, server, fmt.Sprintf("CREATE SERVER shard%d FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', PORT %d, USER 'root')", i, s.port))
	}
	c.made = func(t testing.TB, table load.Table, shard *sql.DB) {
		if name := atShard(table); name != table.Name.Name {
			exec(t, shard, "RENAME TABLE "+quoted(table.Name.Name, "`")+" TO "+quoted(name, "`"))
		}
	}
	c.spread = func(t testing.TB, _ string, table load.Table, head *sql.DB) { exec(t, head, spiderTable(table)) }
	var shards []*sql.DB
	for _, s := range c.shards {
		shard := open(t, s.driver, s.dsn)
		shard.SetMaxIdleConns(-1) // when a shard is killed they would be lost
		shards = append(shards, shard)
	}
	own := 0 // rows that the counting itself takes
	c.sent = func(t testing.TB) (statements, rows int) {
		defer func() { own += 3 * len(shards) }()
		rows = -own
		for _, db := range shards {
			one := func(name string) (n int) {
				require.NoError(t, db.QueryRow("SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&name, &n))
				return n
			}
			statements, rows = statements+one("Com_select")+one("Com_insert"), rows+one("Rows_sent")
		}
		return statements, rows
	}
	// Without it each row is looked up by reading a whole table. What Spider itself
	// asks shards for comes later than the first statements, and until then a table
	// seems to have two rows in each part: so the head counts for itself.
	c.filled = func(t testing.TB, table load.Table, head *sql.DB) {
		exec(t, head, "ANALYZE TABLE "+fullName(table.Name, "`")+" PERSISTENT FOR ALL")
	}
	return c
}

// spiderTable makes a table of the head that stands for those of the shards, or
// for that of the first where no key tells by what to spread it.
//
// Indexes of the head are USING HASH, for whole values only: Spider reads the
// part of an ordered index that lies behind a row as if all its columns but the
// last had to be equal, and so loses rows where MariaDB skips from one value to
// the next (a DISTINCT of several columns). An index is there with each number
// of its first columns, since one of these serves whole values only, too.
//
// A scan is said to cost more than look-ups, however few rows there are: where a
// table is scanned for the rows of a derived table, Spider asks the shards for the
// derived table's columns, which they do not have.
func spiderTable(table load.Table) string {
	text, _, _ := strings.Cut(table.Create, ") ENGINE=InnoDB")
	text, _, _ = strings.Cut(text, ", PRIMARY KEY (")
	var there []string
	for _, columns := range append([][]string{table.Key}, table.Indexes...) {
		for i := range columns {
			list := quoted(columns[0], "`")
			for _, c := range columns[1 : i+1] {
				list += ", " + quoted(c, "`")
			}
			if !slices.Contains(there, list) {
				there = append(there, list)
				text += ", INDEX (" + list + ") USING HASH"
			}
		}
	}
	text += ") ENGINE=SPIDER DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='wrapper \"mysql\", table \"" + atShard(table) + "\", " + spiderScans + "'"
	if len(table.Key) == 0 {
		return strings.Replace(text, "wrapper", `srv "shard0", wrapper`, 1)
	}
	text += " PARTITION BY KEY (" + quoted(table.Key[0], "`") + ") ("
	for i := range shardCount {
		text += fmt.Sprintf("PARTITION p%d COMMENT = 'srv \"shard%d\"', ", i, i)
	}
	return strings.TrimSuffix(text, ", ") + ")"
}

// atShard is the name of a shard's table.
func atShard(table load.Table) string { return shardName.Replace(table.Name.Name) }

// A name with a space is two names to Spider; of one with a backtick it sometimes
// reads beyond the end.
var shardName = strings.NewReplacer(" ", "_", "`", "~")

// suite is what every store must do, over shards: in modest amounts, or, where
// TRELLIS_DIFF_CALLS tells how many calls, with the graphs on which walks are hard.
func (c *cluster) suite(t *testing.T) {
	calls := 60
	if os.Getenv("TRELLIS_DIFF_CALLS") != "" {
		calls = randomCalls(t)
		t.Run("hard graphs", func(t *testing.T) { storetest.HardGraphs(t, c.each) })
	}
	t.Run("scripts", func(t *testing.T) { storetest.Run(t, c.whole(t), storetest.Options{Store: c.head.dialect.Name()}) })
	t.Run("questions", c.questions)
	t.Run("a shard is killed", c.killed)
	t.Run("random", func(t *testing.T) {
		storetest.Differential(t, c.each, storetest.DifferentialOptions{Seed: 700_000, Calls: calls, CallsPerGraph: 60})
	})
	t.Run("isolation", func(t *testing.T) {
		storetest.Isolation(t, c.each, storetest.IsolationOptions{Seed: 700_002, Calls: calls, Canaries: calls, Pairs: calls / 5, CallsPerGraph: 60})
	})
}

func TestSpider(t *testing.T) {
	c := spider(t)
	c.suite(t)
}

// foreign starts a PostgreSQL server whose tables have partitions on two
// others, through postgres_fdw.
func foreign(t testing.TB) *cluster {
	needsDatabases(t, "TRELLIS_TEST_POSTGRES")
	program(t, "postgres_fdw.control", "/usr/share/postgresql/*/extension", "/usr/share/pgsql/extension")
	counted := []string{"-c", "shared_preload_libraries=pg_stat_statements"}
	servers := privatePostgreSQLs(t, nil, counted, counted)
	c := &cluster{target: load.Postgres, head: servers[0], shards: servers[1:]}
	all := func(t testing.TB, text string) {
		for _, s := range append([]*privateServer{c.head}, c.shards...) {
			exec(t, open(t, s.driver, s.dsn), text)
		}
	}
	c.named, c.sleep = "SELECT current_schema()", "pg_sleep(0.2)"
	c.running = "SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query ~ 'trellis_slow_book|FETCH' AND pid <> pg_backend_pid()"
	c.database = func(t testing.TB, name string) { all(t, "CREATE SCHEMA "+name) }
	c.drop = func(t testing.TB, name string) {
		all(t, "SET client_min_messages = error")
		all(t, "DROP SCHEMA "+name+" CASCADE")
	}
	c.in = func(s *privateServer, name string) string { return s.dsn + "&search_path=" + name }
	server := open(t, c.head.driver, c.head.dsn)
	exec(t, server, "CREATE EXTENSION postgres_fdw")
	for i, s := range c.shards {
		exec(t, server, fmt.Sprintf("CREATE SERVER shard%d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%d', dbname 'postgres', batch_size '1000', fetch_size '1000')", i, s.port))
		exec(t, server, fmt.Sprintf("CREATE USER MAPPING FOR postgres SERVER shard%d OPTIONS (user 'postgres')", i))
	}
	c.spread = func(t testing.TB, name string, table load.Table, head *sql.DB) {
		if len(table.Key) == 0 {
			exec(t, head, strings.Replace(table.Create, "CREATE TABLE", "CREATE FOREIGN TABLE", 1)+
				fmt.Sprintf(" SERVER shard0 OPTIONS (schema_name '%s')", name))
			return
		}
		exec(t, head, table.Create+" PARTITION BY HASH ("+quoted(table.Key[0], `"`)+")")
		for i := range c.shards {
			part := table.Name
			part.Name = fmt.Sprintf("%s_%d", part.Name, i)
			exec(t, head, fmt.Sprintf("CREATE FOREIGN TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d) SERVER shard%d OPTIONS (schema_name '%s', table_name '%s')",
				fullName(part, `"`), fullName(table.Name, `"`), shardCount, i, i, name, table.Name.Name))
		}
	}
	var shards []*sql.DB
	for _, s := range c.shards {
		shards = append(shards, open(t, s.driver, s.dsn))
	}
	c.sent = func(t testing.TB) (statements, rows int) {
		for _, db := range shards {
			exec(t, db, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
			var calls, found int
			require.NoError(t, db.QueryRow("SELECT COALESCE(sum(calls), 0), COALESCE(sum(rows), 0) FROM pg_stat_statements WHERE query ~ '^(SELECT|FETCH)' AND query !~ 'pg_'").Scan(&calls, &found))
			statements, rows = statements+calls, rows+found
		}
		return statements, rows
	}
	c.filled = func(t testing.TB, table load.Table, head *sql.DB) {
		exec(t, head, "ANALYZE "+fullName(table.Name, `"`))
	}
	return c
}

func TestPostgresFDW(t *testing.T) {
	c := foreign(t)
	c.suite(t)
}
