package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"ironworks/models/hints"
)

// Package hints matches disks with root device hints. This file converts values and errors between that package and
// the agent.

// generation converts a to the corresponding generation of hint rules.
func (a generation) generation() hints.Generation {
	if a == legacyAgent {
		return hints.GenerationOld
	}
	return hints.GenerationNewest
}

// hintsOf parses a node's root device hints.
func hintsOf(value any) (hints.Hints, error) {
	given, err := hints.Decode([]byte(dump(value)))
	if err != nil {
		return hints.Hints{}, fmt.Errorf("reading root device hints: %w", err)
	}
	return given, nil
}

// hintDisks converts disks to the type of package hints.
func hintDisks(disks []Disk) ([]hints.Disk, error) {
	if len(disks) == 0 {
		return nil, nil // a RAID controller without volumes hides all drives
	}
	raw, err := json.Marshal(disks)
	if err != nil {
		return nil, fmt.Errorf("writing the disks: %w", err)
	}
	return hints.DecodeDisks(raw)
}

// hintFault converts an error of package hints to the error that the agent reports.
func hintFault(err error) error {
	var e *hints.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.NotFound():
		return newFault(deviceNotFound, "%s", e.Text)
	}
	return raise(e.Class, "%s", e.Text)
}

// matching returns the names of the disks that satisfy all hints, in the order of the disks.
func (a generation) matching(disks []Disk, hints *dict) (list, error) {
	given, err := hintsOf(hints)
	if err != nil {
		return nil, err
	}
	all, err := hintDisks(disks)
	if err != nil {
		return nil, err
	}
	names := list{}
	for d, err := range given.Matching(all, a.generation()) {
		if err != nil {
			return nil, hintFault(err)
		}
		names = append(names, d.Name)
	}
	return names, nil
}
