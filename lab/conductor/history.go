package conductor

import (
	"cmp"
	"fmt"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// record adds an event to the node's history, with the current state, even if that is not saved yet. If isError is
// set, text also becomes the node's last error.
func (t *task) record(text, kind string, isError bool) {
	severity := "INFO"
	if isError {
		t.node.LastError = text
		severity = "ERROR"
	}
	entry := db.History{
		NodeUUID: t.node.UUID, Conductor: hostname, Event: text, EventType: cmp.Or(kind, "UNKNOWN"), Severity: severity,
		State: t.node.ProvisionState, TargetProvisionState: t.node.TargetProvisionState,
	}
	if !t.node.ProvisionUpdatedAt.IsZero() {
		seconds := float64(int(t.c.tables.Now().Sub(t.node.ProvisionUpdatedAt).Seconds()))
		entry.Duration = &seconds
	}
	t.c.tables.AddHistory(entry)
}

// flow returns the name under which the node's history shows the operation.
func (t *task) flow(kind stepKind) string {
	switch {
	case kind != cleanSteps:
		return operations[kind].gerund
	case t.node.TargetProvisionState == manageable:
		return "manual_cleaning"
	default:
		return "automated_cleaning"
	}
}

// flowStarts records the start of an operation with the given steps in the node's history.
func (t *task) flowStarts(kind stepKind, steps []db.Dict) {
	flow := t.flow(kind)
	t.record(fmt.Sprintf("Starting %s with steps=%s", strings.ReplaceAll(flow, "_", " "), python.Repr(maskedSteps(steps))), flow+"_start", false)
}

// flowEnds records the end of an operation, which was aborted at the named step unless that is empty.
func (t *task) flowEnds(kind stepKind, steps []db.Dict, aborted string) {
	flow := t.flow(kind)
	words := strings.Split(flow, "_")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	result := "completed successfully"
	if aborted != "" {
		result = fmt.Sprintf("aborted at step '%s'", aborted)
	}
	t.record(fmt.Sprintf("%s %s with steps=%s", strings.Join(words, " "), result, python.Repr(maskedSteps(steps))), flow+"_end", aborted != "")
}

// maskedSteps returns the steps with the secrets in their arguments masked.
func maskedSteps(steps []db.Dict) []db.Dict {
	masked := make([]db.Dict, len(steps))
	for i, step := range steps {
		masked[i] = step
		if args, ok := dictOf(step["args"]); ok {
			masked[i] = step.Clone()
			masked[i]["args"] = mask(args)
		}
	}
	return masked
}
