package fleet

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"ironworks/models"
)

// sameNode says that nothing an operator could care for is different. It looks at the
// content: no API field says reliably that a node changed.
func sameNode(a, b *models.Node) bool {
	return a.UUID == b.UUID && a.ProvisionState == b.ProvisionState && a.PowerState == b.PowerState && reflect.DeepEqual(a, b)
}

// onlyLearned says that nothing changed but that driver_internal_info is known now,
// which a listing does not ask for.
func onlyLearned(old, n *models.Node) bool {
	if old.Internal != nil || n.Internal == nil {
		return false
	}
	was := *old
	was.Internal = n.Internal
	return sameNode(&was, n)
}

// remember notes what the next differences are told against.
func (r *record) remember(n *models.Node) {
	if n.ProvisionState.Phase() != r.said.Phase() {
		r.said, r.step = n.ProvisionState, ""
	}
	if step, _ := n.CurrentStep(); step != nil {
		r.step = step.Label()
	}
}

// arrival is what is told of a node that was not there before: every node begins its
// life in enroll, whatever state it is in when it is first seen.
func arrival(n *models.Node, at time.Time) []models.Event {
	added := models.Event{
		Time: at, Node: n.Ref(), Kind: models.EventAdded, To: string(models.StateEnroll),
		Inferred: n.ProvisionState != models.StateEnroll,
	}
	events := []models.Event{added}
	return append(events, stateEvents(n, models.StateEnroll, at)...)
}

// stateEvents tells the way from the state that was told last to the one that n is
// in. Within one phase nothing is told; resting states that must have been passed
// unseen are told as inferred, so that the chain never breaks.
func stateEvents(n *models.Node, said models.ProvisionState, at time.Time) []models.Event {
	if n.ProvisionState.Phase() == said.Phase() {
		return nil
	}
	var events []models.Event
	from := said
	for _, between := range models.Between(said, n.ProvisionState) {
		events = append(events, models.Event{
			Time: at, Node: n.Ref(), Kind: models.EventProvisionState,
			From: string(from), To: string(between), Inferred: true,
		})
		from = between
	}
	last := models.Event{
		Time: at, Node: n.Ref(), Kind: models.EventProvisionState, From: string(from), To: string(n.ProvisionState),
	}
	if fellBack(from, n.ProvisionState) {
		last.Reason = n.LastError
	}
	return append(events, last)
}

// fellBack says that the step between two states is a failure: into a failed state, or
// from verifying back to enroll, which has no failed state of its own.
func fellBack(from, to models.ProvisionState) bool {
	return to.Failed() || (from.Phase() == models.StateVerifying && to == models.StateEnroll)
}

// differences turns what changed between two looks at a node into events.
func (r *record) differences(n *models.Node, at time.Time) []models.Event {
	old := &r.row.Node
	event := func(kind models.EventKind, from, to, reason string) models.Event {
		return models.Event{Time: at, Node: n.Ref(), Kind: kind, From: from, To: to, Reason: reason}
	}
	states := stateEvents(n, r.said, at)
	var events []models.Event
	if n.ProvisionState.Busy() {
		// What runs now belongs to the work that began, what ran last to that which ended.
		events = append(events, states...)
	}
	if e, ok := agentEvent(r, n); ok {
		e.Time = at
		events = append(events, e)
	}
	told := r.step
	if len(states) > 0 && n.ProvisionState.Busy() {
		told = ""
	}
	if step, kind := n.CurrentStep(); step != nil && step.Label() != told {
		events = append(events, event(models.EventStep, told, step.Label(), stepPlace(n, step, kind)))
	}
	if !n.ProvisionState.Busy() {
		events = append(events, states...)
	}
	if old.PowerState != n.PowerState {
		events = append(events, event(models.EventPower, string(old.PowerState), string(n.PowerState), ""))
	}
	if old.Maintenance != n.Maintenance {
		events = append(events, event(models.EventMaintenance, onOff(old.Maintenance), onOff(n.Maintenance), n.MaintenanceReason))
	}
	if old.Fault != n.Fault {
		events = append(events, event(models.EventFault, old.Fault, n.Fault, n.MaintenanceReason))
	}
	if old.InstanceUUID != n.InstanceUUID {
		events = append(events, event(models.EventInstance, old.InstanceUUID, n.InstanceUUID, ""))
	}
	inState := len(states) > 0 && states[len(states)-1].Reason == n.LastError
	if n.LastError != "" && n.LastError != old.LastError && !inState {
		events = append(events, event(models.EventError, "", n.LastError, n.LastError))
	}
	return events
}

// agentEvent tells that a ramdisk called back for the first time in this piece of work.
func agentEvent(r *record, n *models.Node) (models.Event, bool) {
	if n.Internal == nil || n.Internal.AgentURL == "" || !n.ProvisionState.Busy() {
		return models.Event{}, false
	}
	old := &r.row.Node
	switch {
	case old.Internal == nil && old.ProvisionState.Phase() == n.ProvisionState.Phase():
		return models.Event{}, false // it may have been there before we asked
	case old.Internal != nil && old.Internal.AgentURL == n.Internal.AgentURL:
		return models.Event{}, false
	}
	return models.Event{Node: n.Ref(), Kind: models.EventAgent, To: n.Internal.AgentURL}, true
}

// stepPlace is a step's place among the others, such as 3/6. The index may be older
// than the step: a listing does not have it.
func stepPlace(n *models.Node, step *models.Step, kind models.StepKind) string {
	steps, i := n.Internal.Progress(kind)
	if i < 0 || steps[i].Label() != step.Label() {
		i = slices.IndexFunc(steps, func(s models.Step) bool { return s.Label() == step.Label() })
	}
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", i+1, len(steps))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
