package doctor

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// judgeConductors: on SQLite conductors do not tell that they are alive, and count as dead
// after a minute, while Ironic goes on giving them work.
func judgeConductors(f *Facts) Diagnosis {
	if f.ConductorsError != "" {
		return notTold("the conductors could not be read: " + f.ConductorsError)
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
		return broken("Ironic has no conductors", "start ironic-conductor: nothing can be deployed without")
	case len(dead) == 0:
		return well(models.Counted(len(alive), "conductor")+" alive: "+someOf(alive), evidence...)
	case len(alive) > 0:
		return doubtful(fmt.Sprintf("%s dead, %d alive: %s", models.Counted(len(dead), "conductor"), len(alive), someOf(dead)),
			"look after it; its nodes move to others of the same group when there are some", evidence...)
	case f.Nodes != nil && f.Nodes.Conductor != "":
		return doubtful("all conductors are told to be dead, and Ironic still gives them nodes: probably it runs on SQLite, where they send no heartbeats",
			"low confidence: if it does not, look at the conductors' logs", append(evidence, models.Observed("conductor of a node", f.Nodes.Conductor))...)
	case len(f.Drivers) > 0:
		return doubtful("all conductors are told to be dead, and their drivers are still listed: perhaps Ironic runs on SQLite, where they send no heartbeats",
			"low confidence: if it does not, start the conductors", evidence...)
	}
	return broken("all conductors are dead: "+someOf(dead), "start ironic-conductor, and look at its log", evidence...)
}

func judgeDrivers(f *Facts) Diagnosis {
	if f.DriversError != "" {
		return f.noDrivers()
	}
	if len(f.Drivers) == 0 {
		return broken("no hardware type is enabled, or no conductor has one", "[DEFAULT]enabled_hardware_types of the conductors")
	}
	var names []string
	var evidence []models.Observation
	for _, d := range f.Drivers {
		names = append(names, d.Name)
		evidence = append(evidence, models.Observed(d.Name, "on "+strings.Join(d.Hosts, ", ")))
	}
	return well(models.Counted(len(names), "hardware type")+": "+someOf(names), evidence...)
}

func (f *Facts) noDrivers() Diagnosis {
	return notTold("the hardware types could not be read: " + f.DriversError)
}

// types are the hardware types that matter: a pretended one only where there is no other.
func (f *Facts) types() []models.Driver {
	real := slices.DeleteFunc(slices.Clone(f.Drivers), func(d models.Driver) bool { return d.Name == "fake-hardware" })
	if len(real) == 0 {
		return f.Drivers
	}
	return real
}

// having parts the hardware types into those with one of some interfaces and those
// without; told is false where Ironic does not say what is enabled.
func (f *Facts) having(kind string, names ...string) (with, without []string, evidence []models.Observation, told bool) {
	for _, d := range f.types() {
		enabled := d.Enabled[kind]
		if enabled == nil {
			continue
		}
		told = true
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
	return with, without, evidence, told
}

// noneTold is where nothing is known of the interfaces.
func (f *Facts) noneTold() Diagnosis {
	if f.DriversError != "" {
		return f.noDrivers()
	}
	return notTold("Ironic does not say which interfaces are enabled")
}

func judgeCustomAgent(f *Facts) Diagnosis {
	with, without, evidence, told := f.having("deploy", "custom-agent")
	const hint = "add custom-agent to [DEFAULT]enabled_deploy_interfaces of the conductors, and start them again"
	direct := 0
	if f.Nodes != nil {
		direct = f.Nodes.Deploy["direct"]
	}
	switch {
	case !told:
		return f.noneTold()
	case len(with) == 0 && direct > 0:
		return doubtful(fmt.Sprintf("custom-agent is not enabled: images can be deployed (direct: %s), nothing can be installed with install_coreos", models.Counted(direct, "node")), hint, evidence...)
	case len(with) == 0:
		return broken("custom-agent is not enabled: nothing can be installed with install_coreos", hint, evidence...)
	case len(without) > 0:
		return doubtful("custom-agent is not enabled for "+someOf(without), hint, evidence...)
	}
	for _, d := range f.types() {
		if d.Default["deploy"] == "custom-agent" {
			return well("custom-agent is enabled, and the default of "+d.Name, evidence...)
		}
	}
	return well("custom-agent is enabled for "+someOf(with)+"; a deployment from here sets it in the node", evidence...)
}

func judgeInspection(f *Facts) Diagnosis {
	with, without, evidence, told := f.having("inspect", "agent")
	const hint = "[DEFAULT]enabled_inspect_interfaces = agent, … (Ironic 23.0 and later): a BMC tells names and sizes of disks only"
	switch {
	case !told:
		return f.noneTold()
	case len(with) == 0:
		return doubtful("no inspection by the agent: root device hints cannot be checked before a deployment", hint, evidence...)
	case len(without) > 0:
		return doubtful("no inspection by the agent for "+someOf(without), hint, evidence...)
	}
	return well("the agent can inspect: "+someOf(with), evidence...)
}

func judgeBoot(f *Facts) Diagnosis {
	media := []string{"redfish-virtual-media", "ilo-virtual-media", "ilo-uefi-https", "idrac-redfish-virtual-media", "irmc-virtual-media"}
	with, _, evidence, told := f.having("boot", media...)
	net, _, _, _ := f.having("boot", "ipxe", "pxe", "http-ipxe", "http", "ilo-ipxe", "ilo-pxe", "irmc-pxe")
	switch {
	case !told:
		return f.noneTold()
	case len(with) > 0:
		return well("machines can boot an ISO by virtual media: "+someOf(with), evidence...)
	case len(net) > 0:
		return well("machines can boot over the network: "+someOf(net), evidence...)
	}
	return doubtful("no boot interface that brings a ramdisk to a machine", "[DEFAULT]enabled_boot_interfaces = redfish-virtual-media, ipxe, …", evidence...)
}

func judgeRAID(f *Facts) Diagnosis {
	with, _, evidence, told := f.having("raid", "agent", "redfish", "idrac-redfish", "idrac-wsman", "ilo5", "irmc")
	switch {
	case !told:
		return f.noneTold()
	case len(with) == 0:
		return well("no RAID can be made: only no-raid is enabled", evidence...)
	}
	return well("RAID can be made: "+someOf(with), evidence...)
}
