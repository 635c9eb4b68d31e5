package provision

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/ports"
	"ironworks/models/request"
	"ironworks/printable"
)

// findPort reads the port whose MAC address, UUID or name is id.
func findPort(ctx context.Context, api PortAPI, id string) (map[string]any, error) {
	if mac, is := models.ParseMAC(id); is {
		at, err := api.PortsAt(ctx, mac)
		switch {
		case err != nil:
			return nil, err
		case len(at) == 0:
			return nil, argumentError("port", "no port has MAC address "+mac, "ironworks port list shows all ports").WithScreenHint("the Network tab of a node lists its ports")
		}
		id = at[0].UUID
	} else if v, _ := api.Version(); uuid.Validate(id) != nil && !v.Has(models.FeaturePortNames) {
		return nil, argumentError("port", fmt.Sprintf("%q is neither a MAC address nor a UUID; %s need API 1.%d, this Ironic has %s",
			printable.Line(id), models.FeaturePortNames, models.FeaturePortNames.Minor(), v), "ironworks port list shows the MAC addresses").
			WithScreenHint("the Network tab of a node shows the MAC addresses")
	}
	return api.RawPort(ctx, id)
}

// CreatePort returns an action that creates a port with a MAC address and settings ([ports.Noun.Parse]).
func CreatePort(ctx context.Context, api PortAPI, node *models.Node, mac string, args []string) (*PortAction, error) {
	settings, err := ports.Port.Parse(append([]string{"address=" + mac}, args...))
	if err != nil {
		return nil, err
	}
	a := &PortAction{name: "port create", api: api}
	body := ports.Body(settings)
	if s := ports.Find(settings, "portgroup"); s != nil && !s.Remove {
		group, err := findGroup(ctx, api, node, models.TextOf(s.Value))
		if err != nil {
			return nil, err
		}
		body["portgroup_uuid"] = uuidOf(group)
		if group["standalone_ports_supported"] == false && body["pxe_enabled"] != false {
			return nil, standaloneError(a.name, groupLabel(group), models.TextOf(body["address"]), "pass pxe_enabled=false")
		}
	}
	if err := a.addPort(ctx, node, body, settings); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *PortAction) addPort(ctx context.Context, node *models.Node, body map[string]any, settings []ports.Setting) error {
	mac := models.TextOf(body["address"])
	if err := checkLink(a.name, body["local_link_connection"]); err != nil {
		return err
	}
	refused, err := a.free(ctx, mac, "", node)
	if err != nil {
		return err
	}
	body["node_uuid"], body["uuid"] = node.UUID, uuid.NewString()
	id := models.TextOf(body["uuid"])
	a.add(node.UUID, portChange{
		noun: ports.Port, request: request.CreatePort(body), settings: settings, created: id, mac: mac, refused: refused,
		done: fmt.Sprintf("created port %s (%s)", mac, id),
	})
	return nil
}

func checkLink(action string, link any) error {
	object, _ := link.(map[string]any)
	if lacks := ports.CheckLink(object); lacks != "" {
		return argumentError(action, "Ironic needs both switch_id and port_id in local_link_connection", "add local_link_connection."+lacks+"=VALUE")
	}
	return nil
}

func standaloneError(action, group, port, hint string) *models.Refusal {
	return argumentError(action, fmt.Sprintf("port group %s has standalone_ports_supported=false, so its member %s cannot have PXE enabled", group, port), hint)
}

// SetPorts returns an action that changes ports, named by MAC address, UUID or name. The arguments are settings; see
// [ports.Noun.Parse].
func SetPorts(ctx context.Context, api PortAPI, ids, args []string) (*PortAction, error) {
	settings, err := ports.Port.Parse(args)
	if err != nil {
		return nil, err
	}
	for _, only := range []string{"address", "name"} {
		if s := ports.Find(settings, only); s != nil && !s.Remove && len(ids) > 1 {
			return nil, argumentError("port set", only+" can be set on one port only, "+models.Counted(len(ids), "port")+" given", "")
		}
	}
	a := &PortAction{name: "port set", api: api}
	for _, id := range models.Unique(ids) {
		if err := a.setPort(ctx, id, settings); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *PortAction) setPort(ctx context.Context, id string, settings []ports.Setting) error {
	raw, err := findPort(ctx, a.api, id)
	if err != nil {
		return err
	}
	node := &models.Node{UUID: models.TextOf(raw["node_uuid"])}
	c := portChange{noun: ports.Port, settings: settings, ops: ports.Ops(settings, raw)}
	if s := ports.Find(settings, "portgroup"); s != nil {
		op, err := a.groupOp(ctx, node, raw, s)
		if err != nil {
			return err
		}
		c.ops = append(c.ops, op...)
	}
	if s := ports.Find(settings, "address"); s != nil && len(c.ops) > 0 {
		c.mac = models.TextOf(s.Value)
		if c.refused, err = a.free(ctx, c.mac, uuidOf(raw), node); err != nil {
			return err
		}
	}
	if err := checkLink(a.name, linkAfter(raw, settings)); err != nil {
		return err
	}
	if len(c.ops) > 0 {
		c.request = request.PatchPort(uuidOf(raw), c.ops)
		c.done = "changed port " + portLabel(raw)
	}
	a.add(node.UUID, c)
	return nil
}

// linkAfter returns local_link_connection after the settings are applied, or nil if they do not change it.
func linkAfter(raw map[string]any, settings []ports.Setting) any {
	link, touched := map[string]any{}, false
	now, _ := raw["local_link_connection"].(map[string]any)
	maps.Copy(link, now)
	for _, s := range settings {
		switch {
		case s.Path[0] != "local_link_connection":
			continue
		case s.Remove:
			delete(link, s.Path[1])
		default:
			link[s.Path[1]] = s.Value
		}
		touched = true
	}
	if !touched {
		return nil
	}
	return link
}

// groupOp returns the operation that puts the port into a group or takes it out, or none if nothing changes.
func (a *PortAction) groupOp(ctx context.Context, node *models.Node, raw map[string]any, s *ports.Setting) ([]models.PatchOp, error) {
	now := models.TextOf(raw["portgroup_uuid"])
	if s.Remove {
		if now == "" {
			return nil, nil
		}
		return []models.PatchOp{{Op: "remove", Path: "/portgroup_uuid"}}, nil
	}
	group, err := findGroup(ctx, a.api, node, models.TextOf(s.Value))
	if err != nil || uuidOf(group) == now {
		return nil, err
	}
	return []models.PatchOp{{Op: "add", Path: "/portgroup_uuid", Value: uuidOf(group)}}, nil
}

// DeletePorts returns an action that deletes ports, named by MAC address, UUID or name. An attached VIF prevents it.
func DeletePorts(ctx context.Context, api PortAPI, ids []string) (*PortAction, error) {
	a := &PortAction{name: "port delete", api: api}
	seen := map[string]bool{}
	for _, id := range ids {
		raw, err := findPort(ctx, api, id)
		if err != nil {
			return nil, err
		}
		if seen[uuidOf(raw)] {
			continue
		}
		seen[uuidOf(raw)] = true
		c := portChange{
			noun: ports.Port, request: request.DeletePort(uuidOf(raw)),
			harm: "deletes port " + portLabel(raw), done: "deleted port " + portLabel(raw),
		}
		if raw["pxe_enabled"] == true {
			c.harm += " (PXE enabled)"
		}
		if vif := portOf(raw).Internal.VIF; vif != "" {
			c.refused = &models.Refusal{
				Kind: models.RefusedArguments, Why: fmt.Sprintf("VIF %s is attached to port %s", printable.Line(vif), portLabel(raw)),
				Hint:       "ironworks vif detach " + models.TextOf(raw["node_uuid"]) + " " + printable.Line(vif),
				ScreenHint: "detach the VIF first (:vif-detach)",
			}
		}
		a.add(models.TextOf(raw["node_uuid"]), c)
	}
	return a, nil
}

func findGroup(ctx context.Context, api PortAPI, node *models.Node, id string) (map[string]any, error) {
	groups, err := api.RawPortgroups(ctx, node.UUID)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, g := range groups {
		if id == uuidOf(g) || id == models.TextOf(g["name"]) {
			return g, nil
		}
		names = append(names, groupLabel(g))
	}
	has := "it has no port groups"
	if len(names) > 0 {
		has = "its port groups: " + strings.Join(names, ", ")
	}
	return nil, argumentError("portgroup", fmt.Sprintf("node %s has no port group %q; %s", printable.Line(node.Label()), printable.Line(id), has),
		"create it with ironworks portgroup create").WithScreenHint("create the group first (:portgroup-create)")
}

// PortReport is the result of comparing the ports of a node with its inventory.
type PortReport struct {
	Node     *models.Node
	Findings []ports.Finding
}

// InspectedPorts reads the ports and the inspection data of nodes.
type InspectedPorts interface {
	Inventories
	Ports(ctx context.Context, node string) ([]models.Port, error)
}

// ComparePorts compares the ports of the node with its inventory. Without one, the error is a *models.Refusal.
func ComparePorts(ctx context.Context, api InspectedPorts, node *models.Node) (PortReport, error) {
	r := PortReport{Node: node}
	list, err := api.Ports(ctx, node.UUID)
	if err != nil {
		return r, err
	}
	raw, err := api.Inventory(ctx, node.UUID)
	if models.IsFault(err, models.FaultNotFound) {
		return r, notInspected(node, "the node was not inspected")
	}
	if err != nil {
		return r, err
	}
	nics, err := hints.DecodeNICs(raw)
	if err != nil {
		return r, err
	}
	if len(nics) == 0 {
		return r, notInspected(node, "the inventory has no NICs")
	}
	r.Findings = ports.Compare(node, list, nics)
	return r, nil
}

func notInspected(node *models.Node, why string) error {
	refused := &models.Refusal{Kind: models.RefusedArguments, Action: "port suggest", Node: node.Label(), Why: why}
	refused.Hint, refused.ScreenHint = inspectHint(node)
	return refused
}

// CreateMissingPorts returns an action that creates the ports that the reports list as missing.
func CreateMissingPorts(ctx context.Context, api PortAPI, reports []PortReport) (*PortAction, error) {
	a := &PortAction{name: "port suggest", api: api}
	for i := range reports {
		for _, f := range reports[i].Findings {
			if f.Kind != ports.MissingPort {
				continue
			}
			body := map[string]any{}
			maps.Copy(body, f.Create)
			if err := a.addPort(ctx, reports[i].Node, body, nil); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}
