package agentlog

import (
	"hash/maphash"

	"ironworks/models"
)

// remembered bounds how many lines are compared with those of another source.
const remembered = 1 << 16

// twins finds lines that came by another source already. Those of a journal are the same
// when boot and cursor are; what was kept as text is the same as a journal's when second
// and text are, each as often as it is there.
type twins struct {
	seed    maphash.Seed
	cursors map[uint64]models.LogSource
	ring    []uint64
	next    int
	texts   map[textKey]int // more by the journal if positive, more by what was kept if not
}

type textKey struct {
	second int64
	text   uint64
}

// newTwins gives nil where no two sources could have the same line.
func newTwins(sources []models.LogSource) *twins {
	t := &twins{seed: maphash.MakeSeed()}
	journals := 0
	for _, s := range sources {
		switch s {
		case models.LogSSH, models.LogPush:
			journals++
		case models.LogArchive:
			t.texts = map[textKey]int{}
		case models.LogSerial, models.LogStatus, models.LogServe:
		}
	}
	if journals > 1 {
		t.cursors = map[uint64]models.LogSource{}
		t.ring = make([]uint64, 0, remembered)
	}
	if t.cursors == nil && t.texts == nil {
		return nil
	}
	return t
}

func (t *twins) isTwin(l *models.LogLine) bool {
	if t == nil {
		return false
	}
	return t.byCursor(l) || t.byText(l)
}

func (t *twins) byCursor(l *models.LogLine) bool {
	if t.cursors == nil || l.Cursor == "" {
		return false
	}
	key := maphash.String(t.seed, l.Boot+" "+l.Cursor)
	if source, known := t.cursors[key]; known {
		// The lines of one message have one cursor.
		return source != l.Source
	}
	if len(t.ring) < cap(t.ring) {
		t.ring = append(t.ring, key)
	} else {
		delete(t.cursors, t.ring[t.next])
		t.ring[t.next] = key
		t.next = (t.next + 1) % len(t.ring)
	}
	t.cursors[key] = l.Source
	return false
}

func (t *twins) byText(l *models.LogLine) bool {
	// A serial console tells neither the machine's time nor all of a line.
	if t.texts == nil || l.Time.IsZero() || l.Source == models.LogStatus || l.Source == models.LogSerial {
		return false
	}
	key := textKey{l.Time.Unix(), maphash.String(t.seed, l.Text)}
	more := 1
	if l.Source == models.LogArchive {
		more = -1
	}
	have, known := t.texts[key]
	if !known && len(t.texts) >= remembered {
		clear(t.texts) // those of long ago; the archive is read at once
	}
	if have+more == 0 {
		delete(t.texts, key)
	} else {
		t.texts[key] = have + more
	}
	return have*more < 0
}
