package provision

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"ironworks/atomicfile"
	"ironworks/models/plan"
)

// OfferedSteps stores the steps that the nodes' agents offered last, one file per node: Ironic
// drops them at the end of every deployment.
type OfferedSteps struct {
	// Dir is the folder; it is created when necessary.
	Dir string
}

// plainUUID restricts file names to the characters of a UUID.
var plainUUID = regexp.MustCompile(`^[0-9a-fA-F-]{1,64}$`)

func (o OfferedSteps) path(uuid string) string { return filepath.Join(o.Dir, uuid+".json") }

// Load returns the steps of a node, nil if none are stored or the file is unreadable.
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

// Store stores the steps of a node atomically.
func (o OfferedSteps) Store(uuid string, steps *plan.OfferedSteps) error {
	if !plainUUID.MatchString(uuid) {
		return nil
	}
	data, err := json.Marshal(steps)
	if err == nil {
		err = os.MkdirAll(o.Dir, 0o700)
	}
	if err == nil {
		err = atomicfile.Replace(o.path(uuid), data)
	}
	if err != nil {
		return fmt.Errorf("record the steps of the agent: %w", err)
	}
	return nil
}
