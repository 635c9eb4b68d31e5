package agentlog

import (
	"hash/maphash"
	"time"

	"ironworks/models"
)

// remembered is the maximum number of lines that are kept for comparison with lines of another source.
const remembered = 1 << 16

// sourceDuplicates finds lines that another source has already delivered. Two journal lines are duplicates if their
// boots and cursors are equal. An archived line duplicates a journal line if their texts and their times, in whole
// seconds, are equal. If a text occurs several times, each occurrence matches only one occurrence in the other
// source.
type sourceDuplicates struct {
	seed    maphash.Seed
	cursors map[uint64]models.LogSource
	ring    []uint64
	next    int
	texts   map[textKey]int // for each time and text, the number of journal lines minus the number of archived lines
}

type textKey struct {
	second int64
	text   uint64
}

// newSourceDuplicates returns nil if no line can arrive twice: without two journals and without an archive.
func newSourceDuplicates(sources []models.LogSource) *sourceDuplicates {
	t := &sourceDuplicates{seed: maphash.MakeSeed()}
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

func (t *sourceDuplicates) isDuplicate(l *models.LogLine) bool {
	if t == nil {
		return false
	}
	return t.byCursor(l) || t.byText(l)
}

func (t *sourceDuplicates) byCursor(l *models.LogLine) bool {
	if t.cursors == nil || l.Cursor == "" {
		return false
	}
	key := maphash.String(t.seed, l.Boot+" "+l.Cursor)
	if source, known := t.cursors[key]; known {
		// All lines of a message share one cursor, so equal cursors of one source are no duplicates.
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

func (t *sourceDuplicates) byText(l *models.LogLine) bool {
	// Lines from a serial console have neither the machine's time nor the complete text to compare.
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
		clear(t.texts) // drop old lines; the archive is read at the start
	}
	if have+more == 0 {
		delete(t.texts, key)
	} else {
		t.texts[key] = have + more
	}
	return have*more < 0
}

// podmanDuplicates detects duplicate entries in the journal. While podman is attached to a container, the journal
// holds the container's output twice: once from the container, and once from podman in the agent's unit.
type podmanDuplicates struct {
	seed    maphash.Seed
	waiting map[uint64]waiting
	order   []uint64
}

// waiting counts equal entries of one writer that have no matching duplicate yet.
type waiting struct {
	container bool // whether the entries are from the container
	count     int
	at        time.Time
}

const (
	mostWaiting = 512
	twiceTime   = 10 * time.Second // the maximum time between duplicates, according to the journal's clock
)

// isDuplicate reports whether an entry duplicates an earlier one. Equal entries from the same writer are not
// duplicates, because a program may print the same line twice.
func (t *podmanDuplicates) isDuplicate(e *journalEntry, message []byte) bool {
	container := len(e.Container) > 0
	if !container && string(e.Identifier) != "podman" || len(message) == 0 {
		return false
	}
	if t.waiting == nil {
		t.seed, t.waiting = maphash.MakeSeed(), map[uint64]waiting{}
	}
	key, at := maphash.Bytes(t.seed, message), e.time()
	w, known := t.waiting[key]
	if known && w.container != container && w.count > 0 && at.Sub(w.at).Abs() <= twiceTime {
		w.count--
		t.waiting[key] = w
		return true
	}
	if !known {
		if len(t.order) >= mostWaiting {
			delete(t.waiting, t.order[0])
			t.order = append(t.order[:0], t.order[1:]...)
		}
		t.order = append(t.order, key)
	}
	if w.container != container || at.Sub(w.at).Abs() > twiceTime {
		w.count = 0
	}
	t.waiting[key] = waiting{container: container, count: w.count + 1, at: at}
	return false
}
