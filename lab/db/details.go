package db

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// maxHistory is the default of the node_history_max_entries option.
const maxHistory = 300

// details holds the node data that is not part of the node's row, such as the history. It is changed in place, under
// the store's lock, and copied when it is read.
type details struct {
	History   []History     `json:",omitempty"`
	Inventory *Inventory    `json:",omitempty"`
	BIOS      []BIOSSetting `json:",omitempty"`
	Firmware  []Firmware    `json:",omitempty"`
}

// detailsOf returns the details of a node, which the caller must not change. s.mu must be held.
func (s *Store) detailsOf(node string) details {
	if d := s.details[node]; d != nil {
		return *d
	}
	return details{}
}

// changeDetails calls change with the details of an existing node, and marks them as changed. s.mu must be held.
func (s *Store) changeDetails(node string, change func(*details)) error {
	if _, err := s.Nodes.get(node); err != nil {
		return err
	}
	d := s.details[node]
	if d == nil {
		d = &details{}
		s.details[node] = d
	}
	change(d)
	s.detailsChanged(node)
	s.changed()
	return nil
}

// History returns the history of a node, the oldest entry first.
func (s *Store) History(node string) []History {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return cloneAll(s.detailsOf(node).History)
}

// AddHistory adds the entry to its node's history and returns it with a new ID and the current time. An entry without
// a UUID gets a new one. If the history is full, the oldest entry is removed. If the node does not exist, nothing is
// stored.
func (s *Store) AddHistory(entry History) History {
	entry = *Clone(&entry)
	if entry.UUID == "" {
		entry.UUID = uuid.NewString()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.ID, entry.CreatedAt = s.historyID, s.now()
	_ = s.changeDetails(entry.NodeUUID, func(d *details) {
		s.historyID++
		d.History = append(d.History, *Clone(&entry))
		if surplus := len(d.History) - maxHistory; surplus > 0 {
			d.History = slices.Delete(d.History, 0, surplus)
		}
	})
	return entry
}

// Inventory returns the results of a node's inspection, and reports whether there are any.
func (s *Store) Inventory(node string) (Inventory, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := s.detailsOf(node).Inventory
	if found == nil {
		return Inventory{}, false
	}
	return *Clone(found), true
}

// SetInventory replaces the results of a node's inspection.
func (s *Store) SetInventory(node string, inventory Inventory) error {
	inventory = *Clone(&inventory)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeDetails(node, func(d *details) { d.Inventory = &inventory })
}

// BIOS returns a node's BIOS settings as they were last read from the BMC.
func (s *Store) BIOS(node string) []BIOSSetting {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return cloneAll(s.detailsOf(node).BIOS)
}

// SetBIOS replaces all BIOS settings of a node. A setting with the name of an existing one keeps the old creation
// time. Settings that already have a creation time, because they come from [Store.BIOS], are stored unchanged.
func (s *Store) SetBIOS(node string, settings []BIOSSetting) error {
	settings = cloneAll(settings)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeDetails(node, func(d *details) {
		stamp(s.now, settings, d.BIOS, func(b *BIOSSetting) (name string, created, updated *time.Time) {
			return b.Name, &b.CreatedAt, &b.UpdatedAt
		})
		d.BIOS = settings
	})
}

// stamp sets the creation and update times of fresh items, depending on the known items with the same names. The
// function of returns the name of an item, and pointers to its times.
func stamp[T any](
	now func() time.Time, fresh, known []T, of func(*T) (name string, created, updated *time.Time),
) {
	for i := range fresh {
		name, created, updated := of(&fresh[i])
		if !created.IsZero() {
			continue
		}
		*created, *updated = now(), noTime
		for j := range known {
			if old, since, _ := of(&known[j]); old == name {
				*created, *updated = *since, now()
			}
		}
	}
}

// Firmware returns a node's firmware components as they were last read from the BMC.
func (s *Store) Firmware(node string) []Firmware {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return cloneAll(s.detailsOf(node).Firmware)
}

// SetFirmware replaces all firmware components of a node. It sets the creation and update times like [Store.SetBIOS].
func (s *Store) SetFirmware(node string, components []Firmware) error {
	components = cloneAll(components)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeDetails(node, func(d *details) {
		stamp(s.now, components, d.Firmware, func(f *Firmware) (name string, created, updated *time.Time) {
			return f.Component, &f.CreatedAt, &f.UpdatedAt
		})
		d.Firmware = components
	})
}
