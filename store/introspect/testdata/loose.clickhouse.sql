-- A blog whose tables have an order of rows and nothing else: what refers to what is in the
-- names and the values.
CREATE TABLE posts (id Int32, title String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE tags (name String, hue Nullable(Int32)) ENGINE = MergeTree ORDER BY name;
CREATE TABLE people (id Int32, name String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE post_tags (post_id Int32, tag_name String, place Nullable(Int32)) ENGINE = MergeTree ORDER BY (post_id, tag_name);
CREATE TABLE authors (id Int32, person_id Int32, post_id Int32) ENGINE = MergeTree ORDER BY id;
CREATE TABLE post_people (person_id Int32, post_id Int32) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE visits (id Int32, person_id Int32, post_id Int32, seconds Nullable(Int32)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE votes (id Int32, votable_type String, votable_id Int32) ENGINE = MergeTree ORDER BY id;
CREATE TABLE marks (id Int32, markable_type String, markable_id Int32) ENGINE = MergeTree ORDER BY id;
CREATE TABLE flags (id Int32, flagged_type String, flagged_id Int32, CONSTRAINT c1 CHECK flagged_type IN ('post', 'person')) ENGINE = MergeTree ORDER BY id;
CREATE TABLE links (id Int32, linked_type String, linked_id Int32) ENGINE = MergeTree ORDER BY id;
INSERT INTO posts VALUES (1, 'one'), (2, 'two'), (3, 'three');
INSERT INTO tags VALUES ('red', 1), ('blue', 2);
INSERT INTO people VALUES (1, 'Ada'), (2, 'Bob');
INSERT INTO post_tags VALUES (1, 'red', 1), (1, 'blue', 2), (2, 'red', 1);
INSERT INTO authors VALUES (1, 1, 1), (2, 2, 1), (3, 2, 3);
INSERT INTO post_people VALUES (1, 2), (2, 3);
INSERT INTO visits VALUES (1, 1, 1, 30), (2, 1, 1, 40);
INSERT INTO votes VALUES (1, 'Post', 1), (2, 'Person', 2), (3, 'Post', 2);
INSERT INTO marks VALUES (1, 'Post', 1), (2, 'Post', 99), (3, 'Person', 2);
INSERT INTO flags VALUES (1, 'post', 3), (2, 'person', 77);
INSERT INTO links VALUES (1, 'Post', 88), (2, 'Post', 99), (3, 'Person', 2);
