package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// PruneOptions selects the records to delete.
type PruneOptions struct {
	// Before is the time up to which records are deleted. If it is zero, the age of records does not matter.
	Before time.Time
	// Node is the UUID of the node whose records are deleted. If Before is zero, all records of that node are
	// deleted. If Node is empty, Before applies to all nodes.
	Node string
	// Size is the maximum size of the file in bytes. If the file is larger, the oldest lines are deleted until it is
	// small enough. If it is still too large without lines, the oldest snapshots are deleted as well. 0 means that
	// there is no maximum.
	Size int64
}

// Pruned describes what [Journal.Prune] has deleted. It counts the deleted records by kind.
type Pruned struct {
	Transitions int64 `json:"transitions"`
	Works       int64 `json:"works"`
	Pictures    int64 `json:"pictures"`
	Lines       int64 `json:"lines"`
	// Before and After are the sizes of the journal on disk before and after pruning, in bytes.
	Before int64 `json:"bytes_before"`
	After  int64 `json:"bytes_after"`
}

// atATime is the number of rows to delete, or pages to release, in one step. Other programs can write between two
// steps.
const atATime = 512

// Prune deletes records and shrinks the file. Even after an error, the result describes what has been deleted so far.
func (j *Journal) Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	var p Pruned
	if err := j.flushed(ctx); err != nil {
		return p, err
	}
	if _, err := os.Stat(j.opts.Path); j.opts.Path == "" || errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	db, err := j.forWriting(ctx)
	if err != nil {
		return p, err
	}
	p.Before = j.onDisk()
	err = pruneRecords(ctx, db, o, &p)
	if err == nil && o.Size > 0 {
		err = pruneSize(ctx, db, o.Size, &p)
	}
	if err == nil {
		err = releaseSpace(ctx, db)
	}
	p.After = j.onDisk()
	if err != nil {
		return p, fmt.Errorf("prune journal %s: %w", j.opts.Path, err)
	}
	return p, nil
}

// pruneRecords deletes the records that are selected by age, node or both.
func pruneRecords(ctx context.Context, db *sql.DB, o PruneOptions, p *Pruned) error {
	if o.Before.IsZero() && o.Node == "" {
		return nil
	}
	_, before := bounds(time.Time{}, o.Before)
	for _, q := range []struct {
		table, time, counted string
		went                 *int64
	}{
		{"transitions", "at", "1", &p.Transitions},
		{"works", "seen", "1", &p.Works},
		{"pictures", "at", "1", &p.Pictures},
		{"chunks", "received", "lines", &p.Lines},
	} {
		query := fmt.Sprintf("DELETE FROM %[1]s WHERE id IN (SELECT id FROM %[1]s WHERE %[2]s <= ?1 AND (?2 = '' OR node = ?2) LIMIT ?3) RETURNING %[3]s",
			q.table, q.time, q.counted)
		for more := true; more; {
			n, rows, err := deleteRows(ctx, db, query, before, o.Node, atATime)
			*q.went += n
			if err != nil {
				return err
			}
			more = rows == atATime
		}
	}
	return nil
}

// deleteRows executes query, a deletion that returns a number for each deleted row. It returns the sum of these
// numbers and the number of rows.
func deleteRows(ctx context.Context, db querier, query string, args ...any) (sum int64, count int, err error) {
	err = eachRow(ctx, db, func(rows *sql.Rows) error {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return err
		}
		sum += n
		count++
		return nil
	}, query, args...)
	return sum, count, err
}

// pruneSize deletes the oldest lines until at most limit bytes of the file are in use. If deleting all lines is not
// enough, it also deletes the oldest snapshots.
func pruneSize(ctx context.Context, db *sql.DB, limit int64, p *Pruned) error {
	for _, q := range []struct {
		table, counted string
		went           *int64
	}{
		{"chunks", "lines", &p.Lines},
		{"pictures", "1", &p.Pictures},
	} {
		for {
			var used int64
			if err := db.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size
FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&used); err != nil {
				return err
			}
			if used <= limit {
				return nil
			}
			sum, rows, err := deleteOldest(ctx, db, q.table, q.counted, used-limit)
			*q.went += sum
			if err != nil {
				return err
			}
			if rows == 0 {
				break
			}
		}
	}
	return nil
}

// deleteOldest deletes the oldest rows of a table until the given number of bytes has been deleted, but at most
// atATime rows. It returns the sum of the counted column, and the number of rows.
func deleteOldest(
	ctx context.Context, db querier, table, counted string, bytes int64,
) (sum int64, rows int, err error) {
	return deleteRows(ctx, db, fmt.Sprintf(`DELETE FROM %[1]s WHERE id IN (
	SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (SELECT id, size FROM %[1]s ORDER BY id LIMIT ?))
	WHERE before < ?) RETURNING %[2]s`, table, counted), atATime, bytes)
}

// releaseSpace shrinks the file to the size of its content. If incremental vacuum is off, releaseSpace turns it on
// and rewrites the whole file, which happens only once per file.
func releaseSpace(ctx context.Context, db *sql.DB) error {
	var pieces, free int64
	if err := db.QueryRowContext(ctx, "SELECT auto_vacuum, freelist_count FROM pragma_auto_vacuum, pragma_freelist_count").Scan(&pieces, &free); err != nil {
		return err
	}
	if pieces == 0 && free > 0 {
		// The two commands must use the same connection, so they are one statement.
		if _, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM"); err != nil {
			return err
		}
	}
	for pieces != 0 && free > 0 {
		before := free
		// Each row, which is empty, means that a page was released.
		released := func(*sql.Rows) error { return nil }
		if err := eachRow(ctx, db, released, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", atATime)); err != nil {
			return err
		}
		if err := db.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return err
		}
		if free >= before {
			break
		}
	}
	// Move the write-ahead log into the file, because only then does the file shrink. If another program is reading,
	// this happens later.
	_, err := db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// pictureShare is the ratio of the maximum size of lines to the maximum size of snapshots.
const pictureShare = 4

// forgetOld deletes records that are much older than the newest record, and the oldest lines and snapshots if they
// take too much space. This is fast, because indexes find the rows, and there are only a few each time.
func (w *writing) forgetOld(newest time.Time, limits Limits) error {
	year, age := newest.Add(-keepFor).UnixMicro(), newest.Add(-limits.Age).UnixMicro()
	for _, old := range []struct {
		query  string
		before int64
	}{
		{"DELETE FROM transitions WHERE at < ?", year},
		{"DELETE FROM works WHERE seen < ?", year},
		{"DELETE FROM dropped WHERE at < ?", year},
		{"DELETE FROM pictures WHERE at < ?", age},
		{"DELETE FROM chunks WHERE received < ?", age},
	} {
		if _, err := w.exec(old.query, old.before); err != nil {
			return err
		}
	}
	return errors.Join(
		w.shrink("chunks", "lines", limits.Size), w.shrink("pictures", "pictures", limits.Size/pictureShare))
}

// shrink deletes the oldest rows of a table until they take no more than limit bytes. what is the name of the table's
// size in the sizes table.
func (w *writing) shrink(table, what string, limit int64) error {
	for {
		over, err := w.number("SELECT bytes - ? FROM sizes WHERE what = ?", limit, what)
		if err != nil || over <= 0 {
			return err
		}
		// Delete the oldest rows in groups until the rest is small enough.
		if _, rows, err := deleteOldest(w.ctx, w, table, "1", over); err != nil || rows == 0 {
			return err
		}
	}
}

// number executes a query and returns its result, a single number.
func (w *writing) number(query string, args ...any) (n int64, err error) {
	err = w.query(func(rows *sql.Rows) error { return rows.Scan(&n) }, query, args...)
	return n, err
}
