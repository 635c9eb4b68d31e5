package provision

import (
	"context"
	"maps"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/ports"
)

// PortReport is the result of comparing the ports of a node with its inventory.
type PortReport struct {
	Node     *models.Node
	Findings []ports.Finding
}

// InspectedPorts reads the ports and the inspection data of nodes.
type InspectedPorts interface {
	Inventories
	RawPorts(ctx context.Context, node string) ([]map[string]any, error)
}

// ComparePorts compares the ports of the node with the inspection data. If the node has no inventory, the error is a
// *models.Refusal.
func ComparePorts(ctx context.Context, api InspectedPorts, node *models.Node) (PortReport, error) {
	r := PortReport{Node: node}
	raw, err := api.RawPorts(ctx, node.UUID)
	if err != nil {
		return r, err
	}
	list := make([]models.Port, len(raw))
	for i := range raw {
		list[i] = portOf(raw[i])
	}
	r.Findings, err = FindPortProblems(ctx, api, node, list)
	return r, err
}

// FindPortProblems is like ComparePorts, but for ports that have already been read.
func FindPortProblems(ctx context.Context, api Inventories, node *models.Node, list []models.Port) ([]ports.Finding, error) {
	raw, err := api.Inventory(ctx, node.UUID)
	if models.IsFault(err, models.FaultNotFound) {
		return nil, notInspected(node, "the node was not inspected")
	}
	if err != nil {
		return nil, err
	}
	nics, err := hints.DecodeNICs(raw)
	if err != nil {
		return nil, err
	}
	if len(nics) == 0 {
		return nil, notInspected(node, "the inventory has no NICs")
	}
	return ports.Compare(node, list, nics), nil
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
