-- A shop: a schema of its own for the stock, native enums, checks, two addresses
-- of an order, lines with a key of two parts, comments, views.
CREATE TYPE order_state AS ENUM ('cart', 'paid', 'shipped', 'cancelled');
CREATE TABLE customers (
	id BIGINT PRIMARY KEY,
	email VARCHAR NOT NULL UNIQUE,
	name VARCHAR NOT NULL,
	tier VARCHAR NOT NULL DEFAULT 'new' CHECK (tier IN ('new', 'known', 'gold')),
	referred_by_id BIGINT REFERENCES customers (id),
	born DATE,
	photo BLOB
);
COMMENT ON TABLE customers IS 'Who buys here.';
COMMENT ON COLUMN customers.referred_by_id IS 'Who brought the customer here.';
CREATE TABLE addresses (
	id BIGINT PRIMARY KEY,
	customer_id BIGINT NOT NULL REFERENCES customers (id),
	"Street Name" VARCHAR NOT NULL,
	city VARCHAR NOT NULL,
	country VARCHAR NOT NULL
);
CREATE TABLE categories (
	id INTEGER PRIMARY KEY,
	parent_id INTEGER REFERENCES categories (id),
	name VARCHAR NOT NULL
);
CREATE TABLE products (
	sku VARCHAR PRIMARY KEY,
	name VARCHAR NOT NULL,
	price DECIMAL(10,2) NOT NULL CHECK (price >= 0),
	weight DOUBLE,
	tags VARCHAR[],
	attributes JSON
);
CREATE TABLE product_categories (
	product_sku VARCHAR REFERENCES products (sku),
	category_id INTEGER REFERENCES categories (id),
	PRIMARY KEY (product_sku, category_id)
);
CREATE TABLE orders (
	id UUID PRIMARY KEY,
	customer_id BIGINT NOT NULL REFERENCES customers (id),
	billing_address_id BIGINT NOT NULL REFERENCES addresses (id),
	shipping_address_id BIGINT REFERENCES addresses (id),
	state order_state NOT NULL DEFAULT 'cart',
	placed_at TIMESTAMP WITH TIME ZONE,
	warehouse_id INTEGER
);
CREATE TABLE order_lines (
	order_id UUID REFERENCES orders (id),
	line_no INTEGER,
	product_sku VARCHAR NOT NULL REFERENCES products (sku),
	quantity INTEGER NOT NULL CHECK (quantity > 0),
	PRIMARY KEY (order_id, line_no)
);
CREATE TABLE reviews (
	id BIGINT PRIMARY KEY,
	customer_id BIGINT NOT NULL REFERENCES customers (id),
	product_sku VARCHAR NOT NULL REFERENCES products (sku),
	stars SMALLINT NOT NULL CHECK (stars BETWEEN 1 AND 5),
	body VARCHAR,
	UNIQUE (customer_id, product_sku)
);
COMMENT ON TABLE reviews IS 'What a customer thinks of a product, once.';
CREATE TABLE warehouses (
	id INTEGER PRIMARY KEY,
	name VARCHAR NOT NULL
);
CREATE TABLE levels (
	warehouse_id INTEGER REFERENCES warehouses (id),
	sku VARCHAR REFERENCES products (sku),
	amount INTEGER NOT NULL,
	counted_on DATE,
	PRIMARY KEY (warehouse_id, sku)
);
CREATE TABLE import_log ("at" TIMESTAMP, line VARCHAR);
CREATE SCHEMA stock;
CREATE TABLE stock.pallets (room VARCHAR, n UTINYINT, huge HUGEINT, PRIMARY KEY (room, n));
CREATE VIEW good_customers AS SELECT id, name FROM customers WHERE tier = 'gold';
INSERT INTO customers (id, email, name, tier, referred_by_id) VALUES (1, 'ada@example.org', 'Ada', 'gold', NULL);
INSERT INTO customers (id, email, name, tier, referred_by_id) VALUES (2, 'bob@example.org', 'Bob', 'new', 1);
INSERT INTO addresses VALUES (1, 1, 'Main St 1', 'Ely', 'GB'), (2, 2, 'Rue 2', 'Lyon', 'FR');
INSERT INTO categories VALUES (1, NULL, 'tools');
INSERT INTO categories VALUES (2, 1, 'hammers');
INSERT INTO products VALUES ('H-1', 'Hammer', 12.50, 0.8, ['steel'], '{"grip": "wood"}'), ('N-1', 'Nails', 2.00, NULL, NULL, NULL);
INSERT INTO product_categories VALUES ('H-1', 2), ('N-1', 1);
INSERT INTO warehouses VALUES (1, 'North'), (2, 'South');
INSERT INTO orders VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 1, 2, 'paid', '2026-11-21 09:30:00+00', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c9', 2, 2, NULL, 'cart', NULL, 2);
INSERT INTO order_lines VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 'H-1', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 2, 'N-1', 3);
INSERT INTO reviews VALUES (1, 1, 'H-1', 5, 'Hits.');
INSERT INTO levels VALUES (1, 'H-1', 7, '2026-11-20'), (2, 'N-1', 0, NULL);
INSERT INTO stock.pallets VALUES ('A', 1, 170141183460469231731687303715884105727);
