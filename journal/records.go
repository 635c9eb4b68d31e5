package journal

import (
	"slices"

	"ironworks/models"
)

// Records holds the records that one call of [Journal.Record] stores.
type Records struct {
	Events []models.Event
	Works  []models.Work
	// Pictures holds snapshots of nodes. They are stored without secrets.
	Pictures []models.Picture
	Lines    []models.LogLine
}

func (r *Records) empty() bool {
	return len(r.Events)+len(r.Works)+len(r.Pictures)+len(r.Lines) == 0
}

const (
	// maxWaiting is the maximum number of records that may wait to be written, and maxBytes the maximum size of
	// waiting lines. Further records are dropped.
	maxWaiting = 20_000
	maxBytes   = 8 << 20
	// writeNowBytes is the size from which waiting lines are written without delay.
	writeNowBytes = 1 << 20
	// lineCost is the approximate size of a line in memory, without its strings, in bytes.
	lineCost = 224
)

// dropped counts the records and the lines that were dropped.
type dropped struct{ records, lines int }

func (d *dropped) add(more dropped) {
	d.records += more.records
	d.lines += more.lines
}

// waiting holds records that have not been written yet.
type waiting struct {
	events   []models.Event
	works    []models.Work
	pictures []models.Picture
	// workIndex maps each operation to its index in works. Only the last state of an operation is written.
	workIndex map[workKey]int
	lines     []line
	// size is the approximate size of the lines in memory.
	size int
}

// workKey identifies an operation that this program has observed.
type workKey struct {
	node  string
	kind  models.ProvisionState
	begin int64
}

// line is a log line with its index among the lines of the same journal entry.
type line struct {
	models.LogLine
	ordinal int
}

func (l *line) cost() int { return lineCost + len(l.Text) + len(l.Cursor) + len(l.Unit) }

func (w *waiting) empty() bool {
	return len(w.events)+len(w.works)+len(w.pictures)+len(w.lines) == 0
}

func (w *waiting) full() bool { return len(w.events)+len(w.works)+len(w.pictures) >= maxWaiting }

// add adds records as long as there is room, and counts all further records in lost. writing is the size in bytes of
// the lines that are being written.
func (w *waiting) add(r Records, writing int, lost *dropped) {
	w.addRecords(r.Events, r.Works, r.Pictures, lost)
	ordinal := 0
	for i := range r.Lines {
		l := &r.Lines[i]
		ordinal++
		if i == 0 || l.Cursor == "" || !sameEntry(l, &r.Lines[i-1]) {
			ordinal = 0
		}
		if l.Source != models.LogArchive && l.Source != models.LogStatus {
			w.addLine(line{*l, ordinal}, writing, lost)
		}
	}
}

func sameEntry(a, b *models.LogLine) bool {
	return a.Cursor == b.Cursor && a.Boot == b.Boot && a.Node.UUID == b.Node.UUID && a.Source == b.Source
}

func (w *waiting) addRecords(events []models.Event, works []models.Work, pictures []models.Picture, lost *dropped) {
	for i := range events {
		if w.full() {
			lost.records += len(events) - i
			break
		}
		w.events = append(w.events, events[i])
	}
	for i := range works {
		if !w.put(works[i]) {
			lost.records++
		}
	}
	for i := range pictures {
		if w.full() {
			lost.records += len(pictures) - i
			break
		}
		p := pictures[i]
		p.Node.Raw = nil // it is large, and is not stored
		w.pictures = append(w.pictures, p)
	}
}

func (w *waiting) addLine(l line, writing int, lost *dropped) {
	cost := l.cost()
	if w.size+writing+cost > maxBytes {
		lost.lines++
		return
	}
	w.lines = append(w.lines, l)
	w.size += cost
}

// put adds an operation to the waiting records, or replaces its earlier state there. It returns false if there is no
// room.
func (w *waiting) put(x models.Work) bool {
	key := workKey{node: x.Node.UUID, kind: x.Kind, begin: x.Begin.UnixMicro()}
	if i, known := w.workIndex[key]; known {
		w.works[i] = x
		return true
	}
	if w.full() {
		return false
	}
	if w.workIndex == nil {
		w.workIndex = map[workKey]int{}
	}
	w.workIndex[key] = len(w.works)
	w.works = append(w.works, x)
	return true
}

// append adds newer records as long as there is room, and counts all further records in lost.
func (w *waiting) append(since waiting, lost *dropped) {
	w.addRecords(since.events, since.works, since.pictures, lost)
	w.lines = slices.Grow(w.lines, len(since.lines))
	for i := range since.lines {
		w.addLine(since.lines[i], 0, lost)
	}
}
