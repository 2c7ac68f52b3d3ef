CREATE TABLE reading (
  id INTEGER PRIMARY KEY, at TEXT, local DATETIME, stamp TIMESTAMP, day DATE, price NUMERIC, ratio DOUBLE, half REAL, small SMALLINT,
  state VARCHAR(20) COLLATE NOCASE, level TINYINT, mood TEXT CHECK (mood IN ('sad', 'ok')), flag BOOLEAN, code TEXT, doc JSON, name TEXT COLLATE NOCASE, note TEXT COLLATE RTRIM);
CREATE INDEX reading_name ON reading (name);
INSERT INTO reading VALUES
  (1, '2026-10-25 00:30:00', '2026-10-25 02:30:00', '2026-10-25 00:30:00', '2026-10-25', 10.500, 0.1, 0.5, 7, 'open', 1, 'sad', 1, '0a1b2c3d-0000-4000-8000-00000000000f', '{"a": [1, null]}', 'Anna', 'é'),
  (2, '2026-10-25 01:30:00.000001', '2026-10-25 02:30:00.000001', '2026-10-25 01:30:00.000001', '2026-10-26', -0.001, -0.0, 0.25, -7, 'new', 5, 'ok', 0, '0a1b2c3d-0000-4000-8000-00000000000e', '"x"', 'anna', 'e'),
  (3, '0001-01-01 00:00:00', '9999-12-31 23:59:59.999999', '1970-01-02 00:00:00', '0001-01-01', 99999999999.999, 1.7976931348623157e308, -1.5, 32767, 'done', 1, 'ok', 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '[]', 'ánna', 'E'),
  (4, '9999-12-31 23:59:59.999999', '0001-01-01 00:00:00', '2038-01-01 00:00:00', '9999-12-31', 0, 0.30000000000000004, 0, 0, 'open', 5, 'sad', 0, '00000000-0000-0000-0000-000000000000', '7', 'anna ', 'é '),
  (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE bad (id INTEGER PRIMARY KEY, n INTEGER, wide INTEGER, f REAL, state TEXT, level INTEGER, day TEXT, at TEXT, price TEXT, code TEXT, doc TEXT, must TEXT);
INSERT INTO bad (id, must) VALUES (1, 'x');
INSERT INTO bad (id, n, must) VALUES (2, 2147483648, 'x'), (3, 7, 'x');
INSERT INTO bad (id, wide, must) VALUES (4, 9223372036854775808, 'x');
INSERT INTO bad (id, f, must) VALUES (6, -9e999, 'x');
INSERT INTO bad (id, state, level, must) VALUES (7, 'archived', 9, 'x'), (8, 'Open', -1, 'x'), (9, 'done', 1, 'x');
INSERT INTO bad (id, day, at, must) VALUES (10, '0000-00-00', '0000-00-00 00:00:00', 'x'), (11, '10000-01-01', '10000-01-01 00:00:00', 'x');
INSERT INTO bad (id, price, must) VALUES (12, '1.005', 'x'), (13, '2.50000', 'x'), (17, 'NaN', 'x');
INSERT INTO bad (id, code, must) VALUES (14, 'no uuid', 'x');
INSERT INTO bad (id, doc, must) VALUES (15, '{', 'x');
INSERT INTO bad (id) VALUES (16);
CREATE TABLE `$other.person` (tenant TEXT, code INTEGER, name TEXT NOT NULL, boss_tenant TEXT, boss_code INTEGER, PRIMARY KEY (tenant, code));
INSERT INTO `$other.person` VALUES ('a', 1, 'Ann', NULL, NULL), ('a', 10, 'Bob', 'a', 1), ('b', 1, 'Cy', 'a', 1), ('b', 2, 'Di', 'b', NULL);
CREATE TABLE `$other.took` (person_tenant TEXT, person_code INTEGER, reading_id INTEGER, PRIMARY KEY (person_tenant, person_code, reading_id));
INSERT INTO `$other.took` VALUES ('a', 1, 1), ('a', 1, 2), ('a', 10, 2), ('b', 1, 3);
CREATE TABLE `$other.remark` (id INTEGER PRIMARY KEY, about_type TEXT COLLATE NOCASE, about_id INTEGER);
INSERT INTO `$other.remark` VALUES (1, 'Reading', 1), (2, 'Bad', 1), (3, 'Ghost', 1), (4, NULL, NULL), (5, 'Reading', 1), (6, 'reading', 2);
CREATE TABLE mean (id INTEGER PRIMARY KEY, n BIGINT, price DECIMAL(20,2), body TEXT);
INSERT INTO mean VALUES (1, 0, 7.49, replace(printf('%2000s', ''), ' ', 'x') || 'b'), (2, -1, 7.50, replace(printf('%2000s', ''), ' ', 'x') || 'a'), (3, 4, 7.50, NULL), (4, 5, NULL, NULL), (5, 3, NULL, NULL), (6, -1, NULL, NULL);
CREATE TABLE single (id INTEGER PRIMARY KEY, f REAL);
INSERT INTO single VALUES (1, 0.10000000149011612), (2, 0.30000001192092896), (3, 16777216), (4, -0.699999988079071), (5, 3.4028234663852886e38), (6, 0.10000000149011612), (7, NULL);
