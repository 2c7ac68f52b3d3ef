package command

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
)

func bundleCommand() *command {
	return &command{
		name:    "bundle",
		args:    "VERB …",
		summary: "Check bundles, and apply them for tenants",
		help: `
A bundle is a domain as JSON Schema documents and YAML records: a directory, or an
archive of one (tar, tar.gz, zip). Wherever --graph takes a graph directory it
takes a bundle, too. These verbs look at one:

    trellis bundle lint SOURCE               every mistake, by file, line and column
    trellis bundle format DIR [--write]      the files in their one form
    trellis bundle prompt SOURCE             the workflow for models that answer from it

The others are about what a tenant has, in a --repository, which is a directory or
a database:

    trellis bundle plan SOURCE               what apply would change; changes nothing
    trellis bundle plan NAME --version N     what rollback would change
    trellis bundle plan --delete NAME        what delete would change
    trellis bundle apply SOURCE              replaces the tenant's bundle of this name
    trellis bundle list
    trellis bundle history NAME
    trellis bundle rollback NAME --version N
    trellis bundle delete NAME
    trellis bundle export NAME --out DIR | FILE.tar.gz  [--version N]
    trellis bundle prompt [--view NAME]
    trellis bundle views show | history | check FILE | apply FILE | delete

    trellis bundle apply shop --repository /var/lib/trellis --tenant acme
    trellis bundle apply shop --repository postgres://user@localhost/trellis --tenant acme

A bundle is applied as a whole or not at all, whoever else applies at the same
time; everything that speaks against it is told at once, and plan tells before.
With --expect it is applied only if the bundle's current revision is that one, or
"none". Servers of the repository work on it within seconds. Applying makes
the directory, the file or the tables that are not there, named trellis_…; nothing
else does, and plan tells what it would apply to none.

A bundle has at most 10 MiB. For larger ones all verbs take --max-bundle-bytes, and so
do serve and whatever takes --graph.

Where servers of the repository have --queries, plan, apply, rollback and delete take
them too: a bundle that has a tool of the name of one is refused, and plan tells which
of the queries the tenant would get and lose, as each tenant has those that its
bundles can answer.

Views are what agents are bound to: each sees the bundles that its view names, and
nothing else. A record that it shows is whole, though: with the ids of entities that
the view does not have. See the documentation of the package store/bundles for their file.`,
		define: func(flags *flag.FlagSet) action {
			b := &bundleFlags{}
			b.define(flags)
			return func(ctx context.Context, std streams, args []string) error {
				if len(args) == 0 {
					return usagef("bundle takes a verb: %s", strings.Join(verbNames(), ", "))
				}
				name, rest := args[0], args[1:]
				v, ok := bundleVerbs[name]
				if !ok {
					return usagef("there is no verb %q; the verbs are %s", name, strings.Join(verbNames(), ", "))
				}
				if err := v.check(name, flags, rest); err != nil {
					return err
				}
				return v.run(ctx, std, b, rest)
			}
		},
	}
}

// bundleFlags are the flags of all verbs.
type bundleFlags struct {
	repository, tenant, expect, author, note, out, view, remove, queries string
	version                                                              int64
	write                                                                bool
	bundleBytes                                                          int
}

func (b *bundleFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&b.repository, "repository", "", "where the bundles of tenants are: a `directory`, or a database as sqlite:FILE, postgres://… or mysql://…")
	flags.StringVar(&b.tenant, "tenant", "", "the `name` of the tenant")
	flags.StringVar(&b.expect, "expect", "", "change nothing unless the current `revision` is this one, or none")
	flags.StringVar(&b.author, "author", "", "a `name` to keep with the change")
	flags.StringVar(&b.note, "note", "", "a `text` to keep with the change")
	flags.StringVar(&b.out, "out", "", "the `directory` or archive (FILE.tar.gz) to write")
	flags.StringVar(&b.view, "view", "", "the `name` of a view of the tenant")
	flags.Int64Var(&b.version, "version", 0, "the `number` of a version in the history; the current one, if it is left out")
	flags.StringVar(&b.remove, "delete", "", "plan to delete the bundle of this `name`")
	flags.StringVar(&b.queries, "queries", "", "the `file` of named queries (trellis.queries.v1) that servers of the repository have")
	defineBundleBytes(flags, &b.bundleBytes)
	flags.BoolVar(&b.write, "write", false, "write the files that are not in their one form")
}

// A bundleVerb is what can be done with bundles.
type bundleVerb struct {
	// args are what its arguments are called; one in brackets may be left out.
	args  []string
	flags []string
	run   func(context.Context, streams, *bundleFlags, []string) error
}

var (
	tenantFlags = []string{"repository", "tenant"}
	changeFlags = append(slices.Clone(tenantFlags), "expect", "author", "note")
	bundleVerbs = map[string]bundleVerb{
		"lint":     {args: []string{"SOURCE"}, run: lintBundle},
		"format":   {args: []string{"DIR"}, flags: []string{"write"}, run: formatBundle},
		"prompt":   {args: []string{"[SOURCE]"}, flags: append(slices.Clone(tenantFlags), "view"), run: promptOfBundle},
		"plan":     {args: []string{"[SOURCE|NAME]"}, flags: append(slices.Clone(tenantFlags), "version", "delete", "queries"), run: planBundle},
		"apply":    {args: []string{"SOURCE"}, flags: append(slices.Clone(changeFlags), "queries"), run: applyBundle},
		"delete":   {args: []string{"NAME"}, flags: append(slices.Clone(changeFlags), "queries"), run: deleteBundle},
		"rollback": {args: []string{"NAME"}, flags: append(slices.Clone(changeFlags), "version", "queries"), run: rollbackBundle},
		"list":     {flags: tenantFlags, run: listBundles},
		"history":  {args: []string{"NAME"}, flags: tenantFlags, run: historyOfBundle},
		"export":   {args: []string{"NAME"}, flags: append(slices.Clone(tenantFlags), "out", "version"), run: exportBundle},
		"views":    {args: []string{"show|history|check|apply|delete", "[FILE]"}, flags: append(slices.Clone(changeFlags), "version"), run: viewsOfTenant},
	}
)

func verbNames() []string {
	var names []string
	for name := range bundleVerbs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// check refuses arguments and flags that the verb does not take.
func (v *bundleVerb) check(name string, flags *flag.FlagSet, args []string) error {
	least := 0
	for _, a := range v.args {
		if !strings.HasPrefix(a, "[") {
			least++
		}
	}
	if len(args) < least || len(args) > len(v.args) {
		takes := strings.Join(v.args, " ")
		if takes == "" {
			takes = "flags only"
		}
		return usagef("bundle %s takes %s; there are %d arguments", name, takes, len(args))
	}
	var err error
	flags.Visit(func(f *flag.Flag) {
		if err == nil && f.Name != "max-bundle-bytes" && !slices.Contains(v.flags, f.Name) {
			err = usagef("bundle %s takes no --%s", name, f.Name)
		}
	})
	return err
}

// tenantOf checks that a verb was told which tenant of which repository.
func (b *bundleFlags) tenantOf(verb string) error {
	var missing []string
	if b.repository == "" {
		missing = append(missing, "--repository DIR|URL")
	}
	if b.tenant == "" {
		missing = append(missing, "--tenant NAME")
	}
	if missing != nil {
		return usagef("bundle %s: %s", verb, fmt.Sprintf("give %s", strings.Join(missing, " and ")))
	}
	return nil
}
