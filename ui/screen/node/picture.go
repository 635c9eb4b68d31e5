package node

import (
	"ironworks/models"
)

// take looks the node up in the store and says whether it changed there.
func (s *Screen) take() (changed bool) {
	if s.session == nil {
		return false
	}
	row, evidence, ok := s.session.Store.Get(s.uuid)
	s.inStore = ok
	if !ok {
		return false
	}
	s.evidence = evidence
	if s.seen && row.SameButLog(&s.row) {
		s.row.Log = row.Log
		return false
	}
	s.row, s.seen, s.rowAt = row, true, s.env.Clock.Now()
	return true
}

// known says that there is anything to show of the node.
func (s *Screen) known() bool {
	_, read := s.detail.Value()
	return s.seen || read
}

// gone says that the node was deleted: the store lost it, or Ironic does not know it.
func (s *Screen) gone() bool {
	return s.seen && !s.inStore || models.IsFault(s.detail.Err(), models.FaultNotFound)
}

// picture is the node as it is known now: all fields as they were read last, and over
// them those of the store where these came later.
func (s *Screen) picture() models.Row {
	n, read := s.detail.Value()
	switch {
	case !read:
		return s.row
	case !s.seen:
		return models.Row{Node: *n}
	}
	row := s.row
	row.Node = *n
	if s.rowAt.After(s.detail.Asked()) {
		putOver(&row.Node, &s.row.Node)
	}
	if row.Node.ProvisionState.Phase() != s.row.Node.ProvisionState.Phase() {
		// The store has not seen this state yet, so it does not know since when it is.
		row.Since, row.FirstSeen, row.Reason = s.detail.Asked().Add(s.env.Status.Skew), s.detail.Asked(), ""
	}
	return row
}

// putOver puts the fields of a list over those of a node; see [models.ListFields].
func putOver(n, list *models.Node) {
	n.Name, n.InstanceUUID = list.Name, list.InstanceUUID
	n.ProvisionState, n.TargetProvisionState = list.ProvisionState, list.TargetProvisionState
	n.PowerState, n.TargetPowerState = list.PowerState, list.TargetPowerState
	n.Maintenance, n.MaintenanceReason, n.Fault = list.Maintenance, list.MaintenanceReason, list.Fault
	n.LastError, n.Reservation = list.LastError, list.Reservation
	n.Driver, n.ResourceClass, n.Owner = list.Driver, list.ResourceClass, list.Owner
	n.DeployStep, n.CleanStep, n.ServiceStep = list.DeployStep, list.CleanStep, list.ServiceStep
	n.Protected, n.Retired = list.Protected, list.Retired
	n.ProvisionUpdatedAt = list.ProvisionUpdatedAt
	if list.Internal != nil {
		n.Internal = list.Internal
	}
}

// label is the node's name, safe to show.
func (s *Screen) label() string {
	row := s.picture()
	if label := row.Node.Label(); label != "" {
		return models.Printable(label)
	}
	return models.Printable(s.uuid)
}
