package load

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// statements returns what makes the tables of a small graph, one a line.
func statements(t *testing.T, target Target, text string, fill func(b *memory.Builder)) string {
	t.Helper()
	s, err := schema.Parse("schema.yaml", []byte(text))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	fill(b)
	g, err := b.Build()
	require.NoError(t, err)
	tables, err := plan(g)
	require.NoError(t, err)
	d, ok := target.dialect()
	require.True(t, ok)
	var out []string
	for _, table := range tables {
		out = append(out, d.create(table))
		out = append(out, d.finish(table)...)
	}
	for _, table := range tables {
		out = append(out, d.addForeign(table)...)
	}
	return strings.Join(out, "\n")
}

const small = `
format: trellis.schema.v1
nodes:
  user: {table: {schema: crm, name: user}, key: id, properties: {id: string, at: {type: datetime, index: true}, level: {type: enum, values: {1: low, 5000000000: high}}, bio: string}}
  issue: {key: id, properties: {id: int64, n: {type: decimal, scale: 4}, done: bool}}
relationships:
  AUTHORED: {from: user, to: issue, foreign_key: {side: to, column: author_id}}
  WATCHES: {from: user, to: issue, from_column: "u", to_column: "i", properties: {since: date}}
`

func fillSmall(b *memory.Builder) {
	b.Node("user", memory.Values{"id": "ada", "bio": strings.Repeat("x", 70_000)})
	b.Node("issue", memory.Values{"id": 1})
	b.Relationship("AUTHORED", graph.ID("user", "ada"), graph.ID("issue", 1), nil)
	b.Relationship("WATCHES", graph.ID("user", "ada"), graph.ID("issue", 1), nil)
}

func TestStatements(t *testing.T) {
	mysql := strings.ReplaceAll("CREATE TABLE 'issue' ('id' BIGINT NOT NULL, 'n' DECIMAL(38,4), 'done' BOOLEAN, 'author_id' VARCHAR(191), PRIMARY KEY ('id')) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_bin\n"+
		"ALTER TABLE 'issue' ADD INDEX ('author_id')\n"+
		"ANALYZE TABLE 'issue'\n"+
		"CREATE TABLE 'crm'.'user' ('id' VARCHAR(191) NOT NULL, 'at' DATETIME(6), 'level' BIGINT, 'bio' LONGTEXT, PRIMARY KEY ('id')) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_bin\n"+
		"ALTER TABLE 'crm'.'user' ADD INDEX ('at')\n"+
		"ANALYZE TABLE 'crm'.'user'\n"+
		"CREATE TABLE 'WATCHES' ('since' DATE, 'u' VARCHAR(191) NOT NULL, 'i' BIGINT NOT NULL, PRIMARY KEY ('u', 'i')) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_bin\n"+
		"ALTER TABLE 'WATCHES' ADD INDEX ('i', 'u')\n"+
		"ANALYZE TABLE 'WATCHES'\n"+
		"ALTER TABLE 'issue' ADD FOREIGN KEY ('author_id') REFERENCES 'crm'.'user' ('id')\n"+
		"ALTER TABLE 'WATCHES' ADD FOREIGN KEY ('u') REFERENCES 'crm'.'user' ('id'), ADD FOREIGN KEY ('i') REFERENCES 'issue' ('id')", "'", "`")
	require.Equal(t, mysql, statements(t, MySQL, small, fillSmall))
	require.Equal(t, strings.ReplaceAll(mysql, "utf8mb4_0900_bin", "utf8mb4_nopad_bin"), statements(t, MariaDB, small, fillSmall))
	require.Equal(t, `CREATE TABLE "issue" ("id" bigint NOT NULL, "n" numeric(38,4), "done" boolean, "author_id" text COLLATE "C")
ALTER TABLE "issue" ADD PRIMARY KEY ("id")
CREATE INDEX ON "issue" ("author_id")
ANALYZE "issue"
CREATE TABLE "crm"."user" ("id" text COLLATE "C" NOT NULL, "at" timestamptz, "level" bigint, "bio" text COLLATE "C")
ALTER TABLE "crm"."user" ADD PRIMARY KEY ("id")
CREATE INDEX ON "crm"."user" ("at")
ANALYZE "crm"."user"
CREATE TABLE "WATCHES" ("since" date, "u" text COLLATE "C" NOT NULL, "i" bigint NOT NULL)
ALTER TABLE "WATCHES" ADD PRIMARY KEY ("u", "i")
CREATE INDEX ON "WATCHES" ("i", "u")
ANALYZE "WATCHES"
ALTER TABLE "issue" ADD CONSTRAINT "author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "crm"."user" ("id") DEFERRABLE
ALTER TABLE "WATCHES" ADD CONSTRAINT "u_fkey" FOREIGN KEY ("u") REFERENCES "crm"."user" ("id") DEFERRABLE, ADD CONSTRAINT "i_fkey" FOREIGN KEY ("i") REFERENCES "issue" ("id") DEFERRABLE`, statements(t, Postgres, small, fillSmall))
	require.Equal(t, strings.ReplaceAll("CREATE TABLE 'issue' ('id' INTEGER NOT NULL, 'n' DECIMAL TEXT(38,4), 'done' BOOLEAN INTEGER, 'author_id' TEXT, PRIMARY KEY ('id'), FOREIGN KEY ('author_id') REFERENCES 'crm.user' ('id'))\n"+
		"CREATE INDEX 'issue author_id index' ON 'issue' ('author_id')\n"+
		"ANALYZE 'issue'\n"+
		"CREATE TABLE 'crm.user' ('id' TEXT NOT NULL, 'at' DATETIME TEXT, 'level' INTEGER, 'bio' TEXT, PRIMARY KEY ('id'))\n"+
		"CREATE INDEX 'crm.user at index' ON 'crm.user' ('at')\n"+
		"ANALYZE 'crm.user'\n"+
		"CREATE TABLE 'WATCHES' ('since' DATE TEXT, 'u' TEXT NOT NULL, 'i' INTEGER NOT NULL, PRIMARY KEY ('u', 'i'), FOREIGN KEY ('u') REFERENCES 'crm.user' ('id'), FOREIGN KEY ('i') REFERENCES 'issue' ('id')) WITHOUT ROWID\n"+
		"CREATE INDEX 'WATCHES i u index' ON 'WATCHES' ('i', 'u')\n"+
		"ANALYZE 'WATCHES'", "'", "`"), statements(t, SQLite, small, fillSmall))
}

func TestPropertiesThatAreNeverNullAreRequired(t *testing.T) {
	const text = "format: trellis.schema.v1\nnodes: {a: {key: id, properties: {id: int32, b: {type: string, nullable: false}}}}\n"
	require.Contains(t, statements(t, Postgres, text, func(b *memory.Builder) { b.Node("a", memory.Values{"id": 1, "b": ""}) }),
		`("id" integer NOT NULL, "b" text COLLATE "C" NOT NULL)`)
}

func TestKeysTooLongForAnIndexGetAPrefix(t *testing.T) {
	const text = "format: trellis.schema.v1\nnodes: {a: {key: id, properties: {id: string, b: {type: string, index: true}}}}\n"
	fill := func(b *memory.Builder) {
		b.Node("a", memory.Values{"id": strings.Repeat("é", 5000), "b": strings.Repeat("b", 700)})
	}
	my := statements(t, MariaDB, text, fill)
	require.Contains(t, my, "(`id` TEXT NOT NULL, `b` VARCHAR(700))")
	require.Contains(t, my, "ADD INDEX (`id`(768))")
	require.Contains(t, my, "ADD INDEX (`b`)\n")
	require.NotContains(t, my, "PRIMARY")
	pg := statements(t, Postgres, text, fill)
	require.Contains(t, pg, `CREATE INDEX ON "a" (left("id", 650))`)
	require.NotContains(t, pg, "PRIMARY")
}

func TestManyShortTextsFitARow(t *testing.T) {
	fields := "id: int64"
	for i := range 100 {
		fields += ", p" + strconv.Itoa(i) + ": string"
	}
	text := "format: trellis.schema.v1\nnodes: {a: {key: id, properties: {" + fields + "}}}\n"
	require.NotContains(t, statements(t, MariaDB, text, func(*memory.Builder) {}), "VARCHAR")
	require.Contains(t, statements(t, MariaDB, strings.Replace(text, fields, "id: int64, p: string", 1), func(*memory.Builder) {}), "`p` VARCHAR(191)")
}

func TestArray(t *testing.T) {
	require.Equal(t, `{1,NULL,true,0.5,"a","\"{},\\","NULL","2024-01-01T00:00:00Z"}`, array([]graph.Value{
		graph.Int(1), graph.Null(), graph.Bool(true), graph.Float(0.5), graph.String("a"), graph.String(`"{},\`), graph.String("NULL"),
		graph.DateTimeFromMicros(1704067200_000_000),
	}))
}

func TestBatchesStayBelowTheParameterLimit(t *testing.T) {
	for _, columns := range []int{1, 65, 66, 1000, 65_000, 100_000} {
		rows := placeholders{}.rows(columns)
		require.LessOrEqual(t, rows, 1000)
		require.GreaterOrEqual(t, rows, 1)
		if rows > 1 {
			require.Less(t, rows*columns, 65_535)
		}
	}
}
