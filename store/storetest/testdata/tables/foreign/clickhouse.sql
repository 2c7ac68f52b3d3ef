CREATE TABLE reading (
  id Int64, at Nullable(DateTime64(6, 'Europe/Berlin')), local Nullable(DateTime64(6, 'UTC')), stamp Nullable(DateTime64(6)), day Nullable(DateTime64(6, 'UTC')), price Nullable(Decimal(20, 3)),
  ratio Nullable(Float64), half Nullable(Float32), small Nullable(Int16), state LowCardinality(Nullable(String)), level Nullable(Int8), mood Nullable(Enum8('sad' = 1, 'ok' = 2)), flag Nullable(UInt8),
  code Nullable(UUID), doc Nullable(String), name Nullable(String), note LowCardinality(Nullable(String))) ENGINE = MergeTree ORDER BY id;
INSERT INTO reading SELECT id, fromUnixTimestamp64Micro(at), fromUnixTimestamp64Micro(local), fromUnixTimestamp64Micro(stamp), fromUnixTimestamp64Micro(day * 86400000000), * EXCEPT (id, at, local, stamp, day) FROM values(
  'id Int64, at Nullable(Int64), local Nullable(Int64), stamp Nullable(Int64), day Nullable(Int64), price Nullable(Decimal(20, 3)), ratio Nullable(Float64), half Nullable(Float32), small Nullable(Int16), state Nullable(String), level Nullable(Int8), mood Nullable(String), flag Nullable(UInt8), code Nullable(UUID), doc Nullable(String), name Nullable(String), note Nullable(String)',
  (1, 1792888200000000, 1792895400000000, 1792888200000000, 20751, 10.500, 0.1, 0.5, 7, 'open', 1, 'sad', 1, '0a1b2c3d-0000-4000-8000-00000000000f', '{"a": [1, null]}', 'Anna', 'é'),
  (2, 1792891800000001, 1792895400000001, 1792891800000001, 20752, -0.001, -0.0, 0.25, -7, 'new', 5, 'ok', 0, '0A1B2C3D-0000-4000-8000-00000000000E', '"x"', 'anna', 'e'),
  (3, -62135596800000000, 253402300799999999, 86400000000, -719162, 99999999999.999, 1.7976931348623157e308, -1.5, 32767, 'done', 1, 'ok', 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '[]', 'ánna', 'E'),
  (4, 253402300799999999, -62135596800000000, 2145916800000000, 2932896, 0, 0.30000000000000004, 0, 0, 'open', 5, 'sad', 0, '00000000-0000-0000-0000-000000000000', '7', 'anna ', 'é '),
  (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
CREATE TABLE bad (id Int64, n Nullable(Int64), wide Nullable(UInt64), f Nullable(Float64), state Nullable(String), level Nullable(Int32), day Nullable(DateTime64(6, 'UTC')), at Nullable(DateTime64(6, 'UTC')),
  price Nullable(Decimal(18, 5)), code Nullable(UUID), doc Nullable(String), must Nullable(String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO bad (id, must) SELECT 1, 'x';
INSERT INTO bad (id, n, must) SELECT * FROM values('a Int64, b Int64, c String', (2, 2147483648, 'x'), (3, 7, 'x'));
INSERT INTO bad (id, wide, must) SELECT 4, 9223372036854775808, 'x';
INSERT INTO bad (id, f, must) SELECT * FROM values('a Int64, b Float64, c String', (5, nan, 'x'), (6, -inf, 'x'));
INSERT INTO bad (id, state, level, must) SELECT * FROM values('a Int64, b String, c Int32, d String', (7, 'archived', 9, 'x'), (8, 'Open', -1, 'x'), (9, 'done', 1, 'x'));
INSERT INTO bad (id, day, at, must) SELECT 10, fromUnixTimestamp64Micro(-62167219200000000), fromUnixTimestamp64Micro(-62135596800000001), 'x';
INSERT INTO bad (id, day, at, must) SELECT 11, fromUnixTimestamp64Micro(253402300800000000), fromUnixTimestamp64Micro(253402300800000000), 'x';
INSERT INTO bad (id, price, must) SELECT * FROM values('a Int64, b Decimal(18, 5), c String', (12, 1.005, 'x'), (13, 2.50000, 'x'));
INSERT INTO bad (id, doc, must) SELECT 15, '{', 'x';
INSERT INTO bad (id) SELECT 16;
CREATE DATABASE $other;
CREATE TABLE $other.person (tenant String, code Int64, name String, boss_tenant Nullable(String), boss_code Nullable(Int64)) ENGINE = MergeTree ORDER BY (tenant, code);
INSERT INTO $other.person SELECT * FROM values('a String, b Int64, c String, d Nullable(String), e Nullable(Int64)', ('a', 1, 'Ann', NULL, NULL), ('a', 10, 'Bob', 'a', 1), ('b', 1, 'Cy', 'a', 1), ('b', 2, 'Di', 'b', NULL));
CREATE TABLE $other.took (person_tenant LowCardinality(String), person_code Int64, reading_id Int64) ENGINE = MergeTree ORDER BY (person_tenant, person_code, reading_id);
INSERT INTO $other.took SELECT * FROM values('a String, b Int64, c Int64', ('a', 1, 1), ('a', 1, 2), ('a', 10, 2), ('b', 1, 3));
CREATE TABLE $other.remark (id UInt32, about_type LowCardinality(Nullable(String)), about_id Nullable(UInt32)) ENGINE = MergeTree ORDER BY id;
INSERT INTO $other.remark SELECT * FROM values('a UInt32, b Nullable(String), c Nullable(UInt32)', (1, 'Reading', 1), (2, 'Bad', 1), (3, 'Ghost', 1), (4, NULL, NULL), (5, 'Reading', 1), (6, 'reading', 2));
CREATE TABLE mean (id Int64, n Nullable(Int64), price Nullable(Decimal(20, 2)), body Nullable(String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO mean SELECT id, n, price, if(isNull(tail), NULL, concat(repeat('x', 2000), tail)) FROM values('id Int64, n Nullable(Int64), price Nullable(Decimal(20, 2)), tail Nullable(String)', (1, 0, 7.49, 'b'), (2, -1, 7.50, 'a'), (3, 4, 7.50, NULL), (4, 5, NULL, NULL), (5, 3, NULL, NULL), (6, -1, NULL, NULL));
CREATE TABLE single (id Int64, f Nullable(Float32)) ENGINE = MergeTree ORDER BY id;
INSERT INTO single SELECT * FROM values('a Int64, b Nullable(Float32)', (1, 0.1), (2, 0.3), (3, 16777217), (4, -0.7), (5, 3.4028234663852886e38), (6, 0.1), (7, NULL));
