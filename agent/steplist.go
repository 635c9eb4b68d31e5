package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// phase is a kind of operation in which a conductor runs steps.
type phase struct {
	name    string // such as deploy; part of command names like execute_deploy_step
	title   string // such as Deploy; used in messages
	failure kind
	steps   []string // the steps that the phase offers, in the real agent's order
	old     []string // the steps that old agents offer; nil means all steps that they have
}

var (
	deploying = phase{name: "deploy", title: "Deploy", failure: deploymentError, steps: []string{
		"install_coreos", "start_assisted_install", "erase_devices_metadata", "apply_configuration", "clean_uefi_nvram",
		"write_image", "inject_files", "execute_bootc_install",
	}}
	cleaning = phase{name: "clean", title: "Clean", failure: cleaningError, steps: []string{
		"erase_devices", "erase_devices_metadata", "erase_devices_express", "erase_pstore", "clean_uefi_nvram",
		"delete_configuration", "create_configuration",
		"burnin_cpu", "burnin_gpu", "burnin_disk", "burnin_memory", "burnin_network",
	}}
	servicing = phase{name: "service", title: "Service", failure: servicingError, steps: []string{
		"delete_configuration", "apply_configuration", "create_configuration",
		"burnin_cpu", "burnin_gpu", "burnin_memory", "burnin_network",
		"write_image", "inject_files", "execute_bootc_install",
	}, old: []string{"apply_configuration", "inject_files"}}
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
	kind    string // the interface of the step; deploy if empty
	do      func(a *agent, ctx context.Context, node, args *dict) (any, error)
	args    *dict    // the arguments that the agent describes; not sent if nil, as in the real agent
	params  []string // the names of arguments that the agent does not describe

	priority  int  // priority in cleaning; it is 0 in the other phases
	abortable bool // the step can be aborted, except in a deployment
	recent    bool // old agents do not have the step
}

// simulatedOnly lists steps of the real agent that this agent does not run on real machines. The burn-in steps need
// programs that are missing in ramdisks without a container. The execute_bootc_install step would ignore the
// configdrive, the pull secret and the keys of the instance, which the real agent adds.
var simulatedOnly = []string{"burnin_cpu", "burnin_disk", "burnin_gpu", "burnin_memory", "burnin_network", "execute_bootc_install"}

// steps returns the agent's steps for all phases.
func (o Options) steps() []step {
	all := []step{
		{name: "install_coreos", manager: coreosManager, args: newDict(), do: (*agent).installCoreOS},
		{name: "start_assisted_install", manager: coreosManager, args: newDict(), do: (*agent).startAssistedInstall},
		{name: "erase_devices", priority: 10, abortable: true, do: (*agent).eraseDevices},
		{name: "erase_devices_metadata", priority: 99, abortable: true, do: (*agent).eraseMetadata},
		{name: "erase_devices_express", abortable: true, do: (*agent).eraseExpress},
		{name: "erase_pstore", abortable: true, do: (*agent).erasePstore},
		{name: "clean_uefi_nvram", abortable: true, recent: true, args: nvramArgs(), do: (*agent).cleanNVRAM},
		{name: "delete_configuration", kind: "raid", abortable: true, do: (*agent).deleteRAID},
		{name: "create_configuration", kind: "raid", abortable: true, do: (*agent).createRAID},
		{name: "apply_configuration", kind: "raid", args: raidArgs(), do: (*agent).applyRAID},
		{name: "burnin_cpu", abortable: true, do: (*agent).refuseBurnIn},
		{name: "burnin_gpu", abortable: true, recent: true, do: (*agent).refuseBurnIn},
		{name: "burnin_disk", abortable: true, do: (*agent).refuseBurnIn},
		{name: "burnin_memory", abortable: true, do: (*agent).refuseBurnIn},
		{name: "burnin_network", abortable: true, do: (*agent).refuseBurnIn},
		{name: "write_image", params: []string{"image_info", "configdrive"}, do: (*agent).writeImage},
		{name: "inject_files", args: injectArgs(), do: (*agent).injectFiles},
		{name: "execute_bootc_install", recent: true, params: bootcParams, do: (*agent).installBootc},
	}
	for i := range all {
		all[i].manager = cmp.Or(all[i].manager, genericManager)
	}
	return slices.DeleteFunc(all, func(s step) bool {
		return s.recent && o.generation() == legacyAgent || !o.Simulated && slices.Contains(simulatedOnly, s.name)
	})
}

// takes reports whether the step has an argument with the given name.
func (s step) takes(arg string) bool { return s.args.Has(arg) || slices.Contains(s.params, arg) }

// refuseBurnIn implements the burn-in steps of a simulated machine, which has no hardware to test.
func (*agent) refuseBurnIn(context.Context, *dict, *dict) (any, error) {
	return nil, newFault(commandExecution, "simulated machines do not run burn-in steps")
}

// offers returns the steps that the agent offers in a phase, in the real agent's order.
func (o Options) offers(p phase) []step {
	known, offered := o.steps(), []step(nil)
	for _, name := range p.steps {
		i := slices.IndexFunc(known, func(s step) bool { return s.name == name })
		if i < 0 || o.generation() == legacyAgent && p.old != nil && !slices.Contains(p.old, name) {
			continue
		}
		s := known[i]
		s.kind = cmp.Or(s.kind, "deploy")
		if p.name != cleaning.name {
			s.priority = 0
		}
		s.abortable = s.abortable && p.name != deploying.name
		offered = append(offered, s)
	}
	return offered
}

// listing returns the step as the conductor receives it, without the abortable property if unabortable is true.
func (s step) listing(unabortable bool) *dict {
	d := newDict("step", s.name, "priority", s.priority, "interface", s.kind, "reboot_requested", false)
	if s.abortable && !unabortable {
		d.Set("abortable", true) // not sent if false, as in the real agent
	}
	if s.args != nil {
		d.Set("argsinfo", s.args)
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
	for _, s := range a.options.offers(p) {
		known, _ := byManager.Get(s.manager.class).(list)
		byManager.Set(s.manager.class, append(known, s.listing(a.options.Faults.Unabortable)))
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
		for _, s := range options.offers(p) {
			arguments := append([]string{}, s.args.Keys()...)
			steps = append(steps, StepInfo{p.name, s.kind, s.name, s.priority, s.abortable, arguments})
		}
		slices.SortStableFunc(steps, func(a, b StepInfo) int { return cmp.Compare(b.Priority, a.Priority) })
		all = append(all, steps...)
	}
	return all
}
