package compile

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// MySQL is the dialect of MySQL 8.
func MySQL() *Dialect {
	d := mysqlServer()
	d.name, d.executed = "mysql", "mysql"
	d.setup = mysqlSetup + ", max_execution_time = 1000 * @"
	d.state = "SELECT CONCAT(" + mysqlState + ", ', max_execution_time = ', @@SESSION.max_execution_time)"
	d.own = d.setup + ", autocommit = 1, transaction_read_only = 1, transaction_isolation = 'REPEATABLE-READ'"
	d.collate, d.looseEqual = " COLLATE utf8mb4_0900_bin", true
	d.text = "CAST(@ AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin"
	d.listColumn, d.listText = jsonTableColumn("VARCHAR(3072) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin"), yieldingText
	return d
}

// MariaDB is the dialect of MariaDB 10.6 and newer. It differs from MySQL's in
// the name of the byte-exact collation that does not pad, and its tables may be
// those of shards, by the storage engine Spider.
func MariaDB() *Dialect {
	d := mysqlServer()
	d.name, d.executed, d.correlated, d.semiJoins, d.gathers = "mariadb", "mariadb", true, true, true
	// Long texts are in order up to so many bytes; of more, four would have no room in
	// the memory that a server sorts in.
	d.setup = mysqlSetup + ", max_statement_time = @, max_sort_length = 16384"
	d.own = d.setup + ", autocommit = 1, tx_read_only = 1, tx_isolation = 'REPEATABLE-READ'"
	d.state = "SELECT CONCAT(" + mysqlState + ", ', max_statement_time = ', @@SESSION.max_statement_time, ', max_sort_length = ', @@SESSION.max_sort_length)"
	d.collate, d.looseEqual, d.backslash = " COLLATE utf8mb4_nopad_bin", true, true
	d.text = "CAST(@ AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin"
	d.listColumn, d.listText = jsonTableColumn("VARCHAR(3072) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"), yieldingText
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
	d.inParts = nil
	d.average = func(p *schema.Property) string {
		if p.Type == schema.Float {
			return averageOfFloats
		}
		return fmt.Sprintf("CAST(CAST(SUM(CAST(@ AS DECIMAL(38,%d))) AS DECIMAL(65,24)) / NULLIF(COUNT(@), 0) AS DOUBLE)", p.Scale)
	}
	// LIKE fails on U+FFFD, which is a valid character
	d.contains, d.starts, d.ends = "INSTR(@, #) > 0", "INSTR(@, #) = 1", "RIGHT(@, ~) = #"
	d.encode = encodeEmbedded
	return d
}

// mysqlSetup sets what a session must have for statements to mean what they say:
// modes pad texts and make nulls of zero dates, and a server may leave rows out.
// mysqlState is what undoes it.
const (
	mysqlSetup = "SET time_zone = '+00:00', sql_mode = '', sql_select_limit = 18446744073709551615," +
		" character_set_client = utf8mb4, character_set_results = utf8mb4, collation_connection = utf8mb4_bin"
	mysqlState = "'SET time_zone = ', QUOTE(@@SESSION.time_zone), ', sql_mode = ', QUOTE(@@SESSION.sql_mode)," +
		" ', sql_select_limit = ', @@SESSION.sql_select_limit, ', character_set_client = ', @@SESSION.character_set_client," +
		" ', character_set_results = ', COALESCE(@@SESSION.character_set_results, 'NULL'), ', collation_connection = ', @@SESSION.collation_connection"
)

// mysqlServer is what MySQL and MariaDB have in common, and the embedded engine has not.
func mysqlServer() *Dialect {
	d := mysql()
	d.looseReferences = true
	// Drivers may make times of the clock of a place that is not UTC.
	d.read = map[schema.Type]string{schema.Date: "CAST(@ AS CHAR)", schema.DateTime: "CAST(@ AS CHAR)"}
	// What is no date has no weekday: it is handed over as it is, and not as null or as
	// the beginning of something.
	for _, u := range []graph.TimeUnit{graph.Week, graph.Month, graph.Quarter, graph.Year} {
		d.truncate[u] = "IF(WEEKDAY(@) IS NULL, CAST(@ AS DATE), " + d.truncate[u] + ")"
	}
	return d
}

func mysql() *Dialect {
	return &Dialect{
		setup: "SET time_zone = '+00:00', max_execution_time = 1000 * @",
		// Drivers leave a connection whose statement is not waited for any more, which the
		// server does not notice before it has rows to send.
		identify: "SELECT CONNECTION_ID(), CONCAT(@@hostname, ':', @@port)",
		kill:     "KILL @",
		quote:    '`', explain: "EXPLAIN FORMAT=JSON ",
		casts:   map[schema.Type][2]string{schema.Decimal: {"CAST(", " AS DECIMAL(65,30))"}},
		fold:    foldByReplace(),
		text:    "CAST(@ AS CHAR)",
		average: func(*schema.Property) string { return averageOfFloats },
		sum:     exactSum,
		inParts: func(f graph.Function, p *schema.Property) *parts {
			if f != graph.Avg || p.Type == schema.Float {
				return nil
			}
			// What is left of a quotient is told by the remainder: how many digits a
			// division has is a setting.
			return wideInteger{
				digits: 65, constant: "@", sum: exactSum(p), units: "CAST(#1 * @ AS DECIMAL(65,0))", count: "CAST(#2 AS DECIMAL(65,0)) * @",
				float:    "CAST(@ AS DOUBLE)",
				quotient: "CAST((@ - MOD(@, #4)) / #4 + SIGN(MOD(@, #4)) * 0.5 AS DOUBLE)",
			}.average(p)
		},
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

// yieldingText is the text that it is given, with a collation that gives way to that of
// a column. Those of two columns do not, where both are binary or neither is.
const yieldingText = "JSON_UNQUOTE(JSON_QUOTE(@))"

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
