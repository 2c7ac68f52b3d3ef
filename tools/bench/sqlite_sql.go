package bench

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/store/social"
)

// tables are those of SQLite: a social network as one lays it out for these
// questions. What there is once of each row is a column of it; relationships of
// many to many are clustered by the end from which they are read. Instants are
// microseconds. For the neighbourhood of every type all nodes have a number, in
// the order of labels and ids, and edge has every relationship of any type in
// both directions.
const tables = `
CREATE TABLE person (id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, gender TEXT, birthday TEXT,
	creationDate INTEGER, locationIP TEXT, browserUsed TEXT, city INTEGER);
CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE post (id INTEGER PRIMARY KEY, creationDate INTEGER, browserUsed TEXT, content TEXT, creator INTEGER);
CREATE TABLE knows (a INTEGER, b INTEGER, creationDate INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE has_tag (tag INTEGER, post INTEGER, PRIMARY KEY (tag, post)) WITHOUT ROWID;
CREATE TABLE node (n INTEGER PRIMARY KEY, label TEXT, id INTEGER);
CREATE TABLE edge (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
`

// indexes are made once the tables are full.
var indexes = []string{
	`CREATE INDEX person_by_name ON person (firstName, birthday)`,
	`CREATE INDEX person_by_browser ON person (browserUsed)`,
	`CREATE INDEX person_by_city ON person (gender, city)`,
	`CREATE INDEX post_by_creator ON post (creator, creationDate, browserUsed)`,
	`CREATE INDEX knows_by_b ON knows (b, a)`,
	`CREATE UNIQUE INDEX node_by_id ON node (label, id)`,
	`ANALYZE`,
}

// A statement is one question in SQL.
type statement struct {
	text string
	// other is another text for the same rows: which is faster depends on the
	// graph, so both are tried. "" if there is none.
	other string
	args  func(social.Parameters) []any
	// kinds are the kinds of its columns: i an integer, t a text, m an instant
	// in microseconds.
	kinds string
}

// statements are the questions by name. They say what was found to be fastest:
// q5 looks for each person's one relationship into the second circle, which ends
// at the first, q6 makes the second circle only where the first has fewer than
// the limit, q7 is pathText.
var statements = map[string]statement{
	"q1": {
		`SELECT id, firstName, lastName, gender, birthday, creationDate, locationIP, browserUsed FROM person WHERE id = ?1`, "",
		func(p social.Parameters) []any { return []any{p.Person} }, "ittttmtt"},
	"q2": {
		`SELECT id, firstName, lastName, birthday FROM person WHERE firstName = ?1 AND birthday >= ?2 ORDER BY id LIMIT 30`, "",
		func(p social.Parameters) []any { return []any{p.FirstName, p.BornSince} }, "ittt"},
	"q3": {
		`SELECT p.id, p.firstName, p.lastName, k.creationDate AS since, s.id AS of_id, s.firstName AS of_firstName, s.lastName AS of_lastName
		FROM person s CROSS JOIN knows k ON k.a = s.id JOIN person p ON p.id = k.b WHERE s.id = ?1 ORDER BY k.b LIMIT 30`, "",
		func(p social.Parameters) []any { return []any{p.Person} }, "ittmitt"},
	"q4": {
		`SELECT id, firstName, lastName FROM person p WHERE browserUsed = ?2 AND id <> ?1 AND EXISTS (
			SELECT 1 FROM knows f JOIN knows g ON g.a = f.b AND g.b = p.id WHERE f.a = ?1 AND f.b NOT IN (?1, p.id)
		) ORDER BY id LIMIT 30`,
		`SELECT DISTINCT p.id, firstName, lastName FROM knows f JOIN knows g ON g.a = f.b JOIN person p ON p.id = g.b
		WHERE f.a = ?1 AND f.b <> ?1 AND g.b NOT IN (?1, f.b) AND p.browserUsed = ?2 ORDER BY p.id LIMIT 30`,
		func(p social.Parameters) []any { return []any{p.Person, p.Browser} }, "itt"},
	"q5": {
		`WITH one(id) AS MATERIALIZED (SELECT ?1 UNION SELECT a FROM knows WHERE b = ?1),
		two(id) AS MATERIALIZED (SELECT id FROM one UNION SELECT a FROM knows WHERE b IN one)
		SELECT count(*) AS count FROM person p WHERE id <> ?1 AND EXISTS (SELECT 1 FROM knows WHERE a = p.id AND +b IN two)`, "",
		func(p social.Parameters) []any { return []any{p.Person} }, "i"},
	"q6": {
		`WITH start(n) AS MATERIALIZED (SELECT n FROM node WHERE label = 'person' AND id = ?1),
		one(n) AS MATERIALIZED (SELECT b FROM edge WHERE a = (SELECT n FROM start) AND b <> a),
		near(n, distance) AS MATERIALIZED (
			SELECT * FROM (SELECT n, 1 AS distance FROM one ORDER BY n)
			UNION ALL SELECT * FROM (
				SELECT DISTINCT b, 2 FROM edge WHERE a IN one AND b <> (SELECT n FROM start) AND b NOT IN one ORDER BY b LIMIT 100)
			LIMIT 100)
		SELECT label, id, distance FROM near CROSS JOIN node ON node.n = near.n ORDER BY distance, near.n`, "",
		func(p social.Parameters) []any { return []any{p.Person} }, "tii"},
	"q7": {pathText(6, "knows", "a", "b"), "", func(p social.Parameters) []any { return []any{p.Person, p.Other} }, "t"},
	"q8": {
		`SELECT t.name AS tag_name, c.posts AS count FROM (SELECT tag, count(*) AS posts FROM has_tag GROUP BY tag) c
		JOIN tag t ON t.id = c.tag ORDER BY c.posts DESC, t.name LIMIT 10`, "",
		func(social.Parameters) []any { return nil }, "ti"},
	"q9": {
		`SELECT l.name AS place_name, c.posts AS count FROM (
			SELECT p.city, count(*) AS posts FROM person p CROSS JOIN post ON post.creator = p.id AND post.creationDate >= ?1
			WHERE p.gender = ?2 GROUP BY p.city
		) c JOIN place l ON l.id = c.city ORDER BY c.posts DESC, l.name LIMIT 10`, "",
		func(p social.Parameters) []any { return []any{micros(p.Since), p.Gender} }, "ti"},
	"q10": {
		`SELECT p.id, p.creationDate, p.browserUsed FROM knows k JOIN post p ON p.creator = k.b
		WHERE k.a = ?1 AND p.creationDate <= ?2 ORDER BY p.creationDate DESC, p.id LIMIT 20`, "",
		func(p social.Parameters) []any { return []any{p.Person, micros(p.Until)} }, "imt"},
}

// pathText is the statement for the least of the shortest paths over a table and
// its two columns: one branch for
// each length, which runs only if those before it gave nothing. A branch joins
// one step after the other, and SQLite keeps CROSS JOIN's order: the loops nest
// as paths are ordered, over relationships in the order of their primary key, so
// the first row is the least path. With ORDER BY it would gather all the rows.
// From four hops on what is halfway must be near the other end too, or the joins
// would try every walk.
func pathText(most int, table, from, to string) string {
	var b strings.Builder
	for hops := 1; hops <= most; hops++ {
		if hops > 1 {
			b.WriteString("\nUNION ALL ")
		}
		show := "?1"
		for i := 1; i < hops; i++ {
			show += fmt.Sprintf(" || ' ' || k%d.%s", i, to)
		}
		fmt.Fprintf(&b, "SELECT * FROM (SELECT %s || ' ' || ?2 AS path FROM %s k1", show, table)
		for i := 2; i <= hops; i++ {
			fmt.Fprintf(&b, " CROSS JOIN %s k%d ON k%d.%s = k%d.%s", table, i, i, from, i-1, to)
		}
		fmt.Fprintf(&b, " WHERE k1.%s = ?1 AND k%d.%s = ?2", from, hops, to)
		if middle := (hops + 1) / 2; hops > 3 {
			back := "SELECT " + from + " FROM " + table + " WHERE " + to + " = ?2"
			for range hops - middle - 1 {
				back = "SELECT " + from + " FROM " + table + " WHERE " + to + " IN (" + back + ")"
			}
			fmt.Fprintf(&b, " AND +k%d.%s IN (%s)", middle, to, back)
		}
		b.WriteString(" LIMIT 1)")
	}
	return b.String() + " LIMIT 1"
}
