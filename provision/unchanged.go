package provision

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"ironworks/models"
)

// checkedFields are those of a node that decide what a deployment does to it. Who has
// seen the checks has agreed to what these lead to.
func checkedFields() []string {
	return []string{
		"provision_state", "maintenance", "driver", "deploy_interface", "boot_interface", "driver_info", "instance_info", "properties", "target_raid_config",
	}
}

// unchanged looks once more at a node that was reserved, before anything else is written
// to it: between the checks and somebody's yes another may have given it other hints.
func (a *DeployAction) unchanged(n *models.Node) func(ctx context.Context, api API) error {
	return func(ctx context.Context, api API) error {
		now, err := api.Node(ctx, n.UUID)
		if err != nil {
			return err
		}
		var before, after map[string]any
		if json.Unmarshal(n.Raw, &before) != nil || json.Unmarshal(now.Raw, &after) != nil {
			return refusal(a, n, models.RefusedState, "what Ironic says of the node cannot be compared with what was checked", "")
		}
		if a.of(n).allocate != nil { // which has given the instance its traits
			for _, node := range []map[string]any{before, after} {
				if info, is := node["instance_info"].(map[string]any); is {
					delete(info, "traits")
				}
			}
		}
		var changed []string
		for _, field := range checkedFields() {
			if !reflect.DeepEqual(before[field], after[field]) {
				changed = append(changed, field)
			}
		}
		if changed != nil {
			return refusal(a, n, models.RefusedState, "changed since the checks: "+strings.Join(changed, ", "), "look at it again, and deploy it anew")
		}
		return nil
	}
}
