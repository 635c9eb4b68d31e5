package linux

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"ironworks/agent"
)

// lsblkColumns equals LSBLK_COLUMNS in ironic_python_agent/utils.py. Without NAME, lsblk prints no tree.
var lsblkColumns = []string{"KNAME", "MODEL", "SIZE", "ROTA", "TYPE", "UUID", "PARTUUID", "SERIAL", "WWN", "LOG-SEC", "PHY-SEC", "TRAN"}

// row maps the columns of a device in lsblk's output to values. Numbers and flags are strings in some releases.
type row map[string]any

// text returns the value in the given column. If the value is null, known is false.
func (r row) text(column string) (value string, known bool) {
	switch v := r[column].(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "1", true
		}
		return "0", true
	}
	return "", false
}

func (r row) texts(column string) agent.Texts {
	if value, known := r.text(column); known {
		return agent.Text(value)
	}
	return nil
}

func (r row) number(column string) (int64, error) {
	value, _ := r.text(column)
	if value == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("column %s of lsblk: %w", strings.ToUpper(column), err)
	}
	return n, nil
}

func (h Host) rows(ctx context.Context) ([]row, error) {
	out, err := h.program(ctx, "lsblk", "-bia", "--json", "-o"+strings.Join(lsblkColumns, ","))
	if err != nil {
		return nil, fmt.Errorf("listing block devices: %w", err)
	}
	var report struct {
		Devices []row `json:"blockdevices"`
	}
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.UseNumber()
	if err := decoder.Decode(&report); err != nil {
		return nil, fmt.Errorf("reading the output of lsblk: %w", err)
	}
	return report.Devices, nil
}

// BlockDevices implements list_all_block_devices from ironic_python_agent/hardware.py, but only for disks. Unlike the
// real agent, it returns all serials and WWNs of each disk.
func (m *Machine) BlockDevices(ctx context.Context) ([]agent.Disk, error) {
	h := m.host
	h.try(ctx, "udevadm", "settle")
	rows, err := h.rows(ctx)
	if err != nil {
		return nil, err
	}
	paths := h.byPath()
	var disks []agent.Disk
	for _, r := range rows {
		name, _ := r.text("kname")
		kind, _ := r.text("type")
		isDisk := kind == "disk" || kind == "mpath" || strings.Contains(kind, "raid")
		known := slices.ContainsFunc(disks, func(d agent.Disk) bool { return d.Name == "/dev/"+name })
		if known || strings.HasPrefix(name, "fd") || !isDisk || m.belowMultipath(ctx, name) {
			continue
		}
		for _, column := range lsblkColumns {
			if _, present := r[strings.ToLower(column)]; !present {
				return nil, fmt.Errorf("%s must be returned by lsblk", strings.ToLower(column))
			}
		}
		size, err := r.number("size")
		if err != nil {
			return nil, err
		}
		if size == 0 || strings.HasPrefix(name, "ram") || strings.HasPrefix(name, "zram") {
			continue
		}
		disk, err := h.disk(name, size, r)
		if err != nil {
			return nil, err
		}
		if link, linked := paths[disk.Name]; linked {
			disk.ByPath = agent.Text(link)
		}
		disks = append(disks, disk)
	}
	return disks, nil
}

func (h Host) disk(name string, size int64, r row) (agent.Disk, error) {
	logical, err := r.number("log-sec")
	if err != nil {
		return agent.Disk{}, err
	}
	physical, err := r.number("phy-sec")
	if err != nil {
		return agent.Disk{}, err
	}
	readOnly, _ := h.read("/sys/block/" + name + "/ro") // see _is_read_only_device in ironic_python_agent/hardware.py
	rota, _ := r.text("rota")
	rotational := rota != "0" && rota != ""
	disk := agent.Disk{
		Name: "/dev/" + name, Model: r.texts("model"), Size: size, Rotational: &rotational,
		LogicalSectors: int(logical), PhysicalSectors: int(physical),
		ReadOnly: readOnly == "1", VirtualMedia: h.virtualMedia("/dev/" + name),
	}
	if bus, _ := r.text("tran"); bus != "" {
		disk.Transport = agent.Text(bus)
	}
	if vendor, err := h.read("/sys/class/block/" + name + "/device/vendor"); err == nil {
		disk.Vendor = agent.Text(vendor)
	}
	if addresses, err := h.list("/sys/block/" + name + "/device/scsi_device"); err == nil && len(addresses) > 0 {
		disk.HCTL = agent.Text(addresses[0])
	}
	h.identify(&disk, name, r)
	return disk, nil
}

// identify adds all known serials and WWNs to a disk. lsblk's come first, for agents that report only one each.
func (h Host) identify(disk *agent.Disk, name string, r row) {
	add := func(to *agent.Texts, value string) {
		if value != "" {
			*to = append(*to, value)
		}
	}
	serial, _ := r.text("serial")
	wwn, _ := r.text("wwn")
	add(&disk.Serial, serial)
	add(&disk.WWN, wwn)
	udev := h.udev(name)
	add(&disk.WWN, udev.id("WWN"))
	add(&disk.WWNWithExtension, udev.id("WWN_WITH_EXTENSION"))
	add(&disk.WWNVendorExtension, udev.id("WWN_VENDOR_EXTENSION"))
	add(&disk.Serial, udev.id("SERIAL_SHORT"))
	add(&disk.Serial, udev.id("SERIAL"))
}

// byPath returns the links in /dev/disk/by-path, keyed by the device to which they point.
func (h Host) byPath() map[string]string {
	const folder = "/dev/disk/by-path"
	names, err := h.list(folder)
	if err != nil {
		h.warnUnreadable("names of disks by path in "+folder, err)
	}
	links := map[string]string{}
	for _, name := range names {
		link := path.Join(folder, name)
		target, err := h.link(link)
		if err != nil {
			continue
		}
		if !path.IsAbs(target) {
			target = path.Join(folder, target)
		}
		links[target] = link
	}
	return links
}

// virtualMedia reports whether a device is the virtual floppy that Ironic attaches.
func (h Host) virtualMedia(device string) bool {
	const label = "/dev/disk/by-label/ir-vfd-dev"
	target, err := h.link(label)
	return err == nil && path.Join(path.Dir(label), target) == device
}

type properties map[string]string

// udev reads the properties of a block device from the files of udev's database, which the real agent accesses
// through libudev. It returns nil for an unknown device.
func (h Host) udev(name string) properties {
	number, err := h.read("/sys/class/block/" + name + "/dev")
	if err != nil {
		return nil
	}
	database, err := h.read("/run/udev/data/b" + number)
	if err != nil {
		return nil
	}
	found := properties{}
	for line := range strings.SplitSeq(database, "\n") {
		if pair, isProperty := strings.CutPrefix(line, "E:"); isProperty {
			key, value, _ := strings.Cut(pair, "=")
			found[key] = value
		}
	}
	return found
}

// id returns the ID_ property with the given key or else the DM_ property, which the device mapper sets.
func (p properties) id(key string) string {
	if value := p["ID_"+key]; value != "" {
		return value
	}
	return p["DM_"+key]
}

// belowMultipath reports whether a device is one of the paths of a multipath device. Such a device is not listed,
// because the multipath device represents it. See _get_multipath_parent_device in ironic_python_agent/hardware.py.
func (m *Machine) belowMultipath(ctx context.Context, name string) bool {
	if !m.multipath || name == "" {
		return false
	}
	if _, err := m.host.program(ctx, "multipath", "-c", "/dev/"+name); err != nil {
		return false
	}
	out, err := m.host.program(ctx, "multipath", "-ll", "/dev/"+name)
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(out, "\n")
	return slices.ContainsFunc(strings.Split(first, " "), func(word string) bool { return strings.HasPrefix(word, "dm") })
}
