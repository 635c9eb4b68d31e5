package fleet

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// sameNode reports whether two versions of a node are equal. It compares the content, because no API field reliably
// shows a change.
func sameNode(a, b *models.Node) bool {
	return a.UUID == b.UUID && a.ProvisionState == b.ProvisionState && a.PowerState == b.PowerState && reflect.DeepEqual(a, b)
}

// onlyLearned reports whether n only adds driver_internal_info, which old lacks because listings omit it.
func onlyLearned(old, n *models.Node) bool {
	if old.Internal != nil || n.Internal == nil {
		return false
	}
	was := *old
	was.Internal = n.Internal
	return sameNode(&was, n)
}

// remember stores the state and the step of n for the comparison with the node's next version.
func (r *record) remember(n *models.Node) {
	if n.ProvisionState.Phase() != r.lastState.Phase() {
		r.lastState, r.lastStep = n.ProvisionState, ""
	}
	if step, _ := n.CurrentStep(); step != nil {
		r.lastStep = step.Label()
	}
}

// addedEvents returns the events of a new node. They lead from enroll, where every node starts, to its current state.
func addedEvents(n *models.Node, at time.Time) []models.Event {
	added := models.Event{
		Time: at, Node: n.Ref(), Kind: models.EventAdded, To: string(models.StateEnroll),
		Inferred: n.ProvisionState != models.StateEnroll,
	}
	return append([]models.Event{added}, stateEvents(n, models.StateEnroll, at)...)
}

// stateEvents returns the events that lead from lastState, the last reported state, to the state of n. Changes within
// one phase cause no events. Stable states that the node must have passed are reported as inferred, so that the chain
// has no gaps.
func stateEvents(n *models.Node, lastState models.ProvisionState, at time.Time) []models.Event {
	if n.ProvisionState.Phase() == lastState.Phase() {
		return nil
	}
	var events []models.Event
	from := lastState
	for _, between := range models.Between(lastState, n.ProvisionState) {
		events = append(events, models.Event{
			Time: at, Node: n.Ref(), Kind: models.EventProvisionState,
			From: string(from), To: string(between), Inferred: true,
		})
		from = between
	}
	last := models.Event{
		Time: at, Node: n.Ref(), Kind: models.EventProvisionState, From: string(from), To: string(n.ProvisionState),
	}
	if n.ProvisionState.FailureAfter(from) {
		last.Reason = n.LastError
	}
	return append(events, last)
}

func (r *record) differences(n *models.Node, at time.Time) []models.Event {
	old := &r.row.Node
	event := func(kind models.EventKind, from, to, reason string) models.Event {
		return models.Event{Time: at, Node: n.Ref(), Kind: kind, From: from, To: to, Reason: reason}
	}
	states := stateEvents(n, r.lastState, at)
	var events []models.Event
	if n.ProvisionState.Busy() {
		// If an operation has started, the current step belongs to it, so the new state is reported first. Otherwise,
		// the step belongs to the operation that has ended.
		events = append(events, states...)
	}
	if e, ok := agentEvent(r, n); ok {
		e.Time = at
		events = append(events, e)
	}
	lastStep := r.lastStep
	if len(states) > 0 && n.ProvisionState.Busy() {
		lastStep = ""
	}
	if step, kind := n.CurrentStep(); step != nil && step.Label() != lastStep {
		events = append(events, event(models.EventStep, lastStep, step.Label(), stepPlace(n, step, kind)))
	}
	if !n.ProvisionState.Busy() {
		events = append(events, states...)
	}
	for _, e := range []models.Event{
		event(models.EventPower, string(old.PowerState), string(n.PowerState), ""),
		event(models.EventMaintenance, onOff(old.Maintenance), onOff(n.Maintenance), n.MaintenanceReason),
		event(models.EventFault, old.Fault, n.Fault, n.MaintenanceReason),
		event(models.EventInstance, old.InstanceUUID, n.InstanceUUID, ""),
	} {
		if e.From != e.To {
			events = append(events, e)
		}
	}
	inState := len(states) > 0 && states[len(states)-1].Reason == n.LastError
	if n.LastError != "" && n.LastError != old.LastError && !inState {
		events = append(events, event(models.EventError, "", n.LastError, n.LastError))
	}
	return events
}

// agentEvent returns the event for the first heartbeat of a ramdisk in an operation, if this is the first one.
func agentEvent(r *record, n *models.Node) (models.Event, bool) {
	if n.Internal == nil || n.Internal.AgentURL == "" || !n.ProvisionState.Busy() {
		return models.Event{}, false
	}
	old := &r.row.Node
	switch {
	case old.Internal == nil && old.ProvisionState.Phase() == n.ProvisionState.Phase():
		return models.Event{}, false // the ramdisk may have sent heartbeats before the node was first read
	case old.Internal != nil && old.Internal.AgentURL == n.Internal.AgentURL:
		return models.Event{}, false
	}
	return models.Event{Node: n.Ref(), Kind: models.EventAgent, To: n.Internal.AgentURL}, true
}

// stepPlace returns the position of step in the operation, in the form 3/6, or "" if it is unknown. The index in n
// may be older than the step, because listings omit the index, so the step itself takes precedence.
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

const maxLogEvents = 10_000

// AddLogLines processes lines of ramdisk logs. It stores the boot progress with each node, and reports the progress
// together with the server's next response. Lines from the same source of a node must be in order. skew is the time
// by which the server's clock is ahead of the clock that set the lines' Received times.
func (s *Store) AddLogLines(lines []models.LogLine, skew time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	logs := map[string]*explain.BootLog{}
	for i := range lines {
		l := lines[i]
		l.Received = l.Received.Add(skew)
		r, known := s.nodes[l.Node.UUID]
		if !known {
			continue
		}
		log := logs[l.Node.UUID]
		if log == nil {
			log = &explain.BootLog{}
			if r.log != nil {
				*log = *r.log
			}
			logs[l.Node.UUID] = log
		}
		log.AddLine(&l)
	}
	for uuid, log := range logs {
		s.setLog(s.nodes[uuid], log)
	}
}

// setLog stores the state of a ramdisk's log in the node's record, and the resulting boot progress in the node's row.
func (s *Store) setLog(r *record, log *explain.BootLog) {
	row := *r.row
	before := explain.BootOf(&row)
	r.log, row.Log = log, log.Progress()
	r.row = &row
	after := explain.BootOf(&row)
	if after.Same(before) {
		return // do not redraw the fleet for lines that change nothing visible
	}
	s.revision++
	stuck := after.Obstacle != nil && (before.Obstacle == nil || before.Obstacle.ID != after.Obstacle.ID)
	if row.Node.ProvisionState.Class() != models.ClassWait || after.Stage <= models.RamdiskPowerOn || len(s.logEvents) >= maxLogEvents {
		return
	}
	e := models.Event{Time: after.Since, Node: row.Node.Ref(), Kind: models.EventRamdisk, From: before.Stage.Noun(), To: after.Stage.Noun()}
	switch {
	case stuck:
		e.Time, e.Reason = after.Obstacle.Last, after.Obstacle.Text
	case after.Stage == before.Stage:
		return
	}
	if e.Time.IsZero() {
		e.Time = log.Last()
	}
	s.logEvents = append(s.logEvents, e)
}
