-- An issue tracker: a tenant in every key, several keys to one table, notes of
-- several kinds of things, labels, a hierarchy; and what is not declared.
CREATE TABLE tenants (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE users (
	tenant_id int REFERENCES tenants (id),
	id int,
	username text NOT NULL,
	state varchar(40) NOT NULL CHECK (state IS NULL OR state IN ('active', 'blocked', 'it''s: "odd", #1')),
	PRIMARY KEY (tenant_id, id)
);
CREATE TABLE projects (id int PRIMARY KEY, name text NOT NULL, owner_team_id int);
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL, parent_id int);
CREATE TABLE milestones (id int PRIMARY KEY, project_id int NOT NULL REFERENCES projects (id), due date);
CREATE TABLE issues (
	id int PRIMARY KEY,
	tenant_id int NOT NULL,
	author_id int NOT NULL,
	assignee_id int,
	project_id int NOT NULL REFERENCES projects (id),
	milestone_id int REFERENCES milestones (id),
	duplicate_of_id int REFERENCES issues (id),
	title text NOT NULL,
	external_ref varchar(50) UNIQUE,
	FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id),
	FOREIGN KEY (tenant_id, assignee_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE merge_requests (id int PRIMARY KEY, project_id int NOT NULL REFERENCES projects (id), title text NOT NULL);
CREATE TABLE epics (id int PRIMARY KEY, title text NOT NULL);
CREATE TABLE notes (
	id int PRIMARY KEY,
	noteable_type text NOT NULL,
	noteable_id int NOT NULL,
	body text NOT NULL
);
CREATE TABLE events (
	id int PRIMARY KEY,
	target_type text,
	target_id bigint,
	event_type text,
	event_id int
);
CREATE TABLE labels (id int PRIMARY KEY, name text NOT NULL, `rank` int CHECK (`rank` IN (1, 2, -3)), weight int COMMENT 'How much it counts' CHECK (weight > 0 AND weight < 10));
CREATE TABLE issue_labels (id int PRIMARY KEY, issue_id int NOT NULL REFERENCES issues (id), label_id int NOT NULL REFERENCES labels (id));
CREATE TABLE issue_links (
	source_id int NOT NULL REFERENCES issues (id),
	target_id int NOT NULL REFERENCES issues (id),
	link_type text NOT NULL CHECK (link_type IN ('blocks', 'relates')),
	PRIMARY KEY (source_id, target_id)
);
CREATE TABLE subscriptions (
	tenant_id int,
	user_id int,
	project_id int REFERENCES projects (id),
	level int NOT NULL DEFAULT 0 CHECK (level = 0 OR level IN (1, 2, 3)),
	PRIMARY KEY (tenant_id, user_id, project_id),
	FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE approvals (
	merge_request_id int REFERENCES merge_requests (id),
	tenant_id int,
	user_id int,
	rule_id int,
	PRIMARY KEY (merge_request_id, tenant_id, user_id, rule_id),
	FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE external_things (ref varchar(50) REFERENCES issues (external_ref), n int PRIMARY KEY);

INSERT INTO tenants VALUES (1, 'acme');
INSERT INTO users VALUES (1, 1, 'ada', 'active'), (1, 2, 'bob', 'blocked');
INSERT INTO projects VALUES (1, 'engine', 1), (2, 'docs', 2);
INSERT INTO teams VALUES (1, 'core', NULL), (2, 'web', 1);
INSERT INTO milestones VALUES (1, 1, '2026-12-01');
INSERT INTO issues VALUES (1, 1, 1, 2, 1, 1, NULL, 'crash', 'X-1'), (2, 1, 2, NULL, 1, NULL, 1, 'crash again', NULL);
INSERT INTO merge_requests VALUES (1, 1, 'fix');
INSERT INTO epics VALUES (1, 'big');
INSERT INTO notes VALUES (1, 'Issue', 1, 'me too'), (2, 'MergeRequest', 1, 'nice'), (3, 'Tracker::Epic', 1, 'soon'), (4, 'Issue', 2, 'again');
INSERT INTO events VALUES (1, 'Issue', 1, 'push', 7), (2, 'Wiki', 9, 'merge', 8), (3, 'User', 1, NULL, NULL);
INSERT INTO labels VALUES (1, 'bug', 2, NULL);
INSERT INTO issue_labels VALUES (1, 1, 1), (2, 2, 1);
INSERT INTO issue_links VALUES (1, 2, 'blocks');
INSERT INTO subscriptions VALUES (1, 1, 1, 3);
INSERT INTO approvals VALUES (1, 1, 2, 1);
INSERT INTO external_things VALUES ('X-1', 1);
