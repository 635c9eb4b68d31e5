package db

import (
	"fmt"
	"slices"
)

// load reads a folder into an empty store.
func (s *Store) load(folder string) error {
	hasNode := func(uuid string) bool { return s.Nodes.rows[uuid] != nil }
	for _, t := range s.tables() {
		if err := t.load(folder, hasNode); err != nil {
			return err
		}
	}
	return readFolder(folder, detailsName, func(uuid string, content []byte) error {
		d := &details{}
		if err := decode(content, d); err != nil {
			return err
		}
		if hasNode(uuid) {
			s.details[uuid] = d
		}
		for _, entry := range d.History {
			s.historyID = max(s.historyID, entry.ID+1)
		}
		return nil
	})
}

// load reads the files of the table. It ignores the rows of a missing node, because an interrupted removal left them.
func (t *Table[T, P]) load(folder string, hasNode func(uuid string) bool) error {
	var rows []*T
	err := readFolder(folder, t.name, func(name string, content []byte) error {
		r := new(T)
		if err := decode(content, r); err != nil {
			return err
		}
		if own := *P(r).meta().uuid; fileName(own) != name {
			return fmt.Errorf("it holds %q", own)
		}
		rows = append(rows, r)
		return nil
	})
	if err != nil {
		return err
	}
	// Insert the rows in the order of their creation, because the highest ID determines the next one.
	slices.SortFunc(rows, func(a, b *T) int {
		return *P(a).meta().id - *P(b).meta().id
	})
	for _, r := range rows {
		if t.node != nil && t.node(r) != "" && !hasNode(t.node(r)) {
			continue
		}
		if err := t.insert(r); err != nil {
			return fmt.Errorf("the lab's state contradicts itself: %w", err)
		}
	}
	return nil
}
