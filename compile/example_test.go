package compile_test

import (
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func Example() {
	s, err := schema.Parse("shop.yaml", []byte(`
format: trellis.schema.v1
nodes: {customer: {key: id, properties: {id: int64, name: string}}}
relationships: {}
`))
	if err != nil {
		log.Fatal(err)
	}
	named := graph.NodePattern{Label: "customer", Filter: graph.Where("name", "'; DROP TABLE customer")}
	plan, err := compile.New(compile.Options{}).Check(s, nil, &graph.FindNodes{NodePattern: named})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan)
	for _, d := range []*compile.Dialect{compile.MariaDB(), compile.Postgres()} {
		program, err := compile.SQL(plan, d)
		if err != nil {
			log.Fatal(err)
		}
		_, parameters := program.Main.Bind(plan.Params)
		fmt.Println(program.Main.Text(plan.Params))
		for _, p := range parameters {
			fmt.Println("--", p.Type, p.Value)
		}
	}
	// Output:
	// find customer where name = "'; DROP TABLE customer"
	//   show id, name
	//   order by id limit 30
	// SELECT n.`id`, n.`name` FROM `customer` AS n WHERE (n.`name` = ? AND n.`name` COLLATE utf8mb4_nopad_bin = ?) ORDER BY n.`id` LIMIT ?
	// -- string "'; DROP TABLE customer"
	// -- string "'; DROP TABLE customer"
	// -- int64 31
	// SELECT n."id", n."name" FROM "customer" AS n WHERE n."name" = $1::text ORDER BY n."id" LIMIT $2::bigint
	// -- string "'; DROP TABLE customer"
	// -- int64 31
}
