package ironicclient

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// collect reads a whole collection, page by page with markers. The rows' key is the last part of the path.
func collect[T any](ctx context.Context, c *Client, cl call) ([]T, error) {
	key := path.Base(cl.path)
	if cl.query == nil {
		cl.query = url.Values{}
	}
	cl.query.Set("detail", "true")
	var all []T
	seen := map[string]bool{}
	for {
		page, err := read[map[string]json.RawMessage](ctx, c, cl)
		if err != nil {
			return nil, err
		}
		var rows []T
		if err := json.Unmarshal(page[key], &rows); err != nil {
			return nil, &models.Fault{Kind: models.FaultBadAnswer, Op: cl.op, Err: err, Message: "no readable " + key + " in the response"}
		}
		ids := rowIDs(page[key])
		fresh := 0
		for i, id := range ids {
			if !seen[id] {
				seen[id] = true
				all = append(all, rows[i])
				fresh++
			}
		}
		switch {
		case len(rows) == 0 || page["next"] == nil:
			return all, nil
		case fresh == 0:
			return nil, &models.Fault{Kind: models.FaultRepeatedPage, Op: cl.op, Message: "the server repeats a page of " + key}
		}
		cl.query.Set("marker", ids[len(ids)-1])
	}
}

// rowIDs returns the ID of each row, which serves as marker: the UUID or, of a conductor, the host name.
func rowIDs(rows json.RawMessage) []string {
	var list []struct {
		UUID     string `json:"uuid"`
		Hostname string `json:"hostname"`
	}
	_ = json.Unmarshal(rows, &list) // a row without an ID ends the listing
	ids := make([]string, len(list))
	for i, row := range list {
		ids[i] = cmp.Or(row.UUID, row.Hostname)
	}
	return ids
}

func ofNode(nouns, path, node string) call {
	return call{op: "list the " + nouns + " of node " + printable.Line(node), path: path, query: url.Values{"node": {node}}}
}

// Ports lists a node's ports.
func (c *Client) Ports(ctx context.Context, node string) ([]models.Port, error) {
	return collect[models.Port](ctx, c, ofNode("ports", "ports", node))
}

// PortsAt lists the port with the given MAC address, if there is one.
func (c *Client) PortsAt(ctx context.Context, mac string) ([]models.Port, error) {
	return collect[models.Port](ctx, c, call{
		op: "find the port with the address " + printable.Line(mac), path: "ports", query: url.Values{"address": {mac}},
	})
}

// Portgroups lists a node's port groups.
func (c *Client) Portgroups(ctx context.Context, node string) ([]models.Portgroup, error) {
	return collect[models.Portgroup](ctx, c, ofNode("port groups", "portgroups", node))
}

// RawPorts lists ports with all fields. If node is not empty, it lists only the ports of that node.
func (c *Client) RawPorts(ctx context.Context, node string) ([]map[string]any, error) {
	return c.rawParts(ctx, "ports", node)
}

// RawPortgroups lists port groups with all fields. If node is not empty, it lists only the port groups of that node.
func (c *Client) RawPortgroups(ctx context.Context, node string) ([]map[string]any, error) {
	return c.rawParts(ctx, "portgroups", node)
}

func (c *Client) rawParts(ctx context.Context, path, node string) ([]map[string]any, error) {
	cl := call{op: "list " + path, path: path}
	if node != "" {
		cl = ofNode(path, path, node)
	}
	return collect[map[string]any](ctx, c, cl)
}

// RawPort reads a port with all fields, given its UUID or, since API 1.88, its name.
func (c *Client) RawPort(ctx context.Context, id string) (map[string]any, error) {
	return read[map[string]any](ctx, c, call{op: "read port " + printable.Line(id), path: segments("ports", id)})
}

// RawPortgroup reads a port group with all fields, given its UUID or name.
func (c *Client) RawPortgroup(ctx context.Context, id string) (map[string]any, error) {
	return read[map[string]any](ctx, c, call{op: "read port group " + printable.Line(id), path: segments("portgroups", id)})
}

// Allocation fetches one allocation by UUID or name.
func (c *Client) Allocation(ctx context.Context, id string) (*models.Allocation, error) {
	a, err := read[models.Allocation](ctx, c, call{op: "get allocation " + printable.Line(id), path: segments("allocations", id)})
	return &a, err
}

// Conductors lists the conductors with their drivers.
func (c *Client) Conductors(ctx context.Context) ([]models.Conductor, error) {
	return collect[models.Conductor](ctx, c, call{op: "list conductors", path: "conductors"})
}

// DeployTemplates lists the deploy templates with their steps.
func (c *Client) DeployTemplates(ctx context.Context) ([]models.DeployTemplate, error) {
	return collect[models.DeployTemplate](ctx, c, call{op: "list deploy templates", path: "deploy_templates"})
}

// InspectionRules lists the inspection rules in the order in which they were created. They are returned as Ironic
// sends them: in sensitive rules, the conditions and actions are null.
func (c *Client) InspectionRules(ctx context.Context) ([]json.RawMessage, error) {
	return collect[json.RawMessage](ctx, c, call{
		op: "list inspection rules", path: "inspection_rules", feature: models.FeatureInspectionRules,
	})
}

// RawDeployTemplates lists the deploy templates as Ironic sends them. Ironic masks secrets in step arguments.
func (c *Client) RawDeployTemplates(ctx context.Context) ([]json.RawMessage, error) {
	return collect[json.RawMessage](ctx, c, call{op: "list deploy templates", path: "deploy_templates"})
}

// RawRunbooks lists the runbooks as Ironic sends them. Ironic masks secrets in step arguments.
func (c *Client) RawRunbooks(ctx context.Context) ([]json.RawMessage, error) {
	return collect[json.RawMessage](ctx, c, call{op: "list runbooks", path: "runbooks", feature: models.FeatureRunbooks})
}

// Drivers lists the enabled hardware types with the interfaces that each allows.
func (c *Client) Drivers(ctx context.Context) ([]models.Driver, error) {
	out, err := read[struct {
		Drivers []map[string]json.RawMessage `json:"drivers"`
	}](ctx, c, call{op: "list drivers", path: "drivers", query: url.Values{"detail": {"true"}}})
	if err != nil {
		return nil, err
	}
	list := make([]models.Driver, len(out.Drivers))
	for i, raw := range out.Drivers {
		list[i] = driverOf(raw)
	}
	slices.SortFunc(list, func(a, b models.Driver) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// driverOf converts a driver from the API's form. It collects default_X_interface and enabled_X_interfaces under X.
func driverOf(raw map[string]json.RawMessage) models.Driver {
	d := models.Driver{Default: map[string]string{}, Enabled: map[string][]string{}}
	_ = json.Unmarshal(raw["name"], &d.Name)
	_ = json.Unmarshal(raw["type"], &d.Type)
	_ = json.Unmarshal(raw["hosts"], &d.Hosts)
	for key, value := range raw {
		prefix, kind, _ := strings.Cut(key, "_")
		var name string
		var names []string
		switch {
		case prefix == "default" && strings.HasSuffix(kind, "_interface"):
			if json.Unmarshal(value, &name) == nil && name != "" {
				d.Default[strings.TrimSuffix(kind, "_interface")] = name
			}
		case prefix == "enabled" && strings.HasSuffix(kind, "_interfaces"):
			if json.Unmarshal(value, &names) == nil && len(names) > 0 {
				d.Enabled[strings.TrimSuffix(kind, "_interfaces")] = names
			}
		}
	}
	return d
}

// History lists the entries of a node's history with their complete messages, newest first.
func (c *Client) History(ctx context.Context, node string) ([]models.HistoryEntry, error) {
	out, err := read[struct {
		History []models.HistoryEntry `json:"history"`
	}](ctx, c, call{
		op: "read the history of node " + printable.Line(node), feature: models.FeatureHistory,
		path: segments("nodes", node, "history"), query: url.Values{"detail": {"true"}},
	})
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
	return read[json.RawMessage](ctx, c, call{
		op: "read the inventory of node " + printable.Line(node), feature: models.FeatureInventory,
		path: segments("nodes", node, "inventory"),
	})
}

// BIOS lists the BIOS settings that Ironic has cached for the node. Since API 1.74, they include types and limits.
func (c *Client) BIOS(ctx context.Context, node string) ([]models.BIOSSetting, error) {
	cl := call{op: "read the BIOS settings of node " + printable.Line(node), path: segments("nodes", node, "bios")}
	if v, _ := c.Version(); v.Has(models.FeatureBIOSRegistry) {
		cl.query = url.Values{"detail": {"true"}}
	}
	out, err := read[struct {
		BIOS []models.BIOSSetting `json:"bios"`
	}](ctx, c, cl)
	return out.BIOS, err
}

// Firmware lists the firmware versions that Ironic has cached for the node.
func (c *Client) Firmware(ctx context.Context, node string) ([]models.Firmware, error) {
	out, err := read[struct {
		Firmware []models.Firmware `json:"firmware"`
	}](ctx, c, call{
		op: "read the firmware of node " + printable.Line(node), feature: models.FeatureFirmware,
		path: segments("nodes", node, "firmware"),
	})
	return out.Firmware, err
}

// Volumes lists the volume connectors and volume targets of the node with the given UUID.
func (c *Client) Volumes(ctx context.Context, node string) (v models.Volumes, err error) {
	v = models.Volumes{Connectors: []models.VolumeConnector{}, Targets: []models.VolumeTarget{}}
	connectors, err := collect[models.VolumeConnector](ctx, c, ofNode("volume connectors", "volume/connectors", node))
	if err != nil {
		return v, err
	}
	targets, err := collect[models.VolumeTarget](ctx, c, ofNode("volume targets", "volume/targets", node))
	v.Connectors, v.Targets = append(v.Connectors, connectors...), append(v.Targets, targets...)
	return v, err
}

// VendorMethods lists the methods of a node's vendor interface, sorted by name. Nothing is sent to the BMC.
func (c *Client) VendorMethods(ctx context.Context, node string) ([]models.VendorMethod, error) {
	out, err := read[map[string]models.VendorMethod](ctx, c, call{
		op: "list the vendor methods of node " + printable.Line(node), path: segments("nodes", node, "vendor_passthru", "methods"),
	})
	if err != nil {
		return nil, err
	}
	var list []models.VendorMethod
	for _, name := range slices.Sorted(maps.Keys(out)) {
		m := out[name]
		m.Name = name
		list = append(list, m)
	}
	return list, nil
}

// VIFs lists the IDs of the VIFs attached to a node.
func (c *Client) VIFs(ctx context.Context, node string) ([]string, error) {
	out, err := read[struct {
		VIFs []struct {
			ID string `json:"id"`
		} `json:"vifs"`
	}](ctx, c, call{op: "list the VIFs of node " + printable.Line(node), path: segments("nodes", node, "vifs")})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(out.VIFs))
	for i, v := range out.VIFs {
		ids[i] = v.ID
	}
	return ids, nil
}

// BootDevice reads the node's boot device. It must not be polled, because the conductor asks the BMC each time.
func (c *Client) BootDevice(ctx context.Context, id string) (models.BootDevice, error) {
	return read[models.BootDevice](ctx, c, call{
		op: "read the boot device of node " + printable.Line(id), slow: true,
		path: segments("nodes", id, "management", "boot_device"),
	})
}

// Validate asks Ironic to validate each interface of the node. It must not be polled, because the conductor contacts
// the BMC and the image server each time.
func (c *Client) Validate(ctx context.Context, id string) ([]models.Validation, error) {
	out, err := read[map[string]struct {
		Result *bool           `json:"result"`
		Reason json.RawMessage `json:"reason"`
	}](ctx, c, call{op: "validate node " + printable.Line(id), path: segments("nodes", id, "validate"), slow: true})
	if err != nil {
		return nil, err
	}
	list := make([]models.Validation, 0, len(out))
	for _, name := range slices.Sorted(maps.Keys(out)) {
		list = append(list, models.Validation{Interface: name, Result: out[name].Result, Reason: textOf(out[name].Reason)})
	}
	return list, nil
}

func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil { // null is read as ""
		return string(raw)
	}
	return s
}

// ConsoleState reads the node's console interface, and whether its serial console is enabled.
func (c *Client) ConsoleState(ctx context.Context, id string) (models.ConsoleState, error) {
	return read[models.ConsoleState](ctx, c, call{op: "read the console state of node " + printable.Line(id), path: segments("nodes", id)})
}

// Console reads the address of the node's console. With IPMI, this request ends an open session. It must not be
// polled, but sent only when an operator opens the console.
func (c *Client) Console(ctx context.Context, id string) (models.ConsoleAddress, error) {
	return read[models.ConsoleAddress](ctx, c, call{
		op: "read the console address of node " + printable.Line(id), path: segments("nodes", id, "states", "console"), slow: true,
	})
}
