-- Names, texts and types that are easily got wrong.
CREATE SCHEMA "Odd Schema";
CREATE TYPE mood AS ENUM ('x', 'it''s, "so"', ') ENUM(');
CREATE TYPE blank AS ENUM ('', 'x');
CREATE TABLE "we""ird.table" ("id""x" INTEGER PRIMARY KEY, "sel ect" VARCHAR, c VARCHAR NOT NULL CHECK ("c" IN ('a  b', 'CHECK (')), m mood, b blank, l mood[], f FLOAT, u UBIGINT, h HUGEINT, x TIME, i INTERVAL, s STRUCT(a INTEGER), w MAP(VARCHAR, INTEGER), z TIMESTAMP_NS, bits BIT, d DECIMAL(38,31), g INTEGER GENERATED ALWAYS AS (1) VIRTUAL);
COMMENT ON TABLE "we""ird.table" IS 'x
nodes: {}
"''#';
CREATE TABLE "select" ("from" INTEGER NOT NULL REFERENCES "we""ird.table" ("id""x"), "to" INTEGER NOT NULL REFERENCES "we""ird.table" ("id""x"), PRIMARY KEY ("from", "to"));
CREATE TABLE "Odd Schema"."T" (k UUID PRIMARY KEY, w INTEGER);
CREATE TABLE twice (a INTEGER NOT NULL, b VARCHAR NOT NULL, UNIQUE (a, b));
CREATE UNIQUE INDEX twice_lower ON twice (lower(b));
CREATE TABLE enum_key (m mood PRIMARY KEY);
CREATE TABLE no_key (a INTEGER);
CREATE TEMPORARY TABLE passing (a INTEGER PRIMARY KEY);
CREATE VIEW mv AS SELECT 1 AS id;
CREATE TABLE texts (id VARCHAR PRIMARY KEY, loose VARCHAR COLLATE NOCASE NOT NULL UNIQUE, "looser one" VARCHAR COLLATE NOACCENT.NOCASE);
CREATE TABLE text_refs (id INTEGER PRIMARY KEY, loose VARCHAR REFERENCES texts (loose));
