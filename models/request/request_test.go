package request_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

// TestCommands checks the shell commands that are equivalent to requests.
func TestCommands(t *testing.T) {
	t.Parallel()
	steps := []models.Step{{Interface: "deploy", Step: "write_it", Args: map[string]any{"password": "hunter2", "to": "/dev/sda"}}}
	for _, test := range []struct {
		name string
		r    request.Request
		want []string
	}{
		{"a verb", request.Provision("n1", models.ProvisionRequest{Verb: models.VerbManage}), []string{"baremetal node manage n1"}},
		{"a strange name", request.Provision("it's n1", models.ProvisionRequest{Verb: models.VerbProvide}), []string{`baremetal node provide 'it'"'"'s n1'`}},
		{
			"a deployment", request.Provision("n1", models.ProvisionRequest{Verb: models.VerbDeploy, DeploySteps: steps, ConfigDrive: map[string]any{"user_data": "hunter2"}}),
			[]string{`baremetal node deploy --deploy-steps '[{"args":{"password":"******","to":"/dev/sda"},"interface":"deploy","step":"write_it"}]' --config-drive CONFIGDRIVE.json n1`},
		},
		{
			"a cleaning", request.Provision("n1", models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: []models.Step{{Interface: "raid", Step: "x"}}, DisableRamdisk: true}),
			[]string{`baremetal node clean --clean-steps '[{"interface":"raid","step":"x"}]' --disable-ramdisk n1`},
		},
		{"a runbook", request.Provision("n1", models.ProvisionRequest{Verb: models.VerbService, Runbook: "CUSTOM_X"}), []string{"baremetal node service --runbook CUSTOM_X n1"}},
		{"a rescue", request.Provision("n1", models.ProvisionRequest{Verb: models.VerbRescue, RescuePassword: "hunter2"}), []string{"baremetal node rescue --rescue-password '******' n1"}},
		{"power on", request.Power("n1", models.TargetOn), []string{"baremetal node power on n1"}},
		{"soft reboot", request.Power("n1", models.TargetSoftReboot), []string{"baremetal node reboot --soft n1"}},
		{"boot device", request.BootDevice("n1", "pxe", true), []string{"baremetal node boot device set --persistent n1 pxe"}},
		{"maintenance", request.Maintenance("n1", true, "bad disk"), []string{"baremetal node maintenance set --reason 'bad disk' n1"}},
		{"end of maintenance", request.Maintenance("n1", false, ""), []string{"baremetal node maintenance unset n1"}},
		{"console", request.Console("n1", true), []string{"baremetal node console enable n1"}},
		{"no traits", request.Traits("n1", nil), []string{"baremetal node remove trait --all n1"}},
		{"traits", request.Traits("n1", []string{"CUSTOM_A", "CUSTOM_B"}), []string{"baremetal node remove trait --all n1", "baremetal node add trait n1 CUSTOM_A CUSTOM_B"}},
		{"one trait less", request.RemoveTrait("n1", "CUSTOM_A"), []string{"baremetal node remove trait n1 CUSTOM_A"}},
		{
			"fields", request.Patch("n1", []models.PatchOp{
				{Op: "add", Path: "/deploy_interface", Value: "direct"},
				{Op: "add", Path: "/driver_info/redfish_password", Value: "hunter2"},
				{Op: "add", Path: "/instance_info/root_device", Value: map[string]any{"wwn": "0x5"}},
				{Op: "add", Path: "/extra/count", Value: "3"},
				{Op: "remove", Path: "/driver_info/deploy_iso"},
				{Op: "remove", Path: "/owner"},
			}),
			[]string{
				`baremetal node set --deploy-interface direct --driver-info 'redfish_password=******' --instance-info 'root_device={"wwn":"0x5"}' --extra 'count="3"' n1`,
				"baremetal node unset --driver-info deploy_iso --owner n1",
			},
		},
		{
			"switches", request.Patch("n1", []models.PatchOp{
				{Op: "add", Path: "/retired", Value: true}, {Op: "add", Path: "/protected", Value: false}, {Op: "add", Path: "/automated_clean", Value: false},
			}),
			[]string{"baremetal node set --retired --no-automated-clean n1", "baremetal node unset --protected n1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, want := strings.Join(test.r.Commands, "\n"), strings.Join(test.want, "\n"); got != want {
				t.Errorf("\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestSecretsAreMasked checks that only the payload contains secrets.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]request.Request{
		"configdrive":          request.Provision("n", models.ProvisionRequest{Verb: models.VerbDeploy, ConfigDrive: map[string]any{"user_data": "hunter2"}}),
		"configdrive, as text": request.Provision("n", models.ProvisionRequest{Verb: models.VerbDeploy, ConfigDrive: "hunter2"}),
		"rescue":               request.Provision("n", models.ProvisionRequest{Verb: models.VerbRescue, RescuePassword: "hunter2"}),
		"argument": request.Provision("n", models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: []models.Step{
			{Interface: "deploy", Step: "x", Args: map[string]any{"password": "hunter2"}},
		}}),
		"field":   request.Patch("n", []models.PatchOp{{Op: "add", Path: "/driver_info/redfish_password", Value: "hunter2"}}),
		"address": request.Patch("n", []models.PatchOp{{Op: "add", Path: "/driver_info/deploy_iso", Value: "http://user:hunter2@host/iso"}}),
	} {
		asJSON, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append([]string{string(asJSON)}, r.Commands...) {
			if strings.Contains(text, "hunter2") {
				t.Errorf("%s: %s", name, text)
			}
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			if text := fmt.Sprintf(verb, r); strings.Contains(text, "hunter2") || !strings.Contains(text, "/v1/nodes/n") {
				t.Errorf("%s, %s: %s", name, verb, text)
			}
		}
		payload := r.Payload()
		if !strings.Contains(string(payload), "hunter2") || !r.Sensitive {
			t.Errorf("%s: the payload is %s, sensitive %v", name, payload, r.Sensitive)
		}
	}
}
