package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/provision"
)

// reader provides the data for the checks and counts the validations.
type reader struct {
	mu        sync.Mutex
	inventory string
	asked     int
	// valid returns the result of validation number n, counted from 1.
	valid func(n int) []models.Validation
}

func (r *reader) Inventory(context.Context, string) (json.RawMessage, error) {
	if r.inventory == "" {
		return nil, &models.Fault{Kind: models.FaultNotFound, Status: 404}
	}
	return json.RawMessage(r.inventory), nil
}

func (r *reader) Validate(context.Context, string) ([]models.Validation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.valid != nil {
		return r.valid(r.asked), nil
	}
	yes := true
	return []models.Validation{{Interface: "power", Result: &yes}}, nil
}

func (r *reader) Drivers(context.Context) ([]models.Driver, error) {
	return []models.Driver{{Name: "redfish", Enabled: map[string][]string{"deploy": {"custom-agent", "direct"}}}}, nil
}

func (r *reader) Conductors(context.Context) ([]models.Conductor, error) {
	return []models.Conductor{{Hostname: "c1", Alive: true}}, nil
}

func (r *reader) DeployTemplates(context.Context) ([]models.DeployTemplate, error) {
	return nil, errors.New("the deploy templates cannot be listed")
}

func (r *reader) EachPage(context.Context, ironicclient.NodeQuery, func(*ironicclient.NodePage) error) error {
	return errors.New("the nodes cannot be listed")
}

func (r *reader) Version() (models.APIVersion, bool) {
	return models.APIVersion{Minor: models.NewestMinor}, true
}

const oneDisk = `{"inventory": {"disks": [{"name": "/dev/sda", "size": 480103981056, "serial": "S1", "model": "X"}]}}`

// deployable returns a node that can be deployed with the direct deploy interface.
func deployable(t *testing.T) models.Node {
	t.Helper()
	n, err := models.DecodeNode([]byte(`{"uuid": "uuid-n1", "name": "n1", "provision_state": "available", "power_state": "power off",
		"driver": "redfish", "deploy_interface": "direct", "instance_uuid": null, "inspection_finished_at": "2030-01-01T00:00:00+00:00",
		"properties": {"root_device": {"serial": "S9"}}, "extra": {},
		"driver_info": {"deploy_kernel": "http://k", "deploy_ramdisk": "http://r", "redfish_password": "******"}, "instance_info": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	return *n
}

const ignitionText = `{"ignition": {"version": "3.3.0"}, "passwd": {"users": [{"name": "core", "passwordHash": "$y$hunter2"}]}}`

// sameFor returns a function that returns d for every node.
func sameFor(d provision.Deployment) provision.DeploymentOf {
	return func(*models.Node) (provision.Deployment, error) { return d, nil }
}

func deployment(t *testing.T) provision.Deployment {
	t.Helper()
	rootHints, err := hints.Decode([]byte(hintsText))
	if err != nil {
		t.Fatal(err)
	}
	return provision.Deployment{UserData: []byte(ignitionText), Fields: plan.Fields{
		Kind: plan.KindInstallCoreOS, RootDevice: plan.RootDevice{Hints: rootHints, To: hints.OfProperties},
		Ramdisk: plan.Ramdisk{ISO: "http://user:hunter2@h/x.iso?sig=hunter2"},
	}}
}

const hintsText = `{"serial": "S1"}`

// theRun prepares the deployment of one node in a fake Ironic, which calls on for each change.
func theRun(t *testing.T, r *reader, on func(call, id string) error) (*fakeAPI, *provision.DeployAction, provision.Batch, *provision.Runner) {
	t.Helper()
	n := deployable(t)
	api := newAPI(n)
	api.onCall = on
	action := provision.Deploy(&provision.Preflighter{Reader: r}, sameFor(deployment(t)))
	action.Preflight(t.Context(), []models.Node{n})
	runner := &provision.Runner{API: api, Audit: &memAudit{}, Context: "test"}
	return api, action, runner.Plan(action, []models.Node{n}), runner
}

func TestDeploySendsWhatItShows(t *testing.T) {
	t.Parallel()
	api, action, plan, runner := theRun(t, &reader{inventory: oneDisk}, nil)
	node := &plan.Items[0].Node
	shown := action.Requests(node)
	results := runner.Run(t.Context(), plan, provision.RunOptions{})
	if results[0].Outcome != provision.OutcomeAccepted {
		t.Fatalf("%+v", results[0])
	}
	// The last request is sent only if the node is watched, so it is not sent here.
	last := shown[len(shown)-1]
	if said := last.String(); !strings.Contains(said, "/extra/console") || !strings.Contains(said, "(if the deployment is watched until it succeeds)") {
		t.Errorf("the last request is %s", said)
	}
	shown = shown[:len(shown)-1]
	var want []string
	for _, r := range shown {
		body, err := json.Marshal(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		switch r.Method {
		case http.MethodPatch:
			want = append(want, "n1 patch "+string(body))
		case http.MethodPut:
			want = append(want, "n1 provision active")
		}
	}
	if !slices.Equal(api.calls, want) || len(want) != 3 {
		t.Errorf("sent\n%s\nshown\n%s", strings.Join(api.calls, "\n"), strings.Join(want, "\n"))
	}
	for _, part := range []string{
		`"path":"/deploy_interface","value":"custom-agent"`, `"op":"remove","path":"/driver_info/deploy_kernel"`,
		`"path":"/properties/root_device","value":{"serial":"S1"}`,
	} {
		if !strings.Contains(want[1], part) {
			t.Errorf("%s is not in %s", part, want[1])
		}
	}
	put, _ := shown[len(shown)-1].Body.(map[string]any)
	drive, _ := json.Marshal(put["configdrive"])
	if !strings.Contains(string(drive), `"user_data":{"ignition":`) || !strings.Contains(string(drive), "merge") {
		t.Errorf("the user data is not wrapped: %s", drive)
	}
}

func TestDeployShowsNoSecrets(t *testing.T) {
	t.Parallel()
	_, action, plan, _ := theRun(t, &reader{inventory: oneDisk}, nil)
	node := &plan.Items[0].Node
	asJSON, err := json.Marshal(action.Requests(node))
	if err != nil {
		t.Fatal(err)
	}
	commands := action.Commands(node)
	for form, text := range map[string]string{
		"JSON": string(asJSON), "text": fmt.Sprint(action.Requests(node)), "Go": fmt.Sprintf("%#v", action.Requests(node)),
		"commands": strings.Join(commands, "\n"),
	} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "H4sI") {
			t.Errorf("%s: %s", form, text)
		}
		if !strings.Contains(text, "root_device") {
			t.Errorf("%s says too little: %s", form, text)
		}
	}
	if len(commands) < 4 || !strings.HasPrefix(commands[len(commands)-1], "baremetal node deploy --deploy-steps '[{") {
		t.Errorf("%q", commands)
	}
}

func TestFailedDeployRevertsItsChanges(t *testing.T) {
	t.Parallel()
	no := false
	refused := &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: "no"}
	for name, c := range map[string]struct {
		valid func(n int) []models.Validation
		on    func(call, id string) error
		back  bool
	}{
		"not valid any longer": {valid: func(n int) []models.Validation {
			if n == 1 {
				return []models.Validation{{Interface: "power"}}
			}
			return []models.Validation{{Interface: "boot", Result: &no, Reason: "no bootloader"}}
		}, back: true},
		"Ironic refuses": {on: func(call, _ string) error {
			if strings.HasPrefix(call, "provision") {
				return refused
			}
			return nil
		}, back: true},
		"no answer": {on: func(call, _ string) error {
			if strings.HasPrefix(call, "provision") {
				return &models.Fault{Kind: models.FaultServer, Sent: true}
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, _, plan, runner := theRun(t, &reader{inventory: oneDisk, valid: c.valid}, c.on)
			res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]
			if res.Err == nil {
				t.Fatal("it went well")
			}
			all := strings.Join(api.calls, "\n")
			last := api.calls[len(api.calls)-1]
			if !c.back {
				if strings.Contains(all, `"remove","path":"/instance_uuid"`) {
					t.Errorf("given back although it may have begun:\n%s", all)
				}
				return
			}
			if !strings.HasSuffix(last, `patch [{"op":"remove","path":"/instance_uuid"}]`) {
				t.Errorf("the node is not free again:\n%s", all)
			}
			before := api.calls[len(api.calls)-2]
			for _, part := range []string{
				`"path":"/properties/root_device","value":{"serial":"S9"}`, `"op":"remove","path":"/driver_info/deploy_iso"`,
				`"path":"/driver_info/deploy_kernel","value":"http://k"`, `"path":"/deploy_interface","value":"direct"`,
			} {
				if !strings.Contains(before, part) {
					t.Errorf("%s is not given back: %s", part, before)
				}
			}
		})
	}
}

func TestTwoConsolesDeployOneNode(t *testing.T) {
	t.Parallel()
	taken := &models.Fault{Kind: models.FaultConflict, Status: 409, Message: "Node n1 is associated with instance i1."}
	api, _, plan, runner := theRun(t, &reader{inventory: oneDisk}, func(call, _ string) error {
		if strings.Contains(call, "/instance_uuid") {
			return taken
		}
		return nil
	})
	res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]
	if res.Outcome != provision.OutcomeFailed || len(api.calls) != 1 {
		t.Errorf("%+v\n%q", res, api.calls)
	}
}

func TestDeployWithoutChecksSendsNothing(t *testing.T) {
	t.Parallel()
	n := deployable(t)
	api := newAPI(n)
	action := provision.Deploy(&provision.Preflighter{Reader: &reader{}}, sameFor(provision.Deployment{}))
	runner := &provision.Runner{API: api, Audit: &memAudit{}}
	for _, plan := range []provision.Batch{
		runner.Plan(action, []models.Node{n}),
		{Action: action, Items: []provision.Item{{Node: n}}}, // not planned by a runner
	} {
		if res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]; res.Outcome != provision.OutcomeRefused || len(api.calls) != 0 {
			t.Errorf("%+v %q", res, api.calls)
		}
	}
	action.Preflight(t.Context(), []models.Node{n})
	plan := runner.Plan(action, []models.Node{n})
	refused := plan.Items[0].Refusal
	if refused == nil || !strings.Contains(refused.Why, "[inventory]") || !strings.Contains(refused.Why, "[image]") {
		t.Errorf("not every reason: %v", refused)
	}
	if action.Requests(&n) != nil || action.Commands(&n) != nil {
		t.Error("there are requests for a node that is refused")
	}
}

func TestOverrideIsForTheConfirmedNode(t *testing.T) {
	t.Parallel()
	n := deployable(t)
	for _, confirmed := range []string{"n1", "uuid-n1", "n2"} {
		action := provision.Deploy(&provision.Preflighter{Reader: &reader{}}, sameFor(deployment(t)))
		action = action.WithOverrides(provision.OverridesFor([]models.Node{n}, []string{confirmed}, []plan.CheckID{plan.CheckInventory}))
		action.Preflight(t.Context(), []models.Node{n})
		refused := action.Refuse(&n, models.APIVersion{})
		if (refused != nil) != (confirmed == "n2") {
			t.Errorf("confirmed %s: %v", confirmed, refused)
		}
	}
}

func TestConfigDriveOfADeployment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		drive any
		says  string
	}{
		"an object":    {map[string]any{"user_data": map[string]any{"a": 1}, "meta_data": map[string]any{}, "vendor_data": map[string]any{}}, ""},
		"a text":       {"http://h/drive", ""},
		"nothing":      {nil, ""},
		"another key":  {map[string]any{"userdata": "x"}, `unknown key "userdata"`},
		"a wrong type": {map[string]any{"meta_data": "x"}, "meta_data is not an object"},
		"a list":       {[]any{}, "must be an object"},
	} {
		_, err := provision.Deployment{}.WithConfigDrive(c.drive)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOfferedStepsAreStored(t *testing.T) {
	t.Parallel()
	kept := provision.OfferedSteps{Dir: t.TempDir() + "/offered"}
	const uuid = "7d5f1a2b-0d6e-4a43-9f2c-000000000001"
	if got := kept.Load(uuid); got != nil {
		t.Errorf("%+v", got)
	}
	want := &plan.OfferedSteps{Steps: []plan.OfferedStep{{Interface: "deploy", Step: "install_coreos"}}}
	for _, name := range []string{uuid, "../../evil"} {
		if err := kept.Store(name, want); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept.Load(uuid); got == nil || got.Steps[0].Step != "install_coreos" {
		t.Errorf("%+v", got)
	}
	if got := kept.Load("../../evil"); got != nil {
		t.Error("a name leads out of the folder")
	}
}
