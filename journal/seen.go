package journal

import (
	"database/sql"
	"hash/maphash"
	"math"
)

const (
	// maxIDs is the maximum number of line IDs that are remembered for all boots together, and maxBoots the maximum
	// number of remembered boots.
	maxIDs   = 500_000
	maxBoots = 4096
)

// lineIndex detects lines that are already stored. Such lines occur because the log of a boot is read from its start
// each time, and may come from several sources. Usually, lines arrive in chronological order, and a line that is
// newer than all stored lines of its boot is new. The IDs of lines are remembered only for boots whose logs are read
// again.
type lineIndex struct {
	seed  maphash.Seed
	boots map[bootKey]*bootSeen
	ids   int
	now   int // increases with every line
}

// bootSeen holds the data for detecting lines of a boot that are already stored.
type bootSeen struct {
	// last is the time of the newest line. atLast contains the lines of that time, or is nil if isStored may not have
	// seen all of them.
	last   int64
	atLast map[uint64]bool
	// ids contains the IDs of all lines. It is nil until they are needed, or if there are too many. used is the value
	// of lineIndex.now when the boot was last used.
	ids     map[uint64]bool
	tooMany bool
	used    int
}

func newLineIndex() *lineIndex {
	return &lineIndex{seed: maphash.MakeSeed(), boots: map[bootKey]*bootSeen{}}
}

// id returns an ID that identifies the line within its boot, based on its position in the journal.
func (s *lineIndex) id(l *line) uint64 {
	return maphash.Comparable(s.seed, struct {
		cursor  string
		ordinal int
	}{l.Cursor, l.ordinal})
}

// isStored reports whether a line is already in the file or in pending, the lines of its boot that are about to be
// written. After the call, the line counts as stored. A line without a cursor is never detected.
func (w *writing) isStored(key bootKey, l *line, pending []line) (bool, error) {
	if l.Cursor == "" {
		return false, nil
	}
	b, err := w.bootSeen(key)
	if err != nil {
		return false, err
	}
	id, at := w.seen.id(l), l.key()
	switch {
	case l.Time.IsZero(): // two sources give this line different times of receipt
	case at > b.last:
		b.last, b.atLast = at, map[uint64]bool{id: true}
		w.seen.remember(b, id)
		return false, nil
	case at == b.last && b.atLast != nil && b.ids == nil:
		was := b.atLast[id]
		b.atLast[id] = true
		return was, nil
	}
	if b.ids == nil && !b.tooMany {
		if err := w.loadIDs(key, b, pending); err != nil {
			return false, err
		}
	}
	was := b.ids[id]
	if b.atLast != nil && at == b.last {
		b.atLast[id] = true
	}
	w.seen.remember(b, id)
	return was, nil
}

// bootSeen returns the known lines of a boot. When a boot is first used, bootSeen reads the time of the boot's newest
// line from the file.
func (w *writing) bootSeen(key bootKey) (*bootSeen, error) {
	s := w.seen
	s.now++
	b := s.boots[key]
	if b == nil {
		last, err := w.number("SELECT coalesce(max(last), ?) FROM chunks WHERE node = ? AND boot = ?", math.MinInt64, key.node, key.boot)
		if err != nil {
			return nil, err
		}
		if len(s.boots) >= maxBoots {
			clear(s.boots)
			s.ids = 0
		}
		b = &bootSeen{last: last}
		s.boots[key] = b
	}
	b.used = s.now
	return b, nil
}

// remember adds a line to the known lines of a boot if the boot's log is being read again.
func (s *lineIndex) remember(b *bootSeen, id uint64) {
	if b.ids == nil || b.ids[id] {
		return
	}
	b.ids[id] = true
	if s.ids++; s.ids > maxIDs {
		s.makeRoom(b)
	}
}

// makeRoom drops the IDs of the boots whose logs have not been read for the longest time. It spares the boot passed
// as but, unless that boot alone has more than maxIDs IDs.
func (s *lineIndex) makeRoom(but *bootSeen) {
	for s.ids > maxIDs/2 {
		var oldest *bootSeen
		for _, b := range s.boots {
			if b != but && b.ids != nil && (oldest == nil || b.used < oldest.used) {
				oldest = b
			}
		}
		if oldest == nil {
			break
		}
		s.ids -= len(oldest.ids)
		oldest.ids = nil
	}
	if s.ids > maxIDs {
		// This is harmless: a line that is stored twice is still returned once.
		s.ids -= len(but.ids)
		but.ids, but.tooMany = nil, true
	}
}

// loadIDs reads the IDs of a boot's lines from the file and from the pending lines.
func (w *writing) loadIDs(key bootKey, b *bootSeen, pending []line) error {
	b.ids = map[uint64]bool{}
	for i := range pending {
		w.seen.remember(b, w.seen.id(&pending[i]))
	}
	return w.query(func(rows *sql.Rows) error {
		if b.ids == nil { // there are too many
			return nil
		}
		var packed sql.RawBytes
		if err := rows.Scan(&packed); err != nil {
			return err
		}
		lines, err := w.packer.cursors(packed)
		for i := range lines {
			w.seen.remember(b, w.seen.id(&lines[i]))
		}
		return err
	}, "SELECT packed FROM chunks WHERE node = ? AND boot = ?", key.node, key.boot)
}
