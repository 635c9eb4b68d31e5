package journal

import (
	"database/sql"
	"errors"
	"hash/maphash"
	"math"
)

const (
	// mostIDs bounds how many lines are remembered by what they are, of all boots, and
	// mostBoots of how many boots anything is.
	mostIDs   = 500_000
	mostBoots = 4096
)

// seen tells which lines are kept already: the log of a boot is read from its start each
// time it is opened, and comes by several ways. Lines come in the order of their time
// mostly, and what is newer than all that is kept of its boot is new; only of boots that
// are read again it is remembered which lines they are.
type seen struct {
	seed  maphash.Seed
	boots map[bootKey]*bootSeen
	ids   int
	now   int // grows with every line
}

// bootSeen is what is known of the lines of one boot.
type bootSeen struct {
	// last is the time of the newest line. In atLast are those of that time, if all of
	// them came by here.
	last   int64
	atLast map[uint64]bool
	// ids are all lines; nil until they are asked for. Too many of them are not
	// remembered.
	ids     map[uint64]bool
	tooMany bool
	used    int
}

func newSeen() *seen {
	return &seen{seed: maphash.MakeSeed(), boots: map[bootKey]*bootSeen{}}
}

// id is what a line is among those of its boot: where it stands in the journal.
func (s *seen) id(l *line) uint64 {
	return maphash.Comparable(s.seed, struct {
		cursor  string
		ordinal int
	}{l.Cursor, l.ordinal})
}

// isKept says whether a line is in the file, or among those of its boot that are on the way
// there; it is taken as kept from then on. Lines without cursor are never.
func (w *writing) isKept(key bootKey, l *line, onTheWay []line) (bool, error) {
	if l.Cursor == "" {
		return false, nil
	}
	b, err := w.bootSeen(key)
	if err != nil {
		return false, err
	}
	id, at := w.seen.id(l), l.key()
	switch {
	case l.Time.IsZero(): // by two ways it has two times
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
		if err := w.loadIDs(key, b, onTheWay); err != nil {
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

// bootSeen is what is known of a boot; at first what the file tells.
func (w *writing) bootSeen(key bootKey) (*bootSeen, error) {
	s := w.seen
	s.now++
	b := s.boots[key]
	if b == nil {
		last, err := w.number("SELECT coalesce(max(last), ?) FROM chunks WHERE node = ? AND boot = ?", math.MinInt64, key.node, key.boot)
		if err != nil {
			return nil, err
		}
		if len(s.boots) >= mostBoots {
			clear(s.boots)
			s.ids = 0
		}
		b = &bootSeen{last: last}
		s.boots[key] = b
	}
	b.used = s.now
	return b, nil
}

// remember adds a line to those of a boot that is read again.
func (s *seen) remember(b *bootSeen, id uint64) {
	if b.ids == nil || b.ids[id] {
		return
	}
	b.ids[id] = true
	if s.ids++; s.ids > mostIDs {
		s.makeRoom(b)
	}
}

// makeRoom forgets the lines of the boots that were not read for the longest time.
func (s *seen) makeRoom(but *bootSeen) {
	for s.ids > mostIDs/2 {
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
	if s.ids > mostIDs {
		// Twice in the file is once when it is read.
		s.ids -= len(but.ids)
		but.ids, but.tooMany = nil, true
	}
}

// loadIDs learns the lines of a boot from the file and from what is on its way there.
func (w *writing) loadIDs(key bootKey, b *bootSeen, onTheWay []line) (err error) {
	b.ids = map[uint64]bool{}
	for i := range onTheWay {
		w.seen.remember(b, w.seen.id(&onTheWay[i]))
	}
	rows, err := w.QueryContext(w.ctx, "SELECT packed FROM chunks WHERE node = ? AND boot = ?", key.node, key.boot)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() && b.ids != nil {
		var packed sql.RawBytes
		if err := rows.Scan(&packed); err != nil {
			return err
		}
		lines, err := w.packer.cursors(packed)
		if err != nil {
			return err
		}
		for i := range lines {
			w.seen.remember(b, w.seen.id(&lines[i]))
		}
	}
	return rows.Err()
}
