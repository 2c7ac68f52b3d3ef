package verify_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools/verify"

	_ "modernc.org/sqlite"
)

// After a load: does the database answer as the graph does?
func ExampleStores() {
	ctx := context.Background()
	g, err := memory.Open(ctx, "../testdata/forge", memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range []string{"", "UPDATE gl_issue SET title = 'Changed' WHERE id = 101"} {
		db, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			log.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1) // each connection to :memory: has a database of its own
		if err := load.Load(ctx, db, g, load.Options{}); err != nil {
			log.Fatal(err)
		}
		if _, err := db.ExecContext(ctx, change); err != nil {
			log.Fatal(err)
		}
		report, err := verify.Stores(ctx, g, native.New(g, native.Options{}), store.SQL(db, compile.SQLite()), verify.Options{Calls: 200})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the same:", report.Difference == nil)
	}
	// Output:
	// the same: true
	// the same: false
}
