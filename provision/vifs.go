package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ironworks/models"
	"ironworks/models/ports"
	"ironworks/models/request"
	"ironworks/printable"
)

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

// AttachVIF returns an action that attaches a VIF to the given port or port group of the node. If neither is given,
// Ironic picks the port.
func AttachVIF(ctx context.Context, api PortAPI, node *models.Node, vif, port, portgroup string) (*PortAction, error) {
	a := &PortAction{name: "vif attach", api: api}
	if port != "" {
		raw, err := FindPort(ctx, api, port)
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
