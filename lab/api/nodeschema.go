package api

import (
	"maps"
	"slices"

	"ironworks/lab/db"
)

var (
	textOrNull   = &schema{Types: []string{"string", "null"}}
	objectOrNull = &schema{Types: []string{"object", "null"}}
	boolText     = &schema{Types: []string{"string", "boolean", "null"}}
	plainText    = &schema{Types: []string{"string"}}
)

func longText(types []string, maxLength int) *schema {
	return &schema{Types: types, MaxLength: maxLength}
}

var nullableText = []string{"string", "null"}

// maxDescription is the maximum length of a node's description, in characters.
const maxDescription = 4096

// networkDataSchema covers only the outline of OpenStack's network_data.json. It does not check the content of the
// lists.
var networkDataSchema = &schema{
	Types: []string{"object"}, Required: []string{"links", "networks", "services"},
	Properties: map[string]*schema{
		"links": {Types: []string{"array"}}, "networks": {Types: []string{"array"}}, "services": {Types: []string{"array"}},
	},
}

// nodeProperties contains the schema of each node field that a client may send.
var nodeProperties = map[string]*schema{
	"automated_clean": boolText, "bios_interface": textOrNull, "boot_interface": textOrNull, "boot_mode": textOrNull,
	"chassis_uuid": textOrNull, "conductor_group": textOrNull, "console_enabled": boolText,
	"console_interface": textOrNull, "deploy_interface": textOrNull,
	"description":       longText(nullableText, maxDescription),
	"disable_power_off": boolText, "driver": plainText, "driver_info": objectOrNull, "extra": objectOrNull,
	"firmware_interface": textOrNull, "inspect_interface": textOrNull, "instance_info": objectOrNull,
	"instance_name": {Types: nullableText, MinLength: 1, MaxLength: 255}, "instance_uuid": textOrNull,
	"lessee": textOrNull, "management_interface": textOrNull, "maintenance": boolText, "name": textOrNull,
	"network_data": {AnyOf: []*schema{
		{Types: []string{"null"}}, {Types: []string{"object"}, Closed: true}, networkDataSchema,
	}}, "network_interface": textOrNull, "owner": textOrNull,
	"parent_node": longText(nullableText, 36), "power_interface": textOrNull, "properties": objectOrNull,
	"raid_interface": textOrNull, "rescue_interface": textOrNull, "resource_class": longText(nullableText, 80),
	"retired": boolText, "retired_reason": textOrNull, "secure_boot": boolText, "shard": textOrNull,
	"storage_interface": textOrNull, "uuid": textOrNull, "vendor_interface": textOrNull,
}

var nodeSchema = &schema{
	Types: []string{"object"}, Properties: nodeProperties, Required: []string{"driver"}, Closed: true,
}

// patchedSchema is the schema of a node after a patch. Only a patch may set protected and protected_reason.
var patchedSchema = func() *schema {
	properties := maps.Clone(nodeProperties)
	properties["protected"], properties["protected_reason"] = boolText, textOrNull
	return &schema{Types: []string{"object"}, Properties: properties, Required: []string{"driver"}, Closed: true}
}()

// nodeChecks lists the checks for a node's fields that a schema cannot express.
var nodeChecks = []param{
	optional("automated_clean", checkBool), optional("chassis_uuid", checkUUID), optional("console_enabled", checkBool),
	optional("disable_power_off", checkBool), optional("instance_uuid", checkUUID), optional("protected", checkBool),
	optional("maintenance", checkBool), optional("retired", checkBool), optional("uuid", checkUUID),
}

// checkDict applies the checks to the fields of an object and stores the converted values in the object. It skips
// fields that the object lacks.
func checkDict(value any, checks []param) error {
	fields := object(value)
	for _, p := range checks {
		given, ok := fields[p.name]
		if !ok {
			continue
		}
		checked, err := p.check(p.name, given)
		if err != nil {
			return err
		}
		fields[p.name] = checked
	}
	return nil
}

// checkObject returns a check that first validates an object against a schema, and then applies the checks of the
// individual fields.
func checkObject(s *schema, checks []param) check {
	return func(name string, value any) (any, error) {
		if _, err := checkSchema(s)(name, value); err != nil {
			return nil, err
		}
		return value, checkDict(value, checks)
	}
}

// setColumn sets a field of a node to a checked value. Null sets the field to its zero value.
func setColumn(n *db.Node, field string, value any) {
	if kind, ok := interfaceOf(field); ok {
		setInterface(n, kind, value)
		return
	}
	nodeColumns.set(n, field, value)
	if _, isText := nodeColumns.of(n, field).(*string); isText {
		n.Empty = withOrWithout(n.Empty, field, value == "")
	}
	if _, isBool := value.(bool); field == "retired" || field == "disable_power_off" {
		n.Null = withOrWithout(n.Null, field, !isBool)
	}
}

// withOrWithout returns names with name added if with is true, or with name removed if it is false. names must be
// sorted.
func withOrWithout(names []string, name string, with bool) []string {
	at, found := slices.BinarySearch(names, name)
	switch {
	case with && !found:
		return slices.Insert(names, at, name)
	case !with && found:
		return slices.Delete(names, at, at+1)
	default:
		return names
	}
}

// setInterface sets the node's interface of the given kind. Null selects the default interface. An empty name is
// invalid, but is stored, because a later check rejects it.
func setInterface(n *db.Node, kind string, value any) {
	name, isText := value.(string)
	if !isText {
		delete(n.Interfaces, kind)
		return
	}
	if n.Interfaces == nil {
		n.Interfaces = map[string]string{}
	}
	n.Interfaces[kind] = name
}
