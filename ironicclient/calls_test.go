package ironicclient

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

// result drops a return value, so that calls with different results fit into one table.
func result[T any](_ T, err error) error { return err }

func changes() map[string]struct {
	request    request.Request
	want, body string
} {
	n := 5
	step := models.Step{Interface: "deploy", Step: "write", Abortable: true}
	type change = struct {
		request    request.Request
		want, body string
	}
	provision := func(r models.ProvisionRequest, body string) change {
		return change{request.Provision("n", r), "PUT /v1/nodes/n/states/provision", body}
	}
	return map[string]change{
		"manage":   provision(models.ProvisionRequest{Verb: models.VerbManage}, `{"target":"manage"}`),
		"undeploy": provision(models.ProvisionRequest{Verb: models.VerbUndeploy}, `{"target":"deleted"}`),
		"deploy": provision(
			models.ProvisionRequest{Verb: models.VerbDeploy, DeploySteps: []models.Step{step, {Interface: "raid", Step: "x", Priority: &n}}, ConfigDrive: map[string]any{"meta_data": map[string]any{}}},
			`{"configdrive":{"meta_data":{}},"deploy_steps":[{"args":{},"interface":"deploy","step":"write"},{"args":{},"interface":"raid","priority":5,"step":"x"}],"target":"active"}`,
		),
		"rebuild, configdrive as text": provision(models.ProvisionRequest{Verb: models.VerbRebuild, ConfigDrive: "http://x"}, `{"configdrive":"http://x","target":"rebuild"}`),
		"clean": provision(
			models.ProvisionRequest{Verb: models.VerbClean, DisableRamdisk: true, CleanSteps: []models.Step{{Interface: "raid", Step: "x", Priority: &n, Order: &n, Args: map[string]any{"a": 1}}}},
			`{"clean_steps":[{"args":{"a":1},"interface":"raid","order":5,"step":"x"}],"disable_ramdisk":true,"target":"clean"}`,
		),
		"service": provision(
			models.ProvisionRequest{Verb: models.VerbService, ServiceSteps: []models.Step{step}},
			`{"service_steps":[{"interface":"deploy","step":"write"}],"target":"service"}`,
		),
		"clean by runbook": provision(models.ProvisionRequest{Verb: models.VerbClean, Runbook: "wipe"}, `{"runbook":"wipe","target":"clean"}`),
		"rescue":           provision(models.ProvisionRequest{Verb: models.VerbRescue, RescuePassword: "hunter2"}, `{"rescue_password":"hunter2","target":"rescue"}`),

		"power": {
			request.Power("n", models.TargetSoftReboot),
			"PUT /v1/nodes/n/states/power", `{"target":"soft rebooting"}`,
		},
		"boot device": {
			request.BootDevice("n", "pxe", true),
			"PUT /v1/nodes/n/management/boot_device", `{"boot_device":"pxe","persistent":true}`,
		},
		"maintenance": {
			request.Maintenance("n", true, "disk"),
			"PUT /v1/nodes/n/maintenance", `{"reason":"disk"}`,
		},
		"maintenance without a reason": {
			request.Maintenance("n", true, ""), "PUT /v1/nodes/n/maintenance", `{}`,
		},
		"end of maintenance": {
			request.Maintenance("n", false, "x"), "DELETE /v1/nodes/n/maintenance", "",
		},
		"traits": {
			request.Traits("n", []string{"A"}), "PUT /v1/nodes/n/traits", `{"traits":["A"]}`,
		},
		"no traits": {
			request.Traits("n", nil), "PUT /v1/nodes/n/traits", `{"traits":[]}`,
		},
		"one trait more": {
			request.AddTrait("n", "A"), "PUT /v1/nodes/n/traits/A", "",
		},
		"delete": {
			request.Delete("n"), "DELETE /v1/nodes/n", "",
		},
		"one trait less": {
			request.RemoveTrait("n", "A"), "DELETE /v1/nodes/n/traits/A", "",
		},
		"console on": {
			request.Console("n", true), "PUT /v1/nodes/n/states/console", `{"enabled":true}`,
		},
		"console off": {
			request.Console("n", false), "PUT /v1/nodes/n/states/console", `{"enabled":false}`,
		},
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for name, tt := range changes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, reply(http.StatusAccepted, ""))
			if err := result(client(t, f.URL, Options{}).Send(t.Context(), tt.request)); err != nil {
				t.Fatal(err)
			}
			all := f.all()
			if len(all) != 1 || all[0].String() != tt.want || all[0].body != tt.body {
				t.Errorf("sent %q %s\nwant %s %s", all, all[0].body, tt.want, tt.body)
			}
			if (all[0].header.Get("Content-Type") == "application/json") != (tt.body != "") {
				t.Errorf("Content-Type %q", all[0].header.Get("Content-Type"))
			}
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusAccepted, `{"nodes":[]}`))
	c := client(t, f.URL, Options{ReadOnly: true})
	for name, tt := range changes() {
		fault := mustFault(t, result(c.Send(t.Context(), tt.request)), models.FaultReadOnly)
		if !strings.Contains(fault.Error(), "nothing was sent") || fault.Sent {
			t.Errorf("%s: %v", name, fault)
		}
	}
	_, err := c.Send(t.Context(), request.Patch("n", []models.PatchOp{{Op: "add", Path: "/name", Value: "x"}}))
	wantFault(t, err, models.FaultReadOnly)
	_, err = c.CreateNode(t.Context(), map[string]any{"name": "n"})
	wantFault(t, err, models.FaultReadOnly)
	if len(f.all()) != 0 {
		t.Errorf("sent %q", f.all())
	}
	if err := list(t.Context(), c); err != nil {
		t.Errorf("reading is allowed: %v", err)
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusOK, `{"uuid":"u","name":"x"}`))
	c := client(t, f.URL, Options{})
	answer, err := c.Send(t.Context(), request.Patch("n", []models.PatchOp{
		{Op: "add", Path: "/name", Value: "x"}, {Op: "add", Path: "/extra/a", Value: nil}, {Op: "remove", Path: "/owner"},
	}))
	if err != nil || answer.ID != "req-7" || string(answer.Body) != `{"uuid":"u","name":"x"}` {
		t.Fatalf("%+v %v", answer, err)
	}
	const body = `[{"op":"add","path":"/name","value":"x"},{"op":"add","path":"/extra/a","value":null},{"op":"remove","path":"/owner"}]`
	if got := f.all()[0]; got.String() != "PATCH /v1/nodes/n" || got.body != body {
		t.Errorf("%s %s", got, got.body)
	}
	for _, op := range []models.PatchOp{
		{Op: "add", Path: "/driver_info", Value: map[string]any{}},
		{Op: "add", Path: "/driver_info/redfish_password", Value: models.Mask},
		{Op: "add", Path: "/instance_info/a", Value: map[string]any{"configdrive": models.Mask}},
		{Op: "add", Path: "/extra/a b", Value: 1},
	} {
		_, err := c.Send(t.Context(), request.Patch("n", []models.PatchOp{op}))
		mustSay(t, mustFault(t, err, models.FaultBadRequest), "nothing was sent")
	}
	if len(f.all()) != 1 {
		t.Errorf("sent %q", f.all())
	}
}

func TestHostileNames(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusOK, `{"uuid":"u"}`))
	c := client(t, f.URL, Options{})
	for name, path := range map[string]string{
		"../drivers": "..%2Fdrivers", "a?limit=1": "a%3Flimit=1", "a#b": "a%23b", "a b": "a%20b", "ü": "%C3%BC", "%2e%2e": "%252e%252e",
		"n.json": "n.json", "a\x1b": "a%1B", "...": "...",
	} {
		if _, err := c.Node(t.Context(), name); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		all := f.all()
		if got := all[len(all)-1]; got.path != "/v1/nodes/"+path || len(got.query) != 0 {
			t.Errorf("%q became %s ? %v", name, got.path, got.query)
		}
	}
	sent := len(f.all())
	for _, name := range []string{"", ".", ".."} {
		_, err := c.Node(t.Context(), name)
		wantFault(t, err, models.FaultBadRequest)
		_, err = c.Send(t.Context(), request.RemoveTrait("n", name))
		wantFault(t, err, models.FaultBadRequest)
	}
	if len(f.all()) != sent {
		t.Errorf("sent %q", f.all()[sent:])
	}
}

func TestClientKeepsSecrets(t *testing.T) {
	t.Parallel()
	c := connect(t, models.Connection{
		Endpoint: "http://ironic", Auth: models.AuthHTTPBasic, Password: "hunter2", Keystone: models.Keystone{Token: "hunter2"},
	}, Options{})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, c); strings.Contains(got, "hunter2") || !strings.Contains(got, "http://ironic") {
			t.Errorf("%s: %s", verb, got)
		}
	}
}

func TestBadConnections(t *testing.T) {
	t.Parallel()
	for name, endpoint := range map[string]string{
		"no scheme": "ironic:6385", "another scheme": "ftp://ironic", "no host": "http://", "a path": "/v1",
		"a password without a scheme": "admin:hunter2@ironic:6385", "not parsable": "http://admin:hunter2@iro nic:x",
	} {
		_, err := New(models.Connection{Endpoint: endpoint}, Options{})
		if fault := mustFault(t, err, models.FaultConfig); strings.Contains(fault.Error(), "hunter2") {
			t.Errorf("%s: %v", name, fault)
		}
	}
	err := list(t.Context(), connect(t, models.Connection{}, Options{}))
	mustSay(t, mustFault(t, err, models.FaultConfig), "no Ironic API URL (--url")
	err = list(t.Context(), connect(t, models.Connection{Auth: "magic"}, Options{}))
	mustSay(t, mustFault(t, err, models.FaultConfig), `unknown auth type "magic"`)
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{
		"http://h:6385": "http://h:6385/", "http://h/": "http://h/", "https://h/baremetal/v1": "https://h/baremetal/",
		"http://u:p@h/v1/?x=1#y": "http://h/", "http://h/v1/v1": "http://h/v1/",
	} {
		c := client(t, endpoint, Options{})
		if c.Endpoint() != want {
			t.Errorf("%s: %s, want %s", endpoint, c.Endpoint(), want)
		}
	}
}

func TestRepeatsInErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("x")
	f := &models.Fault{Kind: models.FaultReset, Err: cause}
	c := client(t, "http://h", Options{})
	if got := c.fault(fmt.Errorf("wrapped: %w", f), call{}, ""); got != f {
		t.Errorf("a fault is not wrapped in another: %v", got)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusCreated, `{"uuid":"u1"}`))
	c := client(t, f.URL, Options{})
	node, err := c.CreateNode(t.Context(), map[string]any{"name": "n", "driver": "redfish"})
	if err != nil || node != "u1" {
		t.Errorf("node %q, %v", node, err)
	}
	port, err := c.CreatePort(t.Context(), map[string]any{"address": "52:54:00:00:00:01", "node_uuid": "u1"})
	if err != nil || port != "u1" {
		t.Errorf("port %q, %v", port, err)
	}
	want := []string{
		`POST /v1/nodes {"driver":"redfish","name":"n"}`, `POST /v1/ports {"address":"52:54:00:00:00:01","node_uuid":"u1"}`,
	}
	for i, r := range f.all() {
		if got := r.String() + " " + r.body; got != want[i] {
			t.Errorf("sent %s, want %s", got, want[i])
		}
	}
	f = newIronic(t, reply(http.StatusCreated, `{}`))
	_, err = client(t, f.URL, Options{}).CreateNode(t.Context(), map[string]any{})
	wantFault(t, err, models.FaultBadAnswer)
}
