package journal

import (
	"container/heap"
	"context"
	"database/sql"
	"errors"
	"hash/maphash"
	"iter"
	"math"
	"time"

	"ironworks/models"
)

// bounds converts the limits of a period to microseconds since 1970. Zero times mean no limit.
func bounds(from, to time.Time) (low, high int64) {
	low, high = math.MinInt64, math.MaxInt64
	if !from.IsZero() {
		low = from.UnixMicro()
	}
	if !to.IsZero() {
		high = to.UnixMicro()
	}
	return low, high
}

// Lines returns the lines from a node's ramdisk logs between from and to, both inclusive. Each line is returned once,
// the oldest first. Zero times mean no limit. The time of a line is the time on the machine's clock or, if that is
// unknown, the time of receipt. Lines stops at the first error.
func (j *Journal) Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error] {
	return func(yield func(models.LogLine, error) bool) {
		m := &merge{ctx: ctx, journal: j, seed: maphash.MakeSeed(), once: map[uint64]bool{}, timeless: map[uint64]bool{}}
		m.low, m.high = bounds(from, to)
		err := m.run(uuid, func(l models.LogLine) bool { return yield(l, nil) })
		if err != nil {
			yield(models.LogLine{}, j.readError(err))
		}
	}
}

// merge returns the lines of several chunks in chronological order. At any time, it keeps only the overlapping chunks
// open.
type merge struct {
	ctx       context.Context //nolint:containedctx // it lives as long as one range over Lines
	journal   *Journal
	db        *sql.DB
	unpacker  *unpacker
	low, high int64
	open      openChunks
	// A line that two programs have stored has the same time in both copies. once contains the lines already returned
	// whose time is at; timeless contains the lines already returned that have no time.
	seed     maphash.Seed
	at       int64
	once     map[uint64]bool
	timeless map[uint64]bool
}

func (m *merge) run(uuid string, yield func(models.LogLine) bool) (err error) {
	if m.db, err = m.journal.reading(m.ctx); m.db == nil {
		return err
	}
	if m.unpacker, err = newUnpacker(); err != nil {
		return err
	}
	defer m.unpacker.close()
	chunks, err := m.chunks(uuid)
	if err != nil {
		return err
	}
	for len(chunks) > 0 || len(m.open) > 0 {
		for len(chunks) > 0 && (len(m.open) == 0 || chunks[0].first <= m.open[0].lines[0].key()) {
			if err := m.openChunk(&chunks[0]); err != nil {
				return err
			}
			chunks = chunks[1:]
		}
		if len(m.open) == 0 {
			continue
		}
		if l := m.next(); m.isNew(&l) && !yield(l.LogLine) {
			return nil
		}
	}
	return m.ctx.Err()
}

// chunks returns the chunks that may contain lines from the period.
func (m *merge) chunks(uuid string) (chunks []chunkRow, err error) {
	rows, err := m.db.QueryContext(m.ctx, `SELECT id, first, last, node, name, boot FROM chunks
WHERE node = ? AND first <= ? AND last >= ? ORDER BY first, id`, uuid, m.high, m.low)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c chunkRow
		if err := rows.Scan(&c.id, &c.first, &c.last, &c.node.UUID, &c.node.Name, &c.boot); err != nil {
			return nil, err
		}
		chunks = append(chunks, c)
	}
	return chunks, rows.Err()
}

// openChunk reads a chunk. It ignores a chunk that was deleted in the meantime.
func (m *merge) openChunk(c *chunkRow) error {
	var packed []byte
	err := m.db.QueryRowContext(m.ctx, "SELECT packed FROM chunks WHERE id = ?", c.id).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	lines, err := m.unpacker.lines(packed, c.node, c.boot)
	if err != nil {
		return err
	}
	inOrder(lines)
	for len(lines) > 0 && lines[0].key() < m.low {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1].key() > m.high {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 {
		heap.Push(&m.open, &openChunk{id: c.id, lines: lines})
	}
	return nil
}

// next removes and returns the oldest line.
func (m *merge) next() line {
	c := m.open[0]
	l := c.lines[0]
	if c.lines = c.lines[1:]; len(c.lines) == 0 {
		heap.Pop(&m.open)
	} else {
		heap.Fix(&m.open, 0)
	}
	return l
}

// isNew reports whether a line has not been returned yet. A line without a cursor always counts as new.
func (m *merge) isNew(l *line) bool {
	if l.Cursor == "" {
		return true
	}
	known := m.timeless
	if !l.Time.IsZero() {
		if known = m.once; l.key() != m.at {
			clear(known)
			m.at = l.key()
		}
	}
	id := maphash.Comparable(m.seed, struct {
		boot, cursor string
		ordinal      int
	}{l.Boot, l.Cursor, l.ordinal})
	was := known[id]
	known[id] = true
	return !was
}

// openChunk holds the lines of an open chunk that have not been returned yet.
type openChunk struct {
	id    int64
	lines []line
}

// openChunks is a heap. Its first element is the chunk with the oldest line.
type openChunks []*openChunk

// Len and the methods below implement [heap.Interface].
func (o openChunks) Len() int { return len(o) }

func (o openChunks) Less(a, b int) bool {
	if x, y := o[a].lines[0].key(), o[b].lines[0].key(); x != y {
		return x < y
	}
	return o[a].id < o[b].id
}

func (o openChunks) Swap(a, b int) { o[a], o[b] = o[b], o[a] }

// Push adds a chunk.
func (o *openChunks) Push(c any) { *o = append(*o, c.(*openChunk)) }

// Pop removes the last chunk.
func (o *openChunks) Pop() any {
	old := *o
	last := old[len(old)-1]
	*o = old[:len(old)-1]
	return last
}
