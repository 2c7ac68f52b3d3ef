package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
	"github.com/trellisgraph/trellis/tools"
)

// planBundle tells what apply, delete or rollback would do. It refuses what they
// would refuse.
func planBundle(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	switch {
	case flags.version < 0:
		return usagef("bundle plan: --version is a number that history tells")
	case (flags.remove != "") == (len(args) == 1), flags.remove != "" && flags.version != 0:
		return usagef("bundle plan takes a SOURCE to apply, a NAME to roll back and its --version N, or --delete NAME")
	}
	if len(args) == 1 && flags.version == 0 {
		empty, err := flags.plannedEmpty()
		if err != nil {
			return err
		}
		if empty != "" {
			defer os.RemoveAll(empty)
			flags.repository = empty
		}
	}
	return flags.onShelf(ctx, std, "plan", false, func(s *shelf) error {
		p, err := flags.plan(ctx, std, s, args)
		if err != nil {
			return err
		}
		fmt.Fprintln(std.err, strings.TrimRight(p.String(), "\n"))
		if err := writeDocument(std.out, p); err != nil {
			return err
		}
		if len(p.Errors) > 0 {
			return errRefused
		}
		return nil
	})
}

// plannedEmpty makes an empty repository to plan against in the place of one that
// apply would make: where it is to be there is nothing yet, but for the directory
// above. It is "" where there is one.
func (b *bundleFlags) plannedEmpty() (string, error) {
	path := strings.TrimPrefix(b.repository, "sqlite:")
	if b.repository == "" || b.tenant == "" || strings.Contains(b.repository, "://") {
		return "", nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if above, err := os.Stat(filepath.Dir(filepath.Clean(path))); err != nil || !above.IsDir() {
		return "", nil
	}
	return os.MkdirTemp("", "trellis-plan-")
}

func (b *bundleFlags) plan(ctx context.Context, std streams, s *shelf, args []string) (*bundles.Plan, error) {
	switch {
	case b.remove != "":
		return s.library.PlanDelete(ctx, b.tenant, b.remove)
	case b.version != 0:
		return s.library.PlanRollback(ctx, b.tenant, args[0], b.version)
	}
	source, err := b.sourceOf(std, args[0])
	if err != nil {
		return nil, err
	}
	return s.library.Plan(ctx, b.tenant, source)
}

func applyBundle(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	return flags.onShelf(ctx, std, "apply", true, func(s *shelf) error {
		b, err := flags.sourceOf(std, args[0])
		if err != nil {
			return err
		}
		return applied(std)(s.library.Apply(ctx, flags.tenant, b, flags.options()))
	})
}

func deleteBundle(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	return flags.onShelf(ctx, std, "delete", false, func(s *shelf) error {
		return applied(std)(s.library.Delete(ctx, flags.tenant, args[0], flags.options()))
	})
}

func rollbackBundle(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	if flags.version < 1 {
		return usagef("bundle rollback: give --version N, one that history tells")
	}
	return flags.onShelf(ctx, std, "rollback", false, func(s *shelf) error {
		return applied(std)(s.library.Rollback(ctx, flags.tenant, args[0], flags.version, flags.options()))
	})
}

// applied prints what became of a change.
func applied(std streams) func(bundles.Applied, error) error {
	return func(done bundles.Applied, err error) error {
		if err != nil {
			return err
		}
		return writeDocument(std.out, done)
	}
}

func listBundles(ctx context.Context, std streams, flags *bundleFlags, _ []string) error {
	return flags.onShelf(ctx, std, "list", false, func(s *shelf) error {
		return revisions(std)(s.library.Bundles(ctx, flags.tenant))
	})
}

func historyOfBundle(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	return flags.onShelf(ctx, std, "history", false, func(s *shelf) error {
		return revisions(std)(s.library.History(ctx, flags.tenant, args[0]))
	})
}

// revisions prints a list of revisions.
func revisions(std streams) func([]repository.Revision, error) error {
	return func(list []repository.Revision, err error) error {
		if err != nil {
			return err
		}
		if list == nil {
			list = []repository.Revision{}
		}
		return writeDocument(std.out, list)
	}
}

// An exportReport is the document that bundle export prints.
type exportReport struct {
	Name     string `json:"name"`
	Revision string `json:"revision"`
	Files    int    `json:"files"`
}

// exportBundle writes a bundle's files, or their archive.
func exportBundle(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	if flags.out == "" {
		return usagef("bundle export: where to? Give --out DIR or --out FILE.tar.gz")
	}
	archive := strings.HasSuffix(flags.out, ".tar.gz") || strings.HasSuffix(flags.out, ".tgz")
	if ext := strings.ToLower(filepath.Ext(flags.out)); !archive && slices.Contains([]string{".zip", ".tar", ".gz", ".tgz"}, ext) {
		return usagef("bundle export: archives are written as .tar.gz or .tgz, not as %s", flags.out)
	}
	return flags.onShelf(ctx, std, "export", false, func(s *shelf) error {
		b, err := s.library.Export(ctx, flags.tenant, args[0], flags.version)
		if err != nil {
			return err
		}
		if archive {
			var packed bytes.Buffer
			if err := b.WriteArchive(&packed); err != nil {
				return err
			}
			err = replaceFile(flags.out, packed.Bytes())
		} else {
			err = b.WriteDir(flags.out)
		}
		if err != nil {
			return err
		}
		return writeDocument(std.out, exportReport{b.Name(), b.Revision(), len(b.Files())})
	})
}

// promptOfBundle prints the workflow of a bundle, or of a tenant's view.
func promptOfBundle(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	if len(args) == 1 {
		if flags.repository != "" || flags.tenant != "" || flags.view != "" {
			return usagef("bundle prompt takes a SOURCE, or a --repository and a --tenant")
		}
		return workflowOfBundle(ctx, std, flags, args[0])
	}
	return flags.onShelf(ctx, std, "prompt", false, func(s *shelf) error {
		offered := tools.New(engine.NewFrom(s.library, engine.Options{}), tools.Options{})
		return printWorkflow(graph.WithScope(ctx, &graph.Scope{Tenant: flags.tenant, View: flags.view}), std, offered)
	})
}

// viewsOfTenant shows, checks, applies or deletes a tenant's views.
func viewsOfTenant(ctx context.Context, std streams, flags *bundleFlags, args []string) error {
	verb := args[0]
	if (verb == "apply" || verb == "check") != (len(args) == 2) {
		return usagef("bundle views takes show, history, check FILE, apply FILE or delete")
	}
	switch verb {
	case "show":
		return flags.onShelf(ctx, std, "views show", false, func(s *shelf) error {
			text, err := s.library.ExportViews(ctx, flags.tenant, flags.version)
			if err != nil {
				return err
			}
			_, err = std.out.Write(text)
			return err
		})
	case "history":
		return flags.onShelf(ctx, std, "views history", false, func(s *shelf) error {
			return revisions(std)(s.library.ViewsHistory(ctx, flags.tenant))
		})
	case "delete":
		return flags.onShelf(ctx, std, "views delete", false, func(s *shelf) error {
			return applied(std)(s.library.DeleteViews(ctx, flags.tenant, flags.options()))
		})
	case "check":
		text, err := os.ReadFile(args[1])
		if err != nil {
			return err
		}
		return flags.onShelf(ctx, std, "views check", false, func(s *shelf) error {
			if err := s.library.CheckViews(ctx, flags.tenant, text); err != nil {
				return err
			}
			return writeDocument(std.out, viewsReport{true})
		})
	case "apply":
		text, err := os.ReadFile(args[1])
		if err != nil {
			return err
		}
		return flags.onShelf(ctx, std, "views apply", true, func(s *shelf) error {
			return applied(std)(s.library.ApplyViews(ctx, flags.tenant, text, flags.options()))
		})
	}
	return usagef("there is no verb %q of views; the verbs are show, history, check, apply and delete", verb)
}

// A viewsReport is the document that bundle views check prints of views that fit.
type viewsReport struct {
	Fits bool `json:"fits"`
}
