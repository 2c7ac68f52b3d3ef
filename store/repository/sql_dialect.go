package repository

import (
	"database/sql"
	"strconv"
	"strings"
)

// A Kind is a kind of database.
type Kind string

// The kinds of databases that a repository can be kept in.
const (
	Postgres Kind = "postgres"
	MariaDB  Kind = "mariadb"
	MySQL    Kind = "mysql"
	SQLite   Kind = "sqlite"
)

// A dialect is what tells databases apart here.
type dialect struct {
	// name, text, document and blob are the types of names in keys, of which the
	// number of bytes may stand for @, of other texts, of JSON and of bytes. Names
	// are equal only where their bytes are.
	name, text, document, blob string
	// options end CREATE TABLE.
	options string
	// after are statements after those that make the tables.
	after []string
	// numbered says that parameters are $1, $2, … instead of ?.
	numbered bool
	// lockSchema keeps others from making the tables at the same time.
	lockSchema string
	// forUpdate ends a SELECT that locks its rows.
	forUpdate string
	// begin starts a transaction that may write, where that is a statement of its
	// own; otherwise isolation is that of the transaction.
	begin     string
	isolation sql.IsolationLevel
	// ignore inserts a row unless there is one.
	ignore string
	// rows is the most rows of one statement. upsert ends an INSERT of entities that
	// replaces those that are there.
	rows   int
	upsert string
}

const onConflict = " ON CONFLICT (tenant, bundle, type, id) DO UPDATE SET digest = excluded.digest, document = excluded.document"

func (k Kind) dialect() (*dialect, bool) {
	switch k {
	case Postgres:
		return &dialect{
			name: `text COLLATE "C"`, text: "text", document: "jsonb", blob: "bytea", numbered: true,
			after:      []string{"CREATE INDEX IF NOT EXISTS trellis_entities_document ON trellis_entities USING gin (document jsonb_path_ops)"},
			lockSchema: "SELECT pg_advisory_xact_lock(7385210)", forUpdate: " FOR UPDATE", isolation: sql.LevelReadCommitted,
			ignore: "INSERT INTO trellis_tenants (tenant, name, version) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", rows: 500, upsert: onConflict,
		}, true
	case MariaDB, MySQL:
		// Documents are text: the type json of MariaDB refuses what is nested over 32 levels.
		return &dialect{
			name: "varbinary(@)", text: "longtext CHARACTER SET utf8mb4", document: "longtext CHARACTER SET utf8mb4", blob: "longblob",
			options: " ENGINE=InnoDB", forUpdate: " FOR UPDATE", isolation: sql.LevelReadCommitted,
			ignore: "INSERT IGNORE INTO trellis_tenants (tenant, name, version) VALUES (?, ?, 0)", rows: 500, upsert: " ON DUPLICATE KEY UPDATE digest = VALUES(digest), document = VALUES(document)",
		}, true
	case SQLite:
		return &dialect{
			name: "text", text: "text", document: "text", blob: "blob", begin: "BEGIN IMMEDIATE",
			ignore: "INSERT INTO trellis_tenants (tenant, name, version) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", rows: 500, upsert: onConflict,
		}, true
	}
	return nil, false
}

// tables are the statements that make the tables.
func (d *dialect) tables() []string {
	name := func(most int) string { return strings.ReplaceAll(d.name, "@", strconv.Itoa(most)) + " NOT NULL" }
	text, number := d.text+" NOT NULL", "bigint NOT NULL"
	key := name(shortKey)
	return append([]string{
		"CREATE TABLE IF NOT EXISTS trellis_tenants (tenant " + key + ", name " + text + ", version " + number +
			", PRIMARY KEY (tenant))" + d.options,
		"CREATE TABLE IF NOT EXISTS trellis_revisions (tenant " + key + ", item " + name(maxType+1) + ", version " + number +
			", revision " + text + ", deleted " + number + ", applied " + text + ", author " + text + ", note " + text +
			", files " + number + ", bytes " + number + ", digest " + name(64) + ", PRIMARY KEY (tenant, item, version))" + d.options,
		"CREATE TABLE IF NOT EXISTS trellis_contents (tenant " + key + ", digest " + name(64) + ", part " + number +
			", data " + d.blob + " NOT NULL, PRIMARY KEY (tenant, digest, part))" + d.options,
		"CREATE TABLE IF NOT EXISTS trellis_entities (tenant " + key + ", bundle " + name(maxType) + ", type " + name(maxType) +
			", id " + name(maxID) + ", digest " + name(32) + ", document " + d.document + " NOT NULL, PRIMARY KEY (tenant, bundle, type, id))" + d.options,
	}, d.after...)
}

// bind writes a statement's parameters as the database has them. No statement
// here has a question mark that is not a parameter.
func (d *dialect) bind(statement string) string {
	if !d.numbered {
		return statement
	}
	var b strings.Builder
	for n := 1; ; n++ {
		before, rest, more := strings.Cut(statement, "?")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		b.WriteString("$" + strconv.Itoa(n))
		statement = rest
	}
}
