package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/ports"
	"ironworks/models/request"
	"ironworks/printable"
)

// PortAPI is the part of Ironic's API that is needed to change ports; *ironicclient.Client implements it.
type PortAPI interface {
	API
	InspectedPorts
	RawPort(ctx context.Context, id string) (map[string]any, error)
	RawPortgroup(ctx context.Context, id string) (map[string]any, error)
	RawPorts(ctx context.Context, node string) ([]map[string]any, error)
	RawPortgroups(ctx context.Context, node string) ([]map[string]any, error)
	PortsAt(ctx context.Context, mac string) ([]models.Port, error)
	VIFs(ctx context.Context, node string) ([]string, error)
}

// PortAction changes ports, port groups or VIFs of nodes, based on Ironic's data at the time of planning.
type PortAction struct {
	immediateAction
	name    string
	api     PortAPI
	changes map[string][]portChange // by node UUID
}

type portChange struct {
	request request.Request
	noun    ports.Noun
	// settings is checked against the API version, and ops against the state of the node.
	settings []ports.Setting
	ops      []models.PatchOp
	// created is the UUID of an object to be created. mac is a MAC address that no other port may have.
	created, mac string
	// vif reports whether the change requires a network interface that supports VIFs.
	vif bool
	// refused is the reason why the change is impossible, or nil if it is possible.
	refused *models.Refusal
	// harm describes the effect of a change that cannot be undone immediately. done describes the result.
	harm, done string
}

// Nodes returns the sorted UUIDs of the nodes that the action changes.
func (a *PortAction) Nodes() []string {
	return slices.Sorted(maps.Keys(a.changes))
}

// Empty reports whether there is nothing to send.
func (a *PortAction) Empty() bool { return len(a.changes) == 0 }

// Name implements [Action].
func (a *PortAction) Name() string { return a.name }

// Refuse refuses a node if Ironic would refuse one of the changes, or would accept it without any effect.
func (a *PortAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	for i := range a.changes[n.UUID] {
		if r := a.refuse(&a.changes[n.UUID][i], n, v); r != nil {
			return r
		}
	}
	return nil
}

func (a *PortAction) refuse(c *portChange, n *models.Node, v models.APIVersion) *models.Refusal {
	if r := c.refused; r != nil {
		return refusal(a, n, r.Kind, r.Why, r.Hint).WithScreenHint(r.ScreenHint)
	}
	if f := c.noun.Needs(c.settings, v); f != "" {
		return refusal(a, n, models.RefusedVersion, fmt.Sprintf("%s need API 1.%d; this Ironic has %s", f, f.Minor(), v), "leave the field out")
	}
	if c.vif && n.NetworkInterface == "noop" {
		// The noop interface answers every VIF request with 204, without storing the VIF
		// (ironic/drivers/modules/network/noop.py, 39.0.0).
		return refusal(a, n, models.RefusedArguments, "the noop network interface ignores VIFs: Ironic would accept the request and do nothing",
			"ironworks set "+n.Label()+" network_interface=neutron").WithScreenHint(models.RunKey("set", "network_interface=neutron"))
	}
	if n.ProvisionState == models.StateInspecting && len(c.ops) > 0 {
		return refusal(a, n, models.RefusedState, fmt.Sprintf("Ironic refuses %s changes while the node is inspecting", c.noun), "wait until the inspection ends")
	}
	if n.Maintenance || c.noun != ports.Port {
		return nil
	}
	// See update_port in ironic/conductor/manager.py, 39.0.0.
	inUse := n.ProvisionState == models.StateActive || n.InstanceUUID != ""
	if inUse && slices.ContainsFunc(c.ops, func(op models.PatchOp) bool { return op.Path == "/address" }) {
		return refusal(a, n, models.RefusedState, "Ironic refuses MAC address changes while the node has an instance", "ironworks maintenance on "+n.Label()).WithScreenHint("set maintenance (:maintenance-on)")
	}
	field := c.noun.Connectivity(c.ops)
	if field != "" && !slices.Contains(connectable(), n.ProvisionState) {
		return refusal(a, n, models.RefusedState,
			fmt.Sprintf("Ironic changes %s only in enroll, inspect wait and manageable, or in maintenance; the node is %s", field, n.ProvisionState),
			"ironworks maintenance on "+n.Label()).WithScreenHint("set maintenance (:maintenance-on)")
	}
	return nil
}

func connectable() []models.ProvisionState {
	return []models.ProvisionState{models.StateEnroll, models.StateInspecting, models.StateInspectWait, models.StateManageable}
}

// Effect names the objects that are deleted or detached.
func (a *PortAction) Effect(n *models.Node) models.Effect {
	harm := a.texts(n.UUID, func(c *portChange) string { return c.harm })
	if harm == "" {
		return models.Effect{}
	}
	return models.Effect{Danger: models.DangerInterrupts, Text: harm}
}

func (a *PortAction) resultText(n models.NodeRef) string {
	return cmp.Or(a.texts(n.UUID, func(c *portChange) string { return c.done }), "already set")
}

func (a *PortAction) texts(uuid string, of func(c *portChange) string) string {
	var texts []string
	for i := range a.changes[uuid] {
		if text := of(&a.changes[uuid][i]); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

func (a *PortAction) entries(n *models.Node) ([]entry, error) {
	var list []entry
	for i := range a.changes[n.UUID] {
		c := &a.changes[n.UUID][i]
		if c.request.Path == "" {
			continue // already set
		}
		list = append(list, entry{verb: c.request.Op, Request: c.request, judge: func(ctx context.Context, _ API, err error) error {
			return a.judge(ctx, c, n, err)
		}})
	}
	return list, nil
}

// judge explains conflicts and a missing Neutron, and ignores the error of a creation that was carried out.
func (a *PortAction) judge(ctx context.Context, c *portChange, n *models.Node, err error) error {
	if c.vif {
		return aboutNeutron(n, err)
	}
	f, is := errors.AsType[*models.Fault](err)
	if !is || f.Kind != models.FaultConflict && !f.Sent || c.mac == "" && c.created == "" {
		return err
	}
	if c.noun == ports.Group {
		if now, readErr := a.api.RawPortgroup(ctx, c.created); c.created != "" && readErr == nil && now["uuid"] == c.created {
			return nil
		}
		return err
	}
	there, readErr := a.api.PortsAt(ctx, c.mac)
	if readErr != nil || len(there) == 0 {
		return err
	}
	if c.created != "" && there[0].UUID == c.created {
		return nil
	}
	if f.Kind == models.FaultConflict && f.Status != 0 {
		if why := a.macConflict(ctx, c.mac, there[0], n); why != nil {
			return refusal(a, n, why.Kind, why.Why, why.Hint).WithScreenHint(why.ScreenHint)
		}
	}
	return err
}

func (a *PortAction) macConflict(ctx context.Context, mac string, p models.Port, n *models.Node) *models.Refusal {
	r := &models.Refusal{Kind: models.RefusedArguments}
	switch owner, err := a.api.Node(ctx, p.NodeUUID); {
	case p.NodeUUID == n.UUID:
		r.Why, r.Hint, r.ScreenHint = "the node already has a port with MAC address "+mac, "change it with ironworks port set "+mac, "edit that port (:port-set)"
	case err == nil:
		r.Why = fmt.Sprintf("node %s already has a port with MAC address %s", printable.Line(owner.Label()), mac)
		r.Hint, r.ScreenHint = "ironworks port delete "+mac+" if that port is wrong", "if that port is wrong, delete it (:port-delete) on the node's Network tab"
	default:
		r.Why = fmt.Sprintf("port %s of node %s has MAC address %s", p.UUID, printable.Line(p.NodeUUID), mac)
	}
	return r
}

// free returns a refusal if a port already has the MAC address, unless the UUID of that port is self.
func (a *PortAction) free(ctx context.Context, mac, self string, n *models.Node) (*models.Refusal, error) {
	there, err := a.api.PortsAt(ctx, mac)
	if err != nil || len(there) == 0 || there[0].UUID == self {
		return nil, err
	}
	return a.macConflict(ctx, mac, there[0], n), nil
}

func (a *PortAction) add(node string, c portChange) {
	if a.changes == nil {
		a.changes = map[string][]portChange{}
	}
	a.changes[node] = append(a.changes[node], c)
}

func argumentError(action, why, hint string) *models.Refusal {
	return &models.Refusal{Kind: models.RefusedArguments, Action: action, Why: why, Hint: hint}
}

func portOf(raw map[string]any) models.Port {
	var p models.Port
	if data, err := json.Marshal(raw); err == nil {
		_ = json.Unmarshal(data, &p)
	}
	return p
}

func uuidOf(raw map[string]any) string { return models.TextOf(raw["uuid"]) }

// portLabel returns the MAC address of a port or, if it is missing, the UUID.
func portLabel(raw map[string]any) string {
	return printable.Line(cmp.Or(models.TextOf(raw["address"]), uuidOf(raw)))
}

// groupLabel returns the name of a port group or, if it has none, the UUID.
func groupLabel(raw map[string]any) string {
	return printable.Line(cmp.Or(models.TextOf(raw["name"]), uuidOf(raw)))
}

// VIF is a virtual interface attached to a node, together with the port or port group to which it is attached.
type VIF struct {
	ID        string `json:"id"`
	Port      string `json:"port,omitempty"`
	Portgroup string `json:"portgroup,omitempty"`
}

// NodeVIFs returns the VIFs attached to the node.
func NodeVIFs(ctx context.Context, api PortAPI, node *models.Node) ([]VIF, error) {
	ids, err := api.VIFs(ctx, node.UUID)
	if err != nil || len(ids) == 0 {
		return nil, aboutNeutron(node, err)
	}
	have, err := api.RawPorts(ctx, node.UUID)
	if err != nil {
		return nil, err
	}
	groups, err := api.RawPortgroups(ctx, node.UUID)
	if err != nil {
		return nil, err
	}
	list := make([]VIF, len(ids))
	for i, id := range ids {
		list[i].ID = id
		has := func(raw map[string]any) bool { return portOf(raw).Internal.VIF == id }
		if at := slices.IndexFunc(have, has); at >= 0 {
			list[i].Port = models.TextOf(have[at]["address"])
		}
		if at := slices.IndexFunc(groups, has); at >= 0 {
			list[i].Portgroup = groupLabel(groups[at])
		}
	}
	return list, nil
}

// aboutNeutron explains a server error in response to a VIF request. Neutron may be the cause, because the network
// interface calls it. If Neutron does not answer, Ironic's error message does not mention this.
func aboutNeutron(n *models.Node, err error) error {
	f, is := errors.AsType[*models.Fault](err)
	if !is || f.Kind != models.FaultServer || !ports.ManagesNetworks(n.NetworkInterface) {
		return err
	}
	explained := *f
	explained.Message = fmt.Sprintf("the %s network interface needs Neutron; check that Neutron is running, and check [neutron] in the conductor's ironic.conf: %s",
		printable.Line(n.NetworkInterface), f.Message)
	return &explained
}

// AttachVIF returns an action that attaches a VIF to a port or port group of the node; by default, Ironic picks one.
func AttachVIF(ctx context.Context, api PortAPI, node *models.Node, vif, port, portgroup string) (*PortAction, error) {
	a := &PortAction{name: "vif attach", api: api}
	if port != "" {
		raw, err := findPort(ctx, api, port)
		if err != nil {
			return nil, err
		}
		if models.TextOf(raw["node_uuid"]) != node.UUID {
			return nil, argumentError(a.name, "port "+portLabel(raw)+" belongs to node "+a.nodeLabel(ctx, models.TextOf(raw["node_uuid"])), "")
		}
		port = uuidOf(raw)
	}
	if portgroup != "" {
		group, err := findGroup(ctx, api, node, portgroup)
		if err != nil {
			return nil, err
		}
		portgroup = uuidOf(group)
	}
	a.add(node.UUID, portChange{
		noun: ports.Port, request: request.AttachVIF(node.UUID, vif, port, portgroup), vif: true, done: "attached VIF " + printable.Line(vif),
	})
	return a, nil
}

// DetachVIF returns an action that detaches the VIF from the node.
func DetachVIF(api PortAPI, node *models.Node, vif string) *PortAction {
	a := &PortAction{name: "vif detach", api: api}
	a.add(node.UUID, portChange{
		noun: ports.Port, request: request.DetachVIF(node.UUID, vif), vif: true, done: "detached VIF " + printable.Line(vif),
		harm: "detaches VIF " + printable.Line(vif) + ": the instance loses that network",
	})
	return a
}
