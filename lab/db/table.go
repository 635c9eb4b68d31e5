package db

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// meta holds pointers to the columns that every row has.
type meta struct {
	id               *int
	uuid             *string
	created, updated *time.Time
}

// unique describes a value that no two rows may share, unless it is empty.
type unique[T any] struct {
	value func(*T) string
	// clash returns the error for a row whose value another row already has.
	clash func(r *T, creating bool) error
	// owners maps each value to the UUID of the row that has it.
	owners map[string]string
}

// Table holds rows by UUID and in the order of their IDs. Each method takes effect completely or not at all. A stored
// row never changes: an update replaces it, so a reader may keep using the old row without the lock.
type Table[T any] struct {
	store   *Store
	name    string
	meta    func(*T) meta
	rows    map[string]*T
	order   []*T
	nextID  int
	uniques []unique[T]
	named   int // index of the name in uniques
	// exists returns the error for a UUID that already exists. missing returns the error for an unknown UUID.
	exists  func(uuid string) error
	missing func(uuid string) error
	// dirty contains the UUIDs of the rows that differ from their files on disk. It is nil for an in-memory store.
	dirty map[string]bool

	// node returns the UUID of the node to which a row belongs. It is nil for rows that do not belong to nodes.
	node func(r *T) string

	// These functions implement the rules of the table; each is nil if the table has no such rule. complete sets the
	// defaults of a new row. changing applies the consequences of a change. keeps returns an error if a row must not
	// be removed. removed removes the objects that belonged to a removed row.
	complete func(r *T)
	changing func(old, r *T)
	keeps    func(r *T) error
	removed  func(uuid string) error
}

func newTable[T any](
	s *Store, name string, meta func(*T) meta, exists, missing func(string) error, uniques ...unique[T],
) *Table[T] {
	for i := range uniques {
		uniques[i].owners = map[string]string{}
	}
	return &Table[T]{
		store: s, name: name, meta: meta, rows: map[string]*T{}, nextID: 1, uniques: uniques,
		exists: exists, missing: missing,
	}
}

// List returns copies of the rows for which keep returns true, in the order of their creation. If keep is nil, it
// returns copies of all rows. keep must neither change nor store its argument.
func (t *Table[T]) List(keep func(*T) bool) []*T {
	kept := t.Scan(keep)
	for i, r := range kept {
		kept[i] = Clone(r)
	}
	return kept
}

// Scan is like List, but does not copy the rows. The caller may keep the rows, but must not change them.
func (t *Table[T]) Scan(keep func(*T) bool) []*T {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return t.scan(keep)
}

// Get returns a copy of the row with the given UUID. If there is none, the error is a 404 [Fault].
func (t *Table[T]) Get(uuid string) (*T, error) {
	r, err := t.Peek(uuid)
	if err != nil {
		return nil, err
	}
	return Clone(r), nil
}

// Peek is like Get, but does not copy the row. The caller may keep the row, but must not change it.
func (t *Table[T]) Peek(uuid string) (*T, error) {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return t.get(uuid)
}

// ByName returns a copy of the row with the given name.
func (t *Table[T]) ByName(name string) (*T, error) {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	uuid, ok := t.uniques[t.named].owners[name]
	if !ok || name == "" {
		return nil, t.missing(name)
	}
	return Clone(t.rows[uuid]), nil
}

// Create adds a row. It sets the row's ID and creation time, and also its UUID if the row has none.
func (t *Table[T]) Create(given *T) (*T, error) {
	r := Clone(given)
	m := t.meta(r)
	if *m.uuid == "" {
		*m.uuid = uuid.NewString()
	}
	if t.complete != nil {
		t.complete(r)
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	*m.id, *m.created, *m.updated = t.nextID, t.store.now(), noTime
	if err := t.insert(r); err != nil {
		return nil, err
	}
	t.store.changed()
	return Clone(r), nil
}

// Update changes a row. It calls change with a copy of the row, sets the copy's UpdatedAt and saves the copy, unless
// change returns an error.
func (t *Table[T]) Update(uuid string, change func(*T) error) (*T, error) {
	return t.update(uuid, change, true)
}

// Touch is like Update, but does not change UpdatedAt.
func (t *Table[T]) Touch(uuid string, change func(*T) error) (*T, error) {
	return t.update(uuid, change, false)
}

func (t *Table[T]) update(uuid string, change func(*T) error, stamp bool) (*T, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	old, err := t.get(uuid)
	if err != nil {
		return nil, err
	}
	r := Clone(old)
	if err := change(r); err != nil {
		return nil, err
	}
	// An update can change neither the ID, the UUID nor the creation time.
	was, m := t.meta(old), t.meta(r)
	*m.id, *m.uuid, *m.created = *was.id, *was.uuid, *was.created
	if t.changing != nil {
		t.changing(old, r)
	}
	if stamp {
		*m.updated = t.store.now()
	}
	if err := t.replace(r); err != nil {
		return nil, err
	}
	t.store.changed()
	return Clone(r), nil
}

// Destroy removes a row and everything that belongs to it.
func (t *Table[T]) Destroy(uuid string) error {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	r, err := t.get(uuid)
	if err == nil && t.keeps != nil {
		err = t.keeps(r)
	}
	if err != nil {
		return err
	}
	t.remove(r)
	t.store.changed()
	if t.removed != nil {
		return t.removed(uuid)
	}
	return nil
}

func (t *Table[T]) get(uuid string) (*T, error) {
	r, ok := t.rows[uuid]
	if !ok {
		return nil, t.missing(uuid)
	}
	return r, nil
}

// scan is like Scan, but the caller holds the lock.
func (t *Table[T]) scan(keep func(*T) bool) []*T {
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

// insert adds a new row. The row then belongs to the table, and the caller must not change it.
func (t *Table[T]) insert(r *T) error {
	m := t.meta(r)
	if err := t.checkUniques(r, *m.uuid, true); err != nil {
		return err
	}
	if _, taken := t.rows[*m.uuid]; taken {
		return t.exists(*m.uuid)
	}
	at, _ := t.find(*m.id)
	t.order = slices.Insert(t.order, at, r)
	t.nextID = max(t.nextID, *m.id+1)
	t.put(r)
	return nil
}

// replace stores r in place of the row with the same UUID.
func (t *Table[T]) replace(r *T) error {
	m := t.meta(r)
	if err := t.checkUniques(r, *m.uuid, false); err != nil {
		return err
	}
	t.disown(t.rows[*m.uuid])
	at, _ := t.find(*m.id)
	t.order[at] = r
	t.put(r)
	return nil
}

func (t *Table[T]) put(r *T) {
	uuid := *t.meta(r).uuid
	t.rows[uuid] = r
	for _, u := range t.uniques {
		if value := u.value(r); value != "" {
			u.owners[value] = uuid
		}
	}
	t.touch(uuid)
}

func (t *Table[T]) remove(r *T) {
	m := t.meta(r)
	at, _ := t.find(*m.id)
	t.order = slices.Delete(t.order, at, at+1)
	delete(t.rows, *m.uuid)
	t.disown(r)
	t.touch(*m.uuid)
}

// removeOf removes the rows that belong to a removed node.
func (t *Table[T]) removeOf(node string) {
	if t.node == nil {
		return
	}
	for _, r := range t.scan(func(r *T) bool { return t.node(r) == node }) {
		t.remove(r)
	}
}

func (t *Table[T]) find(id int) (int, bool) {
	return slices.BinarySearchFunc(t.order, id, func(r *T, id int) int { return cmp.Compare(*t.meta(r).id, id) })
}

func (t *Table[T]) checkUniques(r *T, uuid string, creating bool) error {
	for _, u := range t.uniques {
		value := u.value(r)
		if owner, taken := u.owners[value]; taken && value != "" && (creating || owner != uuid) {
			return u.clash(r, creating)
		}
	}
	return nil
}

func (t *Table[T]) disown(r *T) {
	for _, u := range t.uniques {
		delete(u.owners, u.value(r))
	}
}

func (t *Table[T]) touch(uuid string) {
	if t.dirty != nil {
		t.dirty[uuid] = true
	}
}
