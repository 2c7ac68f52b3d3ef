package introspect_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/store/introspect"

	_ "modernc.org/sqlite"
)

// The draft is for a person to review, and holds until a table changes.
func Example() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection to :memory: has a database of its own
	change := func(statements string) {
		if _, err := db.ExecContext(ctx, statements); err != nil {
			log.Fatal(err)
		}
	}
	change(`
		CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
		CREATE TABLE purchase (id INTEGER PRIMARY KEY, placed TEXT, customer_id INTEGER NOT NULL REFERENCES customer (id))`)
	draft, err := introspect.Read(ctx, db, introspect.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s, err := draft.Schema()
	if err != nil {
		log.Fatal(err)
	}
	for r := range s.Relationships() {
		fmt.Println(r.Name, r.Pairs[0].From.Name, r.Pairs[0].To.Name)
	}
	change(`ALTER TABLE customer DROP COLUMN name`)
	report, err := introspect.Check(ctx, db, s, introspect.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range report.Drift {
		fmt.Println(d.Path + ": " + d.Message)
	}
	// Output:
	// CUSTOMER purchase customer
	// /nodes/customer/properties/name: the table "customer" has no column "name"
}
