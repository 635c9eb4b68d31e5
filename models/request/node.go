package request

import (
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// node returns a request about a node. op is the operation for messages; the name of the node follows it.
func node(op, method, id string, below ...string) Request {
	return Request{Op: op + " " + printable.Line(id), Method: method, Path: path(append([]string{"nodes", id}, below...)...)}
}

// Provision sends a provision verb. Ironic answers before the operation ends.
func Provision(id string, r models.ProvisionRequest) Request {
	out := node(string(r.Verb)+" node", put, id, "states", "provision")
	// Ironic validates the power and deploy interfaces before it answers.
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
		// The configdrive is too long for a command line, and may be secret.
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

// provisionFeature returns the API feature that a verb or its options need.
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

// deploySteps adds the args that Ironic requires in every step.
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

// orderedSteps returns clean or service steps. They run in the order of the list, and Ironic refuses a priority in
// them.
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

// Power requests a power state. Ironic answers before the state is reached.
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

// TargetRAID sets target_raid_config, which the clean step raid.create_configuration reads.
func TargetRAID(id string, config map[string]any) Request {
	r := node("set the target RAID of node", put, id, "states", "raid")
	r.Body, r.Slow = config, true
	if text, err := models.JSONText(config); err == nil {
		r.Commands = []string{baremetal("node", "set", "--target-raid-config", quote(text), quote(id))}
	}
	return r
}

// BootDevice sets the boot device, once or persistently.
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

// Maintenance sets or clears maintenance.
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

// Console enables or disables the serial console. Ironic answers before the change is done; the console's state or the
// node's last error show the result.
func Console(id string, on bool) Request {
	verb := "disable"
	if on {
		verb = "enable"
	}
	r := node(verb+" the console of node", put, id, "states", "console")
	r.Body, r.Slow, r.Commands = map[string]any{"enabled": on}, true, []string{baremetal("node", "console", verb, quote(id))}
	return r
}

// Patch changes leaf fields. Never write back whole objects, because Ironic masks secrets in them; see
// [models.PatchOp.Check].
func Patch(id string, ops []models.PatchOp) Request {
	r := node("change node", patch, id)
	r.Body, r.Commands = ops, patchCommands("node", id, ops, shownValue)
	// Only object fields may hold secrets.
	r.Sensitive = slices.ContainsFunc(ops, func(op models.PatchOp) bool { return strings.Count(op.Path, "/") > 1 })
	return r
}

// Traits replaces all traits of a node.
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

// AddTrait adds a trait to a node.
func AddTrait(id, trait string) Request {
	r := node("add trait "+printable.Line(trait)+" to node", put, id, "traits", trait)
	r.Commands = []string{baremetal("node", "add", "trait", quote(id), quote(trait))}
	return r
}

// RemoveTrait removes a trait of a node.
func RemoveTrait(id, trait string) Request {
	r := node("remove trait "+printable.Line(trait)+" from node", remove, id, "traits", trait)
	r.Commands = []string{baremetal("node", "remove", "trait", quote(id), quote(trait))}
	return r
}

// Validate validates all interfaces of a node.
func Validate(id string) Request {
	r := node("validate node", get, id, "validate")
	r.Slow, r.Commands = true, []string{baremetal("node", "validate", quote(id))}
	return r
}

// Delete deletes a node and its ports from Ironic. The machine is unchanged.
func Delete(id string) Request {
	r := node("delete node", remove, id)
	r.Commands = []string{baremetal("node", "delete", quote(id))}
	return r
}

// Allocate creates an allocation. Ironic answers before a node is chosen.
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

// Allocation reads an allocation.
func Allocation(uuid string) Request {
	return Request{Op: "read allocation " + printable.Line(uuid), Method: get, Path: path("allocations", uuid)}
}

// Deallocate deletes the allocation of a node.
func Deallocate(uuid string) Request {
	return Request{
		Op: "delete allocation " + printable.Line(uuid), Method: remove, Path: path("allocations", uuid),
		Commands: []string{baremetal("allocation", "delete", quote(uuid))},
	}
}
