package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"

	_ "modernc.org/sqlite"
)

// Tables that are there already are asked through a *sql.DB of the host's.
func ExampleSQL() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection to :memory: has a database of its own
	if _, err := db.ExecContext(ctx, `
		CREATE TABLE people (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL);
		INSERT INTO people VALUES (1, 'Ada'), (2, 'Grace')`); err != nil {
		log.Fatal(err)
	}
	s, err := schema.Parse("people.yaml", []byte(`
format: trellis.schema.v1
nodes:
  person:
    table: people
    key: id
    properties: {id: int64, name: {type: string, column: full_name, nullable: false}}
`))
	if err != nil {
		log.Fatal(err)
	}
	st := store.SQL(db, compile.SQLite())
	defer st.Close()
	eng := engine.New(schema.NewCatalog(s), st, engine.Options{})
	res, err := eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Filter: graph.Where("name", "Grace")}})
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range res.Answers() {
		fmt.Println(n.ID, n.Value("name"))
	}
	fmt.Println(res.Statements[0].SQL)
	// Output:
	// 2 "Grace"
	// SELECT n.`id`, n.`full_name` FROM `people` AS n WHERE n.`full_name` COLLATE BINARY = ?1 ORDER BY n.`id` LIMIT ?2
}
