package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// PruneOptions say what goes.
type PruneOptions struct {
	// Before is the time of the newest that goes; with the zero time age is no reason.
	Before time.Time
	// Node is the uuid of the node to which that is confined; all of it goes where Before is
	// zero. Empty: all nodes.
	Node string
	// Size is how many bytes the file may have: the oldest lines go, and then the oldest
	// pictures, until it is no larger. 0: as it is.
	Size int64
}

// Pruned is what went.
type Pruned struct {
	Transitions int64 `json:"transitions"`
	Works       int64 `json:"works"`
	Pictures    int64 `json:"pictures"`
	Lines       int64 `json:"lines"`
	// Before and After are the bytes on disk.
	Before int64 `json:"bytes_before"`
	After  int64 `json:"bytes_after"`
}

// atATime is how many rows, or pages, are given up together: others may write between.
const atATime = 512

// Prune takes records out, and gives their room on the disk back. It returns what went,
// also with an error.
func (j *Journal) Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	var p Pruned
	if err := j.written(ctx); err != nil {
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
		err = giveBack(ctx, db)
	}
	p.After = j.onDisk()
	if err != nil {
		return p, fmt.Errorf("prune journal %s: %w", j.opts.Path, err)
	}
	return p, nil
}

// pruneRecords takes out what is older, or of a node.
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
			n, rows, err := deleted(ctx, db, query, before, o.Node, atATime)
			*q.went += n
			if err != nil {
				return err
			}
			more = rows == atATime
		}
	}
	return nil
}

// deleted deletes, and adds up what the query returns.
func deleted(ctx context.Context, db *sql.DB, query string, args ...any) (sum int64, count int, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return sum, count, err
		}
		sum += n
		count++
	}
	return sum, count, rows.Err()
}

// pruneSize takes out the oldest lines and pictures until what is used of the file is no
// more than some bytes.
func pruneSize(ctx context.Context, db *sql.DB, most int64, p *Pruned) error {
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
			if used <= most {
				return nil
			}
			_, rows, err := deletedOldest(ctx, db, q.table, q.counted, used-most, q.went)
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

// deletedOldest takes the oldest rows out, until they had so many bytes or are many.
func deletedOldest(ctx context.Context, db *sql.DB, table, counted string, bytes int64, went *int64) (sum int64, rows int, err error) {
	sum, rows, err = deleted(ctx, db, fmt.Sprintf(`DELETE FROM %[1]s WHERE id IN (
	SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (SELECT id, size FROM %[1]s ORDER BY id LIMIT ?))
	WHERE before < ?) RETURNING %[2]s`, table, counted), atATime, bytes)
	*went += sum
	return sum, rows, err
}

// giveBack makes the file as small as what is in it. A file of before that was possible
// in pieces is written anew once.
func giveBack(ctx context.Context, db *sql.DB) error {
	var pieces, free int64
	if err := db.QueryRowContext(ctx, "SELECT auto_vacuum, freelist_count FROM pragma_auto_vacuum, pragma_freelist_count").Scan(&pieces, &free); err != nil {
		return err
	}
	if pieces == 0 && free > 0 {
		// Both by one statement: it has to be one connection.
		if _, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM"); err != nil {
			return err
		}
	}
	for pieces != 0 && free > 0 {
		before := free
		if err := step(ctx, db, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", atATime)); err != nil {
			return err
		}
		if err := db.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return err
		}
		if free >= before {
			break
		}
	}
	// The log goes into the file, which gets smaller only then; where another program reads
	// just now, later.
	_, err := db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// step does all that a statement does which gives up a page with each row.
func step(ctx context.Context, db *sql.DB, query string) (err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() { // the rows are empty
		continue
	}
	return rows.Err()
}
