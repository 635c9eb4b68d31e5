package doctor

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// judgeConductors judges whether a conductor is alive. With SQLite, conductors record no heartbeats and count as dead
// after a minute, although Ironic still uses them; judgeConductors allows for this.
func judgeConductors(f *Facts) Diagnosis {
	if f.ConductorsError != "" {
		return unknown("the conductors could not be read: " + f.ConductorsError)
	}
	var alive, dead []string
	var evidence []models.Observation
	for _, c := range f.Conductors {
		list := &dead
		if c.Alive {
			list = &alive
		}
		*list = append(*list, c.Hostname)
		seen := models.Observed("conductor "+c.Hostname, fmt.Sprintf("alive: %t", c.Alive))
		if !c.Alive && !c.UpdatedAt.IsZero() && f.Now.After(c.UpdatedAt.Time) {
			seen.AgeSeconds = int64(f.Now.Add(f.Skew).Sub(c.UpdatedAt.Time).Seconds())
		}
		evidence = append(evidence, seen)
	}
	switch {
	case len(f.Conductors) == 0:
		return failure("Ironic has no conductors", "start ironic-conductor")
	case len(dead) == 0:
		return ok(models.Counted(len(alive), "conductor")+" alive: "+someOf(alive), evidence...)
	case len(alive) > 0:
		return warning(fmt.Sprintf("%s dead, %d alive: %s", models.Counted(len(dead), "conductor"), len(alive), someOf(dead)),
			"check the conductor; its nodes move to other conductors in its group, if any", evidence...)
	case f.Nodes != nil && f.Nodes.Conductor != "":
		return warning("Ironic reports every conductor dead, but still assigns nodes: probably Ironic runs on SQLite, without heartbeats",
			"if Ironic does not use SQLite, check the conductors' logs", append(evidence, models.Observed("a node's conductor", f.Nodes.Conductor))...)
	case len(f.Drivers) > 0:
		return warning("Ironic reports every conductor dead, but still lists their drivers: perhaps Ironic runs on SQLite, without heartbeats",
			"if Ironic does not use SQLite, start the conductors", evidence...)
	}
	return failure("all conductors are dead: "+someOf(dead), "start ironic-conductor and check its log", evidence...)
}

func judgeDrivers(f *Facts) Diagnosis {
	if f.DriversError != "" {
		return f.noDrivers()
	}
	if len(f.Drivers) == 0 {
		return failure("no hardware type is enabled on any conductor", "set [DEFAULT]enabled_hardware_types on the conductors")
	}
	var names []string
	var evidence []models.Observation
	for _, d := range f.Drivers {
		names = append(names, d.Name)
		evidence = append(evidence, models.Observed(d.Name, "on "+strings.Join(d.Hosts, ", ")))
	}
	return ok(models.Counted(len(names), "hardware type")+": "+someOf(names), evidence...)
}

func (f *Facts) noDrivers() Diagnosis {
	return unknown("the hardware types could not be read: " + f.DriversError)
}

// types returns the hardware types to judge. It omits fake-hardware unless that is the only type.
func (f *Facts) types() []models.Driver {
	real := slices.DeleteFunc(slices.Clone(f.Drivers), func(d models.Driver) bool { return d.Name == "fake-hardware" })
	if len(real) == 0 {
		return f.Drivers
	}
	return real
}

// splitByInterface splits the hardware types by whether they enable at least one of the named interfaces of the given
// kind. reported is false if Ironic does not report enabled interfaces.
func (f *Facts) splitByInterface(kind string, names ...string) (with, without []string, evidence []models.Observation, reported bool) {
	for _, d := range f.types() {
		enabled := d.Enabled[kind]
		if enabled == nil {
			continue
		}
		reported = true
		text := strings.Join(enabled, ", ")
		if d.Default[kind] != "" {
			text += "; default " + d.Default[kind]
		}
		evidence = append(evidence, models.Observed(d.Name, text))
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(enabled, n) }) {
			with = append(with, d.Name)
		} else {
			without = append(without, d.Name)
		}
	}
	return with, without, evidence, reported
}

// noneTold returns the diagnosis for an Ironic that does not report the enabled interfaces.
func (f *Facts) noneTold() Diagnosis {
	if f.DriversError != "" {
		return f.noDrivers()
	}
	return unknown("Ironic does not report the enabled interfaces")
}

func judgeCustomAgent(f *Facts) Diagnosis {
	with, without, evidence, reported := f.splitByInterface("deploy", "custom-agent")
	const hint = "add custom-agent to [DEFAULT]enabled_deploy_interfaces on the conductors, and restart them"
	direct := 0
	if f.Nodes != nil {
		direct = f.Nodes.Deploy["direct"]
	}
	switch {
	case !reported:
		return f.noneTold()
	case len(with) == 0 && direct > 0:
		return warning(fmt.Sprintf("custom-agent is not enabled: install_coreos cannot be used, but images can be deployed (direct: %s)", models.Counted(direct, "node")), hint, evidence...)
	case len(with) == 0:
		return failure("custom-agent is not enabled: install_coreos cannot be used", hint, evidence...)
	case len(without) > 0:
		return warning("custom-agent is not enabled for "+someOf(without), hint, evidence...)
	}
	for _, d := range f.types() {
		if d.Default["deploy"] == "custom-agent" {
			return ok("custom-agent is enabled and the default for "+d.Name, evidence...)
		}
	}
	return ok("custom-agent is enabled for "+someOf(with)+"; a deployment sets it on the node", evidence...)
}

func judgeInspection(f *Facts) Diagnosis {
	with, without, evidence, reported := f.splitByInterface("inspect", "agent")
	const hint = "set [DEFAULT]enabled_inspect_interfaces = agent, … (Ironic 23.0 and later): a BMC reports only disk names and sizes"
	switch {
	case !reported:
		return f.noneTold()
	case len(with) == 0:
		return warning("no agent inspection: root device hints cannot be checked before a deployment", hint, evidence...)
	case len(without) > 0:
		return warning("no agent inspection for "+someOf(without), hint, evidence...)
	}
	return ok("agent inspection enabled: "+someOf(with), evidence...)
}

func judgeBoot(f *Facts) Diagnosis {
	media := []string{"redfish-virtual-media", "ilo-virtual-media", "ilo-uefi-https", "idrac-redfish-virtual-media", "irmc-virtual-media"}
	with, _, evidence, reported := f.splitByInterface("boot", media...)
	net, _, _, _ := f.splitByInterface("boot", "ipxe", "pxe", "http-ipxe", "http", "ilo-ipxe", "ilo-pxe", "irmc-pxe")
	switch {
	case !reported:
		return f.noneTold()
	case len(with) > 0:
		return ok("virtual media boot enabled: "+someOf(with), evidence...)
	case len(net) > 0:
		return ok("network boot enabled: "+someOf(net), evidence...)
	}
	return warning("no boot interface can boot a ramdisk", "set [DEFAULT]enabled_boot_interfaces = redfish-virtual-media, ipxe, …", evidence...)
}

func judgeRAID(f *Facts) Diagnosis {
	with, _, evidence, reported := f.splitByInterface("raid", "agent", "redfish", "idrac-redfish", "idrac-wsman", "ilo5", "irmc")
	switch {
	case !reported:
		return f.noneTold()
	case len(with) == 0:
		return ok("no RAID: only no-raid is enabled", evidence...)
	}
	return ok("RAID enabled: "+someOf(with), evidence...)
}

// discoveryMinor is the minor API version that a ramdisk needs to enroll an unknown machine through
// continue_inspection (ironic/api/controllers/v1/versions.py, MINOR_84_CONTINUE_INSPECTION).
const discoveryMinor = 84

// judgeDiscovery judges whether auto-discovery is enabled. Ironic's API does not expose the [auto_discovery]enabled
// option, and a request that would reveal it would also enroll a node (ironic/api/controllers/v1/ramdisk.py,
// continue_inspection). The evidence therefore comes from the nodes: the inventory of a discovered node has
// auto_discovered in its plugin_data.
func judgeDiscovery(f *Facts) Diagnosis {
	with, _, evidence, reported := f.splitByInterface("inspect", "agent")
	const option = "the API does not show [auto_discovery]enabled"
	t := f.Nodes
	switch {
	case !f.Version.IsZero() && f.Version.Minor < discoveryMinor:
		return ok("auto-discovery not available in this Ironic: it needs API 1.84, or ironic-inspector")
	case reported && len(with) == 0:
		return ok("auto-discovery is off or has no effect: no hardware type enables agent inspection", evidence...)
	case t != nil && len(t.Discovered) > 0:
		return ok(fmt.Sprintf("auto-discovery is or was on: it has enrolled %s (filter is:discovered)", someOf(t.Discovered)),
			models.Observed("plugin_data.auto_discovered", true))
	case t == nil:
		return unknown("auto-discovery unknown: " + option + ", and no nodes were listed")
	case len(t.Nameless) > t.Undiscovered:
		return unknown(fmt.Sprintf("auto-discovery unknown: %s; %s in enroll without a name; not all inventories were read", option, models.Counted(len(t.Nameless), "node")))
	}
	return ok("no node enrolled by auto-discovery; " + option)
}
