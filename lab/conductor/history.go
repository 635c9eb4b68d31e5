package conductor

import (
	"fmt"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// record adds an event to the node's history; an error also becomes its last error. The event has
// the node's state before it is saved.
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

// flow is an operation that runs steps, by its name in the history of a node.
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

// flowStarts records which steps start.
func (t *task) flowStarts(f flow, steps []db.Dict) {
	name := strings.ReplaceAll(string(f), "_", " ")
	t.record(fmt.Sprintf("Starting %s with steps=%s", name, python.Repr(maskedSteps(steps))), string(f)+"_start", false)
}

// flowEnds records that the steps have ended: all of them, or, if aborted is not empty, all up to that step.
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

// maskedSteps masks the secrets in the arguments of steps.
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
