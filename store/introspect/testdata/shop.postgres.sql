-- A shop: a schema of its own for the stock, native enums, checks, two addresses
-- of an order, lines with a key of two parts, comments, views.
CREATE TYPE order_state AS ENUM ('cart', 'paid', 'shipped', 'cancelled');
CREATE SCHEMA stock;
CREATE TABLE customers (
	id bigserial PRIMARY KEY,
	email varchar(200) NOT NULL UNIQUE,
	name text NOT NULL,
	tier varchar(10) NOT NULL DEFAULT 'new' CHECK (tier IN ('new', 'known', 'gold')),
	referred_by_id bigint REFERENCES customers (id),
	born date,
	photo bytea
);
COMMENT ON TABLE customers IS 'Who buys here.';
COMMENT ON COLUMN customers.referred_by_id IS 'Who brought the customer here.';
CREATE TABLE addresses (
	id bigserial PRIMARY KEY,
	customer_id bigint NOT NULL REFERENCES customers,
	"Street Name" text NOT NULL,
	city text NOT NULL,
	country char(2) NOT NULL
);
CREATE TABLE categories (
	id serial PRIMARY KEY,
	parent_id integer REFERENCES categories,
	name text NOT NULL
);
CREATE TABLE products (
	sku text PRIMARY KEY,
	name text NOT NULL,
	price numeric(10,2) NOT NULL CHECK (price >= 0),
	weight numeric,
	tags text[],
	attributes jsonb
);
CREATE TABLE product_categories (
	product_sku text REFERENCES products,
	category_id integer REFERENCES categories,
	PRIMARY KEY (product_sku, category_id)
);
CREATE TABLE orders (
	id uuid PRIMARY KEY,
	customer_id bigint NOT NULL REFERENCES customers,
	billing_address_id bigint NOT NULL REFERENCES addresses,
	shipping_address_id bigint REFERENCES addresses,
	state order_state NOT NULL DEFAULT 'cart',
	placed_at timestamptz,
	warehouse_id integer
);
CREATE TABLE order_lines (
	order_id uuid REFERENCES orders,
	line_no integer,
	product_sku text NOT NULL REFERENCES products,
	quantity integer NOT NULL CHECK (quantity > 0),
	PRIMARY KEY (order_id, line_no)
);
CREATE TABLE reviews (
	id bigserial PRIMARY KEY,
	customer_id bigint NOT NULL REFERENCES customers,
	product_sku text NOT NULL REFERENCES products,
	stars smallint NOT NULL CHECK (stars BETWEEN 1 AND 5),
	body text,
	UNIQUE (customer_id, product_sku)
);
COMMENT ON TABLE reviews IS 'What a customer thinks of a product, once.';
CREATE TABLE stock.warehouses (
	id serial PRIMARY KEY,
	name text NOT NULL
);
CREATE TABLE stock.levels (
	warehouse_id integer REFERENCES stock.warehouses,
	sku text REFERENCES products,
	amount integer NOT NULL,
	counted_on date,
	PRIMARY KEY (warehouse_id, sku)
);
CREATE TABLE import_log (at timestamptz, line text);
CREATE VIEW good_customers AS SELECT id, name FROM customers WHERE tier = 'gold';

INSERT INTO customers (id, email, name, tier, referred_by_id) VALUES (1, 'ada@example.org', 'Ada', 'gold', NULL), (2, 'bob@example.org', 'Bob', 'new', 1);
INSERT INTO addresses VALUES (1, 1, 'Main St 1', 'Ely', 'GB'), (2, 2, 'Rue 2', 'Lyon', 'FR');
INSERT INTO categories VALUES (1, NULL, 'tools'), (2, 1, 'hammers');
INSERT INTO products VALUES ('H-1', 'Hammer', 12.50, 0.8, '{steel}', '{"grip": "wood"}'), ('N-1', 'Nails', 2.00, NULL, NULL, NULL);
INSERT INTO product_categories VALUES ('H-1', 2), ('N-1', 1);
INSERT INTO stock.warehouses VALUES (1, 'North'), (2, 'South');
INSERT INTO orders VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 1, 2, 'paid', '2026-11-21 09:30:00+00', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c9', 2, 2, NULL, 'cart', NULL, 2);
INSERT INTO order_lines VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 'H-1', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 2, 'N-1', 3);
INSERT INTO reviews VALUES (1, 1, 'H-1', 5, 'Hits.');
INSERT INTO stock.levels VALUES (1, 'H-1', 7, '2026-11-20'), (2, 'N-1', 0, NULL);
