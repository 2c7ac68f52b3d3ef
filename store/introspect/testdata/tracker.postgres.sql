-- An issue tracker: a tenant in every key, several keys to one table, notes of
-- several kinds of things, labels, a hierarchy; and what is not declared.
CREATE TABLE tenants (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE users (
	tenant_id integer REFERENCES tenants,
	id integer,
	username text NOT NULL,
	state text NOT NULL CHECK (state IS NULL OR state IN ('active', 'blocked', 'it''s: "odd", #1')),
	PRIMARY KEY (tenant_id, id)
);
CREATE TABLE projects (id integer PRIMARY KEY, name text NOT NULL, owner_team_id integer);
CREATE TABLE teams (id integer PRIMARY KEY, name text NOT NULL, parent_id integer);
CREATE TABLE milestones (id integer PRIMARY KEY, project_id integer NOT NULL REFERENCES projects, due date);
CREATE TABLE issues (
	id integer PRIMARY KEY,
	tenant_id integer NOT NULL,
	author_id integer NOT NULL,
	assignee_id integer,
	project_id integer NOT NULL REFERENCES projects,
	milestone_id integer REFERENCES milestones,
	duplicate_of_id integer REFERENCES issues,
	title text NOT NULL,
	external_ref text UNIQUE,
	FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id),
	FOREIGN KEY (tenant_id, assignee_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE merge_requests (id integer PRIMARY KEY, project_id integer NOT NULL REFERENCES projects, title text NOT NULL);
CREATE TABLE epics (id integer PRIMARY KEY, title text NOT NULL);
CREATE TABLE notes (
	id integer PRIMARY KEY,
	noteable_type text NOT NULL,
	noteable_id integer NOT NULL,
	body text NOT NULL
);
CREATE TABLE events (
	id integer PRIMARY KEY,
	target_type text,
	target_id bigint,
	event_type text,
	event_id integer
);
CREATE TABLE labels (id integer PRIMARY KEY, name text NOT NULL, rank integer CHECK (rank IN (1, 2, -3)), weight integer CHECK (weight > 0 AND weight < 10));
CREATE TABLE issue_labels (id integer PRIMARY KEY, issue_id integer NOT NULL REFERENCES issues, label_id integer NOT NULL REFERENCES labels);
CREATE TABLE issue_links (
	source_id integer NOT NULL REFERENCES issues,
	target_id integer NOT NULL REFERENCES issues,
	link_type text NOT NULL CHECK (link_type IN ('blocks', 'relates')),
	PRIMARY KEY (source_id, target_id)
);
CREATE TABLE subscriptions (
	tenant_id integer,
	user_id integer,
	project_id integer REFERENCES projects,
	level integer NOT NULL DEFAULT 0 CHECK (level = 0 OR level IN (1, 2, 3)),
	PRIMARY KEY (tenant_id, user_id, project_id),
	FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE approvals (
	merge_request_id integer REFERENCES merge_requests,
	tenant_id integer,
	user_id integer,
	rule_id integer,
	PRIMARY KEY (merge_request_id, tenant_id, user_id, rule_id),
	FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE TABLE external_things (ref text REFERENCES issues (external_ref), n integer PRIMARY KEY);

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
