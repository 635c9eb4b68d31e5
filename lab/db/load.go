package db

import (
	"fmt"
	"slices"
)

// load reads a folder into an empty store.
func (s *Store) load(folder string) error {
	if err := loadTable(folder, s.Nodes, nil); err != nil {
		return err
	}
	// Rows of a missing node were left by an interrupted removal.
	hasNode := func(uuid string) bool { return s.Nodes.rows[uuid] != nil }
	if err := loadTable(folder, s.Portgroups, func(g *Portgroup) bool { return hasNode(g.NodeUUID) }); err != nil {
		return err
	}
	if err := loadTable(folder, s.Ports, func(p *Port) bool { return hasNode(p.NodeUUID) }); err != nil {
		return err
	}
	if err := loadTable(folder, s.Allocations, func(a *Allocation) bool {
		return a.NodeUUID == "" || hasNode(a.NodeUUID)
	}); err != nil {
		return err
	}
	if err := loadTable(folder, s.DeployTemplates, nil); err != nil {
		return err
	}
	if err := loadTable(folder, s.InspectionRules, nil); err != nil {
		return err
	}
	if err := loadTable(folder, s.Chassis, nil); err != nil {
		return err
	}
	if err := loadTable(folder, s.VolumeConnectors, func(v *VolumeConnector) bool { return hasNode(v.NodeUUID) }); err != nil {
		return err
	}
	if err := loadTable(folder, s.VolumeTargets, func(v *VolumeTarget) bool { return hasNode(v.NodeUUID) }); err != nil {
		return err
	}
	if err := loadTable(folder, s.Runbooks, nil); err != nil {
		return err
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

func loadTable[T any, P row[T]](folder string, t *Table[T, P], keep func(*T) bool) error {
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
		if keep != nil && !keep(r) {
			continue
		}
		if err := t.insert(r); err != nil {
			return fmt.Errorf("the lab's state contradicts itself: %w", err)
		}
	}
	return nil
}
