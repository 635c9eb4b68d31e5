package db

import (
	"cmp"
	"slices"
)

// row is a pointer to what a table holds.
type row[T any] interface {
	*T
	key() (id int, uuid string)
	Clone() *T
}

// unique is a value that no two rows may have; an empty one does not count.
type unique[T any] struct {
	value func(*T) string
	// clash is what is said of a row that has another one's value.
	clash func(r *T, creating bool) error
	// owners are UUIDs by value.
	owners map[string]string
}

// table is rows by UUID and in the order of their IDs. A row is never changed
// after it was put in: a change puts another one in its place. So whoever holds
// a row may go on reading it without the lock.
type table[T any, P row[T]] struct {
	name    string
	rows    map[string]*T
	order   []*T
	nextID  int
	uniques []unique[T]
	// exists is what is said of a UUID that is taken, missing of one that is not.
	exists  func(uuid string) error
	missing func(uuid string) error
	// dirty are UUIDs of rows that the disk has otherwise; nil without a disk.
	dirty map[string]bool
}

func newTable[T any, P row[T]](name string, exists, missing func(string) error, uniques ...unique[T]) *table[T, P] {
	for i := range uniques {
		uniques[i].owners = map[string]string{}
	}
	return &table[T, P]{
		name: name, rows: map[string]*T{}, nextID: 1, uniques: uniques, exists: exists, missing: missing,
	}
}

func (t *table[T, P]) get(uuid string) (*T, error) {
	r, ok := t.rows[uuid]
	if !ok {
		return nil, t.missing(uuid)
	}
	return r, nil
}

// by finds the row with a unique value, nil if there is none.
func (t *table[T, P]) by(index int, value string) *T {
	uuid, ok := t.uniques[index].owners[value]
	if !ok || value == "" {
		return nil
	}
	return t.rows[uuid]
}

// clone is copies of the rows that keep accepts.
func (t *table[T, P]) clone(keep func(*T) bool) []*T {
	kept := t.read(keep)
	for i, r := range kept {
		kept[i] = P(r).Clone()
	}
	return kept
}

// read is the rows that keep accepts, not copied.
func (t *table[T, P]) read(keep func(*T) bool) []*T {
	if keep == nil {
		return slices.Clone(t.order)
	}
	var kept []*T
	for _, r := range t.order {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// insert puts a new row in, which from then on is the table's own.
func (t *table[T, P]) insert(r *T) error {
	id, uuid := P(r).key()
	if err := t.checkUniques(r, uuid, true); err != nil {
		return err
	}
	if _, taken := t.rows[uuid]; taken {
		return t.exists(uuid)
	}
	t.rows[uuid] = r
	at, _ := t.find(id)
	t.order = slices.Insert(t.order, at, r)
	t.nextID = max(t.nextID, id+1)
	t.own(r, uuid)
	t.touch(uuid)
	return nil
}

// replace puts a row in the place of the one with its UUID.
func (t *table[T, P]) replace(r *T) error {
	id, uuid := P(r).key()
	old, err := t.get(uuid)
	if err != nil {
		return err
	}
	if err := t.checkUniques(r, uuid, false); err != nil {
		return err
	}
	t.disown(old)
	t.own(r, uuid)
	t.rows[uuid] = r
	at, _ := t.find(id)
	t.order[at] = r
	t.touch(uuid)
	return nil
}

func (t *table[T, P]) remove(uuid string) error {
	r, err := t.get(uuid)
	if err != nil {
		return err
	}
	id, _ := P(r).key()
	at, _ := t.find(id)
	t.order = slices.Delete(t.order, at, at+1)
	delete(t.rows, uuid)
	t.disown(r)
	t.touch(uuid)
	return nil
}

func (t *table[T, P]) find(id int) (int, bool) {
	return slices.BinarySearchFunc(t.order, id, func(r *T, id int) int {
		have, _ := P(r).key()
		return cmp.Compare(have, id)
	})
}

func (t *table[T, P]) checkUniques(r *T, uuid string, creating bool) error {
	for _, u := range t.uniques {
		value := u.value(r)
		if owner, taken := u.owners[value]; taken && value != "" && (creating || owner != uuid) {
			return u.clash(r, creating)
		}
	}
	return nil
}

func (t *table[T, P]) own(r *T, uuid string) {
	for _, u := range t.uniques {
		if value := u.value(r); value != "" {
			u.owners[value] = uuid
		}
	}
}

func (t *table[T, P]) disown(r *T) {
	for _, u := range t.uniques {
		delete(u.owners, u.value(r))
	}
}

func (t *table[T, P]) touch(uuid string) {
	if t.dirty != nil {
		t.dirty[uuid] = true
	}
}
