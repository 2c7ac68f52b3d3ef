-- Names, texts and types that are easily got wrong.
CREATE DOMAIN code AS varchar(8) CHECK (value IN ('a', 'b'));
CREATE DOMAIN positive AS int CHECK (value > 0);
CREATE SCHEMA "Odd Schema";
CREATE TABLE "we""ird.table" ("id""x" int PRIMARY KEY, "sel ect" text, c code NOT NULL, p positive, n numeric(5,-2), m money, short char(3), g int GENERATED ALWAYS AS (1) STORED);
COMMENT ON TABLE "we""ird.table" IS E'x\nnodes: {}\n"''#';
CREATE TABLE "Odd Schema"."T" (k uuid PRIMARY KEY, w int REFERENCES "we""ird.table");
CREATE TABLE part (id int, d date, PRIMARY KEY (id, d)) PARTITION BY RANGE (d);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE uniq (a int NOT NULL, b text NOT NULL, UNIQUE (a, b));
CREATE TYPE mood AS ENUM ('x');
CREATE TABLE enum_key (m mood PRIMARY KEY);
CREATE TABLE "Part" (id int PRIMARY KEY, "User" int, "user" int);
CREATE MATERIALIZED VIEW mv AS SELECT 1 AS id;
CREATE EXTENSION citext;
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE texts (id text PRIMARY KEY, ci citext NOT NULL UNIQUE, loose text COLLATE loose NOT NULL UNIQUE);
CREATE TABLE text_refs (id int PRIMARY KEY, ci citext REFERENCES texts (ci), loose text COLLATE loose REFERENCES texts (loose));
