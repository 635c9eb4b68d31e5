package request

import (
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// node returns a request about a node. op names the operation in messages, and the node's name is appended to it.
// below lists the path elements that follow the node.
func node(op, method, id string, below ...string) Request {
	return Request{Op: op + " " + printable.Line(id), Method: method, Path: path(append([]string{"nodes", id}, below...)...)}
}

// Provision returns the request that applies a provision verb to a node. Ironic responds before the operation ends.
func Provision(id string, r models.ProvisionRequest) Request {
	out := node(string(r.Verb)+" node", put, id, "states", "provision")
	// Ironic validates the power and deploy interfaces before it responds.
	out.Slow = r.Verb == models.VerbDeploy || r.Verb == models.VerbRebuild
	body := map[string]any{"target": r.Verb.Target()}
	out.Body = body
	flags := []string{}
	steps := func(name string, list []map[string]any) {
		if len(list) == 0 {
			return
		}
		body[name] = list
		text, err := models.JSONText(maskedBody(list))
		if err == nil {
			flags = append(flags, "--"+strings.ReplaceAll(name, "_", "-"), quote(text))
		}
	}
	if steps("deploy_steps", deploySteps(r.DeploySteps)); len(r.DeploySteps) > 0 {
		out.Feature = models.FeatureDeploySteps
	}
	steps("clean_steps", orderedSteps(r.CleanSteps))
	steps("service_steps", orderedSteps(r.ServiceSteps))
	if r.ConfigDrive != nil {
		body["configdrive"] = r.ConfigDrive
		// The configdrive is too long for a command line and may contain secrets.
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

// provisionFeature returns the API feature that the verb or its options need, or "".
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

// deploySteps converts deploy steps to the form that the API expects. The result always contains the args field,
// because Ironic requires it in every step.
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

// orderedSteps converts clean or service steps to the form that the API expects. Such steps run in the order of the
// list, and Ironic rejects them if they contain a priority.
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

// Power returns the request that changes the node's power state. Ironic responds before the new state is reached.
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

// TargetRAID returns the request that sets target_raid_config, which the raid.create_configuration clean step reads.
func TargetRAID(id string, config map[string]any) Request {
	r := node("set the target RAID of node", put, id, "states", "raid")
	r.Body, r.Slow = config, true
	if text, err := models.JSONText(config); err == nil {
		r.Commands = []string{baremetal("node", "set", "--target-raid-config", quote(text), quote(id))}
	}
	return r
}

// BootDevice returns the request that sets the boot device, either for the next boot only or persistently.
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

// Maintenance returns the request that turns a node's maintenance mode on or off.
func Maintenance(id string, on bool, reason string) Request {
	if !on {
		r := node("end maintenance on node", remove, id, "maintenance")
		r.Commands = []string{baremetal("node", "maintenance", "unset", quote(id))}
		return r
	}
	r := node("set maintenance on node", put, id, "maintenance")
	body, words := map[string]any{}, []string{"node", "maintenance", "set"}
	if reason != "" {
		body["reason"] = reason
		words = append(words, "--reason", quote(reason))
	}
	r.Body, r.Commands = body, []string{baremetal(append(words, quote(id))...)}
	return r
}

// Console returns the request that enables or disables the serial console. Ironic responds before the change is made.
// The result appears in the console's state or in the node's last error.
func Console(id string, on bool) Request {
	verb := "disable"
	if on {
		verb = "enable"
	}
	r := node(verb+" the console of node", put, id, "states", "console")
	r.Body, r.Slow, r.Commands = map[string]any{"enabled": on}, true, []string{baremetal("node", "console", verb, quote(id))}
	return r
}

// Patch returns the request that changes individual fields of a node. Whole objects must never be written back,
// because Ironic masks the secrets in them; see [models.PatchOp.Check].
func Patch(id string, ops []models.PatchOp) Request {
	r := node("change node", patch, id)
	r.Body, r.Commands = ops, patchCommands("node", id, ops, shownValue)
	// Only values within objects can be secret.
	r.Sensitive = slices.ContainsFunc(ops, func(op models.PatchOp) bool { return strings.Count(op.Path, "/") > 1 })
	return r
}

// Traits returns the request that replaces all traits of a node.
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

// AddTrait returns the request that adds a trait to a node.
func AddTrait(id, trait string) Request {
	r := node("add trait "+printable.Line(trait)+" to node", put, id, "traits", trait)
	r.Commands = []string{baremetal("node", "add", "trait", quote(id), quote(trait))}
	return r
}

// RemoveTrait returns the request that removes a trait from a node.
func RemoveTrait(id, trait string) Request {
	r := node("remove trait "+printable.Line(trait)+" from node", remove, id, "traits", trait)
	r.Commands = []string{baremetal("node", "remove", "trait", quote(id), quote(trait))}
	return r
}

// Validate returns the request that validates all interfaces of a node.
func Validate(id string) Request {
	r := node("validate node", get, id, "validate")
	r.Slow, r.Commands = true, []string{baremetal("node", "validate", quote(id))}
	return r
}

// Delete returns the request that deletes a node and its ports from Ironic. The machine itself does not change.
func Delete(id string) Request {
	r := node("delete node", remove, id)
	r.Commands = []string{baremetal("node", "delete", quote(id))}
	return r
}

// Allocate returns the request that creates an allocation. Ironic responds before it has chosen a node.
func Allocate(a models.AllocationRequest) Request {
	words := []string{"allocation", "create", "--uuid", a.UUID, "--resource-class", quote(a.ResourceClass)}
	for _, candidate := range a.CandidateNodes {
		words = append(words, "--candidate-node", quote(candidate))
	}
	for _, trait := range a.Traits {
		words = append(words, "--trait", quote(trait))
	}
	return Request{
		Op: "create allocation " + printable.Line(a.UUID), Method: post, Path: path("allocations"), Body: a,
		Commands: []string{baremetal(append(words, "--wait")...)},
	}
}

// Allocation returns the request that reads an allocation.
func Allocation(uuid string) Request {
	return Request{Op: "read allocation " + printable.Line(uuid), Method: get, Path: path("allocations", uuid)}
}

// Deallocate returns the request that deletes the allocation with the given UUID.
func Deallocate(uuid string) Request {
	return Request{
		Op: "delete allocation " + printable.Line(uuid), Method: remove, Path: path("allocations", uuid),
		Commands: []string{baremetal("allocation", "delete", quote(uuid))},
	}
}
