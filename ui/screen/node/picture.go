package node

import (
	"time"

	"ironworks/models"
)

// readStore reads the node from the Store and reports whether it has changed, apart from its log.
func (s *Screen) readStore() (changed bool) {
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
	s.row, s.seen, s.rowAt = row, true, time.Now()
	return true
}

// known reports whether any data about the node has been read.
func (s *Screen) known() bool {
	_, read := s.detail.Value()
	return s.seen || read
}

// gone reports whether the node was deleted.
func (s *Screen) gone() bool {
	return s.seen && !s.inStore || models.IsFault(s.detail.Err(), models.FaultNotFound)
}

// picture returns the node's row. It contains all fields as last read, overlaid with the fields in the Store if these
// are newer.
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
		// The Store does not contain this state yet, so the start of the state is unknown.
		row.Since, row.FirstSeen, row.Reason = s.detail.Asked().Add(s.env.Status.Skew), s.detail.Asked(), ""
	}
	return row
}

// putOver copies fields from list to n: the fields that node lists contain; see [models.ListFields].
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

// label returns the name of the node, or its UUID if it has no name.
func (s *Screen) label() string {
	row := s.picture()
	if label := row.Node.Label(); label != "" {
		return label
	}
	return s.uuid
}
