package api_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"ironworks/lab/db"
)

const cannot = `The requested action "%" can not be performed on node "{N}" while it is in state "`

func refusedIn(action, state string) string {
	return strings.Replace(cannot, "%", action, 1) + state + `".`
}

func TestProvisionChecks(t *testing.T) {
	const step = `{"interface": "deploy", "step": "x"}`
	for name, test := range map[string]struct {
		state, version, body string
		status               int
		text                 string
	}{
		"no target":                 {"enroll", "", `{}`, 400, "Missing mandatory parameter: target"},
		"unknown argument":          {"enroll", "", `{"target": "manage", "x": 1}`, 400, "Unexpected arguments: x"},
		"target of another type":    {"enroll", "", `{"target": 5}`, 400, "Expected string for target: 5"},
		"unknown target":            {"enroll", "", `{"target": "x"}`, 400, refusedIn("x", "enroll")},
		"null target":               {"enroll", "", `{"target": null}`, 400, refusedIn("None", "enroll")},
		"not from here":             {"enroll", "", `{"target": "active"}`, 400, refusedIn("active", "enroll")},
		"too new a verb":            {"enroll", "1.3", `{"target": "manage"}`, 406, "Request not acceptable."},
		"the conductor's own event": {"deploying", "", `{"target": "wait"}`, 400, `The requested action "wait" could not be understood.`},
		"steps that are none":       {"enroll", "", `{"target": "manage", "clean_steps": 5}`, 400, "Expected types <class 'NoneType'>, <class 'list'> for clean_steps: 5"},
		"a step without interface":  {"enroll", "", `{"target": "manage", "clean_steps": [{"x": 1}]}`, 500, "'interface'"},
		"steps of another verb":     {"enroll", "", `{"target": "manage", "clean_steps": [` + step + `]}`, 400, `"clean_steps" is only valid when setting target provision state to clean`},
		"deploy steps of another":   {"enroll", "", `{"target": "manage", "deploy_steps": [` + step + `]}`, 400, `"deploy_steps" is only valid when setting target provision state to active or rebuild`},
		"deploy steps too early":    {"available", "1.68", `{"target": "active", "deploy_steps": [` + step + `]}`, 406, "Request not acceptable. The minimal required API version should be 1.69"},
		"deploy with the new verb":  {"available", "", `{"target": "deploy", "configdrive": "abc"}`, 400, "Adding a config drive is only supported when setting provision state to active, rebuild"},
		"configdrive object early":  {"available", "1.55", `{"target": "active", "configdrive": {"user_data": "x"}}`, 400, "Providing a JSON object for configdrive is only supported starting with API version 1.56"},
		"vendor_data early":         {"available", "1.58", `{"target": "active", "configdrive": {"vendor_data": {}}}`, 400, "Providing vendor_data in configdrive is only supported starting with API version 1.59"},
		"configdrive of no kind":    {"available", "", `{"target": "active", "configdrive": "{x}"}`, 400, "Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string"},
		"no ramdisk of another":     {"enroll", "", `{"target": "manage", "disable_ramdisk": true}`, 400, "disable_ramdisk is supported only with manual cleaning or servicing"},
		"no ramdisk too early":      {"manageable", "1.69", `{"target": "clean", "disable_ramdisk": true}`, 406, "disable_ramdisk is not acceptable in this API version"},
		"password of another":       {"enroll", "", `{"target": "manage", "rescue_password": ""}`, 400, `"rescue_password" is only valid when setting target provision state to rescue`},
		"rescue without password":   {"active", "", `{"target": "rescue", "rescue_password": " "}`, 400, `A non-empty "rescue_password" is required when setting target provision state to rescue`},
		"clean without steps":       {"manageable", "", `{"target": "clean"}`, 400, `"clean_steps" is required when setting target provision state to clean`},
		"service without steps":     {"active", "", `{"target": "service"}`, 400, `"service_steps" is required when setting target provision state to service`},
		"service too early":         {"active", "1.86", `{"target": "service"}`, 406, "Request not acceptable."},
		"abort a deployment early":  {"wait call-back", "1.109", `{"target": "abort"}`, 406, "Request not acceptable."},
		"abort an inspection early": {"inspect wait", "1.40", `{"target": "abort"}`, 406, "Request not acceptable."},
		"no such runbook":           {"manageable", "", `{"target": "clean", "runbook": "x"}`, 404, "Runbook x could not be found."},
		"a disallowed step": {
			"manageable", "", `{"target": "clean", "clean_steps": [{"interface": "vendor", "step": "send_raw"}]}`, 400,
			"clean step 'vendor.send_raw' is not allowed. Disallowed by operator configuration [api]disallow_clean_steps.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			n := r.node(func(n *db.Node) { n.ProvisionState = test.state })
			r.check(n, []exchange{{"PUT", "/v1/nodes/{N}/states/provision", test.version, test.body, test.status, test.text}})
			if len(r.conductor.asked) > 0 {
				t.Errorf("the conductor was asked: %v", r.conductor.asked)
			}
		})
	}
}

func TestInvalidSteps(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.ProvisionState = "available" })
	for steps, want := range map[string]string{
		`[{"interface": "x", "step": "s", "args": {}, "priority": 1}]`:              "Invalid deploy_steps: 'x' is not one of ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid']\n",
		`[{"interface": "deploy", "step": "s", "priority": 1}]`:                     "Invalid deploy_steps: 'args' is a required property\n",
		`[{"interface": "deploy", "step": "s", "args": {}, "priority": -1}]`:        "Invalid deploy_steps: -1 is less than the minimum of 0\n",
		`[{"interface": "deploy", "step": "", "args": {}, "priority": 1}]`:          "Invalid deploy_steps: '' should be non-empty\n",
		`[{"interface": "deploy", "step": "s", "args": {}, "priority": 1, "x": 2}]`: "Invalid deploy_steps: Additional properties are not allowed ('x' was unexpected)\n",
	} {
		answer := r.do("PUT", "/v1/nodes/"+n.UUID+"/states/provision", latest, `{"target": "active", "deploy_steps": `+steps+`}`)
		if text := refusal(t, answer.Body.Bytes()); answer.Code != http.StatusBadRequest || !strings.HasPrefix(text, want) {
			t.Errorf("%s: %d %q, want %q", steps, answer.Code, text, want)
		}
	}
}

// TestOrderOfChecks verifies the order of the checks: maintenance is checked before the state, and the state before
// the other arguments. If the node is locked, a wrong state is reported as a lock.
func TestOrderOfChecks(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.ProvisionState, n.Maintenance, n.Reservation = "deploying", true, "host" })
	r.check(n, []exchange{
		{
			"PUT", "/v1/nodes/{N}/states/provision", "", `{"target": "active"}`, 400,
			"The provisioning operation can't be performed on node {N} because it's in maintenance mode.",
		},
		{
			"PUT", "/v1/nodes/{N}/states/provision", "", `{"target": "deleted", "configdrive": "x", "rescue_password": "x"}`, 409,
			"Node {N} is locked by host host, please retry after the current operation is completed.",
		},
	})
}

func TestConductorCalls(t *testing.T) {
	for _, test := range []struct{ state, body, want string }{
		{"enroll", `{"target": "manage"}`, "manage"},
		{"manageable", `{"target": "provide"}`, "provide"},
		{"manageable", `{"target": "inspect"}`, "inspect"},
		{"manageable", `{"target": "adopt"}`, "adopt"},
		{"manageable", `{"target": "clean", "clean_steps": [{"interface": "deploy", "step": "erase_devices", "order": "5"}]}`, "clean"},
		{"available", `{"target": "active"}`, "deploy"},
		{"available", `{"target": "deploy"}`, "deploy"},
		{"active", `{"target": "rebuild"}`, "deploy"},
		{"active", `{"target": "deleted"}`, "tear down"},
		{"error", `{"target": "undeploy"}`, "tear down"},
		{"active", `{"target": "rescue", "rescue_password": "pw"}`, "rescue pw"},
		{"rescue", `{"target": "unrescue"}`, "unrescue"},
		{"active", `{"target": "service", "service_steps": [{"interface": "bios", "step": "factory_reset"}]}`, "service"},
		{"wait call-back", `{"target": "abort"}`, "abort"},
		{"clean hold", `{"target": "unhold"}`, "unhold"},
	} {
		r := newRig(t)
		n := r.node(func(n *db.Node) { n.ProvisionState = test.state })
		answer := r.do("PUT", "/v1/nodes/"+n.UUID+"/states/provision", latest, test.body)
		if answer.Code != http.StatusAccepted || answer.Body.Len() > 0 ||
			answer.Header().Get("Location") != "http://lab/v1/nodes/"+n.UUID+"/states" {
			t.Errorf("%s: %d %s %v", test.body, answer.Code, answer.Body, answer.Header())
		}
		if !reflect.DeepEqual(r.conductor.asked, []string{test.want}) {
			t.Errorf("%s: asked %v, want %s", test.body, r.conductor.asked, test.want)
		}
	}
}

func TestDeployRequest(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.ProvisionState = "active" })
	r.want("PUT", "/v1/nodes/"+n.UUID+"/states/provision", `{"target": "rebuild", "configdrive": {"user_data": {"ignition": {}}},
		"deploy_steps": [{"interface": "deploy", "step": "install_coreos", "args": {}, "priority": "80"}]}`, http.StatusAccepted)
	deploy := r.conductor.deploy
	if !deploy.Rebuild || len(deploy.Steps) != 1 || deploy.Steps[0].Text("step") != "install_coreos" {
		t.Errorf("%+v", deploy)
	}
	if drive, ok := deploy.Configdrive.(db.Dict); !ok || drive["user_data"] == nil {
		t.Errorf("configdrive is %#v", deploy.Configdrive)
	}
}

func TestRunbookSteps(t *testing.T) {
	for target, state := range map[string]string{"clean": "manageable", "service": "active"} {
		r := newRig(t)
		n := r.node(func(n *db.Node) { n.ProvisionState, n.Traits = state, []string{"CUSTOM_X"} })
		r.want("POST", "/v1/runbooks", `{"name": "CUSTOM_R", "disable_ramdisk": true, "steps": [{"interface": "bios", "step": "factory_reset", "order": "5"}]}`,
			http.StatusCreated)
		use := func(version string, status int, text string) {
			r.check(n, []exchange{{"PUT", "/v1/nodes/{N}/states/provision", version, `{"target": "` + target + `", "runbook": "CUSTOM_R"}`, status, text}})
		}
		use("1.91", 406, "Request not acceptable.")
		use("1.111", 400, "This runbook has not been approved for use on this node {N}. Please ask an administrator to add it to your node traits.")
		r.want("PUT", "/v1/runbooks/CUSTOM_R/traits/CUSTOM_X", "", http.StatusNoContent)
		use("", 202, "")
		want := []db.Dict{{"interface": "bios", "step": "factory_reset", "args": map[string]any{}, "order": json.Number("5")}}
		if !reflect.DeepEqual(r.conductor.asked, []string{target}) || !reflect.DeepEqual(r.conductor.steps, want) || !r.conductor.noRamdisk {
			t.Errorf("asked %v for %v without a ramdisk: %v", r.conductor.asked, r.conductor.steps, r.conductor.noRamdisk)
		}
	}
}

func TestConductorErrors(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	r.conductor.refuse = db.Faultf(http.StatusServiceUnavailable, "NoFreeConductorWorker",
		"Requested action cannot be performed due to lack of free conductor workers.")
	r.check(n, []exchange{{
		"PUT", "/v1/nodes/{N}/states/provision", "", `{"target": "manage"}`, 503,
		"Requested action cannot be performed due to lack of free conductor workers.",
	}})
}

func TestNoConductor(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.ConductorGroup = "far" })
	text := `No valid host was found. Reason: No conductor service registered which supports driver redfish for conductor ` +
		`group "far". Ensure the driver is valid and enabled.`
	r.check(n, []exchange{
		{"PUT", "/v1/nodes/{N}/states/provision", "", `{"target": "manage"}`, 404, text},
		{"PUT", "/v1/nodes/{N}/states/power", "", `{"target": "power on"}`, 404, text},
		{"PUT", "/v1/nodes/{N}/maintenance", "", "", 400, text},
		{"DELETE", "/v1/nodes/{N}", "", "", 400, text},
		{"GET", "/v1/nodes/{N}", "", "", 200, ""},
	})
}
