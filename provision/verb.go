package provision

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"ironworks/models"
)

// Provision is an action that sends a provision verb.
func Provision(r models.ProvisionRequest) Action { return verbAction{r} }

type verbAction struct{ req models.ProvisionRequest }

func (a verbAction) Name() string { return string(a.req.Verb) }

func (a verbAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	if r := models.WhyNot(a.req.Verb, n, v); r != nil {
		return r
	}
	if why, hint := a.badArguments(n); why != "" {
		return refusal(a, n, models.RefusedArguments, why, hint)
	}
	return nil
}

// badArguments are what Ironic would turn down, or worse accept: a custom-agent node
// deployed without a step that installs goes active with nothing installed.
func (a verbAction) badArguments(n *models.Node) (why, hint string) {
	r := a.req
	switch {
	case r.Verb == models.VerbClean && len(r.CleanSteps) == 0 && r.Runbook == "":
		return "manual cleaning needs its steps", "--step deploy.erase_devices_metadata, or --steps FILE"
	case r.Verb == models.VerbService && len(r.ServiceSteps) == 0 && r.Runbook == "":
		return "service needs its steps", "--step INTERFACE.STEP, or --steps FILE"
	case r.Verb == models.VerbRescue && !r.RescuePassword.IsSet():
		return "rescue needs a password for the rescue user", "--password-file FILE"
	case r.Verb != models.VerbDeploy && r.Verb != models.VerbRebuild:
		return "", ""
	case n.DeployInterface == "custom-agent" && !installs(r.DeploySteps) && !hasTemplates(n):
		return "custom-agent installs nothing by itself: without a step the node would be active with nothing on its disk",
			"--step deploy.install_coreos, or --steps FILE"
	case n.DeployInterface == "custom-agent":
		return badUserData(r.ConfigDrive)
	}
	return "", ""
}

// installs says that a step may be one that installs: the agent's own, and not one of
// those that every deployment has or that only erase.
func installs(steps []models.Step) bool {
	others := []string{
		"deploy", "prepare_instance_boot", "tear_down_agent", "switch_to_tenant_network", "boot_instance", "hold", "wait",
		"erase_devices", "erase_devices_metadata", "erase_devices_express", "erase_pstore", "clean_uefi_nvram", "inject_files",
	}
	return slices.ContainsFunc(steps, func(s models.Step) bool {
		return s.Interface == "deploy" && !slices.Contains(others, s.Step) && (s.Priority == nil || *s.Priority > 0)
	})
}

// hasTemplates says that deploy templates may bring the steps: they are named by the
// instance's traits.
func hasTemplates(n *models.Node) bool {
	traits, _ := n.InstanceInfo["traits"].([]any)
	return len(traits) > 0
}

// badUserData refuses what Ironic accepts and install_coreos fails on, or what ends in
// an emergency shell: user data that is no JSON object, and a rendered configdrive.
func badUserData(configDrive any) (why, hint string) {
	drive, isObject := configDrive.(map[string]any)
	if configDrive != nil && !isObject {
		return "install_coreos cannot use a rendered configdrive", "give an object with user_data"
	}
	object, isObject := drive["user_data"].(map[string]any)
	text, isText := drive["user_data"].(string)
	switch {
	case drive["user_data"] == nil:
		return "", ""
	case isText && json.Unmarshal([]byte(text), &object) == nil && object != nil, isObject:
		return "", ""
	}
	return "the configdrive's user_data is not Ignition (a JSON object): the machine would boot into an emergency shell",
		"translate it with butane first"
}

func (a verbAction) Effect(n *models.Node) models.Effect {
	steps := a.req.CleanSteps
	if a.req.Verb == models.VerbService {
		steps = a.req.ServiceSteps
	}
	return models.VerbEffect(a.req.Verb, n, steps)
}

func (a verbAction) requests(n *models.Node) ([]request, error) {
	args := func(s models.Step) bool { return len(s.Args) > 0 }
	r := a.req
	return []request{{
		verb: a.Name(),
		sensitive: r.ConfigDrive != nil || r.RescuePassword.IsSet() || slices.ContainsFunc(r.DeploySteps, args) ||
			slices.ContainsFunc(r.CleanSteps, args) || slices.ContainsFunc(r.ServiceSteps, args),
		send: func(ctx context.Context, api API) (string, error) {
			id, err := api.Provision(ctx, n.UUID, r)
			return id, rebuildHint(err, r.Verb, n)
		},
	}}, nil
}

// rebuildHint: the newest Ironics answer 500 to a rebuild of a node without an image
// source (an unassigned variable in conductor/deployments.py: start_deploy), which
// nobody would guess from what they say.
func rebuildHint(err error, verb models.Verb, n *models.Node) error {
	var f *models.Fault
	if verb == models.VerbRebuild && n.InstanceInfo["image_source"] == nil && errors.As(err, &f) && f.Kind == models.FaultServer {
		f.Hint = "this Ironic cannot rebuild a node without instance_info.image_source: undeploy it, then deploy"
	}
	return err
}

// ended: once Ironic has accepted a verb the node has left its state, so the first
// resting state that is seen is the outcome, also where it is the state before.
func (a verbAction) ended(before, now *models.Node, _ time.Duration) (verdict, bool) {
	s := now.ProvisionState
	if !s.Resting() {
		return verdict{}, false
	}
	t, _ := models.FindTransition(before.ProvisionState, a.req.Verb)
	return verdict{ok: slices.Contains(t.Success, s), state: string(s)}, true
}
