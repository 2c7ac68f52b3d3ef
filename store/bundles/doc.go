// Package bundles serves the bundles of tenants.
//
//	repo, err := repository.Folder("/var/lib/trellis", repository.Options{})
//	lib := bundles.New(repo, bundles.Options{})
//	defer lib.Close()
//
//	b, err := bundle.ReadDir("shop", bundle.Options{})
//	done, err := lib.Apply(ctx, "acme", b, bundles.ChangeOptions{Author: "ada"})
//
//	eng := engine.NewFrom(lib, engine.Options{Prompt: true}) // as all its stores are
//	offered := tools.New(eng, tools.Options{})
//	ctx = graph.WithScope(ctx, &graph.Scope{Tenant: "acme", View: "support"})
//	answer, err := offered.Call(ctx, "list_product", []byte(`{"limit": 10}`))
//
// A Library holds of each tenant one snapshot: the schema of all its bundles, a
// graph in memory, and for each view the part of the schema that it shows. It
// makes them of what a repository has, when there is a first call of the tenant
// or at Load, and makes new ones when something is applied, here or by another
// process. A call works to its end on the snapshot that it began with.
//
// # Changes
//
// Apply, Delete, Rollback and ApplyViews check everything before they change
// anything: what they would make of the tenant is built, and the repository takes it
// only if the tenant is still what it was built from. So these hold at any time:
//
//   - no two tools of a tenant have one name, be they of bundles, named queries
//     (Options.Queries) or those of every graph;
//   - no two bundles of a tenant have an entity type of one name;
//   - every view names what is there. A change that would break one is refused:
//     to remove a type, apply views without it first.
//
// Plan tells what would change, and what speaks against it.
//
// # Named queries
//
// The host's named queries are for all tenants, and each tenant has those that its
// bundles can answer, each view those that it can:
//
//	named, err := tools.ReadQueries("queries.yaml", nil, graph.Limits{})
//	lib := bundles.New(repo, bundles.Options{Queries: named})
//	offered := tools.New(engine.NewFrom(lib, engine.Options{Prompt: true}), tools.Options{Queries: named})
//
// A bundle by which a query no longer fits is applied all the same, as it is the
// tenant's, and the query is the host's: the query is left out, the log tells why, and
// Plan has it among the tools that would disappear. It is there again with the first
// bundle that it fits.
//
// # Views
//
//	format: trellis.views.v1
//	views:
//	  support:
//	    description: For agents that answer customers.
//	    bundles: [shop, known-issues]
//	    labels: [product, issue]               # default: all of the bundles
//	    tools: [list_product, get_product]     # of records; default: all of the labels
//
// A view is bound to its bundles, and sees nothing else: the schema of a view has
// no other labels, no relationships from or to others, no properties that refer to
// others (x-ref), and no other tools of records. So what is not in it behaves as what
// does not exist does, in descriptions, suggestions, and paths alike, and records are
// shown without their members that refer to it. An id that stands in a property of
// another kind, such as in a text, is a text. Scope.View chooses a tenant's view;
// without one a call sees all that the tenant has.
//
// # When something does not load
//
// A tenant whose stored state cannot be loaded keeps what was loaded before, and
// the log tells why. A stored view that does not fit is left out: its callers get
// what a caller of an unknown view gets, NO_SCOPE.
package bundles
