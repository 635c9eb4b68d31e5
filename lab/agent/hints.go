package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"ironworks/models/hints"
)

// What hints mean is in models, which was compared with the real agent; here they
// meet this agent's own values and faults.

// generation is the code that an agent of this age reads hints with.
func (a age) generation() hints.Generation {
	if a == antique {
		return hints.GenerationOld
	}
	return hints.GenerationNewest
}

// hintsOf are hints out of a node.
func hintsOf(value any) (hints.Hints, error) {
	given, err := hints.Decode([]byte(dump(value)))
	if err != nil {
		return hints.Hints{}, fmt.Errorf("reading root device hints: %w", err)
	}
	return given, nil
}

// reported are disks as hints look at them.
func reported(disks []Disk) ([]hints.Disk, error) {
	raw, err := json.Marshal(disks)
	if err != nil {
		return nil, fmt.Errorf("writing the disks: %w", err)
	}
	return hints.DecodeDisks(raw)
}

// hintFault is an error over hints as this agent tells it.
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

// matching names the disks that satisfy all hints, in their order.
func (a age) matching(disks []Disk, hints *dict) (list, error) {
	given, err := hintsOf(hints)
	if err != nil {
		return nil, err
	}
	all, err := reported(disks)
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
