// Package introspect reads what a live database says of itself and drafts a
// schema of it for review: labels of tables with a primary key, relationships of
// foreign keys, of tables that only join two others and of columns that name a
// table, if the database lists the names or its rows bear them out, enums of the database's own enums and of checks that list texts,
// descriptions of comments and of checks that bound or list numbers. A list of
// integers may be an enum, too, whose values only a person can name: it is proposed
// in a comment.
//
//	draft, err := introspect.Read(ctx, db, introspect.Options{})
//	...
//	os.WriteFile("schema.yaml", draft.YAML(), 0o644)
//
// What cannot be mapped is left out and told in the file's comments, with the
// reason. Relationships that nothing declares but names and values suggest are
// there too, commented out, with a confidence; a table that looks like a join of
// two others is a label, too, in whose place the relationship can be. The same database gives the same
// bytes.
//
// Check compares a schema with the database that it describes, and tells where
// the database has moved away from it.
//
// MariaDB, MySQL, PostgreSQL, SQLite, DuckDB and ClickHouse describe themselves in
// their own ways; one file for each turns that into a neutral Catalog, and all else
// goes by the Catalog alone. Nothing is written, and no value of the database is
// ever part of a statement; names in statements are quoted.
package introspect
