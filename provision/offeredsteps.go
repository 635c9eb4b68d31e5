package provision

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"ironworks/models/plan"
)

// OfferedSteps keeps what the agents of nodes offered the last time, a file for each:
// Ironic forgets it at the end of every deployment.
type OfferedSteps struct {
	// Dir is the folder; it is made when it is needed.
	Dir string
}

// plainUUID keeps names of files to what uuids have.
var plainUUID = regexp.MustCompile(`^[0-9a-fA-F-]{1,64}$`)

func (o OfferedSteps) path(uuid string) string { return filepath.Join(o.Dir, uuid+".json") }

// Load is the list of a node, nil when none was kept or it cannot be read.
func (o OfferedSteps) Load(uuid string) *plan.OfferedSteps {
	if !plainUUID.MatchString(uuid) {
		return nil
	}
	data, err := os.ReadFile(o.path(uuid))
	var steps plan.OfferedSteps
	if err != nil || json.Unmarshal(data, &steps) != nil || len(steps.Steps) == 0 {
		return nil
	}
	return &steps
}

// Keep writes the list of a node, whole or not at all.
func (o OfferedSteps) Keep(uuid string, steps *plan.OfferedSteps) error {
	if !plainUUID.MatchString(uuid) {
		return nil
	}
	data, err := json.Marshal(steps)
	if err == nil {
		err = os.MkdirAll(o.Dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("keep the steps of an agent: %w", err)
	}
	temporary, err := os.CreateTemp(o.Dir, ".offered-*")
	if err != nil {
		return fmt.Errorf("keep the steps of an agent: %w", err)
	}
	_, err = temporary.Write(data)
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), o.path(uuid))
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("keep the steps of an agent: %w", err)
	}
	return nil
}
