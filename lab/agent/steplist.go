package agent

import "maps"

// phase is what steps are for.
type phase struct {
	name    string // deploy, as in execute_deploy_step
	title   string // Deploy
	failure kind
	step    stepFlag
}

// stepFlag says in which phases a step is on offer.
type stepFlag int

const (
	inDeploy stepFlag = 1 << iota
	inClean
	inService
)

var (
	deploying = phase{name: "deploy", title: "Deploy", failure: deploymentError, step: inDeploy}
	cleaning  = phase{name: "clean", title: "Clean", failure: cleaningError, step: inClean}
	servicing = phase{name: "service", title: "Service", failure: servicingError, step: inService}
)

// manager is a hardware manager of the real agent: the steps are said to be
// its own.
type manager struct {
	class, name, version string
}

// The order is that in which they are asked.
var (
	coreosManager  = manager{"CoreOSInstallHardwareManager", "CoreOSInstallHardwareManager", "1"}
	genericManager = manager{class: "GenericHardwareManager", name: "generic_hardware_manager"} // its version is the age's
)

// managerVersions must not change: a conductor plans its steps anew if they do.
func (a age) managerVersions() *dict {
	return newDict(coreosManager.name, coreosManager.version, genericManager.name, a.manages())
}

func (a age) managerList() list {
	var all list
	versions := a.managerVersions()
	for _, name := range versions.keys {
		all = append(all, newDict("name", name, "version", versions.get(name)))
	}
	return all
}

// sameVersions compares what the conductor sent with what the agent has.
func (a age) sameVersions(sent any) bool {
	d, ok := sent.(*dict)
	return ok && maps.Equal(d.values, a.managerVersions().values)
}

// step is one that the agent can do. Those of the real agent that are missing
// (RAID, burn-in, NVRAM and persistent store, bootc) are not on offer.
type step struct {
	name      string
	manager   manager
	flags     stepFlag
	priority  int  // in cleaning; elsewhere it is 0
	abortable bool // in cleaning
	noArgs    bool // says so with an empty argsinfo
	params    []string
	do        stepFunc
}

func (a *agent) steps() []step {
	return []step{
		{name: "install_coreos", manager: coreosManager, flags: inDeploy, noArgs: true, do: noParams(a.installCoreOS)},
		{name: "start_assisted_install", manager: coreosManager, flags: inDeploy, noArgs: true, do: noParams(a.startAssistedInstall)},
		{name: "erase_devices", manager: genericManager, flags: inClean, priority: 10, abortable: true, do: noParams(a.eraseDevices)},
		{name: "erase_devices_metadata", manager: genericManager, flags: inDeploy | inClean, priority: 99, abortable: true, do: noParams(a.eraseMetadata)},
		{name: "erase_devices_express", manager: genericManager, flags: inClean, abortable: true, do: noParams(a.eraseExpress)},
		{name: "write_image", manager: genericManager, flags: inDeploy | inService, params: []string{"image_info", "configdrive"}, do: a.writeImage},
	}
}

// listing is a step as it is told the conductor.
func (s step) listing(p phase) *dict {
	d := newDict("step", s.name, "priority", 0, "interface", "deploy", "reboot_requested", false)
	if p.step == inClean {
		d.set("priority", s.priority)
		d.set("abortable", s.abortable)
	}
	if s.noArgs {
		d.set("argsinfo", newDict())
	}
	return d
}

// listSteps are the steps of a phase by manager.
func (a *agent) listSteps(p phase) *dict {
	byManager := newDict()
	for _, s := range a.steps() {
		if s.flags&p.step == 0 {
			continue
		}
		known, _ := byManager.get(s.manager.class).(list)
		byManager.set(s.manager.class, append(known, s.listing(p)))
	}
	return byManager
}
