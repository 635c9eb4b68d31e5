package journal

import (
	"cmp"
	"database/sql"
	"slices"
	"time"

	"ironworks/models"
)

// chunkLines is the maximum number of lines that are packed together.
const chunkLines = 1000

// chunkCost and pictureCost are the approximate sizes, in bytes, that a row and its index entries take on disk in
// addition to the packed data.
const (
	chunkCost   = 360
	pictureCost = 170
)

// bootKey identifies a boot of a machine; boot is empty if the source does not know the boot.
type bootKey struct{ node, boot string }

// key returns the time by which a line is sorted, in microseconds since 1970. It is the time on the machine's clock
// or, if that is unknown, the time of receipt.
func (l *line) key() int64 {
	if l.Time.IsZero() {
		return microOrZero(l.Received)
	}
	return l.Time.UnixMicro()
}

// lines stores every line that is not stored yet. Each chunk contains only lines of one boot of one machine.
func (w *writing) lines(lines []line) error {
	var order []bootKey
	groups := map[bootKey][]line{}
	for i := range lines {
		l := &lines[i]
		key := bootKey{l.Node.UUID, l.Boot}
		group, known := groups[key]
		if !known {
			order = append(order, key)
		}
		stored, err := w.isStored(key, l, group)
		if err != nil {
			return err
		}
		if stored {
			groups[key] = group
			continue
		}
		if group = append(group, *l); len(group) == chunkLines {
			if err := w.chunk(group); err != nil {
				return err
			}
			group = group[:0]
		}
		groups[key] = group
	}
	for _, key := range order {
		if err := w.chunk(groups[key]); err != nil {
			return err
		}
	}
	return nil
}

// chunk writes a chunk of lines. A small chunk is merged with the previous chunk if that is also small, so that a
// slow log does not consist of many small chunks.
func (w *writing) chunk(lines []line) error {
	if len(lines) == 0 {
		return nil
	}
	id := int64(0)
	if len(lines) < smallChunkLines {
		before, of, err := w.smallChunk(&lines[0])
		if err != nil {
			return err
		}
		if of != 0 {
			id, lines = of, append(before, lines...)
		}
	}
	packed, err := w.packer.packLines(lines)
	if err != nil {
		return err
	}
	first, last, received := lines[0].key(), lines[0].key(), time.Time{}
	for i := range lines {
		key := lines[i].key()
		first, last, received = min(first, key), max(last, key), latest(received, lines[i].Received)
	}
	values := []any{first, last, microOrZero(received), len(lines), chunkCost + len(packed), packed}
	if id != 0 {
		_, err = w.exec("UPDATE chunks SET first = ?, last = ?, received = ?, lines = ?, size = ?, packed = ? WHERE id = ?", append(values, id)...)
		return err
	}
	l := &lines[0].LogLine
	_, err = w.exec("INSERT INTO chunks (first, last, received, lines, size, packed, node, name, boot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		append(values, l.Node.UUID, l.Node.Name, l.Boot)...)
	return err
}

// smallChunkLines is the number of lines below which a chunk counts as small.
const smallChunkLines = 16

// smallChunk returns the lines and the ID of the newest chunk for the boot to which l belongs. The ID is 0 if there
// is no such chunk, if the chunk is not small, or if the node has a different name in it.
func (w *writing) smallChunk(l *line) (lines []line, id int64, err error) {
	err = w.query(func(rows *sql.Rows) error {
		var count int
		var name string
		var packed sql.RawBytes
		if err := rows.Scan(&id, &count, &name, &packed); err != nil {
			return err
		}
		if count >= smallChunkLines || name != l.Node.Name {
			id = 0
			return nil
		}
		var err error
		lines, err = w.packer.lines(packed, l.Node, l.Boot)
		return err
	}, "SELECT id, lines, name, packed FROM chunks WHERE node = ? AND boot = ? ORDER BY last DESC LIMIT 1",
		l.Node.UUID, l.Boot)
	return lines, id, err
}

// chunkRow is a row of the chunks table, without the packed lines.
type chunkRow struct {
	id, first, last int64
	node            models.NodeRef
	boot            string
}

// inOrder sorts lines by time. Lines with equal times keep their order.
func inOrder(lines []line) {
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.key(), b.key()) })
}
