package api

import (
	"slices"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// nodeFields are the fields of a node's document that are columns, as they can
// be asked for.
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

// defaultNodeFields are those of a list that asks for none.
var defaultNodeFields = []string{
	"instance_uuid", "maintenance", "power_state", "provision_state", "uuid", "name",
}

// fulfilledFields are those of a node's document that are no columns of it.
var fulfilledFields = []string{"allocation_uuid", "chassis_uuid", "conductor"}

// hiddenColumns are columns that are not among the fields.
var hiddenColumns = []string{
	"id", "uuid", "chassis_id", "conductor_affinity", "allocation_id", "version", "created_at", "updated_at",
}

// unsortable are the columns that are no plain values.
var unsortable = []string{
	"properties", "driver_info", "extra", "instance_info", "driver_internal_info", "clean_step", "deploy_step",
	"raid_config", "target_raid_config", "traits", "network_data", "service_step",
}

func isColumn(field string) bool {
	return slices.Contains(nodeFields, field) || slices.Contains(hiddenColumns, field)
}

// fieldVersions are the minor versions that brought fields of nodes.
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

// checkFields refuses fields that the version does not know.
func (c *call) checkFields(fields ...string) error {
	for _, field := range fields {
		if c.minor < fieldVersions[field] {
			return notAcceptable()
		}
	}
	return nil
}

// checkAskedFields is for those of a query: they came with 1.8.
func (c *call) checkAskedFields(fields []string) error {
	if fields != nil && !c.atLeast(8) {
		return notAcceptable()
	}
	return c.checkFields(fields...)
}

// returned is which fields to answer with: nil is all.
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

// column is the value of a node's column as it is shown, except for secrets.
func column(n *db.Node, field string) any {
	if kind, ok := interfaceOf(field); ok {
		return orNull(n.Interfaces[kind])
	}
	switch field {
	case "uuid":
		return n.UUID
	case "created_at":
		return timeText(n.CreatedAt)
	case "updated_at":
		return timeText(n.UpdatedAt)
	case "provision_updated_at":
		return timeText(n.ProvisionUpdatedAt)
	case "inspection_started_at":
		return timeText(n.InspectionStartedAt)
	case "inspection_finished_at":
		return timeText(n.InspectionFinishedAt)
	case "automated_clean":
		return boolOrNull(n.AutomatedClean)
	case "secure_boot":
		return boolOrNull(n.SecureBoot)
	case "disable_power_off":
		return boolOr(n, field, n.DisablePowerOff != nil && *n.DisablePowerOff)
	case "console_enabled":
		return n.ConsoleEnabled
	case "maintenance":
		return n.Maintenance
	case "protected":
		return n.Protected
	case "retired":
		return boolOr(n, field, n.Retired)
	case "conductor_group":
		return n.ConductorGroup
	case "traits":
		if len(n.Traits) == 0 {
			return []string{}
		}
		return slices.Sorted(slices.Values(n.Traits))
	default:
		if dict, ok := dictColumn(n, field); ok {
			return orEmpty(*dict)
		}
		if text, ok := textColumn(n, field); ok {
			if *text == "" && slices.Contains(n.Empty, field) {
				return ""
			}
			return orNull(*text)
		}
		return nil
	}
}

// boolOr is the value of a boolean column, or null if it holds that.
func boolOr(n *db.Node, field string, value bool) any {
	if !value && slices.Contains(n.Null, field) {
		return nil
	}
	return value
}

// dictColumn is where a node has a column that is an object.
func dictColumn(n *db.Node, field string) (*db.Dict, bool) {
	switch field {
	case "driver_info":
		return &n.DriverInfo, true
	case "driver_internal_info":
		return &n.DriverInternalInfo, true
	case "properties":
		return &n.Properties, true
	case "instance_info":
		return &n.InstanceInfo, true
	case "extra":
		return &n.Extra, true
	case "network_data":
		return &n.NetworkData, true
	case "raid_config":
		return &n.RAIDConfig, true
	case "target_raid_config":
		return &n.TargetRAIDConfig, true
	case "clean_step":
		return &n.CleanStep, true
	case "deploy_step":
		return &n.DeployStep, true
	case "service_step":
		return &n.ServiceStep, true
	default:
		return nil, false
	}
}

// textColumn is where a node has a column that is a text or null.
func textColumn(n *db.Node, field string) (*string, bool) {
	switch field {
	case "name":
		return &n.Name, true
	case "instance_uuid":
		return &n.InstanceUUID, true
	case "instance_name":
		return &n.InstanceName, true
	case "driver":
		return &n.Driver, true
	case "provision_state":
		return &n.ProvisionState, true
	case "target_provision_state":
		return &n.TargetProvisionState, true
	case "power_state":
		return &n.PowerState, true
	case "target_power_state":
		return &n.TargetPowerState, true
	case "reservation":
		return &n.Reservation, true
	case "last_error":
		return &n.LastError, true
	case "maintenance_reason":
		return &n.MaintenanceReason, true
	case "fault":
		return &n.Fault, true
	case "health":
		return &n.Health, true
	case "boot_mode":
		return &n.BootMode, true
	case "resource_class":
		return &n.ResourceClass, true
	case "conductor_group":
		return &n.ConductorGroup, true
	case "owner":
		return &n.Owner, true
	case "lessee":
		return &n.Lessee, true
	case "description":
		return &n.Description, true
	case "shard":
		return &n.Shard, true
	case "parent_node":
		return &n.ParentNode, true
	case "protected_reason":
		return &n.ProtectedReason, true
	case "retired_reason":
		return &n.RetiredReason, true
	default:
		return nil, false
	}
}
