-- Names, texts and types that are easily got wrong.
CREATE TABLE `we``ird` (
	id bigint unsigned PRIMARY KEY, e enum('a', ''), e2 enum('a\\b', 'it''s', 'c"d'), s varchar(10) CHECK (s IN ('q\'r', 't\\u')),
	b bit(1), t time, stamp timestamp NULL, y year, bin binary(16)
) COMMENT = 'line1
line2: {x} # \'q\' \\';
CREATE TABLE `select` (`from` int, `to` int, w bigint unsigned, PRIMARY KEY (`from`, `to`), FOREIGN KEY (w) REFERENCES `we``ird` (id));
CREATE TABLE prefixed (v varchar(3000) NOT NULL, id int PRIMARY KEY, UNIQUE (v(10)));
CREATE TABLE no_key (a int, UNIQUE (a));
CREATE TABLE versioned (id int PRIMARY KEY) WITH SYSTEM VERSIONING;
CREATE TABLE parts (id int PRIMARY KEY, kind_type enum('prefixed', 'versioned'), kind_id int, previous_part_id int);
CREATE VIEW mv AS SELECT id FROM prefixed;
CREATE TABLE texts (
	id varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PRIMARY KEY, old varchar(10) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL UNIQUE,
	three enum('x') CHARACTER SET utf8mb3, loose text CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, looser text CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci
);
CREATE TABLE text_refs (id int PRIMARY KEY, old varchar(10) CHARACTER SET latin1 COLLATE latin1_bin, FOREIGN KEY (old) REFERENCES texts (old));
