package repository

import (
	"database/sql"
	"time"
)

// timeLayout has as many digits for every time, so that texts sort as times do.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// A revisionRow is a row of trellis_revisions, all null where a join found none.
type revisionRow struct {
	item, name, applied, author, note, digest sql.NullString
	version, deleted, files, bytes            sql.NullInt64
}

// fields are where to scan the columns that revisionColumns names.
func (r *revisionRow) fields() []any {
	return []any{&r.item, &r.version, &r.name, &r.deleted, &r.applied, &r.author, &r.note, &r.files, &r.bytes, &r.digest}
}

func (r *revisionRow) revision() (Revision, error) {
	applied, err := time.Parse(timeLayout, r.applied.String)
	if err != nil {
		return Revision{}, damaged("the time of %q, version %d, cannot be read", r.item.String, r.version.Int64)
	}
	return Revision{
		Item: r.item.String, Version: r.version.Int64, Revision: r.name.String, Deleted: r.deleted.Int64 != 0, Applied: applied,
		Author: r.author.String, Note: r.note.String, Files: int(r.files.Int64), Bytes: r.bytes.Int64, Digest: r.digest.String,
	}, nil
}

// insertRevision is the statement that writes a revision, of the tenant and
// then of the columns of values.
const insertRevision = `INSERT INTO trellis_revisions (tenant, item, version, revision, deleted, applied, author, note, files, bytes, digest)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (r Revision) values(key string) []any {
	deleted := 0
	if r.Deleted {
		deleted = 1
	}
	return []any{key, r.Item, r.Version, r.Revision, deleted, r.Applied.Format(timeLayout), r.Author, r.Note, r.Files, r.Bytes, r.Digest}
}
