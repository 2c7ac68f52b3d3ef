package load_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"

	_ "modernc.org/sqlite"
)

// A graph directory becomes tables, and the tables a graph again.
func Example() {
	ctx := context.Background()
	g, err := memory.Open(ctx, "../../tools/testdata/forge", memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection to :memory: has a database of its own
	if err := load.Load(ctx, db, g, load.Options{}); err != nil {
		log.Fatal(err)
	}
	var issues int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM gl_issue WHERE state = 'opened'`).Scan(&issues); err != nil {
		log.Fatal(err)
	}
	fmt.Println(issues, "issues are open")
	again, err := load.Read(ctx, db, g.Schema(), load.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Size())
	// Output:
	// 2 issues are open
	// 5 3
}
