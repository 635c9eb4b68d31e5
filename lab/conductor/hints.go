package conductor

import (
	"encoding/json"
	"errors"
	"fmt"

	"ironworks/lab/db"
	"ironworks/lab/python"
	"ironworks/models/hints"
)

// checkRootDevice is get_root_device_for_deploy.
func checkRootDevice(n *db.Node) error {
	given, source := n.InstanceInfo["root_device"], "instance_info"
	if !python.Truthy(given) {
		given, source = n.Properties["root_device"], "properties"
	}
	if !python.Truthy(given) {
		return nil
	}
	written, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("reading the root device hints of node %s: %w", n.UUID, err)
	}
	rootHints, err := hints.Decode(written)
	if err != nil {
		return fmt.Errorf("reading the root device hints of node %s: %w", n.UUID, err)
	}
	err = rootHints.Validate(hints.GenerationNewest)
	var raised *hints.Error
	if errors.As(err, &raised) && raised.Class == "ValueError" {
		return invalid("Failed to validate the root device hints %s (from the node's %s) for node %s: %s", rootHints.Repr(), source, n.UUID, raised.Text)
	}
	return err
}
