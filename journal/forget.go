package journal

import (
	"errors"
	"time"
)

// pictureShare is the part of the size of the lines that pictures may take.
const pictureShare = 4

// forgetOld drops what is much older than what is written now, and the oldest lines and
// pictures where there are too many: a few rows each time, by an index.
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
	return errors.Join(w.shrink(lines, limits.Size), w.shrink(pictures, limits.Size/pictureShare))
}

// kind is a kind of records whose size is bounded: its name in the table of sizes.
type kind string

const (
	lines    kind = "lines"
	pictures kind = "pictures"
)

func (k kind) table() string {
	if k == lines {
		return "chunks"
	}
	return "pictures"
}

// shrink drops the oldest records of a kind until they take no more than most bytes.
func (w *writing) shrink(k kind, most int64) error {
	for {
		over, err := w.number("SELECT bytes - ? FROM sizes WHERE what = ?", most, string(k))
		if err != nil || over <= 0 {
			return err
		}
		// As many of the oldest as make up for it, some at a time.
		id, err := w.number(`SELECT coalesce(max(id), 0) FROM (
	SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (SELECT id, size FROM `+k.table()+` ORDER BY id LIMIT 256))
WHERE before < ?`, over)
		if err != nil || id == 0 {
			return err
		}
		if _, err := w.exec("DELETE FROM "+k.table()+" WHERE id <= ?", id); err != nil {
			return err
		}
	}
}

// number asks for one.
func (w *writing) number(query string, args ...any) (n int64, err error) {
	rows, err := w.QueryContext(w.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}
