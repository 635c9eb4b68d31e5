package provision_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/provision"
)

// TestConsent checks the confirmations described in docs/reference/keys.md: none for reversible actions, y for
// disruptive ones, and the node name for actions that may erase data or end an instance.
func TestConsent(t *testing.T) {
	t.Parallel()
	on := node("n1", models.StateActive)
	on.PowerState = models.PowerOn
	off, busy, manageable := node("n1", models.StateActive), node("n1", models.StateDeploying), node("n1", models.StateManageable)
	keeps, stopped := manageable, on
	no := false
	keeps.AutomatedClean = &no
	stopped.Maintenance, stopped.MaintenanceReason = true, "disk swap\x1b"
	service := func(r models.ProvisionRequest) provision.Action {
		r.Verb = models.VerbService
		return provision.Provision(r)
	}
	bmcs := &provision.BMCs{}
	order := func(v models.BMCVerb) provision.Action { return bmcs.Order(models.BMCOrder{Verb: v}) }
	for name, c := range map[string]struct {
		action provision.Action
		node   models.Node
		want   models.Consent
	}{
		"manage":                            {verb(models.VerbManage), node("n1", models.StateEnroll), models.ConsentNone},
		"unhold":                            {verb(models.VerbUnhold), node("n1", models.StateDeployHold), models.ConsentNone},
		"protect":                           {provision.Protect(true, ""), on, models.ConsentNone},
		"retire":                            {provision.Retire(true, ""), on, models.ConsentNone},
		"boot device":                       {provision.BootDevice("pxe", true), on, models.ConsentNone},
		"set":                               {settings(t, "owner=me"), on, models.ConsentNone},
		"power off while off":               {provision.Power(models.TargetOff), off, models.ConsentNone},
		"power on while on":                 {provision.Power(models.TargetOn), on, models.ConsentNone},
		"maintenance that is set":           {provision.Maintenance(true, ""), stopped, models.ConsentNone},
		"provide without cleaning":          {verb(models.VerbProvide), keeps, models.ConsentNone},
		"insert a medium at rest":           {order(models.BMCInsert), on, models.ConsentNone},
		"inspect":                           {verb(models.VerbInspect), manageable, models.ConsentYes},
		"adopt":                             {verb(models.VerbAdopt), manageable, models.ConsentYes},
		"rescue":                            {verb(models.VerbRescue), on, models.ConsentYes},
		"abort":                             {verb(models.VerbAbort), busy, models.ConsentYes},
		"service that only reads settings":  {service(models.ProvisionRequest{ServiceSteps: []models.Step{{Interface: "bios", Step: "apply_configuration"}}}), on, models.ConsentYes},
		"power on":                          {provision.Power(models.TargetOn), off, models.ConsentYes},
		"power off":                         {provision.Power(models.TargetOff), on, models.ConsentYes},
		"reboot":                            {provision.Power(models.TargetReboot), on, models.ConsentYes},
		"reboot while off":                  {provision.Power(models.TargetReboot), off, models.ConsentYes},
		"soft reboot while off":             {provision.Power(models.TargetSoftReboot), off, models.ConsentYes},
		"maintenance":                       {provision.Maintenance(true, ""), on, models.ConsentYes},
		"maintenance during an operation":   {provision.Maintenance(true, ""), busy, models.ConsentYes},
		"maintenance off":                   {provision.Maintenance(false, ""), stopped, models.ConsentYes},
		"eject a medium at rest":            {order(models.BMCEject), on, models.ConsentYes},
		"power through the BMC":             {order(models.BMCPowerOn), off, models.ConsentYes},
		"clean":                             {verb(models.VerbClean), manageable, models.ConsentTyped},
		"provide":                           {verb(models.VerbProvide), manageable, models.ConsentTyped},
		"undeploy":                          {verb(models.VerbUndeploy), on, models.ConsentTyped},
		"undeploy without cleaning":         {verb(models.VerbUndeploy), func() models.Node { n := on; n.AutomatedClean = &no; return n }(), models.ConsentTyped},
		"rebuild":                           {verb(models.VerbRebuild), on, models.ConsentTyped},
		"deploy":                            {verb(models.VerbDeploy), node("n1", models.StateAvailable), models.ConsentTyped},
		"service that erases":               {verb(models.VerbService), on, models.ConsentTyped},
		"service that deletes volumes":      {service(models.ProvisionRequest{ServiceSteps: []models.Step{{Interface: "raid", Step: "delete_configuration"}}}), on, models.ConsentTyped},
		"service by runbook":                {service(models.ProvisionRequest{Runbook: "CUSTOM_RAID"}), on, models.ConsentTyped},
		"insert a medium during operations": {order(models.BMCInsert), busy, models.ConsentTyped},
		"eject a medium during operations":  {order(models.BMCEject), busy, models.ConsentTyped},
	} {
		e := c.action.Effect(&c.node)
		switch got := e.Danger.Consent(); {
		case got != c.want:
			t.Errorf("%s: consent %d, want %d: %s", name, got, c.want, e.Text)
		case got > models.ConsentNone && e.Text == "":
			t.Errorf("%s: asks without saying why", name)
		}
	}
}

func TestConsentOfABatch(t *testing.T) {
	t.Parallel()
	r := &provision.Runner{API: newAPI()}
	on, off := node("n1", models.StateActive), node("n3", models.StateActive)
	on.PowerState = models.PowerOn
	p := r.Plan(provision.Power(models.TargetOff), []models.Node{on, off, node("n2", models.StateCleaning)})
	if p.Consent() != models.ConsentYes || len(p.Legal()) != 2 || len(p.Refused()) != 1 {
		t.Errorf("consent %d, %d legal, %d refused", p.Consent(), len(p.Legal()), len(p.Refused()))
	}
	several := r.Plan(verb(models.VerbUndeploy), []models.Node{on, off, node("n2", models.StateCleaning)})
	one := r.Plan(verb(models.VerbUndeploy), []models.Node{on, node("n2", models.StateCleaning)})
	if several.Answer() != "2" || one.Answer() != "n1" {
		t.Errorf("answers %q and %q", several.Answer(), one.Answer())
	}
}

// TestAutomatedCleaningIsShown checks that provide and undeploy show the steps of automated cleaning with their
// priorities.
func TestAutomatedCleaningIsShown(t *testing.T) {
	t.Parallel()
	no := false
	const want = "; steps, if Ironic's options do not change them: deploy.erase_devices_metadata 99, deploy.erase_devices 10"
	for name, c := range map[string]struct {
		verb   models.Verb
		deploy string
		clean  *bool
		want   string
	}{
		"provide":                    {models.VerbProvide, "direct", nil, want},
		"undeploy":                   {models.VerbUndeploy, "custom-agent", nil, want},
		"a deploy without the agent": {models.VerbProvide, "fake", nil, ""},
		"off for the node":           {models.VerbProvide, "direct", &no, ""},
		"another verb":               {models.VerbInspect, "direct", nil, ""},
	} {
		n := node("n1", models.StateManageable)
		n.AutomatedClean, n.Raw = c.clean, json.RawMessage(`{"deploy_interface": "`+c.deploy+`", "raid_interface": "no-raid"}`)
		_, shown, _ := strings.Cut(verb(c.verb).Effect(&n).Text, "; steps")
		if shown != "" {
			shown = "; steps" + shown
		}
		if shown != c.want {
			t.Errorf("%s: %q, want %q", name, shown, c.want)
		}
	}
}
