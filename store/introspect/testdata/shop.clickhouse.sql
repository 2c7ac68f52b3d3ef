-- A shop: no keys but the order of rows, nothing that is declared to refer, native
-- enums, constraints, texts that are few, a table that merges its rows, views.
CREATE TABLE customers (
	id UInt64 COMMENT 'As on the card.',
	email String,
	name String,
	tier LowCardinality(String),
	referred_by_id Nullable(UInt64) COMMENT 'Who brought the customer here.',
	born Nullable(Date32),
	photo Array(UInt8),
	CONSTRAINT known_tier CHECK tier IN ('new', 'known', 'gold')
) ENGINE = MergeTree ORDER BY id COMMENT 'Who buys here.';
CREATE TABLE addresses (id UInt64, customer_id UInt64, `Street Name` String, city LowCardinality(String), country FixedString(2))
ENGINE = MergeTree ORDER BY id;
CREATE TABLE categories (id Int32, parent_id Nullable(Int32), name String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE products (
	sku String,
	name String,
	price Decimal(10, 2),
	weight Nullable(Float32),
	tags Array(String),
	attributes Nullable(String),
	CONSTRAINT priced CHECK price >= 0
) ENGINE = MergeTree ORDER BY sku;
CREATE TABLE product_categories (product_sku String, category_id Int32) ENGINE = MergeTree ORDER BY (product_sku, category_id);
CREATE TABLE orders (
	id UUID,
	customer_id UInt64,
	billing_address_id UInt64,
	shipping_address_id Nullable(UInt64),
	state Enum8('cart' = 1, 'paid' = 2, 'shipped' = 3, 'cancelled' = 4),
	placed_at Nullable(DateTime64(3, 'Europe/Berlin')),
	warehouse_id Int32
) ENGINE = MergeTree ORDER BY id;
CREATE TABLE order_lines (order_id UUID, line_no Int32, product_sku String, quantity Int32, CONSTRAINT some CHECK quantity > 0)
ENGINE = MergeTree PRIMARY KEY order_id ORDER BY (order_id, line_no);
CREATE TABLE reviews (id UInt64, customer_id UInt64, product_sku String, stars UInt8, body Nullable(String), version DateTime)
ENGINE = ReplacingMergeTree(version) ORDER BY id;
CREATE TABLE warehouses (id Int32, name String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE levels (warehouse_id Int32, sku String, amount Int32, counted_on Nullable(Date)) ENGINE = MergeTree ORDER BY (warehouse_id, sku);
CREATE TABLE visits (at DateTime, customer_id UInt64) ENGINE = MergeTree ORDER BY (toDate(at), customer_id);
CREATE TABLE import_log (at DateTime, line String) ENGINE = Log;
CREATE VIEW good_customers AS SELECT id, name FROM customers WHERE tier = 'gold';
CREATE MATERIALIZED VIEW visitors ENGINE = MergeTree ORDER BY customer_id AS SELECT customer_id, count() AS n FROM visits GROUP BY customer_id;
INSERT INTO customers (id, email, name, tier, referred_by_id) SELECT * FROM values('id UInt64, email String, name String, tier String, r Nullable(UInt64)', (1, 'ada@example.org', 'Ada', 'gold', NULL), (2, 'bob@example.org', 'Bob', 'new', 1));
INSERT INTO addresses SELECT * FROM values('a UInt64, b UInt64, c String, d String, e String', (1, 1, 'Main St 1', 'Ely', 'GB'), (2, 2, 'Rue 2', 'Lyon', 'FR'));
INSERT INTO categories SELECT * FROM values('a Int32, b Nullable(Int32), c String', (1, NULL, 'tools'), (2, 1, 'hammers'));
INSERT INTO products SELECT * FROM values('a String, b String, c Decimal(10, 2), d Nullable(Float32), e Array(String), f Nullable(String)', ('H-1', 'Hammer', 12.50, 0.8, ['steel'], '{"grip": "wood"}'), ('N-1', 'Nails', 2.00, NULL, [], NULL));
INSERT INTO product_categories SELECT * FROM values('a String, b Int32', ('H-1', 2), ('N-1', 1));
INSERT INTO warehouses SELECT * FROM values('a Int32, b String', (1, 'North'), (2, 'South'));
INSERT INTO orders SELECT * FROM values('a UUID, b UInt64, c UInt64, d Nullable(UInt64), e String, f Nullable(DateTime64(3, \'UTC\')), g Int32', ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 1, 2, 'paid', '2026-11-21 09:30:00.000', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c9', 2, 2, NULL, 'cart', NULL, 2));
INSERT INTO order_lines SELECT * FROM values('a UUID, b Int32, c String, d Int32', ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, 'H-1', 1), ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 2, 'N-1', 3));
INSERT INTO reviews SELECT * FROM values('a UInt64, b UInt64, c String, d UInt8, e Nullable(String), f DateTime', (1, 1, 'H-1', 5, 'Hits.', '2026-11-21 09:30:00'));
INSERT INTO levels SELECT * FROM values('a Int32, b String, c Int32, d Nullable(Date)', (1, 'H-1', 7, '2026-11-20'), (2, 'N-1', 0, NULL));
