-- An issue tracker: a tenant in every key, several keys to one table, notes of
-- several kinds of things, labels, a hierarchy; and what is not declared.
CREATE TABLE tenants (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE users (
	tenant_id INTEGER REFERENCES tenants,
	id INTEGER,
	username TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IS NULL OR state IN ('active', 'blocked', 'it''s: "odd", #1')),
	PRIMARY KEY (tenant_id, id)
);
CREATE TABLE projects (id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner_team_id INTEGER);
CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER);
CREATE TABLE milestones (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects, due DATE);
CREATE TABLE issues (
	id INTEGER PRIMARY KEY,
	tenant_id INTEGER NOT NULL,
	author_id INTEGER NOT NULL,
	assignee_id INTEGER,
	project_id INTEGER NOT NULL REFERENCES projects,
	milestone_id INTEGER REFERENCES milestones,
	duplicate_of_id INTEGER REFERENCES issues,
	title TEXT NOT NULL,
	external_ref TEXT UNIQUE,
	FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id),
	FOREIGN KEY (tenant_id, assignee_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE merge_requests (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects, title TEXT NOT NULL);
CREATE TABLE epics (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE notes (
	id INTEGER PRIMARY KEY,
	noteable_type TEXT NOT NULL,
	noteable_id INTEGER NOT NULL,
	body TEXT NOT NULL
);
CREATE TABLE events (
	id INTEGER PRIMARY KEY,
	target_type TEXT,
	target_id BIGINT,
	event_type TEXT,
	event_id INTEGER
);
CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT NOT NULL, rank INTEGER CHECK (rank IN (1, 2, -3)), weight INTEGER CHECK (weight > 0 AND weight < 10));
CREATE TABLE issue_labels (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL REFERENCES issues, label_id INTEGER NOT NULL REFERENCES labels);
CREATE TABLE issue_links (
	source_id INTEGER NOT NULL REFERENCES issues,
	target_id INTEGER NOT NULL REFERENCES issues,
	link_type TEXT NOT NULL CHECK (link_type IN ('blocks', 'relates')),
	PRIMARY KEY (source_id, target_id)
);
CREATE TABLE subscriptions (
	tenant_id INTEGER,
	user_id INTEGER,
	project_id INTEGER REFERENCES projects,
	level INTEGER NOT NULL DEFAULT 0 CHECK (level = 0 OR level IN (1, 2, 3)),
	PRIMARY KEY (tenant_id, user_id, project_id),
	FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE approvals (
	merge_request_id INTEGER REFERENCES merge_requests,
	tenant_id INTEGER,
	user_id INTEGER,
	rule_id INTEGER,
	PRIMARY KEY (merge_request_id, tenant_id, user_id, rule_id),
	FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE external_things (ref TEXT REFERENCES issues (external_ref), n INTEGER PRIMARY KEY);

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
