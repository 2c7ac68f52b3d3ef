-- Names, texts and types that are easily got wrong.
CREATE TABLE "we""ird.table" ("id""x" INTEGER PRIMARY KEY, [sel ect] TEXT, `c` TEXT CHECK ("c" IN ('a  b', 'CHECK (')), f FLOATING POINT, n BLOB, u, x TIME, d DECIMAL(9), g INTEGER GENERATED ALWAYS AS (1) VIRTUAL);
CREATE TABLE "select" ("from" INTEGER NOT NULL REFERENCES "WE""IRD.TABLE", "to" INTEGER NOT NULL REFERENCES "we""ird.table" ("ID""X"), PRIMARY KEY ("from", "to")) WITHOUT ROWID;
CREATE TABLE twice (a INTEGER NOT NULL, b TEXT NOT NULL, UNIQUE (a, b));
CREATE UNIQUE INDEX twice_lower ON twice (lower(b));
CREATE UNIQUE INDEX twice_some ON twice (a) WHERE a > 1;
CREATE TABLE no_key (a INTEGER);
CREATE VIEW mv AS SELECT 1 AS id;
CREATE TABLE texts (id TEXT NOT NULL PRIMARY KEY, loose TEXT NOT NULL DEFAULT ('collate x, y') collate NoCase UNIQUE, [ends here] TEXT COLLATE "RTRIM", same TEXT COLLATE BINARY, CHECK (id = id COLLATE NOCASE));
CREATE TABLE text_refs (id INTEGER PRIMARY KEY, loose TEXT REFERENCES texts (loose));
