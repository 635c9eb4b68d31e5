package agent

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ironworks/models/hints"
	"ironworks/models/raid"
	"ironworks/python"
)

// raidRoot describes an array of the RAID configuration applied last. root reports whether it is the root volume.
type raidRoot struct {
	name string
	root bool
}

func (a *agent) applyRAID(ctx context.Context, node, args *dict) (any, error) {
	if !args.Has("raid_config") {
		return nil, raise("TypeError", "%s.apply_configuration() missing 1 required positional argument: 'raid_config'", genericManager.class)
	}
	if err := a.checkRAID(ctx, args.Get("raid_config"), node); err != nil {
		return nil, err
	}
	if !args.Has("delete_existing") || python.Truthy(args.Get("delete_existing")) {
		if _, err := a.deleteRAID(ctx, node, nil); err != nil {
			return nil, err
		}
	}
	config, ok := args.Get("raid_config").(*dict)
	if !ok {
		return nil, noAttribute(args.Get("raid_config"), "get")
	}
	return a.makeRAID(ctx, node, config)
}

func (a *agent) createRAID(ctx context.Context, node, _ *dict) (any, error) {
	config := node.Dict("target_raid_config")
	if !python.Truthy(node.Get("target_raid_config")) || config == nil {
		a.log.hardware.debug("No target_raid_config found")
		return newDict(), nil
	}
	return a.makeRAID(ctx, node, config)
}

// volume is a logical disk of a RAID configuration together with the physical disks chosen for it.
type volume struct {
	*dict
	disks []string
}

func (a *agent) makeRAID(ctx context.Context, node, config *dict) (any, error) {
	disks, err := logicalDisks(config)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(disks, func(d *dict) bool { return d.Text("controller") == "software" }) {
		a.log.hardware.debug("No Software RAID config found")
		return newDict(), nil
	}
	a.log.hardware.info("Creating Software RAID")
	if err := a.checkRAID(ctx, config, node); err != nil {
		return nil, err
	}
	left, err := a.withoutPresent(ctx, disks, skippedVolumes(node))
	if err != nil {
		return nil, err
	}
	a.log.hardware.debug("Target Software RAID configuration: %s", python.Repr(config))
	present, err := a.hardware.BlockDevices(ctx)
	if err != nil {
		return nil, err
	}
	volumes, involved, err := a.placeVolumes(single(present), left)
	if err != nil {
		return nil, err
	}
	if len(left) == len(disks) {
		if err := a.unpartitioned(ctx, involved); err != nil {
			return nil, err
		}
	}
	if a.options.generation() == legacyAgent || len(volumes) > 0 && len(involved) > 0 {
		if err := a.partitionForRAID(ctx, node, volumes, involved); err != nil {
			return nil, err
		}
	}
	a.log.hardware.info("Successfully created Software RAID")
	return config, nil
}

// placeVolumes chooses the physical disks of each volume. involved is the list of all chosen disks, each once.
func (a *agent) placeVolumes(present []Disk, logical []*dict) (volumes []volume, involved []string, err error) {
	for _, one := range logical {
		v := volume{dict: one}
		if physical, _ := one.Get("physical_disks").(list); len(physical) > 0 {
			if v.disks, err = a.pickDisks(present, physical); err != nil {
				return nil, nil, err
			}
		} else {
			for _, d := range present {
				v.disks = append(v.disks, d.Name)
			}
		}
		for _, name := range v.disks {
			if !slices.Contains(involved, name) {
				involved = append(involved, name)
			}
		}
		volumes = append(volumes, v)
	}
	return volumes, involved, nil
}

func (a *agent) pickDisks(present []Disk, physical list) ([]string, error) {
	var picked []string
	for _, one := range physical {
		hints, _ := one.(*dict) // the type was checked before
		candidates, err := a.options.generation().matching(present, hints)
		if err != nil {
			return nil, err
		}
		if len(candidates) == 0 {
			return nil, newFault(raidError, "No candidates for physical disk %s from the list %s", python.Repr(hints), python.Repr(a.options.generation().serialize(present)))
		}
		i := slices.IndexFunc(candidates, func(name any) bool { return !slices.Contains(picked, python.Str(name)) })
		if i < 0 {
			return nil, newFault(raidError, "No candidates left for physical disk %s from the list %s after picking %s for previous volumes",
				python.Repr(hints), python.Repr(candidates), python.Repr(listOf(picked)))
		}
		picked = append(picked, python.Str(candidates[i]))
	}
	return picked, nil
}

func listOf(names []string) list {
	all := list{}
	for _, name := range names {
		all = append(all, name)
	}
	return all
}

// serialize converts disks to the form in which error messages quote them.
func (a generation) serialize(disks []Disk) list {
	all := list{}
	text := func(t Texts) any {
		if len(t) == 0 {
			return nil
		}
		return t[0]
	}
	for _, d := range disks {
		one := newDict("name", d.Name, "model", text(d.Model), "size", toPythonInt(d.Size), "rotational", nil,
			"wwn", text(d.WWN), "serial", text(d.Serial), "vendor", text(d.Vendor), "wwn_with_extension", text(d.WWNWithExtension),
			"wwn_vendor_extension", text(d.WWNVendorExtension), "hctl", text(d.HCTL), "by_path", text(d.ByPath))
		if d.Rotational != nil {
			one.Set("rotational", *d.Rotational)
		}
		if a == currentAgent {
			one.Set("logical_sectors", toPythonInt(d.LogicalSectors))
			one.Set("physical_sectors", toPythonInt(d.PhysicalSectors))
			one.Set("tran", text(d.Transport))
		}
		all = append(all, one)
	}
	return all
}

func (a *agent) unpartitioned(ctx context.Context, disks []string) error {
	var used []string
	for _, name := range disks {
		if partitions, err := a.listPartitions(ctx, name); err == nil && len(partitions) > 0 {
			used = append(used, name)
		}
	}
	if len(used) > 0 {
		return newFault(raidError, "Partitions detected on devices %s during RAID config", strings.Join(used, ", "))
	}
	return ctx.Err()
}

// partitionForRAID partitions the disks and then creates the arrays. Each volume gets one partition on each of its
// disks. A volume that gets all remaining space comes last.
func (a *agent) partitionForRAID(ctx context.Context, node *dict, volumes []volume, involved []string) error {
	table, mode := a.tableType(node), a.bootModeOf(node)
	next := map[string]string{} // start of the next partition on each disk
	for _, disk := range involved {
		a.log.raid.info("Creating partition table on %s", disk)
		if _, err := a.program(ctx, "parted", disk, "-s", "--", "mklabel", table); err != nil {
			return newFault(commandExecution, "Failed to create partition table on %s: %v", disk, err)
		}
		switch {
		case mode == string(UEFI):
			next[disk] = "551MiB"
		case table == "gpt":
			next[disk] = "8MiB"
		default:
			out, err := a.program(ctx, "sgdisk", "-F", disk)
			if err != nil {
				return asUncaught(err)
			}
			next[disk] = strings.TrimSpace(out.Stdout) + "s"
		}
	}
	volumes = maxLast(volumes)
	for _, v := range volumes {
		for _, disk := range v.disks {
			end, err := endOf(v.Get("size_gb"), next[disk])
			if err != nil {
				return err
			}
			if _, err := a.program(ctx, "parted", disk, "-s", "-a", "optimal", "--", "mkpart", "primary", next[disk], end); err != nil {
				return newFault(raidError, "Failed to create partitions on %s: %v", disk, err)
			}
			a.rescan(ctx, disk)
			next[disk] = end
		}
	}
	used := map[string]int{}
	for i, v := range volumes {
		name, err := a.createArray(ctx, i, v, used)
		if err != nil {
			return err
		}
		if root := v.Get("is_root_volume"); root != nil && a.options.generation() == currentAgent {
			a.raidRoots = slices.DeleteFunc(a.raidRoots, func(r raidRoot) bool { return r.name == name })
			a.raidRoots = append(a.raidRoots, raidRoot{name, python.Truthy(root)})
		}
	}
	return nil
}

func maxLast(volumes []volume) []volume {
	ordered := slices.DeleteFunc(slices.Clone(volumes), func(v volume) bool { return v.Text("size_gb") == "MAX" })
	for _, v := range slices.Backward(volumes) {
		if v.Text("size_gb") == "MAX" {
			return append(ordered, v)
		}
	}
	return ordered
}

// endOf returns the end position of a partition that begins at start, in parted's notation. The size is a number of
// GiB, or MAX for all remaining space. The first partition of a disk begins at a small offset in another unit. Like
// the real agent, endOf ignores this offset.
func endOf(size any, start string) (string, error) {
	if python.Str(size) == "MAX" {
		return "-1", nil
	}
	gigabytes, err := strconv.Atoi(strings.TrimSpace(python.Str(size)))
	if err != nil {
		return "", raise("ValueError", "invalid literal for int() with base 10: %s", python.Repr(size))
	}
	if before, ok := strings.CutSuffix(start, "GiB"); ok {
		n, _ := strconv.Atoi(before) // cannot fail, because the agent computed start
		gigabytes += n
	}
	return fmt.Sprintf("%dGiB", gigabytes), nil
}

// createArray creates the array for v with mdadm and returns its device. used counts the used partitions by disk.
func (a *agent) createArray(ctx context.Context, index int, v volume, used map[string]int) (string, error) {
	device := fmt.Sprintf("/dev/md%d", index)
	name := fmt.Sprintf("md%d", index)
	var members []string
	for _, disk := range v.disks {
		number := used[disk] + 1
		if a.options.generation() == legacyAgent {
			number = index + 1
			name = device
		}
		used[disk]++
		members = append(members, nvmeStyle(disk, strconv.Itoa(number)))
	}
	level := v.Text("raid_level")
	if level == "1+0" {
		level = "10"
	}
	if given := v.Get("volume_name"); given != nil {
		name = python.Str(given)
	}
	a.log.raid.debug("Creating md device %s with name %son %s", device, name, python.Repr(listOf(members)))
	argv := append([]string{
		"mdadm", "--create", device, "--force", "--run", "--metadata=1", "--level", level, "--name", name,
		"--raid-devices", strconv.Itoa(len(members)),
	}, members...)
	if _, err := a.program(ctx, argv...); err != nil {
		return "", newFault(raidError, "Failed to create md device %s on %s: %v", device, strings.Join(members, " "), err)
	}
	return device, nil
}

// capabilities returns the capabilities in an object, or in a string such as boot_mode:uefi,disk_label:gpt.
func capabilities(of *dict) *dict {
	switch given := of.Get("capabilities").(type) {
	case *dict:
		return given
	case string:
		if v, err := hints.ParsePythonJSON(given); err == nil {
			if d, ok := v.(*dict); ok {
				return d
			}
		}
		read := newDict()
		for pair := range strings.SplitSeq(given, ",") {
			if key, value, ok := strings.Cut(pair, ":"); ok {
				read.Set(key, value)
			}
		}
		return read
	}
	return newDict()
}

// bootModeOf returns the boot mode that the node requests, or else the mode in which the ramdisk booted.
func (a *agent) bootModeOf(node *dict) string {
	instance, properties := capabilities(node.Dict("instance_info")), capabilities(node.Dict("properties"))
	secure := properties.Get("secure_boot")
	if instance.Has("secure_boot") {
		secure = instance.Get("secure_boot")
	}
	if strings.EqualFold(python.Str(secure), "true") {
		return string(UEFI)
	}
	mode := python.Str(any(string(a.inventory.Boot.Mode)))
	for _, place := range []struct {
		in  *dict
		key string
	}{{node.Dict("driver_internal_info"), "deploy_boot_mode"}, {properties, "boot_mode"}, {node.Dict("instance_info"), "deploy_boot_mode"}} {
		if place.in.Has(place.key) {
			mode = strings.ToLower(python.Str(place.in.Get(place.key)))
		}
	}
	if mode != string(UEFI) && mode != string(BIOS) {
		return string(a.inventory.Boot.Mode)
	}
	return mode
}

// tableType returns the type of partition table to create. This is GPT if the machine boots with UEFI or if the
// node's disk_label capability is gpt. Otherwise, it is MBR, which parted calls msdos.
func (a *agent) tableType(node *dict) string {
	label := capabilities(node.Dict("properties")).Get("disk_label")
	if instance := capabilities(node.Dict("instance_info")); instance.Has("disk_label") {
		label = instance.Get("disk_label")
	}
	if a.bootModeOf(node) == string(UEFI) || python.Str(label) == "gpt" {
		return "gpt"
	}
	return "msdos"
}

func (a *agent) checkRAID(ctx context.Context, config any, node *dict) error {
	a.log.hardware.debug("Validating Software RAID config: %s", python.Repr(config))
	if !python.Truthy(config) {
		a.log.hardware.error("No RAID config passed")
		return nil
	}
	given, ok := config.(*dict)
	if !ok {
		return noAttribute(config, "get")
	}
	disks, err := logicalDisks(given)
	if err != nil {
		return err
	}
	if len(disks) == 0 {
		return newFault(raidError, "RAID config contains no logical disks")
	}
	if !disks[0].Has("raid_level") {
		return raise("KeyError", "'raid_level'")
	}
	known := raid.Software{Generation: a.options.generation().generation(), KeepsVolumes: len(skippedVolumes(node)) > 0}
	if len(disks) == 2 {
		present, err := a.hardware.BlockDevices(ctx)
		if err != nil {
			return err
		}
		known.Devices = len(present)
	}
	if problems := known.Problems(disks); len(problems) > 0 {
		return newFault(raidError, "Could not validate Software RAID config for %s: %s", node.Text("uuid"), strings.Join(problems, "; "))
	}
	return nil
}

func logicalDisks(config *dict) ([]*dict, error) {
	given, _ := config.Get("logical_disks").(list)
	disks := make([]*dict, len(given))
	for i, one := range given {
		disk, ok := one.(*dict)
		if !ok {
			return nil, noAttribute(one, "get")
		}
		disks[i] = disk
	}
	return disks, nil
}

// skippedVolumes returns the names of the RAID volumes that the node's skip_block_devices preserves.
func skippedVolumes(node *dict) []string {
	hints, _ := node.Dict("properties").Get("skip_block_devices").(list)
	var names []string
	for _, one := range hints {
		if hint, ok := one.(*dict); ok && hint.Has("volume_name") {
			names = append(names, python.Str(hint.Get("volume_name")))
		}
	}
	return names
}
