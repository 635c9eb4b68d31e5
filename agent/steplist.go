package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

type phase struct {
	name    string // such as deploy; part of command names like execute_deploy_step
	title   string // such as Deploy; used in messages
	failure kind
}

var (
	deploying = phase{name: "deploy", title: "Deploy", failure: deploymentError}
	cleaning  = phase{name: "clean", title: "Clean", failure: cleaningError}
	servicing = phase{name: "service", title: "Service", failure: servicingError}
)

// manager is a hardware manager of the real agent. Every step belongs to one manager.
type manager struct{ class, name string }

// The managers are listed in the order in which the real agent asks them for a step.
var (
	coreosManager  = manager{"CoreOSInstallHardwareManager", "CoreOSInstallHardwareManager"}
	genericManager = manager{"GenericHardwareManager", "generic_hardware_manager"}
)

// managerVersions returns the managers' versions. If these changed, a conductor would plan the steps again.
func (a generation) managerVersions() *dict {
	generic := "1.2" // with service steps
	if a == legacyAgent {
		generic = "1.1"
	}
	return newDict(coreosManager.name, "1", genericManager.name, generic)
}

func (a generation) managerList() list {
	var all list
	versions := a.managerVersions()
	for _, name := range versions.Keys() {
		all = append(all, newDict("name", name, "version", versions.Get(name)))
	}
	return all
}

// sameVersions reports whether the conductor sent the agent's own manager versions.
func (a generation) sameVersions(sent any) bool {
	d, ok := sent.(*dict)
	own := a.managerVersions()
	return ok && len(d.Keys()) == len(own.Keys()) &&
		!slices.ContainsFunc(own.Keys(), func(name string) bool { return d.Get(name) != own.Get(name) })
}

type step struct {
	name    string
	manager manager
	params  []string
	do      stepFunc
}

// simulatedOnly lists steps of the real agent that this agent does not run on real machines. The burn-in steps need
// programs that are missing in ramdisks without a container. The execute_bootc_install step would ignore the
// configdrive, the pull secret and the keys of the instance, which the real agent adds.
var simulatedOnly = []string{"burnin_cpu", "burnin_disk", "burnin_gpu", "burnin_memory", "burnin_network", "execute_bootc_install"}

func (o Options) lacksStep(step string) bool {
	return !o.Simulated && slices.Contains(simulatedOnly, step)
}

func (o Options) offersStep(s offer) bool {
	return (s.since != currentAgent || o.generation() != legacyAgent) && !o.lacksStep(s.step)
}

// steps returns the agent's steps for all phases.
func (a *agent) steps() []step {
	all := []step{
		{name: "install_coreos", manager: coreosManager, do: a.installCoreOS},
		{name: "start_assisted_install", manager: coreosManager, do: a.startAssistedInstall},
		{name: "erase_devices", manager: genericManager, do: a.eraseDevices},
		{name: "erase_devices_metadata", manager: genericManager, do: a.eraseMetadata},
		{name: "erase_devices_express", manager: genericManager, do: a.eraseExpress},
		{name: "erase_pstore", manager: genericManager, do: a.erasePstore},
		{name: "delete_configuration", manager: genericManager, do: a.deleteRAID},
		{name: "create_configuration", manager: genericManager, do: a.createRAID},
		{name: "apply_configuration", manager: genericManager, params: []string{"raid_config", "delete_existing"}, do: a.applyRAID},
		{name: "burnin_cpu", manager: genericManager, do: refuseBurnIn},
		{name: "burnin_disk", manager: genericManager, do: refuseBurnIn},
		{name: "burnin_memory", manager: genericManager, do: refuseBurnIn},
		{name: "burnin_network", manager: genericManager, do: refuseBurnIn},
		{name: "write_image", manager: genericManager, params: []string{"image_info", "configdrive"}, do: a.writeImage},
		{name: "inject_files", manager: genericManager, params: []string{"files", "verify_ca"}, do: a.injectFiles},
	}
	if a.options.generation() != legacyAgent {
		all = append(all,
			step{name: "burnin_gpu", manager: genericManager, do: refuseBurnIn},
			step{name: "clean_uefi_nvram", manager: genericManager, params: []string{"match_patterns"}, do: a.cleanNVRAM},
			step{name: "execute_bootc_install", manager: genericManager, params: []string{"image_source", "configdrive", "oci_pull_secret"}, do: a.installBootc},
		)
	}
	return slices.DeleteFunc(all, func(s step) bool { return a.options.lacksStep(s.name) })
}

// refuseBurnIn implements the burn-in steps of a simulated machine, which has no hardware to test.
func refuseBurnIn(context.Context, *dict, *dict) (any, error) {
	return nil, newFault(commandExecution, "simulated machines do not run burn-in steps")
}

type offer struct {
	step      string
	manager   manager
	kind      string // the interface of the step, such as raid; deploy if empty
	priority  int
	abortable bool // not sent if false, as in the real agent
	args      *dict
	since     generation // the first generation that has the step; legacyAgent means all generations
}

// offers returns the steps of a phase, in the real agent's order.
func (p phase) offers() []offer {
	generic := func(since generation, abortable bool, kind string, names ...string) []offer {
		all := make([]offer, len(names))
		for i, name := range names {
			all[i] = offer{step: name, manager: genericManager, kind: kind, abortable: abortable, since: since}
		}
		return all
	}
	nvram := offer{step: "clean_uefi_nvram", manager: genericManager, args: nvramArgs(), since: currentAgent}
	apply := offer{step: "apply_configuration", manager: genericManager, kind: "raid", args: raidArgs(), since: legacyAgent}
	inject := offer{step: "inject_files", manager: genericManager, args: injectArgs(), since: legacyAgent}
	switch p {
	case cleaning:
		nvram.abortable = true
		return slices.Concat(
			[]offer{
				{step: "erase_devices", manager: genericManager, priority: 10, abortable: true, since: legacyAgent},
				{step: "erase_devices_metadata", manager: genericManager, priority: 99, abortable: true, since: legacyAgent},
			},
			generic(legacyAgent, true, "", "erase_devices_express", "erase_pstore"), []offer{nvram},
			generic(legacyAgent, true, "raid", "delete_configuration", "create_configuration"),
			generic(legacyAgent, true, "", "burnin_cpu"), generic(currentAgent, true, "", "burnin_gpu"),
			generic(legacyAgent, true, "", "burnin_disk", "burnin_memory", "burnin_network"),
		)
	case deploying:
		return slices.Concat(
			[]offer{
				{step: "install_coreos", manager: coreosManager, args: newDict(), since: legacyAgent},
				{step: "start_assisted_install", manager: coreosManager, args: newDict(), since: legacyAgent},
			},
			generic(legacyAgent, false, "", "erase_devices_metadata"), []offer{apply, nvram},
			generic(legacyAgent, false, "", "write_image"), []offer{inject}, generic(currentAgent, false, "", "execute_bootc_install"),
		)
	}
	return slices.Concat(
		generic(currentAgent, true, "raid", "delete_configuration"), []offer{apply}, generic(currentAgent, true, "raid", "create_configuration"),
		generic(currentAgent, true, "", "burnin_cpu", "burnin_gpu", "burnin_memory", "burnin_network"),
		generic(currentAgent, false, "", "write_image"), []offer{inject}, generic(currentAgent, false, "", "execute_bootc_install"),
	)
}

func (o offer) iface() string { return cmp.Or(o.kind, "deploy") }

// listing returns the step as the conductor receives it, without the abortable property if unabortable is true.
func (o offer) listing(unabortable bool) *dict {
	d := newDict("step", o.step, "priority", o.priority, "interface", o.iface(), "reboot_requested", false)
	if o.abortable && !unabortable {
		d.Set("abortable", true)
	}
	if o.args != nil {
		d.Set("argsinfo", o.args)
	}
	return d
}

func argument(description string, required bool) *dict {
	return newDict("description", description, "required", required)
}

func raidArgs() *dict {
	return newDict(
		"raid_config", argument("The RAID configuration to apply.", true),
		"delete_existing", argument("Setting this to 'True' indicates to delete existing RAID configuration prior to creating the new configuration. Default value is 'True'.", false),
	)
}

func nvramArgs() *dict {
	return newDict("match_patterns", argument("Json blob contains a list of regex patterns where any UEFI NVRAM entry matching that pattern will be deleted. Default value is "+
		`'["`+strings.Join(bootRecordPatterns, `", "`)+`"]'`, false))
}

func injectArgs() *dict {
	return newDict(
		"files", argument("Files to inject, a list of file structures with keys: 'path' (path to the file), 'partition' (partition specifier), "+
			"'content' (base64 encoded string), 'mode' (new file mode) and 'dirmode' (mode for the leaf directory, if created). "+
			"Merged with the values from node.properties[inject_files].", false),
		"verify_ca", argument("Whether to verify TLS certificates. Global agent options are used by default.", false),
	)
}

func (a *agent) listSteps(p phase) *dict {
	byManager := newDict()
	for _, o := range p.offers() {
		if !a.options.offersStep(o) {
			continue
		}
		known, _ := byManager.Get(o.manager.class).(list)
		byManager.Set(o.manager.class, append(known, o.listing(a.options.Faults.Unabortable)))
	}
	return byManager
}

// StepInfo describes a step that the agent offers to a conductor.
type StepInfo struct {
	Phase     string   `json:"phase"` // deploy, clean or service
	Interface string   `json:"interface"`
	Step      string   `json:"step"`
	Priority  int      `json:"priority"` // 0 means that the step runs only if requested
	Abortable bool     `json:"abortable"`
	Arguments []string `json:"arguments"`
}

// Steps returns the steps of the given version on real machines, sorted by phase and by descending priority.
func Steps(version string) []StepInfo {
	options := Options{Version: version}
	var all []StepInfo
	for _, p := range []phase{deploying, cleaning, servicing} {
		var steps []StepInfo
		for _, o := range p.offers() {
			if !options.offersStep(o) {
				continue
			}
			arguments := append([]string{}, o.args.Keys()...)
			steps = append(steps, StepInfo{p.name, o.iface(), o.step, o.priority, o.abortable, arguments})
		}
		slices.SortStableFunc(steps, func(a, b StepInfo) int { return cmp.Compare(b.Priority, a.Priority) })
		all = append(all, steps...)
	}
	return all
}
