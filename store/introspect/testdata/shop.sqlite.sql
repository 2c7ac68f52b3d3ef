-- A shop: checks, two addresses of an order, lines with a key of two parts,
-- views. Texts stand for the types that SQLite has not.
CREATE TABLE customers (
	id INTEGER PRIMARY KEY,
	email VARCHAR(200) NOT NULL UNIQUE,
	name TEXT NOT NULL,
	tier VARCHAR(10) NOT NULL DEFAULT 'new' CHECK (tier IN ('new', 'known', 'gold')), -- a remark: CHECK (
	referred_by_id INTEGER REFERENCES Customers,
	born DATE,
	photo BLOB
);
CREATE TABLE addresses (
	id INTEGER PRIMARY KEY,
	customer_id INTEGER NOT NULL REFERENCES customers (ID),
	"Street Name" TEXT NOT NULL,
	city TEXT NOT NULL,
	country CHAR(2) NOT NULL
);
CREATE TABLE categories (
	id INTEGER PRIMARY KEY,
	parent_id INTEGER REFERENCES categories,
	name TEXT NOT NULL
);
CREATE TABLE products (
	sku TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	price DECIMAL(10,2) NOT NULL CHECK (price >= 0),
	weight NUMERIC,
	attributes JSON
);
CREATE TABLE product_categories (
	product_sku TEXT NOT NULL REFERENCES products,
	category_id INTEGER NOT NULL REFERENCES categories,
	PRIMARY KEY (product_sku, category_id)
) WITHOUT ROWID;
CREATE TABLE warehouses (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL
);
CREATE TABLE orders (
	id UUID PRIMARY KEY,
	customer_id INTEGER NOT NULL REFERENCES customers,
	billing_address_id INTEGER NOT NULL REFERENCES addresses,
	shipping_address_id INTEGER REFERENCES addresses,
	state TEXT NOT NULL DEFAULT 'cart',
	gift BOOLEAN NOT NULL DEFAULT 0,
	placed_at DATETIME,
	warehouse_id INTEGER,
	CONSTRAINT known_state CHECK (state = 'cart' OR state = 'paid' OR state IN ('shipped', 'cancelled'))
);
CREATE TABLE order_lines (
	order_id UUID REFERENCES orders,
	line_no INTEGER,
	product_sku TEXT NOT NULL REFERENCES products,
	quantity INTEGER NOT NULL CHECK (quantity > 0),
	PRIMARY KEY (order_id, line_no)
);
CREATE TABLE reviews (
	id INTEGER PRIMARY KEY,
	customer_id INTEGER NOT NULL REFERENCES customers,
	product_sku TEXT NOT NULL REFERENCES products,
	stars INTEGER NOT NULL CHECK (stars BETWEEN 1 AND 5),
	body TEXT,
	UNIQUE (customer_id, product_sku)
);
CREATE TABLE levels (
	warehouse_id INTEGER REFERENCES warehouses,
	sku TEXT REFERENCES products,
	amount INTEGER NOT NULL,
	counted_on DATE,
	PRIMARY KEY (warehouse_id, sku)
);
CREATE TABLE import_log (at DATETIME, line TEXT);
CREATE VIEW good_customers AS SELECT id, name FROM customers WHERE tier = 'gold';
CREATE VIRTUAL TABLE product_words USING fts5(name);

INSERT INTO customers (id, email, name, tier, referred_by_id) VALUES (1, 'ada@example.org', 'Ada', 'gold', NULL), (2, 'bob@example.org', 'Bob', 'new', 1);
INSERT INTO addresses VALUES (1, 1, 'Main St 1', 'Ely', 'GB'), (2, 2, 'Rue 2', 'Lyon', 'FR');
INSERT INTO categories VALUES (1, NULL, 'tools'), (2, 1, 'hammers');
INSERT INTO products VALUES ('H-1', 'Hammer', '12.50', 0.8, '{"grip": "wood"}'), ('N-1', 'Nails', '2.00', NULL, NULL);
INSERT INTO product_categories VALUES ('H-1', 2), ('N-1', 1);
INSERT INTO warehouses VALUES (1, 'North'), (2, 'South');
INSERT INTO orders VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 1, 2, 'paid', 0, '2026-11-21 09:30:00', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c9', 2, 2, NULL, 'cart', 1, NULL, 2);
INSERT INTO order_lines VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 'H-1', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 2, 'N-1', 3);
INSERT INTO reviews VALUES (1, 1, 'H-1', 5, 'Hits.');
INSERT INTO levels VALUES (1, 'H-1', 7, '2026-11-20'), (2, 'N-1', 0, NULL);
