package provision

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"ironworks/atomicfile"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/steps"
)

// OfferedSteps stores the steps that each node's agent offered last, in one file per node, because Ironic drops these
// steps at the end of every deployment.
type OfferedSteps struct {
	// Dir is the folder of the files; it is created when necessary.
	Dir string
}

// plainUUID matches strings that consist only of the characters of a UUID and can therefore be file names.
var plainUUID = regexp.MustCompile(`^[0-9a-fA-F-]{1,64}$`)

func (o OfferedSteps) path(uuid string) string { return filepath.Join(o.Dir, uuid+".json") }

// Load returns the steps offered for the node with the given UUID. It returns nil if no steps are stored or the file
// is unreadable.
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

// Store atomically stores the steps offered for the node with the given UUID. It ignores an invalid UUID.
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
		return fmt.Errorf("record the agent's steps: %w", err)
	}
	return nil
}

// StepsOf returns the steps that the node's interfaces offer, and the additional steps that its ramdisk offers.
// offered holds the ramdisk's steps as recorded earlier, or nil; the node's own data takes precedence.
func StepsOf(n *models.Node, offered *plan.OfferedSteps) []steps.Known {
	list := steps.InterfacesOf(n).Offers()
	if now := offeredSteps(n); now != nil {
		offered = now
	}
	if offered == nil {
		return list
	}
	for _, o := range offered.Steps {
		if len(steps.Named(o.Interface, o.Step)) > 0 {
			continue
		}
		k := steps.Known{
			Interface: o.Interface, Name: o.Step, Drivers: []string{steps.Agent}, Kinds: []models.StepKind{models.DeploySteps},
			Description: "from the ramdisk's hardware manager",
		}
		for _, name := range slices.Sorted(maps.Keys(o.Args)) {
			k.Args = append(k.Args, steps.Argument{Name: name, Required: o.Args[name].Required, Description: o.Args[name].Description})
		}
		list = append(list, k)
	}
	return list
}
