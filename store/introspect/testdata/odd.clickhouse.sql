-- Names, texts and types that are easily got wrong.
CREATE TABLE `we``ird.table` (
	`id"x` Int32, `sel ect` String, `back\\slash` Int32, c String, m Enum16('x' = -5, 'it\'s, "so" = 7' = 0, ') Enum8(\'' = 3), l LowCardinality(Nullable(String)), fixed FixedString(3),
	u UInt64, w UInt256, f BFloat16, ip IPv4, a Array(Nullable(String)), t Tuple(x Int32, y String), p Map(String, Int32), n DateTime64(9), z DateTime64(0, 'Asia/Kolkata'), day Date, far Date32,
	huge Decimal(76, 10), fine Decimal(40, 3), narrow Decimal32(4), yes Bool, blank Enum8('' = 1), q Nullable(Bool), v Int32 ALIAS u + 1, e String EPHEMERAL, m1 Int32 MATERIALIZED 1, s SimpleAggregateFunction(max, Int32),
	CONSTRAINT `CHECK` CHECK c IN ('a, b', 'CHECK ('), CONSTRAINT sum CHECK (`id"x` + u) > (1 - 1)
) ENGINE = MergeTree ORDER BY `id"x` COMMENT 'x
nodes: {}
"''#';
CREATE TABLE `select` (`from` Int32, `to` Int32) ENGINE = MergeTree ORDER BY (`from`, `to`);
CREATE TABLE turned (id Int32, at DateTime) ENGINE = MergeTree ORDER BY (id DESC, at) SETTINGS allow_experimental_reverse_key = 1;
CREATE TABLE maybe (id Nullable(Int32)) ENGINE = MergeTree ORDER BY id SETTINGS allow_nullable_key = 1;
CREATE TABLE enum_key (m Enum8('x' = 1)) ENGINE = MergeTree ORDER BY m;
CREATE TABLE unsorted (id Int32) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE hashed (id Int32, at DateTime) ENGINE = MergeTree ORDER BY (cityHash64(id), id);
CREATE TABLE case_differs (id Int32, ID Int32) ENGINE = MergeTree ORDER BY id;
CREATE TABLE no_key (a Int32) ENGINE = Memory;
CREATE TABLE card (id UInt64) ENGINE = MergeTree ORDER BY id;
CREATE TABLE holder (id Int64, card_id Int64, first_card_id Nullable(UInt32)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE both AS no_key ENGINE = Merge(currentDatabase(), '^no_key$');
CREATE VIEW mv AS SELECT toInt32(1) AS id;
