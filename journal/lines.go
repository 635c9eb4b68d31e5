package journal

import (
	"cmp"
	"slices"
	"time"

	"ironworks/models"
)

// chunkLines is how many lines are packed together at most.
const chunkLines = 1000

// chunkCost and pictureCost are about what a row takes on disk beside what is packed, with
// its places in the indexes.
const (
	chunkCost   = 360
	pictureCost = 170
)

// bootKey names a boot of a machine; it is empty where a source does not tell it.
type bootKey struct{ node, boot string }

// key is by which lines are in order: the machine's clock, or when the line came where
// that is not known.
func (l *line) key() int64 {
	if l.Time.IsZero() {
		return microOrZero(l.Received)
	}
	return l.Time.UnixMicro()
}

// lines appends chunks of those lines that are not kept yet, each of one boot of one
// machine.
func (w *writing) lines(lines []line) error {
	var order []bootKey
	groups := map[bootKey][]line{}
	for i := range lines {
		l := &lines[i]
		key := bootKey{l.Node.UUID, l.Boot}
		group, begun := groups[key]
		if !begun {
			order = append(order, key)
		}
		kept, err := w.isKept(key, l, group)
		if err != nil {
			return err
		}
		if kept {
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

func (w *writing) chunk(lines []line) error {
	if len(lines) == 0 {
		return nil
	}
	packed, err := w.packer.lines(lines)
	if err != nil {
		return err
	}
	first, last, received := lines[0].key(), lines[0].key(), time.Time{}
	for i := range lines {
		key := lines[i].key()
		first, last, received = min(first, key), max(last, key), latest(received, lines[i].Received)
	}
	l := &lines[0].LogLine
	_, err = w.exec("INSERT INTO chunks (node, name, boot, first, last, received, lines, size, packed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		l.Node.UUID, l.Node.Name, l.Boot, first, last, microOrZero(received), len(lines), chunkCost+len(packed), packed)
	return err
}

// chunkRow is where lines are.
type chunkRow struct {
	id, first, last int64
	node            models.NodeRef
	boot            string
}

// inOrder sorts lines by their time; of one time they stay as they came.
func inOrder(lines []line) {
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.key(), b.key()) })
}
