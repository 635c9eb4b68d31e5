package machine

import "slices"

// Contents is what of a machine outlasts losing its power: what is on its disks, with
// the arrays that they make, and the boot menu of its firmware.
type Contents struct {
	Disks   []DiskContents `json:"disks,omitempty"`
	Arrays  []Array        `json:"arrays,omitempty"`
	Records []BootRecord   `json:"records,omitempty"`
}

// DiskContents is what is on one disk.
type DiskContents struct {
	Name       string        `json:"name"`
	Table      string        `json:"table,omitempty"`
	Partitions []Partition   `json:"partitions,omitempty"`
	Installed  *Installation `json:"installed,omitempty"`
}

// Contents is a copy. Disks with nothing on them are left out.
func (m *Machine) Contents() Contents {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := Contents{Records: slices.Clone(m.records)}
	for _, d := range copyDisks(m.spec.Disks) {
		if d.Table != "" || d.Installed != nil || len(d.Partitions) > 0 {
			c.Disks = append(c.Disks, DiskContents{Name: d.Name, Table: d.Table, Partitions: d.Partitions, Installed: d.Installed})
		}
	}
	for _, a := range m.arrays {
		one := *a
		one.Disk, one.Members = copyDisks([]Disk{a.Disk})[0], slices.Clone(a.Members)
		c.Arrays = append(c.Arrays, one)
	}
	return c
}

// Restore puts contents back into a machine that has just been made. A disk that is
// no longer there has lost what was on it; arrays come up when a ramdisk assembles
// them, and only with their members.
func (m *Machine) Restore(c Contents) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, saved := range c.Disks {
		i := slices.IndexFunc(m.spec.Disks, func(d Disk) bool { return d.Name == saved.Name })
		if i < 0 {
			continue
		}
		d := &m.spec.Disks[i]
		d.Table, d.Partitions, d.Installed = saved.Table, copyPartitions(saved.Partitions), saved.Installed
	}
	for _, a := range c.Arrays {
		m.arrays = append(m.arrays, &a)
	}
	m.dropArrays()
	if m.spec.BootMode == UEFI && len(c.Records) > 0 {
		m.records = slices.Clone(c.Records)
	}
}
