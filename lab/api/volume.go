package api

import (
	"net/http"

	"ironworks/lab/db"
)

// volumeVersion is the minor version that introduced volumes.
const volumeVersion = 32

var (
	connectorSchema = &schema{
		Types: []string{"object"}, Required: []string{"connector_id", "node_uuid", "type"}, Closed: true,
		Properties: map[string]*schema{
			"connector_id": plainText, "extra": objectOrNull, "node_uuid": plainText, "type": plainText, "uuid": textOrNull,
		},
	}
	targetSchema = &schema{
		Types: []string{"object"}, Required: []string{"boot_index", "node_uuid", "volume_id", "volume_type"}, Closed: true,
		Properties: map[string]*schema{
			"boot_index": {Types: []string{"integer"}}, "extra": objectOrNull, "node_uuid": plainText,
			"properties": objectOrNull, "uuid": textOrNull, "volume_id": plainText, "volume_type": plainText,
		},
	}
)

// routeVolume handles /volume and everything below it. If the path is below a node, parent identifies the node;
// otherwise parent is empty.
func (c *call) routeVolume(rest []string, parent string) (any, error) {
	if len(rest) == 0 {
		return methods{http.MethodGet: func() (any, error) { return c.showVolume(parent) }}.serve(c)
	}
	if !c.atLeast(volumeVersion) {
		return nil, errNoRoute
	}
	switch rest[0] {
	case "connectors":
		return c.connectors(parent).resource().serve(c, rest[1:])
	case "targets":
		return c.targets(parent).resource().serve(c, rest[1:])
	}
	if c.request.Method == http.MethodGet {
		return nil, pythonError("VolumeController.get() takes 1 positional argument but %d were given", len(rest)+1)
	}
	return nil, notAllowed(http.MethodGet)
}

// showVolume returns the links to connectors and targets. Like Ironic, it does not check that the node exists.
func (c *call) showVolume(parent string) (any, error) {
	if !c.atLeast(volumeVersion) {
		return nil, notServed(http.StatusNotFound, notSupported)
	}
	if err := c.unexpected("VolumeController.get"); err != nil {
		return nil, err
	}
	path := "volume"
	if parent != "" {
		path = "nodes/" + parent + "/volume"
	}
	return inOrder("volume", map[string]any{
		"links": c.links(path + "/"), "connectors": c.links(path + "/connectors"), "targets": c.links(path + "/targets"),
	}), nil
}

func (c *call) connectors(parent string) volumes[db.VolumeConnector] {
	return volumes[db.VolumeConnector]{
		collection: collection[db.VolumeConnector]{
			call: c, name: "connectors", path: "volume/connectors", columns: connectorColumns,
			table: c.tables().VolumeConnectors,
			compute: func(v *db.VolumeConnector, values map[string]any) { // never null
				values["type"], values["connector_id"] = v.Type, v.ConnectorID
			},
		},
		parent: parent, kind: "connector", class: "VolumeConnectorsController", schema: connectorSchema,
		standard:  []string{"uuid", "node_uuid", "type", "connector_id"},
		patchable: []string{"connector_id", "extra", "node_uuid", "type"}, unsortable: []string{"extra"},
		fields: []string{"connector_id", "created_at", "extra", "links", "node_uuid", "type", "updated_at", "uuid"},
	}
}

func (c *call) targets(parent string) volumes[db.VolumeTarget] {
	return volumes[db.VolumeTarget]{
		collection: collection[db.VolumeTarget]{
			call: c, name: "targets", path: "volume/targets", columns: targetColumns, table: c.tables().VolumeTargets,
			compute: func(v *db.VolumeTarget, values map[string]any) { // never null
				values["volume_type"], values["volume_id"] = v.VolumeType, v.VolumeID
			},
			fill: func(v *db.VolumeTarget, document map[string]any) { document["properties"] = maskSecrets(v.Properties) },
		},
		parent: parent, kind: "target", class: "VolumeTargetsController", schema: targetSchema,
		standard:   []string{"uuid", "node_uuid", "volume_type", "boot_index", "volume_id"},
		unsortable: []string{"extra", "properties"},
		patchable:  []string{"boot_index", "extra", "node_uuid", "properties", "volume_id", "volume_type"},
		fields: []string{
			"boot_index", "created_at", "extra", "links", "node_uuid", "properties", "updated_at", "uuid", "volume_id",
			"volume_type",
		},
	}
}
