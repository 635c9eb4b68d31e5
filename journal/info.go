package journal

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"ironworks/models"
)

// Info is what a journal has.
type Info struct {
	Path string `json:"path"`
	// Bytes are the whole file on disk, with SQLite's own beside it; 0 where there is none.
	Bytes  int64 `json:"bytes"`
	Schema int   `json:"schema"`

	Transitions Kept `json:"transitions"`
	Works       Kept `json:"works"`
	Pictures    Kept `json:"pictures"`
	Lines       Kept `json:"lines"`
	// Nodes are those with the most lines, the most first.
	Nodes []NodeLines `json:"nodes"`

	// MaxSize bounds the bytes of the lines, MaxAge how long lines and pictures are kept,
	// in seconds when it is printed.
	MaxSize int64   `json:"max_size"`
	MaxAge  Seconds `json:"max_age_seconds"`
	// Dropped are the records, and DroppedLines the lines, that there was no room for while
	// they waited to be written, of all programs.
	Dropped      int64     `json:"dropped"`
	DroppedLines int64     `json:"dropped_lines"`
	DroppedLast  time.Time `json:"dropped_last,omitzero"`
}

// Seconds is a duration that is whole seconds in JSON.
type Seconds int64

// Kept is how much there is of one kind of records.
type Kept struct {
	Count int64     `json:"count"`
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
	// Bytes are those of what is packed; 0 where nothing is.
	Bytes int64 `json:"bytes,omitempty"`
}

// NodeLines is how many lines there are of a node.
type NodeLines struct {
	Node  models.NodeRef `json:"node"`
	Lines int64          `json:"lines"`
	Bytes int64          `json:"bytes"`
}

// topNodes is of how many nodes [Info] tells the lines.
const topNodes = 5

// Info tells what the journal has; of one without a file only the bounds.
func (j *Journal) Info(ctx context.Context) (Info, error) {
	info := Info{Path: j.opts.Path, MaxSize: j.opts.Limits.Size, MaxAge: Seconds(j.opts.Limits.Age / time.Second)}
	db, err := j.reading(ctx)
	if db == nil {
		return info, err
	}
	for _, q := range []struct {
		to    *Kept
		query string
	}{
		{&info.Transitions, "SELECT count(*), min(at), max(at), 0 FROM transitions"},
		{&info.Works, "SELECT count(*), min(began), max(seen), 0 FROM works"},
		{&info.Pictures, "SELECT count(*), min(at), max(at), (SELECT bytes FROM sizes WHERE what = 'pictures') FROM pictures"},
		{&info.Lines, "SELECT coalesce(sum(lines), 0), min(first), max(last), (SELECT bytes FROM sizes WHERE what = 'lines') FROM chunks"},
	} {
		var first, last sql.NullInt64
		if err := db.QueryRowContext(ctx, q.query).Scan(&q.to.Count, &first, &last, &q.to.Bytes); err != nil {
			return info, j.unread(err)
		}
		q.to.First, q.to.Last = atOrZero(first), atOrZero(last)
	}
	if info.Nodes, err = topLines(ctx, db); err != nil {
		return info, j.unread(err)
	}
	if err := j.addDropped(ctx, db, &info); err != nil {
		return info, j.unread(err)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&info.Schema); err != nil {
		return info, j.unread(err)
	}
	info.Bytes = j.onDisk()
	return info, nil
}

// addDropped adds what was dropped: by all programs as far as it is written, and by this
// one.
func (j *Journal) addDropped(ctx context.Context, db *sql.DB, info *Info) error {
	var last sql.NullInt64
	err := db.QueryRowContext(ctx, "SELECT coalesce(sum(records), 0), coalesce(sum(lines), 0), max(at) FROM dropped").
		Scan(&info.Dropped, &info.DroppedLines, &last)
	info.DroppedLast = atOrZero(last)
	j.mu.Lock()
	defer j.mu.Unlock()
	info.Dropped += int64(j.dropped.records)
	info.DroppedLines += int64(j.dropped.lines)
	return err
}

func topLines(ctx context.Context, db *sql.DB) (nodes []NodeLines, err error) {
	rows, err := db.QueryContext(ctx, `SELECT node, max(name), sum(lines) AS n, sum(size) FROM chunks
GROUP BY node ORDER BY n DESC, node LIMIT ?`, topNodes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n NodeLines
		if err := rows.Scan(&n.Node.UUID, &n.Node.Name, &n.Lines, &n.Bytes); err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, rows.Err()
}

// onDisk is what the file takes, with its log and the index of that.
func (j *Journal) onDisk() (bytes int64) {
	for _, part := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(j.opts.Path + part); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// Nodes are the nodes with a uuid or a name, or all where that is empty, as far as the
// journal knows them; the one that was seen last is the first. A name may have been that of
// several.
func (j *Journal) Nodes(ctx context.Context, id string) (refs []models.NodeRef, err error) {
	db, err := j.reading(ctx)
	if db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT node, name, max(last) AS newest FROM (
	SELECT node, name, max(at) AS last FROM transitions WHERE ?1 IN ('', node, name) GROUP BY node, name
	UNION ALL SELECT node, name, max(seen) FROM works WHERE ?1 IN ('', node, name) GROUP BY node, name
	UNION ALL SELECT node, name, max(at) FROM pictures WHERE ?1 IN ('', node, name) GROUP BY node, name
	UNION ALL SELECT node, name, max(received) FROM chunks WHERE ?1 IN ('', node, name) GROUP BY node, name)
GROUP BY node ORDER BY newest DESC`, id)
	if err != nil {
		return nil, j.unread(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var ref models.NodeRef
		var newest int64
		if err := rows.Scan(&ref.UUID, &ref.Name, &newest); err != nil {
			return nil, j.unread(err)
		}
		refs = append(refs, ref)
	}
	return refs, rows.Err()
}
