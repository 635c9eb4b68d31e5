package api

import (
	"ironworks/lab/db"
)

// portVersions maps fields of ports to the minor versions that introduced them.
var portVersions = map[string]int{
	"internal_info": 18, "pxe_enabled": 19, "local_link_connection": 19, "portgroup_uuid": 24, "physical_network": 34,
	"is_smartnic": 53, "local_link_connection/network_type": 64, "name": 88, "description": 97, "vendor": 100,
	"category": 101, "available_for_dynamic_portgroup": 111,
}

// checkPortFields rejects fields that are newer than the API version. internal_info is not rejected, only hidden.
func (c *call) checkPortFields(fields []string) error {
	for _, field := range fields {
		if field != "internal_info" && c.minor < portVersions[field] {
			return notAcceptable()
		}
	}
	return nil
}

// sortablePort lists the columns by which ports can be sorted.
var sortablePort = []string{
	"id", "uuid", "address", "name", "description", "vendor", "category", "physical_network", "pxe_enabled",
	"is_smartnic", "available_for_dynamic_portgroup", "created_at", "updated_at", "node_id", "portgroup_id",
}

func portColumn(p *db.Port, key string) any {
	switch key {
	case "node_id":
		return p.NodeUUID
	case "portgroup_id":
		return orNull(p.PortgroupUUID)
	case "available_for_dynamic_portgroup":
		return isAvailable(p)
	default:
		return portColumns.shown(p, key)
	}
}

// isAvailable reports whether a port is available for dynamic port groups, which is the default.
func isAvailable(p *db.Port) bool {
	return p.AvailableForDynamicPortgroup == nil || *p.AvailableForDynamicPortgroup
}

func (c *call) ports() collection[db.Port] {
	return collection[db.Port]{
		call: c, name: "ports", path: "ports", columns: portColumns, table: c.tables().Ports, versions: portVersions,
		compute: func(p *db.Port, values map[string]any) { values["available_for_dynamic_portgroup"] = isAvailable(p) },
		fill: func(p *db.Port, document map[string]any) {
			// OVN switches are shown only in versions 1.90 to 1.104.
			if hasKey(p.LocalLinkConnection, "vtep-logical-switch") && (c.minor < 90 || c.minor >= 105) {
				document["local_link_connection"] = db.Dict{}
			}
		},
	}
}

// linkProperties maps the properties of a link in local_link_connection to their schemas.
var linkProperties = map[string]*schema{
	"port_id": plainText, "switch_id": plainText, "hostname": plainText, "switch_info": plainText,
	"network_type":        {Types: []string{"string"}, Enum: []string{"managed", "unmanaged"}},
	"vtep-logical-switch": plainText, "vtep-physical-switch": plainText,
}

func linkSchema(required ...string) *schema {
	return &schema{
		Types: []string{"object"}, Properties: linkProperties, Closed: true, ClosedFirst: true, Required: required,
		Together: map[string][]string{
			"vtep-logical-switch": {"vtep-physical-switch"}, "vtep-physical-switch": {"vtep-logical-switch"},
		},
	}
}

var smartNICSchema = linkSchema("port_id", "hostname")

// connectionSchema is the schema of local_link_connection, which describes the switch port to which a port is
// connected.
var connectionSchema = &schema{AnyOf: []*schema{
	linkSchema("port_id", "switch_id"), smartNICSchema, linkSchema("network_type"),
	linkSchema("port_id", "vtep-logical-switch", "vtep-physical-switch"),
	{Types: []string{"object"}, Closed: true},
}}

func checkConnection(name string, value any) (any, error) {
	if _, err := checkSchema(connectionSchema)(name, value); err != nil {
		return nil, err
	}
	object, _ := value.(map[string]any)
	id, ok := object["switch_id"]
	if !ok {
		return value, nil
	}
	text, _ := id.(string)
	switch mac, isMAC := normalMAC(text); {
	case isMAC:
		object["switch_id"] = mac
	case datapathRule.MatchString(text):
		object["switch_id"] = text
	default:
		return nil, db.Faultf(400, "InvalidSwitchID",
			"Expected a MAC address or OpenFlow datapath ID but received %s.", text)
	}
	return value, nil
}

var portSchema = &schema{
	Types: []string{"object"}, Required: []string{"address"}, Closed: true,
	Properties: map[string]*schema{
		"address": plainText, "extra": objectOrNull, "is_smartnic": boolText, "local_link_connection": objectOrNull,
		"node_ident": plainText, "node_uuid": plainText, "physical_network": longText(nullableText, 64),
		"portgroup_uuid": textOrNull, "pxe_enabled": boolText, "uuid": textOrNull, "name": textOrNull,
		"description": longText(nullableText, 255), "vendor": longText(nullableText, 32),
		"category":                        longText(nullableText, 80),
		"available_for_dynamic_portgroup": {Types: []string{"boolean"}},
	},
	OneOf: []*schema{
		{Required: []string{"node_ident"}, Text: "{'required': ['node_ident']}"},
		{Required: []string{"node_uuid"}, Text: "{'required': ['node_uuid']}"},
	},
}

var portChecks = []param{
	optional("address", checkMAC), optional("node_uuid", checkUUID), optional("is_smartnic", checkBool),
	optional("local_link_connection", checkConnection), optional("portgroup_uuid", checkUUID),
	optional("pxe_enabled", checkBool), optional("uuid", checkUUID),
	optional("available_for_dynamic_portgroup", checkBool),
}

// patchablePort lists the fields of a port that a patch may change.
var patchablePort = []string{
	"address", "extra", "is_smartnic", "local_link_connection", "node_ident", "node_uuid", "physical_network",
	"portgroup_uuid", "pxe_enabled", "name", "description", "vendor", "category", "available_for_dynamic_portgroup",
}
