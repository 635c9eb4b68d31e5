package provision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/provision"
)

// gateOf returns a fake Ironic with the given nodes, an action that deploys or rebuilds them, and a runner for it.
func gateOf(
	t *testing.T, make func(*provision.Preflighter, provision.DeploymentOf) *provision.DeployAction, r *reader, nodes ...models.Node,
) (*fakeAPI, *provision.DeployAction, *provision.Runner) {
	t.Helper()
	action := make(&provision.Preflighter{Reader: r}, func(n *models.Node) (provision.Deployment, error) {
		d := deployment(t)
		if n.InstanceUUID == "i1" { // a rebuild does not change the interface
			d.Fields.Kind, d.Fields.Image = plan.KindDirect, plan.Image{Source: "http://h/i", Checksum: "http://h/SHA256SUMS"}
		}
		return d, nil
	})
	api := newAPI(nodes...)
	return api, action, &provision.Runner{API: api, Audit: &memAudit{}, Context: "test"}
}

// deployed returns an active node with an instance.
func deployed(t *testing.T) models.Node {
	t.Helper()
	text := strings.Replace(string(deployable(t).Raw), `"available"`, `"active"`, 1)
	n, err := models.DecodeNode([]byte(strings.Replace(text, `"instance_uuid": null`, `"instance_uuid": "i1"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return *n
}

// TestUncheckedDeploymentsAreRefused checks that a deployment without checks is never sent, neither from the plan of
// a runner nor from a hand-made plan.
func TestUncheckedDeploymentsAreRefused(t *testing.T) {
	t.Parallel()
	for _, v := range []models.Verb{models.VerbDeploy, models.VerbRebuild} {
		action := provision.Provision(models.ProvisionRequest{Verb: v, DeploySteps: []models.Step{{Interface: "deploy", Step: "install_coreos", Priority: prio(80)}}})
		n := node("n1", models.StateDeployFailed)
		api := newAPI(n)
		runner := &provision.Runner{API: api, Audit: &memAudit{}}
		for _, plan := range []provision.Batch{
			runner.Plan(action, []models.Node{n}), {Action: action, Items: []provision.Item{{Node: n}}},
		} {
			res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]
			if res.Outcome != provision.OutcomeRefused || len(api.calls) != 0 || !strings.Contains(res.Err.Error(), "require checks") {
				t.Errorf("%s: %+v %q", v, res, api.calls)
			}
		}
	}
}

func TestRebuildKeepsTheInstance(t *testing.T) {
	t.Parallel()
	n := deployed(t)
	api, action, runner := gateOf(t, provision.Rebuild, &reader{inventory: oneDisk}, n)
	action.Preflight(t.Context(), []models.Node{n})
	plan := runner.Plan(action, []models.Node{n})
	if refused := plan.Items[0].Refusal; refused != nil {
		t.Fatal(refused)
	}
	shown := action.Requests(&n)
	i := slices.IndexFunc(shown, func(r request.Request) bool { return r.Method == http.MethodPut })
	put, _ := shown[i].Body.(map[string]any)
	commands := action.Commands(&n)
	if put["target"] != "rebuild" || !strings.HasPrefix(commands[len(commands)-1], "baremetal node rebuild ") {
		t.Errorf("%v, %q", put, commands)
	}
	if e := action.Effect(&n); !strings.HasPrefix(e.Text, "rebuild overwrites /dev/sda") {
		t.Errorf("%+v", e)
	}
	if res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]; res.Outcome != provision.OutcomeAccepted {
		t.Fatalf("%+v", res)
	}
	if len(api.calls) != 2 || strings.Contains(api.calls[0], "instance_uuid") || api.calls[1] != "n1 provision rebuild" {
		t.Errorf("sent %q", api.calls)
	}
}

// TestStatesOfDeployAndRebuild checks that deploy accepts only free nodes, and rebuild only deployed ones.
func TestStatesOfDeployAndRebuild(t *testing.T) {
	t.Parallel()
	free, taken := deployable(t), deployed(t)
	for name, c := range map[string]struct {
		make    func(*provision.Preflighter, provision.DeploymentOf) *provision.DeployAction
		node    models.Node
		refuses []plan.CheckID
	}{
		"deploy a free one":  {provision.Deploy, free, nil},
		"deploy a taken one": {provision.Deploy, taken, []plan.CheckID{plan.CheckState, plan.CheckReserved}},
		"rebuild a free one": {provision.Rebuild, free, []plan.CheckID{plan.CheckState, plan.CheckDeployInterface, plan.CheckImage}},
		"rebuild a taken":    {provision.Rebuild, taken, nil},
	} {
		_, action, _ := gateOf(t, c.make, &reader{inventory: oneDisk}, c.node)
		action.Preflight(t.Context(), []models.Node{c.node})
		var ids []plan.CheckID
		for _, check := range plan.RefusedChecks(action.Checks(&c.node)) {
			ids = append(ids, check.ID)
		}
		if !slices.Equal(ids, c.refuses) {
			t.Errorf("%s: refused by %v, want %v", name, ids, c.refuses)
		}
	}
}

// TestAnotherAttemptNeedsNewChecks checks that the results of checks can be used only once.
func TestAnotherAttemptNeedsNewChecks(t *testing.T) {
	t.Parallel()
	n := deployable(t)
	api, action, runner := gateOf(t, provision.Deploy, &reader{inventory: oneDisk}, n)
	action.Preflight(t.Context(), []models.Node{n})
	plan := runner.Plan(action, []models.Node{n})
	if res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]; res.Outcome != provision.OutcomeAccepted {
		t.Fatalf("%+v", res)
	}
	sent := len(api.calls)
	for name, again := range map[string]provision.Batch{
		"the old plan": plan, "a new plan": runner.Plan(action, []models.Node{n}),
		"another action": runner.Plan(action.WithOverrides(nil), []models.Node{n}),
	} {
		if res := runner.Run(t.Context(), again, provision.RunOptions{})[0]; res.Outcome != provision.OutcomeRefused || len(api.calls) != sent {
			t.Errorf("%s: %+v %q", name, res, api.calls[sent:])
		}
	}
	// After new checks, the node is still recognized as reserved by this deployment.
	var object map[string]any
	var ops []models.PatchOp
	if err := json.Unmarshal([]byte(strings.TrimPrefix(api.calls[0], "n1 patch ")), &ops); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(n.Raw, &object); err != nil {
		t.Fatal(err)
	}
	object["instance_uuid"], object["provision_state"] = ops[0].Value, "deploy failed"
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	failed, err := models.DecodeNode(raw)
	if err != nil {
		t.Fatal(err)
	}
	again := action.WithOverrides(nil)
	again.Preflight(t.Context(), []models.Node{*failed})
	if refused := again.Refuse(failed, models.APIVersion{}); refused != nil {
		t.Errorf("its own node is refused: %v", refused)
	}
}

func TestOverrideIsForOneNodeAndOneAttempt(t *testing.T) {
	t.Parallel()
	n := deployable(t)
	_, action, _ := gateOf(t, provision.Deploy, &reader{}, n)
	for name, c := range map[string]struct {
		overrides map[string][]plan.CheckID
		refused   bool
	}{
		"this one":         {map[string][]plan.CheckID{n.UUID: {plan.CheckInventory}}, false},
		"another check":    {map[string][]plan.CheckID{n.UUID: {plan.CheckValidate}}, true},
		"what always does": {map[string][]plan.CheckID{n.UUID: {plan.CheckInventory, plan.CheckState}}, false},
		"another node":     {map[string][]plan.CheckID{"n2": {plan.CheckInventory}}, true},
		"none any longer":  {nil, true},
	} {
		again := action.WithOverrides(c.overrides)
		if again.Refuse(&n, models.APIVersion{}) == nil {
			t.Errorf("%s: it passes before its checks", name)
		}
		again.Preflight(t.Context(), []models.Node{n})
		if refused := again.Refuse(&n, models.APIVersion{}); (refused != nil) != c.refused {
			t.Errorf("%s: %v", name, refused)
		}
	}
}

// TestChangesAfterTheChecksStopTheDeployment checks that a deployment stops if the node has changed since the checks.
// With other hints, for example, the disk may differ from the confirmed one.
func TestChangesAfterTheChecksStopTheDeployment(t *testing.T) {
	t.Parallel()
	n := deployable(t)
	for name, c := range map[string]struct{ old, other, says string }{
		"hints":      {`"serial": "S9"`, `"serial": "S8"`, "properties"},
		"the state":  {`"available"`, `"manageable"`, "provision_state"},
		"the BMC":    {`"http://k"`, `"http://other"`, "driver_info"},
		"not at all": {`"extra": {}`, `"extra": {"note": "x"}`, ""},
	} {
		api, action, runner := gateOf(t, provision.Deploy, &reader{inventory: oneDisk}, n)
		action.Preflight(t.Context(), []models.Node{n})
		plan := runner.Plan(action, []models.Node{n})
		api.set("n1", func(now *models.Node) {
			changed, err := models.DecodeNode([]byte(strings.Replace(string(n.Raw), c.old, c.other, 1)))
			if err != nil {
				t.Error(err)
				return
			}
			*now = *changed
		})
		reads := 0
		api.onLook = func(string) error { reads++; return nil }
		res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]
		all := strings.Join(api.calls, "\n")
		if c.says == "" {
			// The response to the PATCH that reserved the node contains the node, so the node is not read again.
			if res.Outcome != provision.OutcomeAccepted || reads > 0 {
				t.Errorf("%s: %+v, %d reads", name, res, reads)
			}
			continue
		}
		if res.Outcome != provision.OutcomeFailed || !strings.Contains(res.Err.Error(), "changed since the checks: "+c.says) {
			t.Errorf("%s: %+v", name, res)
		}
		if strings.Contains(all, "provision") || !strings.HasSuffix(all, `[{"op":"remove","path":"/instance_uuid"}]`) || len(api.calls) != 2 {
			t.Errorf("%s: sent\n%s", name, all)
		}
	}
}

// TestPreflightReadsAgain checks that every preflight rereads the data that all nodes share, and that the callback is
// called once for each node.
func TestPreflightReadsAgain(t *testing.T) {
	t.Parallel()
	n := deployable(t)
	r := &countingReader{reader: &reader{inventory: oneDisk}}
	checked := 0
	action := provision.Deploy(&provision.Preflighter{Reader: r}, sameFor(deployment(t)))
	action.OnChecked(func(models.NodeRef) { checked++ })
	for range 2 {
		action.Preflight(t.Context(), []models.Node{n})
	}
	if r.drivers != 2 || checked != 2 {
		t.Errorf("the drivers were read %d times, %d nodes checked of", r.drivers, checked)
	}
	if !action.CheckedBy(&provision.Preflighter{Reader: r}) || action.CheckedBy(&provision.Preflighter{Reader: &reader{}}) || action.CheckedBy(nil) {
		t.Error("it does not know whose checks they are")
	}
}

// countingReader counts how often the drivers are read.
type countingReader struct {
	*reader
	drivers int
}

func (r *countingReader) Drivers(ctx context.Context) ([]models.Driver, error) {
	r.drivers++
	return r.reader.Drivers(ctx)
}

// TestRebuildIsRecordedBeforeItIsSent checks that an interrupted rebuild is resumed as a rebuild, and that a
// deployment of the same plan is refused while the rebuild is unfinished.
func TestRebuildIsRecordedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	recordable, err := models.DecodeNode([]byte(strings.Replace(string(deployed(t).Raw), "uuid-n1", "7d5f1a2b-0d6e-4a43-9f2c-000000000001", 1)))
	if err != nil {
		t.Fatal(err)
	}
	n := *recordable
	kept := &provision.Deployments{Dir: t.TempDir()}
	r := &reader{inventory: oneDisk}
	api, action, runner := gateOf(t, provision.Rebuild, r, n)
	checks := &provision.Preflighter{Reader: r, Deployments: kept}
	action = provision.Rebuild(checks, action.DeploymentOf())
	action.Preflight(t.Context(), []models.Node{n})
	lost := &models.Fault{Kind: models.FaultServer, Sent: true}
	api.onCall = func(call, _ string) error {
		if strings.HasPrefix(call, "provision") {
			return lost
		}
		return nil
	}
	if res := runner.Run(t.Context(), runner.Plan(action, []models.Node{n}), provision.RunOptions{})[0]; res.Outcome != provision.OutcomeUnknown {
		t.Fatalf("%+v", res)
	}
	list, err := kept.Unfinished(time.Now())
	if err != nil || len(list) != 1 || list[0].Verb != models.VerbRebuild || list[0].Stage != provision.StageSending {
		t.Fatalf("on disk: %+v, %v", list, err)
	}
	// This state of the node shows that Ironic has accepted the rebuild.
	failed, err := models.DecodeNode([]byte(strings.Replace(string(n.Raw), `"active"`, `"deploying"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		act  *provision.DeployAction
		says string
	}{
		"the same again": {provision.Rebuild(checks, action.DeploymentOf()), ""},
		"resumed":        {provision.Resume(checks), ""},
		"a deployment":   {provision.Deploy(checks, action.DeploymentOf()), "is unfinished (sending)"},
	} {
		c.act.Preflight(t.Context(), []models.Node{*failed})
		review := c.act.Review(failed)
		switch refused := review.Refusal; {
		case c.says == "" && (refused != nil || !strings.Contains(review.FollowUp, "is watched")):
			t.Errorf("%s: %v, %q", name, refused, review.FollowUp)
		case c.says != "" && (refused == nil || !strings.Contains(refused.Why, c.says)):
			t.Errorf("%s: %v", name, refused)
		}
	}
}

// TestRefusedDeploymentNamesKeysInTheConsole checks how the remedy for a failed check is described: with console
// commands in the terminal console, and with shell commands on the command line.
func TestRefusedDeploymentNamesKeysInTheConsole(t *testing.T) {
	t.Parallel()
	n := deployable(t)
	n.Maintenance = true
	_, action, _ := gateOf(t, provision.Deploy, &reader{}, n)
	action.Preflight(t.Context(), []models.Node{n})
	refused := action.Refuse(&n, models.APIVersion{})
	if refused == nil || !strings.Contains(refused.Error(), "ironworks maintenance off "+n.Label()) {
		t.Fatalf("the command line says %v", refused)
	}
	for _, shown := range []string{refused.OnScreen(), refused.WhyOnScreen(), models.OnScreen(refused)} {
		if strings.Contains(shown, "ironworks ") || !strings.Contains(shown, "run :maintenance-off on the node") {
			t.Errorf("the console says %s", shown)
		}
	}
}

func TestErrorsOfUnfinishedDeploymentsNameKeysInTheConsole(t *testing.T) {
	t.Parallel()
	sent := &provision.OtherDeploymentError{Unfinished: provision.Unfinished{Stage: provision.StageSent}, Accepted: true}
	if text := models.OnScreen(fmt.Errorf("deploy n1: %w", sent)); strings.Contains(text, "ironworks ") || !strings.HasSuffix(text, ":deploy-resume continues it, undeploy (:undeploy) ends it") {
		t.Errorf("the console says %s", text)
	}
	if text := sent.Error(); !strings.HasSuffix(text, "ironworks deploy --resume continues it, ironworks undeploy ends it") {
		t.Errorf("the command line says %s", text)
	}
}
