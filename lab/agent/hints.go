package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"ironworks/models"
)

// What hints mean is in models, which was compared with the real agent; here they
// meet this agent's own values and faults.

// generation is the code that an agent of this age reads hints with.
func (a age) generation() models.Generation {
	if a == antique {
		return models.GenerationOld
	}
	return models.GenerationNewest
}

// hintsOf are hints out of a node.
func hintsOf(value any) (models.Hints, error) {
	hints, err := models.DecodeHints([]byte(dump(value)))
	if err != nil {
		return models.Hints{}, fmt.Errorf("reading root device hints: %w", err)
	}
	return hints, nil
}

// reported are disks as hints look at them.
func reported(disks []Disk) ([]models.Disk, error) {
	raw, err := json.Marshal(disks)
	if err != nil {
		return nil, fmt.Errorf("writing the disks: %w", err)
	}
	return models.DecodeDisks(raw)
}

// hintFault is an error over hints as this agent tells it.
func hintFault(err error) error {
	var e *models.HintError
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
