package models

import (
	"testing"
	"time"
)

func TestEvidence(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	index := 0
	steps := []Step{{Interface: "deploy", Step: "write"}}
	var e Evidence
	e.Update(&Node{ProvisionState: StateAvailable, LastError: "old"}, at(0))
	if e.Phase != "" || e.LastError != "" {
		t.Fatalf("a node at rest leaves no evidence: %+v", e)
	}
	e.Update(&Node{
		ProvisionState: StateDeploying, DeployStep: &steps[0],
		Internal: &Internal{
			AgentURL: "https://a", AgentVersion: "13", LastHeartbeat: Time{at(1)}, DeploySteps: steps, DeployIndex: &index,
		},
	}, at(2))
	// Ironic clears these fields when the operation fails.
	e.Update(&Node{ProvisionState: StateDeployWait, LastError: "no heartbeat", Internal: &Internal{}}, at(3))
	e.Update(&Node{ProvisionState: StateDeployFailed}, at(4))
	want := Evidence{
		At: at(4), Since: at(2), Phase: StateDeploying,
		Kept: Kept{
			AgentURL: "https://a", AgentVersion: "13", LastHeartbeat: at(1), Kind: DeploySteps, Step: "deploy.write", LastError: "no heartbeat",
		},
	}
	if e.At != want.At || e.Since != want.Since || e.Phase != want.Phase || e.AgentURL != want.AgentURL ||
		e.LastHeartbeat != want.LastHeartbeat || e.Step != want.Step || len(e.Steps) != 1 || e.StepIndex != 0 ||
		e.LastError != want.LastError || e.Kind != want.Kind {
		t.Errorf("got  %+v\nwant %+v", e, want)
	}
	e.Update(&Node{ProvisionState: StateDeleting}, at(5))
	if e.Phase != StateDeleting || e.AgentURL != "" || e.LastError != "" || e.Since != at(5) || e.StepIndex != -1 {
		t.Errorf("other work starts from nothing: %+v", e)
	}
}

func TestEvidenceOfTheSameWorkTwice(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	var e Evidence
	e.Update(&Node{ProvisionState: StateDeploying, LastError: "first"}, at)
	e.Update(&Node{ProvisionState: StateDeployFailed, LastError: "first"}, at)
	e.Update(&Node{ProvisionState: StateDeploying}, at.Add(time.Hour))
	if e.LastError != "" || e.Since != at.Add(time.Hour) {
		t.Errorf("the second deployment inherits the first one's failure: %+v", e)
	}
	e.Update(&Node{ProvisionState: StateDeployHold}, at.Add(2*time.Hour))
	e.Update(&Node{ProvisionState: StateDeployWait}, at.Add(3*time.Hour))
	if e.Since != at.Add(time.Hour) {
		t.Errorf("a hold is a part of the work: %+v", e)
	}
	e.Update(&Node{ProvisionState: StateDeployWait, Internal: &Internal{LastHeartbeat: Time{at}}}, at)
	e.Update(&Node{ProvisionState: StateDeployWait, Internal: &Internal{LastHeartbeat: Time{at.Add(-time.Hour)}}}, at)
	if e.LastHeartbeat != at {
		t.Errorf("the last heartbeat goes back: %v", e.LastHeartbeat)
	}
}

// TestWorkKeepsEvidence checks that the record of an ended operation keeps the data that Ironic clears on the node.
func TestWorkKeepsEvidence(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	var e Evidence
	e.Begin()
	works := e.Update(&Node{ProvisionState: StateDeploying}, at)
	if len(works) != 1 || works[0].Evidence != nil {
		t.Errorf("before anything is known: %+v", works)
	}
	index := 1
	e.Update(&Node{
		ProvisionState: StateDeployWait, DeployStep: &Step{Interface: "deploy", Step: "install_coreos"},
		Internal: &Internal{
			AgentURL: "https://10.0.0.9:9999", AgentVersion: "11.5", LastHeartbeat: Time{at.Add(time.Minute)},
			DeploySteps: []Step{{Interface: "deploy", Step: "a"}, {Interface: "deploy", Step: "install_coreos"}}, DeployIndex: &index,
		},
	}, at.Add(time.Minute))
	works = e.Update(&Node{ProvisionState: StateDeployFailed, LastError: "no disk", Internal: &Internal{}}, at.Add(2*time.Minute))
	if len(works) != 1 || works[0].Evidence == nil {
		t.Fatalf("at the end: %+v", works)
	}
	k := works[0].Evidence
	if k.AgentURL != "https://10.0.0.9:9999" || k.AgentVersion != "11.5" || !k.LastHeartbeat.Equal(at.Add(time.Minute)) || k.Kind != DeploySteps ||
		len(k.Steps) != 2 || k.StepIndex != 1 || k.Step != "deploy.install_coreos" || k.LastError != "no disk" {
		t.Errorf("%+v", k)
	}
}

func TestFailureReason(t *testing.T) {
	t.Parallel()
	began := time.Unix(1000, 0)
	entry := func(seconds int, severity, event string) HistoryEntry {
		return HistoryEntry{CreatedAt: Time{began.Add(time.Duration(seconds) * time.Second)}, Severity: severity, Event: event}
	}
	history := []HistoryEntry{entry(20, "INFO", "note"), entry(10, "error", "new"), entry(5, "ERROR", "older"), entry(-60, "ERROR", "before")}
	tests := map[string]struct {
		lastError string
		evidence  Evidence
		history   []HistoryEntry
		want      string
	}{
		"last_error":                  {"boom", Evidence{Since: began, Kept: Kept{LastError: "seen"}}, history, "boom"},
		"newest error of the history": {"", Evidence{Since: began, Kept: Kept{LastError: "seen"}}, history, "new"},
		"history of earlier work":     {"", Evidence{Since: began, Kept: Kept{LastError: "seen"}}, history[3:], "seen"},
		"start not known":             {"", Evidence{}, history[3:], "before"},
		"clocks apart a little":       {"", Evidence{Since: began.Add(12 * time.Second)}, history, "new"},
		"only what was seen":          {"", Evidence{Since: began, Kept: Kept{LastError: "seen"}}, nil, "seen"},
		"nothing":                     {"", Evidence{}, nil, ""},
	}
	for name, tt := range tests {
		if got := FailureReason(&Node{LastError: tt.lastError}, tt.evidence, tt.history); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
