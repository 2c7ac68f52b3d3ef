-- A music store, with names in PascalCase and keys named after their tables.
CREATE TABLE "Artist" ("ArtistId" integer PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "Album" ("AlbumId" integer PRIMARY KEY, "Title" varchar(160) NOT NULL, "ArtistId" integer NOT NULL REFERENCES "Artist");
CREATE TABLE "MediaType" ("MediaTypeId" integer PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "Genre" ("GenreId" integer PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "Track" (
	"TrackId" integer PRIMARY KEY,
	"Name" varchar(200) NOT NULL,
	"AlbumId" integer REFERENCES "Album",
	"MediaTypeId" integer NOT NULL REFERENCES "MediaType",
	"GenreId" integer REFERENCES "Genre",
	"Milliseconds" integer NOT NULL,
	"UnitPrice" numeric(10,2) NOT NULL
);
CREATE TABLE "Playlist" ("PlaylistId" integer PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "PlaylistTrack" (
	"PlaylistId" integer REFERENCES "Playlist",
	"TrackId" integer REFERENCES "Track",
	"AddedAt" timestamp,
	"from" text,
	PRIMARY KEY ("PlaylistId", "TrackId")
);
CREATE TABLE "Employee" (
	"EmployeeId" integer PRIMARY KEY,
	"LastName" varchar(20) NOT NULL,
	"ReportsTo" integer REFERENCES "Employee",
	"HireDate" date
);
CREATE TABLE "Customer" (
	"CustomerId" integer PRIMARY KEY,
	"FirstName" varchar(40) NOT NULL,
	"SupportRepId" integer REFERENCES "Employee"
);
CREATE TABLE "Invoice" ("InvoiceId" integer PRIMARY KEY, "CustomerId" integer NOT NULL REFERENCES "Customer", "InvoiceDate" timestamp NOT NULL, "Total" numeric(10,2) NOT NULL);
CREATE TABLE "InvoiceLine" (
	"InvoiceLineId" integer PRIMARY KEY,
	"InvoiceId" integer NOT NULL REFERENCES "Invoice",
	"TrackId" integer NOT NULL REFERENCES "Track",
	"UnitPrice" numeric(10,2) NOT NULL,
	"Quantity" integer NOT NULL
);
CREATE TABLE "ArtistGenre" (
	"Id" integer PRIMARY KEY,
	"ArtistId" integer NOT NULL REFERENCES "Artist",
	"GenreId" integer NOT NULL REFERENCES "Genre",
	"Weight" real
);
CREATE TABLE similar_artists (
	artist_id integer REFERENCES "Artist",
	similar_id integer REFERENCES "Artist",
	PRIMARY KEY (artist_id, similar_id)
);
-- A pressing is a weak entity: its key has two parts, and others refer to it.
CREATE TABLE "Pressing" ("AlbumId" integer REFERENCES "Album", "No" integer, "Country" text, PRIMARY KEY ("AlbumId", "No"));
CREATE TABLE "Copy" (
	"CopyId" integer PRIMARY KEY,
	"AlbumId" integer NOT NULL,
	"PressingNo" integer NOT NULL,
	"Grade" text CHECK ("Grade" IN ('mint', 'good', 'bad')),
	FOREIGN KEY ("AlbumId", "PressingNo") REFERENCES "Pressing" ("AlbumId", "No")
);

INSERT INTO "Artist" VALUES (1, 'Nina'), (2, 'Miles');
INSERT INTO "Album" VALUES (1, 'Blue', 2), (2, 'Pastel', 1);
INSERT INTO "MediaType" VALUES (1, 'vinyl');
INSERT INTO "Genre" VALUES (1, 'jazz');
INSERT INTO "Track" VALUES (1, 'So', 1, 1, 1, 1000, 0.99), (2, 'Be', 2, 1, NULL, 2000, 1.29);
INSERT INTO "Playlist" VALUES (1, 'night');
INSERT INTO "PlaylistTrack" VALUES (1, 1, '2026-01-02 03:04:05', 'Ada'), (1, 2, NULL, NULL);
INSERT INTO "Employee" VALUES (1, 'Lee', NULL, '2020-01-01');
INSERT INTO "Employee" VALUES (2, 'Poe', 1, '2021-01-01');
INSERT INTO "Customer" VALUES (1, 'Zoe', 2);
INSERT INTO "Invoice" VALUES (1, 1, '2026-02-03 00:00:00', 2.28);
INSERT INTO "InvoiceLine" VALUES (1, 1, 1, 0.99, 1), (2, 1, 2, 1.29, 1);
INSERT INTO "ArtistGenre" VALUES (1, 1, 1, 0.5), (2, 1, 1, 0.25);
INSERT INTO similar_artists VALUES (1, 2);
INSERT INTO "Pressing" VALUES (1, 1, 'US'), (1, 2, 'JP');
INSERT INTO "Copy" VALUES (1, 1, 2, 'mint');
