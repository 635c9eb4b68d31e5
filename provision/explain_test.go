package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
)

// explainedAPI is a fake Ironic with the nodes that the tests explain.
type explainedAPI struct {
	*fakeAPI
	conductors []models.Conductor
	broken     error
	listed     int
}

func (e *explainedAPI) Conductors(context.Context) ([]models.Conductor, error) {
	return e.conductors, e.broken
}

func (e *explainedAPI) EachPage(_ context.Context, _ ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error {
	e.listed++
	if e.broken != nil {
		return e.broken
	}
	page := &ironicclient.NodePage{}
	for _, n := range e.nodes {
		page.Nodes = append(page.Nodes, n)
	}
	return yield(page)
}

const noCallback = "Timeout reached while waiting for callback for node x"

func failedNode(name, reason string) models.Node {
	n := node(name, models.StateDeployFailed)
	n.LastError, n.Internal = reason, &models.Internal{}
	return n
}

func TestExplain(t *testing.T) {
	t.Parallel()
	errDown := errors.New("down")
	for name, tt := range map[string]struct {
		nodes   []models.Node
		history map[string][]models.HistoryEntry
		past    provision.JournalFacts
		broken  error
		rule    explain.RuleID
		missing int
	}{
		"the reason is there": {nodes: []models.Node{failedNode("a", "No suitable device was found for deployment using these hints {}")}, rule: "no-hinted-device"},
		"the reason is in the history": {
			nodes:   []models.Node{failedNode("a", "")},
			history: map[string][]models.HistoryEntry{"uuid-a": {{Severity: "ERROR", Event: "No suitable device was found for deployment using these hints {}"}}},
			rule:    "no-hinted-device",
		},
		"all of them, by their histories": {
			nodes: []models.Node{failedNode("a", ""), failedNode("b", ""), failedNode("c", "")},
			history: map[string][]models.HistoryEntry{
				"uuid-a": {{Severity: "ERROR", Event: noCallback}}, "uuid-b": {{Severity: "ERROR", Event: noCallback}}, "uuid-c": {{Severity: "ERROR", Event: noCallback}},
			},
			rule: "whole-rack",
		},
		"others fail otherwise": {
			nodes: []models.Node{failedNode("a", noCallback), failedNode("b", "No suitable device was found for deployment using these hints {}"), failedNode("c", "x")},
			rule:  "never-booted",
		},
		"what was kept": {
			nodes: []models.Node{failedNode("a", noCallback)},
			past: provision.JournalFacts{Work: &models.Work{
				Kind: models.StateDeploying, Begin: time.Now().Add(-time.Hour), End: time.Now(), Whole: true, Outcome: models.OutcomeFailed,
				Evidence: &models.Kept{AgentURL: "https://10.0.0.9:9999", LastHeartbeat: time.Now().Add(-40 * time.Minute), Step: "deploy.install_coreos"},
			}},
			rule: "agent-silent",
		},
		"only the node can be read": {nodes: []models.Node{failedNode("a", noCallback)}, broken: errDown, rule: "never-booted", missing: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &explainedAPI{fakeAPI: newAPI(tt.nodes...), broken: tt.broken}
			api.history = tt.history
			x := provision.NewExplainer(api, provision.ExplainSources{
				Others:  func(ctx context.Context) ([]*models.Row, error) { return provision.ListOthers(ctx, api) },
				Journal: func(context.Context, *models.Node, time.Time) (provision.JournalFacts, error) { return tt.past, nil },
			})
			done, err := x.Explain(t.Context(), "uuid-a")
			if err != nil {
				t.Fatal(err)
			}
			if best := done.Explanations[0]; best.Rule != tt.rule || len(done.Missing) != tt.missing {
				t.Errorf("%s (%s), missing %v; want %s", best.Rule, best.Verdict, done.Missing, tt.rule)
			}
			if _, err := x.Explain(t.Context(), "uuid-a"); err != nil || tt.broken == nil && api.listed != 1 {
				t.Errorf("listed %d times: %v", api.listed, err)
			}
		})
	}
}

func TestExplainUnreadableNode(t *testing.T) {
	t.Parallel()
	x := provision.NewExplainer(&explainedAPI{fakeAPI: newAPI()}, provision.ExplainSources{})
	if _, err := x.Explain(t.Context(), "uuid-nobody"); err == nil {
		t.Error("a node that is not there was explained")
	}
}

func TestExplainMasks(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	n := failedNode("a", "")
	n.Maintenance, n.Fault, n.MaintenanceReason = true, "clean failure", "password="+secret
	api := &explainedAPI{fakeAPI: newAPI(n)}
	api.history = map[string][]models.HistoryEntry{"uuid-a": {{Severity: "ERROR", Event: "Error: https://root:" + secret + "@bmc/redfish/v1 said agent_token=" + secret}}}
	kept := provision.JournalFacts{Work: &models.Work{Kind: models.StateDeploying, Outcome: models.OutcomeFailed, Reason: "token=" + secret, Evidence: &models.Kept{LastError: "password: " + secret}}}
	x := provision.NewExplainer(api, provision.ExplainSources{Journal: func(context.Context, *models.Node, time.Time) (provision.JournalFacts, error) { return kept, nil }})
	done, err := x.Explain(t.Context(), "uuid-a")
	if err != nil {
		t.Fatal(err)
	}
	text := append(done.Explanations, provision.ExplainText("agent_token="+secret, "")...)
	data, err := json.Marshal(text)
	if err != nil || strings.Contains(string(data), secret) {
		t.Errorf("%v %s", err, data)
	}
	if kept.Work.Reason != "token="+secret {
		t.Error("what was given was changed")
	}
}

// TestExplainUsesObservations checks that Explain uses the observations of the node and the list of nodes.
func TestExplainUsesObservations(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	waits := node("a", models.StateDeployWait)
	waits.PowerState = models.PowerOn
	waits.Internal = &models.Internal{LastHeartbeat: models.Time{Time: time.Now().Add(-48 * time.Hour)}}
	for name, tt := range map[string]struct {
		node models.Node
		seen models.Row
		rule explain.RuleID
	}{
		"it began after the last heartbeat, long ago": {waits, models.Row{Node: waits, Since: time.Now().Add(-20 * time.Minute)}, "never-booted"},
		"it began now":                 {waits, models.Row{Node: waits, Since: time.Now()}, "machine-boots"},
		"the reason was seen":          {failedNode("a", ""), models.Row{Node: failedNode("a", ""), Reason: "Checksum file does not contain name password=" + secret}, "checksum-file"},
		"it was seen in another state": {waits, models.Row{Node: node("a", models.StateAvailable), Reason: "No suitable device"}, explain.RuleUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &explainedAPI{fakeAPI: newAPI(tt.node)}
			x := provision.NewExplainer(api, provision.ExplainSources{
				Others:   func(context.Context) ([]*models.Row, error) { return []*models.Row{&tt.seen}, nil },
				Observed: func(string) (models.Row, bool) { return tt.seen, true },
			})
			done, err := x.Explain(t.Context(), "uuid-a")
			if err != nil {
				t.Fatal(err)
			}
			if best := done.Explanations[0]; best.Rule != tt.rule || api.listed != 0 {
				t.Errorf("%s (%s), listed %d times; want %s", best.Rule, best.Verdict, api.listed, tt.rule)
			}
			if data, err := json.Marshal(done.Explanations); err != nil || strings.Contains(string(data), secret) {
				t.Errorf("%v %s", err, data)
			}
		})
	}
}
