package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/social"
)

// newestLooked is q10 for planners that know how many friends there are.
const newestLooked = `SELECT o.id, o."creationDate", o."browserUsed" FROM post o WHERE o."creationDate" <= $2 AND EXISTS (
	SELECT 1 FROM {HAS_CREATOR} c JOIN {KNOWS} k ON k.to_id = c.to_id WHERE c.from_id = o.id AND k.from_id = $1)
	ORDER BY o."creationDate" DESC, o.id LIMIT 20`

func person(p social.Parameters) []any { return []any{p.Person} }

// expertises are the questions by name.
func expertises(s *schema.Schema) map[string]expertise {
	return map[string]expertise{
		"q1": {[]string{
			`SELECT id, "firstName", "lastName", gender, birthday, "creationDate", "locationIP", "browserUsed" FROM person WHERE id = $1`,
		}, nil, "itttdmtt", person},
		"q2": {[]string{
			`SELECT id, "firstName", "lastName", birthday FROM person WHERE "firstName" = $1 AND birthday >= $2 ORDER BY id LIMIT 30`,
		}, nil, "ittd", func(p social.Parameters) []any { return []any{p.FirstName, p.BornSince} }},
		"q3": {[]string{
			`SELECT p.id, p."firstName", p."lastName", k."creationDate" AS since, s.id AS of_id, s."firstName" AS "of_firstName", s."lastName" AS "of_lastName"
			FROM person s JOIN {KNOWS} k ON k.from_id = s.id JOIN person p ON p.id = k.to_id WHERE s.id = $1 ORDER BY p.id LIMIT 30`,
			`SELECT p.id, p."firstName", p."lastName", k."creationDate" AS since, s.id AS of_id, s."firstName" AS "of_firstName", s."lastName" AS "of_lastName"
			FROM {KNOWS} k JOIN person p ON p.id = k.to_id CROSS JOIN person s WHERE k.from_id = $1 AND s.id = $1 ORDER BY k.to_id LIMIT 30`,
		}, nil, "ittmitt", person},
		"q4": {[]string{
			`SELECT DISTINCT p.id, p."firstName", p."lastName" FROM {KNOWS} f JOIN {KNOWS} g ON g.from_id = f.to_id JOIN person p ON p.id = g.to_id
			WHERE f.from_id = $1 AND f.to_id <> $1 AND g.to_id NOT IN ($1, f.to_id) AND p."browserUsed" = $2 ORDER BY p.id LIMIT 30`,
			`SELECT p.id, p."firstName", p."lastName" FROM (SELECT DISTINCT g.to_id FROM {KNOWS} f JOIN {KNOWS} g ON g.from_id = f.to_id
			WHERE f.from_id = $1 AND f.to_id <> $1 AND g.to_id NOT IN ($1, f.to_id)) w
			JOIN person p ON p.id = w.to_id WHERE p."browserUsed" = $2 ORDER BY p.id LIMIT 30`,
			`SELECT p.id, p."firstName", p."lastName" FROM person p WHERE p."browserUsed" = $2 AND p.id <> $1 AND EXISTS (
			SELECT 1 FROM {KNOWS} f JOIN {KNOWS} g ON g.from_id = f.to_id AND g.to_id = p.id WHERE f.from_id = $1 AND f.to_id NOT IN ($1, p.id))
			ORDER BY p.id LIMIT 30`,
		}, nil, "itt", func(p social.Parameters) []any { return []any{p.Person, p.Browser} }},
		"q5": {[]string{
			`SELECT COUNT(*) AS count FROM (SELECT DISTINCT c.from_id FROM {KNOWS} c JOIN (
				SELECT DISTINCT b.from_id FROM {KNOWS} b JOIN (SELECT from_id FROM {KNOWS} WHERE to_id = $1 UNION SELECT $1) a ON b.to_id = a.from_id
				UNION SELECT $1) b ON c.to_id = b.from_id WHERE c.from_id <> $1) n`,
			`WITH one AS (SELECT from_id AS id FROM {KNOWS} WHERE to_id = $1), two AS (SELECT id FROM one UNION SELECT from_id FROM {KNOWS} WHERE to_id IN (SELECT id FROM one)),
			three AS (SELECT id FROM two UNION SELECT from_id FROM {KNOWS} WHERE to_id IN (SELECT id FROM two))
			SELECT COUNT(*) AS count FROM three WHERE id <> $1`,
			`SELECT COUNT(*) AS count FROM person p WHERE p.id <> $1 AND EXISTS (SELECT 1 FROM {KNOWS} k WHERE k.from_id = p.id AND k.to_id IN (
				SELECT $1 UNION SELECT a.from_id FROM {KNOWS} a WHERE a.to_id = $1
				UNION SELECT b.from_id FROM {KNOWS} a JOIN {KNOWS} b ON b.to_id = a.from_id WHERE a.to_id = $1))`,
		}, map[string][]string{
			"sqlite": {`WITH one(id) AS MATERIALIZED (SELECT $1 UNION SELECT from_id FROM {KNOWS} WHERE to_id = $1),
			two(id) AS MATERIALIZED (SELECT id FROM one UNION SELECT from_id FROM {KNOWS} WHERE to_id IN one)
			SELECT count(*) AS count FROM person p WHERE id <> $1 AND EXISTS (SELECT 1 FROM {KNOWS} WHERE from_id = p.id AND +to_id IN two)`},
		}, "i", person},
		"q6": {[]string{neighbourhood(s)}, nil, "tii", person},
		"q7": {[]string{strings.Join(pathsInTurn(6), inTurn)}, map[string][]string{
			"postgres": {pathsAtOnce(6)}, "duckdb": {pathsAtOnce(6)},
			"sqlite": {pathsAtOnce(6), pathText(6, "{KNOWS}", "from_id", "to_id")},
		}, pathKinds, func(p social.Parameters) []any { return []any{p.Person, p.Other} }},
		"q8": {[]string{
			`SELECT t.name AS tag_name, c.posts AS count FROM (SELECT to_id, COUNT(*) AS posts FROM {HAS_TAG} GROUP BY to_id) c
			JOIN tag t ON t.id = c.to_id ORDER BY c.posts DESC, t.name LIMIT 10`,
			`SELECT t.name AS tag_name, COUNT(*) AS count FROM {HAS_TAG} h JOIN tag t ON t.id = h.to_id GROUP BY t.name ORDER BY 2 DESC, 1 LIMIT 10`,
		}, nil, "ti", func(social.Parameters) []any { return nil }},
		"q9": {[]string{
			`SELECT l.name AS place_name, COUNT(*) AS count FROM person p JOIN {HAS_CREATOR} c ON c.to_id = p.id JOIN post o ON o.id = c.from_id
			JOIN {IS_LOCATED_IN} i ON i.from_id = p.id JOIN place l ON l.id = i.to_id
			WHERE o."creationDate" >= $1 AND p.gender = $2 GROUP BY l.name ORDER BY 2 DESC, 1 LIMIT 10`,
			`SELECT l.name AS place_name, n.posts AS count FROM (SELECT i.to_id AS city, COUNT(*) AS posts FROM post o JOIN {HAS_CREATOR} c ON c.from_id = o.id
			JOIN person p ON p.id = c.to_id JOIN {IS_LOCATED_IN} i ON i.from_id = p.id WHERE o."creationDate" >= $1 AND p.gender = $2 GROUP BY i.to_id) n
			JOIN place l ON l.id = n.city ORDER BY n.posts DESC, l.name LIMIT 10`,
		}, nil, "ti", func(p social.Parameters) []any { return []any{instant(p.Since), p.Gender} }},
		"q10": {[]string{
			`SELECT o.id, o."creationDate", o."browserUsed" FROM {KNOWS} k JOIN {HAS_CREATOR} c ON c.to_id = k.to_id JOIN post o ON o.id = c.from_id
			WHERE k.from_id = $1 AND o."creationDate" <= $2 ORDER BY o."creationDate" DESC, o.id LIMIT 20`,
		}, map[string][]string{
			// Not SQLite, whose plan would be the same for who has no friends.
			"postgres": {newestLooked}, "mariadb": {newestLooked}, "mysql": {newestLooked}, "duckdb": {newestLooked},
		}, "imt", func(p social.Parameters) []any { return []any{p.Person, instant(p.Until)} }},
	}
}

// neighbourhood is q6 for the pairs of a schema: the second circle is made of
// the first, and of neither are there more than the answer shows.
func neighbourhood(s *schema.Schema) string {
	var first, second []string
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			table := `"` + p.Table.Name + `"`
			for _, walk := range [][4]string{{p.From.Name, "from_id", p.To.Name, "to_id"}, {p.To.Name, "to_id", p.From.Name, "from_id"}} {
				if walk[0] == "person" {
					first = append(first, fmt.Sprintf("SELECT '%s' AS label, %s AS id FROM %s WHERE %s = $1", walk[2], walk[3], table, walk[1]))
				}
				second = append(second, fmt.Sprintf("SELECT '%s' AS label, r.%s AS id FROM one o JOIN %s r ON r.%s = o.id WHERE o.label = '%s'", walk[2], walk[3], table, walk[1], walk[0]))
			}
		}
	}
	slices.Sort(first)
	slices.Sort(second)
	notStart := "NOT (label = 'person' AND id = $1)"
	return "WITH one AS (SELECT label, id FROM (" + strings.Join(first, " UNION ") + ") n WHERE " + notStart + "),\n" +
		"two AS (SELECT label, id FROM (" + strings.Join(second, " UNION ") + ") n WHERE " + notStart + ")\n" +
		"SELECT label, id, 1 AS distance FROM one UNION ALL SELECT label, id, 2 AS distance FROM two WHERE NOT EXISTS (" +
		"SELECT 1 FROM one WHERE one.label = two.label AND one.id = two.id) ORDER BY distance, label, id LIMIT 100"
}

// pathsInTurn are statements for the least of the paths of one length, two, and
// so on: the first that has a row has the shortest. The engine joins them from
// both ends; from four hops on what is halfway must be near the other end too.
func pathsInTurn(most int) []string {
	var out []string
	for hops := 1; hops <= most; hops++ {
		var b strings.Builder
		b.WriteString("SELECT ")
		var between []string
		for i := 1; i < hops; i++ {
			fmt.Fprintf(&b, "k%d.to_id AS n%d, ", i, i)
			between = append(between, fmt.Sprintf("k%d.to_id", i))
		}
		fmt.Fprintf(&b, "%d AS hops FROM {KNOWS} k1", hops)
		for i := 2; i <= hops; i++ {
			fmt.Fprintf(&b, " JOIN {KNOWS} k%d ON k%d.from_id = k%d.to_id", i, i, i-1)
		}
		fmt.Fprintf(&b, " WHERE k1.from_id = $1 AND k%d.to_id = $2", hops)
		if middle := (hops + 1) / 2; hops > 3 {
			back := "SELECT from_id FROM {KNOWS} WHERE to_id = $2"
			for range hops - middle - 1 {
				back = "SELECT from_id FROM {KNOWS} WHERE to_id IN (" + back + ")"
			}
			fmt.Fprintf(&b, " AND k%d.to_id IN (%s)", middle, back)
		}
		if between != nil {
			b.WriteString(" ORDER BY " + strings.Join(between, ", "))
		}
		out = append(out, b.String()+" LIMIT 1")
	}
	return out
}

// pathsAtOnce is one statement of those, for engines that stop at its first row.
func pathsAtOnce(most int) string {
	var all []string
	for i, text := range pathsInTurn(most) {
		columns := make([]string, most)
		for n := range columns {
			columns[n] = "NULL"
			if n < i {
				columns[n] = fmt.Sprintf("n%d", n+1)
			}
		}
		columns[most-1] = "hops"
		all = append(all, fmt.Sprintf("SELECT %s FROM (%s) p%d", strings.Join(columns, ", "), text, i+1))
	}
	all[0] = strings.NewReplacer("NULL", "CAST(NULL AS BIGINT)").Replace(all[0])
	for n := range most - 1 {
		all[0] = strings.Replace(all[0], "BIGINT),", fmt.Sprintf("BIGINT ) AS n%d,", n+1), 1)
	}
	return strings.Join(all, "\nUNION ALL ") + "\nLIMIT 1"
}
