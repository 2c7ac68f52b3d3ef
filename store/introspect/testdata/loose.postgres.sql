-- A blog whose tables declare keys and nothing else: what refers to what is in the
-- names and the values.
CREATE TABLE posts (id int PRIMARY KEY, title varchar(100) NOT NULL);
CREATE TABLE tags (name varchar(40) PRIMARY KEY, hue int);
CREATE TABLE people (id int PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE post_tags (post_id int NOT NULL, tag_name varchar(40) NOT NULL, place int, PRIMARY KEY (post_id, tag_name));
CREATE TABLE authors (id int PRIMARY KEY, person_id int NOT NULL, post_id int NOT NULL);
CREATE TABLE post_people (person_id int NOT NULL, post_id int NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY, person_id int NOT NULL, post_id int NOT NULL, seconds int);
CREATE TABLE votes (id int PRIMARY KEY, votable_type varchar(20) NOT NULL, votable_id int NOT NULL);
CREATE TABLE marks (id int PRIMARY KEY, markable_type varchar(20) NOT NULL, markable_id int NOT NULL);
CREATE TABLE flags (id int PRIMARY KEY, flagged_type varchar(20) NOT NULL CHECK (flagged_type IN ('post', 'person')), flagged_id int NOT NULL);
CREATE TABLE links (id int PRIMARY KEY, linked_type varchar(20) NOT NULL, linked_id int NOT NULL);
CREATE TABLE people_tags (person_id int NOT NULL, tag_name varchar(40));
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
