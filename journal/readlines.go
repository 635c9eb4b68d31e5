package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"hash/maphash"
	"iter"
	"math"
	"slices"
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
	open      []*openChunk // in the order of their oldest lines
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
	err = eachRow(m.ctx, m.db, func(rows *sql.Rows) error {
		var c chunkRow
		err := rows.Scan(&c.id, &c.first, &c.last, &c.node.UUID, &c.node.Name, &c.boot)
		chunks = append(chunks, c)
		return err
	}, `SELECT id, first, last, node, name, boot FROM chunks
WHERE node = ? AND first <= ? AND last >= ? ORDER BY first, id`, uuid, m.high, m.low)
	return chunks, err
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
	m.insert(&openChunk{id: c.id, lines: lines})
	return nil
}

// next removes and returns the oldest line.
func (m *merge) next() line {
	c := m.open[0]
	l := c.lines[0]
	c.lines = c.lines[1:]
	m.open = slices.Delete(m.open, 0, 1)
	m.insert(c)
	return l
}

// insert adds a chunk to the open chunks, unless all of its lines have been returned.
func (m *merge) insert(c *openChunk) {
	if len(c.lines) == 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(m.open, c, func(a, b *openChunk) int {
		return cmp.Or(cmp.Compare(a.lines[0].key(), b.lines[0].key()), cmp.Compare(a.id, b.id))
	})
	m.open = slices.Insert(m.open, at, c)
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
