CREATE TYPE mood AS ENUM ('ok', 'sad');
CREATE TABLE reading (
  id BIGINT PRIMARY KEY, "at" TIMESTAMPTZ, local TIMESTAMP, stamp TIMESTAMPTZ, day DATE, price DECIMAL(20,3), ratio DOUBLE, half FLOAT,
  small SMALLINT, state VARCHAR, level TINYINT, mood mood, flag BOOLEAN, code UUID, doc JSON, name VARCHAR, note VARCHAR);
CREATE INDEX reading_name ON reading (name);
INSERT INTO reading VALUES
  (1, '2026-10-25 00:30:00+00', '2026-10-25 02:30:00', '2026-10-25 00:30:00+00', '2026-10-25', 10.500, 0.1, 0.5, 7, 'open', 1, 'sad', true, '0a1b2c3d-0000-4000-8000-00000000000f', '{"a": [1, null]}', 'Anna', 'é'),
  (2, '2026-10-25 01:30:00.000001+00', '2026-10-25 02:30:00.000001', '2026-10-25 01:30:00.000001+00', '2026-10-26', -0.001, -0.0::DOUBLE, 0.25, -7, 'new', 5, 'ok', false, '0A1B2C3D-0000-4000-8000-00000000000E', '"x"', 'anna', 'e'),
  (3, '0001-01-01 00:00:00+00', '9999-12-31 23:59:59.999999', '1970-01-02 00:00:00+00', '0001-01-01', 99999999999.999, 1.7976931348623157e308, -1.5, 32767, 'done', 1, 'ok', true, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '[]', 'ánna', 'E'),
  (4, '9999-12-31 23:59:59.999999+00', '0001-01-01 00:00:00', '2038-01-01 00:00:00+00', '9999-12-31', 0, 0.30000000000000004, 0, 0, 'open', 5, 'sad', false, '00000000-0000-0000-0000-000000000000', '7', 'anna ', 'é '),
  (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE bad (id BIGINT PRIMARY KEY, n BIGINT, wide UBIGINT, f DOUBLE, state VARCHAR, level INTEGER, day DATE, "at" TIMESTAMP, price DECIMAL(18,5), code UUID, doc JSON, must VARCHAR);
INSERT INTO bad (id, must) VALUES (1, 'x');
INSERT INTO bad (id, n, must) VALUES (2, 2147483648, 'x'), (3, 7, 'x');
INSERT INTO bad (id, wide, must) VALUES (4, 9223372036854775808, 'x');
INSERT INTO bad (id, f, must) VALUES (5, 'NaN', 'x'), (6, '-Infinity', 'x');
INSERT INTO bad (id, state, level, must) VALUES (7, 'archived', 9, 'x'), (8, 'Open', -1, 'x'), (9, 'done', 1, 'x');
INSERT INTO bad (id, day, "at", must) VALUES (10, 'infinity', '-infinity', 'x'), (11, '0044-03-15 (BC)', '10000-01-01 00:00:00', 'x');
INSERT INTO bad (id, price, must) VALUES (12, 1.005, 'x'), (13, 2.50000, 'x');
INSERT INTO bad (id) VALUES (16);
CREATE SCHEMA $other;
CREATE TABLE $other.person (tenant VARCHAR, code BIGINT, name VARCHAR NOT NULL, boss_tenant VARCHAR, boss_code BIGINT, PRIMARY KEY (tenant, code));
INSERT INTO $other.person VALUES ('a', 1, 'Ann', NULL, NULL), ('a', 10, 'Bob', 'a', 1), ('b', 1, 'Cy', 'a', 1), ('b', 2, 'Di', 'b', NULL);
CREATE TABLE $other.took (person_tenant VARCHAR, person_code BIGINT, reading_id BIGINT, PRIMARY KEY (person_tenant, person_code, reading_id));
INSERT INTO $other.took VALUES ('a', 1, 1), ('a', 1, 2), ('a', 10, 2), ('b', 1, 3);
CREATE TABLE $other.remark (id BIGINT PRIMARY KEY, about_type VARCHAR, about_id BIGINT);
INSERT INTO $other.remark VALUES (1, 'Reading', 1), (2, 'Bad', 1), (3, 'Ghost', 1), (4, NULL, NULL), (5, 'Reading', 1), (6, 'reading', 2);
CREATE TABLE mean (id BIGINT PRIMARY KEY, n BIGINT, price DECIMAL(20,2), body VARCHAR);
INSERT INTO mean VALUES (1, 0, 7.49, repeat('x', 2000) || 'b'), (2, -1, 7.50, repeat('x', 2000) || 'a'), (3, 4, 7.50, NULL), (4, 5, NULL, NULL), (5, 3, NULL, NULL), (6, -1, NULL, NULL);
CREATE TABLE single (id BIGINT PRIMARY KEY, f FLOAT);
INSERT INTO single VALUES (1, 0.1), (2, 0.3), (3, 16777217), (4, -0.7), (5, 3.4028234663852886e38), (6, 0.1), (7, NULL);
