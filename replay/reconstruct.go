package replay

import (
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// reconstruct makes snapshots from the events of nodes that have no snapshots. Older journals contain no snapshots.
func (r *Recording) reconstruct() {
	have := map[string]bool{}
	for i := range r.Pictures {
		have[r.Pictures[i].Node.UUID] = true
	}
	nodes := map[string]*models.Node{}
	var added []models.Picture
	for i := range r.Events {
		e := &r.Events[i]
		if have[e.Node.UUID] {
			continue
		}
		n := nodes[e.Node.UUID]
		if n == nil {
			n = &models.Node{UUID: e.Node.UUID, ProvisionState: r.firstState(e.Node.UUID)}
			nodes[e.Node.UUID] = n
			added = append(added, models.Picture{At: e.Time.Add(-time.Second), Node: *n})
		}
		n.Name = e.Node.Name
		applyEvent(n, e)
		added = append(added, models.Picture{At: e.Time, Node: *n})
	}
	r.Pictures = append(r.Pictures, added...)
	slices.SortStableFunc(r.Pictures, func(a, b models.Picture) int { return a.At.Compare(b.At) })
}

// firstState returns the node's provision state before the first recorded change, or "" if no change was recorded.
func (r *Recording) firstState(uuid string) models.ProvisionState {
	for i := range r.Events {
		if e := &r.Events[i]; e.Node.UUID == uuid && e.Kind == models.EventProvisionState {
			return models.ProvisionState(e.From)
		}
	}
	return ""
}

// applyEvent updates n to the state after e.
func applyEvent(n *models.Node, e *models.Event) {
	switch e.Kind {
	case models.EventProvisionState, models.EventAdded:
		n.ProvisionState = models.ProvisionState(e.To)
		n.LastError = ""
		if n.ProvisionState.Failed() {
			n.LastError = e.Reason
		}
		if !n.ProvisionState.Busy() {
			n.DeployStep, n.CleanStep, n.ServiceStep, n.Internal = nil, nil, nil, nil
		}
	case models.EventStep:
		n.DeployStep, n.CleanStep, n.ServiceStep = nil, nil, nil
		face, name, _ := strings.Cut(e.To, ".")
		if name == "" {
			return
		}
		step := &models.Step{Interface: face, Step: name}
		switch n.ProvisionState.Phase() {
		case models.StateCleaning:
			n.CleanStep = step
		case models.StateServicing:
			n.ServiceStep = step
		default:
			n.DeployStep = step
		}
	case models.EventPower:
		n.PowerState = models.PowerState(e.To)
	case models.EventMaintenance:
		n.Maintenance, n.MaintenanceReason = e.To == "on", e.Reason
	case models.EventError:
		n.LastError = e.Reason
	case models.EventAgent:
		n.Internal = &models.Internal{AgentURL: e.To}
	case models.EventRamdisk: // not visible in a node
	case models.EventInstance:
		n.InstanceUUID = e.To
	case models.EventFault:
		n.Fault = e.To
	case models.EventRemoved:
	}
}
