package request

import (
	"encoding/json"
	"slices"
	"strings"

	"ironworks/models"
)

// node is a request about a node: what is attempted goes before the node's name.
func node(op, method, id string, below ...string) Request {
	return Request{Op: op + " " + models.Printable(id), Method: method, Path: path(append([]string{"nodes", id}, below...)...)}
}

// Provision sends a provision verb. Ironic only accepts it: follow the node to learn how it
// ends.
func Provision(id string, r models.ProvisionRequest) Request {
	out := node(string(r.Verb)+" node", put, id, "states", "provision")
	// These two validate the power and deploy interfaces before they are answered.
	out.Slow = r.Verb == models.VerbDeploy || r.Verb == models.VerbRebuild
	body := map[string]any{"target": r.Verb.Target()}
	out.Body = body
	flags := []string{}
	steps := func(name string, list []map[string]any) {
		if len(list) == 0 {
			return
		}
		body[name] = list
		text, err := json.Marshal(maskedBody(list))
		if err == nil {
			flags = append(flags, "--"+strings.ReplaceAll(name, "_", "-"), quote(string(text)))
		}
	}
	if steps("deploy_steps", deploySteps(r.DeploySteps)); len(r.DeploySteps) > 0 {
		out.Feature = models.FeatureDeploySteps
	}
	steps("clean_steps", orderedSteps(r.CleanSteps))
	steps("service_steps", orderedSteps(r.ServiceSteps))
	if r.ConfigDrive != nil {
		body["configdrive"] = r.ConfigDrive
		// Too much for a command line, and possibly secret.
		flags = append(flags, "--config-drive", "CONFIGDRIVE.json")
	}
	if r.RescuePassword.IsSet() {
		body["rescue_password"] = r.RescuePassword.Reveal()
		flags = append(flags, "--rescue-password", quote(models.Mask))
	}
	if r.DisableRamdisk {
		body["disable_ramdisk"] = true
		flags = append(flags, "--disable-ramdisk")
	}
	if r.Runbook != "" {
		body["runbook"] = r.Runbook
		flags = append(flags, "--runbook", quote(r.Runbook))
	}
	if f := provisionFeature(r); f != "" {
		out.Feature = f
	}
	args := func(s models.Step) bool { return len(s.Args) > 0 }
	out.Sensitive = r.ConfigDrive != nil || r.RescuePassword.IsSet() || slices.ContainsFunc(r.DeploySteps, args) ||
		slices.ContainsFunc(r.CleanSteps, args) || slices.ContainsFunc(r.ServiceSteps, args)
	out.Commands = []string{baremetal(append(append([]string{"node", string(r.Verb)}, flags...), quote(id))...)}
	return out
}

// provisionFeature is what the server must have for a verb or an option of it.
func provisionFeature(r models.ProvisionRequest) models.Feature {
	switch {
	case r.Runbook != "":
		return models.FeatureRunbooks
	case r.Verb == models.VerbUnhold:
		return models.FeatureUnhold
	case r.Verb == models.VerbService && r.DisableRamdisk:
		return models.FeatureServiceNoRamdisk
	case r.Verb == models.VerbService:
		return models.FeatureService
	case r.DisableRamdisk:
		return models.FeatureDisableRamdisk
	}
	return ""
}

// deploySteps gives every step the args that Ironic insists on.
func deploySteps(steps []models.Step) []map[string]any {
	out := make([]map[string]any, len(steps))
	for i, s := range steps {
		out[i] = map[string]any{"interface": s.Interface, "step": s.Step, "args": map[string]any{}}
		if s.Args != nil {
			out[i]["args"] = s.Args
		}
		if s.Priority != nil {
			out[i]["priority"] = *s.Priority
		}
	}
	return out
}

// orderedSteps are clean and service steps: they run in the list's order, and Ironic rejects
// a priority.
func orderedSteps(steps []models.Step) []map[string]any {
	out := make([]map[string]any, len(steps))
	for i, s := range steps {
		out[i] = map[string]any{"interface": s.Interface, "step": s.Step}
		if len(s.Args) > 0 {
			out[i]["args"] = s.Args
		}
		if s.Order != nil {
			out[i]["order"] = *s.Order
		}
	}
	return out
}

// Power asks for a power state. Ironic only accepts it.
func Power(id string, target models.PowerTarget) Request {
	r := node("set power of node", put, id, "states", "power")
	r.Op += " to " + string(target)
	r.Body, r.Slow = map[string]any{"target": target}, true
	words := map[models.PowerTarget][]string{
		models.TargetOn: {"power", "on"}, models.TargetOff: {"power", "off"}, models.TargetSoftOff: {"power", "off", "--soft"},
		models.TargetReboot: {"reboot"}, models.TargetSoftReboot: {"reboot", "--soft"},
	}[target]
	r.Commands = []string{baremetal(append(append([]string{"node"}, words...), quote(id))...)}
	return r
}

// BootDevice sets what the node boots from, next time or from now on.
func BootDevice(id, device string, persistent bool) Request {
	r := node("set the boot device of node", put, id, "management", "boot_device")
	r.Body, r.Slow = map[string]any{"boot_device": device, "persistent": persistent}, true
	words := []string{"node", "boot", "device", "set"}
	if persistent {
		words = append(words, "--persistent")
	}
	r.Commands = []string{baremetal(append(words, quote(id), quote(device))...)}
	return r
}

// Maintenance takes the node out of Ironic's hands, with a reason, or gives it back.
func Maintenance(id string, on bool, reason string) Request {
	if !on {
		r := node("end maintenance of node", remove, id, "maintenance")
		r.Commands = []string{baremetal("node", "maintenance", "unset", quote(id))}
		return r
	}
	r := node("set maintenance of node", put, id, "maintenance")
	body, words := map[string]any{}, []string{"node", "maintenance", "set"}
	if reason != "" {
		body["reason"] = reason
		words = append(words, "--reason", quote(reason))
	}
	r.Body, r.Commands = body, []string{baremetal(append(words, quote(id))...)}
	return r
}

// Console enables the node's serial console, or disables it. Ironic only accepts it: the
// console's state tells when it is done, and the node's last error why it is not.
func Console(id string, on bool) Request {
	verb := "disable"
	if on {
		verb = "enable"
	}
	r := node(verb+" the console of node", put, id, "states", "console")
	r.Body, r.Slow, r.Commands = map[string]any{"enabled": on}, true, []string{baremetal("node", "console", verb, quote(id))}
	return r
}

// Patch changes leaf fields of a node. Whole objects that were read back must never be
// written, for Ironic masks secrets in them; see [models.PatchOp.Check].
func Patch(id string, ops []models.PatchOp) Request {
	r := node("change node", patch, id)
	r.Body, r.Commands = ops, patchCommands(id, ops, shownValue)
	// Only the fields that hold objects may hold secrets.
	r.Sensitive = slices.ContainsFunc(ops, func(op models.PatchOp) bool { return strings.Count(op.Path, "/") > 1 })
	return r
}

// Traits replaces all traits of the node.
func Traits(id string, traits []string) Request {
	r := node("set the traits of node", put, id, "traits")
	r.Body = map[string]any{"traits": append([]string{}, traits...)}
	r.Commands = []string{baremetal("node", "remove", "trait", "--all", quote(id))}
	if len(traits) > 0 {
		words := []string{"node", "add", "trait", quote(id)}
		for _, t := range traits {
			words = append(words, quote(t))
		}
		r.Commands = append(r.Commands, baremetal(words...))
	}
	return r
}

// AddTrait adds one trait to the node.
func AddTrait(id, trait string) Request {
	r := node("add trait "+models.Printable(trait)+" to node", put, id, "traits", trait)
	r.Commands = []string{baremetal("node", "add", "trait", quote(id), quote(trait))}
	return r
}

// RemoveTrait takes one trait from the node.
func RemoveTrait(id, trait string) Request {
	r := node("remove trait "+models.Printable(trait)+" from node", remove, id, "traits", trait)
	r.Commands = []string{baremetal("node", "remove", "trait", quote(id), quote(trait))}
	return r
}

// Validate asks every interface of the node whether it could do its work.
func Validate(id string) Request {
	r := node("validate node", get, id, "validate")
	r.Slow, r.Commands = true, []string{baremetal("node", "validate", quote(id))}
	return r
}

// Delete makes Ironic forget a node, its ports included. The machine stays as it is.
func Delete(id string) Request {
	r := node("delete node", remove, id)
	r.Commands = []string{baremetal("node", "delete", quote(id))}
	return r
}

// Allocate asks Ironic to reserve a node. Ironic only accepts it.
func Allocate(a models.AllocationRequest) Request {
	words := []string{"allocation", "create", "--uuid", a.UUID, "--resource-class", quote(a.ResourceClass)}
	for _, candidate := range a.CandidateNodes {
		words = append(words, "--candidate-node", quote(candidate))
	}
	for _, trait := range a.Traits {
		words = append(words, "--trait", quote(trait))
	}
	return Request{
		Op: "create allocation " + models.Printable(a.UUID), Method: post, Path: path("allocations"), Body: a,
		Commands: []string{baremetal(append(words, "--wait")...)},
	}
}

// Allocation reads how an allocation is.
func Allocation(uuid string) Request {
	return Request{Op: "read allocation " + models.Printable(uuid), Method: get, Path: path("allocations", uuid)}
}

// Deallocate gives the allocation's node back.
func Deallocate(uuid string) Request {
	return Request{
		Op: "delete allocation " + models.Printable(uuid), Method: remove, Path: path("allocations", uuid),
		Commands: []string{baremetal("allocation", "delete", quote(uuid))},
	}
}
