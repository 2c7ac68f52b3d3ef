package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// manyProducts are the tools of n products of about 600 bytes each.
func manyProducts(t testing.TB, n int) *tools.Tools {
	s := catalog(t)
	b := memory.NewBuilder(s)
	for i := range 100 {
		b.Node("maker", memory.Values{"id": fmt.Sprintf("maker-%02d", i), "name": fmt.Sprintf("Maker %d", i)})
		b.Node("tag", memory.Values{"value": fmt.Sprintf("tag-%02d", i)})
	}
	grades := []string{"student", "stage", "collector"}
	for i := range n {
		id, grade, maker, tag := fmt.Sprintf("product-%06d", i), grades[i%3], fmt.Sprintf("maker-%02d", i*7%100), fmt.Sprintf("tag-%02d", i*13%100)
		doc := fmt.Sprintf(`{"id":%q,"title":"Product %d","grade":%q,"maker_id":%q,"tags":[%q],"text":%q}`, id, i, grade, maker, tag, strings.Repeat("An instrument of some length. ", 16))
		b.Node("product", memory.Values{"id": id, "title": fmt.Sprintf("Product %d", i), "grade": grade, "maker_id": maker,
			"strings": i % 7, "price": fmt.Sprintf("%d.50", i%1000), "record": json.RawMessage(doc)})
		b.Relationship("MAKER", graph.ID("product", id), graph.ID("maker", maker), nil)
		b.Relationship("TAGGED", graph.ID("product", id), graph.ID("tag", tag), nil)
	}
	g, err := b.Build()
	require.NoError(t, err)
	e := engine.New(schema.NewCatalog(s), native.New(g, native.Options{HideStatements: true}), engine.Options{Statements: engine.HideStatements, Prompt: true})
	return tools.New(e, tools.Options{})
}

// recordQuestions are the calls that are measured, and how many records answer
// each.
var recordQuestions = []struct {
	name, tool, args string
	records          int
}{
	{"get", "get_product", `{"id":"product-004321"}`, 1},
	{"get nothing", "get_product", `{"id":"product-x"}`, 0},
	{"get 50", "get_product", `{"ids":[` + fiftyIDs() + `]}`, 50},
	{"list 50 by an enum", "list_product", `{"filters":{"grade":"stage"}}`, 50},
	{"list 50 by a reference", "list_product", `{"filters":{"maker_id":"maker-07"}}`, 50},
	{"list 50 by a tag", "list_product", `{"filters":{"tag":"tag-13"}}`, 50},
	{"list 50 by an enum, a number, sorted", "list_product", `{"filters":{"grade":"stage","strings":{"gte":3}},"sort":"-price"}`, 50},
	{"list 50 of all, offset 5000", "list_product", `{"offset":5000}`, 50},
	{"list 500 ids", "list_product_ids", `{"limit":500}`, 500},
}

func fiftyIDs() string {
	var ids []string
	for i := range 50 {
		ids = append(ids, fmt.Sprintf(`"product-%06d"`, (i*37+11)%10000))
	}
	return strings.Join(ids, ",")
}

// BenchmarkRecords is the whole of a call of a tool of records, from the bytes of
// its arguments to those of its answer, of 10,000 products on the native store.
func BenchmarkRecords(b *testing.B) {
	tt := manyProducts(b, 10_000)
	for _, q := range recordQuestions {
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			var doc []byte
			var err error
			for b.Loop() {
				if doc, err = tt.AppendCall(context.Background(), doc[:0], q.tool, []byte(q.args)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(doc)), "bytes")
		})
	}
}
