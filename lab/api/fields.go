package api

import (
	"cmp"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// nodeFields lists the columns of a node's row that a request can select as fields of the node's document.
var nodeFields = []string{
	"automated_clean", "bios_interface", "boot_interface", "boot_mode", "clean_step", "conductor_group",
	"console_enabled", "console_interface", "disable_power_off", "deploy_interface", "deploy_step", "description",
	"driver", "driver_info", "driver_internal_info", "extra", "fault", "firmware_interface", "health",
	"inspection_finished_at", "inspection_started_at", "inspect_interface", "instance_info", "instance_name",
	"instance_uuid", "last_error", "lessee", "maintenance", "maintenance_reason", "management_interface", "name",
	"network_data", "network_interface", "owner", "parent_node", "power_interface", "power_state", "properties",
	"protected", "protected_reason", "provision_state", "provision_updated_at", "raid_config", "raid_interface",
	"rescue_interface", "reservation", "resource_class", "retired", "retired_reason", "secure_boot", "service_step",
	"shard", "storage_interface", "target_power_state", "target_provision_state", "target_raid_config", "traits",
	"vendor_interface",
}

// defaultNodeFields contains the fields shown for each node in a list if the request does not select any.
var defaultNodeFields = []string{
	"instance_uuid", "maintenance", "power_state", "provision_state", "uuid", "name",
}

// relatedFields lists the fields of a node's document whose values come from other objects instead of the node's row.
var relatedFields = []string{"allocation_uuid", "chassis_uuid", "conductor"}

// hiddenColumns lists the columns of a node's row that are missing from nodeFields.
var hiddenColumns = []string{
	"id", "uuid", "chassis_id", "conductor_affinity", "allocation_id", "version", "created_at", "updated_at",
}

// unsortable contains the columns of a node's row that hold structured values. Ironic refuses to sort by these
// columns.
var unsortable = []string{
	"properties", "driver_info", "extra", "instance_info", "driver_internal_info", "clean_step", "deploy_step",
	"raid_config", "target_raid_config", "traits", "network_data", "service_step",
}

func isColumn(field string) bool {
	return slices.Contains(nodeFields, field) || slices.Contains(hiddenColumns, field)
}

// fieldVersions maps fields of nodes to the minor versions that introduced them.
var fieldVersions = map[string]int{
	"driver_internal_info": 3, "name": 5, "inspection_finished_at": 6, "inspection_started_at": 6, "clean_step": 7,
	"raid_config": 12, "target_raid_config": 12, "network_interface": 20, "resource_class": 21,
	"boot_interface": 31, "console_interface": 31, "deploy_interface": 31, "inspect_interface": 31,
	"management_interface": 31, "power_interface": 31, "raid_interface": 31, "vendor_interface": 31,
	"storage_interface": 33, "traits": 37, "rescue_interface": 38, "bios_interface": 40, "fault": 42,
	"deploy_step": 44, "conductor_group": 46, "automated_clean": 47, "protected": 48, "protected_reason": 48,
	"conductor": 49, "owner": 50, "description": 51, "allocation_uuid": 52, "events": 54, "retired": 61,
	"retired_reason": 61, "lessee": 65, "network_data": 66, "boot_mode": 75, "secure_boot": 75, "shard": 82,
	"parent_node": 83, "firmware_interface": 86, "service_step": 87, "disable_power_off": 95, "instance_name": 104,
	"health": 109,
}

// checkFields rejects fields that the requested API version does not have.
func (c *call) checkFields(fields ...string) error {
	for _, field := range fields {
		if c.minor < fieldVersions[field] {
			return notAcceptable()
		}
	}
	return nil
}

// checkSelection rejects a selection of fields if the requested API version is older than 1.8.
func (c *call) checkSelection(fields []string) error {
	if fields != nil && !c.atLeast(8) {
		return notAcceptable()
	}
	return nil
}

// checkAskedFields checks the fields that a query for nodes selects.
func (c *call) checkAskedFields(fields []string) error {
	return cmp.Or(c.checkSelection(fields), c.checkFields(fields...))
}

// returned determines which fields a response contains. It returns standard if the request neither selects fields nor
// sets detail to true. It returns nil for all fields.
func (c *call) returned(fields []string, detail *bool, standard []string, detailVersion int) ([]string, error) {
	switch {
	case detail != nil && !c.atLeast(detailVersion):
		return nil, invalidValue("Invalid query parameter ?detail=%s received.", python.Str(*detail))
	case fields != nil && detail != nil && *detail:
		return nil, invalidValue("Can not specify ?detail=True and fields in the same request.")
	case fields == nil && (detail == nil || !*detail):
		return standard, nil
	default:
		return fields, nil
	}
}

// column returns the value of a node's column as the API shows it, except that secrets are not masked.
func column(n *db.Node, field string) any {
	if kind, ok := interfaceOf(field); ok {
		return orNull(n.Interfaces[kind])
	}
	switch field {
	case "disable_power_off":
		return boolOr(n, field, n.DisablePowerOff != nil && *n.DisablePowerOff)
	case "retired":
		return boolOr(n, field, n.Retired)
	case "conductor_group":
		return n.ConductorGroup
	case "traits":
		if len(n.Traits) == 0 {
			return []string{}
		}
		return slices.Sorted(slices.Values(n.Traits))
	}
	value := nodeColumns.shown(n, field)
	if _, isText := nodeColumns.of(n, field).(*string); isText && value == nil && slices.Contains(n.Empty, field) {
		return ""
	}
	return value
}

// boolOr returns the value of a boolean column. If the value is false because the column is null, it returns null.
func boolOr(n *db.Node, field string, value bool) any {
	if !value && slices.Contains(n.Null, field) {
		return nil
	}
	return value
}

func hasKey[T any](object map[string]T, key string) bool {
	_, ok := object[key]
	return ok
}
