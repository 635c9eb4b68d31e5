package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"modernc.org/sqlite" // also registers the driver
	sqlitelib "modernc.org/sqlite/lib"
)

// retryOpen is the delay between attempts to open a file that another program is opening.
const retryOpen = 20 * time.Millisecond

// newerError returns the error for a file that a newer program has written. This program does not change such a file.
func newerError(path string, schema, supported int) error {
	return fmt.Errorf("journal %s has schema %d, but this ironworks supports %d; use a newer ironworks, or move the file away",
		path, schema, supported)
}

// forWriting returns the database for writing. It opens the file when it is first needed, and creates it if
// necessary.
func (j *Journal) forWriting(ctx context.Context) (*sql.DB, error) {
	j.dbMu.Lock()
	defer j.dbMu.Unlock()
	return j.openWriting(ctx)
}

func (j *Journal) openWriting(ctx context.Context) (*sql.DB, error) {
	if j.write != nil {
		return j.write, nil
	}
	if j.opts.Path == "" {
		return nil, errors.New("journal: no directory; set HOME or XDG_STATE_HOME")
	}
	if err := os.MkdirAll(filepath.Dir(j.opts.Path), 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	// Create the file here, because SQLite would make it readable for all users. SQLite's other files get the mode of
	// this file.
	f, err := os.OpenFile(j.opts.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	for {
		db, err := openAndMigrate(ctx, j.opts.Path)
		if err == nil {
			j.write = db
			return db, nil
		}
		if !busy(err) {
			return nil, err
		}
		select {
		case <-time.After(retryOpen):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// openAndMigrate opens an existing file, which may be empty, and migrates it to the newest schema.
func openAndMigrate(ctx context.Context, path string) (*sql.DB, error) {
	pragmas := []string{"journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(ON)"}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		// Incremental vacuum is set only in new files, because the pragma would write to an existing file.
		pragmas = slices.Insert(pragmas, 0, "auto_vacuum(INCREMENTAL)")
	}
	db, err := connect(path, pragmas...)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db, path, migrations()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// busy reports whether another program has locked the file. SQLite usually waits for locks. However, it fails
// immediately if two programs switch a new file to a write-ahead log at the same time, because waiting would be a
// deadlock.
func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlitelib.SQLITE_BUSY
}

// forReading returns the database for reading. It opens the file when it is first needed, and returns nil if the file
// does not exist or is empty.
func (j *Journal) forReading(ctx context.Context) (*sql.DB, error) {
	j.dbMu.Lock()
	defer j.dbMu.Unlock()
	if j.read != nil {
		return j.read, nil
	}
	if info, err := os.Stat(j.opts.Path); j.opts.Path == "" || errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil, nil //nolint:nilnil // no file is no error
	}
	db, err := connect(j.opts.Path, "query_only(ON)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2)
	version := 0
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: %w", j.opts.Path, err), db.Close())
	}
	switch knows := len(migrations()); {
	case version > knows:
		return nil, errors.Join(newerError(j.opts.Path, version, knows), db.Close())
	case version < knows:
		// An older program has written the file: migrate it.
		if _, err := j.openWriting(ctx); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	j.read = db
	return db, nil
}

// connect opens the file, with the given pragmas for each connection. Connections wait up to five seconds while
// another program is writing the file.
func connect(path string, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": append([]string{"busy_timeout(5000)"}, pragmas...)}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return db, nil
}

// migrate migrates the file to the newest schema, with a transaction for each step.
func migrate(ctx context.Context, db *sql.DB, path string, steps []string) error {
	for {
		done, err := migrateOnce(ctx, db, path, steps)
		if err != nil || done {
			return err
		}
	}
}

func migrateOnce(ctx context.Context, db *sql.DB, path string, steps []string) (done bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("journal %s: %w", path, err)
	}
	defer func() { _ = tx.Rollback() }()
	version := 0
	// Read the version within the lock, because another program may have migrated the file.
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return false, fmt.Errorf("journal %s: %w", path, err)
	}
	switch {
	case version > len(steps):
		return false, newerError(path, version, len(steps))
	case version == len(steps):
		return true, nil
	}
	_, err = tx.ExecContext(ctx, steps[version])
	if err == nil {
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+1))
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return false, fmt.Errorf("journal %s: schema %d: %w", path, version+1, err)
	}
	return false, nil
}

// closeFiles closes the open databases.
func (j *Journal) closeFiles() {
	j.dbMu.Lock()
	defer j.dbMu.Unlock()
	for _, db := range []*sql.DB{j.read, j.write} {
		if db != nil {
			_ = db.Close() // all transactions have ended
		}
	}
}
