-- A music store, with names in PascalCase and keys named after their tables.
CREATE TABLE `Artist` (`ArtistId` int PRIMARY KEY, `Name` varchar(120));
CREATE TABLE `Album` (`AlbumId` int PRIMARY KEY, `Title` varchar(160) NOT NULL, `ArtistId` int NOT NULL REFERENCES `Artist` (`ArtistId`));
CREATE TABLE `MediaType` (`MediaTypeId` int PRIMARY KEY, `Name` varchar(120));
CREATE TABLE `Genre` (`GenreId` int PRIMARY KEY, `Name` varchar(120));
CREATE TABLE `Track` (
	`TrackId` int PRIMARY KEY,
	`Name` varchar(200) NOT NULL,
	`AlbumId` int REFERENCES `Album` (`AlbumId`),
	`MediaTypeId` int NOT NULL REFERENCES `MediaType` (`MediaTypeId`),
	`GenreId` int REFERENCES `Genre` (`GenreId`),
	`Milliseconds` int NOT NULL,
	`UnitPrice` decimal(10,2) NOT NULL
);
CREATE TABLE `Playlist` (`PlaylistId` int PRIMARY KEY, `Name` varchar(120));
CREATE TABLE `PlaylistTrack` (
	`PlaylistId` int REFERENCES `Playlist` (`PlaylistId`),
	`TrackId` int REFERENCES `Track` (`TrackId`),
	`AddedAt` datetime,
	`from` text,
	PRIMARY KEY (`PlaylistId`, `TrackId`)
);
CREATE TABLE `Employee` (
	`EmployeeId` int PRIMARY KEY,
	`LastName` varchar(20) NOT NULL,
	`ReportsTo` int REFERENCES `Employee` (`EmployeeId`),
	`HireDate` date
);
CREATE TABLE `Customer` (
	`CustomerId` int PRIMARY KEY,
	`FirstName` varchar(40) NOT NULL,
	`SupportRepId` int REFERENCES `Employee` (`EmployeeId`)
);
CREATE TABLE `Invoice` (`InvoiceId` int PRIMARY KEY, `CustomerId` int NOT NULL REFERENCES `Customer` (`CustomerId`), `InvoiceDate` datetime NOT NULL, `Total` decimal(10,2) NOT NULL);
CREATE TABLE `InvoiceLine` (
	`InvoiceLineId` int PRIMARY KEY,
	`InvoiceId` int NOT NULL REFERENCES `Invoice` (`InvoiceId`),
	`TrackId` int NOT NULL REFERENCES `Track` (`TrackId`),
	`UnitPrice` decimal(10,2) NOT NULL,
	`Quantity` int NOT NULL
);
CREATE TABLE `ArtistGenre` (
	`Id` int AUTO_INCREMENT PRIMARY KEY,
	`ArtistId` int NOT NULL REFERENCES `Artist` (`ArtistId`),
	`GenreId` int NOT NULL REFERENCES `Genre` (`GenreId`),
	`Weight` float
);
CREATE TABLE similar_artists (
	artist_id int REFERENCES `Artist` (`ArtistId`),
	similar_id int REFERENCES `Artist` (`ArtistId`),
	PRIMARY KEY (artist_id, similar_id)
);
-- A pressing is a weak entity: its key has two parts, and others refer to it.
CREATE TABLE `Pressing` (`AlbumId` int REFERENCES `Album` (`AlbumId`), `No` int, `Country` text, PRIMARY KEY (`AlbumId`, `No`));
CREATE TABLE `Copy` (
	`CopyId` int PRIMARY KEY,
	`AlbumId` int NOT NULL,
	`PressingNo` int NOT NULL,
	`Grade` varchar(10) CHECK (`Grade` IN ('mint', 'good', 'bad')),
	FOREIGN KEY (`AlbumId`, `PressingNo`) REFERENCES `Pressing` (`AlbumId`, `No`)
);

INSERT INTO `Artist` VALUES (1, 'Nina'), (2, 'Miles');
INSERT INTO `Album` VALUES (1, 'Blue', 2), (2, 'Pastel', 1);
INSERT INTO `MediaType` VALUES (1, 'vinyl');
INSERT INTO `Genre` VALUES (1, 'jazz');
INSERT INTO `Track` VALUES (1, 'So', 1, 1, 1, 1000, 0.99), (2, 'Be', 2, 1, NULL, 2000, 1.29);
INSERT INTO `Playlist` VALUES (1, 'night');
INSERT INTO `PlaylistTrack` VALUES (1, 1, '2026-01-02 03:04:05', 'Ada'), (1, 2, NULL, NULL);
INSERT INTO `Employee` VALUES (1, 'Lee', NULL, '2020-01-01'), (2, 'Poe', 1, '2021-01-01');
INSERT INTO `Customer` VALUES (1, 'Zoe', 2);
INSERT INTO `Invoice` VALUES (1, 1, '2026-02-03 00:00:00', 2.28);
INSERT INTO `InvoiceLine` VALUES (1, 1, 1, 0.99, 1), (2, 1, 2, 1.29, 1);
INSERT INTO `ArtistGenre` VALUES (1, 1, 1, 0.5), (2, 1, 1, 0.25);
INSERT INTO similar_artists VALUES (1, 2);
INSERT INTO `Pressing` VALUES (1, 1, 'US'), (1, 2, 'JP');
INSERT INTO `Copy` VALUES (1, 1, 2, 'mint');
