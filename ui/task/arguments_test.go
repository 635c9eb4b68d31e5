package task

import (
	"strings"
	"testing"

	"al.essio.dev/pkg/shellescape"

	"ironworks/provision"
	"ironworks/ui/action"
)

// TestCommandsThatDoTheSame checks the command lines that are offered as equivalents of tasks.
func TestCommandsThatDoTheSame(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		id   action.ID
		args Arguments
		want string
	}{
		"verb":             {"manage", nil, "manage n1 n2"},
		"power":            {action.PowerOff, nil, "power off n1 n2"},
		"soft":             {action.SoftReboot, nil, "power soft-reboot n1 n2"},
		"maintenance":      {action.MaintenanceOn, Arguments{fieldReason: "a fan"}, "maintenance on n1 n2 --reason 'a fan'"},
		"boot device":      {action.BootDevice, Arguments{fieldDevice: "pxe", fieldPersistent: yes}, "boot-device pxe n1 n2 --persistent"},
		"steps":            {"clean", Arguments{fieldSteps: "deploy.a  raid.b", fieldNoRamdisk: yes}, "clean n1 n2 --step deploy.a --step raid.b --disable-ramdisk"},
		"steps, arguments": {"clean", Arguments{fieldSteps: `raid.a delete_existing=true deploy.b files=[{"path": "/a b"}] x.c`}, `clean n1 n2 --step 'raid.a delete_existing=true' --step 'deploy.b files=[{"path": "/a b"}]' --step x.c`},
		"steps, JSON":      {"clean", Arguments{fieldSteps: `[{"interface":"deploy"}]`}, `clean n1 n2 --steps '[{"interface":"deploy"}]'`},
		"a secret":         {"rescue", Arguments{fieldPassword: "hunter2"}, "rescue n1 n2 --password-file -"},
		"a file":           {"deploy", Arguments{fieldUserData: "/tmp/h.bu", fieldHints: `{"serial":"S1"}`}, `deploy n1 n2 --user-data /tmp/h.bu --root-device '{"serial":"S1"}'`},
		"settings":         {action.Set, Arguments{FieldSettings: `description="two words" owner-`}, "set n1 n2 'description=two words' owner-"},
		"a secret setting": {action.Set, Arguments{FieldSettings: `driver_info.redfish_password="hunter 2" owner-`}, "set n1 n2 'driver_info.redfish_password=******' owner-"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quoted []string
			for _, w := range commandWords(tt.id, tt.args, []string{"n1", "n2"}) {
				quoted = append(quoted, shellescape.Quote(w))
			}
			if got := strings.Join(quoted, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestEveryActionOnNodesCanBeBuilt checks that Build returns a provision.Action for every action on nodes.
func TestEveryActionOnNodesCanBeBuilt(t *testing.T) {
	t.Parallel()
	for _, a := range action.In(action.Nodes) {
		if !a.Changes || a.ID == action.Shell || a.ID == action.WebConsole { // a shell sends nothing to Ironic, and a web console is not an action
			continue
		}
		act, err := Build(a.ID, Arguments{FieldSettings: "owner=x"}, &provision.Preflighter{})
		if err != nil || act == nil {
			t.Errorf("%s: %v", a.ID, err)
			continue
		}
		if a.Form != (formFields(a.ID) != nil) {
			t.Errorf("%s: Form is %v, but its fields are %v", a.ID, a.Form, formFields(a.ID))
		}
	}
}
