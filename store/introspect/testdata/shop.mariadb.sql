-- A shop: enums, checks, two addresses of an order, lines with a key of two
-- parts, comments, views.
CREATE TABLE customers (
	id bigint AUTO_INCREMENT PRIMARY KEY,
	email varchar(200) NOT NULL UNIQUE,
	name text NOT NULL,
	tier varchar(10) NOT NULL DEFAULT 'new' CHECK (tier IN ('new', 'known', 'gold')),
	referred_by_id bigint COMMENT 'Who brought the customer here.',
	born date,
	photo blob,
	FOREIGN KEY (referred_by_id) REFERENCES customers (id)
) COMMENT = 'Who buys here.';
CREATE TABLE addresses (
	id bigint AUTO_INCREMENT PRIMARY KEY,
	customer_id bigint NOT NULL,
	`Street Name` text NOT NULL,
	city text NOT NULL,
	country char(2) NOT NULL,
	FOREIGN KEY (customer_id) REFERENCES customers (id)
);
CREATE TABLE categories (
	id int AUTO_INCREMENT PRIMARY KEY,
	parent_id int,
	name text NOT NULL,
	FOREIGN KEY (parent_id) REFERENCES categories (id)
);
CREATE TABLE products (
	sku varchar(40) PRIMARY KEY,
	name text NOT NULL,
	price decimal(10,2) NOT NULL CHECK (price >= 0),
	tags set('steel', 'wood'),
	attributes json
);
CREATE TABLE product_categories (
	product_sku varchar(40),
	category_id int,
	PRIMARY KEY (product_sku, category_id),
	FOREIGN KEY (product_sku) REFERENCES products (sku),
	FOREIGN KEY (category_id) REFERENCES categories (id)
);
CREATE TABLE warehouses (
	id int unsigned AUTO_INCREMENT PRIMARY KEY,
	name text NOT NULL
);
CREATE TABLE orders (
	id uuid PRIMARY KEY,
	customer_id bigint NOT NULL,
	billing_address_id bigint NOT NULL,
	shipping_address_id bigint,
	state enum('cart', 'paid', 'shipped', 'cancelled') NOT NULL DEFAULT 'cart',
	gift boolean NOT NULL DEFAULT false,
	placed_at datetime(6),
	warehouse_id int unsigned,
	FOREIGN KEY (customer_id) REFERENCES customers (id),
	FOREIGN KEY (billing_address_id) REFERENCES addresses (id),
	FOREIGN KEY (shipping_address_id) REFERENCES addresses (id)
);
CREATE TABLE order_lines (
	order_id uuid,
	line_no int,
	product_sku varchar(40) NOT NULL,
	quantity int NOT NULL CHECK (quantity > 0),
	PRIMARY KEY (order_id, line_no),
	FOREIGN KEY (order_id) REFERENCES orders (id),
	FOREIGN KEY (product_sku) REFERENCES products (sku)
);
CREATE TABLE reviews (
	id bigint unsigned AUTO_INCREMENT PRIMARY KEY,
	customer_id bigint NOT NULL,
	product_sku varchar(40) NOT NULL,
	stars smallint NOT NULL CHECK (stars BETWEEN 1 AND 5),
	body text,
	UNIQUE (customer_id, product_sku),
	FOREIGN KEY (customer_id) REFERENCES customers (id),
	FOREIGN KEY (product_sku) REFERENCES products (sku)
) COMMENT = 'What a customer thinks of a product, once.';
CREATE TABLE levels (
	warehouse_id int unsigned,
	sku varchar(40),
	amount int NOT NULL,
	counted_on date,
	PRIMARY KEY (warehouse_id, sku),
	FOREIGN KEY (warehouse_id) REFERENCES warehouses (id),
	FOREIGN KEY (sku) REFERENCES products (sku)
);
CREATE TABLE import_log (at datetime, line text);
CREATE VIEW good_customers AS SELECT id, name FROM customers WHERE tier = 'gold';

INSERT INTO customers (id, email, name, tier, referred_by_id) VALUES (1, 'ada@example.org', 'Ada', 'gold', NULL), (2, 'bob@example.org', 'Bob', 'new', 1);
INSERT INTO addresses VALUES (1, 1, 'Main St 1', 'Ely', 'GB'), (2, 2, 'Rue 2', 'Lyon', 'FR');
INSERT INTO categories VALUES (1, NULL, 'tools'), (2, 1, 'hammers');
INSERT INTO products VALUES ('H-1', 'Hammer', 12.50, 'steel', '{"grip": "wood"}'), ('N-1', 'Nails', 2.00, NULL, NULL);
INSERT INTO product_categories VALUES ('H-1', 2), ('N-1', 1);
INSERT INTO warehouses VALUES (1, 'North'), (2, 'South');
INSERT INTO orders VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 1, 2, 'paid', false, '2026-11-21 09:30:00', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c9', 2, 2, NULL, 'cart', true, NULL, 2);
INSERT INTO order_lines VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 'H-1', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 2, 'N-1', 3);
INSERT INTO reviews VALUES (1, 1, 'H-1', 5, 'Hits.');
INSERT INTO levels VALUES (1, 'H-1', 7, '2026-11-20'), (2, 'N-1', 0, NULL);
