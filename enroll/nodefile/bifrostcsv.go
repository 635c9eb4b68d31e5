package nodefile

import (
	"strings"

	"ironworks/enroll"
	"ironworks/models"
)

// bifrostRow reads a row of the inventory that Bifrost read until 2019 (bifrost/inventory.py,
// _process_baremetal_csv). The columns are the MAC address, user, password, address, CPUs, MiB of memory, GB of disk,
// flavor, type, UUID, name, IPv4 address, IPMI target channel and address, IPMI transit channel and address, driver,
// an unused column, and an address for provisioning.
func (r *reader) bifrostRow(w row) {
	const fewest = 11
	const most = 19
	b := r.builder(w.line)
	if len(w.cells) < fewest || len(w.cells) > most {
		b.problem(w.line, "%s; a row of Bifrost's CSV has %d to %d: MAC address, user, password, BMC address, CPUs, memory, disk, flavor, type, UUID, name, …", models.Counted(len(w.cells), "cell"), fewest, most)
		r.add(b)
		return
	}
	b.node.Ports = []enroll.Port{{"address": w.cell(0)}}
	set := func(cell string, path ...string) {
		if cell != "" {
			b.node.Set(cell, path...)
		}
	}
	set(w.cell(4), "properties", "cpus")
	set(w.cell(5), "properties", "memory_mb")
	set(w.cell(6), "properties", "local_gb")
	set("x86_64", "properties", "cpu_arch")
	set(w.cell(9), "uuid")
	set(w.cell(10), "name")
	driver := w.cell(16)
	if driver == "" || strings.Contains(driver, "ipmi") {
		driver = "ipmi"
	}
	set(driver, "driver")
	if driver == "ipmi" {
		set(w.cell(3), "driver_info", "ipmi_address")
		set(w.cell(1), "driver_info", "ipmi_username")
		if w.cell(2) != "" {
			b.node.SetSecret("ipmi_password", models.Secret(w.cells[2]))
		}
		b.bridging(w, set)
	} else {
		b.problem(w.line, "driver %q: Bifrost's CSV carries credentials for ipmi only; use JSON or YAML", driver)
	}
	for _, c := range []struct {
		index int
		name  string
	}{{7, "flavor"}, {8, "type"}, {11, "IPv4 address"}, {18, "provisioning address"}} {
		if w.cell(c.index) != "" {
			r.unused(w.line, c.name, "not a node field")
		}
	}
	r.add(b)
}

// bridging sets the fields for a BMC that is reached through one or two other BMCs.
func (b *builder) bridging(w row, set func(cell string, path ...string)) {
	set(w.cell(12), "driver_info", "ipmi_target_channel")
	set(w.cell(13), "driver_info", "ipmi_target_address")
	set(w.cell(14), "driver_info", "ipmi_transit_channel")
	set(w.cell(15), "driver_info", "ipmi_transit_address")
	switch {
	case w.cell(14) != "" && w.cell(15) != "":
		set("dual", "driver_info", "ipmi_bridging")
	case w.cell(12) != "" && w.cell(13) != "":
		set("single", "driver_info", "ipmi_bridging")
	}
}
