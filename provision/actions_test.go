package provision_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/provision"
)

func TestWhatIsSent(t *testing.T) {
	active, manageable := models.StateActive, models.StateManageable
	for name, c := range map[string]struct {
		state  models.ProvisionState
		action provision.Action
		label  string
		want   []string
	}{
		"manage":   {models.StateEnroll, verb(models.VerbManage), "manage", []string{"provision manage"}},
		"deploy":   {models.StateAvailable, verb(models.VerbDeploy), "deploy", []string{"provision active"}},
		"undeploy": {active, verb(models.VerbUndeploy), "undeploy", []string{"provision deleted"}},
		"clean":    {manageable, verb(models.VerbClean), "clean", []string{"provision clean"}},
		"service":  {active, verb(models.VerbService), "service", []string{"provision service"}},
		"rescue":   {active, verb(models.VerbRescue), "rescue", []string{"provision rescue"}},
		"on":       {active, provision.Power(models.TargetOn), "power on", []string{"power power on"}},
		"off":      {active, provision.Power(models.TargetOff), "power off", []string{"power power off"}},
		"reboot":   {active, provision.Power(models.TargetReboot), "power reboot", []string{"power rebooting"}},
		"soft off": {active, provision.Power(models.TargetSoftOff), "power soft-off", []string{"power soft power off"}},
		"soft reboot": {
			active, provision.Power(models.TargetSoftReboot), "power soft-reboot", []string{"power soft rebooting"},
		},
		"boot once":   {active, provision.BootDevice("cdrom", false), "boot-device cdrom", []string{"boot cdrom false"}},
		"boot always": {active, provision.BootDevice("disk", true), "boot-device disk", []string{"boot disk true"}},
		"maintenance": {active, provision.Maintenance(true, "fan"), "maintenance on", []string{`maintenance true "fan"`}},
		"maintained":  {active, provision.Maintenance(false, ""), "maintenance off", []string{`maintenance false ""`}},
		"protect": {active, provision.Protect(true, "vip"), "protect", []string{
			`patch [{"op":"add","path":"/protected","value":true},{"op":"add","path":"/protected_reason","value":"vip"}]`,
		}},
		"unprotect": {active, provision.Protect(false, ""), "unprotect", []string{`patch [{"op":"add","path":"/protected","value":false}]`}},
		"retire":    {active, provision.Retire(true, ""), "retire", []string{`patch [{"op":"add","path":"/retired","value":true}]`}},
		"unretire":  {active, provision.Retire(false, ""), "unretire", []string{`patch [{"op":"add","path":"/retired","value":false}]`}},
		"delete":    {manageable, provision.Delete(), "delete", []string{"delete"}},
		"set": {manageable, settings(t, "driver_info.redfish_password=hunter2", "owner=me", "description-"), "set", []string{
			`patch [{"op":"add","path":"/driver_info/redfish_password","value":"hunter2"},` +
				`{"op":"add","path":"/owner","value":"me"},{"op":"remove","path":"/description"}]`,
		}},
		"traits": {manageable, settings(t, "traits=CUSTOM_A,CUSTOM_B", "traits+=CUSTOM_C", "traits-=CUSTOM_A"), "set", []string{
			`traits [CUSTOM_A CUSTOM_B]`, "trait+ CUSTOM_C", "trait- CUSTOM_A",
		}},
		"no traits":    {manageable, settings(t, "traits-"), "set", []string{`traits []`}},
		"both":         {manageable, settings(t, "owner=me", "traits+=CUSTOM_C"), "set", []string{`patch [{"op":"add","path":"/owner","value":"me"}]`, "trait+ CUSTOM_C"}},
		"nothing left": {manageable, settings(t, "properties.nothing-"), "set", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newAPI(node("n1", c.state))
				results, audit := act(t, api, c.action, provision.RunOptions{}, "n1")
				var want []string
				for _, w := range c.want {
					want = append(want, "n1 "+w)
				}
				if !slices.Equal(api.calls, want) {
					t.Errorf("sent\n%q\nwant\n%q", api.calls, want)
				}
				if c.action.Name() != c.label {
					t.Errorf("name %q", c.action.Name())
				}
				if len(audit.records) != 2*len(want) {
					t.Errorf("audit %q", audit.lines())
				}
				res := results[0]
				if o := res.Outcome; res.Err != nil || (o != provision.OutcomeAccepted && o != provision.OutcomeDone) {
					t.Errorf("result %+v", res)
				}
			})
		})
	}
}

func TestRefusals(t *testing.T) {
	with := func(s models.ProvisionState, change func(n *models.Node)) models.Node {
		n := node("n1", s)
		if change != nil {
			change(&n)
		}
		return n
	}
	maintained := func(n *models.Node) { n.Maintenance, n.MaintenanceReason = true, "fan" }
	for name, c := range map[string]struct {
		node   models.Node
		minor  int
		action provision.Action
		kind   models.RefusalKind
		want   string // part of the refusal; "" if the action is possible
	}{
		"state":       {with(models.StateActive, nil), 115, verb(models.VerbManage), models.RefusedState, `manage n1: not possible in state "active"`},
		"version":     {with(models.StateActive, nil), 82, verb(models.VerbService), models.RefusedVersion, "needs API 1.87"},
		"maintenance": {with(models.StateAvailable, maintained), 115, verb(models.VerbDeploy), models.RefusedMaintenance, "in maintenance: fan"},
		"protected":   {with(models.StateActive, func(n *models.Node) { n.Protected = true }), 115, verb(models.VerbUndeploy), models.RefusedProtected, "protected"},
		"retired":     {with(models.StateManageable, func(n *models.Node) { n.Retired = true }), 115, verb(models.VerbProvide), models.RefusedRetired, "retired"},
		"clean without steps": {
			with(models.StateManageable, nil), 115, provision.Provision(models.ProvisionRequest{Verb: models.VerbClean}),
			models.RefusedArguments, "requires steps",
		},
		"clean with a runbook": {
			with(models.StateManageable, nil), 115, provision.Provision(models.ProvisionRequest{Verb: models.VerbClean, Runbook: "r"}), "", "",
		},
		"service without steps": {
			with(models.StateActive, nil), 115, provision.Provision(models.ProvisionRequest{Verb: models.VerbService}),
			models.RefusedArguments, "requires steps",
		},
		"rescue without password": {
			with(models.StateActive, nil), 115, provision.Provision(models.ProvisionRequest{Verb: models.VerbRescue}),
			models.RefusedArguments, "requires a password",
		},
		"rescue with a blank password": {
			with(models.StateActive, nil), 115, provision.Provision(models.ProvisionRequest{Verb: models.VerbRescue, RescuePassword: " \t"}),
			models.RefusedArguments, "requires a password",
		},
		"hold of an old Ironic": {
			with(models.StateManageable, nil), 82, provision.Provision(models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: []models.Step{{Interface: "power", Step: "hold"}}}),
			models.RefusedArguments, "Ironic before API 1.85 has no power.hold step",
		},
		"power while cleaning":      {with(models.StateCleanWait, nil), 115, provision.Power(models.TargetOn), models.RefusedState, "ironworks abort n1 first"},
		"power while deploying":     {with(models.StateDeployWait, nil), 115, provision.Power(models.TargetOff), "", ""},
		"power in maintenance":      {with(models.StateActive, maintained), 115, provision.Power(models.TargetOn), "", ""},
		"boot device":               {with(models.StateDeploying, nil), 115, provision.BootDevice("pxe", true), "", ""},
		"maintenance while busy":    {with(models.StateDeploying, nil), 115, provision.Maintenance(true, ""), "", ""},
		"protect at rest":           {with(models.StateAvailable, nil), 115, provision.Protect(true, ""), models.RefusedState, `only in "active", "rescue"`},
		"unprotect at rest":         {with(models.StateAvailable, nil), 115, provision.Protect(false, ""), "", ""},
		"retire available":          {with(models.StateAvailable, nil), 115, provision.Retire(true, ""), models.RefusedState, "ironworks manage n1 first"},
		"retire while deploying":    {with(models.StateDeploying, nil), 115, provision.Retire(true, ""), models.RefusedState, "refuses changes while the node is deploying"},
		"set while deploying":       {with(models.StateDeploying, nil), 115, settings(t, "owner=me"), models.RefusedState, "wait until the operation ends"},
		"set in maintenance":        {with(models.StateDeploying, maintained), 115, settings(t, "owner=me"), models.RefusedState, "refuses changes"},
		"free it in maintenance":    {with(models.StateDeploying, maintained), 115, settings(t, "instance_uuid-"), "", ""},
		"set while held":            {with(models.StateDeployHold, nil), 115, settings(t, "owner=me"), models.RefusedState, "unhold or abort"},
		"set while in service hold": {with(models.StateServiceHold, nil), 115, settings(t, "owner=me"), "", ""},
		"set while verifying":       {with(models.StateVerifying, nil), 115, settings(t, "owner=me"), "", ""},
		"set in inspect wait":       {with(models.StateInspectWait, nil), 115, settings(t, "owner=me"), "", ""},
		"set in deploy failed":      {with(models.StateDeployFailed, nil), 115, settings(t, "owner=me"), "", ""},
		"traits while deploying":    {with(models.StateDeploying, nil), 115, settings(t, "traits+=CUSTOM_A"), "", ""},
		"set what cannot be": {
			with(models.StateManageable, func(n *models.Node) { n.Properties = map[string]any{"root_device": "x"} }), 115,
			settings(t, "properties.root_device.wwn=1"), models.RefusedArguments, "is not an object",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newAPI(c.node)
				api.version.Minor = c.minor
				results, audit := act(t, api, c.action, provision.RunOptions{}, "n1")
				refusal, refused := results[0].Err.(*models.Refusal) //nolint:errorlint // exactly a refusal, not wrapped
				switch {
				case c.want == "":
					if results[0].Err != nil || len(api.calls) == 0 {
						t.Errorf("refused: %v", results[0].Err)
					}
				case !refused || refusal.Kind != c.kind || !strings.Contains(refusal.Error(), c.want):
					t.Errorf("said %v, want %s: %s", results[0].Err, c.kind, c.want)
				case strings.Contains(refusal.OnScreen(), "ironworks ") || strings.Contains(refusal.OnScreen(), "--"):
					t.Errorf("the console names a command: %s", refusal.OnScreen())
				case len(api.calls)+len(audit.records) > 0 || results[0].Outcome != provision.OutcomeRefused:
					t.Errorf("sent %q, audit %q, outcome %s", api.calls, audit.lines(), results[0].Outcome)
				}
			})
		})
	}
}

// TestRescueThatEndsOff checks that the operator is warned if a rescue boots from virtual media without fast track,
// because Ironic 39.0.0 leaves such a machine powered off.
func TestRescueThatEndsOff(t *testing.T) {
	t.Parallel()
	rescue := provision.Provision(models.ProvisionRequest{Verb: models.VerbRescue, RescuePassword: "hunter2"})
	for name, c := range map[string]struct {
		fields string
		warns  bool
	}{
		"virtual media":         {`"boot_interface": "redfish-virtual-media"`, true},
		"virtual media of Dell": {`"boot_interface": "idrac-redfish-virtual-media", "driver_info": {"fast_track": false}`, true},
		"fast track":            {`"boot_interface": "redfish-virtual-media", "driver_info": {"fast_track": true}`, false},
		"fast track as text":    {`"boot_interface": "redfish-virtual-media", "driver_info": {"fast_track": "True"}`, false},
		"network boot":          {`"boot_interface": "ipxe"`, false},
		"boot unknown":          {`"extra": {}`, false},
	} {
		n, err := models.DecodeNode([]byte(`{"uuid": "u", "name": "n1", "provision_state": "active", ` + c.fields + `}`))
		if err != nil {
			t.Fatal(err)
		}
		item := (&provision.Runner{API: newAPI(*n)}).Plan(rescue, []models.Node{*n}).Items[0]
		if item.Refusal != nil || (len(item.Warnings) == 1) != c.warns || c.warns && !strings.Contains(item.Warnings[0], "driver_info.fast_track=true keeps it running") {
			t.Errorf("%s: %v, %q", name, item.Refusal, item.Warnings)
		}
	}
}
