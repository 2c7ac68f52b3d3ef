package compile

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// MySQL is the dialect of MySQL 8.
func MySQL() *Dialect {
	d := mysql()
	d.name, d.executed = "mysql", "mysql"
	d.collate, d.looseEqual = " COLLATE utf8mb4_0900_bin", true
	d.text = "CAST(@ AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin"
	d.listColumn = jsonTableColumn("VARCHAR(3072) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin")
	return d
}

// MariaDB is the dialect of MariaDB 10.6 and newer. It differs from MySQL's in
// the name of the byte-exact collation that does not pad, and its tables may be
// those of shards, by the storage engine Spider.
func MariaDB() *Dialect {
	d := mysql()
	d.name, d.executed, d.correlated, d.semiJoins = "mariadb", "mariadb", true, true
	// Long texts are in order up to so many bytes; of more, four would have no room in
	// the memory that a server sorts in.
	d.setup = "SET time_zone = '+00:00', max_statement_time = @, max_sort_length = 16384"
	d.state = "SELECT CONCAT('SET time_zone = ', QUOTE(@@SESSION.time_zone), ', max_statement_time = ', @@SESSION.max_statement_time," +
		" ', max_sort_length = ', @@SESSION.max_sort_length)"
	d.collate, d.looseEqual, d.backslash = " COLLATE utf8mb4_nopad_bin", true, true
	d.text = "CAST(@ AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin"
	d.listColumn = jsonTableColumn("VARCHAR(3072) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
	return d
}

// Embedded is the dialect of go-mysql-server over a graph in memory. Its text
// columns are byte-exact as they are, and it needs hints to join by lookup.
func Embedded() *Dialect {
	d := mysql()
	d.name, d.executed = "embedded", "embedded"
	d.hints, d.uncorrelated, d.explain = true, true, "EXPLAIN PLAN "
	d.listColumn = jsonTableColumn("TEXT")
	d.sum = func(p *schema.Property) string {
		if p.Type == schema.Float {
			return exactSum(p)
		}
		// IN compares the engine's own sums as floats
		return fmt.Sprintf("CAST(%s AS DECIMAL(65,%d))", exactSum(p), p.Scale)
	}
	// LIKE fails on U+FFFD, which is a valid character
	d.contains, d.starts, d.ends = "INSTR(@, #) > 0", "INSTR(@, #) = 1", "RIGHT(@, ~) = #"
	d.encode = encodeEmbedded
	return d
}

func mysql() *Dialect {
	return &Dialect{
		setup: "SET time_zone = '+00:00', max_execution_time = 1000 * @",
		state: "SELECT CONCAT('SET time_zone = ', QUOTE(@@SESSION.time_zone), ', max_execution_time = ', @@SESSION.max_execution_time)",
		// Drivers leave a connection whose statement is not waited for any more, which the
		// server does not notice before it has rows to send.
		identify: "SELECT CONNECTION_ID(), CONCAT(@@hostname, ':', @@port)",
		kill:     "KILL @",
		quote:    '`', explain: "EXPLAIN ",
		casts: map[schema.Type][2]string{schema.Decimal: {"CAST(", " AS DECIMAL(65,30))"}},
		fold:  foldByReplace(),
		text:  "CAST(@ AS CHAR)",
		average: func(p *schema.Property) string {
			if p.Type == schema.Float {
				return averageOfFloats
			}
			return fmt.Sprintf("CAST(CAST(SUM(CAST(@ AS DECIMAL(38,%d))) AS DECIMAL(65,24)) / NULLIF(COUNT(@), 0) AS DOUBLE)", p.Scale)
		},
		sum:       exactSum,
		leastBool: "MIN", greatestBool: "MAX",
		truncate: map[graph.TimeUnit]string{
			graph.Minute:  "CAST(DATE_FORMAT(@, '%Y-%m-%d %H:%i:00') AS DATETIME)",
			graph.Hour:    "CAST(DATE_FORMAT(@, '%Y-%m-%d %H:00:00') AS DATETIME)",
			graph.Day:     "CAST(@ AS DATE)",
			graph.Week:    "DATE_SUB(CAST(@ AS DATE), INTERVAL WEEKDAY(@) DAY)",
			graph.Month:   "CAST(DATE_FORMAT(@, '%Y-%m-01') AS DATE)",
			graph.Quarter: "CAST(CONCAT(DATE_FORMAT(@, '%Y-'), LPAD(QUARTER(@) * 3 - 2, 2, '0'), '-01') AS DATE)",
			graph.Year:    "CAST(DATE_FORMAT(@, '%Y-01-01') AS DATE)",
		},
		listHead: "JSON_TABLE(@, '$[*]' COLUMNS(",
		listTail: "))",
		encode:   encodeMySQL,
	}
}

// averageOfFloats is as near as floats are.
const averageOfFloats = "SUM(@) / NULLIF(COUNT(@), 0)"

// exactSum sums integers and decimals as decimals.
func exactSum(p *schema.Property) string {
	if p.Type == schema.Float {
		return "SUM(@)"
	}
	return fmt.Sprintf("SUM(CAST(@ AS DECIMAL(38,%d)))", p.Scale)
}

// jsonTableColumn writes a column of a list parameter, where texts have the
// given type.
func jsonTableColumn(text string) func(p *schema.Property, part, parts int) string {
	return func(p *schema.Property, part, parts int) string {
		typ := text
		switch p.Type {
		case schema.Int32, schema.Int64:
			typ = "BIGINT"
		case schema.Date:
			typ = "DATE"
		case schema.UUID:
			typ = "CHAR(36)"
		}
		path := "$"
		if parts > 1 {
			path = fmt.Sprintf("$[%d]", part)
		}
		return fmt.Sprintf("%s %s PATH '%s'", keyAlias(part), typ, path)
	}
}

// foldByReplace is needed because LOWER folds letters beyond ASCII, whatever
// the collation; REPLACE is byte-exact.
func foldByReplace() string {
	var post strings.Builder
	for c := 'A'; c <= 'Z'; c++ {
		fmt.Fprintf(&post, ",'%c','%c')", c, c+'a'-'A')
	}
	return strings.Repeat("REPLACE(", 26) + "@" + post.String()
}

// encodeMySQL binds times as texts, which need no time zone of a connection.
func encodeMySQL(v graph.Value) any {
	switch v.Kind() {
	case graph.KindDate:
		return v.Time().Format("2006-01-02")
	case graph.KindDateTime:
		return v.Time().Format("2006-01-02 15:04:05.999999")
	case graph.KindBool:
		if v.Bool() {
			return int64(1)
		}
		return int64(0)
	}
	return v.Any()
}

// encodeEmbedded binds times as times: the engine compares texts as texts.
func encodeEmbedded(v graph.Value) any {
	switch v.Kind() {
	case graph.KindDate, graph.KindDateTime:
		return v.Time()
	}
	return encodeMySQL(v)
}
