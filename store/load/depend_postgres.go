package load

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// postgresMayReplace reports, before anything is made, what depends on the tables
// that are there without being one of them, foreign keys and views, and what of
// theirs would be lost.
func postgresMayReplace(ctx context.Context, db *sql.DB, d *dialect, tables []*table) error {
	foreign, err := postgresOthers(ctx, db, d, tables, "true")
	if err != nil {
		return err
	}
	for _, f := range foreign {
		return fmt.Errorf("load: making table %s: a foreign key of table %s leads to the one that is there", f[1], f[0])
	}
	views, err := postgresDependent(ctx, db, d, tables, `SELECT DISTINCT w.ev_class::regclass::text, d.refobjid::regclass::text
FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_rewrite AS w ON w.oid = d.objid
WHERE d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
AND d.refobjid IN (SELECT oid FROM own) AND w.ev_class NOT IN (SELECT oid FROM own WHERE oid IS NOT NULL) ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	for _, v := range views {
		return fmt.Errorf("load: making table %s: the view %s shows the one that is there", v[1], v[0])
	}
	lost, err := postgresDependent(ctx, db, d, tables, `SELECT what, rel::regclass::text FROM (
SELECT 'row security' AS what, oid AS rel FROM pg_catalog.pg_class WHERE relrowsecurity
UNION ALL SELECT 'the policy ' || quote_ident(polname), polrelid FROM pg_catalog.pg_policy
UNION ALL SELECT 'the trigger ' || quote_ident(tgname), tgrelid FROM pg_catalog.pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'the rule ' || quote_ident(rulename), ev_class FROM pg_catalog.pg_rewrite WHERE rulename <> '_RETURN') AS x
WHERE rel IN (SELECT oid FROM own) ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	for _, l := range lost {
		return wouldLose(l[1], l[0])
	}
	return nil
}

// wouldLose says what a table has that the one in its place would not.
func wouldLose(table, what string) error {
	return fmt.Errorf("load: making table %s: the one that is there has %s, which would be lost with it: drop that first, or keep the table and have it emptied and filled", table, what)
}

// postgresOthers are the tables that have foreign keys of some kind to one of
// these without being one, and that one, in order. Their names are quoted where
// they must be.
func postgresOthers(ctx context.Context, db queryer, d *dialect, tables []*table, which string) ([][2]string, error) {
	return postgresDependent(ctx, db, d, tables, `SELECT DISTINCT conrelid::regclass::text, confrelid::regclass::text FROM pg_catalog.pg_constraint
WHERE contype = 'f' AND conparentid = 0 AND `+which+` AND confrelid IN (SELECT oid FROM own) AND conrelid NOT IN (SELECT oid FROM own WHERE oid IS NOT NULL) ORDER BY 1, 2`)
}

// postgresDependent runs a statement in which own are these tables, as far as they
// are there.
func postgresDependent(ctx context.Context, db queryer, d *dialect, tables []*table, text string) ([][2]string, error) {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = d.named(t.name)
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, err // no text fails
	}
	rows, err := db.QueryContext(ctx, "WITH own AS (SELECT pg_catalog.to_regclass(name) AS oid FROM json_array_elements_text($1::text::json) AS list(name)) "+text, string(list))
	if err != nil {
		return nil, fmt.Errorf("load: looking for what depends on tables: %w", err)
	}
	out, err := pairs(rows)
	if err != nil {
		return nil, fmt.Errorf("load: looking for what depends on tables: %w", err)
	}
	return out, nil
}
