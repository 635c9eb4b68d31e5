package journal

import (
	"context"
	"database/sql"
	"os"
	"time"

	"ironworks/models"
)

// Info describes the content of a journal.
type Info struct {
	Path string `json:"path"`
	// Bytes is the size of all files of the journal on disk, or 0 if there are none.
	Bytes  int64 `json:"bytes"`
	Schema int   `json:"schema"`

	Transitions Amount `json:"transitions"`
	Works       Amount `json:"works"`
	Pictures    Amount `json:"pictures"`
	Lines       Amount `json:"lines"`
	// Nodes lists the nodes with the most lines, in descending order of the number of lines.
	Nodes []NodeLines `json:"nodes"`

	// MaxSize is the maximum size of the lines in bytes. MaxAge is the maximum age of lines and snapshots.
	MaxSize int64   `json:"max_size"`
	MaxAge  Seconds `json:"max_age_seconds"`
	// Dropped is the number of records, and DroppedLines the number of lines, that programs sharing the file have
	// dropped because too many were waiting to be written.
	Dropped      int64     `json:"dropped"`
	DroppedLines int64     `json:"dropped_lines"`
	DroppedLast  time.Time `json:"dropped_last,omitzero"`
}

// Seconds is a duration in whole seconds.
type Seconds int64

// Amount describes the records of one kind: their number, the period that they cover, and their size.
type Amount struct {
	Count int64     `json:"count"`
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
	// Bytes is the packed size in bytes, or 0 for kinds of records that are not packed.
	Bytes int64 `json:"bytes,omitempty"`
}

// NodeLines holds the number of a node's lines, and their size in bytes.
type NodeLines struct {
	Node  models.NodeRef `json:"node"`
	Lines int64          `json:"lines"`
	Bytes int64          `json:"bytes"`
}

// topNodes is the number of nodes that [Info] lists.
const topNodes = 5

// Info returns a description of the journal's content. If there is no file, the result contains only the path and the
// limits.
func (j *Journal) Info(ctx context.Context) (Info, error) {
	info := Info{Path: j.opts.Path, MaxSize: j.opts.Limits.Size, MaxAge: Seconds(j.opts.Limits.Age / time.Second)}
	db, err := j.reading(ctx)
	if db == nil {
		return info, err
	}
	for _, q := range []struct {
		to    *Amount
		query string
	}{
		{&info.Transitions, "SELECT count(*), min(at), max(at), 0 FROM transitions"},
		{&info.Works, "SELECT count(*), min(began), max(seen), 0 FROM works"},
		{&info.Pictures, "SELECT count(*), min(at), max(at), (SELECT bytes FROM sizes WHERE what = 'pictures') FROM pictures"},
		{&info.Lines, "SELECT coalesce(sum(lines), 0), min(first), max(last), (SELECT bytes FROM sizes WHERE what = 'lines') FROM chunks"},
	} {
		var first, last sql.NullInt64
		if err := db.QueryRowContext(ctx, q.query).Scan(&q.to.Count, &first, &last, &q.to.Bytes); err != nil {
			return info, j.readError(err)
		}
		q.to.First, q.to.Last = timeOrZeroNull(first), timeOrZeroNull(last)
	}
	if info.Nodes, err = topLines(ctx, db); err != nil {
		return info, j.readError(err)
	}
	if err := j.addDropped(ctx, db, &info); err != nil {
		return info, j.readError(err)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&info.Schema); err != nil {
		return info, j.readError(err)
	}
	info.Bytes = j.onDisk()
	return info, nil
}

// addDropped sets the numbers of dropped records and lines in info. They are the sums of the numbers in the file and
// the numbers of this program since its last write.
func (j *Journal) addDropped(ctx context.Context, db *sql.DB, info *Info) error {
	var last sql.NullInt64
	err := db.QueryRowContext(ctx, "SELECT coalesce(sum(records), 0), coalesce(sum(lines), 0), max(at) FROM dropped").
		Scan(&info.Dropped, &info.DroppedLines, &last)
	info.DroppedLast = timeOrZeroNull(last)
	j.mu.Lock()
	defer j.mu.Unlock()
	info.Dropped += int64(j.dropped.records)
	info.DroppedLines += int64(j.dropped.lines)
	return err
}

func topLines(ctx context.Context, db *sql.DB) (nodes []NodeLines, err error) {
	err = eachRow(ctx, db, func(rows *sql.Rows) error {
		var n NodeLines
		err := rows.Scan(&n.Node.UUID, &n.Node.Name, &n.Lines, &n.Bytes)
		nodes = append(nodes, n)
		return err
	}, `SELECT node, max(name), sum(lines) AS n, sum(size) FROM chunks
GROUP BY node ORDER BY n DESC, node LIMIT ?`, topNodes)
	return nodes, err
}

// onDisk returns the total size of the file, its write-ahead log and the log's index, in bytes.
func (j *Journal) onDisk() (bytes int64) {
	for _, part := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(j.opts.Path + part); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// Nodes returns the nodes whose UUID or name is id, or all nodes if id is empty. The node seen most recently comes
// first. There may be several, because different nodes can have had the same name.
func (j *Journal) Nodes(ctx context.Context, id string) (refs []models.NodeRef, err error) {
	err = j.query(ctx, func(rows *sql.Rows) error {
		var ref models.NodeRef
		var newest int64
		err := rows.Scan(&ref.UUID, &ref.Name, &newest)
		refs = append(refs, ref)
		return err
	}, `SELECT node, name, max(last) AS newest FROM (
	SELECT node, name, max(at) AS last FROM transitions WHERE ?1 IN ('', node, name) GROUP BY node, name
	UNION ALL SELECT node, name, max(seen) FROM works WHERE ?1 IN ('', node, name) GROUP BY node, name
	UNION ALL SELECT node, name, max(at) FROM pictures WHERE ?1 IN ('', node, name) GROUP BY node, name
	UNION ALL SELECT node, name, max(received) FROM chunks WHERE ?1 IN ('', node, name) GROUP BY node, name)
GROUP BY node ORDER BY newest DESC`, id)
	return refs, err
}
