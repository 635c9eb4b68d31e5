package ironicclient

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

func sortBy[T any](list []T, key func(T) string) {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// Ports lists a node's ports.
func (c *Client) Ports(ctx context.Context, node string) ([]models.Port, error) {
	return collect(ctx, c, "list the ports of node "+printable.Line(node), "ports",
		func(p models.Port) string { return p.UUID }, "node", node, "detail", "true")
}

// PortsAt lists the port with the given MAC address, if there is one.
func (c *Client) PortsAt(ctx context.Context, mac string) ([]models.Port, error) {
	return collect(ctx, c, "find the port with the address "+printable.Line(mac), "ports",
		func(p models.Port) string { return p.UUID }, "address", mac, "detail", "true")
}

// Portgroups lists a node's port groups.
func (c *Client) Portgroups(ctx context.Context, node string) ([]models.Portgroup, error) {
	return collect(ctx, c, "list the port groups of node "+printable.Line(node), "portgroups",
		func(p models.Portgroup) string { return p.UUID }, "node", node, "detail", "true")
}

// Allocation fetches one allocation by UUID or name.
func (c *Client) Allocation(ctx context.Context, id string) (*models.Allocation, error) {
	var a models.Allocation
	if err := c.get(ctx, call{op: "get allocation " + printable.Line(id), path: segments("allocations", id)}, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// Conductors lists the conductors with their drivers.
func (c *Client) Conductors(ctx context.Context) ([]models.Conductor, error) {
	return collect(ctx, c, "list conductors", "conductors",
		func(x models.Conductor) string { return x.Hostname }, "detail", "true")
}

// DeployTemplates lists the deploy templates with their steps.
func (c *Client) DeployTemplates(ctx context.Context) ([]models.DeployTemplate, error) {
	return collect(ctx, c, "list deploy templates", "deploy_templates",
		func(t models.DeployTemplate) string { return t.UUID }, "detail", "true")
}

// InspectionRules lists the inspection rules in the order in which they were created. They are returned as Ironic
// sends them: in sensitive rules, the conditions and actions are null.
func (c *Client) InspectionRules(ctx context.Context) ([]json.RawMessage, error) {
	return c.rawCollection(ctx, models.FeatureInspectionRules, "inspection rules", "inspection_rules")
}

// RawDeployTemplates lists the deploy templates as Ironic sends them. Ironic masks secrets in step arguments.
func (c *Client) RawDeployTemplates(ctx context.Context) ([]json.RawMessage, error) {
	return c.rawCollection(ctx, "", "deploy templates", "deploy_templates")
}

// RawRunbooks lists the runbooks as Ironic sends them. Ironic masks secrets in step arguments.
func (c *Client) RawRunbooks(ctx context.Context) ([]json.RawMessage, error) {
	return c.rawCollection(ctx, models.FeatureRunbooks, "runbooks", "runbooks")
}

func (c *Client) rawCollection(ctx context.Context, feature models.Feature, nouns, path string) ([]json.RawMessage, error) {
	id := func(raw json.RawMessage) string {
		var object struct {
			UUID string `json:"uuid"`
		}
		_ = json.Unmarshal(raw, &object) // an object without a UUID ends the listing
		return object.UUID
	}
	return collectSince(ctx, c, feature, "list "+nouns, path, id, "detail", "true")
}

// collect fetches a whole collection, page by page with markers. id returns the marker for a row.
func collect[T any](ctx context.Context, c *Client, op, path string, id func(T) string, query ...string) ([]T, error) {
	return collectSince(ctx, c, "", op, path, id, query...)
}

// collectSince is like collect, for a collection that only servers with the given feature have.
func collectSince[T any](
	ctx context.Context, c *Client, feature models.Feature, op, path string, id func(T) string, query ...string,
) ([]T, error) {
	return collectUnder(ctx, c, call{op: op, path: path, feature: feature}, path, id, query...)
}

// collectIn is like collect, for a collection whose key in the response differs from its path.
func collectIn[T any](ctx context.Context, c *Client, op, path, key string, id func(T) string, query ...string) ([]T, error) {
	return collectUnder(ctx, c, call{op: op, path: path}, key, id, query...)
}

func collectUnder[T any](ctx context.Context, c *Client, read call, key string, id func(T) string, query ...string) ([]T, error) {
	var all []T
	seen := map[string]bool{}
	for {
		var page map[string]json.RawMessage
		read.query = queryOf(query...)
		if err := c.get(ctx, read, &page); err != nil {
			return nil, err
		}
		var rows []T
		if err := json.Unmarshal(page[key], &rows); err != nil {
			return nil, &models.Fault{Kind: models.FaultBadAnswer, Op: read.op, Err: err, Message: "no readable " + key + " in the response"}
		}
		fresh := 0
		for _, r := range rows {
			if !seen[id(r)] {
				seen[id(r)] = true
				all = append(all, r)
				fresh++
			}
		}
		switch {
		case len(rows) == 0 || page["next"] == nil:
			return all, nil
		case fresh == 0:
			return nil, &models.Fault{Kind: models.FaultRepeatedPage, Op: read.op, Message: "the server repeats a page of " + key}
		}
		query = append(withoutMarker(query), "marker", id(rows[len(rows)-1]))
	}
}

func withoutMarker(query []string) []string {
	if n := len(query); n >= 2 && query[n-2] == "marker" {
		return query[:n-2]
	}
	return query
}

// Drivers lists the enabled hardware types with the interfaces that each allows.
func (c *Client) Drivers(ctx context.Context) ([]models.Driver, error) {
	var out struct {
		Drivers []map[string]json.RawMessage `json:"drivers"`
	}
	err := c.get(ctx, call{op: "list drivers", path: "drivers", query: queryOf("detail", "true")}, &out)
	if err != nil {
		return nil, err
	}
	list := make([]models.Driver, 0, len(out.Drivers))
	for _, raw := range out.Drivers {
		list = append(list, driverOf(raw))
	}
	sortBy(list, func(d models.Driver) string { return d.Name })
	return list, nil
}

// driverOf converts a driver from the API's form. It collects default_X_interface and enabled_X_interfaces under X.
func driverOf(raw map[string]json.RawMessage) models.Driver {
	d := models.Driver{Default: map[string]string{}, Enabled: map[string][]string{}}
	_ = json.Unmarshal(raw["name"], &d.Name)
	_ = json.Unmarshal(raw["type"], &d.Type)
	_ = json.Unmarshal(raw["hosts"], &d.Hosts)
	for key, value := range raw {
		if kind, ok := strings.CutSuffix(strings.TrimPrefix(key, "default_"), "_interface"); ok && strings.HasPrefix(key, "default_") {
			var name string
			if json.Unmarshal(value, &name) == nil && name != "" {
				d.Default[kind] = name
			}
		}
		if kind, ok := strings.CutSuffix(strings.TrimPrefix(key, "enabled_"), "_interfaces"); ok && strings.HasPrefix(key, "enabled_") {
			var names []string
			if json.Unmarshal(value, &names) == nil && len(names) > 0 {
				d.Enabled[kind] = names
			}
		}
	}
	return d
}

// History lists the entries of a node's history with their complete messages, newest first.
func (c *Client) History(ctx context.Context, node string) ([]models.HistoryEntry, error) {
	var out struct {
		History []models.HistoryEntry `json:"history"`
	}
	err := c.get(ctx, call{
		op: "read the history of node " + printable.Line(node), feature: models.FeatureHistory,
		path: segments("nodes", node, "history"), query: queryOf("detail", "true"),
	}, &out)
	if err != nil {
		return nil, err
	}
	// Ironic lists the oldest entry first (by ID; db/sqlalchemy/api.py in 39.0.0, get_node_history_by_node_id).
	// Entries with equal times, which are whole seconds on MySQL, must be reversed as well.
	slices.Reverse(out.History)
	slices.SortStableFunc(out.History, func(a, b models.HistoryEntry) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	return out.History, nil
}

// Inventory returns the result of the last inspection: {"inventory": …, "plugin_data": …}.
func (c *Client) Inventory(ctx context.Context, node string) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.get(ctx, call{
		op: "read the inventory of node " + printable.Line(node), feature: models.FeatureInventory,
		path: segments("nodes", node, "inventory"),
	}, &out)
	return out, err
}

// BIOS lists the BIOS settings that Ironic has cached for the node. Since API 1.74, they include types and limits.
func (c *Client) BIOS(ctx context.Context, node string) ([]models.BIOSSetting, error) {
	var out struct {
		BIOS []models.BIOSSetting `json:"bios"`
	}
	read := call{op: "read the BIOS settings of node " + printable.Line(node), path: segments("nodes", node, "bios")}
	if v, _ := c.Version(); v.Has(models.FeatureBIOSRegistry) {
		read.query = queryOf("detail", "true")
	}
	err := c.get(ctx, read, &out)
	return out.BIOS, err
}

// Firmware lists the firmware versions that Ironic has cached for the node.
func (c *Client) Firmware(ctx context.Context, node string) ([]models.Firmware, error) {
	var out struct {
		Firmware []models.Firmware `json:"firmware"`
	}
	err := c.get(ctx, call{
		op: "read the firmware of node " + printable.Line(node), feature: models.FeatureFirmware,
		path: segments("nodes", node, "firmware"),
	}, &out)
	return out.Firmware, err
}

// Volumes lists the volume connectors and volume targets of the node with the given UUID.
func (c *Client) Volumes(ctx context.Context, node string) (v models.Volumes, err error) {
	v = models.Volumes{Connectors: []models.VolumeConnector{}, Targets: []models.VolumeTarget{}}
	op := "of node " + printable.Line(node)
	connectors, err := collectIn(ctx, c, "list the volume connectors "+op, "volume/connectors", "connectors", func(x models.VolumeConnector) string { return x.UUID }, "node", node, "detail", "true")
	if err != nil {
		return v, err
	}
	targets, err := collectIn(ctx, c, "list the volume targets "+op, "volume/targets", "targets", func(x models.VolumeTarget) string { return x.UUID }, "node", node, "detail", "true")
	v.Connectors, v.Targets = append(v.Connectors, connectors...), append(v.Targets, targets...)
	return v, err
}

// VendorMethods lists the methods of a node's vendor interface, sorted by name. Nothing is sent to the BMC.
func (c *Client) VendorMethods(ctx context.Context, node string) ([]models.VendorMethod, error) {
	var out map[string]models.VendorMethod
	err := c.get(ctx, call{op: "list the vendor methods of node " + printable.Line(node), path: segments("nodes", node, "vendor_passthru", "methods")}, &out)
	if err != nil {
		return nil, err
	}
	var list []models.VendorMethod
	for name, m := range out {
		m.Name = name
		list = append(list, m)
	}
	sortBy(list, func(m models.VendorMethod) string { return m.Name })
	return list, nil
}

// VIFs lists the IDs of the VIFs attached to a node.
func (c *Client) VIFs(ctx context.Context, node string) ([]string, error) {
	var out struct {
		VIFs []struct {
			ID string `json:"id"`
		} `json:"vifs"`
	}
	err := c.get(ctx, call{op: "list the VIFs of node " + printable.Line(node), path: segments("nodes", node, "vifs")}, &out)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(out.VIFs))
	for i, v := range out.VIFs {
		ids[i] = v.ID
	}
	return ids, nil
}
