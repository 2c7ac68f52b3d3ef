-- A music store, with names in PascalCase and keys named after their tables.
CREATE TABLE "Artist" ("ArtistId" INTEGER PRIMARY KEY, "Name" NVARCHAR(120));
CREATE TABLE "Album" ("AlbumId" INTEGER PRIMARY KEY, "Title" NVARCHAR(160) NOT NULL, "ArtistId" INTEGER NOT NULL REFERENCES "Artist");
CREATE TABLE "MediaType" ("MediaTypeId" INTEGER PRIMARY KEY, "Name" NVARCHAR(120));
CREATE TABLE "Genre" ("GenreId" INTEGER PRIMARY KEY, "Name" NVARCHAR(120));
CREATE TABLE "Track" (
	"TrackId" INTEGER PRIMARY KEY,
	"Name" NVARCHAR(200) NOT NULL,
	"AlbumId" INTEGER REFERENCES "Album",
	"MediaTypeId" INTEGER NOT NULL REFERENCES "MediaType",
	"GenreId" INTEGER REFERENCES "Genre",
	"Milliseconds" INTEGER NOT NULL,
	"UnitPrice" DECIMAL(10,2) NOT NULL
);
CREATE TABLE "Playlist" ("PlaylistId" INTEGER PRIMARY KEY, "Name" NVARCHAR(120));
CREATE TABLE "PlaylistTrack" (
	"PlaylistId" INTEGER REFERENCES "Playlist",
	"TrackId" INTEGER REFERENCES "Track",
	"AddedAt" DATETIME,
	"from" TEXT,
	PRIMARY KEY ("PlaylistId", "TrackId")
);
CREATE TABLE "Employee" (
	"EmployeeId" INTEGER PRIMARY KEY,
	"LastName" NVARCHAR(20) NOT NULL,
	"ReportsTo" INTEGER REFERENCES "Employee",
	"HireDate" DATE
);
CREATE TABLE "Customer" (
	"CustomerId" INTEGER PRIMARY KEY,
	"FirstName" NVARCHAR(40) NOT NULL,
	"SupportRepId" INTEGER REFERENCES "Employee"
);
CREATE TABLE "Invoice" ("InvoiceId" INTEGER PRIMARY KEY, "CustomerId" INTEGER NOT NULL REFERENCES "Customer", "InvoiceDate" DATETIME NOT NULL, "Total" DECIMAL(10,2) NOT NULL);
CREATE TABLE "InvoiceLine" (
	"InvoiceLineId" INTEGER PRIMARY KEY,
	"InvoiceId" INTEGER NOT NULL REFERENCES "Invoice",
	"TrackId" INTEGER NOT NULL REFERENCES "Track",
	"UnitPrice" DECIMAL(10,2) NOT NULL,
	"Quantity" INTEGER NOT NULL
);
CREATE TABLE "ArtistGenre" (
	"Id" INTEGER PRIMARY KEY,
	"ArtistId" INTEGER NOT NULL REFERENCES "Artist",
	"GenreId" INTEGER NOT NULL REFERENCES "Genre",
	"Weight" REAL
);
CREATE TABLE similar_artists (
	artist_id INTEGER REFERENCES "Artist",
	similar_id INTEGER REFERENCES "Artist",
	PRIMARY KEY (artist_id, similar_id)
);
-- A pressing is a weak entity: its key has two parts, and others refer to it.
CREATE TABLE "Pressing" ("AlbumId" INTEGER REFERENCES "Album", "No" INTEGER, "Country" TEXT, PRIMARY KEY ("AlbumId", "No"));
CREATE TABLE "Copy" (
	"CopyId" INTEGER PRIMARY KEY,
	"AlbumId" INTEGER NOT NULL,
	"PressingNo" INTEGER NOT NULL,
	"Grade" TEXT CHECK ("Grade" IN ('mint', 'good', 'bad')),
	FOREIGN KEY ("AlbumId", "PressingNo") REFERENCES "Pressing" ("AlbumId", "No")
);

INSERT INTO "Artist" VALUES (1, 'Nina'), (2, 'Miles');
INSERT INTO "Album" VALUES (1, 'Blue', 2), (2, 'Pastel', 1);
INSERT INTO "MediaType" VALUES (1, 'vinyl');
INSERT INTO "Genre" VALUES (1, 'jazz');
INSERT INTO "Track" VALUES (1, 'So', 1, 1, 1, 1000, '0.99'), (2, 'Be', 2, 1, NULL, 2000, '1.29');
INSERT INTO "Playlist" VALUES (1, 'night');
INSERT INTO "PlaylistTrack" VALUES (1, 1, '2026-01-02 03:04:05', 'Ada'), (1, 2, NULL, NULL);
INSERT INTO "Employee" VALUES (1, 'Lee', NULL, '2020-01-01'), (2, 'Poe', 1, '2021-01-01');
INSERT INTO "Customer" VALUES (1, 'Zoe', 2);
INSERT INTO "Invoice" VALUES (1, 1, '2026-02-03 00:00:00', '2.28');
INSERT INTO "InvoiceLine" VALUES (1, 1, 1, '0.99', 1), (2, 1, 2, '1.29', 1);
INSERT INTO "ArtistGenre" VALUES (1, 1, 1, 0.5), (2, 1, 1, 0.25);
INSERT INTO similar_artists VALUES (1, 2);
INSERT INTO "Pressing" VALUES (1, 1, 'US'), (1, 2, 'JP');
INSERT INTO "Copy" VALUES (1, 1, 2, 'mint');
