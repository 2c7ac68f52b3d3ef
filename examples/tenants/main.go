// Command tenants shows two companies behind one engine: what policies let each
// caller see, what masks leave of a value, a named query, probes that find
// nothing, and the records that are left of it all.
//
//	go run ./examples/tenants
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// The callers. A server takes such a scope from a token that it has verified,
// never from the arguments of a call.
var (
	clerk   = &graph.Scope{Tenant: "acme", Principal: "tomas", Claims: map[string]any{"role": "clerk", "folders": []any{"/sales/"}, "home": "/sales/"}}
	manager = &graph.Scope{Tenant: "acme", Principal: "mira", Claims: map[string]any{"role": "manager", "folders": []any{"/"}, "home": "/board/"}}
	other   = &graph.Scope{Tenant: "birch", Principal: "ines", Claims: map[string]any{"role": "manager", "folders": []any{"/"}}}
)

// questions are asked in turn.
var questions = []struct {
	says       string
	who        *graph.Scope
	tool, args string
}{
	{"A clerk sees the people of acme, and the ends of their accounts", clerk, "find_nodes", `{"node_label": "person"}`},
	{"A manager sees the accounts", manager, "find_nodes", `{"node_label": "person"}`},
	{"The other company has people of its own", other, "find_nodes", `{"node_label": "person"}`},
	{"Counts are of what is visible: the clerk's documents", clerk, "aggregate_nodes", `{"node_label": "document", "aggregations": [{"function": "count"}]}`},
	{"and the manager's", manager, "aggregate_nodes", `{"node_label": "document", "aggregations": [{"function": "count"}]}`},
	{"A query that the host has written", manager, "documents_of", `{"person": 1}`},
	{"The same, for a clerk", clerk, "documents_of", `{"person": 1}`},
	{"A query that asks who calls", clerk, "in_my_folder", `{}`},
	{"who has nothing there", other, "in_my_folder", `{}`},
	{"A probe: somebody else's id is an id that does not exist", clerk, "find_nodes", `{"node_label": "person", "ids": [3]}`},
	{"A probe: a relationship that leads to another company leads nowhere", other, "documents_of", `{"person": 3}`},
	{"A probe: the order of a value that is masked", clerk, "find_nodes", `{"node_label": "person", "order_by": [{"property": "iban"}]}`},
	{"A probe: another tenant in the arguments", clerk, "find_nodes", `{"node_label": "person", "tenant_id": "birch"}`},
	{"Nobody in particular gets no answer", nil, "find_nodes", `{"node_label": "person"}`},
}

func main() {
	if err := run(context.Background(), "examples/tenants/graph", os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run asks the questions of a graph directory, and writes answers and records.
func run(ctx context.Context, dir string, w io.Writer) error {
	g, err := memory.Open(ctx, dir, memory.Options{})
	if err != nil {
		return err
	}
	queries, err := tools.ReadQueries(dir+"/queries.yaml", g.Schema(), graph.Limits{})
	if err != nil {
		return err
	}
	st := native.New(g, native.Options{})
	defer st.Close()
	var records bytes.Buffer
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{
		Statements: engine.HideStatements, Audit: audit.NewJSONLines(&records), AuditFailClosed: true,
	})
	offered := tools.New(eng, tools.Options{Queries: queries})
	for _, q := range questions {
		who, in := "nobody", ctx
		if q.who != nil {
			who, in = q.who.Principal, graph.WithScope(ctx, q.who)
		}
		fmt.Fprintf(w, "\n# %s\n%s: %s %s\n", q.says, who, q.tool, q.args)
		answer, _ := offered.Call(in, q.tool, []byte(q.args)) // a refusal is an answer to the caller, too
		fmt.Fprintf(w, "=> %s\n", answer)
	}
	fmt.Fprintf(w, "\n# What an auditor reads: a record of each call, values hashed\n%s", &records)
	return nil
}
