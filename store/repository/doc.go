// Package repository keeps the bundles of tenants, in their last revisions.
//
//	repo, err := repository.Folder("/var/lib/trellis", repository.Options{})
//	state, err := repository.Update(ctx, repo, "acme", func(now repository.State) (repository.Change, error) {
//		if r, ok := now.Item("catalog"); ok && r.Revision == b.Revision() {
//			return repository.Change{}, nil // it is so already
//		}
//		return repository.Change{Item: "catalog", Revision: b.Revision(), Files: files}, nil
//	})
//	files, err := repo.Content(ctx, "acme", "catalog", 1)
//
// There are two, which behave alike: a Folder, which needs nothing else, and SQL,
// the tables of a PostgreSQL, MariaDB, MySQL or SQLite database. They know
// nothing of what the files mean; see store/bundles for that.
//
// # Versions
//
// A tenant has items: bundles, and what else there is of a tenant under a name
// that begins with "@". Each change makes a revision of one item, and moves the
// version of the tenant's state by one. A change says which version it was made
// for, and is a CONFLICT otherwise: so whoever has checked a bundle against the
// tenant's others knows that they are still the same when it is written. A
// deletion is a revision too, so that history tells of it, and what was deleted
// can be had again. Of each item the last 100 revisions are kept, or Options.Keep.
//
// # Durability
//
// A change is there as a whole or not at all, whatever happens in between: the
// process is killed, the power fails, the disk is full. In a folder the content
// is written under a name that nobody reads yet, brought to the disk, renamed,
// and then the tenant's state file is replaced in the same way; that is the
// moment of the change. In a database it is one transaction. What a crash
// leaves behind is swept up by the tenant's next change.
package repository
