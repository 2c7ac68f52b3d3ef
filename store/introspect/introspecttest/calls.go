package introspecttest

// calls have the same answers on every engine, by what was inserted.
var calls = map[string][][3]string{
	"shop": {
		{"find_nodes", `{"node_label": "orders", "filters": {"state": {"in": ["paid", "shipped"]}}, "properties": ["state"], "order_by": [{"property": "state"}]}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"find_nodes", `{"node_label": "orders", "properties": [], "order_by": [{"property": "state", "direction": "desc"}]}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8, orders 6ba7b810-9dad-11d1-80b4-00c04fd430c9"},
		{"find_nodes", `{"node_label": "orders", "properties": [], "where": "state != 'paid'"}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c9"},
		{"find_nodes", `{"node_label": "customers", "properties": [], "filters": {"tier": "new"}}`, "customers 2"},
		{"find_nodes", `{"node_label": "products", "properties": [], "filters": {"price": {"lt": 10}}}`, "products N-1"},
		{"traverse_relationships", `{"from": {"label": "customers", "ids": [1]}, "relationships": [{"type": "CUSTOMER", "direction": "incoming"}], "to": {"label": "orders"}, "connections": false}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"traverse_relationships", `{"from": {"label": "orders"}, "relationships": [{"type": "SHIPPING_ADDRESS"}], "to": {"label": "addresses"}, "connections": false}`, "addresses 2"},
		{"traverse_relationships", `{"from": {"label": "warehouses"}, "relationships": [{"type": "LEVELS", "filters": {"amount": {"gt": 0}}}], "to": {"label": "products"}, "connections": false}`, "products H-1"},
		{"find_nodes", `{"node_label": "order_lines", "properties": [], "related": [{"relationships": [{"type": "PRODUCT", "to": {"label": "products", "ids": ["N-1"]}}]}]}`, `order_lines ["6ba7b810-9dad-11d1-80b4-00c04fd430c8","2"]`},
		{"find_nodes", `{"node_label": "good_customers", "properties": []}`, "good_customers 1"},
	},
	"music": {
		{"traverse_relationships", `{"from": {"label": "playlist"}, "relationships": [{"type": "PLAYLIST_TRACK", "filters": {"from_value": "Ada"}}], "to": {"label": "track"}, "connections": false}`, "track 1"},
		{"traverse_relationships", `{"from": {"label": "employee", "ids": [2]}, "relationships": [{"type": "REPORTS_TO"}], "to": {"label": "employee"}, "connections": false}`, "employee 1"},
		{"traverse_relationships", `{"from": {"label": "copy"}, "relationships": [{"type": "PRESSING"}], "to": {"label": "pressing"}, "connections": false}`, `pressing ["1","2"]`},
		{"find_nodes", `{"node_label": "copy", "properties": [], "filters": {"grade": "mint"}}`, "copy 1"},
		{"find_nodes", `{"node_label": "artist", "properties": [], "related": [{"relationships": [{"type": "ARTIST_GENRE", "filters": {"weight": {"lt": 0.3}}}]}]}`, "artist 1"},
	},
	"tracker": {
		{"traverse_relationships", `{"from": {"label": "notes"}, "relationships": [{"type": "NOTEABLE"}], "to": {"label": "issues"}, "connections": false}`, "issues 1, issues 2"},
		{"traverse_relationships", `{"from": {"label": "notes"}, "relationships": [{"type": "NOTEABLE"}], "to": {"label": "epics"}, "connections": false}`, "epics 1"},
		{"traverse_relationships", `{"from": {"label": "issues"}, "relationships": [{"type": "ASSIGNEE"}], "to": {"label": "users"}, "connections": false}`, `users ["1","2"]`},
		{"traverse_relationships", `{"from": {"label": "users"}, "relationships": [{"type": "SUBSCRIPTIONS"}], "to": {"label": "projects"}, "connections": false}`, "projects 1"},
		{"find_paths", `{"from": {"label": "issues", "node_id": 1}, "to": {"label": "issues", "node_id": 2}, "relationship_types": ["ISSUE_LINKS"]}`, "issues 1, issues 2"},
	},
}

// undeclaredCalls are of what is inferred where nothing is declared: nodes that
// join others are nodes, and names are other ones.
var undeclaredCalls = map[string][][3]string{
	"shop": {
		{"find_nodes", `{"node_label": "orders", "filters": {"state": {"in": ["paid", "shipped"]}}, "properties": ["state"], "order_by": [{"property": "state"}]}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"find_nodes", `{"node_label": "orders", "properties": [], "order_by": [{"property": "state", "direction": "desc"}]}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8, orders 6ba7b810-9dad-11d1-80b4-00c04fd430c9"},
		{"find_nodes", `{"node_label": "orders", "properties": ["placed_at"], "filters": {"placed_at": "2026-11-21T10:30:00+01:00"}}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"find_nodes", `{"node_label": "customers", "properties": [], "filters": {"tier": "new"}}`, "customers 2"},
		{"find_nodes", `{"node_label": "products", "properties": [], "filters": {"price": {"lt": 10}}}`, "products N-1"},
		{"find_nodes", `{"node_label": "reviews", "properties": [], "filters": {"stars": {"gte": 5}}}`, "reviews 1"},
		{"traverse_relationships", `{"from": {"label": "customers", "ids": [1]}, "relationships": [{"type": "ORDERS_CUSTOMER", "direction": "incoming"}], "to": {"label": "orders"}, "connections": false}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"traverse_relationships", `{"from": {"label": "orders"}, "relationships": [{"type": "SHIPPING_ADDRESS"}], "to": {"label": "addresses"}}`, "addresses 2, orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"traverse_relationships", `{"from": {"label": "orders", "ids": ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"]}, "relationships": [{"type": "ORDERS_CUSTOMER"}, {"type": "CUSTOMER", "direction": "incoming"}], "to": {"label": "addresses"}, "connections": false}`, "addresses 1"},
		{"explore_neighbors", `{"start_node": {"label": "customers", "node_id": 1}, "properties": {"customers": [], "orders": [], "addresses": [], "reviews": [], "order_lines": [], "products": [], "warehouses": []}}`, "addresses 1, orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8, reviews 1, addresses 2, order_lines [\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\",\"1\"], order_lines [\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\",\"2\"], products H-1, warehouses 1, customers 1"},
		{"find_paths", `{"from": {"label": "addresses", "node_id": 2}, "to": {"label": "customers", "node_id": 1}}`, "addresses 2, customers 1, orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"find_nodes", `{"node_label": "good_customers", "properties": []}`, "good_customers 1"},
	},
	"music": {
		{"traverse_relationships", `{"from": {"label": "invoice_line"}, "relationships": [{"type": "TRACK"}], "to": {"label": "track"}, "connections": false}`, "track 1, track 2"},
		{"find_nodes", `{"node_label": "copy", "properties": [], "filters": {"grade": "mint"}}`, "copy 1"},
		{"find_nodes", `{"node_label": "artist", "properties": [], "related": [{"relationships": [{"type": "ARTIST_GENRE_ARTIST", "direction": "incoming", "to": {"label": "artist_genre", "filters": {"weight": {"lt": 0.3}}}}]}]}`, "artist 1"},
	},
	"tracker": {
		{"traverse_relationships", `{"from": {"label": "notes"}, "relationships": [{"type": "NOTEABLE"}], "to": {"label": "issues"}, "connections": false}`, "issues 1, issues 2"},
		{"traverse_relationships", `{"from": {"label": "notes"}, "relationships": [{"type": "NOTEABLE"}], "to": {"label": "epics"}, "connections": false}`, "epics 1"},
		{"find_nodes", `{"node_label": "users", "properties": [], "filters": {"state": "active"}}`, `users ["1","1"]`},
		{"traverse_relationships", `{"from": {"label": "teams"}, "relationships": [{"type": "PARENT"}], "to": {"label": "teams"}, "connections": false}`, "teams 1"},
	},
	"loose": {
		{"traverse_relationships", `{"from": {"label": "posts", "ids": [1]}, "relationships": [{"type": "POST_TAGS", "filters": {"place": 2}}], "to": {"label": "tags"}, "connections": false}`, "tags blue"},
		{"traverse_relationships", `{"from": {"label": "posts", "ids": [1]}, "relationships": [{"type": "AUTHORS", "direction": "incoming"}], "to": {"label": "people"}, "connections": false}`, "people 1, people 2"},
		{"traverse_relationships", `{"from": {"label": "people", "ids": [2]}, "relationships": [{"type": "POST_PEOPLE"}], "to": {"label": "posts"}, "connections": false}`, "posts 3"},
		{"traverse_relationships", `{"from": {"label": "votes"}, "relationships": [{"type": "VOTABLE"}], "to": {"label": "posts"}, "connections": false}`, "posts 1, posts 2"},
		// What leads nowhere, and to a person as a post's id, is not there.
		{"traverse_relationships", `{"from": {"label": "marks"}, "relationships": [{"type": "MARKABLE"}], "to": {"label": "posts"}, "connections": false}`, "posts 1"},
		{"traverse_relationships", `{"from": {"label": "flags"}, "relationships": [{"type": "FLAGGED"}], "to": {"label": "people"}, "connections": false}`, ""},
	},
}
