package journal

// migrations returns the steps that each lead from one schema to the next. The file's user_version is the number of
// steps already applied. A released step must never change.
func migrations() []string { return []string{schema1, schema2} }

// schema1 creates the tables for transitions and operations.
const schema1 = `
CREATE TABLE transitions (
	id       INTEGER PRIMARY KEY,
	at       INTEGER NOT NULL, -- microseconds since 1970 on the server's clock, as all times
	node     TEXT NOT NULL,    -- uuid
	name     TEXT NOT NULL,
	kind     TEXT NOT NULL,    -- models.EventKind
	was      TEXT NOT NULL,
	became   TEXT NOT NULL,
	reason   TEXT NOT NULL,
	inferred INTEGER NOT NULL,
	writer   TEXT NOT NULL     -- the run of the program that saw it
) STRICT;
CREATE INDEX transitions_node ON transitions (node, at);
CREATE INDEX transitions_at ON transitions (at);
CREATE TABLE works (
	id      INTEGER PRIMARY KEY,
	node    TEXT NOT NULL,
	name    TEXT NOT NULL,
	class   TEXT NOT NULL,     -- resource class
	kind    TEXT NOT NULL,     -- deploying, cleaning, …
	began   INTEGER NOT NULL,
	ended   INTEGER,           -- NULL: still running, or its end was not seen
	seen    INTEGER NOT NULL,  -- the last that is known of it
	whole   INTEGER NOT NULL,  -- its beginning was seen
	outcome TEXT NOT NULL,
	reason  TEXT NOT NULL
) STRICT;
CREATE INDEX works_node ON works (node, kind, began);
CREATE INDEX works_kind ON works (kind, began);
CREATE TABLE phases (
	work    INTEGER NOT NULL REFERENCES works (id) ON DELETE CASCADE,
	place   INTEGER NOT NULL,
	kind    TEXT NOT NULL,
	step    TEXT NOT NULL,
	began   INTEGER NOT NULL,
	ended   INTEGER,
	outcome TEXT NOT NULL,
	PRIMARY KEY (work, place)
) STRICT, WITHOUT ROWID;`

// schema2 adds tables for snapshots and lines, and a column for the evidence of operations.
const schema2 = `
ALTER TABLE works ADD COLUMN evidence TEXT; -- models.Kept in JSON; NULL: nothing is known
CREATE TABLE pictures (
	id     INTEGER PRIMARY KEY,
	at     INTEGER NOT NULL,
	node   TEXT NOT NULL,
	name   TEXT NOT NULL,
	size   INTEGER NOT NULL,    -- about what the row takes on disk
	packed BLOB NOT NULL        -- models.Node without secrets
) STRICT;
CREATE INDEX pictures_node ON pictures (node, at);
CREATE INDEX pictures_at ON pictures (at);
CREATE TABLE chunks (
	id       INTEGER PRIMARY KEY,
	node     TEXT NOT NULL,
	name     TEXT NOT NULL,
	boot     TEXT NOT NULL,    -- of the machine; empty where the source does not tell
	first    INTEGER NOT NULL, -- the machine's clock, or when a line came where that is not known
	last     INTEGER NOT NULL,
	received INTEGER NOT NULL, -- the last of them, on the clock of who wrote it
	lines    INTEGER NOT NULL,
	size     INTEGER NOT NULL, -- about what the row takes on disk
	packed   BLOB NOT NULL
) STRICT;
CREATE INDEX chunks_node ON chunks (node, first);
CREATE INDEX chunks_boot ON chunks (node, boot, last);
CREATE INDEX chunks_received ON chunks (received);
CREATE TABLE sizes (
	what  TEXT PRIMARY KEY,
	bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sizes VALUES ('lines', 0), ('pictures', 0);
CREATE TRIGGER pictures_come AFTER INSERT ON pictures BEGIN
	UPDATE sizes SET bytes = bytes + NEW.size WHERE what = 'pictures';
END;
CREATE TRIGGER pictures_go AFTER DELETE ON pictures BEGIN
	UPDATE sizes SET bytes = bytes - OLD.size WHERE what = 'pictures';
END;
CREATE TRIGGER chunks_come AFTER INSERT ON chunks BEGIN
	UPDATE sizes SET bytes = bytes + NEW.size WHERE what = 'lines';
END;
CREATE TRIGGER chunks_grow AFTER UPDATE OF size ON chunks BEGIN
	UPDATE sizes SET bytes = bytes - OLD.size + NEW.size WHERE what = 'lines';
END;
CREATE TRIGGER chunks_go AFTER DELETE ON chunks BEGIN
	UPDATE sizes SET bytes = bytes - OLD.size WHERE what = 'lines';
END;
CREATE TABLE dropped (
	at      INTEGER NOT NULL, -- when it was written that they are missing
	records INTEGER NOT NULL,
	lines   INTEGER NOT NULL
) STRICT;`
