package conductor

import (
	"fmt"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// record adds an event to the node's history. If isError is set, text also becomes the node's last error. The event
// contains the node's current state, even if this state has not been saved yet.
func (t *task) record(text, kind string, isError bool) {
	severity := "INFO"
	if isError {
		t.node.LastError = text
		severity = "ERROR"
	}
	if kind == "" {
		kind = "UNKNOWN"
	}
	entry := db.History{
		NodeUUID: t.node.UUID, Conductor: hostname, Event: text, EventType: kind, Severity: severity,
		State: t.node.ProvisionState, TargetProvisionState: t.node.TargetProvisionState,
	}
	if !t.node.ProvisionUpdatedAt.IsZero() {
		seconds := float64(int(t.c.tables.Now().Sub(t.node.ProvisionUpdatedAt).Seconds()))
		entry.Duration = &seconds
	}
	t.c.tables.AddHistory(entry)
}

// flow identifies an operation that runs steps. Its value is the operation's name in a node's history.
type flow string

const (
	manualCleaning    flow = "manual_cleaning"
	automatedCleaning flow = "automated_cleaning"
	deployment        flow = "deployment"
	servicingFlow     flow = "servicing"
)

func cleaningFlow(manual bool) flow {
	if manual {
		return manualCleaning
	}
	return automatedCleaning
}

// flowStarts records the start of operation f, with the given steps, in the node's history.
func (t *task) flowStarts(f flow, steps []db.Dict) {
	name := strings.ReplaceAll(string(f), "_", " ")
	t.record(fmt.Sprintf("Starting %s with steps=%s", name, python.Repr(maskedSteps(steps))), string(f)+"_start", false)
}

// flowEnds records the end of operation f in the node's history. If aborted is not empty, it names the step at which
// the operation was aborted; otherwise all steps have succeeded.
func (t *task) flowEnds(f flow, steps []db.Dict, aborted string) {
	words := strings.Split(string(f), "_")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	name := strings.Join(words, " ")
	if aborted != "" {
		t.record(fmt.Sprintf("%s aborted at step '%s' with steps=%s", name, aborted, python.Repr(maskedSteps(steps))), string(f)+"_end", true)
		return
	}
	t.record(fmt.Sprintf("%s completed successfully with steps=%s", name, python.Repr(maskedSteps(steps))), string(f)+"_end", false)
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
