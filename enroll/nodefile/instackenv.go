package nodefile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ironworks/document"
	"ironworks/enroll"
)

// pmDriver describes the hardware type that a value of pm_type selects.
type pmDriver struct {
	pmType *regexp.Regexp
	driver string
	// prefix is the prefix of the driver's field names in driver_info.
	prefix string
}

// pmDrivers returns the drivers for the values of pm_type (tripleo-common, utils/nodes.py). Since 2024, Ironic
// accesses iDRACs only over Redfish. The values ovirt, iboot, wol and amt are missing, because Ironic does not
// include these drivers.
func pmDrivers() []pmDriver {
	return []pmDriver{
		{regexp.MustCompile(`^(ipmi|.*_ipmitool)$`), "ipmi", "ipmi_"},
		{regexp.MustCompile(`^redfish$`), "redfish", "redfish_"},
		{regexp.MustCompile(`^(idrac|.*_drac)$`), "idrac", "redfish_"},
		{regexp.MustCompile(`^(ilo|.*_ilo)$`), "ilo", "ilo_"},
		{regexp.MustCompile(`^(irmc|.*_irmc)$`), "irmc", "irmc_"},
		{regexp.MustCompile(`^xclarity$`), "xclarity", "xclarity_"},
		{regexp.MustCompile(`^(manual-management|fake_pxe|fake_agent)$`), "manual-management", "fake_"},
		{regexp.MustCompile(`^fake(-hardware)?$`), "fake-hardware", "fake_"},
	}
}

// instackenv reads TripleO's {"nodes": […]}, or only the list. Memory is in MiB and disk in GB.
func (r *reader) instackenv(top document.Value) {
	nodes := top
	if top.Kind == document.Object {
		nodes = top.Get("nodes")
		for _, m := range top.Members {
			if m.Key != "nodes" {
				r.note(m.Line, "%s: unused key", m.Key)
			}
		}
	}
	if nodes.Kind != document.List {
		r.problems.Add(top.Line, "expected an object with a list of nodes")
		return
	}
	drivers := pmDrivers()
	for _, item := range nodes.Items {
		if item.Kind != document.Object {
			r.problems.Add(item.Line, "nodes: must be an object, not %s", item.Kind)
			continue
		}
		r.instackenvNode(item, drivers)
	}
}

func (r *reader) instackenvNode(v document.Value, drivers []pmDriver) {
	b := r.builder(v.Line)
	b.node.Fields["resource_class"] = "baremetal" // TripleO's default
	driver := b.pmType(v, drivers)
	for _, m := range v.Members {
		if m.Key == "pm_type" || m.Value.Kind == document.Null {
			continue
		}
		if !b.instackenvField(m) && !b.pmField(driver, m) {
			why := "not a node field"
			if strings.HasPrefix(m.Key, "pm_") {
				why = "not a driver_info field"
			}
			r.unused(m.Line, m.Key, why)
		}
	}
	b.capabilities(v)
	r.add(b)
}

// pmType sets the driver of the node. It returns the driver's description, which is empty if pm_type is unknown.
func (b *builder) pmType(v document.Value, drivers []pmDriver) pmDriver {
	text, _ := v.Get("pm_type").Scalar()
	i := slices.IndexFunc(drivers, func(d pmDriver) bool { return d.pmType.MatchString(text) })
	if i < 0 {
		b.node.Fields["driver"] = text
		var known []string
		for _, d := range drivers {
			known = append(known, d.driver)
		}
		problem := fmt.Sprintf("pm_type %q: unknown driver", text)
		if text == "" {
			problem = "no pm_type"
		}
		b.problem(v.Line, "%s; use one of %s", problem, strings.Join(known, ", "))
		return pmDriver{}
	}
	d := drivers[i]
	b.node.Fields["driver"] = d.driver
	if d.driver != text {
		b.note(v.Line, "pm_type %s: converted to driver %s", text, d.driver)
	}
	return d
}

// pmField sets a field of driver_info. Keys that begin with pm_ are mapped to the driver's names, and keys that begin
// with the driver's prefix are used unchanged. pmField reports whether it knows the key.
func (b *builder) pmField(d pmDriver, m document.Member) bool {
	name := map[string]string{
		"pm_addr": "address", "pm_user": "username", "pm_password": "password", "pm_port": "port", "pm_system_id": "system_id",
	}[m.Key]
	redfish := d.prefix == "redfish_"
	switch {
	case m.Key == "pm_port" && redfish:
		b.note(m.Line, "pm_port: add the port to pm_addr")
		return true
	case name != "" && d.prefix != "" && d.prefix != "fake_" && (redfish || m.Key != "pm_system_id"):
		m.Key = d.prefix + name
	case d.prefix == "" || !strings.HasPrefix(m.Key, d.prefix):
		return false
	}
	b.driverInfo(m)
	return true
}

// instackenvField sets a field that does not belong to the driver. It reports whether it knows the key.
func (b *builder) instackenvField(m document.Member) bool {
	property := map[string]string{"cpu": "cpus", "memory": "memory_mb", "disk": "local_gb", "arch": "cpu_arch", "root_device": "root_device"}[m.Key]
	switch {
	case property != "":
		b.node.Set(m.Value.Any(), "properties", property)
	case m.Key == "kernel_id" || m.Key == "ramdisk_id":
		kind := strings.TrimSuffix(m.Key, "_id")
		b.node.Set(m.Value.Any(), "driver_info", "deploy_"+kind)
		b.node.Set(m.Value.Any(), "driver_info", "rescue_"+kind)
	case m.Key == "platform":
		b.node.Set(m.Value.Any(), "extra", "tripleo_platform")
	case m.Key == "mac":
		for _, item := range b.items("mac", m.Value) {
			address, _ := item.Scalar()
			b.node.Ports = append(b.node.Ports, enroll.Port{"address": address})
		}
	case m.Key == "ports":
		for _, item := range b.items("ports", m.Value) {
			b.node.Ports = append(b.node.Ports, b.port(item))
		}
	case m.Key == "capabilities" || m.Key == "profile":
	case m.Key == "name" || m.Key == "uuid" || m.Key == "resource_class" || m.Key == "conductor_group" || strings.HasSuffix(m.Key, "_interface"):
		b.set(m)
	default:
		return false
	}
	return true
}

// capabilities sets properties.capabilities from a string or an object, and adds the profile.
func (b *builder) capabilities(v document.Value) {
	var list []string
	switch given := v.Get("capabilities"); given.Kind {
	case document.Object:
		for _, m := range given.Members {
			if text, is := m.Value.Scalar(); is {
				list = append(list, m.Key+":"+text)
				continue
			}
			b.problem(m.Line, "capabilities: the value of %s must be a string, not %s", m.Key, m.Value.Kind)
		}
	case document.Text:
		for item := range strings.SplitSeq(given.Literal, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
	case document.Null:
	case document.Bool, document.Number, document.List:
		b.problem(given.Line, "capabilities: must be a string or an object, not %s", given.Kind)
	}
	if profile, ok := v.Get("profile").Scalar(); ok {
		list = slices.DeleteFunc(list, func(item string) bool { return strings.HasPrefix(item, "profile:") })
		list = append(list, "profile:"+profile)
	}
	if len(list) > 0 {
		b.node.Set(strings.Join(list, ","), "properties", "capabilities")
	}
}
