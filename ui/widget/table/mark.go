package table

import "slices"

// Mark marks the row with the given ID, even if the rows do not contain it at the moment.
func (t *Table[R]) Mark(id string) {
	if t.IsMarked(id) {
		return
	}
	t.marks[id] = struct{}{}
	t.order = append(t.order, id)
}

// IsMarked reports whether the row with the given ID is marked.
func (t *Table[R]) IsMarked(id string) bool {
	_, marked := t.marks[id]
	return marked
}

// HasMarks reports whether any row is marked.
func (t *Table[R]) HasMarks() bool { return len(t.order) > 0 }

// Marked returns the IDs of the marked rows in the order of marking, including rows that are filtered out.
func (t *Table[R]) Marked() []string { return slices.Clone(t.order) }

// ToggleMark marks the row at the cursor or removes its mark, and moves the cursor down.
func (t *Table[R]) ToggleMark() {
	r, ok := t.Cursor()
	if !ok {
		return
	}
	if _, whole := t.fullRow(r); whole {
		return
	}
	if id := t.id(r); t.IsMarked(id) {
		t.Prune(func(other string) bool { return other != id })
	} else {
		t.Mark(id)
	}
	t.Move(1)
}

// MarkAll marks all rows.
func (t *Table[R]) MarkAll() {
	for _, r := range t.rows {
		t.markRow(r)
	}
}

// MarkRange marks the rows from the one that was marked last, if any, to the one at the cursor.
func (t *Table[R]) MarkRange() {
	if len(t.rows) == 0 {
		return
	}
	from := t.lastMarked()
	step := 1
	if from > t.cursor {
		step = -1
	}
	// Mark towards the cursor, so that the row at the cursor is the one marked last.
	for i := from; i != t.cursor; i += step {
		t.markRow(t.rows[i])
	}
	t.markRow(t.rows[t.cursor])
}

func (t *Table[R]) markRow(r R) {
	if _, whole := t.fullRow(r); !whole {
		t.Mark(t.id(r))
	}
}

// lastMarked returns the index of the row that was marked last, among those in the table. If none of them is marked,
// it returns the index of the row at the cursor.
func (t *Table[R]) lastMarked() int {
	if len(t.order) == 0 {
		return t.cursor
	}
	places := make(map[string]int, len(t.marks))
	for i, r := range t.rows {
		if id := t.id(r); t.IsMarked(id) {
			places[id] = i
		}
	}
	for _, id := range slices.Backward(t.order) {
		if i, shown := places[id]; shown {
			return i
		}
	}
	return t.cursor
}

// ClearMarks removes all marks.
func (t *Table[R]) ClearMarks() {
	t.order = nil
	clear(t.marks)
}

// Prune removes the marks of IDs that no longer exist.
func (t *Table[R]) Prune(exists func(id string) bool) {
	t.order = slices.DeleteFunc(t.order, func(id string) bool {
		if exists(id) {
			return false
		}
		delete(t.marks, id)
		return true
	})
}
